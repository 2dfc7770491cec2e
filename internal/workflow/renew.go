package workflow

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/pades"
	"segel/pdf"
	"segel/tsp"
)

// renewals is the number of documents that are read at a time.
const renewals = 100

// Renewed counts the results of one round of renewals.
type Renewed struct {
	Renewed int // documents that got a further timestamp
	PutOff  int // documents that are tried later: a renewal would gain nothing now, or it failed
}

// RenewDue renews the timestamp of every document that is due. Documents are independent: an interrupted round
// continues where it stopped. Without trusted time, or while the clock is in doubt, the round ends and nothing is
// postponed.
func (s *Service) RenewDue(ctx context.Context) (Renewed, error) {
	var total Renewed
	for {
		due, err := s.Store.DueForRenewal(ctx, s.Clock(), renewals)
		if err != nil {
			return total, fmt.Errorf("read documents due for renewal: %w", err)
		}
		if err := s.renewEach(ctx, due, &total); err != nil || len(due) < renewals {
			return total, err
		}
	}
}

// RenewAll is RenewDue for every completed document, whenever its next renewal is. That time was computed with the RenewBefore of when the document was completed
// or last renewed, so a longer one applies to earlier documents only with this. A document that is not due by it gets another time, and counts as
// put off. The numbers of all documents are in memory, eight bytes each.
func (s *Service) RenewAll(ctx context.Context) (total Renewed, err error) {
	all, err := s.Store.DueForRenewal(ctx, lastRenewal, math.MaxInt32)
	if err != nil {
		return total, fmt.Errorf("read documents with renewals: %w", err)
	}
	return total, s.renewEach(ctx, all, &total)
}

// lastRenewal is later than any renewal.
var lastRenewal = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// renewEach renews documents and adds to the counts. An error ends it: the rest stays as it is.
func (s *Service) renewEach(ctx context.Context, ids []contract.DocumentID, total *Renewed) error {
	for _, id := range ids {
		renewed, err := s.Renew(ctx, id)
		switch {
		case ctx.Err() != nil || errors.Is(err, pades.ErrTimestamp) || errors.Is(err, contract.ErrClock):
			return err
		case err != nil:
			s.Log.Error("renew timestamp", "document", id, "error", err)
			if err := s.postponeRenewal(ctx, id, s.Clock().Add(renewalRetry)); err != nil {
				return err
			}
			total.PutOff++
		case renewed:
			total.Renewed++
		default:
			total.PutOff++
		}
	}
	return nil
}

// renewalRetry is the delay before a failed renewal is retried.
const renewalRetry = 24 * time.Hour

// Renew adds to a completed document the validation data of its newest timestamp and a further timestamp over the whole
// file, if the newest one expires soon and the further one lasts longer. Otherwise it sets the time of the next
// attempt. It reports whether the document was renewed. The renewed file is validated before the commit, as in
// [Service.Complete]. The evidence certificate is renewed with its document.
//
// Renew may run again at any time. Nothing is durable before the one commit, which adds both revisions. Nothing refers
// to the tails of a run that did not reach it.
func (s *Service) Renew(ctx context.Context, id contract.DocumentID) (renewed bool, err error) {
	release, err := s.LockDocument(ctx, id)
	if err != nil {
		return false, err
	}
	defer release()
	now, err := s.CheckClock(ctx)
	if err != nil {
		return false, err
	}
	d, err := s.LoadDocument(ctx, id)
	if err != nil {
		return false, err
	}
	if d.IsRemoved() { // since it was found
		return false, nil
	}
	f, err := s.OpenFile(ctx, d.Revisions)
	if err != nil {
		return false, fmt.Errorf("document %d: %w", id, err)
	}
	defer f.Close()
	parsed, err := f.PDF(pdf.Options{})
	if err != nil {
		return false, fmt.Errorf("document %d: open file: %w", id, err)
	}
	newest, err := newestDocumentTimestamp(parsed)
	if err != nil {
		return false, fmt.Errorf("document %d: %w", id, err)
	}
	if newest.time.After(now) {
		// It was completed while the clock was ahead. A further timestamp would show an earlier time than its own.
		return false, s.postponeRenewal(ctx, id, newest.time.Add(renewalRetry))
	}
	due := !now.Before(newest.expiry.Add(-s.renewBefore()))
	// The certificate first, in a commit of its own: if we crash before that of the document, the next round finds it renewed. If it fails, the
	// document is renewed all the same, and looked at again tomorrow.
	failed := s.renewEvidence(ctx, &d, due, now)
	defer func() { err = errors.Join(err, failed) }()
	if !due {
		return false, s.postponeRenewal(ctx, id, contract.RenewalAt(newest.expiry, now, s.renewBefore()))
	}
	var added []contract.Revision
	timestamper, err := s.addTimestamp(newest, func(o pades.ValidationOptions, timestamper *recordingTimestamper) (err error) {
		if err := s.RemoveTails(ctx, nil, added); err != nil { // of the try before
			return err
		}
		f, err := s.OpenFile(ctx, d.Revisions) // anew: it grows with the revisions
		if err != nil {
			return fmt.Errorf("document %d: %w", id, err)
		}
		defer f.Close()
		added, err = s.buildRevisions(ctx, d, f, []revisionStep{
			{contract.RevisionValidation, func(src pades.Source) (*pades.Result, error) { return pades.AddDSS(ctx, src, o) }},
			{contract.RevisionTimestamp, func(src pades.Source) (*pades.Result, error) {
				return pades.DocumentTimestamp(ctx, src, timestamper, s.SigningClock())
			}},
		})
		return err
	})
	if err == nil && !timestamper.expiry.After(newest.expiry) {
		// The authority still uses the certificate that expires soon. A timestamp from it would gain nothing.
		err = s.RemoveTails(ctx, nil, added)
		return false, errors.Join(err, s.postponeRenewal(ctx, id, contract.RenewalAt(newest.expiry, now, s.renewBefore())))
	}
	if err == nil {
		// Durable: the tails. Not yet: the document's reference to them. If the process dies here, the next round makes
		// new ones.
		err = s.checkSealed(ctx, d, added)
	}
	if err != nil {
		return false, s.RemoveTails(ctx, err, added)
	}
	_, err = s.CommitRevisions(ctx, d, added, func(d *contract.Document) (contract.Change, error) {
		c, err := contract.Renew(d, added, contract.RenewalAt(timestamper.expiry, now, s.renewBefore()), now)
		c.Timestamp = timestamper.time
		return c, err
	})
	return err == nil, err
}

