package font

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// Glyph is one glyph to be set, with the text it stands for.
type Glyph struct {
	Face    *Face
	ID      uint16
	Text    string  // as it should be copied out of the page
	Advance float64 // in thousandths of an em
}

// CleanText prepares text for measuring and setting: composed, on one line, without characters that are not to be
// seen, Arabic letters in the forms that join.
func CleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), isInvisible(r):
			return -1
		}
		return r
	}, norm.NFC.String(text))
	return joinArabic(strings.Join(strings.Fields(text), " "))
}

// isInvisible reports characters that only tell how others are to be shown.
func isInvisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// MeasureText returns the width of cleaned text in thousandths of an em.
func (c *Collection) MeasureText(w Weight, text string) float64 {
	width := 0.0
	for _, r := range text {
		f, g, _ := c.FindGlyph(w, r)
		width += f.Advance(g)
	}
	return width
}

// LayoutLine returns the glyphs of one line of cleaned text from left to right.
func (c *Collection) LayoutLine(w Weight, text string) []Glyph {
	var line []Glyph
	for _, r := range visualOrder(text) {
		f, g, ok := c.FindGlyph(w, r)
		line = append(line, Glyph{Face: f, ID: g, Text: copiedText(r, ok), Advance: f.Advance(g)})
	}
	return line
}

// copiedText is what a shown character stands for: presentation forms give the letters themselves.
func copiedText(r rune, ok bool) string {
	if !ok {
		return string(Replacement)
	}
	if unicode.Is(unicode.Arabic, r) {
		return norm.NFKC.String(string(r))
	}
	return string(r)
}

// visualOrder orders the characters of a line from left to right.
func visualOrder(text string) []rune {
	if !strings.ContainsFunc(text, isRightToLeft) {
		return []rune(text)
	}
	var p bidi.Paragraph
	if _, err := p.SetString(text); err != nil {
		return []rune(text)
	}
	order, err := p.Order()
	if err != nil {
		return []rune(text)
	}
	runs := make([]bidi.Run, order.NumRuns())
	for i := range runs {
		runs[i] = order.Run(i)
	}
	// The library resolves directions and leaves the runs in the order of the text.
	if first := strings.IndexFunc(text, hasStrongDirection); first >= 0 && strings.IndexFunc(text, isRightToLeft) == first {
		return reverseRuns(runs)
	}
	var out []rune
	for i := 0; i < len(runs); {
		end := i + 1
		for j := i; isRightToLeftRun(runs[i]) && j < len(runs) && (isRightToLeftRun(runs[j]) || !strings.ContainsFunc(runs[j].String(), hasStrongDirection)); j++ {
			if isRightToLeftRun(runs[j]) {
				end = j + 1
			}
		}
		out = append(out, reverseRuns(runs[i:end])...)
		i = end
	}
	return out
}

func isRightToLeftRun(r bidi.Run) bool { return r.Direction() == bidi.RightToLeft }

// reverseRuns orders runs from the last to the first, and turns those from right to left round. Numbers between them
// stay as they are.
func reverseRuns(runs []bidi.Run) []rune {
	var out []rune
	for _, r := range slices.Backward(runs) {
		if isRightToLeftRun(r) {
			out = append(out, reverseRun(r.String())...)
			continue
		}
		out = append(out, []rune(r.String())...)
	}
	return out
}

func isRightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// hasStrongDirection reports characters that have a direction of their own.
func hasStrongDirection(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.L || isRightToLeft(r)
}

// reverseRun turns a run round. Marks stay behind the letter they sit on, and brackets open the other way.
func reverseRun(s string) []rune {
	var out []rune
	runes := []rune(s)
	for end := len(runes); end > 0; {
		start := end - 1
		for start > 0 && unicode.Is(unicode.M, runes[start]) {
			start--
		}
		cluster := slices.Clone(runes[start:end])
		cluster[0] = mirrorBracket(cluster[0])
		out = append(out, cluster...)
		end = start
	}
	return out
}

func mirrorBracket(r rune) rune {
	const pairs = "()[]{}<>«»‹›"
	runes := []rune(pairs)
	if i := slices.Index(runes, r); i >= 0 {
		return runes[i^1]
	}
	return r
}
