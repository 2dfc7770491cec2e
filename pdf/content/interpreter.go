package content

import (
	"slices"
	"strings"

	"segel/pdf"
)

// graphicsState is the part of the graphics state that determines where and how things are painted.
type graphicsState struct {
	ctm             matrix     // to points of the page as displayed
	clip            pdf.Rect   // bounding box of the clip, in the same
	lineWidth       float64    // of strokes
	transparent     bool       // painted with opacity 0
	groupOpacity    float64    // of the enclosing transparency groups
	blendMode       pdf.Name   // empty is Normal
	outerBlendModes []pdf.Name // of the enclosing groups

	fillAlpha, strokeAlpha float64

	clipFingerprint fingerprint // of the clip, for a deep reader
	mask            fingerprint // of the soft mask, for a deep reader

	translucent     bool // below translucentBelow
	blended         bool // blended with what is below, or masked
	fill            colour
	stroke          colour // of strokes
	font            *font
	fontSize        float64
	charSpacing     float64 // character spacing
	wordSpacing     float64 // word spacing
	horizontalScale float64 // 1 is unscaled
	leading         float64
	rise            float64
	textMode        int

	visible visibility // of current paint
}

// interpreter interprets the content of one page.
type interpreter struct {
	*Reader
	graphicsState
	pageBox         pdf.Rect // the page
	base            matrix   // default user space to the page
	savedStates     []graphicsState
	savedVisibility []visibility // before each marked content
	depth           int
	scopes          *scope
	patternOrigin   matrix // of the current content: patterns are placed relative to it
	inner           innerContext

	textMatrix, lineMatrix matrix
	path                   path
	word                   word
	letters                *strings.Builder // of words, see internLetters

	annotation  pdf.Ref   // whose appearance is interpreted
	cover       *Coverage // records what paint covers; may be nil
	marks       []Mark
	trace       *Appearance // lists glyphs and paths; nil if only marks are needed
	tracedFonts []*font     // of trace
	problem     error
	stopped     bool
}

// initialState is the graphics state at the start of content: it paints black.
func (p *interpreter) initialState() graphicsState {
	black := colour{whiteValue: 1, color: Color{Known: true}}
	return graphicsState{
		ctm: p.base, clip: p.pageBox, horizontalScale: 1, lineWidth: 1, fill: black, stroke: black, groupOpacity: 1, fillAlpha: 1, strokeAlpha: 1,
		visible: visibility{views: allViews},
	}
}

// scope is a resource dictionary with its fonts and colour spaces that were used.
type scope struct {
	dict   pdf.Dict
	fonts  map[pdf.Name]*font
	spaces map[pdf.Name]fingerprint // for a deep reader
}

// newScope resolves resources; a form without any uses those around it.
func (p *interpreter) newScope(o pdf.Object, around *scope) *scope {
	dict, err := p.d.Dict(o)
	if p.failed(err) || dict == nil && around != nil {
		return around
	}
	return &scope{dict: dict, fonts: map[pdf.Name]*font{}, spaces: map[pdf.Name]fingerprint{}}
}

// findResource returns a resource by category and name.
func (p *interpreter) findResource(category, name pdf.Name) pdf.Object {
	if p.scopes == nil {
		return nil
	}
	list, err := p.d.Dict(p.scopes.dict[category])
	if p.failed(err) {
		return nil
	}
	if list[name] == nil && p.trace != nil {
		return p.findFormResource(category, name)
	}
	return list[name]
}

// Cost of an operator in the budget of the file, and after how many they are counted.
const (
	operatorsAtOnce = 1 << 10
	operatorWork    = 32
)

