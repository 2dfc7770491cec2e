package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/specimen"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
)

// SignRequest is a signer's request.
type SignRequest struct {
	Shown contract.ShownPages // pages that the service showed the signer
	OTP   string
	// Picture is the look of the signature, PNG or JPEG. It is decoded only if the caller may sign. Empty: the signer's
	// specimen or, without one, their printed name.
	Picture []byte
}

// Sign adds the caller's signature to the file.
//
// Sign makes two commits. After the first, the request and its revision are durable; nothing is signed. After the
// second, the signature is in the file and in the record. If the process dies between the two, at most a tail remains
// that nothing refers to. The signer can sign again, and so can a repeat of the request: its answer is stored with the
// second commit.
func (s *Service) Sign(ctx context.Context, by contract.Actor, id contract.DocumentID, r SignRequest) (contract.Document, error) {
	release, err := s.documentLocks.acquire(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	defer release()
	now, inDoubt := s.checkClock(ctx)
	if inDoubt != nil && !errors.Is(inDoubt, contract.ErrClock) {
		return contract.Document{}, inDoubt
	}
	var strokes *appearance.Strokes
	d, err := s.applyRuleAs(ctx, by, id, func(d *contract.Document) (*contract.Change, error) {
		c, err := contract.IntendSign(d, r.Shown, by, now)
		if err == nil {
			err = inDoubt // the last rule, so that callers who may not see the document learn nothing
		}
		if err != nil {
			return nil, err
		}
		// Refuse a bad picture before anything is recorded. Decoding takes memory and time, so it comes after the
		// checks whether the caller may sign.
		switch {
		case strokes != nil: // decoded before a lost race
		case len(r.Picture) > 0:
			strokes, err = specimen.ExtractStrokes(ctx, r.Picture)
		default:
			strokes, err = s.specimenStrokes(ctx, d, *d.Participant(by.ID))
		}
		return &c, err
	})
	if err != nil {
		return contract.Document{}, err
	}
	signed, err := s.signRevision(ctx, &d, by, strokes, now)
	if err != nil {
		return contract.Document{}, err
	}
	return s.commitRevision(withDocumentAnswer(ctx), d, signed.revision, func(d *contract.Document, made contract.Revision) (contract.Change, error) {
		c, err := contract.Sign(d, made, r.Shown, signed.attestation, by, s.Clock())
		c.Timestamp = signed.timestamp
		return c, err
	})
}

// storedSignature is a participant's signature that is stored but not committed.
type storedSignature struct {
	revision    contract.Revision
	attestation contract.Attestation // what the certificate says about the participant
	timestamp   contract.TrustedTime
}

// signRevision signs the current revision for a participant and stores the tail. Now is the local time, checked by the
// caller.
func (s *Service) signRevision(ctx context.Context, d *contract.Document, by contract.Actor, strokes *appearance.Strokes, now time.Time) (storedSignature, error) {
	p := d.Participant(by.ID)
	h, err := s.participantHolder(ctx, d, *p)
	if err != nil {
		return storedSignature{}, err
	}
	c, err := s.participantCredential(ctx, h, now)
	if err != nil {
		return storedSignature{}, timestampRefusal(err)
	}
	attestation := h.Attestation
	attestation.Certificate = fmt.Sprintf("%x", c.chain[0].SerialNumber)
	look, marks := buildAppearances(d, *p, attestation, strokes, now)
	clock := s.newRecordingTimestamper()
	tail, err := s.buildTail(ctx, d, func(src pades.Source) (*pades.Result, error) {
		return pades.Sign(ctx, src, pades.Options{
			Field: p.Field, Key: c.key, Chain: c.chain, Timestamper: clock, Random: s.Random,
			// The name in the certificate, which marks guests as such: a guest's name never appears without that mark.
			Time: now, Clock: s.ownClock(), Name: c.chain[0].Subject.CommonName, Reason: reasonSigned, Appearance: look, Marks: marks,
		})
	})
	if err != nil {
		return storedSignature{}, fmt.Errorf("sign document %d: %w", d.ID, timestampRefusal(err))
	}
	r, err := s.storeTail(ctx, d.Current(), contract.RevisionSignature, tail)
	return storedSignature{r, attestation, clock.time}, err
}

// Reasons in signature dictionaries, shown to readers of the file.
const (
	reasonSigned = "Menyetujui isi dokumen ini"
	reasonSealed = "Menutup dokumen ini"
)

// buildTail opens the current revision for one step of package pades and returns the tail that the step built. It
// checks the midstate first; see [Service.requireMidstate].
func (s *Service) buildTail(ctx context.Context, d *contract.Document, step func(pades.Source) (*pades.Result, error)) ([]byte, error) {
	if err := s.requireMidstate(ctx, d); err != nil {
		return nil, err
	}
	f, err := s.openRevisions(ctx, d.Revisions)
	if err != nil {
		return nil, fileProblem(err)
	}
	defer f.Close()
	if err := readNextObject(d, func() (*pdf.Document, error) { return pdf.Open(f, f.Size(), pdf.Options{}) }); err != nil {
		return nil, err
	}
	r, err := step(sourceOf(d, f, f.Size()))
	if err != nil {
		return nil, fileProblem(err)
	}
	return r.Tail, nil
}

// sourceOf returns the current file of a document as the source of its next revision.
func sourceOf(d *contract.Document, r io.ReaderAt, size int64) pades.Source {
	current := d.Current()
	return pades.Source{R: r, Size: size, State: current.Midstate, File: pdf.Options{NextObject: current.NextObject}}
}

// readNextObject sets the next object number of the current revision from the file, if the revision was stored without
// it. The next revision is stored with it.
func readNextObject(d *contract.Document, open func() (*pdf.Document, error)) error {
	if len(d.Revisions) == 0 || d.Current().NextObject != 0 {
		return nil
	}
	doc, err := open()
	if err != nil {
		return fmt.Errorf("open document %d: %w", d.ID, err)
	}
	next, err := doc.NextObject()
	if err != nil {
		return fmt.Errorf("number objects of document %d: %w", d.ID, err)
	}
	d.Revisions = slices.Clone(d.Revisions)
	d.Revisions[len(d.Revisions)-1].NextObject = next
	return nil
}
