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

// SignRequest is what a signer sends.
type SignRequest struct {
	Shown contract.ShownPages // what of the document the service showed them
	OTP   string
	// Picture is how the signature shall look, PNG or JPEG; it is not decoded before the caller may sign. Empty: as the
	// signer's specimen or, without one, their name in print.
	Picture []byte
}

// Sign puts the caller's signature into the file.
//
// Two commits. After the first it is durable that he asked, and for which revision; nothing has been signed.
// After the second the signature stands in the file and in the record. A crash between the two leaves at most a
// tail that nothing refers to; he signs again, and so does a repeat of the request: its answer is kept with the second.
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
			err = inDoubt // last of the rules, so that those who may not see the document learn nothing
		}
		if err != nil {
			return nil, err
		}
		// A picture that cannot be shown is refused while nothing is recorded yet. Decoding one takes memory and time, so
		// only those who may sign come this far.
		switch {
		case strokes != nil: // decoded before another writer was faster
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

// storedSignature is a participant's signature that is stored and not committed yet.
type storedSignature struct {
	revision    contract.Revision
	attestation contract.Attestation // what its certificate says about the participant
	timestamp   contract.TrustedTime
}

// signRevision makes a participant's signature over the current revision and stores its tail. Now is the local time, which was
// checked.
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
	who := h.Attestation
	who.Certificate = fmt.Sprintf("%x", c.chain[0].SerialNumber)
	look, marks := buildAppearances(d, *p, who, strokes, now)
	clock := s.newRecordingTimestamper()
	tail, err := s.buildTail(ctx, d, func(src pades.Source) (*pades.Result, error) {
		return pades.Sign(ctx, src, pades.Options{
			Field: p.Field, Key: c.key, Chain: c.chain, Timestamper: clock, Random: s.Random,
			// The name as the certificate has it: a guest's does not stand alone anywhere.
			Time: now, Clock: s.ownClock(), Name: c.chain[0].Subject.CommonName, Reason: reasonSigned, Appearance: look, Marks: marks,
		})
	})
	if err != nil {
		return storedSignature{}, fmt.Errorf("sign document %d: %w", d.ID, timestampRefusal(err))
	}
	r, err := s.storeTail(ctx, d.Current(), contract.RevisionSignature, tail)
	return storedSignature{r, who, clock.time}, err
}

// Reasons as they stand in signature dictionaries, for whoever opens the file.
const (
	reasonSigned = "Menyetujui isi dokumen ini"
	reasonSealed = "Menutup dokumen ini"
)

// buildTail opens the current revision for one step of package pades and returns the tail that the step made. It checks the
// midstate first, see [Service.requireMidstate].
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

// sourceOf is the file of a document as it stands, for its next revision.
func sourceOf(d *contract.Document, r io.ReaderAt, size int64) pades.Source {
	current := d.Current()
	return pades.Source{R: r, Size: size, State: current.Midstate, File: pdf.Options{NextObject: current.NextObject}}
}

// readNextObject reads the file for the number of its next object if the current revision was stored without it, and
// notes it there: the next revision is stored with it.
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
