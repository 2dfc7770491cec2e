package formfield

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"segel/pdf"
	"segel/pdf/content"
)

// Runes with a special meaning in compared text.
const (
	lineEnd     = '\n'     // start of the next line; a space may be left out, or a word broken
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

// foldText normalizes text for comparison: it drops differences that people do not see, and puts single spaces or line
// ends between words.
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

// lookalikes maps characters that font encodings use for each other.
var lookalikes = map[rune]rune{
	'\u2018': '\'', '\u2019': '\'', '`': '\'', '\u00B4': '\'', '\u2032': '\'', '\u201C': '"', '\u201D': '"', '\u2033': '"',
	'\u2010': '-', '\u2011': '-', '\u2212': '-', '\u2044': '/', '\u2215': '/', '\u03BC': '\u00B5', '\u2126': '\u03A9', '\u2206': '\u0394',
}

// withoutSpaces drops spaces and line ends.
func withoutSpaces(s []rune) []rune {
	return slices.DeleteFunc(slices.Clone(s), func(r rune) bool { return r == ' ' || r == lineEnd })
}

// matchLevel is how a shown text relates to the expected one.
type matchLevel uint8

const (
	matchNone     matchLevel = iota
	matchPrefix              // the shown text is the beginning of the other
	matchPossible            // it may match: some glyphs cannot be read
	matchWhole               //
)

// matchRunes compares a shown text with the expected one, both folded.
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
			i += 2 // programs drop line ends in single-line fields
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

// maxMatch bounds the comparisons with partly unreadable text.
const maxMatch = 4_000_000

// mayMatch reports whether a partly unreadable text may be the expected one. An unreadable glyph stands for up to three
// characters.
func mayMatch(shown, want []rune) bool {
	limit := len(want) // unreadable glyphs may be its spaces
	shown, want = withoutSpaces(shown), withoutSpaces(want)
	switch {
	case len(shown) > limit:
		return false
	case len(shown)*len(want) > maxMatch:
		return true
	}
	reached := make([]bool, len(want)+1) // prefixes of want that may be shown so far
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

// line is a row of visible glyphs, from left to right.
type line []placedGlyph

// placedGlyph is a glyph in its line; spaced if a space precedes it.
type placedGlyph struct {
	content.Glyph
	spaced bool
}

// linesOf arranges glyphs in reading order, whatever the order of painting: lines from the top, glyphs from left to right.
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

// In ems: a gap wider than wordGap separates words, a blank separates them if it leaves blankGap, and glyphs closer than
// crowdedGap overlap.
const (
	wordGap    = 0.25
	blankGap   = 0.1
	crowdedGap = 0.06
)

// lineOf builds a line from a row without its blanks.
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

// readText returns the text of a line.
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

// areCrowded reports whether so many glyphs overlap that they may draw others.
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

// hasShapedScript reports whether a text has letters that are reordered or shaped by rules not implemented here, as in
// Arabic and Indic scripts.
func hasShapedScript(s []rune) bool {
	return slices.ContainsFunc(s, func(r rune) bool {
		return r >= 0x0590 && r < 0x1100 || r >= 0x1780 && r < 0x1800 || r >= 0xFB1D && r < 0xFE00 || r >= 0xFE70 && r < 0xFEFF
	})
}

// compareRichText checks the rich text of a field with another value: readers may show it instead of the value (ISO
// 32000-2 §12.7.4.3), so it must say the same.
func (c *comparison) compareRichText() Result {
	changed := !c.objects.equalObjects(c.old.richText, c.new.richText, 0)
	if isAbsent(c.new.richText) || !changed && c.new.Flags&flagRichText == 0 {
		return Result{Outcome: Shown}
	}
	if !changed {
		return Result{NotCompared, "/RV was left as it was"}
	}
	source, ok := textOf(c.new.d, c.new.richText)
	if !ok {
		return Result{Unreadable, "/RV"}
	}
	text, err := plainText(source)
	if err != nil {
		return Result{Unreadable, "/RV: " + err.Error()}
	}
	value, ok := textOf(c.new.d, c.new.Value)
	if !ok {
		return Result{Unreadable, errValue.Error()}
	}
	if !slices.Equal(withoutSpaces(foldText(text)), withoutSpaces(foldText(value))) {
		return Result{Differs, "/RV says something else"}
	}
	return Result{Outcome: Shown}
}

// plainText returns the text of rich text. Comments and instructions are ignored.
func plainText(source string) (string, error) {
	d := xml.NewDecoder(bytes.NewReader([]byte(source)))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var out strings.Builder
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			out.Write(t)
		case xml.EndElement:
			if t.Name.Local == "p" || t.Name.Local == "br" {
				out.WriteByte('\n')
			}
		}
	}
}

// formatScript is the JavaScript that formats the value of a field for display (/AA /F).
type formatScript struct {
	name string // of the called function, such as AFNumber_Format; empty for a custom script
	args []string
}

