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
	built [2]*Face
	dirs  []string

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
		if c.built[i], err = Parse(data, 0); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// System is the collection with the folders where systems keep their fonts.
var System = sync.OnceValues(func() (*Collection, error) {
	return NewCollection("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", `C:\Windows\Fonts`)
})

// BuiltIn returns the face of that weight that is always there.
func (c *Collection) BuiltIn(w Weight) *Face { return c.built[w] }

// Find returns the face and glyph for a character, or those of Replacement with ok false.
func (c *Collection) Find(w Weight, r rune) (f *Face, glyph uint16, ok bool) {
	for _, f := range []*Face{c.built[w], c.built[Regular]} {
		if g, ok := f.Glyph(r); ok {
			return f, g, true
		}
	}
	if f := c.system(r); f != nil {
		g, _ := f.Glyph(r)
		return f, g, true
	}
	g, _ := c.built[w].Glyph(Replacement)
	return c.built[w], g, false
}

// system looks for a character in the fonts of the system. Each file is read at most once for each character that
// is new, and kept only if it is of use.
func (c *Collection) system(r rune) *Face {
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
	c.list()
	for i, path := range c.paths {
		if f := open(path, r); f != nil {
			c.paths = slices.Delete(c.paths, i, i+1)
			c.opened = append(c.opened, f)
			c.found[r] = f
			return f
		}
	}
	c.missing[r] = true
	return nil
}

// list finds the font files, those first whose names promise plain text in many scripts.
func (c *Collection) list() {
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
		return cmp.Or(cmp.Compare(oddness(a), oddness(b)), cmp.Compare(a, b))
	})
}

func oddness(path string) int {
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

// open parses a font file if it has the character. Only what tells that is read at first.
func open(path string, r rune) *Face {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	if !covers(file, r) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil || !whole(data, 0) {
		return nil
	}
	f, err := Parse(data, 0)
	if err != nil || !f.usable(r) {
		return nil
	}
	return f
}

// usable reports whether the glyph can be drawn as an outline, which those of coloured pictures cannot.
func (f *Face) usable(r rune) bool {
	g, ok := f.Glyph(r)
	if !ok {
		return false
	}
	outline, err := f.Outline(g)
	return err == nil && (len(outline) > 0 || unicode.IsSpace(r))
}
