package appearance

import (
	"fmt"
	"image"
	"math"

	"golang.org/x/image/draw"

	"segel/pdf"
)

// Picture is a picture in colour, such as a logo, which can be added to any number of files.
type Picture struct {
	Width, Height int    // pixels
	rgb           []byte // zlib of 8-bit red, green and blue, on white, row by row
	alpha         []byte // zlib of 8-bit opacities, row by row; nil: opaque
}

// NewPicture prepares a picture. It becomes smaller until its longer side has at most maxSide pixels and its compressed data
// at most maxBytes.
func NewPicture(m image.Image, maxSide, maxBytes int) (*Picture, error) {
	size := m.Bounds().Size()
	if size.X <= 0 || size.Y <= 0 || maxSide <= 0 {
		return nil, fmt.Errorf("%w: no pixels", ErrImage)
	}
	scale := min(1, float64(maxSide)/float64(max(size.X, size.Y)))
	for {
		p, err := newPicture(m, scaleSide(size.X, scale), scaleSide(size.Y, scale))
		if err != nil || p.Size() <= maxBytes || max(p.Width, p.Height) <= 16 {
			return p, err
		}
		scale *= 0.8
	}
}

// Size returns the bytes of its compressed data.
func (p *Picture) Size() int { return len(p.rgb) + len(p.alpha) }

func scaleSide(pixels int, scale float64) int { return max(1, int(math.Round(float64(pixels)*scale))) }

// newPicture scales a picture to that size.
func newPicture(m image.Image, width, height int) (*Picture, error) {
	scaled := image.NewNRGBA(image.Rect(0, 0, width, height))
	if m.Bounds().Size() == scaled.Bounds().Size() {
		draw.Draw(scaled, scaled.Bounds(), m, m.Bounds().Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(scaled, scaled.Bounds(), m, m.Bounds(), draw.Src, nil)
	}
	rgb, alpha := make([]byte, 0, 3*width*height), make([]byte, 0, width*height)
	for i := 0; i < len(scaled.Pix); i += 4 {
		a := int(scaled.Pix[i+3])
		for _, v := range scaled.Pix[i : i+3] {
			rgb = append(rgb, byte((int(v)*a+255*(255-a)+127)/255))
		}
		alpha = append(alpha, byte(a))
	}
	p := &Picture{Width: width, Height: height}
	var err error
	if p.rgb, err = deflate(rgb); err != nil || scaled.Opaque() {
		return p, err
	}
	p.alpha, err = deflate(alpha)
	return p, err
}

// Picture draws a picture in its proportions, as large as fits into r and centred.
func (d *Drawing) Picture(r pdf.Rect, p *Picture) {
	if p == nil || p.Width <= 0 || p.Height <= 0 || r.Empty() {
		d.setError(fmt.Errorf("%w: no pixels, or no space", ErrImage))
		return
	}
	scale := min(r.Width()/float64(p.Width), r.Height()/float64(p.Height))
	w, h := float64(p.Width)*scale, float64(p.Height)*scale
	x, y := r.LLX+(r.Width()-w)/2, r.LLY+(r.Height()-h)/2
	d.addOperation(func(c *canvas) error {
		c.buf.writeText("q\n")
		c.buf.writeOperator("cm", w, 0, 0, h, x, y)
		c.buf.writeText("/" + string(c.addObject(p)) + " Do\nQ\n")
		return nil
	})
}

// object returns the picture as an image XObject. Where transparency is not allowed, its ground is white.
func (p *Picture) object(opaque bool) (*pdf.Stream, error) {
	dict := p.imageDict("DeviceRGB")
	if p.alpha != nil && !opaque {
		dict["SMask"] = &pdf.Stream{Dict: p.imageDict("DeviceGray"), Data: p.alpha}
	}
	return &pdf.Stream{Dict: dict, Data: p.rgb}, nil
}

func (p *Picture) imageDict(space pdf.Name) pdf.Dict {
	return pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(p.Width), "Height": pdf.Integer(p.Height),
		"ColorSpace": space, "BitsPerComponent": pdf.Integer(8), "Filter": pdf.Name("FlateDecode"),
	}
}
