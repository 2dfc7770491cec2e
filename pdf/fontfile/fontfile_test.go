package fontfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/go-fonts/dejavu/dejavusanscondensed"
)

func mustParse(t testing.TB, b []byte) *Font {
	t.Helper()
	f, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTrueTypeGlyphsHaveCharacters(t *testing.T) {
	t.Parallel()
	f := mustParse(t, dejavusanscondensed.TTF)
	outlines := map[string]rune{}
	for c := '0'; c <= 'z'; c++ {
		name := asciiName(c)
		if name == "" {
			continue
		}
		g, ok := f.GlyphByRune(c)
		if !ok || f.GlyphName(g) != name {
			t.Errorf("%c is glyph %d, named %q", c, g, f.GlyphName(g))
		}
		if runes := f.GlyphRunes(g); len(runes) == 0 || runes[0] != c {
			t.Errorf("glyph %d is for %q, want %c first", g, runes, c)
		}
		if named, ok := f.GlyphByName(name); !ok || named != g {
			t.Errorf("%s is glyph %d, want %d", name, named, g)
		}
		if other, twice := outlines[string(f.Outline(g))]; twice || len(f.Outline(g)) == 0 {
			t.Errorf("%c looks like %c", c, other)
		}
		outlines[string(f.Outline(g))] = c
	}
	if g, ok := f.GlyphByCID(7); !ok || g != 7 {
		t.Errorf("CID 7 is glyph %d", g)
	}
	if _, ok := f.GlyphByRune('\U0010fffe'); ok || f.GlyphName(-1) != "" || f.GlyphName(1<<20) != "" || f.Outline(-1) != nil || f.Outline(1<<20) != nil {
		t.Error("something is known of what is not there")
	}
}

// table makes one table of a font.
func table(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		b, _ = binary.Append(b, binary.BigEndian, p)
	}
	return b
}

// sfnt puts tables into a font.
func sfnt(tables map[string][]byte) []byte {
	head := table([]byte("\x00\x01\x00\x00"), uint16(len(tables)), make([]byte, 6))
	var body []byte
	at := len(head) + 16*len(tables)
	for _, name := range []string{"cmap", "glyf", "head", "loca", "post"} {
		if tables[name] == nil {
			continue
		}
		head = append(head, table([]byte(name), uint32(0), uint32(at+len(body)), uint32(len(tables[name])))...)
		body = append(body, tables[name]...)
	}
	return append(head, body...)
}

func TestCharacterMapsAreReadInTheFormatsThatFontsHave(t *testing.T) {
	t.Parallel()
	cmap := func(platform, encoding uint16, sub []byte) []byte {
		return append(table(uint16(0), uint16(1), platform, encoding, uint32(12)), sub...)
	}
	bytes0 := make([]byte, 256)
	bytes0['A'] = 5
	for name, c := range map[string]struct {
		cmap []byte
		want func(f *Font) bool
	}{
		"0, Macintosh": {cmap(1, 0, table(uint16(0), uint16(262), uint16(0), bytes0)), func(f *Font) bool { g, ok := f.GlyphByCode('A'); return ok && g == 5 }},
		"4": {cmap(3, 1, table(uint16(4), uint16(32), uint16(0), uint16(4), make([]byte, 6), uint16('B'), uint16(0xffff), uint16(0), uint16('A'), uint16(0xffff),
			uint16(0xffff-'A'+1+3), uint16(1), uint16(0), uint16(0))), func(f *Font) bool { g, ok := f.GlyphByRune('B'); return ok && g == 4 && len(f.GlyphRunes(3)) == 1 }},
		"4, symbol": {cmap(3, 0, table(uint16(4), uint16(32), uint16(0), uint16(4), make([]byte, 6), uint16(0xf042), uint16(0xffff), uint16(0), uint16(0xf041), uint16(0xffff),
			uint16(0x10000-0xf041+3), uint16(1), uint16(0), uint16(0))), func(f *Font) bool { g, ok := f.GlyphByCode('B'); return ok && g == 4 && len(f.GlyphRunes(4)) == 0 }},
		"6":  {cmap(0, 3, table(uint16(6), uint16(14), uint16(0), uint16('x'), uint16(2), uint16(0), uint16(9))), func(f *Font) bool { g, ok := f.GlyphByRune('y'); return ok && g == 9 }},
		"12": {cmap(3, 10, table(uint16(12), uint16(0), uint32(28), uint32(0), uint32(1), uint32(0x1f600), uint32(0x1f601), uint32(7))), func(f *Font) bool { g, ok := f.GlyphByRune(0x1f601); return ok && g == 8 }},
	} {
		if !c.want(mustParse(t, sfnt(map[string][]byte{"cmap": c.cmap}))) {
			t.Errorf("format %s is not read", name)
		}
	}
}