// authorityTries is how often a renewal is made until its timestamp is by the authority whose validation data it has. The first try of a process may
// not know the authority; another may answer if there are several.
const authorityTries = 3

// addTimestamp makes a renewal with add: validation data by the options, then a timestamp over it. The data is that of the newest timestamp and of
// the authority that makes the further one. The authority is known from its token alone, so it is taken to be that of the last token of this process;
// if it was another one, the renewal is made again. Without that data the file would depend on the network until the next renewal, or if the
// authority's addresses end before, for ever. A timestamp that expires no later than the newest one is returned as it is.
func (s *Service) addTimestamp(newest documentTimestamp, add func(pades.ValidationOptions, *recordingTimestamper) error) (*recordingTimestamper, error) {
	for range authorityTries {
		o := pades.ValidationOptions{Source: s.Revocation, Certificates: s.Certificates, Roots: s.trustedRoots(), Required: []string{newest.field}}
		expected := s.newestToken.Load()
		if expected != nil {
			o.Following = append([]*x509.Certificate{expected.Authority}, expected.Chain...)
		}
		timestamper := s.newRecordingTimestamper()
		err := add(o, timestamper)
		if err != nil || !timestamper.expiry.After(newest.expiry) || expected != nil && timestamper.token.Authority.Equal(expected.Authority) {
			return timestamper, err
		}
	}
	return nil, errors.New("the time-stamp authority had another certificate at each try")
}

func (s *Service) postponeRenewal(ctx context.Context, id contract.DocumentID, next time.Time) error {
	_, err := s.ApplyRule(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.PostponeRenewal(d, next))
	})
	if errors.Is(err, contract.ErrRemoved) { // meanwhile, and its renewals with it
		return nil
	}
	return err
}

func (s *Service) renewBefore() time.Duration {
	if s.RenewBefore > 0 {
		return s.RenewBefore
	}
	return 365 * 24 * time.Hour
}

// documentTimestamp is a document timestamp in a file.
type documentTimestamp struct {
	field  string
	time   time.Time
	expiry time.Time // see tokenExpiry
}

// newestDocumentTimestamp reads the last document timestamp of a file. It returns an error if there is none, because every
// completed document and every evidence certificate has one.
func newestDocumentTimestamp(file *pdf.Document) (documentTimestamp, error) {
	signatures, err := file.Signatures()
	if err != nil {
		return documentTimestamp{}, fmt.Errorf("read signatures: %w", err)
	}
	var newest *pdf.Signature
	for _, sig := range signatures {
		if sig.Type == "DocTimeStamp" && (newest == nil || sig.ContentsAt > newest.ContentsAt) {
			newest = sig
		}
	}
	if newest == nil {
		return documentTimestamp{}, errors.New("file has no document timestamp")
	}
	token, err := tsp.Parse(newest.Contents)
	if err != nil {
		return documentTimestamp{}, fmt.Errorf("field %q: %w", newest.Field.Name, err)
	}
	return documentTimestamp{newest.Field.Name, token.Time, tokenExpiry(token)}, nil
}

// tokenExpiry returns until when a token is valid without further validation data: the earliest expiry among the
// certificates of its path that it includes. A self-signed root is excluded: it is trusted regardless of its dates.
func tokenExpiry(token *tsp.Token) time.Time {
	ends, at := token.Authority.NotAfter, token.Authority
	for range token.Chain {
		var issuer *x509.Certificate
		for _, c := range token.Chain {
			if bytes.Equal(c.RawSubject, at.RawIssuer) && !bytes.Equal(c.RawSubject, c.RawIssuer) && (issuer == nil || c.NotAfter.After(issuer.NotAfter)) {
				issuer = c
			}
		}
		if issuer == nil || issuer == at {
			break
		}
		if at = issuer; at.NotAfter.Before(ends) {
			ends = at.NotAfter
		}
	}
	return ends
}
