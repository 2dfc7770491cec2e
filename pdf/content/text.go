package content

import (
	"math"

	"segel/pdf"
)

// executeTextOperator follows the operators of text (ISO 32000-2 §9.3 and §9.4).
func (p *interpreter) executeTextOperator(op []byte, c *contentLexer) {
	switch string(op) {
	case "Tj", "TJ", "'", "\"":
		p.executeTextShowing(op, c)
	case "BT", "Td", "TD", "Tm", "T*":
		p.executeTextPositioning(op, c)
	default:
		p.executeTextState(op, c)
	}
}

// executeTextShowing follows the operators that show text.
func (p *interpreter) executeTextShowing(op []byte, c *contentLexer) {
	switch string(op) {
	case "TJ":
		p.showArray(c)
		return
	case "\"":
		if n := len(c.operands); n >= 3 && c.operands[n-3].kind == isNumber && c.operands[n-2].kind == isNumber {
			p.wordSpacing, p.charSpacing = c.operands[n-3].number, c.operands[n-2].number
		}
		fallthrough
	case "'":
		p.startLine(0, -p.leading)
	}
	p.showOperand(c)
}

// executeTextPositioning follows the operators that say where text goes.
func (p *interpreter) executeTextPositioning(op []byte, c *contentLexer) {
	var v [6]float64
	switch string(op) {
	case "BT":
		p.textMatrix, p.lineMatrix = identityMatrix, identityMatrix
	case "Td":
		if c.lastNumbers(v[:2]) {
			p.startLine(v[0], v[1])
		}
	case "TD":
		if c.lastNumbers(v[:2]) {
			p.leading = -v[1]
			p.startLine(v[0], v[1])
		}
	case "Tm":
		if c.lastNumbers(v[:]) {
			p.lineMatrix = matrix(v)
			p.textMatrix = p.lineMatrix
		}
	case "T*":
		p.startLine(0, -p.leading)
	}
}

// executeTextState follows the operators that say how text looks.
func (p *interpreter) executeTextState(op []byte, c *contentLexer) {
	var v [1]float64
	switch string(op) {
	case "Tf":
		p.selectFont(c)
	case "Tc":
		setNumber(c, &p.charSpacing)
	case "Tw":
		setNumber(c, &p.wordSpacing)
	case "Tz":
		if c.lastNumbers(v[:]) {
			p.horizontalScale = v[0] / 100
		}
	case "TL":
		setNumber(c, &p.leading)
	case "Ts":
		setNumber(c, &p.rise)
	case "Tr":
		if c.lastNumbers(v[:]) && v[0] >= 0 && v[0] <= 7 {
			p.textMode = int(v[0])
		}
	}
}

func setNumber(c *contentLexer, to *float64) {
	var v [1]float64
	if c.lastNumbers(v[:]) {
		*to = v[0]
	}
}

// startLine begins a line at an offset from the beginning of the one before.
func (p *interpreter) startLine(x, y float64) {
	p.lineMatrix = p.lineMatrix.translate(x, y)
	p.textMatrix = p.lineMatrix
}

func (p *interpreter) selectFont(c *contentLexer) {
	n := len(c.operands)
	if n < 2 || c.operands[n-2].kind != isName || c.operands[n-1].kind != isNumber {
		return
	}
	p.fontSize = c.operands[n-1].number
	p.font = nil
	name := pdf.Name(c.operands[n-2].text)
	if p.scopes == nil {
		return
	}
	f, known := p.scopes.fonts[name]
	if !known {
		f = p.readFont(p.findResource("Font", name))
		p.scopes.fonts[name] = f
	}
	p.font = f
}

func (p *interpreter) showOperand(c *contentLexer) {
	if n := len(c.operands); n > 0 && c.operands[n-1].kind == isString {
		r := p.newTextRun()
		p.showString(&r, c.operands[n-1].text)
	}
}

// showArray shows the strings of an array, its numbers being steps back in thousandths of the size.
func (p *interpreter) showArray(c *contentLexer) {
	r := p.newTextRun()
	for _, o := range c.operands {
		switch {
		case p.stopped:
			return
		case o.kind == isString:
			p.showString(&r, o.text)
		case o.kind == isNumber && r.font.vertical:
			p.moveText(&r, 0, -o.number/1000*p.fontSize)
		case o.kind == isNumber:
			p.moveText(&r, -o.number/1000*p.fontSize*p.horizontalScale, 0)
		}
	}
}

