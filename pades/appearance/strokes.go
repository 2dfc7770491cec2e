package appearance

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"

	"segel/pdf"
)

// Limits of the pictures that strokes are extracted from.
const (
	maxPictureBytes  = 16 << 20
	maxPicturePixels = 16 << 20  // as taken by a phone; 64 MiB decoded
	maxPictureMemory = 288 << 20 // bytes, see PictureMemory; enough for 16 million pixels of four bytes
	maxScans         = 64        // of a progressive JPEG; each costs as much as decoding the picture once
	maxStrokesSide   = 1000      // pixels; 3 inches at 333 dots per inch
)

// MaxCoverage is the largest share of its box that strokes cover. What is below remains readable between them.
const MaxCoverage = 0.4

// Errors of ExtractStrokes.
var (
	// ErrImage is a file that is not a supported picture.
	ErrImage = errors.New("picture cannot be used")
	// ErrPictureSize is an ErrImage: too many bytes, pixels, or bytes per pixel.
	ErrPictureSize = fmt.Errorf("%w: it is too large", ErrImage)
	// ErrNoStrokes is a picture in which nothing has enough contrast with the background.
	ErrNoStrokes = errors.New("picture shows no strokes")
	// ErrTooDense is a picture of which more than MaxCoverage stays dark at any threshold.
	ErrTooDense = errors.New("picture is not strokes on a background")
)

// Strokes is a picture of a signature reduced to strokes of one dark colour on a transparent background, which can be
// added to any number of files. Its fields are complete, so it can be stored: extracting takes tens of milliseconds and
// always gives the same result.
type Strokes struct {
	Width, Height int     // pixels
	Alpha         []byte  // zlib of 8-bit opacities, row by row
	Coverage      float64 // share of the pixels that are not fully transparent, from 0 to MaxCoverage
}

// ExtractStrokes converts a PNG or JPEG file of up to 16 MiB and 16 million pixels to strokes. From an opaque picture,
// such as a photo or a scan, it takes what has contrast with its surroundings: dark on light, or light on dark. From a
// picture with a transparent background it takes everything. The colour does not matter. A photo is rotated as the
// camera was held, and empty margins are removed as far as MaxCoverage allows.
//
// The memory that it needs is computed from the header, and refused if it is too much, before anything is decoded.
//
// Errors: ErrImage, ErrPictureSize, ErrNoStrokes, ErrTooDense.
func ExtractStrokes(file []byte) (*Strokes, error) {
	m, err := decodePicture(file)
	if err != nil {
		return nil, err
	}
	mask, err := extractMask(m)
	if err != nil {
		return nil, err
	}
	mask = mask.trim()
	alpha, err := deflate(mask.pix)
	if err != nil {
		return nil, err
	}
	return &Strokes{Width: mask.w, Height: mask.h, Alpha: alpha, Coverage: mask.coverage()}, nil
}

// decodePicture decodes a file to pixels, upright and no larger than a box needs.
func decodePicture(file []byte) (*image.NRGBA, error) {
	if _, err := PictureMemory(file); err != nil {
		return nil, err
	}
	decode, isJPEG := png.Decode, isJPEG(file)
	if isJPEG {
		decode = jpeg.Decode
	}
	decoded, err := decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	m := scalePicture(decoded, withMargin(visibleBounds(decoded), decoded.Bounds()))
	if isJPEG {
		m = applyOrientation(m, readOrientation(file))
	}
	return m, nil
}