// formatCall is a script that only calls one of Acrobat's format functions.
var formatCall = regexp.MustCompile(`^\s*(AF(?:Number|Percent|Date|Time|Special)_Format(?:Ex)?)\s*\(([^()]*)\)\s*;?\s*$`)

// maxScript bounds the scripts examined; longer ones count as custom scripts.
const maxScript = 2000

func (f *Field) readFormat(o pdf.Object) (*formatScript, error) {
	dict, err := f.d.Dict(o)
	if err != nil {
		return nil, err
	}
	if dict["F"] == nil {
		return nil, nil
	}
	action, err := f.d.Dict(dict["F"])
	if err != nil {
		return nil, err
	}
	js, err := f.d.Resolve(action["JS"])
	if err != nil {
		return nil, err
	}
	source, ok := textOf(f.d, js)
	m := formatCall.FindStringSubmatch(source)
	if !ok || len(source) > maxScript || m == nil || action["Next"] != nil {
		return &formatScript{}, nil
	}
	return &formatScript{name: m[1], args: splitArguments(m[2])}, nil
}

// splitArguments splits the arguments of a call at commas outside of quotes.
func splitArguments(s string) []string {
	var all []string
	var quote rune
	from := 0
	for i, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == 0 && r == ',':
			all, from = append(all, strings.TrimSpace(s[from:i])), i+1
		}
	}
	return append(all, strings.TrimSpace(s[from:]))
}

// compareFormatted checks whether a text may be the formatted value. Numbers and digits can be compared; dates and the
// results of other scripts cannot.
func (s *formatScript) compareFormatted(value, shown string) Result {
	switch s.name {
	case "AFNumber_Format":
		return s.compareNumber(value, shown, 1)
	case "AFPercent_Format":
		return s.compareNumber(value, strings.ReplaceAll(shown, "%", ""), 100)
	case "AFSpecial_Format":
		if digitsOf(value) != "" && digitsOf(value) == digitsOf(shown) && strings.Trim(shown, "0123456789 ()-./") == "" {
			return Result{Outcome: Shown}
		}
		return Result{Differs, "other digits than the value has"}
	}
	if s.name != "" && digitsOf(shown) == "" {
		return Result{Differs, "no date or time"}
	}
	return Result{NotCompared, "a script formats it"}
}

// compareNumber compares numbers up to the decimals shown. The second argument selects the separators: 0 and 1 a point,
// 2 and 3 a comma, 4 a point and apostrophes; the fifth is the currency.
func (s *formatScript) compareNumber(value, shown string, times float64) Result {
	if len(s.args) < 2 {
		return Result{NotCompared, "a script formats it"}
	}
	decimals, err1 := strconv.Atoi(s.args[0])
	style, err2 := strconv.Atoi(s.args[1])
	want, err3 := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(value), ",", "."), 64)
	if err1 != nil || err2 != nil || err3 != nil || decimals < 0 || decimals > 15 {
		return Result{NotCompared, "a script formats it"}
	}
	if len(s.args) > 4 {
		currency := strings.TrimSpace(unquoteArgument(s.args[4]))
		shown = strings.Replace(shown, string(foldText(currency)), "", 1)
	}
	got, ok := parseFormattedNumber(shown, style == 2 || style == 3)
	if !ok {
		return Result{Differs, "no number"}
	}
	want *= times
	if len(s.args) > 2 && (s.args[2] == "1" || s.args[2] == "3") {
		got, want = math.Abs(got), math.Abs(want) // negative numbers may be shown in red only
	}
	if math.Abs(got-want) > 0.5*math.Pow10(-decimals)+1e-9*math.Abs(want) {
		return Result{Differs, "another number than the value"}
	}
	return Result{Outcome: Shown}
}

func unquoteArgument(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return strings.Trim(s, `"'`)
}

// pointNumber and commaNumber are numbers with a decimal point and with a decimal comma, digits grouped by three.
var (
	pointNumber = regexp.MustCompile(`^\d*(?:[, ']\d{3})*(?:\.\d*)?$`)
	commaNumber = regexp.MustCompile(`^\d*(?:[. ']\d{3})*(?:,\d*)?$`)
)

// parseFormattedNumber parses a number with separators; a negative one has a sign or parentheses.
func parseFormattedNumber(s string, comma bool) (float64, bool) {
	s = strings.TrimSpace(s)
	inner, negative := strings.CutPrefix(s, "(")
	if inner, closed := strings.CutSuffix(inner, ")"); negative && closed {
		s = inner
	} else {
		s, negative = strings.CutPrefix(s, "-")
	}
	s = strings.TrimSpace(s)
	form, point, group := pointNumber, ".", ","
	if comma {
		form, point, group = commaNumber, ",", "."
	}
	if !form.MatchString(s) {
		return 0, false
	}
	s = strings.NewReplacer(group, "", " ", "", "'", "", point, ".").Replace(s)
	v, err := strconv.ParseFloat(s, 64)
	if negative {
		v = -v
	}
	return v, err == nil
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}
