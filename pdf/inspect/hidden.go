package inspect

import (
	"segel/pdf"
	"segel/pdf/content"
)

// hiddenTextCheck looks for text that is on a page and not to be seen: what was signed unseen can be brought to light later, by a
// change that looks harmless.
type hiddenTextCheck struct {
	*inspection
	comparisonsLeft int // comparisons still to be made

	marks    []content.Mark // of the page at hand, that are to be seen or are text
	opaque   []int          // those of them that hide what is below, in order
	pictures []pdf.Rect     // those of them that are pictures
}

// inspectPage notes each kind of hidden text of a page once. It returns false if there was too much to be compared.
func (h *hiddenTextCheck) inspectPage(page *pdf.Page, marks []content.Mark) bool {
	h.selectMarks(marks)
	first := map[Kind]*Finding{}
	for i, m := range h.marks {
		kind, detail := h.classifyText(i, m)
		if h.comparisonsLeft < 0 {
			break
		}
		if kind == "" {
			continue
		}
		onPicture := kind == InvisibleText && h.isOnPicture(m.Box)
		if f := first[kind]; f == nil {
			first[kind] = &Finding{Kind: kind, Page: page.Number, Box: page.ToUser(m.Box), Detail: detail, OnPicture: onPicture}
		} else {
			f.OnPicture = f.OnPicture && onPicture
		}
	}
	for _, kind := range []Kind{CoveredText, InvisibleText, HiddenLayer} {
		if f := first[kind]; f != nil {
			h.addFinding(*f)
		}
	}
	return h.comparisonsLeft >= 0
}

// selectMarks leaves out what annotations of signatures paint, which are what the file is about, and takes for seen what is
// seen in print.
func (h *hiddenTextCheck) selectMarks(marks []content.Mark) {
	h.marks, h.opaque, h.pictures = h.marks[:0], h.opaque[:0], h.pictures[:0]
	var of pdf.Ref
	signature := false
	for _, m := range marks {
		if m.Annot != of {
			of = m.Annot
			signature = h.isSignatureWidget(of)
		}
		if signature && !of.IsZero() {
			continue
		}
		if m.Hidden == content.ByFlag && m.Views&content.InPrint != 0 {
			m.Hidden = ""
		}
		if m.Opaque() {
			h.opaque = append(h.opaque, len(h.marks))
		}
		if m.Kind == content.Image && m.Hidden == "" && len(h.pictures) < maxPictures {
			h.pictures = append(h.pictures, m.Box)
		}
		h.marks = append(h.marks, m)
	}
}

// isSignatureWidget reports whether an annotation is the widget of a signature field.
func (h *hiddenTextCheck) isSignatureWidget(ref pdf.Ref) bool {
	dict, err := h.d.Dict(ref)
	if err != nil {
		return false
	}
	kind, _ := h.d.Name(dict["FT"])
	return kind == "Sig"
}

// classifyText tells why a piece of text is not to be seen, or "". What lies outside of the page or of a clip nothing harmless
// can bring to light.
func (h *hiddenTextCheck) classifyText(i int, m content.Mark) (Kind, string) {
	switch {
	case m.Kind != content.Text || m.Hidden == content.ByClip || m.Hidden == content.ByFlag:
		return "", ""
	case m.Hidden == content.ByLayer:
		return HiddenLayer, "text"
	case m.Hidden != "":
		return InvisibleText, string(m.Hidden)
	case m.White && !h.isDarkBelow(i, m.Box):
		return InvisibleText, "white"
	case h.isCoveredLater(i, m.Box):
		return CoveredText, "by what is painted over it"
	}
	return "", ""
}

func (h *hiddenTextCheck) isDarkBelow(i int, box pdf.Rect) bool {
	for _, o := range h.opaque {
		if o > i || h.comparisonsLeft < 0 {
			break
		}
		h.comparisonsLeft--
		if m := &h.marks[o]; !m.White && shareWithin(m.Box, box) > 0.3 {
			return true
		}
	}
	return false
}

func (h *hiddenTextCheck) isCoveredLater(i int, box pdf.Rect) bool {
	for k := len(h.opaque) - 1; k >= 0 && h.opaque[k] > i && h.comparisonsLeft >= 0; k-- {
		h.comparisonsLeft--
		if shareWithin(h.marks[h.opaque[k]].Box, box) > 0.9 {
			return true
		}
	}
	return false
}

// maxPictures bounds the pictures of a page that words are compared with. A scan is one or a few.
const maxPictures = 256

// isOnPicture reports whether the middle of a word lies on a picture.
func (h *hiddenTextCheck) isOnPicture(word pdf.Rect) bool {
	x, y := (word.LLX+word.URX)/2, (word.LLY+word.URY)/2
	for _, p := range h.pictures {
		h.comparisonsLeft--
		if x >= p.LLX && x <= p.URX && y >= p.LLY && y <= p.URY {
			return true
		}
	}
	return false
}

// shareWithin is how much of a box lies within an area, from 0 to 1.
func shareWithin(area, box pdf.Rect) float64 {
	common := area.Intersect(box)
	if common.Empty() || box.Empty() {
		return 0
	}
	return common.Width() * common.Height() / (box.Width() * box.Height())
}
