package workflow

import (
	"context"
	"errors"
	"slices"

	"segel/internal/contract"
	"segel/internal/outage"
	"segel/internal/store"
)

// SignManyRequest is a signer's request to sign several documents with one consent.
type SignManyRequest struct {
	Documents []DocumentToSign        // in the order in which they are signed
	Consented []contract.ConsentItem  // the whole list that the signer consented to; Documents may be a part of it
	Accepts   []contract.GivenConsent // consent texts that the signer accepts: those of the organisations of the documents
	Proof     contract.GivenFactor    // what they present for all these signatures
	// Picture and Initials are the look of all signatures and initials, as in [SignRequest].
	Picture, Initials []byte
}

// DocumentToSign is one document of a SignManyRequest.
type DocumentToSign struct {
	contract.ConsentItem
	Pages    []int // numbers of the pages of this revision that the service showed the signer
	Pictures []int // those of them that it showed as pictures
}

// SignResult is what became of one document of a SignManyRequest.
type SignResult struct {
	ID           contract.DocumentID
	Document     contract.Document // as it is now; only without Err
	SignedBefore bool              // an earlier request added the caller's signature to this revision
	Err          error             // why the document was not signed
}

// IsFinal reports whether a repeat of the request would have the same result.
func (r *SignResult) IsFinal() bool {
	if r.Err == nil {
		return true
	}
	var refusal *contract.Error
	return errors.As(r.Err, &refusal) && !refusal.Retryable && !contract.AsksForFactor(r.Err) && refusal.Kind != contract.Unavailable && outage.Of(r.Err) == nil
}

// SignMany signs documents one after the other, each as [Service.Sign] does: it takes its turn at each document anew, and holds
// nothing in between. It returns a result for each document in the order of the request. An error means that nothing was
// signed, or that another request with the same Idempotency-Key took over.
//
// Durable after the commit of each document: its signature. Durable with the last one: also the answer to the whole request, if all
// documents before it have a final result. If the process dies earlier, the answer is not stored and the rest is not signed. A repeat of the
// request then goes through all documents again: those that have the caller's signature on the named revision are reported as
// signed, and the others are signed. No document is signed twice, with or without an Idempotency-Key, because a person signs a document once.
func (s *Service) SignMany(ctx context.Context, by contract.Actor, r SignManyRequest) ([]SignResult, error) {
	named := make([]contract.ConsentItem, len(r.Documents))
	for i, d := range r.Documents {
		named[i] = d.ConsentItem
	}
	if err := contract.CheckConsent(named, r.Consented); err != nil {
		return nil, err
	}
	consent, given := contract.NewConsent(r.Consented), newGivenPictures(r.Picture, r.Initials)
	proof := givenProof{GivenFactor: r.Proof, consent: consent}
	results, allFinal := make([]SignResult, 0, len(named)), true
	for i, item := range r.Documents {
		if ctx.Err() != nil { // the client has gone, or the time is up
			results, allFinal = append(results, SignResult{ID: item.Document, Err: context.Cause(ctx)}), false
			continue
		}
		withAnswer := func(ctx context.Context) context.Context { return ctx }
		if i == len(r.Documents)-1 && allFinal {
			withAnswer = func(ctx context.Context) context.Context {
				return store.WithFinalAnswer(ctx, func(d contract.Document) any {
					return append(slices.Clip(results), SignResult{ID: d.ID, Document: d})
				})
			}
		}
		result := SignResult{ID: item.Document}
		shown := contract.ShownPages{Digest: item.Digest, Pages: item.Pages, Pictures: item.Pictures, Consent: consent}
		result.Document, result.Err = s.signDocument(ctx, by, item.Document, shown, r.Accepts, &proof, given, withAnswer)
		if errors.Is(result.Err, contract.ErrKeyRunning) {
			return nil, result.Err
		}
		if errors.Is(result.Err, contract.ErrSigned) || errors.Is(result.Err, contract.ErrNotActive) {
			if d, err := s.LoadAuthorised(ctx, by, contract.OpSign, item.Document); err == nil && d.HasSignedRevision(by.ID, item.Digest) {
				result = SignResult{ID: item.Document, Document: d, SignedBefore: true}
			}
		}
		allFinal = allFinal && result.IsFinal()
		results = append(results, result)
	}
	return results, nil
}
