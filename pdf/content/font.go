package content

import (
	"math"
	"strings"
	"unicode/utf8"

	"segel/pdf"
)

// font tells how wide glyphs are and what they mean.
type font struct {
	type3    bool
	vertical bool
	rough    bool // widths are guessed
	ascent   float64
	descent  float64 // below the baseline, negative
	matrix   matrix  // of glyph space, for type3; others have thousandths

	// simple fonts
	widths  [256]float64 // in sizes of the text
	texts   *[256]string
	kinds   [256]letterKind
	forward bool             // no width is negative
	procs   *[256]pdf.Rect   // boxes of type3 glyphs in glyph space
	streams *[256]pdf.Object // of type3 glyphs, for a deep reader

	composite *composite // nil for simple fonts

	object  pdf.Object // as resources name it
	dict    pdf.Dict
	reading *reading // nil until an appearance asks for it
	own     *ownText // of simple fonts, for a deep reader
}

// glyph is one glyph of a string.
type glyph struct {
	bytes int // that its code takes
	code  uint32
	width float64  // in sizes of the text; downwards negative where text is vertical
	box   pdf.Rect // in sizes of the text, or in glyph space of type3
	text  string   // what it means, if that is known
	space bool
	rough bool
}

// unknownFont stands for fonts that are not there.
var unknownFont = func() *font {
	f := &font{rough: true, ascent: highest, descent: lowest, texts: &latin}
	for i := range f.widths {
		f.widths[i] = helvetica.of(latin[i]) / 1000
	}
	f.sort()
	return f
}()

// How far letters reach above and below the baseline where a font does not say so in numbers that can be.
const (
	highest = 0.75
	lowest  = -0.25
)

// fontCost is what a font costs of Limits.Bytes beside its tables.
const fontCost = 8 << 10

// fontOf reads a font, once if it is an object of its own; nil if there is none.
func (p *painter) fontOf(o pdf.Object) *font {
	ref, indirect := o.(pdf.Ref)
	if f, known := p.fonts[ref]; indirect && known {
		return f
	}
	dict, err := p.d.Dict(o)
	if p.failed(err) || dict == nil {
		p.untold(NoFont, nil)
		return nil
	}
	if !p.spend(fontCost) {
		p.stop(errBytes)
		return nil
	}
	f := p.load(dict)
	f.object, f.dict = o, dict
	if indirect {
		p.fonts[ref] = f
	}
	return f
}

func (p *painter) load(dict pdf.Dict) *font {
	kind, err := p.d.Name(dict["Subtype"])
	p.failed(err)
	f := &font{ascent: highest, descent: lowest, texts: &latin}
	if kind == "Type0" {
		p.loadComposite(f, dict)
		return f
	}
	f.type3 = kind == "Type3"
	if f.type3 {
		f.matrix = p.matrixOf(dict["FontMatrix"])
	}
	p.loadEncoding(f, dict)
	p.loadWidths(f, dict)
	f.sort()
	if f.type3 {
		p.loadProcs(f, dict)
	}
	return f
}

// loadWidths reads the widths of a simple font; one without is a standard font, or has them guessed.
func (p *painter) loadWidths(f *font, dict pdf.Dict) {
	descriptor, err := p.d.Dict(dict["FontDescriptor"])
	p.failed(err)
	p.loadReach(f, descriptor)
	unit := 1.0 / 1000
	if f.type3 {
		unit = f.matrix[0]
	}
	widths, err := p.d.Array(dict["Widths"])
	p.failed(err)
	if widths == nil && !f.type3 {
		name, _ := p.d.Name(dict["BaseFont"])
		m, sure := standard(string(name))
		f.rough = !sure
		for i := range f.widths {
			f.widths[i] = m.of(f.texts[i]) / 1000
		}
		return
	}
	missing, err := p.d.Number(descriptor["MissingWidth"])
	p.failed(err)
	for i := range f.widths {
		f.widths[i] = missing * unit
	}
	first, err := p.d.Integer(dict["FirstChar"])
	p.failed(err)
	for i, o := range widths[:min(len(widths), 256)] {
		if at := first + int64(i); at >= 0 && at < 256 {
			w, err := p.d.Number(o)
			p.failed(err)
			f.widths[at] = w * unit
		}
	}
}

