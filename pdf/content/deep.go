package content

import (
	"cmp"
	"maps"
	"slices"

	"segel/pdf"
)

// deepState is the state of a reader that also interprets patterns and glyphs.
type deepState struct {
	page      int
	shown     map[*font]*usedFont
	fontOrder []*font           // in order of first use
	entered   map[visitKey]bool // on the current page
	glyphs    int               // in shown, of composite fonts
	numbers   map[*font]uint64  // see fontNumber
}

// visitKey is a pattern or a glyph, and the views in which it is shown.
type visitKey struct {
	pattern pdf.Ref // or the group of a soft mask
	font    *font
	code    byte
	views   Views
}

// usedFont is what was shown in a font.
type usedFont struct {
	pages  []int
	simple [256]bool // codes of a simple font
	codes  map[uint32]struct{}
}

// ownText is what a simple font states about its codes.
type ownText struct {
	names [256]string // of glyphs, by /Differences
	texts [256]string // by /ToUnicode
}

// maxEntered bounds the patterns and glyphs of one page that are interpreted; maxShownGlyphs bounds the glyphs that are
// recorded.
const (
	maxEntered     = 10_000
	maxShownGlyphs = 200_000
)

// enterOnce reports whether a pattern or glyph is to be interpreted: once per page and set of views.
func (p *interpreter) enterOnce(e visitKey) bool {
	d := p.deep
	if d.entered[e] {
		return false
	}
	if len(d.entered) >= maxEntered {
		p.noteIncomplete(Limit, errInner)
		return false
	}
	d.entered[e] = true
	return true
}

// innerContext is set while the content of a pattern or a glyph is interpreted.
type innerContext struct {
	on    bool
	views Views     // in which the pattern or glyph is shown
	area  *pdf.Rect // the area painted with the pattern, which becomes the box of its marks
}

// acceptMark reports whether a mark is listed, and adjusts its box. Within a pattern or glyph only marks that are not
// shown in the same views are listed.
func (i innerContext) acceptMark(m *Mark) bool {
	if !i.on {
		return true
	}
	if m.Views == i.views || m.Hidden != "" && m.Hidden != ByLayer {
		return false
	}
	if i.area != nil {
		m.Box = *i.area
	}
	m.FillsBox = false // it is somewhere in the area
	return true
}

// findPattern returns the pattern that an operator sets.
func (p *interpreter) findPattern(c *contentLexer) pdf.Object {
	name := c.lastName()
	if p.deep == nil || name == "" {
		return nil
	}
	return p.findResource("Pattern", pdf.Name(name))
}

// interpretPattern interprets a tiling pattern that an area is painted with (ISO 32000-2 §8.7.3). It skips invisible
// areas: the pattern may be used for another.
func (p *interpreter) interpretPattern(o pdf.Object, area pdf.Rect) {
	ref, indirect := o.(pdf.Ref)
	if p.deep == nil || !indirect || p.stopped || p.transparent || area.Intersect(p.clip).Empty() || !p.enterOnce(visitKey{pattern: ref, views: p.visible.views}) {
		return
	}
	dict, err := p.d.Dict(ref)
	if p.failed(err) {
		return
	}
	if kind, err := p.d.Integer(dict["PatternType"]); p.failed(err) || kind != 1 {
		return
	}
	st, err := p.d.Stream(ref)
	if p.failed(err) || st == nil {
		return
	}
	if p.inner.area != nil {
		area = *p.inner.area
	}
	p.interpretInner(st, st.Dict["Resources"], p.readMatrix(st.Dict["Matrix"]).then(p.patternOrigin), innerContext{on: true, views: p.visible.views, area: &area})
}

// interpretMask interprets the group of a soft mask (ISO 32000-2 §11.6.5.2), which determines what is visible of
// everything it masks.
func (p *interpreter) interpretMask(mask pdf.Dict) {
	ref := mask.Ref("G")
	if p.deep == nil || ref.IsZero() || p.stopped || !p.enterOnce(visitKey{pattern: ref, views: p.visible.views}) {
		return
	}
	st, err := p.d.Stream(ref)
	if p.failed(err) || st == nil {
		return
	}
	m := p.readMatrix(st.Dict["Matrix"]).then(p.ctm)
	p.interpretInner(st, st.Dict["Resources"], m, innerContext{on: true, views: p.visible.views, area: cmp.Or(p.inner.area, &p.pageBox)})
}

