package appearance

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"segel/pades/font"
	"segel/pdf"
)

// Line is a line of text, which is wrapped if its box is too narrow.
type Line struct {
	Text  string
	Size  float64 // relative to the other lines; 0 is 1
	Bold  bool
	Color Color
	Gap   float64 // space before it, relative to its size
	// Drop is when the line is left out because not all lines fit at TextOptions.MinSize: the largest first. 0: never.
	Drop int
	// Shorten allows the text to be cut off, with an ellipsis, if it does not fit alone.
	Shorten bool
	// Whole lines are wrapped only if all text would have to be much smaller otherwise.
	Whole bool
}

// Align is the alignment of text in its box.
type Align int8

// The alignments; Start is left or top.
const (
	Start Align = iota
	Middle
	End
)

// TextOptions of a box of text. The zero value is 10 points or less, from the upper left corner.
type TextOptions struct {
	MaxSize    float64 // points of a line of Size 1 if there is space; 0 is 10
	MinSize    float64 // points of the smallest text, whatever its Size, while there are lines that may be dropped; 0 is 4
	Horizontal Align
	Vertical   Align
}

// LineHeight is the distance between lines of text, in ems. It and ascent are those of DejaVu Sans, whose accented letters are
// the tallest here.
const LineHeight = 1.17

const ascent = 0.93

// WrapText returns the lines that [Drawing.Text] sets of a text at a size, in points, in a box of that width, in points: broken
// at spaces, and within words that are wider than the box. It returns no line for a text without visible characters.
func WrapText(text string, bold bool, size, width float64) ([]string, error) {
	fonts, err := font.SystemCollection()
	if err != nil {
		return nil, err
	}
	if text = font.CleanText(text); text == "" {
		return nil, nil
	}
	s := textLayout{fonts: fonts, box: pdf.Rect{URX: width}}
	rows, ok := s.wrapLine(Line{Text: text, Bold: bold}, size, breakWords)
	if !ok {
		return nil, fmt.Errorf("no space for text at %g points in %g points", size, width)
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.text
	}
	return lines, nil
}

// Text sets lines in a box, as large as fits. They never leave the box: words are wrapped, then text is made smaller, then
// lines are dropped and cut off as far as they allow, then the others are made as small as necessary. Lines of which all may
// be dropped are never smaller than MinSize: nothing is drawn if none fits.
func (d *Drawing) Text(r pdf.Rect, o TextOptions, lines ...Line) {
	fonts, err := font.SystemCollection()
	if err != nil {
		d.setError(err)
		return
	}
	if r.Empty() {
		d.setError(fmt.Errorf("no space for text in %v", r))
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
	least float64 // points of the smallest row
	size  float64 // points of a line of Size 1
	rows  []row
}

// row is one line after wrapping.
type row struct {
	text string
	size float64 // points
	gap  float64 // relative to size
	line Line
}

// fitLines determines size and rows.
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
	s.least = min(s.o.MinSize, s.o.MaxSize)
	for len(clean) > 0 {
		if s.fitWrapping(clean) {
			return
		}
		i := findFirstDrop(clean)
		if i < 0 {
			s.least = 0
			s.fitSize(clean, tinySize, min(s.o.MinSize, s.o.MaxSize), breakWords)
			return
		}
		if len(clean) == 1 && clean[i].Shorten && s.fitShortened(clean[i]) {
			return
		}
		clean = append(clean[:i], clean[i+1:]...)
	}
	s.rows = nil
}

// fitWrapping fits lines with as little wrapping as possible, and reports whether they fit.
func (s *textLayout) fitWrapping(lines []Line) bool {
	least := min(s.o.MinSize, s.o.MaxSize)
	for _, try := range []struct {
		least float64
		wrap  wrapping
	}{{max(least, s.o.MaxSize*wholeLineFactor), keepLines}, {least / 2, keepWords}, {least / 2, breakWords}} { // no row is smaller than s.least
		if s.fitSize(lines, try.least, s.o.MaxSize, try.wrap) {
			return true
		}
	}
	return false
}

