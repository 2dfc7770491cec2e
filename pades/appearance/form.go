package appearance

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"segel/pdf"
)

// Frame is where a drawing goes: a /Rect of default user space, on a page that is turned, in a file that may be
// restricted.
type Frame struct {
	Width, Height float64       // of /Rect, in default user space
	Rotate        int           // of the page: 0, 90, 180 or 270
	Pool          *ResourcePool // what the file has already; may be nil

	// Opaque forbids transparency, as PDF/A-1 does: strokes become stencil masks, and what is faded gets paler colours.
	Opaque bool
	// Calibrated defines what red, green, blue and gray are, for an archive whose output intent does not.
	Calibrated bool
}

// displayedSize returns the size of the frame as a reader of the page sees it, still in user space units.
func (f Frame) displayedSize() (width, height float64) {
	if f.Rotate%180 != 0 {
		return f.Height, f.Width
	}
	return f.Width, f.Height
}

// formMatrix turns a box of that size so that it stands upright on the page (ISO 32000-2 §12.5.5: the box so turned is
// then fitted to /Rect).
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

// boundingBox is the /BBox: the drawing with as much room around it as keeps its shape in the frame.
func (f Frame) boundingBox(width, height float64) pdf.Rect {
	w, h := f.displayedSize()
	scale := min(w/width, h/height)
	x, y := (w/scale-width)/2, (h/scale-height)/2
	return pdf.Rect{LLX: 0 - x, LLY: 0 - y, URX: width + x, URY: height + y}
}

// Form adds the drawing to an update as a form XObject that fills the frame. A drawing of another shape keeps its
// proportions and is centred.
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

// canvas writes the content stream of a drawing and gathers the resources it needs.
type canvas struct {
	buf        contentBuffer
	opacities  []float64
	images     []*Strokes
	fonts      []*embedding
	opaque     bool    // no transparency
	lightening float64 // how much of the way to white colours go instead
}

// setColor sets the colour of what follows.
func (w *canvas) setColor(c Color, operator string) {
	w.buf.writeColor(Color{lightenChannel(c.R, w.lightening), lightenChannel(c.G, w.lightening), lightenChannel(c.B, w.lightening)}, operator)
}

func lightenChannel(v uint8, by float64) uint8 { return v + uint8(float64(255-v)*by) }

// addResources adds what the content refers to, and returns the dictionary that names it.
func (w *canvas) addResources(u *pdf.Update, s *ResourcePool) (pdf.Dict, error) {
	states, objects, fonts := pdf.Dict{}, pdf.Dict{}, pdf.Dict{}
	for i, a := range w.opacities {
		states[resourceName("G", i)] = pdf.Dict{"ca": pdf.Real(roundNumber(a)), "CA": pdf.Real(roundNumber(a))}
	}
	for i, m := range w.images {
		tree, err := m.imageObject(w.opaque)
		if err != nil {
			return nil, err
		}
		objects[resourceName("I", i)] = s.findOrAdd(u, m, imagesOf, tree)
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

// sortedKeys lists keys in an order that is always the same, so that the same drawing makes the same bytes.
func sortedKeys(d pdf.Dict) []pdf.Name { return slices.Sorted(maps.Keys(d)) }

func roundNumber(v float64) float64 { return math.Round(v*1e4)/1e4 + 0 }