// glyphCost is what each byte of shown text costs of Limits.Bytes beside its reading: placing a glyph takes about as
// long as reading that many bytes.
const glyphCost = 8

func (p *interpreter) showString(r *textRun, s []byte) {
	if p.font == nil && len(s) > 0 {
		p.noteIncomplete(NoFont, nil)
	}
	if !p.spendBytes(glyphCost * int64(len(s))) {
		p.stopAtLimit(errBytes)
		return
	}
	if p.trace != nil {
		p.traceText(r, s)
		return
	}
	if p.deep != nil {
		p.recordShown(r, s)
		r.fingerprint = p.fingerprintText(r, s)
		if p.textMode >= 4 {
			p.addClip(r.fingerprint.addNumber(r.m[4]).addNumber(r.m[5]))
		}
	}
	if r.isLevel {
		p.showLevelText(r, s)
		return
	}
	for len(s) > 0 && !p.stopped {
		g := r.font.nextGlyph(p, s)
		p.showGlyph(r, g)
		s = s[g.bytes:]
	}
}

// textRun is what one operator shows: what is the same for all its glyphs, and where the next one goes.
type textRun struct {
	font        *font
	m           matrix  // a glyph of size 1 to the page
	step        matrix  // text space to the page
	dx, dy      float64 // where the text goes on, by advance
	length      float64 // of (dx, dy)
	em          float64
	straight    bool // along the page or across
	hidden      Hidden
	views       Views
	white       bool
	opacity     float64
	fingerprint fingerprint // for a deep reader

	isLevel bool     // see lies
	forward bool     // level text whose letters never go back
	reach   pdf.Rect // of a glyph without width at the origin, on the page; of text that is level
}

func (p *interpreter) newTextRun() textRun {
	f := p.font
	if f == nil {
		f = unknownFont
	}
	r := textRun{font: f, step: p.textMatrix.then(p.ctm), white: p.isWhiteText()}
	r.hidden, r.views = p.currentVisibility()
	r.m = matrix{p.fontSize * p.horizontalScale, 0, 0, p.fontSize, 0, p.rise}.then(r.step)
	if r.dx, r.dy = r.m[0], r.m[1]; f.vertical {
		r.dx, r.dy = -r.m[2], -r.m[3]
	}
	r.length, r.em = math.Hypot(r.dx, r.dy), math.Hypot(r.m[2], r.m[3])
	r.straight = math.Abs(r.dx) < 0.01*math.Abs(r.dy) || math.Abs(r.dy) < 0.01*math.Abs(r.dx)
	if (p.textMode == 3 || p.textMode == 7) && !f.type3 {
		r.views = 0
		if r.hidden == "" {
			r.hidden = ByMode
		}
	}
	r.opacity = p.textOpacity(&r)
	r.isLevel = p.isLevelText(&r)
	return r
}

// moveText moves on in text space.
func (p *interpreter) moveText(r *textRun, x, y float64) {
	p.textMatrix = p.textMatrix.translate(x, y)
	r.m[4] += r.step[0]*x + r.step[2]*y
	r.m[5] += r.step[1]*x + r.step[3]*y
}

// showGlyph notes one glyph and goes on by its width.
func (p *interpreter) showGlyph(r *textRun, g glyph) {
	switch {
	case g.space:
		p.flushWord()
	case r.font.vertical:
		p.addGlyph(r, r.font.glyphSpace(r.m).mapBox(g.box), g.text, -g.width)
	default:
		p.addGlyph(r, r.font.glyphSpace(r.m).mapBox(g.box), g.text, g.width)
	}
	p.advanceGlyph(r, g)
}

// advanceGlyph moves the pen behind a glyph.
func (p *interpreter) advanceGlyph(r *textRun, g glyph) {
	step := g.width*p.fontSize + p.charSpacing
	if g.bytes == 1 && g.code == ' ' {
		step += p.wordSpacing
	}
	if r.font.vertical {
		p.moveText(r, 0, step)
		return
	}
	p.moveText(r, step*p.horizontalScale, 0)
}
