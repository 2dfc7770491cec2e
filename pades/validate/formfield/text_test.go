package formfield

import (
	"testing"

	"segel/pdf"
	"segel/pdf/content"
)

func TestTextAgreesWithAValueAsItIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown, want string
		is          matchLevel
	}{
		{"Agus Salim", "Agus Salim", matchWhole},
		{"Agus Salim", "Agus  Salim ", matchWhole},
		{"Agus\nSalim", "Agus Salim", matchWhole},
		{"Agus Salim", "Agus\r\nSalim", matchWhole},
		{"Agus\nSalim", "AgusSalim", matchWhole}, // a word that is broken
		{"AgusSalim", "Agus\nSalim", matchWhole},
		{"AgusSalim", "Agus Salim", matchNone},
		{"Agus Salim", "AgusSalim", matchNone},
		{"Agus", "Agus Salim", matchPrefix},
		{"", "Agus", matchPrefix},
		{"", "", matchWhole},
		{"Salim", "Agus Salim", matchNone},
		{"Agus Salim lunas", "Agus Salim", matchNone},
		{"agus salim", "Agus Salim", matchNone},
		{"“Agus” ’x’", "\"Agus\" 'x'", matchWhole},
		{"ﬁnal", "final", matchWhole},
		{"A\u200Bgus", "Agus", matchWhole},
		{"A\uFFFCus", "Agus", matchPossible},
		{"\uFFFC\uFFFC\uFFFC", "Agus", matchPossible},
		{"\uFFFC", "Agus", matchNone}, // one glyph for four letters
		{"\uFFFC\uFFFC\uFFFC", "ab", matchNone},
		{"\uFFFCx", "Agus", matchNone},
		{"9\uFFFC\uFFFC\uFFFC", "1000", matchNone},
	} {
		if got := matchRunes(foldText(c.shown), foldText(c.want)); got != c.is {
			t.Errorf("%q for %q: %d, want %d", c.shown, c.want, got, c.is)
		}
	}
}

// at is a glyph of a line with its baseline at y.
func at(x, y float64, text string) content.Glyph {
	return content.Glyph{Text: text, Reliability: content.Stated, X: x, EndX: x + 5, Y: y, Size: 10, Box: pdf.Rect{LLX: x, LLY: y, URX: x + 5, URY: y + 7}}
}

func TestGlyphsAreReadByLinesFromTheTop(t *testing.T) {
	t.Parallel()
	unreadable := at(30, 5, "")
	unreadable.Reliability = content.Unreliable
	for name, c := range map[string]struct {
		glyphs []content.Glyph
		want   string
	}{
		"as they are painted":   {[]content.Glyph{at(0, 5, "a"), at(5, 5, "b"), at(10, 5, "c")}, "abc"},
		"painted backwards":     {[]content.Glyph{at(10, 5, "c"), at(5, 5, "b"), at(0, 5, "a")}, "abc"},
		"a gap":                 {[]content.Glyph{at(0, 5, "a"), at(10, 5, "b")}, "a b"},
		"a blank":               {[]content.Glyph{at(0, 5, "a"), at(5, 5, " "), at(10, 5, "b")}, "a b"},
		"a blank without width": {[]content.Glyph{at(0, 5, "a"), at(0, 5, " "), at(5, 5, "b")}, "ab"},
		"two lines":             {[]content.Glyph{at(0, 5, "b"), at(0, 20, "a")}, "a\nb"},
		"a raised letter":       {[]content.Glyph{at(0, 5, "a"), at(5, 7, "b")}, "ab"},
		"one that is not read":  {[]content.Glyph{at(25, 5, "a"), unreadable}, "a\uFFFC"},
		"none":                  {nil, ""},
	} {
		if got := string(shownText(linesOf(&content.Appearance{Width: 100, Height: 30, Glyphs: c.glyphs}))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRichTextIsReadWithoutItsFormatting(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                              "",
		"<body><p>Teks</p></body>":      "Teks",
		"<p>Satu <b>dua</b></p><p>3":    "!",
		"<body><p>a</p><p>b</p></body>": "a b",
		"<body>a<br/>b</body>":          "a b",
		"<body><!-- tidak -->ya</body>": "ya",
		`<?xml version="1.0" encoding="x-unknown"?><p>a &amp; b</p>`: "a & b",
		"<p>&nobody;</p>": "!",
	} {
		text, err := plainText(source)
		got := string(foldText(text))
		if err != nil {
			got = "!"
		}
		for i, r := range got {
			if r == lineEnd {
				got = got[:i] + " " + got[i+1:]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

func TestMarksOfAPasswordSayNothing(t *testing.T) {
	t.Parallel()
	for shown, want := range map[string]bool{"": true, "***": true, "•••": true, "*•": false, "rahasia": false, "---": false} {
		if isMasked([]rune(shown)) != want {
			t.Errorf("%q: %v", shown, !want)
		}
	}
}
