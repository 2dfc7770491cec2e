package appearance

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png" // pictures come as PNG or JPEG

	"golang.org/x/image/draw"

	"segel/pdf"
)

// Limits of pictures.
const (
	maxImageBytes  = 16 << 20
	maxImagePixels = 16 << 20 // what a phone takes; decoded, these are 64 MiB
	maxImageSide   = 1000     // pixels; 3 inches at 333 dots per inch
)

// ErrImage is a picture that cannot be used.
var ErrImage = errors.New("picture cannot be used")

// Image is a picture ready to be put into any number of files. Its members are all there is to it, so it can be
// kept: encoding takes some milliseconds and always gives the same.
type Image struct {
	Width, Height int  // pixels
	Gray          bool // one component, else three of sRGB
	JPEG          bool // Pixels is a JPEG file, else zlib of 8-bit samples
	Pixels        []byte
	Alpha         []byte // zlib of 8-bit opacities; nil if all of it is opaque
}

// Encode decodes a PNG or JPEG file once and for all: up to 16 MiB with up to 16 million pixels, else it is ErrImage. It
// is decoded to pixels and so loses whatever else was in the file, but is turned as the camera was held. Transparent
// margins are cut off; what is larger than any box needs is made smaller.
func Encode(file []byte) (*Image, error) {
	if len(file) > maxImageBytes {
		return nil, fmt.Errorf("%w: %d bytes", ErrImage, len(file))
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	if config.Width <= 0 || config.Height <= 0 || config.Width > maxImagePixels/config.Height {
		return nil, fmt.Errorf("%w: %d by %d pixels", ErrImage, config.Width, config.Height)
	}
	decoded, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	pixels := scaled(decoded, trimmed(decoded))
	if format == "jpeg" {
		return encodeJPEG(upright(pixels, orientation(file)))
	}
	return encodePNG(pixels)
}

// trimmed returns the bounds of what is not transparent, or all of it if there is nothing.
func trimmed(m image.Image) image.Rectangle {
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

// scaled draws a part of a picture at a size that is of use.
func scaled(m image.Image, part image.Rectangle) *image.NRGBA {
	w, h := part.Dx(), part.Dy()
	if longest := max(w, h); longest > maxImageSide {
		w, h = max(1, w*maxImageSide/longest), max(1, h*maxImageSide/longest)
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if w == part.Dx() && h == part.Dy() {
		draw.Draw(out, out.Bounds(), m, part.Min, draw.Src)
		return out
	}
	draw.CatmullRom.Scale(out, out.Bounds(), m, part, draw.Src, nil)
	return out
}

func encodeJPEG(m *image.NRGBA) (*Image, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 88}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrImage, err)
	}
	return &Image{Width: m.Rect.Dx(), Height: m.Rect.Dy(), JPEG: true, Pixels: b.Bytes()}, nil
}

// encodePNG separates colour and opacity. Ink is usually black or gray, which takes one component.
func encodePNG(m *image.NRGBA) (*Image, error) {
	out := &Image{Width: m.Rect.Dx(), Height: m.Rect.Dy(), Gray: true}
	opaque := true
	for i := 0; i < len(m.Pix); i += 4 {
		p := m.Pix[i : i+4]
		if p[3] == 0 {
			clear(p) // the colour of nothing would only cost room
		}
		out.Gray = out.Gray && p[0] == p[1] && p[1] == p[2]
		opaque = opaque && p[3] == 255
	}
	var colors, alpha []byte
	for i := 0; i < len(m.Pix); i += 4 {
		p := color.NRGBA{m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3]}
		colors = append(colors, p.R)
		if !out.Gray {
			colors = append(colors, p.G, p.B)
		}
		alpha = append(alpha, p.A)
	}
	var err error
	if out.Pixels, err = deflate(colors); err != nil || opaque {
		return out, err
	}
	out.Alpha, err = deflate(alpha)
	return out, err
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

// tree is the picture as an object, with its opacity in it, or a mask in place of that.
func (m *Image) tree(opaque bool) (*pdf.Stream, error) {
	if opaque && m.Alpha != nil {
		return m.masked()
	}
	dict := m.dict("DeviceRGB", "FlateDecode")
	if m.Gray {
		dict["ColorSpace"] = pdf.Name("DeviceGray")
	}
	if m.JPEG {
		dict["Filter"] = pdf.Name("DCTDecode")
	}
	if m.Alpha != nil {
		dict["SMask"] = &pdf.Stream{Dict: m.dict("DeviceGray", "FlateDecode"), Data: m.Alpha}
	}
	return &pdf.Stream{Dict: dict, Data: m.Pixels}, nil
}

func (m *Image) dict(space, filter pdf.Name) pdf.Dict {
	return pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(m.Width), "Height": pdf.Integer(m.Height),
		"ColorSpace": space, "BitsPerComponent": pdf.Integer(8), "Filter": filter,
	}
}

// Image draws a picture in its proportions, as large as fits into r and in its middle.
func (d *Drawing) Image(r pdf.Rect, m *Image) {
	if m == nil || m.Width <= 0 || m.Height <= 0 || r.Empty() {
		d.fail(fmt.Errorf("%w: no pixels, or no room", ErrImage))
		return
	}
	scale := min(r.Width()/float64(m.Width), r.Height()/float64(m.Height))
	w, h := float64(m.Width)*scale, float64(m.Height)*scale
	x, y := r.LLX+(r.Width()-w)/2, r.LLY+(r.Height()-h)/2
	d.add(func(c *canvas) error {
		c.buf.text("q\n")
		c.buf.operate("cm", w, 0, 0, h, x, y)
		c.buf.text("/" + string(c.image(m)) + " Do\nQ\n")
		return nil
	})
}

// image returns the name of a picture, which is put into the file once however often it is drawn.
func (w *canvas) image(m *Image) pdf.Name {
	for i, known := range w.images {
		if known == m {
			return name("I", i)
		}
	}
	w.images = append(w.images, m)
	return name("I", len(w.images)-1)
}
