package content

import "segel/pdf"

// Kind is what a mark is.
type Kind uint8

// The kinds.
const (
	Text       Kind = iota + 1 // a word, or a part of one
	Image                      // a picture, inline ones too
	Drawing                    // a path that is filled or stroked, or a shading
	Widget                     // the place of a form field, filled in or not
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

// Hidden is why a mark is not to be seen; empty where it is, as far as it says so itself. Whether something else is
// painted over it is told by the order of the marks.
type Hidden string

// The reasons.
const (
	ByMode    Hidden = "mode"    // text that is neither filled nor stroked, such as that of a scan
	ByLayer   Hidden = "layer"   // optional content that is off
	ByClip    Hidden = "clip"    // outside the clip, or outside the page
	ByFlag    Hidden = "flag"    // an annotation that is hidden or not for viewing
	ByOpacity Hidden = "opacity" // painted with none
	BySize    Hidden = "size"    // text too small to be seen
)

// Mark is one thing that is painted.
type Mark struct {
	Kind   Kind
	Box    pdf.Rect // points of the page as displayed, origin at the lower left; cut to the clip unless Hidden
	Hidden Hidden
	Views  Views // in which it is shown; none where it is nowhere to be seen, whatever layers and flags say

	// White says that it is painted in white, the colour of paper, as far as its colour space tells; never of pictures.
	White       bool
	FillsBox    bool // an image, a shading or a filled rectangle: all of Box, as far as its own form tells
	Translucent bool // one sees what is below, by opacity, blending or a mask
	StrokeOnly  bool // of Drawing: the lines of a path alone, not what they surround

	Text          string // of Text, as far as the font tells; no space in it
	JoinsPrevious bool   // Text goes on from the mark before with no space between
	BoxEstimated  bool   // the font does not tell how wide its letters are, so that Box is a guess

	// Fingerprint differs between two marks that look different although all else is the same: outlines, colours, glyphs,
	// pictures. It is for a deep reader, and means nothing in another document; another reader leaves it zero.
	Fingerprint uint64

	// Annot is the annotation whose appearance it belongs to, or which it is; zero for the page's own content, and for
	// annotations that are direct objects.
	Annot        pdf.Ref
	Image        pdf.Ref  // of Image, unless it is an inline image
	Subtype      pdf.Name // of Widget and Annotation
	NoAppearance bool     // of Widget and Annotation: readers draw it as they see fit, since it has no appearance
}

// Opaque reports whether the mark hides what was painted below it within its Box.
func (m Mark) Opaque() bool { return m.FillsBox && !m.Translucent && m.Hidden == "" }
