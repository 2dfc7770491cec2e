package appearance

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"

	"segel/pdf"
)

// masked is a picture without transparency: what is not quite opaque is laid over white, and what is not there at all
// is left out by a mask of single bits.
func (m *Image) masked() (*pdf.Stream, error) {
	components := 3
	if m.Gray {
		components = 1
	}
	pixels, err := inflate(m.Pixels, m.Width*m.Height*components)
	if err != nil {
		return nil, err
	}
	alpha, err := inflate(m.Alpha, m.Width*m.Height)
	if err != nil {
		return nil, err
	}
	row := (m.Width + 7) / 8
	mask := make([]byte, row*m.Height) // a set bit is not painted
	for i, a := range alpha {
		x, y := i%m.Width, i/m.Width
		if a == 0 {
			mask[y*row+x/8] |= 0x80 >> (x % 8)
		}
		for c := range components {
			p := &pixels[i*components+c]
			*p = uint8((int(*p)*int(a) + 255*(255-int(a))) / 255)
		}
	}
	flat := Image{Width: m.Width, Height: m.Height, Gray: m.Gray}
	if flat.Pixels, err = deflate(pixels); err != nil {
		return nil, err
	}
	bits, err := deflate(mask)
	if err != nil {
		return nil, err
	}
	tree, err := flat.tree(true)
	if err != nil {
		return nil, err
	}
	tree.Dict["Mask"] = &pdf.Stream{Data: bits, Dict: pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(m.Width), "Height": pdf.Integer(m.Height),
		"ImageMask": pdf.Boolean(true), "BitsPerComponent": pdf.Integer(1), "Filter": pdf.Name("FlateDecode"),
	}}
	return tree, nil
}

// inflate undoes deflate, whose result has that many bytes.
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

// calibrated defines the device colours as what sRGB is, but for its gamma, which is 2.2.
func calibrated() pdf.Dict {
	white := pdf.Array{pdf.Real(0.9505), pdf.Integer(1), pdf.Real(1.089)}
	return pdf.Dict{
		"DefaultRGB": pdf.Array{pdf.Name("CalRGB"), pdf.Dict{
			"WhitePoint": white, "Gamma": pdf.Array{pdf.Real(2.2), pdf.Real(2.2), pdf.Real(2.2)},
			"Matrix": pdf.Array{
				pdf.Real(0.4124), pdf.Real(0.2126), pdf.Real(0.0193), pdf.Real(0.3576), pdf.Real(0.7152), pdf.Real(0.1192),
				pdf.Real(0.1805), pdf.Real(0.0722), pdf.Real(0.9505),
			},
		}},
		"DefaultGray": pdf.Array{pdf.Name("CalGray"), pdf.Dict{"WhitePoint": white, "Gamma": pdf.Real(2.2)}},
	}
}
