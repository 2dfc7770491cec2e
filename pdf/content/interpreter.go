package content

import (
	"slices"
	"strings"

	"segel/pdf"
)

// state is the part of the graphics state that tells where things are painted.
type state struct {
	ctm   matrix     // to points of the page as displayed
	clip  pdf.Rect   // around the clip, in those
	width float64    // of lines
	clear bool       // painted with no opacity
	group float64    // opacity of the transparency groups around
	blend pdf.Name   // how it mixes with what is below; empty is Normal
	outer []pdf.Name // the same of the groups around

	fillAlpha, lineAlpha float64

	clipped sum        // of the clip, for a deep reader
	mask    pdf.Object // the soft mask, for a deep reader

	faint bool // painted with so little that one sees through
	mixed bool // blended with what is below, or masked
	fill  colour
	lines colour // of strokes
	font  *font
	size  float64
	chars float64 // character spacing
	words float64 // word spacing
	scale float64 // horizontal, 1 is as it is
	lead  float64
	rise  float64
	mode  int

	visible visibility // of all that is painted
}

// painter follows the content of one page.
type painter struct {
	*Reader
	state
	sheet   pdf.Rect // the page
	base    matrix   // default user space to the page
	saved   []state
	layered []visibility // before each marked content
	depth   int
	scopes  *scope
	origin  matrix // of the content that is followed: where patterns are laid from
	inside  inside

	text, line matrix
	path       path
	word       word
	letters    *strings.Builder // of words, see kept

	annot   pdf.Ref // whose appearance is painted
	cover   *Cover  // to be filled with what is painted; may be nil
	marks   []Mark
	trace   *Appearance // lists glyphs and paths; nil where marks are enough
	traced  []*font     // those of trace
	trouble error
	stopped bool
}

// first is the graphics state that content begins with: it paints black.
func (p *painter) first() state {
	black := colour{full: 1, color: Color{Known: true}}
	return state{
		ctm: p.base, clip: p.sheet, scale: 1, width: 1, fill: black, lines: black, group: 1, fillAlpha: 1, lineAlpha: 1,
		visible: visibility{in: everyView},
	}
}

// scope is a resource dictionary with the fonts it was asked for.
type scope struct {
	dict  pdf.Dict
	fonts map[pdf.Name]*font
}

// scope resolves resources; a form without its own uses those around it.
func (p *painter) scope(o pdf.Object, around *scope) *scope {
	dict, err := p.d.Dict(o)
	if p.failed(err) || dict == nil && around != nil {
		return around
	}
	return &scope{dict: dict, fonts: map[pdf.Name]*font{}}
}

// resource looks a resource up by its category and name.
func (p *painter) resource(category, name pdf.Name) pdf.Object {
	if p.scopes == nil {
		return nil
	}
	list, err := p.d.Dict(p.scopes.dict[category])
	if p.failed(err) {
		return nil
	}
	if list[name] == nil && p.trace != nil {
		return p.formResource(category, name)
	}
	return list[name]
}

// What operators count as in the budget of the file, and after how many they are counted.
const (
	operatorsAtOnce = 1 << 10
	operatorWork    = 32
)

// run follows one stream of content: of the page, a form, or an appearance. What it saves, pushes and changes is its
// own.
func (p *painter) run(b []byte, s *scope) {
	if p.stopped || !p.spend(int64(len(b))) {
		p.stop(errBytes)
		return
	}
	around, state, saved, layered, text, line := p.scopes, p.state, p.saved, p.layered, p.text, p.line
	p.scopes, p.saved, p.layered, p.path = s, nil, nil, path{}
	if p.cover != nil {
		p.cover.outline = outline{}
	}
	if p.trace != nil {
		p.traceResources()
	}
	c := &content{b: b, operands: p.operands[:0], decoded: p.decoded[:0]}
	for op := c.next(); op != nil && !p.stopped; op = c.next() {
		if p.operators--; p.operators < 0 {
			p.stop(errOperators)
			break
		}
		if p.operators%operatorsAtOnce == 0 && p.failed(p.d.SpendBudget(operatorsAtOnce*operatorWork)) {
			p.stopped = true
			break
		}
		p.do(op, c)
	}
	if cap(c.operands) <= keptOperands && cap(c.decoded) <= keptDecoded {
		p.operands, p.decoded = c.operands, c.decoded // what a form within read into them was done with
	}
	switch c.err {
	case nil:
	case errOperands:
		p.untold(Limit, c.err)
	default:
		p.untold(Damaged, c.err)
	}
	p.flush()
	p.scopes, p.state, p.saved, p.layered, p.text, p.line, p.path = around, state, saved, layered, text, line, path{}
}

