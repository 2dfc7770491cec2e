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
	Text    string  // for copying from the page
	Advance float64 // in thousandths of an em
}

// CleanText prepares text for measuring and setting: composed, on one line, without invisible characters, Arabic
// letters in their joined forms.
func CleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == nonJoiner:
			return r // until letters are joined
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, norm.NFC.String(text))
	text = strings.ReplaceAll(joinArabic(text), string(rune(nonJoiner)), "")
	return strings.Join(strings.Fields(text), " ")
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

// copiedText is the text of a shown character: presentation forms stand for the letters.
func copiedText(r rune, ok bool) string {
	if !ok {
		return string(Replacement)
	}
	if unicode.Is(unicode.Arabic, r) {
		return norm.NFKC.String(string(r))
	}
	return string(r)
}

// visualOrder returns the characters of a line from left to right.
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

// reverseRuns orders runs from the last to the first, and reverses those from right to left. Numbers between them do
// not change.
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

// hasStrongDirection reports characters with a strong direction.
func hasStrongDirection(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.L || isRightToLeft(r)
}

// reverseRun reverses a run. Marks stay behind their letter, and brackets are mirrored.
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

// arabicForms lists, from a letter's isolated form on, how it joins: 2 forms (isolated, final) for letters that do not
// join the next, 4 (isolated, final, initial, medial) for all others.
var arabicForms = map[rune]struct {
	first rune
	n     int
}{
	0x0621: {0xFE80, 1}, 0x0622: {0xFE81, 2}, 0x0623: {0xFE83, 2}, 0x0624: {0xFE85, 2}, 0x0625: {0xFE87, 2},
	0x0626: {0xFE89, 4}, 0x0627: {0xFE8D, 2}, 0x0628: {0xFE8F, 4}, 0x0629: {0xFE93, 2}, 0x062A: {0xFE95, 4},
	0x062B: {0xFE99, 4}, 0x062C: {0xFE9D, 4}, 0x062D: {0xFEA1, 4}, 0x062E: {0xFEA5, 4}, 0x062F: {0xFEA9, 2},
	0x0630: {0xFEAB, 2}, 0x0631: {0xFEAD, 2}, 0x0632: {0xFEAF, 2}, 0x0633: {0xFEB1, 4}, 0x0634: {0xFEB5, 4},
	0x0635: {0xFEB9, 4}, 0x0636: {0xFEBD, 4}, 0x0637: {0xFEC1, 4}, 0x0638: {0xFEC5, 4}, 0x0639: {0xFEC9, 4},
	0x063A: {0xFECD, 4}, 0x0641: {0xFED1, 4}, 0x0642: {0xFED5, 4}, 0x0643: {0xFED9, 4}, 0x0644: {0xFEDD, 4},
	0x0645: {0xFEE1, 4}, 0x0646: {0xFEE5, 4}, 0x0647: {0xFEE9, 4}, 0x0648: {0xFEED, 2}, 0x0649: {0xFEEF, 2},
	0x064A: {0xFEF1, 4}, 0x067E: {0xFB56, 4}, 0x0686: {0xFB7A, 4}, 0x0698: {0xFB8A, 2}, 0x06A9: {0xFB8E, 4},
	0x06AF: {0xFB92, 4}, 0x06CC: {0xFBFC, 4}, 0x0679: {0xFB66, 4}, 0x067A: {0xFB5E, 4}, 0x067B: {0xFB52, 4},
	0x067F: {0xFB62, 4}, 0x0680: {0xFB5A, 4}, 0x0683: {0xFB76, 4}, 0x0684: {0xFB72, 4}, 0x0687: {0xFB7E, 4},
	0x0688: {0xFB88, 2}, 0x068C: {0xFB84, 2}, 0x068D: {0xFB82, 2}, 0x068E: {0xFB86, 2}, 0x0691: {0xFB8C, 2},
	0x06A4: {0xFB6A, 4}, 0x06A6: {0xFB6E, 4}, 0x06AD: {0xFBD3, 4}, 0x06B1: {0xFB9A, 4}, 0x06B3: {0xFB96, 4},
	0x06BA: {0xFB9E, 2}, 0x06BB: {0xFBA0, 4}, 0x06BE: {0xFBAA, 4}, 0x06C6: {0xFBD9, 2}, 0x06C7: {0xFBD7, 2},
	0x06C8: {0xFBDB, 2}, 0x06CB: {0xFBDE, 2}, 0x06D0: {0xFBE4, 4},

	// Letters of Jawi, Pegon and Urdu that have no forms in Unicode, or whose forms fonts do not have, are shown as they
	// are. Their neighbours join them.
	0x0671: {0, 2}, 0x069F: {0, 4}, 0x06A0: {0, 4}, 0x06AC: {0, 4}, 0x06AE: {0, 4}, 0x06B4: {0, 4},
	0x06BD: {0, 4}, 0x06C0: {0, 2}, 0x06C1: {0, 4}, 0x06C5: {0, 2}, 0x06C9: {0, 2}, 0x06CF: {0, 2},
	0x06D1: {0, 4}, 0x06D2: {0, 2}, 0x06D3: {0, 2}, 0x0762: {0, 4}, 0x0763: {0, 4},
}

// lamAlef are the ligatures of lam with an alef, isolated form first; they are mandatory.
var lamAlef = map[rune]rune{0x0622: 0xFEF5, 0x0623: 0xFEF7, 0x0625: 0xFEF9, 0x0627: 0xFEFB}

const (
	lam       = 0x0644
	tatwil    = 0x0640
	nonJoiner = 0x200C // separates letters that would join, as in Persian names
)

// joinArabic replaces Arabic letters by their forms between their neighbours.
func joinArabic(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Arabic, r) }) {
		return text
	}
	in := []rune(text)
	var out []rune
	joined := false // the previous letter joins this one
	for i := 0; i < len(in); i++ {
		r := in[i]
		if unicode.Is(unicode.M, r) {
			out = append(out, r)
			continue
		}
		after := nextLetter(in, i)
		if ligature, ok := lamAlef[after]; ok && r == lam && i+1 < len(in) && in[i+1] == after {
			out = append(out, ligature+formOffset(joined, 1))
			joined = false
			i++
			continue
		}
		f, ok := arabicForms[r]
		if !ok {
			out, joined = append(out, r), r == tatwil
			continue
		}
		reaches := f.n == 4 && canJoin(after)
		if f.first != 0 {
			r = f.first + formOffset(joined && f.n > 1, 1) + formOffset(reaches, 2)
		}
		out, joined = append(out, r), reaches
	}
	return string(out)
}

func formOffset(yes bool, n rune) rune {
	if yes {
		return n
	}
	return 0
}

// nextLetter returns the letter after i, skipping marks, or 0.
func nextLetter(in []rune, i int) rune {
	for _, r := range in[i+1:] {
		if !unicode.Is(unicode.M, r) {
			return r
		}
	}
	return 0
}

// canJoin reports letters that can be joined by the previous one.
func canJoin(r rune) bool { return r == tatwil || arabicForms[r].n > 1 }
