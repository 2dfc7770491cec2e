package appearance

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"segel/pades/font"
	"segel/pdf"
)

// Line is a line of text, which is wrapped where its box is too narrow.
type Line struct {
	Text  string
	Size  float64 // in relation to the other lines; 0 is 1
	Bold  bool
	Color Color
	Gap   float64 // room before it, in relation to its size
	// Optional lines are left out, the last one first, before text gets smaller than TextOptions.MinSize.
	Optional bool
	// Whole lines are wrapped only where all text would have to be much smaller without it.
	Whole bool
}

// Align is where text is put in its box.
type Align int8

// The alignments; Start is left or top.
const (
	Start Align = iota
	Middle
	End
)

// TextOptions of a box of text. The zero value is 10 points or less, from the upper left corner.
type TextOptions struct {
	MaxSize    float64 // points of a line of Size 1 where there is room; 0 is 10
	MinSize    float64 // points below which optional lines go; 0 is 4
	Horizontal Align
	Vertical   Align
}

// lineHeight and ascent are in ems of DejaVu Sans, whose letters with marks are the tallest here.
const (
	lineHeight = 1.17
	ascent     = 0.93
)

// Text sets lines in a box, as large as fits. They never leave the box: words are wrapped, then text is made
// smaller, then optional lines are left out, then it is made as small as it takes.
func (d *Drawing) Text(r pdf.Rect, o TextOptions, lines ...Line) {
	fonts, err := font.System()
	if err != nil {
		d.fail(err)
		return
	}
	if r.Empty() {
		d.fail(fmt.Errorf("text without room in %v", r))
		return
	}
	if o.MaxSize <= 0 {
		o.MaxSize = 10
	}
	if o.MinSize <= 0 {
		o.MinSize = 4
	}
	s := setter{fonts: fonts, box: r, o: o}
	s.fit(lines)
	d.add(func(w *canvas) error {
		s.draw(w)
		return nil
	})
}

// setter fits lines into a box.
type setter struct {
	fonts *font.Collection
	box   pdf.Rect
	o     TextOptions
	size  float64
	rows  []row
}

// row is one line as it stands, after wrapping.
type row struct {
	text string
	size float64 // in relation
	gap  float64
	line Line
}

// fit settles size and rows.
func (s *setter) fit(lines []Line) {
	clean := make([]Line, 0, len(lines))
	for _, l := range lines {
		if l.Text = font.Clean(l.Text); l.Text == "" {
			continue
		}
		if l.Size <= 0 {
			l.Size = 1
		}
		clean = append(clean, l)
	}
	least := min(s.o.MinSize, s.o.MaxSize)
	for {
		for _, try := range []struct {
			least float64
			wrap  wrapping
		}{{max(least, s.o.MaxSize*worthwhile), keepLines}, {least, keepWords}, {least, breakWords}} {
			if s.search(clean, try.least, s.o.MaxSize, try.wrap) {
				return
			}
		}
		i := lastOptional(clean)
		if i < 0 {
			break
		}
		clean = append(clean[:i], clean[i+1:]...)
	}
	s.search(clean, speck, least, breakWords)
}

// speck is the size in points of text that has to stand somewhere and has no room.
const speck = 1e-3

// wrapping is what may be broken to make text fit.
type wrapping uint8

const (
	keepLines  wrapping = iota // whole lines and words stay whole
	keepWords                  // words do
	breakWords                 // nothing
)

// worthwhile is how much smaller text may get to keep lines whole.
const worthwhile = 0.55

func lastOptional(lines []Line) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Optional {
			return i
		}
	}
	return -1
}

// search finds the largest size between two at which the lines fit, and reports whether there is one.
func (s *setter) search(lines []Line, from, to float64, wrap wrapping) bool {
	if !s.try(lines, from, wrap) {
		return false
	}
	if s.try(lines, to, wrap) {
		return true
	}
	for range 12 {
		if middle := (from + to) / 2; s.try(lines, middle, wrap) {
			from = middle
		} else {
			to = middle
		}
	}
	return s.try(lines, from, wrap)
}

// try wraps the lines at a size and reports whether they fit.
func (s *setter) try(lines []Line, size float64, wrap wrapping) bool {
	s.size, s.rows = size, nil
	for _, l := range lines {
		rows, ok := s.wrap(l, s.box.Width()/(size*l.Size)*1000, wrap)
		if !ok || wrap == keepLines && l.Whole && len(rows) > 1 {
			return false
		}
		s.rows = append(s.rows, rows...)
	}
	return s.height() <= s.box.Height()
}

func (s *setter) height() float64 {
	h := 0.0
	for i, r := range s.rows {
		h += lineHeight * r.size
		if i > 0 {
			h += r.gap * r.size
		}
	}
	return h * s.size
}

// wrap breaks a line at spaces, and within words if that is allowed or the script has no spaces. Width is in thousandths of an em.
func (s *setter) wrap(l Line, width float64, allowed wrapping) ([]row, bool) {
	weight := weightOf(l)
	var rows []row
	current, used := "", 0.0
	flush := func() {
		rows = append(rows, row{current, l.Size, 0, l})
		current, used = "", 0
	}
	space := s.fonts.Measure(weight, " ")
	for _, word := range strings.Fields(l.Text) {
		w := s.fonts.Measure(weight, word)
		if current != "" && used+space+w <= width {
			current, used = current+" "+word, used+space+w
			continue
		}
		if current != "" {
			flush()
		}
		for w > width {
			head, headWidth := s.head(weight, word, width)
			if allowed != breakWords && !unspaced(word) || head == "" || head == word {
				return nil, false
			}
			current = head
			flush()
			word, w = word[len(head):], w-headWidth
		}
		current, used = word, w
	}
	flush()
	rows[0].gap = l.Gap
	return rows, true
}

// unspaced reports text of scripts that break anywhere.
func unspaced(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r >= 0x2E80 && r < 0xFB00 || r >= 0x20000
}

// head returns as much of a word as fits.
func (s *setter) head(w font.Weight, word string, width float64) (head string, used float64) {
	for i, r := range word {
		next := s.fonts.Measure(w, string(r))
		if used+next > width {
			return word[:i], used
		}
		used += next
	}
	return word, used
}

func weightOf(l Line) font.Weight {
	if l.Bold {
		return font.Bold
	}
	return font.Regular
}

// draw writes the rows from the top.
func (s *setter) draw(w *canvas) {
	if len(s.rows) == 0 {
		return
	}
	w.buf.text("BT\n")
	y := s.box.URY - aligned(s.o.Vertical, s.box.Height()-s.height())
	for i, r := range s.rows {
		size := s.size * r.size
		if i > 0 {
			y -= r.gap * size
		}
		glyphs := s.fonts.Line(weightOf(r.line), r.text)
		width := 0.0
		for _, g := range glyphs {
			width += g.Advance * size / 1000
		}
		x := s.box.LLX + aligned(s.o.Horizontal, s.box.Width()-width)
		w.color(r.line.Color, "rg")
		w.set(glyphs, size, x, y-ascent*size)
		y -= lineHeight * size
	}
	w.buf.text("ET\n")
}

func aligned(a Align, room float64) float64 { return max(0, room) * float64(a) / 2 }