// leastShortened is how many letters of a text must remain for it to be worth showing.
const leastShortened = 4

// fitShortened fits as much of a line as possible at the smallest size, with an ellipsis at its end. Marks stay with their
// letter: without them it is another letter.
func (s *textLayout) fitShortened(l Line) bool {
	text, ends := l.Text, letterEnds(l.Text)
	fits := func(n int) bool {
		l.Text = strings.TrimRight(text[:ends[n]], " .,") + "…"
		return s.trySize([]Line{l}, s.least, breakWords)
	}
	n := sort.Search(len(ends), func(n int) bool { return !fits(n) }) - 1
	return n >= leastShortened && fits(n)
}

// letterEnds returns where the first n letters of a text with their marks end, for each n but that of the whole text.
func letterEnds(text string) []int {
	var ends []int
	for i, r := range text {
		if i == 0 || !unicode.Is(unicode.M, r) {
			ends = append(ends, i)
		}
	}
	return ends
}

// tinySize is the size in points of text that must be in the file and has no space.
const tinySize = 1e-3

// wrapping is what may be broken to make text fit.
type wrapping uint8

const (
	keepLines  wrapping = iota // whole lines and words stay whole
	keepWords                  // words stay whole
	breakWords                 // nothing stays whole
)

// wholeLineFactor is how much smaller text may get to avoid breaking lines.
const wholeLineFactor = 0.55

// findFirstDrop returns the index of the line to leave out first; -1 if all must stay.
func findFirstDrop(lines []Line) int {
	found := -1
	for i, l := range lines {
		if l.Drop > 0 && (found < 0 || l.Drop >= lines[found].Drop) {
			found = i
		}
	}
	return found
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
		rows, ok := s.wrapLine(l, max(size*l.Size, s.least), wrap)
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
		h += LineHeight * r.size
		if i > 0 {
			h += r.gap * r.size
		}
	}
	return h
}

// wrapLine breaks a line of that size in points at spaces, and within words if that is allowed or the script has no spaces.
func (s *textLayout) wrapLine(l Line, size float64, allowed wrapping) ([]row, bool) {
	weight := weightOf(l)
	width := s.box.Width() / size * 1000 // in thousandths of an em
	var rows []row
	var current []string // words
	used := 0.0
	flush := func() {
		rows = append(rows, row{strings.Join(current, " "), size, 0, l})
		current, used = current[:0], 0
	}
	space := s.fonts.MeasureText(weight, " ")
	for _, word := range strings.Fields(l.Text) {
		w := s.fonts.MeasureText(weight, word)
		if len(current) > 0 && used+space+w <= width {
			current, used = append(current, word), used+space+w
			continue
		}
		if len(current) > 0 {
			flush()
		}
		for w > width {
			head, headWidth := s.fitPrefix(weight, word, width)
			if allowed != breakWords && !breaksAnywhere(word) || head == "" || head == word {
				return nil, false
			}
			current = append(current, head)
			flush()
			word, w = word[len(head):], w-headWidth
		}
		current, used = append(current, word), w
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

// fitPrefix returns as much of a word as fits. Marks stay with their letter unless the letter alone has no space for them.
func (s *textLayout) fitPrefix(w font.Weight, word string, width float64) (head string, used float64) {
	letter, before := 0, 0.0 // where the last letter begins, and the width before it
	for i, r := range word {
		mark := unicode.Is(unicode.M, r)
		if !mark {
			letter, before = i, used
		}
		next := s.fonts.MeasureText(w, string(r))
		if used+next > width {
			if mark && letter > 0 {
				return word[:letter], before
			}
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
		size := r.size
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
		y -= LineHeight * size
	}
	w.buf.writeText("ET\n")
}

func alignOffset(a Align, space float64) float64 { return max(0, space) * float64(a) / 2 }
