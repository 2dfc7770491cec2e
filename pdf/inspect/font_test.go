package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-fonts/dejavu/dejavusanscondensed"

	"segel/pdf"
	"segel/pdf/fontfile"
	"segel/pdf/inspect"
	"segel/pdf/pdftest"
)

// newEditedFile is a page of that content after a change to it.
func newEditedFile(t testing.TB, content string, change func(u *pdf.Update, page pdf.Dict)) []byte {
	t.Helper()
	file := pdftest.Pages(pdftest.Page{MediaBox: [4]float64{0, 0, 600, 800}})
	u := open(t, file).NewUpdate()
	page, err := u.Edit(pdf.Ref{Number: pdftest.FirstPageNumber})
	if err != nil {
		t.Fatal(err)
	}
	page["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte(content)})
	change(u, page)
	tail, err := u.Build()
	if err != nil {
		t.Fatal(err)
	}
	return append(file, tail.Bytes...)
}

// toUnicode maps codes of that many bytes.
func toUnicode(u *pdf.Update, bytes int, pairs map[int]string) pdf.Ref {
	var b strings.Builder
	fmt.Fprintf(&b, "1 begincodespacerange <%0*x> <%s> endcodespacerange %d beginbfchar ", 2*bytes, 0, strings.Repeat("ff", bytes), len(pairs))
	for code, text := range pairs {
		fmt.Fprintf(&b, "<%0*x> <", 2*bytes, code)
		for _, r := range text {
			fmt.Fprintf(&b, "%04x", r)
		}
		b.WriteString("> ")
	}
	return u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte(b.String() + "endbfchar")})
}

// addFontProgram embeds a font program.
func addFontProgram(u *pdf.Update, b []byte, flags int) pdf.Ref {
	return u.Add(pdf.Dict{
		"Type": pdf.Name("FontDescriptor"), "FontName": pdf.Name("ABCDEF+DejaVu"), "Flags": pdf.Integer(flags), "FontFile2": u.Add(&pdf.Stream{Dict: pdf.Dict{"Length1": pdf.Integer(len(b))}, Data: b}),
	})
}

