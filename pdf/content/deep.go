package content

import (
	"cmp"
	"maps"
	"slices"

	"segel/pdf"
)

// deep is what a reader keeps that looks into patterns and glyphs.
type deep struct {
	page    int
	shown   map[*font]*shownFont
	order   []*font           // of shown, as they were met
	entered map[entrance]bool // on the page at hand
	glyphs  int               // in shown, of composite fonts
	numbers map[*font]uint64  // see number
}

// entrance is a pattern or a glyph, and the views in which it is shown.
type entrance struct {
	pattern pdf.Ref // or the group of a soft mask
	font    *font
	code    byte
	in      Views
}

// shownFont is what was shown in a font.
type shownFont struct {
	pages  []int
	simple [256]bool // codes of a simple font
	codes  map[uint32]struct{}
}

// ownText is what a simple font itself says of its codes.
type ownText struct {
	names [256]string // of glyphs, by /Differences
	texts [256]string // by /ToUnicode
}

// turn begins a page.
func (d *deep) turn(page int) {
	d.page = page
	clear(d.entered)
}

// maxEntered bounds the patterns and glyphs of one page that are looked into; maxShownGlyphs bounds the glyphs that are
// remembered.
const (
	maxEntered     = 10_000
	maxShownGlyphs = 200_000
)

// enter reports whether a pattern or glyph is to be looked into: once a page and way of being shown.
func (p *painter) enter(e entrance) bool {
	d := p.deep
	if d.entered[e] {
		return false
	}
	if len(d.entered) >= maxEntered {
		p.untold(Limit, errEntered)
		return false
	}
	if d.entered == nil {
		d.entered = map[entrance]bool{}
	}
	d.entered[e] = true
	return true
}

// inside says that content of a pattern or a glyph is followed.
type inside struct {
	on   bool
	in   Views     // in which the pattern or glyph is shown
	area *pdf.Rect // what is painted with the pattern, which is where its marks are
}

// lists reports whether a mark is listed: within a pattern or glyph only one that is not shown as it is.
func (i inside) lists(m *Mark) bool {
	if !i.on {
		return true
	}
	if m.In == i.in || m.Hidden != "" && m.Hidden != ByLayer {
		return false
	}
	if i.area != nil {
		m.Box = *i.area
	}
	m.Whole = false // it is somewhere within
	return true
}

// patternOf returns the pattern that an operator sets.
func (p *painter) patternOf(c *content) pdf.Object {
	name := c.name()
	if p.deep == nil || name == "" {
		return nil
	}
	return p.resource("Pattern", pdf.Name(name))
}

