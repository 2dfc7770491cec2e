package formfield

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"segel/pdf"
	"segel/pdf/content"
)

// Runes of a text that is to be compared.
const (
	lineEnd     = '\n'     // where the next line begins; a space may have been left out, or a word have been broken
	unreadGlyph = '\uFFFC' // a glyph that may draw anything
)

// textOf reads a value as text: a string, a name, or a stream of text (ISO 32000-2 §12.7.5.3).
func textOf(d *pdf.Document, o pdf.Object) (string, bool) {
	switch o := o.(type) {
	case nil, pdf.Null:
		return "", true
	case pdf.String:
		return o.Text(), len(o.Bytes) <= maxText
	case pdf.Name:
		return string(o), true
	case *pdf.Stream:
		if o.Len() > maxText {
			return "", false
		}
		b, err := d.Decode(o)
		return pdf.String{Bytes: b}.Text(), err == nil && len(b) <= maxText
	}
	return "", false
}

// foldText brings a text into the form in which it is compared: without differences that no reader of a page sees, with
// single spaces and line ends between its words.
func foldText(s string) []rune {
	var out []rune
	var gap rune
	for _, r := range norm.NFKC.String(s) {
		switch {
		case r == '\r' || r == lineEnd || r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f' || r == '\u0085':
			gap = lineEnd
			continue
		case unicode.IsSpace(r):
			if gap == 0 {
				gap = ' '
			}
			continue
		case r == '\u00AD' || r >= '\u200B' && r <= '\u200F' || r >= '\u202A' && r <= '\u202E' || r >= '\u2060' && r <= '\u206F' || r == '\uFEFF' || r < 0x20:
			continue
		}
		if gap != 0 && len(out) > 0 {
			out = append(out, gap)
		}
		gap = 0
		if like, ok := lookalikes[r]; ok {
			r = like
		}
		out = append(out, r)
	}
	return out
}

// lookalikes has characters that encodings of fonts put in the place of each other.
var lookalikes = map[rune]rune{
	'\u2018': '\'', '\u2019': '\'', '`': '\'', '\u00B4': '\'', '\u2032': '\'', '\u201C': '"', '\u201D': '"', '\u2033': '"',
	'\u2010': '-', '\u2011': '-', '\u2212': '-', '\u2044': '/', '\u2215': '/', '\u03BC': '\u00B5', '\u2126': '\u03A9', '\u2206': '\u0394',
}

// withoutSpaces drops spaces and line ends.
func withoutSpaces(s []rune) []rune {
	return slices.DeleteFunc(slices.Clone(s), func(r rune) bool { return r == ' ' || r == lineEnd })
}

// matchLevel is how a text that is shown relates to one that is to be shown.
type matchLevel uint8

const (
	matchNone     matchLevel = iota
	matchPrefix              // the one that is shown is how the other begins
	matchPossible            // it may be the same: some of its glyphs cannot be read
	matchWhole               //
)

// matchRunes compares what is shown with what is to be shown, both folded.
func matchRunes(shown, want []rune) matchLevel {
	if slices.Contains(shown, unreadGlyph) {
		if mayMatch(shown, want) {
			return matchPossible
		}
		return matchNone
	}
	i := 0
	for j := 0; j < len(shown); j++ {
		switch {
		case shown[j] == lineEnd:
			if i < len(want) && (want[i] == ' ' || want[i] == lineEnd) {
				i++
			}
		case i < len(want) && want[i] == lineEnd && shown[j] == ' ':
			i++
		case i < len(want) && want[i] == lineEnd && i+1 < len(want) && want[i+1] == shown[j]:
			i += 2 // programs drop line ends of what is a single line
		case i < len(want) && want[i] == shown[j]:
			i++
		default:
			return matchNone
		}
	}
	if i < len(want) {
		return matchPrefix
	}
	return matchWhole
}

// maxMatch bounds the comparisons with a text of which not all can be read.
const maxMatch = 4_000_000