// interpretInner interprets the content of a pattern, a glyph or a mask.
func (p *interpreter) interpretInner(st *pdf.Stream, resources pdf.Object, m matrix, i innerContext) {
	if p.depth >= p.limits.Depth {
		p.noteIncomplete(Limit, errNested)
		return
	}
	b := p.decodeStream(st)
	if p.stopped {
		return
	}
	p.flushWord()
	before, origin, outside := p.graphicsState, p.patternOrigin, p.inner
	visible := p.visible
	p.graphicsState = p.initialState()
	p.ctm, p.patternOrigin, p.inner, p.visible = m, m, i, visible
	p.depth++
	p.interpretContent(b, p.newScope(resources, p.scopes))
	p.depth--
	p.graphicsState, p.patternOrigin, p.inner = before, origin, outside
}

// recordShown records shown codes, and interprets the glyphs and patterns that paint them.
func (p *interpreter) recordShown(r *textRun, s []byte) {
	f := p.font
	if f == nil || r.views == 0 {
		return
	}
	p.recordCodes(f, s)
	switch {
	case f.type3:
		for _, c := range s {
			p.interpretType3Glyph(r, f, c)
		}
	case p.textMode == 1 || p.textMode == 5:
		p.interpretPattern(p.stroke.pattern, p.clip)
	default:
		p.interpretPattern(p.fill.pattern, p.clip)
	}
}

// interpretType3Glyph interprets a glyph of a Type 3 font (ISO 32000-2 §9.6.4), once per page.
func (p *interpreter) interpretType3Glyph(r *textRun, f *font, code byte) {
	o := f.glyphProcs[code]
	if o == nil || p.stopped || !p.enterOnce(visitKey{font: f, code: code, views: p.visible.views}) {
		return
	}
	st, err := p.d.Stream(o)
	if p.failed(err) || st == nil {
		return
	}
	p.interpretInner(st, f.dict["Resources"], f.glyphSpace(r.m), innerContext{on: true, views: p.visible.views, area: cmp.Or(p.inner.area, &p.pageBox)})
}

// recordCodes records the codes of a string.
func (p *interpreter) recordCodes(f *font, s []byte) {
	shown := p.deep.shown[f]
	if shown == nil {
		shown = &usedFont{codes: map[uint32]struct{}{}}
		p.deep.shown[f] = shown
		p.deep.fontOrder = append(p.deep.fontOrder, f)
	}
	if n := len(shown.pages); n == 0 || shown.pages[n-1] != p.deep.page {
		shown.pages = append(shown.pages, p.deep.page)
	}
	if f.composite == nil {
		for _, c := range s {
			shown.simple[c] = true
		}
		return
	}
	for len(s) > 0 {
		code, n := f.composite.nextCode(s)
		s = s[n:]
		if _, known := shown.codes[code]; known {
			continue
		}
		if p.deep.glyphs++; p.deep.glyphs > maxShownGlyphs {
			return
		}
		shown.codes[code] = struct{}{}
	}
}

// UsedFont is a font in which visible text was shown.
type UsedFont struct {
	Dict  pdf.Dict
	Pages []int // in order
	Codes []Code
}

// Code is one code of a font, and what the file states about it.
type Code struct {
	Code uint32
	CID  uint32     // of a composite font with a code map in the file; else the code
	Name string     // of the glyph, by /Differences of a simple font
	Text string     // by /ToUnicode
	Proc pdf.Object // the glyph of a Type 3 font
}

// UsedFonts lists the fonts of the pages so far, in order of first use, with their codes in order. Only a deep reader
// has them.
func (r *Reader) UsedFonts() []UsedFont {
	if r.deep == nil {
		return nil
	}
	var all []UsedFont
	for _, f := range r.deep.fontOrder {
		shown := r.deep.shown[f]
		out := UsedFont{Dict: f.dict, Pages: shown.pages}
		for code, met := range shown.simple {
			if met {
				out.Codes = append(out.Codes, f.describeCode(uint32(code)))
			}
		}
		for _, code := range slices.SortedFunc(maps.Keys(shown.codes), cmp.Compare) {
			out.Codes = append(out.Codes, f.describeCode(code))
		}
		all = append(all, out)
	}
	return all
}

func (f *font) describeCode(code uint32) Code {
	c := Code{Code: code, CID: code}
	switch {
	case f.composite != nil:
		if f.composite.codeMap != nil {
			c.CID = f.composite.codeMap.cidOf(code)
		}
		if f.composite.textMap != nil {
			c.Text = f.composite.textMap.textOf(code)
		}
	case f.ownText != nil:
		c.Name, c.Text = f.ownText.names[byte(code)], f.ownText.texts[byte(code)]
		if f.glyphProcs != nil {
			c.Proc = f.glyphProcs[byte(code)]
		}
	}
	return c
}
