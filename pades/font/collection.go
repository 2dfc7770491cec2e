// Package font finds glyphs for any text and reduces fonts to the glyphs that a drawing uses.
//
// Two faces are built in, DejaVu Sans Condensed and its bold. Other characters are searched in the system fonts, which
// are opened only then. A character that no font has is shown as the replacement character, never left out.
//
// Text is set without the finer rules of complex scripts, but lines that run from right to left are reordered, and
// Arabic letters join. Lengths are thousandths of an em: multiply by the size in points and divide by 1,000 to get
// points.
//
// No function fails because of a missing glyph. Parse and Subset return ErrUnusable for a font that cannot be read or
// must not be embedded; a system font is parsed only after its checksums were verified.
package font

import (
	"cmp"
	"encoding/binary"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-fonts/dejavu/dejavusanscondensed"
	"github.com/go-fonts/dejavu/dejavusanscondensedbold"
)

// Weight is regular or bold.
type Weight uint8

// The weights that are built in. Fonts of the system are used for both.
const (
	Regular Weight = iota
	Bold
)

// Replacement is shown for a character that no font has.
const Replacement = '\uFFFD'

// Collection finds a face for every character.
type Collection struct {
	builtIn [2]*Face
	dirs    []string

	mu      sync.Mutex // guards all below; held while system fonts are searched
	listed  bool
	paths   []string       // not opened yet, the most likely first
	mapped  characterSet   // what the character maps of paths have, and perhaps more
	opened  []*Face        // fonts that were used so far
	missing map[rune]bool  // characters of mapped that no font can draw
	found   map[rune]*Face // among opened
}

// maxMissing bounds the cache of characters that no font can draw.
const maxMissing = 10_000

// characterSet has one bit for each character.
type characterSet []uint64

func (s characterSet) addRange(first, last uint32) {
	for r := first; r <= last; r++ {
		s[r/64] |= 1 << (r % 64)
	}
}

func (s characterSet) has(r rune) bool {
	return r >= 0 && int(r/64) < len(s) && s[r/64]>>(r%64)&1 == 1
}

// NewCollection returns a collection of the built-in faces and, for missing characters, the fonts below some folders.
func NewCollection(dirs ...string) (*Collection, error) {
	c := &Collection{dirs: dirs, missing: map[rune]bool{}, found: map[rune]*Face{}}
	for i, data := range [2][]byte{dejavusanscondensed.TTF, dejavusanscondensedbold.TTF} {
		var err error
		if c.builtIn[i], err = Parse(data, 0); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// SystemCollection is the collection with the font folders of the system.
var SystemCollection = sync.OnceValues(func() (*Collection, error) {
	return NewCollection("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", `C:\Windows\Fonts`)
})

// FindGlyph returns the face and glyph for a character, or those of Replacement with ok false.
func (c *Collection) FindGlyph(w Weight, r rune) (f *Face, glyph uint16, ok bool) {
	for _, f := range []*Face{c.builtIn[w], c.builtIn[Regular]} {
		if g, ok := f.Glyph(r); ok {
			return f, g, true
		}
	}
	if f := c.findSystemFace(r); f != nil {
		g, _ := f.Glyph(r)
		return f, g, true
	}
	g, _ := c.builtIn[w].Glyph(Replacement)
	return c.builtIn[w], g, false
}

// findSystemFace searches for a character in the system fonts. Files are read only for a character that one of them seems to have, at most
// once, and retained only if they are used.
func (c *Collection) findSystemFace(r rune) *Face {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.found[r]; f != nil || c.missing[r] {
		return f
	}
	for _, f := range c.opened {
		if _, ok := f.Glyph(r); ok {
			c.found[r] = f
			return f
		}
	}
	c.listFontFiles()
	if !c.mapped.has(r) {
		return nil
	}
	for i, path := range c.paths {
		if f := openFontFile(path, r); f != nil {
			c.paths = slices.Delete(c.paths, i, i+1)
			c.opened = append(c.opened, f)
			c.found[r] = f
			return f
		}
	}
	if len(c.missing) >= maxMissing {
		clear(c.missing)
	}
	c.missing[r] = true
	return nil
}

// listFontFiles lists the font files, those first whose names suggest plain text in many scripts, and the characters that they have.
func (c *Collection) listFontFiles() {
	if c.listed {
		return
	}
	c.listed = true
	for _, dir := range c.dirs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // skip unreadable folders
			}
			switch strings.ToLower(filepath.Ext(path)) {
			case ".ttf", ".otf", ".ttc", ".otc":
				c.paths = append(c.paths, path)
			}
			return nil
		})
	}
	slices.SortStableFunc(c.paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(rankFontFile(a), rankFontFile(b)), cmp.Compare(a, b))
	})
	c.mapped = make(characterSet, (unicode.MaxRune+1)/64)
	for _, path := range c.paths {
		if file, err := os.Open(path); err == nil {
			if m, err := readCharacterMap(file); err == nil {
				addMappedCharacters(c.mapped, m)
			}
			_ = file.Close() // read only
		}
	}
}