func (p *painter) do(op []byte, c *content) {
	var v [6]float64
	switch string(op) {
	case "q":
		if len(p.saved) >= p.limits.States {
			p.stop(errStates)
			return
		}
		p.saved = append(p.saved, p.state)
	case "Q":
		if n := len(p.saved); n > 0 {
			visible := p.visible // marked content is not nested in graphics states
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
			p.visible = visible
		}
	case "cm":
		if c.numbers(v[:]) {
			p.ctm = matrix(v).then(p.ctm)
		}
	case "w":
		if c.numbers(v[:1]) {
			p.width = v[0]
		}
	case "gs":
		p.extended(pdf.Name(c.name()))
	case "Do":
		p.object(pdf.Name(c.name()))
	case "sh":
		p.picture()
		if p.paints() {
			p.cover.fill(p.clip, p.hiding(p.fillAlpha, unknown))
		}
		m := Mark{Kind: Drawing, Box: p.clip, Whole: true}
		if p.deep != nil {
			m.Look = uint64(p.paintSum(Drawing).object(p.resource("Shading", pdf.Name(c.name()))).shape(p.ctm).number(p.ctm[4]).number(p.ctm[5]))
		}
		p.mark(m)
	case "ID":
		data := p.passInline(c.operands, c)
		look := p.imageLook(p.inlineSource(c.operands, data), true)
		p.picture()
		if p.paints() {
			p.stretchOver(nil)
		}
		p.mark(Mark{Kind: Image, Box: p.ctm.box(pdf.Rect{URX: 1, URY: 1}), Whole: true, Look: look})
	case "BDC":
		p.begin(c)
	case "BMC":
		p.push(0)
	case "EMC":
		p.pop()
	default:
		if !p.draw(op, c) && !p.paintColours(op, c) {
			p.write(op, c)
		}
	}
}

// extended reads a graphics state dictionary (ISO 32000-2 §8.4.5).
func (p *painter) extended(name pdf.Name) {
	gs, err := p.d.Dict(p.resource("ExtGState", name))
	if p.failed(err) || gs == nil {
		return
	}
	if p.trace != nil {
		p.traceState(gs)
	}
	if gs["LW"] != nil {
		if w, err := p.d.Number(gs["LW"]); !p.failed(err) {
			p.width = w
		}
	}
	if gs["ca"] != nil {
		if a, err := p.d.Number(gs["ca"]); !p.failed(err) {
			p.clear, p.faint, p.fillAlpha = a <= 0, a < seeThrough, max(0, min(a, 1))
		}
	}
	if gs["CA"] != nil {
		if a, err := p.d.Number(gs["CA"]); !p.failed(err) {
			p.lineAlpha = max(0, min(a, 1))
		}
	}
	p.blending(gs)
	if pair, err := p.d.Array(gs["Font"]); !p.failed(err) && len(pair) == 2 {
		size, err := p.d.Number(pair[1])
		if !p.failed(err) {
			p.font, p.size = p.fontOf(pair[0]), size
		}
	}
}

// seeThrough is the opacity below which one sees what is below.
const seeThrough = 0.9

