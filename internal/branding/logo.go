// Package branding decides which pictures are accepted as the logo of an organisation, and makes of them what guests see and what
// signatures show.
package branding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/sync/semaphore"

	"segel/internal/contract"
	"segel/pades/appearance"
)

// Limits of a logo.
const (
	MaxBytes = 512 << 10
	maxSide  = 2000 // pixels

	// What is stored: twice the pixels of the largest place where the web app shows it, and few bytes, since guests on slow
	// lines load it.
	storedWidth, storedHeight = 480, 160
	storedBytes               = 32 << 10

	// What a signature shows: 300 pixels per inch at the largest size.
	cardSide  = 240
	cardBytes = 12 << 10
)

// decodings is shared by the whole process, like its memory: a picture of the largest size takes up to 32 MiB decoded.
var decodings = semaphore.NewWeighted(2)

// Refusals of pictures.
var (
	errTooLarge   = contract.Refuse(contract.TooLarge, "logo.too_large").With("limit", MaxBytes)
	errNotPicture = contract.Refuse(contract.Unsupported, "logo.not_picture")
	errSVG        = contract.Refuse(contract.Unsupported, "logo.svg")
	errPixels     = contract.Refuse(contract.Invalid, "logo.too_many_pixels").With("side", maxSide)
)

// Logo is a picture as the service encoded it.
type Logo struct {
	Address string // SHA-256 of Image in hexadecimal
	Image   []byte
}

// Type is the media type of the picture.
func (l Logo) Type() string { return MediaType(l.Image) }

// MediaType returns the media type of a stored picture.
func MediaType(stored []byte) string {
	if isJPEG(stored) {
		return "image/jpeg"
	}
	return "image/png"
}

// ReadLogo decodes a PNG or JPEG file and encodes its pixels again, smaller if necessary: nothing else of the file is kept. The
// size is read from the header before anything is decoded. Few files are decoded at a time; others wait until their context ends.
//
// Errors are *contract.Error: TooLarge for the file, Unsupported for what is not an intact picture or a vector graphic, and
// Invalid for too many pixels. Any other error is the context's.
func ReadLogo(ctx context.Context, file []byte) (Logo, error) {
	if len(file) > MaxBytes {
		return Logo{}, errTooLarge
	}
	size, err := decodeSize(file)
	switch {
	case err != nil && isSVG(file):
		return Logo{}, errSVG
	case err != nil:
		return Logo{}, errNotPicture.WithCause(err)
	case size.Width < 1 || size.Height < 1 || size.Width > maxSide || size.Height > maxSide:
		return Logo{}, errPixels
	}
	if _, err := appearance.PictureMemory(file); err != nil { // also refuses JPEG files with many scans
		return Logo{}, errNotPicture.WithCause(err)
	}
	if err := decodings.Acquire(ctx, 1); err != nil {
		return Logo{}, err
	}
	defer decodings.Release(1)
	m, err := decodePicture(file)
	if err != nil {
		return Logo{}, errNotPicture.WithCause(err)
	}
	stored, err := encodeLogo(m)
	if err != nil {
		return Logo{}, err
	}
	sum := sha256.Sum256(stored)
	return Logo{Address: hex.EncodeToString(sum[:]), Image: stored}, nil
}

// CardPicture returns a stored logo as signatures show it.
func CardPicture(stored []byte) (*appearance.Picture, error) {
	m, err := decodePicture(stored)
	if err != nil {
		return nil, err
	}
	return appearance.NewPicture(m, cardSide, cardBytes)
}

// encodeLogo scales a picture down to what is stored: PNG, or JPEG if that is smaller and the picture is opaque.
func encodeLogo(m image.Image) ([]byte, error) {
	size := m.Bounds().Size()
	scale := min(1, storedWidth/float64(size.X), storedHeight/float64(size.Y))
	for {
		scaled := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale+0.5)), max(1, int(float64(size.Y)*scale+0.5))))
		draw.CatmullRom.Scale(scaled, scaled.Bounds(), m, m.Bounds(), draw.Src, nil)
		var best bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&best, scaled); err != nil {
			return nil, err
		}
		if scaled.Opaque() && best.Len() > storedBytes/2 {
			var lossy bytes.Buffer
			if err := jpeg.Encode(&lossy, scaled, &jpeg.Options{Quality: 88}); err != nil {
				return nil, err
			}
			if lossy.Len() < best.Len() {
				best = lossy
			}
		}
		if best.Len() <= storedBytes || scaled.Bounds().Dx() <= 16 {
			return best.Bytes(), nil
		}
		scale *= 0.8
	}
}

func decodeSize(file []byte) (image.Config, error) {
	switch {
	case isPNG(file):
		return png.DecodeConfig(bytes.NewReader(file))
	case isJPEG(file):
		return jpeg.DecodeConfig(bytes.NewReader(file))
	}
	return image.Config{}, errors.New("neither PNG nor JPEG")
}

func decodePicture(file []byte) (image.Image, error) {
	if isJPEG(file) {
		return jpeg.Decode(bytes.NewReader(file))
	}
	return png.Decode(bytes.NewReader(file))
}

func isPNG(file []byte) bool { return bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")) }

func isJPEG(file []byte) bool { return bytes.HasPrefix(file, []byte("\xff\xd8\xff")) }

// isSVG reports whether a file that could not be decoded looks like SVG, which is refused with its own message.
func isSVG(file []byte) bool {
	return bytes.Contains(bytes.ToLower(file[:min(len(file), 4096)]), []byte("<svg"))
}
