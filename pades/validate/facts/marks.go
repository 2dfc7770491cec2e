package facts

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/pdf/content"
)

// Limits for examining large marks, of one file.
const (
	maxPageInspections = 50       // examined pages
	maxInspectedBytes  = 20 << 20 // of content of one page, as package content counts them
	maxBoxes           = 300      // whose common area is computed; for more, their sum counts
)

// markSlack allows for rounding in the share of a page that a mark takes up.
const markSlack = 0.01

// Signed content is unreadable if half of a word's box is hidden; or a twentieth of the page in pictures, which may
// show text; or ten shapes of the size of letters, which may be drawn text.
const (
	hiddenWordShare    = 0.5
	hiddenPictureShare = 0.05
	hiddenShapeCount   = 10
	letterSize         = 60 // points
)

// markedPage is what fields show on one page.
type markedPage struct {
	boxes   []pdf.Rect // points of the page as displayed, at most maxBoxes
	more    float64    // area of the others
	widgets map[pdf.Ref]bool
}

// addWidget adds a widget once.
func (m *markedPage) addWidget(widget pdf.Ref, box pdf.Rect) {
	if m.widgets[widget] {
		return
	}
	if m.widgets == nil {
		m.widgets = map[pdf.Ref]bool{}
	}
	m.widgets[widget] = true
	switch {
	case box.Empty():
	case len(m.boxes) < maxBoxes:
		m.boxes = append(m.boxes, box)
	default:
		m.more += box.Width() * box.Height()
	}
}

// totalArea is the area of all boxes. Overlaps count once, as far as they are computed.
func (m *markedPage) totalArea() float64 { return unionArea(m.boxes) + m.more }