func rankFontFile(path string) int {
	name := strings.ToLower(filepath.Base(path))
	n := 0
	for i, word := range []string{"noto", "sans", "regular"} {
		if !strings.Contains(name, word) {
			n += 1 << i
		}
	}
	for _, word := range []string{"italic", "oblique", "mono", "bold", "thin", "black", "light", "condensed", "color", "emoji", "ui"} {
		if strings.Contains(name, word) {
			n += 8
		}
	}
	return n
}

// maxFile bounds a font file in bytes; fonts with all of Chinese have 20 MB.
const maxFile = 64 << 20

// openFontFile parses a font file if it has the character. It reads the character map first.
func openFontFile(path string, r rune) *Face {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	if !hasCharacter(file, r) {
		return nil
	}
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

// hasOutline reports whether the glyph can be drawn as an outline, unlike colour bitmaps.
func (f *Face) hasOutline(r rune) bool {
	g, ok := f.Glyph(r)
	if !ok {
		return false
	}
	outline, err := f.Outline(g)
	return err == nil && (len(outline) > 0 || unicode.IsSpace(r))
}

// Limits of what is read of a font before its checksums are verified.
const (
	maxTables = 64
	maxMap    = 4 << 20 // bytes of a character map
)

// hasCharacter reports whether a font has a glyph for a character. It reads the directory and the character map only,
// and trusts nothing in them: the rendering library only gets files with valid checksums.
func hasCharacter(file io.ReaderAt, r rune) bool {
	m, err := readCharacterMap(file)
	if err != nil {
		return false
	}
	return findMappedGlyph(m, uint32(r)) != 0
}

// readCharacterMap reads the cmap table.
func readCharacterMap(file io.ReaderAt) ([]byte, error) {
	head := make([]byte, 16)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	at := int64(0)
	if string(head[:4]) == "ttcf" {
		at = int64(binary.BigEndian.Uint32(head[12:]))
		if _, err := file.ReadAt(head[:12], at); err != nil {
			return nil, err
		}
	}
	n := int(binary.BigEndian.Uint16(head[4:]))
	if n > maxTables {
		return nil, unusableError("too many tables")
	}
	directory := make([]byte, 16*n)
	if _, err := file.ReadAt(directory, at+12); err != nil {
		return nil, err
	}
	for ; len(directory) > 0; directory = directory[16:] {
		if string(directory[:4]) != "cmap" {
			continue
		}
		size := binary.BigEndian.Uint32(directory[12:])
		if size > maxMap {
			return nil, unusableError("character map too large")
		}
		m := make([]byte, size)
		_, err := file.ReadAt(m, int64(binary.BigEndian.Uint32(directory[8:])))
		return m, err
	}
	return nil, unusableError("no character map")
}

// unicodeSubtables iterates over the Unicode subtables of a character map, each from its format on and of at least 16 bytes.
func unicodeSubtables(m []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(m) < 4 {
			return
		}
		n := min(int(binary.BigEndian.Uint16(m[2:])), (len(m)-4)/8)
		for i := range n {
			record := m[4+8*i:]
			platform, encoding := binary.BigEndian.Uint16(record), binary.BigEndian.Uint16(record[2:])
			at := int64(binary.BigEndian.Uint32(record[4:]))
			if platform != 0 && (platform != 3 || encoding != 1 && encoding != 10) || at+16 > int64(len(m)) {
				continue
			}
			if !yield(m[at:]) {
				return
			}
		}
	}
}