// loadReach reads how far letters reach up and down.
func (p *painter) loadReach(f *font, descriptor pdf.Dict) {
	up, err := p.d.Number(descriptor["Ascent"])
	p.failed(err)
	down, err := p.d.Number(descriptor["Descent"])
	p.failed(err)
	if up >= 400 && up <= 1200 {
		f.ascent = min(up/1000, 1.05)
	}
	if down = -math.Abs(down); down <= -50 && down >= -600 {
		f.descent = max(down/1000, -0.4)
	}
}

// next takes the next glyph off a string.
func (f *font) next(p *painter, s []byte) glyph {
	if f.composite != nil {
		code, n := f.composite.code(s)
		return f.composite.glyph(f, code, n)
	}
	c := s[0]
	g := glyph{bytes: 1, code: uint32(c), width: f.widths[c], text: f.texts[c], rough: f.rough}
	g.space = f.kinds[c] == blankLetter
	if f.type3 {
		g.box = f.procs[c]
		return g
	}
	g.box = pdf.Rect{LLX: min(0, g.width), LLY: f.descent, URX: max(0, g.width), URY: f.ascent}
	return g
}

// glyphSpace is m, which maps text of size 1, for the boxes of glyphs.
func (f *font) glyphSpace(m matrix) matrix {
	if f.type3 {
		return f.matrix.then(m)
	}
	return m
}

// letterKind is what is asked first of a code of a simple font.
type letterKind uint8

const (
	otherLetter letterKind = iota
	letter                 // it means what the code means in ASCII
	blankLetter            // it leaves no ink
)

// sort finds out of which kind each code is.
func (f *font) sort() {
	f.forward = true
	for c, text := range f.texts {
		switch {
		case blankText(text):
			f.kinds[c] = blankLetter
		case c < utf8.RuneSelf && text == string(rune(c)):
			f.kinds[c] = letter
		}
		f.forward = f.forward && f.widths[c] >= 0
	}
}

// blankText reports whether a glyph leaves no ink.
func blankText(s string) bool {
	if len(s) == 1 && s[0] > ' ' {
		return false
	}
	return s != "" && strings.Trim(s, " \u00a0\t\r\n\u2002\u2003\u2009\u200b\u3000\ufeff") == ""
}

// loadProcs finds the boxes of a type 3 font's glyphs: each says its own, or the font says one for all (ISO 32000-2
// §9.6.4). What paints without saying so gets as much as letters usually take, and is rough.
func (p *painter) loadProcs(f *font, dict pdf.Dict) {
	f.procs = new([256]pdf.Rect)
	procs, err := p.d.Dict(dict["CharProcs"])
	p.failed(err)
	encoding, err := p.d.Dict(dict["Encoding"])
	p.failed(err)
	all, err := p.d.Rect(dict["FontBBox"])
	p.failed(err)
	if p.deep != nil {
		f.streams = new([256]pdf.Object)
	}
	p.differences(encoding["Differences"], func(code int, name pdf.Name) {
		if f.streams != nil {
			f.streams[code] = procs[name]
		}
		box, said := p.proc(procs[name])
		switch {
		case said:
		case !all.Empty():
			box = all
		case f.matrix[0] != 0 && f.matrix[3] != 0:
			f.rough = true
			box = pdf.Rect{URX: f.widths[code] / f.matrix[0], LLY: lowest / f.matrix[3], URY: highest / f.matrix[3]}
		}
		f.procs[code] = box
	})
}

// proc reads the box that a glyph description begins with; said is false if it tells none.
func (p *painter) proc(o pdf.Object) (box pdf.Rect, said bool) {
	st, err := p.d.Stream(o)
	if p.failed(err) || st == nil {
		return pdf.Rect{}, false
	}
	b := p.decode(st)
	if p.stopped {
		return pdf.Rect{}, false
	}
	c := &content{b: b[:min(len(b), 512)]}
	var v [6]float64
	if string(c.next()) != "d1" || !c.numbers(v[:]) {
		return pdf.Rect{}, false
	}
	box = pdf.Rect{LLX: min(v[2], v[4]), LLY: min(v[3], v[5]), URX: max(v[2], v[4]), URY: max(v[3], v[5])}
	return box, !box.Empty()
}
