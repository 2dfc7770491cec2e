package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/pades"
)

// SignRequest is what a signer sends.
type SignRequest struct {
	Digest [32]byte // SHA-256 of the revision he read; zero: he does not say
	OTP    string
	// Picture is how the signature shall look, PNG or JPEG, checked. Empty: as the signer's specimen, or, where he
	// has none, his name in print.
	Picture []byte
}

// Sign puts the caller's signature into the file.
//
// Two commits. After the first it is durable that he asked, and for which revision; nothing has been signed.
// After the second the signature stands in the file and in the record. A crash between the two leaves at most a
// tail that nothing refers to; he signs again.
func (s *Service) Sign(ctx context.Context, by contract.Actor, id contract.DocumentID, r SignRequest) (contract.Document, error) {
	release, err := s.files.acquire(ctx, id)
	if err != nil {
		return contract.Document{}, err
	}
	defer release()
	now, inDoubt := s.checkClock(ctx)
	if inDoubt != nil && !errors.Is(inDoubt, contract.ErrClock) {
		return contract.Document{}, inDoubt
	}
	d, err := s.apply(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		c, err := contract.IntendSign(d, r.Digest, by, now)
		if err == nil {
			err = inDoubt // last, so that those who may not see the document learn nothing
		}
		return one(c, err)
	})
	if err != nil {
		return contract.Document{}, err
	}
	signed, at, err := s.signature(ctx, &d, by, r.Picture, now)
	if err != nil {
		return contract.Document{}, err
	}
	return s.commitRevision(ctx, d, signed, func(d *contract.Document, r contract.Revision) (contract.Change, error) {
		c, err := contract.Sign(d, r, by, s.Clock())
		c.Timestamp = at
		return c, err
	})
}

// signature makes a participant's signature over the current revision, stores its tail, and tells the time of its timestamp.
// Now is the local time, which was checked.
func (s *Service) signature(ctx context.Context, d *contract.Document, by contract.Actor, picture []byte, now time.Time) (contract.Revision, contract.TrustedTime, error) {
	p := d.Participant(by.ID)
	c, err := s.participantCredential(ctx, d, *p, now)
	if err != nil {
		return contract.Revision{}, contract.TrustedTime{}, outage(err)
	}
	look, marks, err := s.looks(ctx, d, *p, picture, now)
	if err != nil {
		return contract.Revision{}, contract.TrustedTime{}, err
	}
	clock := s.witness()
	tail, err := s.paper(ctx, d, func(src pades.Source) (*pades.Result, error) {
		return pades.Sign(ctx, src, pades.Options{
			Field: p.Field, Key: c.key, Chain: c.chain, Timestamper: clock, Random: s.Random,
			Time: now, Clock: s.ownClock(), Name: p.Name, Reason: reasonSigned, Appearance: look, Marks: marks,
		})
	})
	if err != nil {
		return contract.Revision{}, contract.TrustedTime{}, fmt.Errorf("sign document %d: %w", d.ID, outage(err))
	}
	r, err := s.keep(ctx, d.Current(), contract.RevisionSignature, tail)
	return r, clock.time, err
}

// Reasons as they stand in signature dictionaries, for whoever opens the file.
const (
	reasonSigned = "Menyetujui isi dokumen ini"
	reasonSealed = "Menutup dokumen ini"
)

// paper opens the current revision for one step of package pades and returns the tail that the step made.
func (s *Service) paper(ctx context.Context, d *contract.Document, step func(pades.Source) (*pades.Result, error)) ([]byte, error) {
	f, err := s.open(ctx, d.Revisions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := step(pades.Source{R: f, Size: f.Size(), State: d.Current().Midstate})
	if err != nil {
		return nil, err
	}
	return r.Tail, nil
}