// interpretContent interprets one content stream: of the page, a form, or an appearance. Its changes of state are
// undone at its end.
func (p *interpreter) interpretContent(b []byte, s *scope) {
	if p.stopped || !p.spendBytes(int64(len(b))) {
		p.stopAtLimit(errBytes)
		return
	}
	around, state, saved, layered, text, line := p.scopes, p.graphicsState, p.savedStates, p.savedVisibility, p.textMatrix, p.lineMatrix
	p.scopes, p.savedStates, p.savedVisibility, p.path = s, nil, nil, path{}
	if p.cover != nil {
		p.cover.path = flatPath{}
	}
	if p.trace != nil {
		p.traceResources()
	}
	c := &contentLexer{b: b, operands: p.operands[:0], decoded: p.decoded[:0]}
	for op := c.nextOperator(); op != nil && !p.stopped; op = c.nextOperator() {
		if p.operators--; p.operators < 0 {
			p.stopAtLimit(errOperators)
			break
		}
		if p.operators%operatorsAtOnce == 0 && p.failed(p.d.SpendBudget(operatorsAtOnce*operatorWork)) {
			p.stopped = true
			break
		}
		p.execute(op, c)
	}
	if cap(c.operands) <= maxRetainedOperands && cap(c.decoded) <= maxRetainedDecoded {
		p.operands, p.decoded = c.operands, c.decoded // nested forms no longer use them
	}
	switch c.err {
	case nil:
	case errOperands:
		p.noteIncomplete(Limit, c.err)
	default:
		p.noteIncomplete(Damaged, c.err)
	}
	p.flushWord()
	p.scopes, p.graphicsState, p.savedStates, p.savedVisibility, p.textMatrix, p.lineMatrix, p.path = around, state, saved, layered, text, line, path{}
}

func (p *interpreter) execute(op []byte, c *contentLexer) {
	var v [6]float64
	switch string(op) {
	case "q":
		if len(p.savedStates) >= p.limits.States {
			p.stopAtLimit(errStates)
			return
		}
		p.savedStates = append(p.savedStates, p.graphicsState)
	case "Q":
		if n := len(p.savedStates); n > 0 {
			visible := p.visible // marked content is not nested in graphics states
			p.graphicsState, p.savedStates = p.savedStates[n-1], p.savedStates[:n-1]
			p.visible = visible
		}
	case "cm":
		if c.lastNumbers(v[:]) {
			p.ctm = matrix(v).then(p.ctm)
		}
	case "w":
		if c.lastNumbers(v[:1]) {
			p.lineWidth = v[0]
		}
	case "gs":
		p.applyExtGState(pdf.Name(c.lastName()))
	case "Do":
		p.paintXObject(pdf.Name(c.lastName()))
	case "sh":
		p.countPicture()
		if p.coversPage() {
			p.cover.fillBox(p.clip, p.coveringOpacity(p.fillAlpha, unknown))
		}
		m := Mark{Kind: Drawing, Box: p.clip, FillsBox: true}
		if p.deep != nil {
			shading := p.fingerprintObject(p.findResource("Shading", pdf.Name(c.lastName())))
			m.Fingerprint = uint64(p.fingerprintPaint(Drawing).addWord(uint64(shading)).addShape(p.ctm).addNumber(p.ctm[4]).addNumber(p.ctm[5]))
		}
		p.addMark(m)
	case "ID":
		data := p.skipInlineImage(c.operands, c)
		sum := p.fingerprintImage(p.fingerprintInline(c.operands, data), true)
		p.countPicture()
		if p.coversPage() {
			p.coverUnitSquare(nil)
		}
		p.addMark(Mark{Kind: Image, Box: p.ctm.mapBox(pdf.Rect{URX: 1, URY: 1}), FillsBox: true, Fingerprint: sum})
	case "BDC":
		p.beginMarkedContent(c)
	case "BMC":
		p.pushVisibility(0)
	case "EMC":
		p.popVisibility()
	default:
		if !p.executePathOperator(op, c) && !p.executeColourOperator(op, c) {
			p.executeTextOperator(op, c)
		}
	}
}

// applyExtGState applies a graphics state dictionary (ISO 32000-2 §8.4.5).
func (p *interpreter) applyExtGState(name pdf.Name) {
	gs, err := p.d.Dict(p.findResource("ExtGState", name))
	if p.failed(err) || gs == nil {
		return
	}
	if p.trace != nil {
		p.traceState(gs)
	}
	if gs["LW"] != nil {
		if w, err := p.d.Number(gs["LW"]); !p.failed(err) {
			p.lineWidth = w
		}
	}
	if gs["ca"] != nil {
		if a, err := p.d.Number(gs["ca"]); !p.failed(err) {
			p.transparent, p.translucent, p.fillAlpha = a <= 0, a < translucentBelow, max(0, min(a, 1))
		}
	}
	if gs["CA"] != nil {
		if a, err := p.d.Number(gs["CA"]); !p.failed(err) {
			p.strokeAlpha = max(0, min(a, 1))
		}
	}
	p.readBlending(gs)
	if pair, err := p.d.Array(gs["Font"]); !p.failed(err) && len(pair) == 2 {
		size, err := p.d.Number(pair[1])
		if !p.failed(err) {
			p.font, p.fontSize = p.readFont(pair[0]), size
		}
	}
}

