package content

import (
	"math"
	"strings"
	"unicode/utf8"

	"segel/pdf"
)

// font tells how wide glyphs are and what they mean.
type font struct {
	type3         bool
	vertical      bool
	widthsGuessed bool // widths are guessed
	ascent        float64
	descent       float64 // below the baseline, negative
	matrix        matrix  // of glyph space, for type3; others have thousandths

	// simple fonts
	widths     [256]float64 // in sizes of the text
	texts      *[256]string
	kinds      [256]letterKind
	forward    bool             // no width is negative
	glyphBoxes *[256]pdf.Rect   // boxes of type3 glyphs in glyph space
	glyphProcs *[256]pdf.Object // of type3 glyphs, for a deep reader

	composite *composite // nil for simple fonts

	object      pdf.Object // as resources name it
	dict        pdf.Dict
	reliability *fontReliability // nil until an appearance asks for it
	ownText     *ownText         // of simple fonts, for a deep reader
}

// glyph is one glyph of a string.
type glyph struct {
	bytes        int // that its code takes
	code         uint32
	width        float64  // in sizes of the text; downwards negative where text is vertical
	box          pdf.Rect // in sizes of the text, or in glyph space of type3
	text         string   // what it means, if that is known
	space        bool
	boxEstimated bool
}

// unknownFont stands for fonts that are not there.
var unknownFont = func() *font {
	f := &font{widthsGuessed: true, ascent: defaultAscent, descent: defaultDescent, texts: &winAnsi}
	for i := range f.widths {
		f.widths[i] = helvetica.widthOf(winAnsi[i]) / 1000
	}
	f.classifyCodes()
	return f
}()

// How far letters reach above and below the baseline where a font does not say so in numbers that can be.
const (
	defaultAscent  = 0.75
	defaultDescent = -0.25
)

// fontCost is what a font costs of Limits.Bytes beside its tables.
const fontCost = 8 << 10

// readFont reads a font, once if it is an object of its own; nil if there is none.
func (p *interpreter) readFont(o pdf.Object) *font {
	ref, indirect := o.(pdf.Ref)
	if f, known := p.fonts[ref]; indirect && known {
		return f
	}
	dict, err := p.d.Dict(o)
	if p.failed(err) || dict == nil {
		p.noteIncomplete(NoFont, nil)
		return nil
	}
	if !p.spendBytes(fontCost) {
		p.stopAtLimit(errBytes)
		return nil
	}
	f := p.readFontDict(dict)
	f.object, f.dict = o, dict
	if indirect {
		p.fonts[ref] = f
	}
	return f
}

func (p *interpreter) readFontDict(dict pdf.Dict) *font {
	kind, err := p.d.Name(dict["Subtype"])
	p.failed(err)
	f := &font{ascent: defaultAscent, descent: defaultDescent, texts: &winAnsi}
	if kind == "Type0" {
		p.loadComposite(f, dict)
		return f
	}
	f.type3 = kind == "Type3"
	if f.type3 {
		f.matrix = p.readMatrix(dict["FontMatrix"])
	}
	p.loadEncoding(f, dict)
	p.loadWidths(f, dict)
	f.classifyCodes()
	if f.type3 {
		p.loadGlyphBoxes(f, dict)
	}
	return f
}

// loadWidths reads the widths of a simple font; one without is a standard font, or has them guessed.
func (p *interpreter) loadWidths(f *font, dict pdf.Dict) {
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
		m, sure := standardMetrics(string(name))
		f.widthsGuessed = !sure
		for i := range f.widths {
			f.widths[i] = m.widthOf(f.texts[i]) / 1000
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
func (p *interpreter) loadReach(f *font, descriptor pdf.Dict) {
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

// nextGlyph takes the next glyph off a string.
func (f *font) nextGlyph(p *interpreter, s []byte) glyph {
	if f.composite != nil {
		code, n := f.composite.nextCode(s)
		return f.composite.findGlyph(f, code, n)
	}
	c := s[0]
	g := glyph{bytes: 1, code: uint32(c), width: f.widths[c], text: f.texts[c], boxEstimated: f.widthsGuessed}
	g.space = f.kinds[c] == blankLetter
	if f.type3 {
		g.box = f.glyphBoxes[c]
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
	asciiLetter            // it means what the code means in ASCII
	blankLetter            // it leaves no ink
)

// classifyCodes finds out of which kind each code is.
func (f *font) classifyCodes() {
	f.forward = true
	for c, text := range f.texts {
		switch {
		case isBlankText(text):
			f.kinds[c] = blankLetter
		case c < utf8.RuneSelf && text == string(rune(c)):
			f.kinds[c] = asciiLetter
		}
		f.forward = f.forward && f.widths[c] >= 0
	}
}

// isBlankText reports whether a glyph leaves no ink.
func isBlankText(s string) bool {
	if len(s) == 1 && s[0] > ' ' {
		return false
	}
	return s != "" && strings.Trim(s, " \u00a0\t\r\n\u2002\u2003\u2009\u200b\u3000\ufeff") == ""
}

// loadGlyphBoxes finds the boxes of a type 3 font's glyphs: each says its own, or the font says one for all (ISO 32000-2
// §9.6.4). What paints without saying so gets as much as letters usually take, and is rough.
func (p *interpreter) loadGlyphBoxes(f *font, dict pdf.Dict) {
	f.glyphBoxes = new([256]pdf.Rect)
	procs, err := p.d.Dict(dict["CharProcs"])
	p.failed(err)
	encoding, err := p.d.Dict(dict["Encoding"])
	p.failed(err)
	all, err := p.d.Rect(dict["FontBBox"])
	p.failed(err)
	if p.deep != nil {
		f.glyphProcs = new([256]pdf.Object)
	}
	p.eachDifference(encoding["Differences"], func(code int, name pdf.Name) {
		if f.glyphProcs != nil {
			f.glyphProcs[code] = procs[name]
		}
		box, said := p.readGlyphBox(procs[name])
		switch {
		case said:
		case !all.Empty():
			box = all
		case f.matrix[0] != 0 && f.matrix[3] != 0:
			f.widthsGuessed = true
			box = pdf.Rect{URX: f.widths[code] / f.matrix[0], LLY: defaultDescent / f.matrix[3], URY: defaultAscent / f.matrix[3]}
		}
		f.glyphBoxes[code] = box
	})
}

// readGlyphBox reads the box that a glyph description begins with; said is false if it tells none.
func (p *interpreter) readGlyphBox(o pdf.Object) (box pdf.Rect, said bool) {
	st, err := p.d.Stream(o)
	if p.failed(err) || st == nil {
		return pdf.Rect{}, false
	}
	b := p.decodeStream(st)
	if p.stopped {
		return pdf.Rect{}, false
	}
	c := &contentLexer{b: b[:min(len(b), 512)]}
	var v [6]float64
	if string(c.nextOperator()) != "d1" || !c.lastNumbers(v[:]) {
		return pdf.Rect{}, false
	}
	box = pdf.Rect{LLX: min(v[2], v[4]), LLY: min(v[3], v[5]), URX: max(v[2], v[4]), URY: max(v[3], v[5])}
	return box, !box.Empty()
}
