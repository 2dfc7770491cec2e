// Package specimen decides which pictures of signatures are accepted, and converts them to strokes of one dark colour
// on a transparent background.
package specimen

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/sync/semaphore"

	"segel/internal/contract"
	"segel/pades/appearance"
)

// Limits of a picture.
const (
	MaxBytes = 1 << 20
	maxSide  = 4000    // pixels
	maxArea  = 4 << 20 // pixels; decoded they take one to eight bytes each, and those of some JPEG files more
)

// decodingMemory bounds the memory of all pictures that are decoded at the same time, in bytes. One of the largest
// pictures uses all of it.
const decodingMemory = 192 << 20

// decodingBudget is shared by the whole process, like its memory. It serves callers in the order in which they came: small
// pictures cannot overtake a large one forever.
var decodingBudget = semaphore.NewWeighted(decodingMemory)

// Refusals of pictures that cannot become strokes.
var (
	errNotPicture = contract.Refuse(contract.Unsupported, "specimen.not_picture")
	errPixels     = contract.Refuse(contract.Invalid, "specimen.too_many_pixels").With("side", maxSide).With("pixels", maxArea)
	errNoStrokes  = contract.Refuse(contract.Invalid, "specimen.no_strokes")
	errTooDark    = contract.Refuse(contract.Invalid, "specimen.too_dark")
)

// ExtractStrokes converts the picture of a signature, PNG or JPEG by its content, to strokes. The size is read from
// the header before anything is decoded: a small file can claim to be a very large picture.
//
// However many callers there are, only as many pictures are decoded at a time as fit into decodingMemory. The others
// wait until their context ends.
//
// Errors are *contract.Error: TooLarge for the file, Unsupported for what is not an intact picture, and Invalid for
// too many pixels, for a picture without recognisable strokes, and for one that is dark all over. Any other error is
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
	memory = min(memory, decodingMemory)
	if err := decodingBudget.Acquire(ctx, memory); err != nil {
		return nil, err
	}
	defer decodingBudget.Release(memory)
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

// MediaType returns the media type of a PNG or JPEG file by its first bytes; empty for anything else.
func MediaType(file []byte) string {
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	return ""
}
