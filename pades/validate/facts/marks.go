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

// Bounds of the looking at large marks, of one file.
const (
	maxLooks    = 50       // pages that are looked at
	maxLookedAt = 20 << 20 // bytes of content of one of them, as package content counts them
	maxTiles    = 300      // boxes whose common area is worked out; of more the sum counts
)

// markSlack is what rounding may add to the share of a page that a mark takes up.
const markSlack = 0.01

// What makes signed content unreadable: half of a word's box hidden; or of pictures, which may show text, a twentieth of
// the page; or ten shapes of the size of letters, which may be text that is drawn.
const (
	hiddenHalf     = 0.5
	hiddenPictures = 0.05
	hiddenShapes   = 10
	letterSize     = 60 // points
)

// markedPage is what fields show on a page.
type markedPage struct {
	boxes   []pdf.Rect // points of the page as displayed, at most maxTiles
	more    float64    // area of the others
	widgets map[pdf.Ref]bool
}

// add adds a widget, once.
func (m *markedPage) add(widget pdf.Ref, box pdf.Rect) {
	if m.widgets[widget] {
		return
	}
	if m.widgets == nil {
		m.widgets = map[pdf.Ref]bool{}
	}
	m.widgets[widget] = true
	switch {
	case box.Empty():
	case len(m.boxes) < maxTiles:
		m.boxes = append(m.boxes, box)
	default:
		m.more += box.Width() * box.Height()
	}
}

// area is that of all boxes together. What they share counts once, as far as it is worked out.
func (m *markedPage) area() float64 { return unionArea(m.boxes) + m.more }

// denyLargeMarks denies what fields that were filled or signed in a revision show, if it takes up more of a page than
// Options.MarkArea and makes unreadable what the page showed before. All fields of a revision count together, and those
// of all revisions since the first signature up to twice as much: several small ones must not do what a large one cannot.
// Of exempt ones, such as duty stamps, one may be of any size, and several together take up to twice as much as well.
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
		if err := w.denyOnPage(state, number, changes, marks[number]); err != nil {
			return err
		}
	}
	return nil
}

// exempt reports whether a field is that of a signature which may be shown so large.
func (w *stateWalk) exempt(field string, shown pdf.Rect) bool {
	return w.o.Exempt != nil && slices.ContainsFunc(w.file.Signatures, func(s *Signature) bool { return s.Field == field && w.o.Exempt(s, shown) })
}

func (w *stateWalk) denyOnPage(state *pdf.State, number int, changes []diff.Change, marks []int) error {
	page, err := state.Document.Page(number)
	if err != nil {
		return faultless(err)
	}
	width, height := page.DisplayedSize()
	sheet := pdf.Rect{URX: width, URY: height}
	var fresh markedPage
	all, exempt := w.marked[number], w.exempted[number]
	if all == nil {
		all, exempt = &markedPage{}, &markedPage{}
		w.marked[number], w.exempted[number] = all, exempt
	}
	for _, i := range marks {
		shown := page.FromUser(changes[i].Box)
		box := shown.Intersect(sheet)
		if w.exempt(changes[i].Field, shown) {
			exempt.add(changes[i].Widget, box)
			continue
		}
		fresh.add(changes[i].Widget, box)
		all.add(changes[i].Widget, box)
	}
	var look *markedPage
	switch area := width * height; {
	case fresh.area() > (w.o.MarkArea+markSlack)*area:
		look = &fresh
	case all.area() > (min(2*w.o.MarkArea, 1)+markSlack)*area:
		look = all
	case len(exempt.widgets) > 1 && exempt.area() > (min(2*w.o.MarkArea, 1)+markSlack)*area:
		look = exempt
	default:
		return nil
	}
	code, detail := diff.CodeHides, ""
	if w.looks++; w.looks > maxLooks {
		code = diff.CodeTooMuch
	} else if detail, err = w.hides(state.Document, page, look.widgets); err != nil || detail == "" {
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

// hides tells what widgets make unreadable of what their page showed in the state before; "" is nothing.
func (w *stateWalk) hides(now *pdf.Document, page *pdf.Page, widgets map[pdf.Ref]bool) (string, error) {
	refs := slices.SortedFunc(maps.Keys(widgets), func(a, b pdf.Ref) int { return cmp.Compare(a.Number, b.Number) })
	cover, err := content.NewReader(now, content.Limits{Bytes: maxLookedAt}).MeasureCoverage(page, refs)
	if err != nil {
		return "", err
	}
	before, err := w.last.Document.Page(page.Number)
	if err != nil {
		return "", faultless(err)
	}
	marks, err := content.NewReader(w.last.Document, content.Limits{Bytes: maxLookedAt}).PageMarks(before)
	if err != nil && !errors.Is(err, content.ErrIncomplete) {
		return "", err
	}
	width, height := page.DisplayedSize()
	sheet := pdf.Rect{URX: width, URY: height}
	if !told(err) && cover.HiddenShare(sheet) > hiddenPictures {
		return "what could not be looked at", nil // it counts as a picture
	}
	own := func(m content.Mark) bool { return widgets[m.Annot] }
	var pictures []pdf.Rect
	for _, m := range marks {
		if m.Kind == content.Image && m.Hidden == "" && !own(m) && len(pictures) < maxTiles {
			pictures = append(pictures, m.Box)
		}
	}
	var words strings.Builder
	hidden, shapes := 0.0, 0
	for _, m := range marks {
		if own(m) || m.Hidden != "" && !(m.Kind == content.Text && m.Hidden == content.ByMode && within(m.Box, pictures)) {
			continue
		}
		switch {
		case m.Kind == content.Text && legible(m.Text) && cover.HiddenShare(m.Box) >= hiddenHalf:
			if words.Len() < maxHiddenWords {
				words.WriteString(m.Text + " ")
			}
		case m.Kind == content.Image:
			hidden += cover.HiddenShare(m.Box) * m.Box.Width() * m.Box.Height()
		case m.Kind == content.Drawing && !m.FillsBox && !m.StrokeOnly && max(m.Box.Width(), m.Box.Height()) < letterSize && cover.HiddenShare(m.Box) >= hiddenHalf:
			shapes++
		}
	}
	switch {
	case words.Len() > 0:
		return fmt.Sprintf("%.*q", maxHiddenWords, strings.TrimSpace(words.String())), nil
	case hidden > hiddenPictures*width*height:
		return "a picture", nil
	case shapes >= hiddenShapes:
		return "drawn letters", nil
	}
	return "", nil
}

// maxHiddenWords bounds how much of what is hidden is told, in bytes.
const maxHiddenWords = 60

// legible reports whether text says something. What its letters mean may not be known.
func legible(s string) bool {
	return s == "" || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

// within reports whether the middle of a box lies in one of the others: words of a scan stand unseen over its picture.
func within(box pdf.Rect, others []pdf.Rect) bool {
	x, y := (box.LLX+box.URX)/2, (box.LLY+box.URY)/2
	return slices.ContainsFunc(others, func(o pdf.Rect) bool { return x >= o.LLX && x <= o.URX && y >= o.LLY && y <= o.URY })
}

// faultless passes over what is the file's fault.
func faultless(err error) error {
	if isFault(err) {
		return nil
	}
	return err
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
