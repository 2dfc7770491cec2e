package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/specimen"
	"segel/internal/store"
)

var errNoSpecimen = contract.Refuse(contract.NotFound, "specimen.none")

// Specimen is the picture of a person's signature or initials.
type Specimen struct {
	Image []byte
	Type  string // image/png or image/jpeg
}

// SetSpecimen stores the picture of the caller's signature or initials unchanged, if strokes can be extracted from it.
func (s *Service) SetSpecimen(ctx context.Context, by contract.Actor, kind store.SpecimenKind, picture []byte) error {
	if err := by.AuthoriseAccount(contract.AccountSpecimen); err != nil {
		return err
	}
	if err := by.Key.RefuseTest(); err != nil {
		return err
	}
	if _, err := specimen.ExtractStrokes(ctx, picture); err != nil {
		return err
	}
	if err := s.store.SetSpecimen(ctx, by.ID, kind, picture); err != nil {
		return fmt.Errorf("keep the %s of %s: %w", kind, by.ID, err)
	}
	return nil
}

// DeleteSpecimen deletes the picture of the caller's signature or initials. It succeeds if there is none.
func (s *Service) DeleteSpecimen(ctx context.Context, by contract.Actor, kind store.SpecimenKind) error {
	if err := by.AuthoriseAccount(contract.AccountSpecimen); err != nil {
		return err
	}
	if err := by.Key.RefuseTest(); err != nil {
		return err
	}
	if err := s.store.SetSpecimen(ctx, by.ID, kind, nil); err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("forget the %s of %s: %w", kind, by.ID, err)
	}
	return nil
}

// Specimen returns the picture of the caller's signature or initials, or an error of kind NotFound if there is none.
func (s *Service) Specimen(ctx context.Context, by contract.Actor, kind store.SpecimenKind) (Specimen, error) {
	if err := by.AuthoriseAccount(contract.AccountSpecimen); err != nil {
		return Specimen{}, err
	}
	b, err := s.store.Specimen(ctx, by.ID, kind)
	if errors.Is(err, store.ErrNotFound) || err == nil && len(b) == 0 {
		return Specimen{}, errNoSpecimen
	}
	if err != nil {
		return Specimen{}, fmt.Errorf("read the %s of %s: %w", kind, by.ID, err)
	}
	return Specimen{Image: b, Type: specimen.MediaType(b)}, nil
}