// blending reads how a graphics state mixes with what is below (ISO 32000-2 §11.6.3, §11.6.5).
func (p *painter) blending(gs pdf.Dict) {
	mode, err := p.d.Resolve(gs["BM"])
	if p.failed(err) {
		return
	}
	mask, err := p.d.Resolve(gs["SMask"])
	if p.failed(err) {
		return
	}
	if gs["BM"] != nil {
		p.blend = p.blendMode(mode)
	}
	if gs["BM"] != nil || gs["SMask"] != nil {
		dict, masked := mask.(pdf.Dict)
		p.lookAtMask(dict)
		if gs["SMask"] != nil {
			p.mask = nil
			if masked {
				p.mask = gs["SMask"]
			}
		}
		p.mixed = masked || gs["BM"] != nil && mode != pdf.Object(pdf.Name("Normal")) && mode != pdf.Object(pdf.Name("Compatible"))
	}
}

// blendMode is the first of a list that is known, as readers take it.
func (p *painter) blendMode(mode pdf.Object) pdf.Name {
	list, ok := mode.(pdf.Array)
	if !ok {
		list = pdf.Array{mode}
	}
	for _, o := range list {
		name, err := p.d.Name(o)
		if p.failed(err) {
			continue
		}
		switch name {
		case "Normal", "Compatible":
			return ""
		case "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight", "SoftLight", "Difference",
			"Exclusion", "Hue", "Saturation", "Color", "Luminosity":
			return name
		}
	}
	return ""
}

// mark notes something that is painted, cut to the clip.
func (p *painter) mark(m Mark) {
	p.flush()
	m.Hidden, m.In = p.unseen()
	m.Sheer = m.Sheer || p.faint || p.mixed
	p.put(m, p.clip)
}

// unseen is why nothing that is painted now is to be seen on a screen, and in which views it is.
func (p *painter) unseen() (Hidden, Views) {
	if !p.clear {
		return p.visible.why, p.visible.in
	}
	if p.visible.why != "" {
		return p.visible.why, 0
	}
	return ByOpacity, 0
}

// put adds a mark, cut to a clip.
func (p *painter) put(m Mark, clip pdf.Rect) {
	switch {
	case !sane(m.Box):
		p.untold(Numbers, nil)
		return
	case len(p.marks) >= p.limits.Marks:
		p.stop(errMarks)
		return
	}
	m.Annot = p.annot
	if !p.inside.lists(&m) {
		return
	}
	if m.In != 0 {
		cut := m.Box.Intersect(clip)
		switch {
		case cut.LLX > cut.URX || cut.LLY > cut.URY:
			m.In = 0
			if m.Hidden == "" {
				m.Hidden = ByClip
			}
		case m.Hidden == "":
			m.Box = cut
		}
	}
	p.marks = append(p.marks, m)
}

// object paints an image, or what a form paints.
func (p *painter) object(name pdf.Name) {
	o := p.resource("XObject", name)
	st, err := p.d.Stream(o)
	if p.failed(err) || st == nil {
		return
	}
	if p.trace != nil && st.Dict["OC"] != nil {
		p.trace.unclear("optional content")
	}
	off := p.off(st.Dict["OC"])
	kind, err := p.d.Name(st.Dict["Subtype"])
	switch {
	case p.failed(err):
	case kind == "Image":
		p.picture()
		ref, _ := o.(pdf.Ref)
		p.image(st, ref, off)
	case kind == "PS", st.Dict["Subtype2"] == pdf.Object(pdf.Name("PS")):
		p.markImage(st, pdf.Ref{}, p.visible.in&^off&InPrint) // PostScript, for printers that know it
	case kind == "Form":
		visible := p.visible
		p.setVisible(visible.without(off, ByLayer))
		p.form(st, identity)
		p.setVisible(visible)
	}
}

// picture counts a picture.
func (p *painter) picture() {
	if p.trace != nil {
		p.trace.Pictures++
		p.traceBlending()
	}
}

