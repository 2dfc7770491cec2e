package font

import (
	"cmp"
	"io/fs"
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

// The weights that are built in. Fonts of the system stand in for either.
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

	mu      sync.Mutex // guards all below; held while fonts of the system are looked through
	listed  bool
	paths   []string       // not opened yet, the likeliest first
	opened  []*Face        // what was of use so far
	missing map[rune]bool  // what no font has
	found   map[rune]*Face // among opened
}

// maxLookups bounds the characters for which fonts of the system are looked through, and what is remembered of it.
const maxLookups = 10_000

// NewCollection takes the faces built in and, for what they lack, the fonts below some folders.
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

// SystemCollection is the collection with the folders where systems keep their fonts.
var SystemCollection = sync.OnceValues(func() (*Collection, error) {
	return NewCollection("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", `C:\Windows\Fonts`)
})

// BuiltIn returns the face of that weight that is always there.
func (c *Collection) BuiltIn(w Weight) *Face { return c.builtIn[w] }

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

// findSystemFace looks for a character in the fonts of the system. Each file is read at most once for each character that
// is new, and kept only if it is of use.
func (c *Collection) findSystemFace(r rune) *Face {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.found[r]; f != nil || c.missing[r] || len(c.found)+len(c.missing) >= maxLookups {
		return f
	}
	for _, f := range c.opened {
		if _, ok := f.Glyph(r); ok {
			c.found[r] = f
			return f
		}
	}
	c.listFontFiles()
	for i, path := range c.paths {
		if f := openFontFile(path, r); f != nil {
			c.paths = slices.Delete(c.paths, i, i+1)
			c.opened = append(c.opened, f)
			c.found[r] = f
			return f
		}
	}
	c.missing[r] = true
	return nil
}

// listFontFiles finds the font files, those first whose names promise plain text in many scripts.
func (c *Collection) listFontFiles() {
	if c.listed {
		return
	}
	c.listed = true
	for _, dir := range c.dirs {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // a folder that cannot be read has no fonts for us
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

// maxFile bounds a font file in bytes; fonts for all of Chinese have 20 MB.
const maxFile = 64 << 20

// openFontFile parses a font file if it has the character. Only what tells that is read at first.
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

// hasOutline reports whether the glyph can be drawn as an outline, which those of coloured pictures cannot.
func (f *Face) hasOutline(r rune) bool {
	g, ok := f.Glyph(r)
	if !ok {
		return false
	}
	outline, err := f.Outline(g)
	return err == nil && (len(outline) > 0 || unicode.IsSpace(r))
}