func TestNamesOfFormat2AreTheStandardOnesAndThoseOfTheFont(t *testing.T) {
	t.Parallel()
	f := mustParse(t, sfnt(map[string][]byte{"post": table(uint32(0x00020000), make([]byte, 28), uint16(4), uint16(0), uint16(20), uint16(258), uint16(999), []byte("\x04nine"))}))
	for g, want := range []string{"", "one", "nine", "", ""} {
		if f.GlyphName(g) != want {
			t.Errorf("glyph %d is %q, want %q", g, f.GlyphName(g), want)
		}
	}
	if n := mustParse(t, sfnt(map[string][]byte{"post": table(uint32(0x00030000), make([]byte, 28))})).GlyphName(1); n != "" {
		t.Errorf("format 3 names a glyph %q", n)
	}
}

// cff makes a compact font of three glyphs: .notdef, one by its standard name, and one of its own.
func cff(keyed bool) []byte {
	index := func(items ...[]byte) []byte {
		b := table(uint16(len(items)), uint8(1), uint8(1))
		end := 1
		for _, item := range items {
			end += len(item)
			b = append(b, byte(end))
		}
		return append(b, bytes.Join(items, nil)...)
	}
	number := func(n int) []byte { return append([]byte{29}, table(uint32(n))...) }
	top := func(charset, encoding, glyphs int) []byte {
		d := append(append(number(charset), 15), append(append(number(encoding), 16), append(number(glyphs), 17)...)...)
		if keyed {
			d = append(append(append(number(391), append(number(392), number(0)...)...), 12, 30), d...)
		}
		return d
	}
	head := append([]byte{1, 0, 4, 1}, index([]byte("F"))...)
	tail := append(index([]byte("sembilan"), []byte("x")), 0, 0) // strings, no subroutines
	begin := len(head) + len(index(top(0, 0, 0))) + len(tail)
	set := table(uint8(0), uint16(18), uint16(391)) // SID 18 is one
	codes := table(uint8(0), uint8(2), []byte("1n"))
	glyphs := index([]byte{14}, []byte{139, 14}, []byte{140, 14})
	return bytes.Join([][]byte{head, index(top(begin, begin+len(set), begin+len(set)+len(codes))), tail, set, codes, glyphs}, nil)
}

func TestCompactFontHasNamesOrCIDs(t *testing.T) {
	t.Parallel()
	f := mustParse(t, cff(false))
	if f.GlyphName(1) != "one" || f.GlyphName(2) != "sembilan" {
		t.Errorf("%q", f.names)
	}
	if g, ok := f.GlyphByCode('n'); !ok || g != 2 {
		t.Errorf("n is glyph %d", g)
	}
	if string(f.Outline(2)) != "\x8c\x0e" {
		t.Errorf("glyph 2 is %x", f.Outline(2))
	}
	f = mustParse(t, cff(true))
	if g, ok := f.GlyphByCID(391); !ok || g != 2 || f.GlyphName(1) != "" {
		t.Errorf("CID 391 is glyph %d", g)
	}
	if _, ok := f.GlyphByCID(1); ok {
		t.Error("CID 1 is a glyph")
	}
}

