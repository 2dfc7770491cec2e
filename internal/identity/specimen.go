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

// Specimen is the picture of a person's signature.
type Specimen struct {
	Image []byte
	Type  string // image/png or image/jpeg
}

// SetSpecimen stores the picture of the caller's signature unchanged, if strokes can be extracted from it.
func (s *Service) SetSpecimen(ctx context.Context, by contract.Actor, picture []byte) error {
	if by.Guest != 0 || by.IsSystem() {
		return contract.ErrNotAllowed
	}
	if _, err := specimen.ExtractStrokes(ctx, picture); err != nil {
		return err
	}
	if err := s.store.SetSpecimen(ctx, by.ID, picture); err != nil {
		return fmt.Errorf("keep the specimen of %s: %w", by.ID, err)
	}
	return nil
}

// DeleteSpecimen deletes the picture of the caller's signature. It succeeds if there is none.
func (s *Service) DeleteSpecimen(ctx context.Context, by contract.Actor) error {
	if by.Guest != 0 || by.IsSystem() {
		return contract.ErrNotAllowed
	}
	if err := s.store.SetSpecimen(ctx, by.ID, nil); err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("forget the specimen of %s: %w", by.ID, err)
	}
	return nil
}

// Specimen returns the picture of the caller's signature, or an error of kind NotFound if there is none.
func (s *Service) Specimen(ctx context.Context, by contract.Actor) (Specimen, error) {
	if by.Guest != 0 || by.IsSystem() {
		return Specimen{}, contract.ErrNotAllowed
	}
	b, err := s.store.Specimen(ctx, by.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && len(b) == 0 {
		return Specimen{}, errNoSpecimen
	}
	if err != nil {
		return Specimen{}, fmt.Errorf("read the specimen of %s: %w", by.ID, err)
	}
	return Specimen{Image: b, Type: specimen.MediaType(b)}, nil
}
