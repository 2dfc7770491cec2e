// Package fontfile reads from a font program that is embedded in a PDF file which character each of its glyphs is for:
// by the names of the glyphs, by the program's own character maps, and by outlines that two glyphs have in common. It
// draws nothing.
//
// It reads TrueType and OpenType (ISO/IEC 14496-22), bare CFF (Adobe Technical Note 5176) and Type 1. What it cannot
// read it knows nothing about: it never panics, and its work is bounded by the length of the program.
package fontfile

import (
	"errors"
	"slices"
)

// Font is a font program.
type Font struct {
	names    []string       // of glyphs; empty where there is none that is known
	runes    map[int][]rune // of glyphs, by Unicode character maps
	glyphs   map[rune]int   // the other way
	codes    map[byte]int   // glyphs of the built-in encoding, or of a symbol or Macintosh character map
	cids     map[uint32]int // glyphs of a font keyed by CID; nil: CIDs are glyphs
	outlines func(int) []byte
}

// ErrUnknown is returned for what is no font program, or one that is not read here.
var ErrUnknown = errors.New("no font program")

// Bounds of what is read of one program.
const (
	maxGlyphs = 1 << 16
	maxRunes  = 1 << 18 // entries of a character map
	maxAlike  = 16      // characters of one glyph
)

// Parse reads a font program. It keeps b.
func Parse(b []byte) (*Font, error) {
	switch {
	case len(b) < 4:
		return nil, ErrUnknown
	case b[0] == '%' && b[1] == '!' || b[0] == 0x80 && b[1] == 1:
		return parseType1(b)
	case string(b[:4]) == "OTTO" || string(b[:4]) == "true" || string(b[:4]) == "\x00\x01\x00\x00":
		return parseSFNT(b)
	case b[0] == 1 && b[1] == 0:
		return parseCFF(b)
	}
	return nil, ErrUnknown
}

// GlyphName returns the name of a glyph, or "". Of the names that formats leave out because every reader knows them, those of
// ASCII letters and digits are returned, and no others.
func (f *Font) GlyphName(glyph int) string {
	if glyph < 0 || glyph >= len(f.names) {
		return ""
	}
	return f.names[glyph]
}

// GlyphRunes returns the characters that the program's Unicode character maps lead to a glyph.
func (f *Font) GlyphRunes(glyph int) []rune { return f.runes[glyph] }

// GlyphByCode returns the glyph of a code by the program's own encoding.
func (f *Font) GlyphByCode(code byte) (int, bool) {
	g, ok := f.codes[code]
	return g, ok
}

// GlyphByName returns the glyph of that name.
func (f *Font) GlyphByName(name string) (int, bool) {
	g := slices.Index(f.names, name)
	return g, g >= 0 && name != ""
}

// GlyphByRune returns the glyph of a character by the program's Unicode character maps.
func (f *Font) GlyphByRune(r rune) (int, bool) {
	g, ok := f.glyphs[r]
	return g, ok
}

// GlyphByCID returns the glyph of a CID, in a program that is keyed by CID or where a CID is a glyph.
func (f *Font) GlyphByCID(cid uint32) (int, bool) {
	if f.cids == nil {
		return int(cid), cid < maxGlyphs
	}
	g, ok := f.cids[cid]
	return g, ok
}

// Outline returns the description of a glyph, which two glyphs that look the same may have in common; nil if there is
// none that paints.
func (f *Font) Outline(glyph int) []byte {
	if f.outlines == nil {
		return nil
	}
	return f.outlines(glyph)
}

// asciiName names an ASCII letter or digit as fonts do.
func asciiName(c rune) string {
	switch {
	case c >= '0' && c <= '9':
		return [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}[c-'0']
	case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		return string(c)
	}
	return ""
}

// program is the bytes of a program, of which what is beyond the end is zero.
type program []byte

func (b program) u8(at int) int {
	if at < 0 || at >= len(b) {
		return 0
	}
	return int(b[at])
}

func (b program) u16(at int) int { return b.u8(at)<<8 | b.u8(at+1) }

func (b program) u32(at int) int { return b.u16(at)<<16 | b.u16(at+2) }

// part returns bytes [from, to), or nil if not all are there.
func (b program) part(from, to int) program {
	if from < 0 || to < from || to > len(b) {
		return nil
	}
	return b[from:to]
}
