package inspect

import (
	"errors"
	"fmt"
	"unicode"

	"segel/pdf"
	"segel/pdf/content"
)

// inspectPages looks at what each page paints.
func (i *inspection) inspectPages() error {
	i.reader = content.NewDeepReader(i.d, i.limits.Content)
	for _, ref := range i.reader.HiddenLayers() {
		i.addFinding(Finding{Kind: HiddenLayer, Ref: ref, Detail: i.layerName(ref)})
	}
	h := &hiddenTextCheck{inspection: i, comparisonsLeft: i.limits.Marks}
	spent := false
	for page, err := range i.d.Pages() {
		if err != nil {
			if err := onlyReadError(err); err != nil {
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
		case !isComplete(err):
			i.addNotExamined(page, err.Error()) // readers go on where this one does not
		}
		spent = !all || i.reader.IsExhausted()
	}
	return nil
}

func (i *inspection) layerName(ref pdf.Ref) string {
	dict, _ := i.d.Dict(ref)
	name, _ := i.d.String(dict["Name"])
	return fmt.Sprintf("%.60q", name.Text())
}

// TooMuch is the Detail of NotExamined on a page at which a limit was reached.
const TooMuch = "too much content"

// addNotExamined notes that a page is not known to its end. Where something of it could be shown in one view and not in
// another, that has to be taken for what it does: a limit must not be a way around it.
func (i *inspection) addNotExamined(page *pdf.Page, why string) {
	i.addFinding(Finding{Kind: NotExamined, Page: page.Number, Detail: why})
	if i.reader.HasVaryingLayers() || i.alternates || i.hasPrintOnlyAnnotation(page) {
		i.addFinding(Finding{Kind: PrintDiffers, Page: page.Number})
	}
}

// maxFlags bounds the annotations of a page whose flags are looked at where the page itself is not.
const maxFlags = 50_000

// hasPrintOnlyAnnotation reports whether an annotation of a page is for printing alone.
func (i *inspection) hasPrintOnlyAnnotation(page *pdf.Page) bool {
	const hidden, printed, noView = 1 << 1, 1 << 2, 1 << 5
	annots, _ := i.d.Array(page.Dict["Annots"])
	for _, o := range annots[:min(len(annots), maxFlags)] {
		dict, err := i.d.Dict(o)
		if err != nil {
			continue
		}
		flags, err := i.d.Integer(dict["F"])
		if err == nil && flags&hidden == 0 && flags&noView != 0 && flags&printed != 0 {
			return true
		}
	}
	return len(annots) > maxFlags
}

// findTextOutside looks for words that lie outside of the page.
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
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
	}
	return false
}