// mayMatch reports whether a text of which not all can be read may be the one that is to be shown. A glyph that cannot be
// read stands for up to three characters.
func mayMatch(shown, want []rune) bool {
	room := len(want) // glyphs that cannot be read may be its spaces
	shown, want = withoutSpaces(shown), withoutSpaces(want)
	switch {
	case len(shown) > room:
		return false
	case len(shown)*len(want) > maxMatch:
		return true
	}
	reached := make([]bool, len(want)+1) // how much of want may have been shown so far
	reached[0] = true
	for _, r := range shown {
		next := make([]bool, len(want)+1)
		for i, ok := range reached {
			switch {
			case !ok:
			case r == unreadGlyph:
				for k := range min(4, len(want)-i+1) {
					next[i+k] = true
				}
			case i < len(want) && want[i] == r:
				next[i+1] = true
			}
		}
		reached = next
	}
	return reached[len(want)]
}

// line is a row of glyphs that draw something, from left to right.
type line []placedGlyph

// placedGlyph is a glyph in its line; spaced if there is a space before it.
type placedGlyph struct {
	content.Glyph
	spaced bool
}

// linesOf arranges glyphs as they are read, whatever the order of their painting: by lines from the top, and from left to
// right.
func linesOf(a *content.Appearance) []line {
	glyphs := slices.Clone(a.Glyphs)
	slices.SortStableFunc(glyphs, func(a, b content.Glyph) int { return cmp.Compare(b.Y, a.Y) })
	var lines []line
	for len(glyphs) > 0 {
		n := 1
		for n < len(glyphs) && glyphs[0].Y-glyphs[n].Y < 0.4*max(glyphs[0].Size, glyphs[n].Size) {
			n++
		}
		row := glyphs[:n]
		slices.SortStableFunc(row, func(a, b content.Glyph) int { return cmp.Compare(a.X, b.X) })
		if l := lineOf(row); len(l) > 0 {
			lines = append(lines, l)
		}
		glyphs = glyphs[n:]
	}
	return lines
}

// A gap between glyphs that is wider than wordGap parts words, a blank parts them if it leaves a gap of blankGap, and
// glyphs that stand closer than crowded lie on one another, in ems.
const (
	wordGap    = 0.25
	blankGap   = 0.1
	crowdedGap = 0.06
)

// lineOf leaves out the blanks of a row.
func lineOf(row []content.Glyph) line {
	var l line
	blanks := false
	for _, g := range row {
		if isBlank(g) {
			blanks = true
			continue
		}
		p := placedGlyph{Glyph: g}
		if n := len(l); n > 0 {
			gap := (g.X - l[n-1].EndX) / g.Size
			p.spaced = gap > wordGap || blanks && gap > blankGap
		}
		l, blanks = append(l, p), false
	}
	return l
}

// isBlank reports whether a glyph draws nothing.
func isBlank(g content.Glyph) bool {
	return g.Text != "" && g.Reliability != content.Unreliable && strings.TrimFunc(g.Text, unicode.IsSpace) == ""
}

// readText reads a line.
func (l line) readText() []rune {
	var b strings.Builder
	for _, g := range l {
		if g.spaced {
			b.WriteByte(' ')
		}
		if g.Reliability == content.Unreliable {
			b.WriteRune(unreadGlyph)
			continue
		}
		b.WriteString(g.Text)
	}
	return foldText(b.String())
}

// areCrowded reports whether so many glyphs lie on one another that they draw others.
func areCrowded(lines []line) bool {
	all, on := 0, 0
	for _, l := range lines {
		for i := 1; i < len(l); i++ {
			all++
			if l[i].X-l[i-1].X < crowdedGap*l[i].Size {
				on++
			}
		}
	}
	return on > 2 && on*5 > all
}

// shownText joins lines.
func shownText(lines []line) []rune {
	var all []rune
	for i, l := range lines {
		if i > 0 {
			all = append(all, lineEnd)
		}
		all = append(all, l.readText()...)
	}
	return all
}

// hasShapedScript reports whether letters of a text are arranged or shaped by rules that are not followed here, as those of
// Arabic and of the scripts of India are.
func hasShapedScript(s []rune) bool {
	return slices.ContainsFunc(s, func(r rune) bool {
		return r >= 0x0590 && r < 0x1100 || r >= 0x1780 && r < 0x1800 || r >= 0xFB1D && r < 0xFE00 || r >= 0xFE70 && r < 0xFEFF
	})
}
