package font

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// ErrUnusable is a font that cannot be read, or whose license does not allow embedding.
var ErrUnusable = errors.New("unusable font")

func unusableError(what string) error { return fmt.Errorf("%w: %s", ErrUnusable, what) }

// Face is one font. It is safe for use by several goroutines.
type Face struct {
	name    string // PostScript name
	sf      *sfnt.Font
	data    []byte            // the file
	tables  map[string][2]int // offset and length in data
	units   float64           // per em
	metrics Metrics
}

// Metrics are those of a font descriptor, in thousandths of an em.
type Metrics struct {
	Ascent, Descent, CapHeight float64 // Descent is negative
	Box                        [4]float64
	Bold                       bool
}

// Parse reads a TrueType or OpenType font, or the font of that index in a collection.
func Parse(data []byte, index int) (*Face, error) {
	c, err := sfnt.ParseCollection(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	sf, err := c.Font(index)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	f := &Face{sf: sf, data: data, units: float64(sf.UnitsPerEm())}
	if f.tables, _, err = readDirectory(data, index); err != nil {
		return nil, err
	}
	// Bit 1 of fsType forbids embedding unless a lesser restriction is stated too.
	if os2 := f.tableData("OS/2"); len(os2) >= 10 && binary.BigEndian.Uint16(os2[8:])&0xF == 2 {
		return nil, unusableError("its license does not allow embedding")
	}
	name, err := sf.Name(nil, sfnt.NameIDPostScript)
	if err != nil {
		name = "Unnamed"
	}
	f.name = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || strings.ContainsRune("()<>[]{}/%#+", r) {
			return -1
		}
		return r
	}, name)
	return f, f.readMetrics()
}

// readDirectory reads the places and stated checksums of the tables of a font.
func readDirectory(data []byte, index int) (tables map[string][2]int, sums map[string]uint32, err error) {
	at := 0
	if len(data) >= 16 && string(data[:4]) == "ttcf" {
		if len(data) < 12+4*(index+1) {
			return nil, nil, unusableError("no such font in the collection")
		}
		at = int(binary.BigEndian.Uint32(data[12+4*index:]))
	}
	if at < 0 || at+12 > len(data) {
		return nil, nil, unusableError("it ends early")
	}
	n := int(binary.BigEndian.Uint16(data[at+4:]))
	if at+12+16*n > len(data) {
		return nil, nil, unusableError("it ends early")
	}
	tables, sums = map[string][2]int{}, map[string]uint32{}
	for i := range n {
		e := data[at+12+16*i:]
		offset, length := int(binary.BigEndian.Uint32(e[8:])), int(binary.BigEndian.Uint32(e[12:]))
		if offset > len(data) || length > len(data)-offset {
			return nil, nil, unusableError("a table is outside of the file")
		}
		tables[string(e[:4])], sums[string(e[:4])] = [2]int{offset, length}, binary.BigEndian.Uint32(e[4:])
	}
	return tables, sums, nil
}

func (f *Face) tableData(tag string) []byte {
	t := f.tables[tag]
	return f.data[t[0] : t[0]+t[1] : t[0]+t[1]]
}

func (f *Face) readMetrics() error {
	ppem := fixed.I(1000)
	m, err := f.sf.Metrics(nil, ppem, font.HintingNone)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	box, err := f.sf.Bounds(nil, ppem, font.HintingNone)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	f.metrics = Metrics{
		Ascent: fromFixed(m.Ascent), Descent: -fromFixed(m.Descent), CapHeight: fromFixed(m.CapHeight),
		// The library's y axis points downwards.
		Box:  [4]float64{fromFixed(box.Min.X), -fromFixed(box.Max.Y), fromFixed(box.Max.X), -fromFixed(box.Min.Y)},
		Bold: strings.Contains(strings.ToLower(f.name), "bold"),
	}
	return nil
}

func fromFixed(v fixed.Int26_6) float64 { return float64(v) / 64 }

// Name returns the PostScript name.
func (f *Face) Name() string { return f.name }

// Metrics returns the metrics of the face.
func (f *Face) Metrics() Metrics { return f.metrics }

// IsTrueType reports whether the glyphs are TrueType outlines, as Subset requires.
func (f *Face) IsTrueType() bool { return len(f.tableData("glyf")) > 0 && len(f.tableData("loca")) > 0 }

// Glyph returns the glyph of a character; ok is false if the face has none.
func (f *Face) Glyph(r rune) (id uint16, ok bool) {
	g, err := f.sf.GlyphIndex(nil, r)
	return uint16(g), err == nil && g != 0
}

// Advance returns the width of a glyph in thousandths of an em.
func (f *Face) Advance(id uint16) float64 {
	a, err := f.sf.GlyphAdvance(nil, sfnt.GlyphIndex(id), fixed.I(1000), font.HintingNone)
	if err != nil {
		return 0
	}
	return fromFixed(a)
}

// Segment is a piece of an outline: a move (1 point), a line (1) or a cubic curve (3), in thousandths of an em, Y
// upwards.
type Segment struct {
	Points [3][2]float64
	Move   bool
	Curve  bool
}

// Outline returns the outline of a glyph, of either kind of font.
func (f *Face) Outline(id uint16) ([]Segment, error) {
	segments, err := f.sf.LoadGlyph(nil, sfnt.GlyphIndex(id), fixed.I(1000), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: glyph %d: %w", ErrUnusable, id, err)
	}
	var out []Segment
	var at [2]float64
	for _, s := range slices.Clone(segments) {
		p := [3][2]float64{}
		for i, a := range s.Args {
			p[i] = [2]float64{fromFixed(a.X), -fromFixed(a.Y)}
		}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			out, at = append(out, Segment{Points: p, Move: true}), p[0]
		case sfnt.SegmentOpLineTo:
			out, at = append(out, Segment{Points: p}), p[0]
		case sfnt.SegmentOpQuadTo:
			out = append(out, Segment{Curve: true, Points: [3][2]float64{towardControl(at, p[0]), towardControl(p[1], p[0]), p[1]}})
			at = p[1]
		case sfnt.SegmentOpCubeTo:
			out, at = append(out, Segment{Curve: true, Points: p}), p[2]
		}
	}
	return out, nil
}

// towardControl goes two thirds of the way, which converts a quadratic to a cubic curve.
func towardControl(from, to [2]float64) [2]float64 {
	return [2]float64{from[0] + (to[0]-from[0])*2/3, from[1] + (to[1]-from[1])*2/3}
}