// visibleBounds returns the bounds of what is not transparent, or the whole picture if everything is.
func visibleBounds(m image.Image) image.Rectangle {
	b := m.Bounds()
	if o, ok := m.(interface{ Opaque() bool }); ok && o.Opaque() {
		return b
	}
	var seen image.Rectangle
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := m.At(x, y).RGBA(); a > 0 {
				seen = seen.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if seen.Empty() {
		return b
	}
	return seen
}

// withMargin extends the bounds of strokes by a quarter of their longer side, within the picture.
func withMargin(b, all image.Rectangle) image.Rectangle {
	return b.Inset(-max(b.Dx(), b.Dy()) / 4).Intersect(all)
}

// scalePicture draws a part of a picture with its longer side no longer than maxStrokesSide.
func scalePicture(m image.Image, part image.Rectangle) *image.NRGBA {
	w, h := part.Dx(), part.Dy()
	if longest := max(w, h); longest > maxStrokesSide {
		w, h = max(1, w*maxStrokesSide/longest), max(1, h*maxStrokesSide/longest)
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if w == part.Dx() && h == part.Dy() {
		draw.Draw(out, out.Bounds(), m, part.Min, draw.Src)
		return out
	}
	draw.BiLinear.Scale(out, out.Bounds(), m, part, draw.Src, nil)
	return out
}

// PNG draws the strokes as a picture with a transparent background, in the colour that they have on a page.
func (s *Strokes) PNG() ([]byte, error) {
	alpha, err := inflate(s.Alpha, s.Width*s.Height)
	if err != nil {
		return nil, err
	}
	m := image.NewNRGBA(image.Rect(0, 0, s.Width, s.Height))
	for i, a := range alpha {
		if a > 0 {
			m.SetNRGBA(i%s.Width, i/s.Width, color.NRGBA{strokeColor.R, strokeColor.G, strokeColor.B, a})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Strokes draws strokes in their proportions, as large as fits into r and centred.
func (d *Drawing) Strokes(r pdf.Rect, s *Strokes) {
	if s == nil || s.Width <= 0 || s.Height <= 0 || r.Empty() {
		d.setError(fmt.Errorf("%w: no pixels, or no space", ErrImage))
		return
	}
	scale := min(r.Width()/float64(s.Width), r.Height()/float64(s.Height))
	w, h := float64(s.Width)*scale, float64(s.Height)*scale
	x, y := r.LLX+(r.Width()-w)/2, r.LLY+(r.Height()-h)/2
	d.addOperation(func(c *canvas) error {
		c.buf.writeText("q\n")
		if c.opaque {
			c.setColor(strokeColor, "rg") // a stencil is painted in the current colour
		}
		c.buf.writeOperator("cm", w, 0, 0, h, x, y)
		c.buf.writeText("/" + string(c.addObject(s)) + " Do\nQ\n")
		return nil
	})
}

// object returns the strokes as an image XObject: one colour with a soft mask, or a stencil mask where
// transparency is not allowed (ISO 32000-2 §8.9.6.2, §11.6.5.2).
func (s *Strokes) object(opaque bool) (*pdf.Stream, error) {
	if opaque {
		return s.stencilMask()
	}
	row := bytes.Repeat([]byte{strokeColor.R, strokeColor.G, strokeColor.B}, s.Width)
	colors, err := deflate(bytes.Repeat(row, s.Height))
	if err != nil {
		return nil, err
	}
	dict := s.imageDict(8)
	dict["ColorSpace"] = pdf.Name("DeviceRGB")
	mask := s.imageDict(8)
	mask["ColorSpace"] = pdf.Name("DeviceGray")
	dict["SMask"] = &pdf.Stream{Dict: mask, Data: s.Alpha}
	return &pdf.Stream{Dict: dict, Data: colors}, nil
}

// stencilMask returns the strokes as a mask of single bits: what is at least half opaque is painted.
func (s *Strokes) stencilMask() (*pdf.Stream, error) {
	alpha, err := inflate(s.Alpha, s.Width*s.Height)
	if err != nil {
		return nil, err
	}
	row := (s.Width + 7) / 8
	bits := make([]byte, row*s.Height) // a set bit is not painted
	for i, a := range alpha {
		if a < 128 {
			x, y := i%s.Width, i/s.Width
			bits[y*row+x/8] |= 0x80 >> (x % 8)
		}
	}
	data, err := deflate(bits)
	if err != nil {
		return nil, err
	}
	dict := s.imageDict(1)
	dict["ImageMask"] = pdf.Boolean(true)
	return &pdf.Stream{Dict: dict, Data: data}, nil
}

func (s *Strokes) imageDict(bits int) pdf.Dict {
	return pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(s.Width), "Height": pdf.Integer(s.Height),
		"BitsPerComponent": pdf.Integer(bits), "Filter": pdf.Name("FlateDecode"),
	}
}

func deflate(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, zlib.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(b); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// inflate decompresses data of that many bytes.
func inflate(b []byte, n int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	out := make([]byte, n)
	if _, err := io.ReadFull(z, out); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	return out, nil
}
