package content

import (
	"math"

	"segel/pdf"
)

// Kind is what a mark is.
type Kind uint8

// The kinds.
const (
	Text       Kind = iota + 1 // a word, or a part of one
	Image                      // an image, inline or not
	Drawing                    // a path that is filled or stroked, or a shading
	Widget                     // the rectangle of a form field, filled in or not
	Annotation                 // any other annotation
)

func (k Kind) String() string {
	names := [...]string{Text: "text", Image: "image", Drawing: "drawing", Widget: "widget", Annotation: "annotation"}
	if k == 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Hidden is why a mark is not visible; empty if it is, as far as its attributes say. Whether something is painted over
// it follows from the order of the marks.
type Hidden string

// The reasons.
const (
	ByMode    Hidden = "mode"    // text that is neither filled nor stroked, such as that of a scan
	ByLayer   Hidden = "layer"   // optional content that is off
	ByClip    Hidden = "clip"    // outside the clip, or outside the page
	ByFlag    Hidden = "flag"    // an annotation that is hidden or not for viewing
	ByOpacity Hidden = "opacity" // painted with opacity 0
	BySize    Hidden = "size"    // text too small to be visible
)

// Mark is one thing that is painted.
type Mark struct {
	Kind   Kind
	Box    pdf.Rect // points of the page as displayed, origin at the lower left; clipped unless Hidden
	Hidden Hidden
	Views  Views // in which it is shown; none if it is invisible regardless of layers and flags

	// White is set if it is painted in white, as far as its colour space states; never for images.
	White       bool
	FillsBox    bool // an image, a shading or a filled rectangle, which fills Box
	Translucent bool // what is below is visible, by opacity, blending or a mask
	StrokeOnly  bool // of Drawing: the lines of a path, without the area they enclose

	Text          string // of Text, as far as the font states; without spaces
	JoinsPrevious bool   // Text continues the previous mark without a space
	BoxEstimated  bool   // the font does not state widths, so Box is an estimate

	// Fingerprint differs between two marks that look different although all else is the same: outlines, colours,
	// glyphs, pictures. Only a deep reader sets it, and it means nothing in another document.
	Fingerprint uint64

	// Annot is the annotation that it is or whose appearance it belongs to; zero for the page's content, and for
	// annotations that are direct objects.
	Annot        pdf.Ref
	Image        pdf.Ref  // of Image, unless it is an inline image
	Subtype      pdf.Name // of Widget and Annotation
	NoAppearance bool     // of Widget and Annotation: readers draw it in their own way
}

// Opaque reports whether the mark hides what was painted below it within its Box.
func (m Mark) Opaque() bool { return m.FillsBox && !m.Translucent && m.Hidden == "" }

// matrix maps (x, y) to (ax+cy+e, bx+dy+f), as ISO 32000-2 §8.3.4 writes it.
type matrix [6]float64

var identityMatrix = matrix{1, 0, 0, 1, 0, 0}

// then is the product of m and n: m is applied first.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// translate is a translation by (x, y) followed by m.
func (m matrix) translate(x, y float64) matrix {
	m[4], m[5] = m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
	return m
}

func (m matrix) mapPoint(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// mapBox is the bounding box of the mapped rectangle.
func (m matrix) mapBox(r pdf.Rect) pdf.Rect {
	out := emptyBox
	for _, c := range [4][2]float64{{r.LLX, r.LLY}, {r.LLX, r.URY}, {r.URX, r.LLY}, {r.URX, r.URY}} {
		out = includePoint(out, c[0]*m[0]+c[1]*m[2]+m[4], c[0]*m[1]+c[1]*m[3]+m[5])
	}
	return out
}

// scaleFactor is the average scaling of lengths.
func (m matrix) scaleFactor() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }

// emptyBox contains no point; includePoint extends it.
var emptyBox = pdf.Rect{LLX: math.Inf(1), LLY: math.Inf(1), URX: math.Inf(-1), URY: math.Inf(-1)}

func includePoint(r pdf.Rect, x, y float64) pdf.Rect {
	return pdf.Rect{LLX: min(r.LLX, x), LLY: min(r.LLY, y), URX: max(r.URX, x), URY: max(r.URY, y)}
}

func unionRect(a, b pdf.Rect) pdf.Rect {
	return pdf.Rect{LLX: min(a.LLX, b.LLX), LLY: min(a.LLY, b.LLY), URX: max(a.URX, b.URX), URY: max(a.URY, b.URY)}
}

// maxCoordinate is beyond any page: a page has at most 14,400 units of user space.
const maxCoordinate = 1e9

// isPlausible reports whether a box can be computed with: no corner is infinite, NaN, or farther away than any page
// extends.
func isPlausible(r pdf.Rect) bool {
	for _, v := range [4]float64{r.LLX, r.LLY, r.URX, r.URY} {
		if !(math.Abs(v) < maxCoordinate) {
			return false
		}
	}
	return true
}