// addMappedCharacters adds the characters for which a character map may have a glyph. Segments and groups are in ascending order.
func addMappedCharacters(to characterSet, m []byte) {
	for sub := range unicodeSubtables(m) {
		next := uint32(0)
		add := func(first, last uint32) {
			if first, last = max(first, next), min(last, unicode.MaxRune); first <= last {
				to.addRange(first, last)
				next = last + 1
			}
		}
		switch binary.BigEndian.Uint16(sub) {
		case 4:
			n := int(binary.BigEndian.Uint16(sub[6:])) / 2
			for i := 0; i < n && len(sub) >= 16+8*n; i++ {
				add(uint32(binary.BigEndian.Uint16(sub[16+2*n+2*i:])), uint32(binary.BigEndian.Uint16(sub[14+2*i:])))
			}
		case 12:
			n := min(int64(binary.BigEndian.Uint32(sub[12:])), int64(len(sub)-16)/12)
			for group := sub[16:]; n > 0; n, group = n-1, group[12:] {
				add(binary.BigEndian.Uint32(group), binary.BigEndian.Uint32(group[4:]))
			}
		}
	}
}

// findMappedGlyph looks up a character in the Unicode subtables, and returns its glyph or 0.
func findMappedGlyph(m []byte, r uint32) uint32 {
	for sub := range unicodeSubtables(m) {
		glyph := uint32(0)
		switch binary.BigEndian.Uint16(sub) {
		case 4:
			glyph = findInSegments(sub, r)
		case 12:
			glyph = findInGroups(sub, r)
		}
		if glyph != 0 {
			return glyph
		}
	}
	return 0
}

// findInSegments searches a subtable of format 4: parallel arrays of 16 bits for segments in ascending order.
func findInSegments(b []byte, r uint32) uint32 {
	n := int(binary.BigEndian.Uint16(b[6:])) / 2
	if r > 0xFFFF || len(b) < 16+8*n {
		return 0
	}
	word := func(at int) uint32 { return uint32(binary.BigEndian.Uint16(b[at:])) }
	for i := range n {
		if r > word(14+2*i) {
			continue
		}
		start, delta, at := word(16+2*n+2*i), word(16+4*n+2*i), 16+6*n+2*i
		if r < start {
			return 0
		}
		offset := int(word(at))
		if offset == 0 {
			return (r + delta) & 0xFFFF
		}
		if at += offset + 2*int(r-start); at+2 > len(b) || word(at) == 0 {
			return 0
		}
		return (word(at) + delta) & 0xFFFF
	}
	return 0
}

// findInGroups searches a subtable of format 12: groups of first and last character and first glyph.
func findInGroups(b []byte, r uint32) uint32 {
	n := min(int64(binary.BigEndian.Uint32(b[12:])), int64(len(b)-16)/12)
	for b = b[16:]; n > 0; n, b = n-1, b[12:] {
		if r <= binary.BigEndian.Uint32(b[4:]) {
			if first := binary.BigEndian.Uint32(b); r >= first {
				return binary.BigEndian.Uint32(b[8:]) + r - first
			}
			return 0
		}
	}
	return 0
}

// hasValidChecksums reports whether the checksums of all tables are right. A truncated or damaged file is not opened
// further.
func hasValidChecksums(data []byte, index int) bool {
	tables, sums, err := readDirectory(data, index)
	if err != nil {
		return false
	}
	for tag, t := range tables {
		b := data[t[0] : t[0]+t[1]]
		sum := computeChecksum(b)
		if tag == "head" && len(b) >= 12 {
			sum -= binary.BigEndian.Uint32(b[8:]) // depends on all others and counts as 0
		}
		if sum != sums[tag] {
			return false
		}
	}
	return true
}
