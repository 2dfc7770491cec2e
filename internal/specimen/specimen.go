// Package specimen decides which pictures of signatures are accepted, and what becomes of them: strokes of one dark
// colour on a transparent ground.
package specimen

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"

	"segel/internal/contract"
	"segel/pades/appearance"
)

// Bounds of a picture.
const (
	MaxBytes = 1 << 20
	maxSide  = 4000    // pixels
	maxArea  = 4 << 20 // pixels; decoded they take one to eight bytes each, and those of some JPEG files more
)

// Refusals of pictures that cannot become strokes.
var (
	errNotPicture = contract.Refuse(contract.Unsupported, "specimen.not_picture")
	errPixels     = contract.Refuse(contract.Invalid, "specimen.too_many_pixels").With("side", maxSide).With("pixels", maxArea)
	errNoStrokes  = contract.Refuse(contract.Invalid, "specimen.no_strokes")
	errTooDark    = contract.Refuse(contract.Invalid, "specimen.too_dark")
)

// ExtractStrokes turns the picture of a signature, PNG or JPEG by its content, into strokes. The size is read from the header
// before anything is decoded: a small file can claim to be a very large picture.
//
// However many call it, pictures are decoded a few at a time: those that fit into decodingMemory together. The others
// wait, as long as their context lets them.
//
// Errors are *contract.Error: TooLarge for the file, Unsupported for what is not an intact picture, and Invalid for
// too many pixels, for a picture in which nothing stands out, and for one that stays dark all over. Any other error is
// the context's.
func ExtractStrokes(ctx context.Context, file []byte) (*appearance.Strokes, error) {
	if len(file) > MaxBytes {
		return nil, contract.Refuse(contract.TooLarge, "specimen.too_large").With("limit", MaxBytes)
	}
	size, err := decodeSize(file)
	if err != nil {
		return nil, errNotPicture.WithCause(err)
	}
	if size.Width < 1 || size.Height < 1 || size.Width > maxSide || size.Height > maxSide || size.Width*size.Height > maxArea {
		return nil, errPixels
	}
	memory, err := appearance.PictureMemory(file)
	switch {
	case errors.Is(err, appearance.ErrPictureSize):
		return nil, errPixels.WithCause(err)
	case err != nil:
		return nil, errNotPicture.WithCause(err)
	}
	release, err := decodingBudget.acquireBytes(ctx, memory)
	if err != nil {
		return nil, err
	}
	defer release()
	s, err := appearance.ExtractStrokes(file)
	switch {
	case errors.Is(err, appearance.ErrNoStrokes):
		return nil, errNoStrokes.WithCause(err)
	case errors.Is(err, appearance.ErrTooDense):
		return nil, errTooDark.With("percent", int(100*appearance.MaxCoverage)).WithCause(err)
	case err != nil:
		return nil, errNotPicture.WithCause(err)
	}
	return s, nil
}

func decodeSize(file []byte) (image.Config, error) {
	switch MediaType(file) {
	case "image/png":
		return png.DecodeConfig(bytes.NewReader(file))
	case "image/jpeg":
		return jpeg.DecodeConfig(bytes.NewReader(file))
	}
	return image.Config{}, errors.New("neither PNG nor JPEG")
}

// MediaType tells the media type of a PNG or JPEG file by its first bytes; it is empty for anything else.
func MediaType(file []byte) string {
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	return ""
}