// tile looks into a tiling pattern that an area is painted with (ISO 32000-2 §8.7.3). An area that is not to be seen
// does not count: the pattern may be used for another.
func (p *painter) tile(o pdf.Object, area pdf.Rect) {
	ref, indirect := o.(pdf.Ref)
	if p.deep == nil || !indirect || p.stopped || p.clear || area.Intersect(p.clip).Empty() || !p.enter(entrance{pattern: ref, in: p.visible.in}) {
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
	if p.inside.area != nil {
		area = *p.inside.area
	}
	p.look(st, st.Dict["Resources"], p.matrixOf(st.Dict["Matrix"]).then(p.origin), inside{on: true, in: p.visible.in, area: &area})
}

// lookAtMask looks into the group of a soft mask (ISO 32000-2 §11.6.5.2), which decides what is to be seen of all that
// it masks.
func (p *painter) lookAtMask(mask pdf.Dict) {
	ref := mask.Ref("G")
	if p.deep == nil || ref.IsZero() || p.stopped || !p.enter(entrance{pattern: ref, in: p.visible.in}) {
		return
	}
	st, err := p.d.Stream(ref)
	if p.failed(err) || st == nil {
		return
	}
	m := p.matrixOf(st.Dict["Matrix"]).then(p.ctm)
	p.look(st, st.Dict["Resources"], m, inside{on: true, in: p.visible.in, area: cmp.Or(p.inside.area, &p.sheet)})
}

// look follows the content of a pattern, a glyph or a mask.
func (p *painter) look(st *pdf.Stream, resources pdf.Object, m matrix, i inside) {
	if p.depth >= p.limits.Depth {
		p.untold(Limit, errNested)
		return
	}
	b := p.decode(st)
	if p.stopped {
		return
	}
	p.flush()
	before, origin, outside := p.state, p.origin, p.inside
	visible := p.visible
	p.state = p.first()
	p.ctm, p.origin, p.inside, p.visible = m, m, i, visible
	p.depth++
	p.run(b, p.scope(resources, p.scopes))
	p.depth--
	p.state, p.origin, p.inside = before, origin, outside
}

// showDeep remembers what is shown, and looks into what it is painted with.
func (p *painter) showDeep(r *shown, s []byte) {
	f := p.font
	if f == nil || r.in == 0 {
		return
	}
	p.remember(f, s)
	switch {
	case f.type3:
		for _, c := range s {
			p.proc3(r, f, c)
		}
	case p.mode == 1 || p.mode == 5:
		p.tile(p.lines.pattern, p.clip)
	default:
		p.tile(p.fill.pattern, p.clip)
	}
}

// proc3 looks into a glyph of a type 3 font (ISO 32000-2 §9.6.4), once a page, wherever on it the glyph is shown.
func (p *painter) proc3(r *shown, f *font, code byte) {
	o := f.streams[code]
	if o == nil || p.stopped || !p.enter(entrance{font: f, code: code, in: p.visible.in}) {
		return
	}
	st, err := p.d.Stream(o)
	if p.failed(err) || st == nil {
		return
	}
	p.look(st, f.dict["Resources"], f.glyphSpace(r.m), inside{on: true, in: p.visible.in, area: cmp.Or(p.inside.area, &p.sheet)})
}

// remember notes the codes of a string.
func (p *painter) remember(f *font, s []byte) {
	shown := p.deep.shown[f]
	if shown == nil {
		shown = &shownFont{codes: map[uint32]struct{}{}}
		p.deep.shown[f] = shown
		p.deep.order = append(p.deep.order, f)
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
		code, n := f.composite.code(s)
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

// UsedFont is a font in which text was shown where it is to be seen.
type UsedFont struct {
	Dict  pdf.Dict
	Pages []int // in order
	Codes []Code
}

// Code is one code of a font, and what the file says that it means.
type Code struct {
	Code uint32
	CID  uint32     // of a composite font whose map of codes the file has; else the code
	Name string     // of the glyph, by /Differences of a simple font
	Text string     // by /ToUnicode
	Proc pdf.Object // the glyph of a type 3 font
}

// Fonts lists the fonts that were met on the pages so far, in that order, with their codes in order. It is for a deep
// reader; another has none.
func (r *Reader) Fonts() []UsedFont {
	if r.deep == nil {
		return nil
	}
	var all []UsedFont
	for _, f := range r.deep.order {
		shown := r.deep.shown[f]
		out := UsedFont{Dict: f.dict, Pages: shown.pages}
		for code, met := range shown.simple {
			if met {
				out.Codes = append(out.Codes, f.tell(uint32(code)))
			}
		}
		for _, code := range slices.SortedFunc(maps.Keys(shown.codes), cmp.Compare) {
			out.Codes = append(out.Codes, f.tell(code))
		}
		all = append(all, out)
	}
	return all
}

func (f *font) tell(code uint32) Code {
	c := Code{Code: code, CID: code}
	switch {
	case f.composite != nil:
		if f.composite.codes != nil {
			c.CID = f.composite.codes.cid(code)
		}
		if f.composite.texts != nil {
			c.Text = f.composite.texts.text(code)
		}
	case f.own != nil:
		c.Name, c.Text = f.own.names[byte(code)], f.own.texts[byte(code)]
		if f.streams != nil {
			c.Proc = f.streams[byte(code)]
		}
	}
	return c
}
