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
	var known [16 * 16 * 16]int16 // by the levels of a colour: one more than its index; zero: not in the palette yet
	for i := range out.Pix {
		r, g, b := roundLevel(p.Pix[4*i]), roundLevel(p.Pix[4*i+1]), roundLevel(p.Pix[4*i+2])
		at := &known[r<<8|g<<4|b]
		if *at == 0 {
			if len(out.Palette) == maxColors {
				return nil, false
			}
			out.Palette = append(out.Palette, color.RGBA{byte(r * 17), byte(g * 17), byte(b * 17), 0xFF})
			*at = int16(len(out.Palette))
		}
		out.Pix[i] = byte(*at - 1)
	}
	return out, true
}

// roundLevel rounds to the nearest of 16 levels, from 0, the darkest, to 15. A channel has level times 17.
func roundLevel(v byte) int { return (int(v)*15 + 127) / 255 }