// translucentBelow is the opacity below which what is below is visible.
const translucentBelow = 0.9

// readBlending reads how a graphics state is blended with what is below (ISO 32000-2 §11.6.3, §11.6.5).
func (p *interpreter) readBlending(gs pdf.Dict) {
	mode, err := p.d.Resolve(gs["BM"])
	if p.failed(err) {
		return
	}
	mask, err := p.d.Resolve(gs["SMask"])
	if p.failed(err) {
		return
	}
	if gs["BM"] != nil {
		p.blendMode = p.readBlendMode(mode)
	}
	if gs["BM"] != nil || gs["SMask"] != nil {
		dict, masked := mask.(pdf.Dict)
		p.interpretMask(dict)
		if gs["SMask"] != nil {
			p.mask = 0
			if masked {
				p.mask = p.fingerprintObject(gs["SMask"])
			}
		}
		p.blended = masked || gs["BM"] != nil && mode != pdf.Object(pdf.Name("Normal")) && mode != pdf.Object(pdf.Name("Compatible"))
	}
}

// maxBlendModes bounds a list of blend modes. The standard has sixteen.
const maxBlendModes = 32

// readBlendMode returns the first known mode of a list, as readers do.
func (p *interpreter) readBlendMode(mode pdf.Object) pdf.Name {
	list, ok := mode.(pdf.Array)
	if !ok {
		list = pdf.Array{mode}
	}
	if len(list) > maxBlendModes {
		p.noteIncomplete(Limit, errBlendModes)
		list = list[:maxBlendModes]
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

// addMark adds a mark with the current visibility, clipped.
func (p *interpreter) addMark(m Mark) {
	p.flushWord()
	m.Hidden, m.Views = p.currentVisibility()
	m.Translucent = m.Translucent || p.translucent || p.blended
	p.appendMark(m, p.clip)
}

// currentVisibility returns why current paint is not visible on a screen, and in which views it is.
func (p *interpreter) currentVisibility() (Hidden, Views) {
	if !p.transparent {
		return p.visible.hiddenBy, p.visible.views
	}
	if p.visible.hiddenBy != "" {
		return p.visible.hiddenBy, 0
	}
	return ByOpacity, 0
}

// appendMark adds a mark, clipped.
func (p *interpreter) appendMark(m Mark, clip pdf.Rect) {
	switch {
	case !isPlausible(m.Box):
		p.noteIncomplete(Coordinates, nil)
		return
	case len(p.marks) >= p.limits.Marks:
		p.stopAtLimit(errMarks)
		return
	}
	m.Annot = p.annotation
	if !p.inner.acceptMark(&m) {
		return
	}
	if m.Views != 0 {
		cut := m.Box.Intersect(clip)
		switch {
		case cut.LLX > cut.URX || cut.LLY > cut.URY:
			m.Views = 0
			if m.Hidden == "" {
				m.Hidden = ByClip
			}
		case m.Hidden == "":
			m.Box = cut
		}
	}
	p.marks = append(p.marks, m)
}

// paintXObject paints an image, or interprets a form.
func (p *interpreter) paintXObject(name pdf.Name) {
	o := p.findResource("XObject", name)
	st, err := p.d.Stream(o)
	if p.failed(err) || st == nil {
		return
	}
	if p.trace != nil && st.Dict["OC"] != nil {
		p.trace.addUnclear("optional content")
	}
	off := p.hiddenViews(st.Dict["OC"])
	kind, err := p.d.Name(st.Dict["Subtype"])
	switch {
	case p.failed(err):
	case kind == "Image":
		p.countPicture()
		ref, _ := o.(pdf.Ref)
		p.interpretImage(st, ref, off)
	case kind == "PS", st.Dict["Subtype2"] == pdf.Object(pdf.Name("PS")):
		p.addImage(st, pdf.Ref{}, p.visible.views&^off&InPrint) // for PostScript printers
	case kind == "Form":
		visible := p.visible
		p.setVisible(visible.hideIn(off, ByLayer))
		p.interpretForm(st, identityMatrix)
		p.setVisible(visible)
	}
}

// countPicture counts an image or shading.
func (p *interpreter) countPicture() {
	if p.trace != nil {
		p.trace.Pictures++
		p.traceBlending()
	}
}

// interpretForm interprets a form; fit is applied after its matrix (ISO 32000-2 §8.10.1).
func (p *interpreter) interpretForm(st *pdf.Stream, fit matrix) {
	if p.depth >= p.limits.Depth {
		p.noteIncomplete(Limit, errNested)
		return
	}
	b := p.decodeStream(st)
	if p.stopped {
		return
	}
	p.flushWord()
	before, origin := p.graphicsState, p.patternOrigin
	p.depth++
	p.ctm = p.readMatrix(st.Dict["Matrix"]).then(fit).then(p.ctm)
	if st.Dict["Group"] != nil { // drawn as a whole, and then with the opacity of the state (ISO 32000-2 §11.6.6)
		p.groupOpacity, p.fillAlpha, p.strokeAlpha = p.groupOpacity*p.fillAlpha, 1, 1
		p.outerBlendModes, p.blendMode = append(slices.Clip(p.outerBlendModes), p.blendMode), ""
	}
	p.patternOrigin = p.ctm
	if box, err := p.d.Rect(st.Dict["BBox"]); !p.failed(err) && st.Dict["BBox"] != nil {
		if p.deep != nil && p.ctm[0] != 0 && p.ctm[1] != 0 {
			p.addClip(fingerprint(4).addShape(p.ctm).addRect(box)) // the rotated box is smaller than its bounding box
		}
		p.narrowClip(p.ctm.mapBox(box))
	}
	p.interpretContent(b, p.newScope(st.Dict["Resources"], p.scopes))
	p.depth--
	p.graphicsState, p.patternOrigin = before, origin
}

// narrowClip intersects the clip with r, unless r is implausible.
func (p *interpreter) narrowClip(r pdf.Rect) {
	if !isPlausible(r) {
		p.noteIncomplete(Coordinates, nil)
		return
	}
	p.clip = p.clip.Intersect(r)
}

// readMatrix reads a matrix; a missing or malformed one is the identity.
func (p *interpreter) readMatrix(o pdf.Object) matrix {
	list, err := p.d.Array(o)
	if p.failed(err) || len(list) != 6 {
		return identityMatrix
	}
	var m matrix
	for i, v := range list {
		if m[i], err = p.d.Number(v); p.failed(err) {
			return identityMatrix
		}
	}
	return m
}

// interpretImage paints an image, or those of its alternates that readers show in its place (ISO 32000-2 §8.9.5.4): one
// for printing, or, in views in which the image is off, the first that is on.
func (p *interpreter) interpretImage(st *pdf.Stream, ref pdf.Ref, off Views) {
	around := p.visible
	shown, vacant := around.views&^off, around.views&off
	alternates, err := p.d.Array(st.Dict["Alternates"])
	p.failed(err)
	if len(alternates) > maxAlternates {
		p.noteIncomplete(Limit, errAlternate)
		alternates = alternates[:maxAlternates]
	}
	p.operators -= len(alternates) // a limit that is reached counts with the next operator
	for _, o := range alternates {
		alternate, err := p.d.Dict(o)
		if p.failed(err) || alternate == nil {
			continue
		}
		instead, err := p.d.Stream(alternate["Image"])
		if p.failed(err) || instead == nil || alternate.Ref("Image") == ref {
			continue
		}
		on, in := allViews&^p.hiddenViews(instead.Dict["OC"]), Views(0)
		if printing, err := p.d.Boolean(alternate["DefaultForPrinting"]); !p.failed(err) && printing {
			in = shown & InPrint & on
		}
		if instead.Dict["OC"] != nil {
			in |= vacant & on
		}
		shown, vacant = shown&^in, vacant&^in
		if in != 0 {
			p.addImage(instead, alternate.Ref("Image"), in)
		}
	}
	p.addImage(st, ref, shown)
}

// maxAlternates bounds the alternates of one image.
const maxAlternates = 100

func (p *interpreter) addImage(st *pdf.Stream, ref pdf.Ref, in Views) {
	around := p.visible
	p.setVisible(around.hideIn(allViews&^in, ByLayer))
	masked := st.Dict["SMask"] != nil || st.Dict["Mask"] != nil || st.Dict["ImageMask"] != nil
	if p.coversPage() {
		p.coverUnitSquare(p.readImageOpacity(st))
	}
	p.addMark(Mark{Kind: Image, Box: p.ctm.mapBox(pdf.Rect{URX: 1, URY: 1}), FillsBox: true, Translucent: masked, Image: ref, Fingerprint: p.fingerprintImage(fingerprint(3).addRef(ref), st.Dict["ImageMask"] != nil)})
	p.setVisible(around)
}
