package content

import (
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"segel/pdf"
)

// font has the widths and the text of glyphs.
type font struct {
	type3         bool
	vertical      bool
	widthsGuessed bool // no exact widths are known
	ascent        float64
	descent       float64 // below the baseline, negative
	matrix        matrix  // of glyph space, for Type 3; others use thousandths

	// simple fonts
	widths     [256]float64 // in text sizes
	texts      *[256]string
	kinds      [256]letterKind
	forward    bool             // no width is negative
	glyphBoxes *[256]pdf.Rect   // boxes of type3 glyphs in glyph space
	glyphProcs *[256]pdf.Object // of type3 glyphs, for a deep reader

	composite *composite // nil for simple fonts

	object      pdf.Object // as resources name it
	dict        pdf.Dict
	reliability *fontReliability // nil until needed by an appearance
	ownText     *ownText         // of simple fonts, for a deep reader
}

// glyph is one glyph of a string.
type glyph struct {
	bytes        int // of its code
	code         uint32
	width        float64  // in text sizes; negative where text is vertical
	box          pdf.Rect // in text sizes, or in glyph space of Type 3
	text         string   // the character, if known
	space        bool
	boxEstimated bool
}

// unknownFont is used for missing fonts.
var unknownFont = func() *font {
	f := &font{widthsGuessed: true, ascent: defaultAscent, descent: defaultDescent, texts: &winAnsi}
	for i := range f.widths {
		f.widths[i] = helvetica.widthOf(winAnsi[i]) / 1000
	}
	f.classifyCodes()
	return f
}()

// Height above and below the baseline for fonts that do not state plausible ones.
const (
	defaultAscent  = 0.75
	defaultDescent = -0.25
)

// fontCost is the cost of a font in Limits.Bytes in addition to its tables.
const fontCost = 8 << 10

// readFont reads a font, once if it is an indirect object; nil if there is none.
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

// loadWidths reads the widths of a simple font; a font without them is a standard font, or its widths are guessed.
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

// loadReach reads the ascent and descent.
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

// nextGlyph returns the next glyph of a string.
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

// glyphSpace converts m, which maps text of size 1, to a matrix for the boxes of glyphs.
func (f *font) glyphSpace(m matrix) matrix {
	if f.type3 {
		return f.matrix.then(m)
	}
	return m
}

// letterKind classifies a code of a simple font.
type letterKind uint8

const (
	otherLetter letterKind = iota
	asciiLetter            // the code means the same in ASCII
	blankLetter            // it paints nothing
)

// classifyCodes determines the kind of each code.
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

// isBlankText reports whether a glyph paints nothing.
func isBlankText(s string) bool {
	if len(s) == 1 && s[0] > ' ' {
		return false
	}
	return s != "" && strings.Trim(s, " \u00a0\t\r\n\u2002\u2003\u2009\u200b\u3000\ufeff") == ""
}

// loadGlyphBoxes reads the boxes of a Type 3 font's glyphs: each states its box, or the font states one for all (ISO
// 32000-2 §9.6.4). A glyph without either gets the usual size of letters, as an estimate.
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
		box, stated := p.readGlyphBox(procs[name])
		switch {
		case stated:
		case !all.Empty():
			box = all
		case f.matrix[0] != 0 && f.matrix[3] != 0:
			f.widthsGuessed = true
			box = pdf.Rect{URX: f.widths[code] / f.matrix[0], LLY: defaultDescent / f.matrix[3], URY: defaultAscent / f.matrix[3]}
		}
		f.glyphBoxes[code] = box
	})
}

