// Package appearance draws what a signature shows on its page: text in any script, pictures, codes and shapes.
//
// A Drawing is independent of the file it is added to. Signature and Initials lay out the usual ones for boxes of any
// shape. Text is set in embedded fonts with only the glyphs it needs, so that it looks the same everywhere and can be
// searched and copied.
//
// Lengths are points, angles degrees counterclockwise, colours sRGB; the origin is the lower left corner of the drawing
// as displayed. Form rotates and scales it into the /Rect of a widget, preserves its proportions, and leaves out what
// the file must not have (Frame). Fonts and pictures that the file already has are found by their bytes and reused
// (ResourcePool), so the fiftieth signature adds little more than its text.
//
// A picture of a signature becomes strokes of one dark colour on a transparent background (ExtractStrokes), so that
// nothing opaque covers a page.
//
// Drawing calls do not return errors; Form reports the first one.
package appearance

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"segel/pdf"
)

// Color is red, green and blue of sRGB.
type Color struct{ R, G, B uint8 }

// Drawing is a picture of a fixed size. Lengths are points; the origin is the lower left corner of the picture as
// displayed, however the page is rotated.
//
// A drawing can be added to any number of files. Form reports errors of earlier calls.
type Drawing struct {
	width, height float64
	ops           []func(*canvas) error
	err           error
}

// New returns an empty drawing of that size.
func New(width, height float64) *Drawing {
	d := &Drawing{width: width, height: height}
	if !(width > 0 && height > 0) || math.IsInf(width, 0) || math.IsInf(height, 0) {
		d.setError(fmt.Errorf("drawing of %g by %g points", width, height))
	}
	return d
}

// Bounds is the rectangle of the drawing.
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

// Rotated draws what inside draws, rotated by degrees counterclockwise about a point.
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

// Clipped draws what inside draws, clipped to the path.
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
		before := w.lightening
		setting(w)
		for _, op := range part.ops {
			if err := op(w); err != nil {
				return err
			}
		}
		w.buf.writeText("Q\n")
		w.lightening = before
		return nil
	})
}

// contentBuffer is a content stream being written.
type contentBuffer struct{ bytes.Buffer }

func (c *contentBuffer) writeText(s string) { c.WriteString(s) }

// writeOperator writes operands and the operator.
func (c *contentBuffer) writeOperator(operator string, operands ...float64) {
	for _, v := range operands {
		c.Write(strconv.AppendFloat(c.AvailableBuffer(), roundNumber(v), 'f', -1, 64))
		c.WriteByte(' ')
	}
	c.writeText(operator + "\n")
}

func (c *contentBuffer) writePath(p Path) {
	for _, s := range p {
		c.writeOperator(s.operator, s.operands...)
	}
}

// Path is a shape of lines and curves.
type Path []pathStep

type pathStep struct {
	operator string
	operands []float64
}

// Rectangle is the border of r.
func Rectangle(r pdf.Rect) Path {
	return Path{{"re", []float64{r.LLX, r.LLY, r.Width(), r.Height()}}}
}

// circleHandle is the distance of the control points of a cubic curve from its ends for a quarter of a circle of radius
// 1.
const circleHandle = 0.5523

// Rounded is a rectangle with rounded corners.
func Rounded(r pdf.Rect, radius float64) Path {
	radius = min(radius, r.Width()/2, r.Height()/2)
	in := radius * (1 - circleHandle)
	return Path{
		{"m", []float64{r.LLX + radius, r.LLY}},
		{"l", []float64{r.URX - radius, r.LLY}},
		{"c", []float64{r.URX - in, r.LLY, r.URX, r.LLY + in, r.URX, r.LLY + radius}},
		{"l", []float64{r.URX, r.URY - radius}},
		{"c", []float64{r.URX, r.URY - in, r.URX - in, r.URY, r.URX - radius, r.URY}},
		{"l", []float64{r.LLX + radius, r.URY}},
		{"c", []float64{r.LLX + in, r.URY, r.LLX, r.URY - in, r.LLX, r.URY - radius}},
		{"l", []float64{r.LLX, r.LLY + radius}},
		{"c", []float64{r.LLX, r.LLY + in, r.LLX + in, r.LLY, r.LLX + radius, r.LLY}},
		{"h", nil},
	}
}

// Inset is r made smaller by d on all sides.
func Inset(r pdf.Rect, d float64) pdf.Rect {
	return pdf.Rect{LLX: r.LLX + d, LLY: r.LLY + d, URX: r.URX - d, URY: r.URY - d}
}

// Frame is the place of a drawing: a /Rect of default user space, on a page that may be rotated, in a file that may be
// restricted.
type Frame struct {
	Width, Height float64       // of /Rect, in default user space
	Rotate        int           // of the page: 0, 90, 180 or 270
	Pool          *ResourcePool // of the file; may be nil

	// Opaque forbids transparency, as PDF/A-1 does: strokes become stencil masks, and faded content gets lighter
	// colours.
	Opaque bool
	// Calibrated defines the device colours, for a PDF/A file whose output intent does not.
	Calibrated bool
}

