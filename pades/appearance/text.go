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
	fonts, err := font.SystemCollection()
	if err != nil {
		d.setError(err)
		return
	}
	if r.Empty() {
		d.setError(fmt.Errorf("text without room in %v", r))
		return
	}
	if o.MaxSize <= 0 {
		o.MaxSize = 10
	}
	if o.MinSize <= 0 {
		o.MinSize = 4
	}
	s := textLayout{fonts: fonts, box: r, o: o}
	s.fitLines(lines)
	d.addOperation(func(w *canvas) error {
		s.drawRows(w)
		return nil
	})
}

// textLayout fits lines into a box.
type textLayout struct {
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

// fitLines settles size and rows.
func (s *textLayout) fitLines(lines []Line) {
	clean := make([]Line, 0, len(lines))
	for _, l := range lines {
		if l.Text = font.CleanText(l.Text); l.Text == "" {
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
		}{{max(least, s.o.MaxSize*wholeLineFactor), keepLines}, {least, keepWords}, {least, breakWords}} {
			if s.fitSize(clean, try.least, s.o.MaxSize, try.wrap) {
				return
			}
		}
		i := findLastOptional(clean)
		if i < 0 {
			break
		}
		clean = append(clean[:i], clean[i+1:]...)
	}
	s.fitSize(clean, tinySize, least, breakWords)
}

// tinySize is the size in points of text that has to stand somewhere and has no room.
const tinySize = 1e-3

// wrapping is what may be broken to make text fit.
type wrapping uint8

const (
	keepLines  wrapping = iota // whole lines and words stay whole
	keepWords                  // words do
	breakWords                 // nothing
)

// wholeLineFactor is how much smaller text may get to keep lines whole.
const wholeLineFactor = 0.55

func findLastOptional(lines []Line) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Optional {
			return i
		}
	}
	return -1
}

// fitSize finds the largest size between two at which the lines fit, and reports whether there is one.
func (s *textLayout) fitSize(lines []Line, from, to float64, wrap wrapping) bool {
	if !s.trySize(lines, from, wrap) {
		return false
	}
	if s.trySize(lines, to, wrap) {
		return true
	}
	for range 12 {
		if middle := (from + to) / 2; s.trySize(lines, middle, wrap) {
			from = middle
		} else {
			to = middle
		}
	}
	return s.trySize(lines, from, wrap)
}

// trySize wraps the lines at a size and reports whether they fit.
func (s *textLayout) trySize(lines []Line, size float64, wrap wrapping) bool {
	s.size, s.rows = size, nil
	for _, l := range lines {
		rows, ok := s.wrapLine(l, s.box.Width()/(size*l.Size)*1000, wrap)
		if !ok || wrap == keepLines && l.Whole && len(rows) > 1 {
			return false
		}
		s.rows = append(s.rows, rows...)
	}
	return s.totalHeight() <= s.box.Height()
}

func (s *textLayout) totalHeight() float64 {
	h := 0.0
	for i, r := range s.rows {
		h += lineHeight * r.size
		if i > 0 {
			h += r.gap * r.size
		}
	}
	return h * s.size
}

// wrapLine breaks a line at spaces, and within words if that is allowed or the script has no spaces. Width is in thousandths of an em.
func (s *textLayout) wrapLine(l Line, width float64, allowed wrapping) ([]row, bool) {
	weight := weightOf(l)
	var rows []row
	current, used := "", 0.0
	flush := func() {
		rows = append(rows, row{current, l.Size, 0, l})
		current, used = "", 0
	}
	space := s.fonts.MeasureText(weight, " ")
	for _, word := range strings.Fields(l.Text) {
		w := s.fonts.MeasureText(weight, word)
		if current != "" && used+space+w <= width {
			current, used = current+" "+word, used+space+w
			continue
		}
		if current != "" {
			flush()
		}
		for w > width {
			head, headWidth := s.fitPrefix(weight, word, width)
			if allowed != breakWords && !breaksAnywhere(word) || head == "" || head == word {
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

// breaksAnywhere reports text of scripts that break anywhere.
func breaksAnywhere(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return r >= 0x2E80 && r < 0xFB00 || r >= 0x20000
}

// fitPrefix returns as much of a word as fits.
func (s *textLayout) fitPrefix(w font.Weight, word string, width float64) (head string, used float64) {
	for i, r := range word {
		next := s.fonts.MeasureText(w, string(r))
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

// drawRows writes the rows from the top.
func (s *textLayout) drawRows(w *canvas) {
	if len(s.rows) == 0 {
		return
	}
	w.buf.writeText("BT\n")
	y := s.box.URY - alignOffset(s.o.Vertical, s.box.Height()-s.totalHeight())
	for i, r := range s.rows {
		size := s.size * r.size
		if i > 0 {
			y -= r.gap * size
		}
		glyphs := s.fonts.LayoutLine(weightOf(r.line), r.text)
		width := 0.0
		for _, g := range glyphs {
			width += g.Advance * size / 1000
		}
		x := s.box.LLX + alignOffset(s.o.Horizontal, s.box.Width()-width)
		w.setColor(r.line.Color, "rg")
		w.showGlyphs(glyphs, size, x, y-ascent*size)
		y -= lineHeight * size
	}
	w.buf.writeText("ET\n")
}

func alignOffset(a Align, room float64) float64 { return max(0, room) * float64(a) / 2 }