// readGlyphBox reads the box that a glyph description begins with; stated is false if there is none.
func (p *interpreter) readGlyphBox(o pdf.Object) (box pdf.Rect, stated bool) {
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

// composite is what a Type0 font has in addition to others (ISO 32000-2 §9.7).
type composite struct {
	codeMap         *cmap // nil: codes are two bytes and stand for themselves
	mixedWidths     bool  // a predefined map of codes of one and two bytes, whose glyphs are not known
	textMap         *cmap // nil: the text of glyphs is not known
	codesAreUTF16   bool  // codes are UTF-16
	widthRuns       []widthRun
	defaultWidth    float64 // of glyphs in no run
	verticalOrigin  float64 // from the baseline to the origin of vertical text
	verticalAdvance float64 // displacement of vertical text, negative
}

// widthRun is a run of glyphs with one width, or with one each.
type widthRun struct {
	from, to uint32
	width    float32
	widths   []float32
}

// descendantFont returns the descendant of a composite font, or nil.
func (p *interpreter) descendantFont(dict pdf.Dict) pdf.Dict {
	kids, err := p.d.Array(dict["DescendantFonts"])
	if p.failed(err) || len(kids) == 0 {
		return nil
	}
	kid, err := p.d.Dict(kids[0])
	p.failed(err)
	return kid
}

func (p *interpreter) loadComposite(f *font, dict pdf.Dict) {
	c := &composite{defaultWidth: 1, verticalOrigin: 0.88, verticalAdvance: -1}
	f.composite = c
	kid := p.descendantFont(dict)
	if kid == nil {
		f.widthsGuessed = true
		p.noteIncomplete(NoFont, nil)
	}
	descriptor, err := p.d.Dict(kid["FontDescriptor"])
	p.failed(err)
	p.loadReach(f, descriptor)
	if kid["DW"] != nil {
		w, err := p.d.Number(kid["DW"])
		p.failed(err)
		c.defaultWidth = w / 1000
	}
	if v, err := p.d.Array(kid["DW2"]); !p.failed(err) && len(v) == 2 {
		up, err1 := p.d.Number(v[0])
		down, err2 := p.d.Number(v[1])
		if !p.failed(err1) && !p.failed(err2) {
			c.verticalOrigin, c.verticalAdvance = up/1000, down/1000
		}
	}
	p.loadWidthRuns(c, kid["W"])
	p.loadCodes(f, c, dict["Encoding"])
	c.textMap = p.readCMap(dict["ToUnicode"])
}

// loadWidthRuns reads /W: "first [w w w]" and "first last w" in any order.
func (p *interpreter) loadWidthRuns(c *composite, o pdf.Object) {
	w, err := p.d.Array(o)
	if p.failed(err) {
		return
	}
	if !p.spendBytes(int64(16 * len(w))) {
		p.stopAtLimit(errBytes)
		return
	}
	for i := 0; i+1 < len(w) && !p.stopped; {
		first, err := p.d.Integer(w[i])
		if p.failed(err) || first < 0 || first > 1<<24 {
			return
		}
		second, err := p.d.Resolve(w[i+1])
		if p.failed(err) {
			return
		}
		if list, ok := second.(pdf.Array); ok {
			if !p.spendBytes(int64(16 * len(list))) {
				p.stopAtLimit(errBytes)
				return
			}
			s := widthRun{from: uint32(first), to: uint32(first) + uint32(len(list)) - 1, widths: make([]float32, len(list))}
			for k, o := range list {
				v, err := p.d.Number(o)
				p.failed(err)
				s.widths[k] = float32(v / 1000)
			}
			if len(list) > 0 {
				c.widthRuns = append(c.widthRuns, s)
			}
			i += 2
			continue
		}
		last, err := p.d.Integer(second)
		if p.failed(err) || i+2 >= len(w) || last < first || last > 1<<24 {
			return
		}
		v, err := p.d.Number(w[i+2])
		p.failed(err)
		c.widthRuns = append(c.widthRuns, widthRun{from: uint32(first), to: uint32(last), width: float32(v / 1000)})
		i += 3
	}
	sort.SliceStable(c.widthRuns, func(i, j int) bool { return c.widthRuns[i].from < c.widthRuns[j].from })
}

// loadCodes reads how strings are split into codes and which glyphs they stand for.
func (p *interpreter) loadCodes(f *font, c *composite, o pdf.Object) {
	v, err := p.d.Resolve(o)
	if p.failed(err) {
		return
	}
	switch v := v.(type) {
	case pdf.Name:
		name := string(v)
		f.vertical = strings.HasSuffix(name, "-V")
		switch {
		case strings.HasPrefix(name, "Identity"):
		case strings.Contains(name, "UCS2"), strings.Contains(name, "UTF16"):
			c.codesAreUTF16, f.widthsGuessed = true, true
		default:
			c.mixedWidths, f.widthsGuessed = true, true
		}
	case *pdf.Stream:
		c.codeMap = p.readCMap(v)
		if c.codeMap != nil {
			f.vertical = c.codeMap.vertical
			f.widthsGuessed = f.widthsGuessed || c.codeMap.partial
		}
	}
}

// nextCode returns the next code of a string.
func (c *composite) nextCode(s []byte) (code uint32, bytes int) {
	switch {
	case c.codeMap != nil:
		return c.codeMap.nextCode(s)
	case c.mixedWidths && s[0] < 0x80, len(s) == 1:
		return uint32(s[0]), 1
	}
	return uint32(s[0])<<8 | uint32(s[1]), 2
}

// findGlyph returns the glyph of a code that takes that many bytes.
func (c *composite) findGlyph(f *font, code uint32, bytes int) glyph {
	g := glyph{code: code, bytes: bytes, boxEstimated: f.widthsGuessed}
	switch {
	case c.textMap != nil:
		g.text = c.textMap.textOf(g.code)
	case c.codesAreUTF16:
		g.text = decodeUTF16([]byte{byte(g.code >> 8), byte(g.code)})
	case c.mixedWidths && g.bytes == 1:
		g.text = winAnsi[byte(g.code)]
	}
	g.space = isBlankText(g.text)
	cid := g.code
	if c.codeMap != nil {
		cid = c.codeMap.cidOf(g.code)
	}
	w := c.widthOf(cid)
	if c.mixedWidths && g.bytes == 1 {
		w = 0.5
	}
	if f.vertical {
		g.width = c.verticalAdvance
		g.box = pdf.Rect{LLX: -w / 2, LLY: f.descent - c.verticalOrigin, URX: w / 2, URY: f.ascent - c.verticalOrigin}
		return g
	}
	g.width = w
	g.box = pdf.Rect{LLX: min(0, w), LLY: f.descent, URX: max(0, w), URY: f.ascent}
	return g
}

func (c *composite) widthOf(cid uint32) float64 {
	i := sort.Search(len(c.widthRuns), func(i int) bool { return c.widthRuns[i].from > cid }) - 1
	if i < 0 || c.widthRuns[i].to < cid {
		return c.defaultWidth
	}
	if s := c.widthRuns[i]; s.widths != nil {
		return float64(s.widths[cid-s.from])
	}
	return float64(c.widthRuns[i].width)
}
