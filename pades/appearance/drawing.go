package appearance

import (
	"fmt"
	"math"

	"segel/pdf"
)

// Color is red, green and blue of sRGB.
type Color struct{ R, G, B uint8 }

// Drawing is a picture of a fixed size. Lengths are points; the origin is the lower left corner of the picture as
// a reader of the page sees it, however the page is turned.
//
// A drawing can be put into any number of files. What was wrong in a call is reported by Form.
type Drawing struct {
	width, height float64
	ops           []func(*canvas) error
	err           error
}

// New begins an empty drawing of that size.
func New(width, height float64) *Drawing {
	d := &Drawing{width: width, height: height}
	if !(width > 0 && height > 0) || math.IsInf(width, 0) || math.IsInf(height, 0) {
		d.setError(fmt.Errorf("drawing of %g by %g points", width, height))
	}
	return d
}

// Bounds is the whole of the drawing.
func (d *Drawing) Bounds() pdf.Rect { return pdf.Rect{URX: d.width, URY: d.height} }

func (d *Drawing) setError(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *Drawing) addOperation(op func(*canvas) error) { d.ops = append(d.ops, op) }

// Fill paints the inside of a path.
func (d *Drawing) Fill(c Color, p Path) {
	d.addOperation(func(w *canvas) error {
		w.setColor(c, "rg")
		w.buf.writePath(p)
		w.buf.writeText("f\n")
		return nil
	})
}

// Stroke draws the line of a path, width points wide.
func (d *Drawing) Stroke(c Color, width float64, p Path) {
	d.addOperation(func(w *canvas) error {
		w.setColor(c, "RG")
		w.buf.writeOperator("w", width)
		w.buf.writePath(p)
		w.buf.writeText("S\n")
		return nil
	})
}

// Rotated draws what inside draws, turned by that many degrees counterclockwise about a point.
func (d *Drawing) Rotated(degrees, x, y float64, inside func(*Drawing)) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	d.addGroup(inside, func(w *canvas) {
		w.buf.writeOperator("cm", cos, sin, -sin, cos, x-x*cos+y*sin, y-x*sin-y*cos)
	})
}

// Faded draws what inside draws with that opacity, from 0 to 1.
func (d *Drawing) Faded(opacity float64, inside func(*Drawing)) {
	d.addGroup(inside, func(w *canvas) {
		if w.opaque {
			w.lightening = 1 - (1-w.lightening)*min(max(opacity, 0), 1)
			return
		}
		w.opacities = append(w.opacities, min(max(opacity, 0), 1))
		w.buf.writeText("/" + string(resourceName("G", len(w.opacities)-1)) + " gs\n")
	})
}

// Clipped draws what inside draws as far as it lies within the path.
func (d *Drawing) Clipped(p Path, inside func(*Drawing)) {
	d.addGroup(inside, func(w *canvas) {
		w.buf.writePath(p)
		w.buf.writeText("W n\n")
	})
}

func (d *Drawing) addGroup(inside func(*Drawing), setting func(*canvas)) {
	part := New(d.width, d.height)
	inside(part)
	if part.err != nil {
		d.setError(part.err)
	}
	d.addOperation(func(w *canvas) error {
		w.buf.writeText("q\n")
		pale := w.lightening
		setting(w)
		for _, op := range part.ops {
			if err := op(w); err != nil {
				return err
			}
		}
		w.buf.writeText("Q\n")
		w.lightening = pale
		return nil
	})
}
