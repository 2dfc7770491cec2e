package font

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/go-fonts/dejavu/dejavusanscondensed"
)

// builtIn is a collection without system fonts.
func builtIn(t testing.TB) *Collection {
	t.Helper()
	c, err := NewCollection()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSubsetKeepsOutlinesAndWidths(t *testing.T) {
	t.Parallel()
	f := builtIn(t).builtIn[Regular]
	glyphs := []uint16{0}
	for _, r := range "Aé ñǻ" { // with composites, and one composed of composites
		g, ok := f.Glyph(r)
		if !ok {
			t.Fatalf("no glyph for %q", r)
		}
		glyphs = append(glyphs, g)
	}
	b, count, err := f.Subset(glyphs)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 8<<10 {
		t.Errorf("subset of %d bytes", len(b))
	}
	tables, _, err := readDirectory(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The subset has no character map, which the parser of whole fonts requires; the parser of outlines does not.
	s := &Face{data: b, tables: tables}
	n := int(binary.BigEndian.Uint16(s.tableData("maxp")[4:]))
	if n != count {
		t.Errorf("%d glyphs, said to be %d", n, count)
	}
	if n <= len(glyphs) {
		t.Errorf("%d glyphs; parts of composites are missing", n)
	}
	if got := len(s.tableData("loca")); got != 4*(n+1) {
		t.Errorf("loca of %d bytes for %d glyphs", got, n)
	}
	for i, g := range glyphs {
		width := float64(binary.BigEndian.Uint16(s.tableData("hmtx")[4*i:])) / f.units * 1000
		if want := f.Advance(g); width < want-1 || width > want+1 {
			t.Errorf("glyph %d is %g wide, was %g", i, width, want)
		}
	}
	if computeChecksum(b) != 0xB1B0AFBA {
		t.Errorf("check sum %x", computeChecksum(b))
	}
}

func TestEveryCharacterIsShownSomehow(t *testing.T) {
	t.Parallel()
	c := builtIn(t)
	for _, text := range []string{"Budi", "Ñandú", "Владимир", "\U0010FFFD", "a\u0301"} {
		line := c.LayoutLine(Regular, CleanText(text))
		if len(line) == 0 {
			t.Errorf("%q shows nothing", text)
		}
		for _, g := range line {
			if g.ID == 0 {
				t.Errorf("%q shows an empty box", text)
			}
		}
	}
	if g := c.LayoutLine(Bold, "\U0010FFFD")[0]; g.Text != string(Replacement) {
		t.Errorf("a character that no font has stands for %q", g.Text)
	}
	if got := len(c.LayoutLine(Regular, CleanText("a\u0301"))); got != 1 {
		t.Errorf("letter and mark are %d glyphs", got)
	}
}

func TestInvisibleCharactersDoNotReachThePage(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"  Budi\t\nSantoso ": "Budi Santoso", "Bu\u200bdi\u202e": "Budi", "A\u00adB\ufe0f": "AB", "\x00x": "x", "a \u200c b": "a b",
	} {
		if got := CleanText(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestArabicLettersJoin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"محمد":               "\uFEE3\uFEA4\uFEE4\uFEAA", // meem initial, hah medial, meem medial, dal final
		"علي":                "\uFECB\uFEE0\uFEF2",
		"لا":                 "\uFEFB", // mandatory ligature
		"دار":                "\uFEA9\uFE8D\uFEAD",
		"\u0628\u200c\u0631": "\uFE8F\uFEAD",             // a non-joiner separates beh and reh
		"شريڤ":               "\uFEB7\uFEAE\uFEF3\uFB6B", // veh of Jawi, final
		"ڤاوي":               "\uFB6C\uFE8E\uFEED\uFEF1", // veh initial
		"س\u06A0ڬه":          "\uFEB3\u06A0\u06AC\uFEEA", // letters without forms join their neighbours
		"ي\u06BDم":           "\uFEF3\u06BD\uFEE2",
		"ب\u0762ب":           "\uFE91\u0762\uFE90",
		"ب\u06CFب":           "\uFE91\u06CF\uFE8F", // waw with a dot does not join the next letter
	} {
		if got := CleanText(in); got != want {
			t.Errorf("%s became %+q, want %+q", in, got, want)
		}
	}
}

func TestRightToLeftRunsAreReversed(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Budi":          "Budi",
		"אבג":           "גבא",
		"Budi אבג x":    "Budi גבא x",
		"א(ב) Budi":     "Budi (ב)א",
		"Budi אב 12 גד": "Budi דג 12 בא",
		"Budi (אב) x":   "Budi (בא) x",
	} {
		if got := string(visualOrder(in)); got != want {
			t.Errorf("%q shows as %q, want %q", in, got, want)
		}
	}
}

func TestCopiedTextIsLettersNotForms(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, g := range slices.Backward(builtIn(t).LayoutLine(Regular, CleanText("محمد"))) {
		b.WriteString(g.Text)
	}
	if b.String() != "محمد" {
		t.Errorf("%q", b.String())
	}
}

func FuzzSubsetChecksTheGlyphs(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2}, uint16(36), uint16(200))
	f.Add([]byte{1, 200, 3, 255}, uint16(0), uint16(3))
	f.Add([]byte{0, 0, 0, 255, 0, 1, 255}, uint16(201), uint16(65535))
	f.Fuzz(func(t *testing.T, changes []byte, a, b uint16) {
		whole, err := Parse(dejavusanscondensed.TTF, 0)
		if err != nil {
			t.Fatal(err)
		}
		// Tables that only Subset reads are changed after parsing.
		face := *whole
		face.data = slices.Clone(whole.data)
		for i := 0; i+2 < len(changes); i += 3 {
			tag := []string{"glyf", "loca", "hmtx", "hhea", "head"}[int(changes[i])%5]
			table := face.tableData(tag)
			at := int(changes[i+1]) % len(table)
			if tag == "glyf" || tag == "loca" {
				at = (int(a)*4 + int(changes[i+1])) % len(table)
			}
			table[at] = changes[i+2]
		}
		_, _, _ = face.Subset([]uint16{0, a, b})
	})
}
