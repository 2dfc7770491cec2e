package font

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/go-fonts/dejavu/dejavusanscondensed"
)

func TestCoverageIsThatOfTheFont(t *testing.T) {
	t.Parallel()
	f := builtIn(t).builtIn[Regular]
	file := bytes.NewReader(dejavusanscondensed.TTF)
	m, err := readCharacterMap(file)
	if err != nil {
		t.Fatal(err)
	}
	mapped := make(characterSet, (unicode.MaxRune+1)/64)
	addMappedCharacters(mapped, m)
	for r := rune(0); r < 0x20000; r++ {
		_, want := f.Glyph(r)
		if want && !mapped.has(r) {
			t.Fatalf("%U is not mapped", r)
		}
		if got := findMappedGlyph(m, uint32(r)) != 0; got != want {
			t.Fatalf("%U: %v, want %v", r, got, want)
		}
	}
	if !hasCharacter(file, 'A') || hasCharacter(file, 0x10FFFD) {
		t.Error("A is not covered, or what nobody has is")
	}
	if !hasValidChecksums(dejavusanscondensed.TTF, 0) {
		t.Error("a sound font is not whole")
	}
}

// TestManyMissingCharactersDoNotHideThoseOfSystemFonts is what a user could do to the signatures of all others.
func TestManyMissingCharactersDoNotHideThoseOfSystemFonts(t *testing.T) {
	t.Parallel()
	const private = 0xE123
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "NotoSans-Regular.ttf"), movedGlyphMap(t, private), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := NewCollection(dir)
	if err != nil {
		t.Fatal(err)
	}
	for r := rune(0x20000); r < 0x20000+20_000; r++ {
		if _, _, ok := c.FindGlyph(Regular, r); ok {
			t.Fatalf("%U has a glyph", r)
		}
	}
	if _, _, ok := c.FindGlyph(Regular, private); !ok {
		t.Error("a character of a system font has no glyph")
	}
}

func TestDamagedSystemFontsAreIgnored(t *testing.T) {
	t.Parallel()
	// A valid font whose name ranks it first, with a letter moved to a character that the built-in fonts do not have.
	const private = 0xE123
	sound := movedGlyphMap(t, private)
	for name, damage := range map[string]func([]byte) []byte{
		"":             func(b []byte) []byte { return b },
		"bit":          func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"cut off":      func(b []byte) []byte { return b[:len(b)-1000] },
		"empty":        func([]byte) []byte { return nil },
		"far tables":   func(b []byte) []byte { binary.BigEndian.PutUint32(b[12+8:], 1<<31); return b },
		"zeroed block": func(b []byte) []byte { clear(b[len(b)/3:][:4096]); return b },
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "NotoSans-Regular.ttf"), damage(bytes.Clone(sound)), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := NewCollection(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := c.FindGlyph(Regular, private); ok != (name == "") {
			t.Errorf("%q: used: %v", name, ok)
		}
	}
}

// movedGlyphMap is the built-in font with a character map of one more character, and correct checksums.
func movedGlyphMap(t testing.TB, r uint16) []byte {
	t.Helper()
	b := bytes.Clone(dejavusanscondensed.TTF)
	tables, _, err := readDirectory(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	be := binary.BigEndian
	m := be.AppendUint16(nil, 0)
	m = be.AppendUint32(be.AppendUint16(be.AppendUint16(be.AppendUint16(m, 1), 3), 1), 12)
	for _, v := range []uint16{4, 32, 0, 4, 4, 1, 0, r, 0xFFFF, 0, r, 0xFFFF, 36 - r, 1, 0, 0} {
		m = be.AppendUint16(m, v)
	}
	at := tables["cmap"][0]
	copy(b[at:], m)
	for i := 0; i < int(be.Uint16(b[4:])); i++ {
		if e := b[12+16*i:]; string(e[:4]) == "cmap" {
			be.PutUint32(e[12:], uint32(len(m)))
			be.PutUint32(e[4:], computeChecksum(m))
		}
	}
	return b
}

func FuzzCoverageOfAnyFile(f *testing.F) {
	f.Add(movedGlyphMap(f, 0xE123)[:700], int32(0xE123))
	f.Add([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x10"), int32('A'))
	f.Add([]byte("\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00cmap\x00\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x20\x00\x00\x00\x01\x00\x03\x00\x0a\x00\x00\x00\x0c\x00\x0c\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\xff\xff\xff\xff"), int32('A'))
	f.Fuzz(func(t *testing.T, b []byte, r int32) {
		_ = hasCharacter(bytes.NewReader(b), r)
		_ = findMappedGlyph(b, uint32(r))
		_ = hasValidChecksums(b, 0)
	})
}

// BenchmarkCharacterThatNoFontHas searches all fonts of the system for a character, with their character maps and with
// whole files. A name may contain thousands of such characters.
func BenchmarkCharacterThatNoFontHas(b *testing.B) {
	c, err := SystemCollection()
	if err != nil {
		b.Fatal(err)
	}
	c.listFontFiles()
	wholeFile := func(path string, r rune) *Face {
		data, err := os.ReadFile(path)
		if err != nil || !hasValidChecksums(data, 0) {
			return nil
		}
		f, err := Parse(data, 0)
		if err != nil || !f.hasOutline(r) {
			return nil
		}
		return f
	}
	for name, open := range map[string]func(string, rune) *Face{"maps": openFontFile, "files": wholeFile} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, path := range c.paths {
					open(path, 0x10F000)
				}
			}
		})
	}
}