// denyLargeMarks denies fields that were filled or signed in a revision if they show on more of a page than
// Options.MarkArea and make unreadable what the page showed before. All fields of a revision count together, and those
// of all revisions since the first signature up to twice as much: several small marks must not do what a large one
// cannot. A single exempt mark may have any size; several together also count up to twice as much.
func (w *stateWalk) denyLargeMarks(state *pdf.State, changes []diff.Change) error {
	if w.o.MarkArea <= 0 {
		return nil
	}
	marks := map[int][]int{} // indexes of changes, by page
	for i, c := range changes {
		if c.Has(diff.Visible) && c.Page > 0 && !c.Widget.IsZero() && c.Level <= diff.FormFilling {
			marks[c.Page] = append(marks[c.Page], i)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(marks)) {
		if err := w.denyMarksOnPage(state, number, changes, marks[number]); err != nil {
			return err
		}
	}
	return nil
}

// isExempt reports whether the field of an exempt signature may be shown at that size.
func (w *stateWalk) isExempt(field string, shown pdf.Rect) bool {
	return w.o.Exempt != nil && slices.ContainsFunc(w.file.Signatures, func(s *Signature) bool { return s.Field == field && w.o.Exempt(s, shown) })
}

func (w *stateWalk) denyMarksOnPage(state *pdf.State, number int, changes []diff.Change, marks []int) error {
	page, err := state.Document.Page(number)
	if err != nil {
		return pdf.IgnoreFault(err)
	}
	width, height := page.DisplayedSize()
	sheet := pdf.Rect{URX: width, URY: height}
	var fresh markedPage
	all, exempt := w.markedPages[number], w.exemptPages[number]
	if all == nil {
		all, exempt = &markedPage{}, &markedPage{}
		w.markedPages[number], w.exemptPages[number] = all, exempt
	}
	for _, i := range marks {
		shown := page.FromUser(changes[i].Box)
		box := shown.Intersect(sheet)
		if w.isExempt(changes[i].Field, shown) {
			exempt.addWidget(changes[i].Widget, box)
			continue
		}
		fresh.addWidget(changes[i].Widget, box)
		all.addWidget(changes[i].Widget, box)
	}
	var look *markedPage
	switch area := width * height; {
	case fresh.totalArea() > (w.o.MarkArea+markSlack)*area:
		look = &fresh
	case all.totalArea() > (min(2*w.o.MarkArea, 1)+markSlack)*area:
		look = all
	case len(exempt.widgets) > 1 && exempt.totalArea() > (min(2*w.o.MarkArea, 1)+markSlack)*area:
		look = exempt
	default:
		return nil
	}
	code, detail := diff.CodeHidesSigned, ""
	if w.pageInspections++; w.pageInspections > maxPageInspections {
		code = diff.CodeTooMuch
	} else if detail, err = w.describeHidden(state.Document, page, look.widgets); err != nil || detail == "" {
		return err
	}
	for _, i := range marks {
		c := &changes[i]
		if !look.widgets[c.Widget] {
			continue
		}
		c.Level, c.Rule, c.Code, c.Detail = diff.Other, "", code, detail
	}
	return nil
}

// describeHidden returns what widgets make unreadable of what their page showed in the state before; empty if nothing.
func (w *stateWalk) describeHidden(now *pdf.Document, page *pdf.Page, widgets map[pdf.Ref]bool) (string, error) {
	refs := slices.SortedFunc(maps.Keys(widgets), func(a, b pdf.Ref) int { return cmp.Compare(a.Number, b.Number) })
	cover, err := content.NewReader(now, content.Limits{Bytes: maxInspectedBytes}).MeasureCoverage(page, refs)
	if err != nil {
		return "", err
	}
	before, err := w.last.Document.Page(page.Number)
	if err != nil {
		return "", pdf.IgnoreFault(err)
	}
	marks, err := content.NewReader(w.last.Document, content.Limits{Bytes: maxInspectedBytes}).PageMarks(before)
	if err != nil && !errors.Is(err, content.ErrIncomplete) {
		return "", err
	}
	width, height := page.DisplayedSize()
	sheet := pdf.Rect{URX: width, URY: height}
	if !content.IsComplete(err) && cover.HiddenShare(sheet) > hiddenPictureShare {
		return "content that cannot be examined", nil // it counts as a picture
	}
	own := func(m content.Mark) bool { return widgets[m.Annot] }
	var pictures []pdf.Rect
	for _, m := range marks {
		if m.Kind == content.Image && m.Hidden == "" && !own(m) && len(pictures) < maxBoxes {
			pictures = append(pictures, m.Box)
		}
	}
	var words strings.Builder
	hidden, shapes := 0.0, 0
	for _, m := range marks {
		if own(m) || m.Hidden != "" && !(m.Kind == content.Text && m.Hidden == content.ByMode && containsCenter(m.Box, pictures)) {
			continue
		}
		switch {
		case m.Kind == content.Text && isLegible(m.Text) && cover.HiddenShare(m.Box) >= hiddenWordShare:
			if words.Len() < maxHiddenWords {
				words.WriteString(m.Text + " ")
			}
		case m.Kind == content.Image:
			hidden += cover.HiddenShare(m.Box) * m.Box.Width() * m.Box.Height()
		case m.Kind == content.Drawing && !m.FillsBox && !m.StrokeOnly && max(m.Box.Width(), m.Box.Height()) < letterSize && cover.HiddenShare(m.Box) >= hiddenWordShare:
			shapes++
		}
	}
	switch {
	case words.Len() > 0:
		return fmt.Sprintf("%.*q", maxHiddenWords, strings.TrimSpace(words.String())), nil
	case hidden > hiddenPictureShare*width*height:
		return "a picture", nil
	case shapes >= hiddenShapeCount:
		return "drawn letters", nil
	}
	return "", nil
}

// maxHiddenWords bounds the reported hidden text, in bytes.
const maxHiddenWords = 60

// isLegible reports whether text has letters, numbers or symbols. Text without a known meaning counts.
func isLegible(s string) bool {
	return s == "" || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

// containsCenter reports whether the centre of a box lies in one of the others: recognised words of a scan are
// invisible over its image.
func containsCenter(box pdf.Rect, others []pdf.Rect) bool {
	x, y := (box.LLX+box.URX)/2, (box.LLY+box.URY)/2
	return slices.ContainsFunc(others, func(o pdf.Rect) bool { return o.Contains(x, y) })
}

// unionArea is the area that boxes cover together.
func unionArea(boxes []pdf.Rect) float64 {
	total := 0.0
	var edges []float64
	for _, b := range boxes {
		edges = append(edges, b.LLX, b.URX)
	}
	slices.Sort(edges)
	sorted := slices.SortedFunc(slices.Values(boxes), func(a, b pdf.Rect) int { return cmp.Compare(a.LLY, b.LLY) })
	for i := 1; i < len(edges); i++ {
		length, end := 0.0, 0.0
		for _, b := range sorted {
			if b.LLX >= edges[i] || b.URX <= edges[i-1] || b.URY <= end {
				continue
			}
			length += b.URY - max(b.LLY, end)
			end = b.URY
		}
		total += (edges[i] - edges[i-1]) * length
	}
	return total
}
