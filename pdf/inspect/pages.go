package inspect

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"segel/pdf"
	"segel/pdf/content"
)

// inspectPages examines what each page paints.
func (i *inspection) inspectPages() error {
	i.reader = content.NewDeepReader(i.d, i.limits.Content)
	for _, ref := range i.reader.HiddenLayers() {
		dict, _ := i.d.Dict(ref)
		name, _ := i.d.String(dict["Name"])
		i.addFinding(Finding{Kind: HiddenLayer, Ref: ref, Detail: fmt.Sprintf("%.60q", name.Text())})
	}
	h := &hiddenTextCheck{inspection: i, comparisonsLeft: i.limits.Marks}
	spent := false
	for page, err := range i.d.Pages() {
		if err != nil {
			if err := pdf.IgnoreFault(err); err != nil {
				return err
			}
			i.addFinding(Finding{Kind: NotExamined, Detail: err.Error()})
			break
		}
		if err := i.ctx.Err(); err != nil {
			return err
		}
		if spent {
			i.addNotExamined(page, "")
			continue
		}
		marks, err := i.reader.PageMarks(page)
		if err != nil && !errors.Is(err, content.ErrIncomplete) {
			return err
		}
		i.compareViews(page, marks)
		i.findTextOutside(page, marks)
		all := h.inspectPage(page, marks)
		switch {
		case isLimitReached(err) || !all:
			i.addNotExamined(page, TooMuch)
		case !content.IsComplete(err):
			i.addNotExamined(page, err.Error()) // other readers continue where this one stops
		}
		spent = !all || i.reader.IsExhausted()
	}
	return nil
}

// TooMuch is the Detail of NotExamined on a page on which a limit was reached.
const TooMuch = "too much content"

// addNotExamined adds a finding for a page that was not examined completely. If some of it could be shown in one view and
// not in another, it counts as doing so: exceeding a limit must not hide a difference.
func (i *inspection) addNotExamined(page *pdf.Page, why string) {
	i.addFinding(Finding{Kind: NotExamined, Page: page.Number, Detail: why})
	if i.reader.HasVaryingLayers() || i.alternates || i.hasPrintOnlyAnnotation(page) {
		i.addFinding(Finding{Kind: PrintDiffers, Page: page.Number})
	}
}

// maxFlags bounds the annotations whose flags are checked on all pages that are not examined, and those of one page.
const maxFlags, maxFlagsOfPage = 200_000, 50_000

// hasPrintOnlyAnnotation reports whether an annotation of a page is only printed, or whether too many were checked before.
func (i *inspection) hasPrintOnlyAnnotation(page *pdf.Page) bool {
	const hidden, printed, noView = 1 << 1, 1 << 2, 1 << 5
	if page.Dict["Annots"] == nil {
		return false
	}
	if i.flagsChecked >= maxFlags {
		return true
	}
	annots, _ := i.d.Array(page.Dict["Annots"])
	i.flagsChecked += len(annots) // pages may share a long list
	for _, o := range annots[:min(len(annots), maxFlagsOfPage)] {
		dict, err := i.d.Dict(o)
		if err != nil {
			continue
		}
		flags, err := i.d.Integer(dict["F"])
		if err == nil && flags&hidden == 0 && flags&noView != 0 && flags&printed != 0 {
			return true
		}
	}
	return len(annots) > maxFlagsOfPage
}

// findTextOutside finds words outside the page.
func (i *inspection) findTextOutside(page *pdf.Page, marks []content.Mark) {
	width, height := page.DisplayedSize()
	sheet := pdf.Rect{URX: width, URY: height}
	var outside []content.Mark
	for _, m := range marks {
		if m.Kind == content.Text && m.Hidden == content.ByClip && m.Box.Intersect(sheet).Empty() && (len(outside) > 0 || hasLetter(m.Text)) {
			outside = append(outside, m)
		}
	}
	if len(outside) > 0 {
		i.addFinding(Finding{Kind: OutsidePage, Page: page.Number, Box: page.ToUser(outside[0].Box), Detail: quoteText(outside)})
	}
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// hiddenTextCheck finds text that is on a page and not visible: what was signed unseen can be made visible later by a
// change that looks harmless.
type hiddenTextCheck struct {
	*inspection
	comparisonsLeft int // comparisons that may still be made

	marks    []content.Mark // of the current page, visible or text
	opaque   []int          // indices of those that hide what is below, in order
	pictures []pdf.Rect     // boxes of those that are images
}

// inspectPage adds each kind of hidden text of a page once. It returns false if there was too much to compare.
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

// selectMarks leaves out marks of signature appearances, which show the signatures, and treats marks that are visible
// in print as visible.
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

// classifyText returns why a piece of text is not visible, or "". No harmless change can make text outside the page or
// a clip visible.
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
		if m := &h.marks[o]; !m.White && box.ShareWithin(m.Box) > 0.3 {
			return true
		}
	}
	return false
}

func (h *hiddenTextCheck) isCoveredLater(i int, box pdf.Rect) bool {
	for k := len(h.opaque) - 1; k >= 0 && h.opaque[k] > i && h.comparisonsLeft >= 0; k-- {
		h.comparisonsLeft--
		if box.ShareWithin(h.marks[h.opaque[k]].Box) > 0.9 {
			return true
		}
	}
	return false
}

// maxPictures bounds the images of a page that words are compared with. A scan is one or a few.
const maxPictures = 256

// isOnPicture reports whether the middle of a word lies on an image.
func (h *hiddenTextCheck) isOnPicture(word pdf.Rect) bool {
	x, y := (word.LLX+word.URX)/2, (word.LLY+word.URY)/2
	for _, p := range h.pictures {
		h.comparisonsLeft--
		if p.Contains(x, y) {
			return true
		}
	}
	return false
}
