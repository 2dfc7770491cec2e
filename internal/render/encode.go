package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// encodePicture encodes a page for the screen in the smaller of two ways: with few colours, which suits text, or as a photo. It
// returns the media type too.
func encodePicture(p *image.RGBA) ([]byte, string, error) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, p, &jpeg.Options{Quality: 70}); err != nil {
		return nil, "", fmt.Errorf("encode picture: %w", err)
	}
	if few, ok := reduceColors(p); ok {
		var drawing bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&drawing, few); err != nil {
			return nil, "", fmt.Errorf("encode picture: %w", err)
		}
		if drawing.Len() < photo.Len() {
			return drawing.Bytes(), "image/png", nil
		}
	}
	return photo.Bytes(), "image/jpeg", nil
}

// maxColors is the number of colours of a palette that a byte can name.
const maxColors = 256

// reduceColors rounds each channel to 16 levels, which smooth edges of letters do not show, and reports whether there are few enough
// colours for a palette.
func reduceColors(p *image.RGBA) (*image.Paletted, bool) {
	out := image.NewPaletted(p.Rect, nil)
	known := map[[3]byte]byte{}
	for i := range out.Pix {
		c := [3]byte{roundLevel(p.Pix[4*i]), roundLevel(p.Pix[4*i+1]), roundLevel(p.Pix[4*i+2])}
		index, ok := known[c]
		if !ok {
			if len(known) == maxColors {
				return nil, false
			}
			index = byte(len(known))
			known[c] = index
			out.Palette = append(out.Palette, color.RGBA{c[0], c[1], c[2], 0xFF})
		}
		out.Pix[i] = index
	}
	return out, true
}

// roundLevel rounds to the nearest of 16 levels, of which the darkest is 0 and the lightest 255.
func roundLevel(v byte) byte { return byte((int(v)*15 + 127) / 255 * 17) }
