package workflow

import (
	"context"
	"errors"
	"fmt"

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
	d, err := s.apply(ctx, id, func(d *contract.Document) (*contract.Change, error) {
		return one(contract.IntendSign(d, r.Digest, by, s.Clock()))
	})
	if err != nil {
		return contract.Document{}, err
	}
	signed, err := s.signature(ctx, &d, by, r.Picture)
	if err != nil {
		return contract.Document{}, err
	}
	return s.append(ctx, d, signed, func(d *contract.Document, r contract.Revision) (contract.Change, error) {
		return contract.Sign(d, r, by, s.Clock())
	})
}

// append commits a revision whose bytes are stored. Commits by others that left the file alone are no obstacle;
// one that appended to it is, and then the bytes are removed again and the caller is told to try again.
func (s *Service) append(ctx context.Context, d contract.Document, r contract.Revision, rule func(*contract.Document, contract.Revision) (contract.Change, error)) (contract.Document, error) {
	d, err := s.applyTo(ctx, d, func(d *contract.Document) (*contract.Change, error) {
		if d.Current().End != r.Begin {
			return nil, contract.ErrRace
		}
		return one(rule(d, r))
	})
	if err != nil {
		return contract.Document{}, s.disown(ctx, err, r)
	}
	return d, nil
}

// disown removes bytes that a refused commit would have referred to, and returns why it was refused. A commit that
// failed in any other way may have become durable all the same, on the far side of a lost connection: its bytes
// stay, and when nothing refers to them after an hour, fsck finds them.
func (s *Service) disown(ctx context.Context, err error, revisions ...contract.Revision) error {
	if contract.KindOf(err) == 0 {
		return err
	}
	for _, r := range revisions {
		if r.Tail.Key != "" { // there may be no bytes
			err = errors.Join(err, s.discard(ctx, r.Tail.Key))
		}
	}
	return err
}

// signature makes a participant's signature over the current revision and stores its tail.
func (s *Service) signature(ctx context.Context, d *contract.Document, by contract.Actor, picture []byte) (contract.Revision, error) {
	p := d.Participant(by.ID)
	c, err := s.participantCredential(ctx, d, *p)
	if err != nil {
		return contract.Revision{}, err
	}
	now := s.Clock()
	look, marks, err := s.looks(ctx, d, *p, picture, now)
	if err != nil {
		return contract.Revision{}, err
	}
	tail, err := s.paper(ctx, d, func(src pades.Source) (*pades.Result, error) {
		return pades.Sign(ctx, src, pades.Options{
			Field: p.Field, Key: c.key, Chain: c.chain, Timestamper: s.Timestamper, Random: s.Random,
			Time: now, Name: p.Name, Reason: reasonSigned, Appearance: look, Marks: marks,
		})
	})
	if err != nil {
		return contract.Revision{}, fmt.Errorf("sign document %d: %w", d.ID, outage(err))
	}
	return s.keep(ctx, d.Current(), contract.RevisionSignature, tail)
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

// outage tells the client to come back when trusted time cannot be had: no signature is made without it.
func outage(err error) error {
	if errors.Is(err, pades.ErrTimestamp) {
		return contract.Refuse(contract.Unavailable, "server.unavailable").Again().Because(err)
	}
	return err
}