// encrypt is the opposite of decrypt.
func encrypt(b []byte, key uint16) []byte {
	b = append(make([]byte, 4), b...)
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = c ^ byte(key>>8)
		key = (uint16(out[i])+key)*52845 + 22719
	}
	return out
}

// type1 makes a Type 1 font program of two glyphs.
func type1(encoding string) (clear, hidden []byte) {
	private := "dup /Private 8 dict dup begin /CharStrings 2 dict dup begin\n"
	for _, g := range []struct{ name, outline string }{{"one", "satu"}, {"nine", "sembilan"}} {
		c := encrypt([]byte(g.outline), charStringKey)
		private += fmt.Sprintf("/%s %d RD %s ND\n", g.name, len(c), c)
	}
	return []byte("%!PS-AdobeFont-1.0: F\n/Encoding " + encoding + "\ncurrentfile eexec\n"), encrypt([]byte(private+"end"), eexecKey)
}

func TestType1IsReadInAllItsSpellings(t *testing.T) {
	t.Parallel()
	clear, hidden := type1("256 array 0 1 255 {1 index exch /.notdef put} for\ndup 49 /nine put\nreadonly def")
	segment := func(kind byte, b []byte) []byte {
		n := len(b)
		return append([]byte{0x80, kind, byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, b...)
	}
	for name, file := range map[string][]byte{
		"plain":       append(bytes.Clone(clear), hidden...),
		"hexadecimal": append(bytes.Clone(clear), fmt.Sprintf("%x", hidden)...),
		"segments":    append(segment(1, clear), append(segment(2, hidden), 0x80, 3)...),
	} {
		f := mustParse(t, file)
		g, ok := f.GlyphByCode('1')
		if !ok || f.GlyphName(g) != "nine" || string(f.Outline(g)) != "sembilan" {
			t.Errorf("%s: 1 is glyph %d of %q: %q", name, g, f.names, f.Outline(g))
		}
		if g, ok := f.GlyphByName("one"); !ok || g != 0 {
			t.Errorf("%s: one is glyph %d", name, g)
		}
	}
	clear, hidden = type1("StandardEncoding def")
	f := mustParse(t, append(clear, hidden...))
	if g, ok := f.GlyphByCode('1'); !ok || f.GlyphName(g) != "one" {
		t.Errorf("by the standard encoding 1 is glyph %d", g)
	}
}

func TestUnknownFontProgramIsRefused(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "x", "%PDF-1.7 and more", "%!PS without a private part", "\x01\x00\x04\x01", "\x01\x00\xff\xff\xff\xff\xff"} {
		if f, err := Parse([]byte(s)); err == nil {
			t.Errorf("%q: %+v", s, f)
		}
	}
}

// FuzzParse reads any font program.
func FuzzParse(f *testing.F) {
	f.Add(cff(false))
	f.Add(cff(true))
	clear, hidden := type1("256 array dup 49 /nine put def")
	f.Add(append(clear, hidden...))
	f.Add(sfnt(map[string][]byte{
		"cmap": table(uint16(0), uint16(1), uint16(3), uint16(10), uint32(12), uint16(12), uint16(0), uint32(28), uint32(0), uint32(1), uint32(0), uint32(0xffffffff), uint32(0xfffffff0)),
		"post": table(uint32(0x00020000), make([]byte, 28), uint16(0xffff), []byte("\xff")), "head": make([]byte, 54), "loca": table(uint16(9), uint16(1)), "glyf": {1, 2, 3},
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		font, err := Parse(b)
		if err != nil {
			return
		}
		for c := range 256 {
			g, _ := font.GlyphByCode(byte(c))
			font.GlyphName(g)
			font.GlyphRunes(g)
			font.Outline(g)
			g, _ = font.GlyphByCID(uint32(c))
			font.Outline(g)
			font.GlyphByRune(rune(c))
		}
	})
}
