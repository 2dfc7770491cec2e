package content

import "segel/pdf"

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
	switch k {
	case Text:
		return "text"
	case Image:
		return "image"
	case Drawing:
		return "drawing"
	case Widget:
		return "widget"
	case Annotation:
		return "annotation"
	}
	return "unknown"
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