func TestTextOfAnEmbeddedFontIsComparedWithItsGlyphs(t *testing.T) {
	t.Parallel()
	font, err := fontfile.Parse(dejavusanscondensed.TTF)
	if err != nil {
		t.Fatal(err)
	}
	glyph := func(r rune) int {
		g, ok := font.GlyphByRune(r)
		if !ok {
			t.Fatalf("no glyph of %c", r)
		}
		return g
	}
	composite := func(shown rune, says string, table func(*pdf.Update) pdf.Object) []byte {
		code := glyph(shown)
		if table != nil {
			code = 5
		}
		return newEditedFile(t, fmt.Sprintf("BT /N 24 Tf 72 600 Td <%04x> Tj ET", code), func(u *pdf.Update, page pdf.Dict) {
			kid := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("CIDFontType2"), "FontDescriptor": addFontProgram(u, dejavusanscondensed.TTF, 4), "CIDToGIDMap": pdf.Name("Identity")}
			if table != nil {
				kid["CIDToGIDMap"] = table(u)
			}
			page["Resources"] = pdf.Dict{"Font": pdf.Dict{"N": u.Add(pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "BaseFont": pdf.Name("ABCDEF+DejaVu"), "Encoding": pdf.Name("Identity-H"),
				"DescendantFonts": pdf.Array{u.Add(kid)}, "ToUnicode": toUnicode(u, 2, map[int]string{code: says}),
			})}}
		})
	}
	simple := func(code byte, encoding pdf.Object, flags int, says string) []byte {
		return newEditedFile(t, fmt.Sprintf("BT /N 24 Tf 72 600 Td <%02x> Tj ET", code), func(u *pdf.Update, page pdf.Dict) {
			f := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("TrueType"), "BaseFont": pdf.Name("ABCDEF+DejaVu"), "FontDescriptor": addFontProgram(u, dejavusanscondensed.TTF, flags)}
			if encoding != nil {
				f["Encoding"] = encoding
			}
			if says != "" {
				f["ToUnicode"] = toUnicode(u, 1, map[int]string{int(code): says})
			}
			page["Resources"] = pdf.Dict{"Font": pdf.Dict{"N": u.Add(f)}}
		})
	}
	renamed := pdf.Dict{"Type": pdf.Name("Encoding"), "BaseEncoding": pdf.Name("WinAnsiEncoding"), "Differences": pdf.Array{pdf.Integer('1'), pdf.Name("nine")}}
	mapped := func(shown rune) func(*pdf.Update) pdf.Object {
		return func(u *pdf.Update) pdf.Object {
			table := make([]byte, 12)
			table[10], table[11] = byte(glyph(shown)>>8), byte(glyph(shown))
			return u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: table})
		}
	}
	for name, c := range map[string]struct {
		file        []byte
		says, shown string // empty: nothing is wrong
	}{
		"a composite font that is honest":               {composite('9', "9", nil), "", ""},
		"a composite font that says 1 for 9":            {composite('9', "1", nil), "1", "9"},
		"a composite font that says a word for a digit": {composite('9', "sembilan", nil), "sembilan", "9"},
		"a composite font with a table, honest":         {composite('9', "9", mapped('9')), "", ""},
		"a composite font with a table, 9 for 1":        {composite('1', "1", mapped('9')), "1", "9"},
		"a composite font that says nothing":            {composite('9', "\ue009", nil), "", ""},
		"a Cyrillic letter for a Latin one":             {composite('A', "А", nil), "", ""},
		"a ligature":                                    {composite('ﬁ', "fi", nil), "", ""},
		"a letter with an accent":                       {composite('é', "é", nil), "", ""},
		"a dash for another":                            {composite('–', "-", nil), "", ""},
		"a simple font that is honest":                  {simple('1', pdf.Name("WinAnsiEncoding"), 32, ""), "", ""},
		"a simple font that says 7 for 1":               {simple('1', pdf.Name("WinAnsiEncoding"), 32, "7"), "7", "1"},
		"a simple font that shows 9 for 1":              {simple('1', renamed, 32, "1"), "1", "9"},
		"a simple font that shows 9 and says so":        {simple('1', renamed, 32, ""), "", ""},
		"a symbol font that is honest":                  {simple('1', nil, 4, "1"), "", ""},
		"a symbol font that says 1 for 9":               {simple('9', nil, 4, "1"), "1", "9"},
	} {
		found := inspectFile(t, c.file, inspect.Limits{})
		switch {
		case c.says == "" && len(found) > 0:
			t.Errorf("%s: %+v", name, found)
		case c.says == "":
		case len(found) != 1 || found[0].Kind != inspect.Unreliable || found[0].Detail != c.says || found[0].Shown != c.shown || found[0].Page != 1:
			t.Errorf("%s: %+v, want %q for %q", name, found, c.says, c.shown)
		}
	}
}

func TestFontProgramsAreReadWithinTheirLimit(t *testing.T) {
	t.Parallel()
	file := newEditedFile(t, "BT /M 24 Tf 72 600 Td <39> Tj /N 24 Tf <39> Tj ET", func(u *pdf.Update, page pdf.Dict) {
		fonts := pdf.Dict{}
		for name, says := range map[pdf.Name]string{"M": "9", "N": "1"} {
			fonts[name] = u.Add(pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("TrueType"), "FontDescriptor": addFontProgram(u, dejavusanscondensed.TTF, 4), "ToUnicode": toUnicode(u, 1, map[int]string{'9': says}),
			})
		}
		page["Resources"] = pdf.Dict{"Font": fonts}
	})
	if got := kindsOf(inspectFile(t, file, inspect.Limits{})); len(got) != 1 || got[0] != "unreliable_text" {
		t.Errorf("%q", got)
	}
	if got := kindsOf(inspectFile(t, file, inspect.Limits{Fonts: 1})); len(got) != 1 || got[0] != "not_examined" {
		t.Errorf("behind the limit: %q", got)
	}
}