// form paints a form; fit comes behind its own matrix (ISO 32000-2 §8.10.1).
func (p *painter) form(st *pdf.Stream, fit matrix) {
	if p.depth >= p.limits.Depth {
		p.untold(Limit, errNested)
		return
	}
	b := p.decode(st)
	if p.stopped {
		return
	}
	p.flush()
	before, origin := p.state, p.origin
	p.depth++
	p.ctm = p.matrixOf(st.Dict["Matrix"]).then(fit).then(p.ctm)
	if st.Dict["Group"] != nil { // drawn as a whole, and then as opaque as the state says (ISO 32000-2 §11.6.6)
		p.group, p.fillAlpha, p.lineAlpha = p.group*p.fillAlpha, 1, 1
		p.outer, p.blend = append(slices.Clip(p.outer), p.blend), ""
	}
	p.origin = p.ctm
	if box, err := p.d.Rect(st.Dict["BBox"]); !p.failed(err) && st.Dict["BBox"] != nil {
		if p.deep != nil && p.ctm[0] != 0 && p.ctm[1] != 0 {
			p.clipBy(sum(4).shape(p.ctm).object(box.Array())) // it is not all of the box around it
		}
		p.cut(p.ctm.box(box))
	}
	p.run(b, p.scope(st.Dict["Resources"], p.scopes))
	p.depth--
	p.state, p.origin = before, origin
}

// cut narrows the clip. One that cannot be reckoned with does not.
func (p *painter) cut(r pdf.Rect) {
	if !sane(r) {
		p.untold(Numbers, nil)
		return
	}
	p.clip = p.clip.Intersect(r)
}

// matrixOf reads a matrix; one that is missing or none is the identity.
func (p *painter) matrixOf(o pdf.Object) matrix {
	list, err := p.d.Array(o)
	if p.failed(err) || len(list) != 6 {
		return identity
	}
	var m matrix
	for i, v := range list {
		if m[i], err = p.d.Number(v); p.failed(err) {
			return identity
		}
	}
	return m
}

// image paints an image, or those of its alternates that readers show in its place (ISO 32000-2 §8.9.5.4): one for
// printing, or, in views in which the image itself is off, the first that is on.
func (p *painter) image(st *pdf.Stream, ref pdf.Ref, off Views) {
	around := p.visible
	shown, vacant := around.in&^off, around.in&off
	alternates, err := p.d.Array(st.Dict["Alternates"])
	p.failed(err)
	if len(alternates) > maxAlternates {
		p.untold(Limit, errAlternate)
		alternates = alternates[:maxAlternates]
	}
	for _, o := range alternates {
		alternate, err := p.d.Dict(o)
		if p.failed(err) || alternate == nil {
			continue
		}
		instead, err := p.d.Stream(alternate["Image"])
		if p.failed(err) || instead == nil || alternate.Ref("Image") == ref {
			continue
		}
		on, in := everyView&^p.off(instead.Dict["OC"]), Views(0)
		if printing, err := p.d.Boolean(alternate["DefaultForPrinting"]); !p.failed(err) && printing {
			in = shown & InPrint & on
		}
		if instead.Dict["OC"] != nil {
			in |= vacant & on
		}
		shown, vacant = shown&^in, vacant&^in
		if in != 0 {
			p.markImage(instead, alternate.Ref("Image"), in)
		}
	}
	p.markImage(st, ref, shown)
}

// maxAlternates bounds the alternates of one image that are looked at.
const maxAlternates = 100

func (p *painter) markImage(st *pdf.Stream, ref pdf.Ref, in Views) {
	around := p.visible
	p.setVisible(around.without(everyView&^in, ByLayer))
	masked := st.Dict["SMask"] != nil || st.Dict["Mask"] != nil || st.Dict["ImageMask"] != nil
	p.imageHides(st)
	p.mark(Mark{Kind: Image, Box: p.ctm.box(pdf.Rect{URX: 1, URY: 1}), Whole: true, Sheer: masked, Image: ref, Look: p.imageLook(sum(3).object(ref), st.Dict["ImageMask"] != nil)})
	p.setVisible(around)
}
