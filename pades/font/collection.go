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
	opened  []*Face        // fonts that were used so far
	missing map[rune]bool  // characters that no font has
	found   map[rune]*Face // among opened
}

// maxLookups bounds the characters that are searched in system fonts, and the cache of the results.
const maxLookups = 10_000

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

// findSystemFace searches for a character in the system fonts. Each file is read at most once per new character, and
// retained only if it is used.
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

// listFontFiles lists the font files, those first whose names suggest plain text in many scripts.
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
