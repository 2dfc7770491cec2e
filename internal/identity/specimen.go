package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"segel/internal/contract"
	"segel/internal/store"
)

// Bounds of a specimen.
const (
	MaxSpecimen     = 1 << 20 // bytes
	maxSpecimenSide = 4000    // pixels
	maxSpecimenArea = 4 << 20 // pixels; decoded it takes four to eight bytes each
)

var (
	errNotPicture = contract.Refuse(contract.Unsupported, "specimen.not_picture")
	errNoSpecimen = contract.Refuse(contract.NotFound, "specimen.none")
)

// Specimen is the picture of somebody's signature.
type Specimen struct {
	Image []byte
	Type  string // image/png or image/jpeg
}

// SetSpecimen keeps the picture of the caller's signature: PNG or JPEG by its content, whatever it was called.
func (s *Service) SetSpecimen(ctx context.Context, by contract.Actor, picture []byte) error {
	if by.Guest != 0 || by.System() {
		return contract.ErrNotAllowed
	}
	if err := CheckPicture(picture); err != nil {
		return err
	}
	if err := s.store.SetSpecimen(ctx, by.ID, picture); err != nil {
		return fmt.Errorf("keep the specimen of %s: %w", by.ID, err)
	}
	return nil
}

// DeleteSpecimen forgets it; none is no error.
func (s *Service) DeleteSpecimen(ctx context.Context, by contract.Actor) error {
	if by.Guest != 0 || by.System() {
		return contract.ErrNotAllowed
	}
	if err := s.store.SetSpecimen(ctx, by.ID, nil); err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("forget the specimen of %s: %w", by.ID, err)
	}
	return nil
}

// Specimen returns the picture of the caller's signature, of kind NotFound when he gave none.
func (s *Service) Specimen(ctx context.Context, by contract.Actor) (Specimen, error) {
	if by.Guest != 0 || by.System() {
		return Specimen{}, contract.ErrNotAllowed
	}
	b, err := s.store.Specimen(ctx, by.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && len(b) == 0 {
		return Specimen{}, errNoSpecimen
	}
	if err != nil {
		return Specimen{}, fmt.Errorf("read the specimen of %s: %w", by.ID, err)
	}
	return Specimen{Image: b, Type: pictureType(b)}, nil
}

// pictureType tells PNG and JPEG by their first bytes; empty for anything else.
func pictureType(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	return ""
}

// CheckPicture refuses what is no picture of a signature: PNG or JPEG by content, and of a size that can be drawn.
// It reads the size before it decodes: a small file can claim to be a very large picture.
func CheckPicture(b []byte) error {
	if len(b) > MaxSpecimen {
		return contract.Refuse(contract.TooLarge, "specimen.too_large").With("limit", MaxSpecimen)
	}
	config, decode := png.DecodeConfig, png.Decode
	switch pictureType(b) {
	case "image/png":
	case "image/jpeg":
		config, decode = jpeg.DecodeConfig, jpeg.Decode
	default:
		return errNotPicture
	}
	var c image.Config
	c, err := config(bytes.NewReader(b))
	if err != nil {
		return errNotPicture.Because(err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSpecimenSide || c.Height > maxSpecimenSide || c.Width*c.Height > maxSpecimenArea {
		return contract.Refuse(contract.Invalid, "specimen.too_many_pixels").With("side", maxSpecimenSide).With("pixels", maxSpecimenArea)
	}
	if _, err := decode(bytes.NewReader(b)); err != nil {
		return errNotPicture.Because(err)
	}
	return nil
}