// formMatrix rotates a box of that size so that it is upright on the page (ISO 32000-2 §12.5.5: the rotated box is then
// fitted to /Rect).
func (f Frame) formMatrix(width, height float64) pdf.Array {
	var m [6]float64
	switch f.Rotate {
	case 90:
		m = [6]float64{0, 1, -1, 0, height, 0}
	case 180:
		m = [6]float64{-1, 0, 0, -1, width, height}
	case 270:
		m = [6]float64{0, -1, 1, 0, 0, width}
	default:
		return nil
	}
	a := make(pdf.Array, len(m))
	for i, v := range m {
		a[i] = pdf.Real(roundNumber(v))
	}
	return a
}

// boundingBox is the /BBox: the drawing with the margin that preserves its proportions in the frame.
func (f Frame) boundingBox(width, height float64) pdf.Rect {
	w, h := f.Width, f.Height
	if f.Rotate%180 != 0 {
		w, h = h, w
	}
	scale := min(w/width, h/height)
	x, y := (w/scale-width)/2, (h/scale-height)/2
	return pdf.Rect{LLX: 0 - x, LLY: 0 - y, URX: width + x, URY: height + y}
}

// Form adds the drawing to an update as a form XObject that fills the frame. The drawing keeps its proportions and is
// centred.
func (d *Drawing) Form(u *pdf.Update, f Frame) (pdf.Ref, error) {
	if d.err != nil {
		return pdf.Ref{}, d.err
	}
	if !(f.Width > 0 && f.Height > 0) {
		return pdf.Ref{}, fmt.Errorf("frame of %g by %g", f.Width, f.Height)
	}
	w := &canvas{opaque: f.Opaque}
	for _, op := range d.ops {
		if err := op(w); err != nil {
			return pdf.Ref{}, err
		}
	}
	resources, err := w.addResources(u, f.Pool)
	if err != nil {
		return pdf.Ref{}, err
	}
	if f.Calibrated {
		resources["ColorSpace"] = calibratedSpaces()
	}
	dict := pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "Resources": resources,
		"BBox": f.boundingBox(d.width, d.height).Array(),
	}
	if m := f.formMatrix(d.width, d.height); m != nil {
		dict["Matrix"] = m
	}
	return u.Add(&pdf.Stream{Dict: dict, Data: w.buf.Bytes()}), nil
}

// canvas writes the content stream of a drawing and collects the resources it needs.
type canvas struct {
	buf        contentBuffer
	opacities  []float64
	objects    []paintedObject
	fonts      []*embedding
	opaque     bool    // no transparency
	lightening float64 // the share by which colours become lighter instead
}

// paintedObject is a picture or code that a file has once, however often it is drawn. Equal ones are the same object.
type paintedObject interface {
	// object returns it as an XObject; opaque: without transparency.
	object(opaque bool) (*pdf.Stream, error)
}

// addObject returns the resource name of an object.
func (w *canvas) addObject(o paintedObject) pdf.Name {
	i := slices.Index(w.objects, o)
	if i < 0 {
		i = len(w.objects)
		w.objects = append(w.objects, o)
	}
	return resourceName("I", i)
}

// setColor sets the colour of subsequent operators.
func (w *canvas) setColor(c Color, operator string) {
	lighten := func(v uint8) float64 { return float64(v+uint8(float64(255-v)*w.lightening)) / 255 }
	w.buf.writeOperator(operator, lighten(c.R), lighten(c.G), lighten(c.B))
}

// addResources adds what the content refers to, and returns the resource dictionary.
func (w *canvas) addResources(u *pdf.Update, s *ResourcePool) (pdf.Dict, error) {
	states, objects, fonts := pdf.Dict{}, pdf.Dict{}, pdf.Dict{}
	for i, a := range w.opacities {
		states[resourceName("G", i)] = pdf.Dict{"ca": pdf.Real(roundNumber(a)), "CA": pdf.Real(roundNumber(a))}
	}
	for i, m := range w.objects {
		tree, err := m.object(w.opaque)
		if err != nil {
			return nil, err
		}
		objects[resourceName("I", i)] = s.findOrAdd(u, m, objectsOf, tree)
	}
	for i, e := range w.fonts {
		tree, err := e.fontDict()
		if err != nil {
			return nil, err
		}
		fonts[resourceName("F", i)] = s.findOrAdd(u, e.fingerprint(), fontsOf, tree)
	}
	all := pdf.Dict{}
	for key, d := range map[pdf.Name]pdf.Dict{"ExtGState": states, "XObject": objects, "Font": fonts} {
		if len(d) > 0 {
			all[key] = d
		}
	}
	return all, nil
}

func resourceName(prefix string, i int) pdf.Name { return pdf.Name(prefix + strconv.Itoa(i)) }

// sortedKeys lists keys in order, so that the same drawing always gives the same bytes.
func sortedKeys(d pdf.Dict) []pdf.Name { return slices.Sorted(maps.Keys(d)) }

func roundNumber(v float64) float64 { return math.Round(v*1e4)/1e4 + 0 }
