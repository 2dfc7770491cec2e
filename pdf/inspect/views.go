package inspect

import (
	"math"
	"strings"

	"segel/pdf"
	"segel/pdf/content"
)

// compareViews compares what a page shows on a screen with what it shows in print, and with what other readers show.
func (i *inspection) compareViews(page *pdf.Page, marks []content.Mark) {
	differing := i.findDiffering(page, marks) // indices
	if len(differing) == 0 {
		return
	}
	for _, pair := range content.ViewPairs() {
		if m := i.findDifference(marks, differing, pair[0], pair[1]); len(m) > 0 {
			i.addFinding(Finding{Kind: PrintDiffers, Page: page.Number, Box: page.ToUser(m[0].Box), Detail: quoteText(m)})
			break
		}
	}
	for _, other := range content.OtherScreenViews() {
		if m := i.findDifference(marks, differing, content.Screen, other); len(m) > 0 {
			i.addFinding(Finding{Kind: ViewVaries, Page: page.Number, Box: page.ToUser(m[0].Box), Detail: quoteText(m)})
			break
		}
	}
}

// findDiffering returns the indices of the marks that are not shown alike in all views. Annotations that are only on
// the screen are included only if they say something that the printed page does not.
func (i *inspection) findDiffering(page *pdf.Page, marks []content.Mark) []int {
	var differing []int
	for from := 0; from < len(marks); {
		to := from + 1
		place := marks[from] // of an annotation, or a mark of the page content
		annotation := place.Kind == content.Annotation || place.Kind == content.Widget
		for annotation && to < len(marks) && marks[to].Kind != content.Annotation && marks[to].Kind != content.Widget {
			to++
		}
		shown := from // the first of the marks that show something
		if annotation {
			shown, to = i.shownMarks(place, from, to)
		}
		if annotation && place.Views&content.OnScreen != 0 && place.Views&content.InPrint == 0 && shown < to && !i.changesPage(place, marks[shown:to], marks[:from]) {
			i.addFinding(Finding{Kind: ScreenOnly, Page: page.Number, Box: page.ToUser(place.Box)})
			shown = to
		}
		for k := shown; k < to; k++ {
			if marks[k].Views != 0 && marks[k].Views != content.OnScreen|content.InPrint {
				differing = append(differing, k)
			}
		}
		from = to
	}
	return differing
}

// shownMarks returns which of the marks [from, to) of an annotation show something: what its appearance paints, or its
// rectangle if readers draw it themselves. A field without appearance shows its value, and a signature shows nothing.
func (i *inspection) shownMarks(place content.Mark, from, to int) (int, int) {
	switch {
	case !place.NoAppearance:
		return from + 1, to
	case place.Kind == content.Widget && !i.hasValue(place.Annot):
		return to, to
	}
	return from, from + 1
}

// hasValue reports whether a field has a value that readers draw.
func (i *inspection) hasValue(ref pdf.Ref) bool {
	dict, err := i.d.Dict(ref)
	for range maxNesting {
		if err != nil || dict == nil {
			return false
		}
		if kind, _ := i.d.Name(dict["FT"]); kind == "Sig" {
			return false
		}
		if dict["V"] != nil {
			return true
		}
		dict, err = i.d.Dict(dict["Parent"])
	}
	return false
}

// changesPage reports whether an annotation that is not printed makes the screen differ in meaning from the printed
// page: it covers text or an image, or, unless it is a field or a button, it has text.
func (i *inspection) changesPage(place content.Mark, shown, below []content.Mark) bool {
	for _, m := range shown {
		if m.Views == 0 {
			continue
		}
		if place.Kind == content.Annotation && (m.Kind == content.Text && hasLetter(m.Text) || m.Kind == content.Annotation && m.Subtype == "FreeText") {
			return true
		}
		if !m.FillsBox || m.Translucent {
			continue
		}
		for _, b := range below {
			if i.limits.Marks--; i.limits.Marks < 0 {
				return true
			}
			readable := b.Kind == content.Text && hasLetter(b.Text) || b.Kind == content.Image
			if readable && b.Views&content.InPrint != 0 && b.Box.ShareWithin(m.Box) > 0.5 {
				return true
			}
		}
	}
	return false
}

// markShape is what two marks that look the same have in common.
type markShape struct {
	kind                  content.Kind
	box                   [4]float64 // in half points
	text                  string
	image                 pdf.Ref
	white                 bool
	translucent, fillsBox bool
	fingerprint           uint64
}

func newMarkShape(m content.Mark) markShape {
	s := markShape{kind: m.Kind, text: m.Text, image: m.Image, white: m.White, translucent: m.Translucent, fillsBox: m.FillsBox, fingerprint: m.Fingerprint}
	for k, v := range [4]float64{m.Box.LLX, m.Box.LLY, m.Box.URX, m.Box.URY} {
		s.box[k] = math.Round(2 * v)
	}
	return s
}

// findDifference returns the marks that one of two views has and the other lacks, text first. Two layers may show the
// same, each in one view, as long as nothing is painted between them that covers it.
func (i *inspection) findDifference(marks []content.Mark, differing []int, a, b content.Views) []content.Mark {
	last := map[markShape][2]int{} // the last mark of a shape in each view, counted from 1
	for _, k := range differing {
		at := last[newMarkShape(marks[k])]
		if marks[k].Views&a != 0 {
			at[0] = k + 1
		}
		if marks[k].Views&b != 0 {
			at[1] = k + 1
		}
		last[newMarkShape(marks[k])] = at
	}
	var text, other []content.Mark
	for _, k := range differing {
		m := marks[k]
		if (m.Views&a != 0) == (m.Views&b != 0) {
			continue
		}
		at := last[newMarkShape(m)]
		if at[0] != 0 && at[1] != 0 && !i.isCoveredBetween(marks, min(at[0], at[1]), max(at[0], at[1])-1, m.Box) {
			continue
		}
		if m.Text != "" {
			text = append(text, m)
		} else {
			other = append(other, m)
		}
	}
	return append(text, other...)
}

// quoteText returns the beginning of the text of words.
func quoteText(marks []content.Mark) string {
	const enough = 100 // bytes
	var b strings.Builder
	for _, m := range marks {
		if m.Kind != content.Text || b.Len() > enough {
			break
		}
		if b.Len() > 0 && !m.JoinsPrevious {
			b.WriteByte(' ')
		}
		b.WriteString(m.Text)
	}
	return b.String()
}

// isCoveredBetween reports whether one of the marks [from, to) hides what is below it in a box.
func (i *inspection) isCoveredBetween(marks []content.Mark, from, to int, box pdf.Rect) bool {
	for k := from; k < to; k++ {
		if i.limits.Marks--; i.limits.Marks < 0 {
			return true
		}
		if m := marks[k]; m.Views != 0 && m.FillsBox && !m.Translucent && box.ShareWithin(m.Box) > 0.3 {
			return true
		}
	}
	return false
}
