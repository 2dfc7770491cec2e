package content

import (
	"math"

	"segel/pdf"
)

// write follows the operators of text (ISO 32000-2 §9.3 and §9.4).
func (p *painter) write(op []byte, c *content) {
	switch string(op) {
	case "Tj", "TJ", "'", "\"":
		p.shows(op, c)
	case "BT", "Td", "TD", "Tm", "T*":
		p.places(op, c)
	default:
		p.sets(op, c)
	}
}

// shows follows the operators that show text.
func (p *painter) shows(op []byte, c *content) {
	switch string(op) {
	case "TJ":
		p.showAll(c)
		return
	case "\"":
		if n := len(c.operands); n >= 3 && c.operands[n-3].kind == isNumber && c.operands[n-2].kind == isNumber {
			p.words, p.chars = c.operands[n-3].number, c.operands[n-2].number
		}
		fallthrough
	case "'":
		p.next(0, -p.lead)
	}
	p.showLast(c)
}

// places follows the operators that say where text goes.
func (p *painter) places(op []byte, c *content) {
	var v [6]float64
	switch string(op) {
	case "BT":
		p.text, p.line = identity, identity
	case "Td":
		if c.numbers(v[:2]) {
			p.next(v[0], v[1])
		}
	case "TD":
		if c.numbers(v[:2]) {
			p.lead = -v[1]
			p.next(v[0], v[1])
		}
	case "Tm":
		if c.numbers(v[:]) {
			p.line = matrix(v)
			p.text = p.line
		}
	case "T*":
		p.next(0, -p.lead)
	}
}

// sets follows the operators that say how text looks.
func (p *painter) sets(op []byte, c *content) {
	var v [1]float64
	switch string(op) {
	case "Tf":
		p.selectFont(c)
	case "Tc":
		set(c, &p.chars)
	case "Tw":
		set(c, &p.words)
	case "Tz":
		if c.numbers(v[:]) {
			p.scale = v[0] / 100
		}
	case "TL":
		set(c, &p.lead)
	case "Ts":
		set(c, &p.rise)
	case "Tr":
		if c.numbers(v[:]) && v[0] >= 0 && v[0] <= 7 {
			p.mode = int(v[0])
		}
	}
}

func set(c *content, to *float64) {
	var v [1]float64
	if c.numbers(v[:]) {
		*to = v[0]
	}
}

// next begins a line at an offset from the beginning of the one before.
func (p *painter) next(x, y float64) {
	p.line = p.line.move(x, y)
	p.text = p.line
}

func (p *painter) selectFont(c *content) {
	n := len(c.operands)
	if n < 2 || c.operands[n-2].kind != isName || c.operands[n-1].kind != isNumber {
		return
	}
	p.size = c.operands[n-1].number
	p.font = nil
	name := pdf.Name(c.operands[n-2].text)
	if p.scopes == nil {
		return
	}
	f, known := p.scopes.fonts[name]
	if !known {
		f = p.fontOf(p.resource("Font", name))
		p.scopes.fonts[name] = f
	}
	p.font = f
}

func (p *painter) showLast(c *content) {
	if n := len(c.operands); n > 0 && c.operands[n-1].kind == isString {
		r := p.shown()
		p.show(&r, c.operands[n-1].text)
	}
}

// showAll shows the strings of an array, its numbers being steps back in thousandths of the size.
func (p *painter) showAll(c *content) {
	r := p.shown()
	for _, o := range c.operands {
		switch {
		case p.stopped:
			return
		case o.kind == isString:
			p.show(&r, o.text)
		case o.kind == isNumber && r.font.vertical:
			p.advance(&r, 0, -o.number/1000*p.size)
		case o.kind == isNumber:
			p.advance(&r, -o.number/1000*p.size*p.scale, 0)
		}
	}
}

// glyphCost is what each byte of shown text costs of Limits.Bytes beside its reading: placing a glyph takes about as
// long as reading that many bytes.
const glyphCost = 8

func (p *painter) show(r *shown, s []byte) {
	if p.font == nil && len(s) > 0 {
		p.untold(NoFont, nil)
	}
	if !p.spend(glyphCost * int64(len(s))) {
		p.stop(errBytes)
		return
	}
	if p.trace != nil {
		p.traceText(r, s)
		return
	}
	if p.deep != nil {
		p.showDeep(r, s)
		r.look = p.textLook(r, s)
		if p.mode >= 4 {
			p.clipBy(r.look.number(r.m[4]).number(r.m[5]))
		}
	}
	if r.level {
		p.showLevel(r, s)
		return
	}
	for len(s) > 0 && !p.stopped {
		g := r.font.next(p, s)
		p.glyph(r, g)
		s = s[g.bytes:]
	}
}

// shown is what one operator shows: what is the same for all its glyphs, and where the next one goes.
type shown struct {
	font     *font
	m        matrix  // a glyph of size 1 to the page
	step     matrix  // text space to the page
	dx, dy   float64 // where the text goes on, by advance
	length   float64 // of (dx, dy)
	em       float64
	straight bool // along the page or across
	hidden   Hidden
	in       Views
	white    bool
	hides    float64
	look     sum // for a deep reader

	level   bool     // see lies
	forward bool     // level text whose letters never go back
	reach   pdf.Rect // of a glyph without width at the origin, on the page; of text that is level
}

func (p *painter) shown() shown {
	f := p.font
	if f == nil {
		f = unknownFont
	}
	r := shown{font: f, step: p.text.then(p.ctm), white: p.whiteText()}
	r.hidden, r.in = p.unseen()
	r.m = matrix{p.size * p.scale, 0, 0, p.size, 0, p.rise}.then(r.step)
	if r.dx, r.dy = r.m[0], r.m[1]; f.vertical {
		r.dx, r.dy = -r.m[2], -r.m[3]
	}
	r.length, r.em = math.Hypot(r.dx, r.dy), math.Hypot(r.m[2], r.m[3])
	r.straight = math.Abs(r.dx) < 0.01*math.Abs(r.dy) || math.Abs(r.dy) < 0.01*math.Abs(r.dx)
	if (p.mode == 3 || p.mode == 7) && !f.type3 {
		r.in = 0
		if r.hidden == "" {
			r.hidden = ByMode
		}
	}
	r.hides = p.textHides(&r)
	r.level = p.lies(&r)
	return r
}

// advance moves on in text space.
func (p *painter) advance(r *shown, x, y float64) {
	p.text = p.text.move(x, y)
	r.m[4] += r.step[0]*x + r.step[2]*y
	r.m[5] += r.step[1]*x + r.step[3]*y
}

// glyph notes one glyph and goes on by its width.
func (p *painter) glyph(r *shown, g glyph) {
	switch {
	case g.space:
		p.flush()
	case r.font.vertical:
		p.add(r, r.font.glyphSpace(r.m).box(g.box), g.text, -g.width)
	default:
		p.add(r, r.font.glyphSpace(r.m).box(g.box), g.text, g.width)
	}
	p.passGlyph(r, g)
}

// passGlyph moves the pen behind a glyph.
func (p *painter) passGlyph(r *shown, g glyph) {
	step := g.width*p.size + p.chars
	if g.bytes == 1 && g.code == ' ' {
		step += p.words
	}
	if r.font.vertical {
		p.advance(r, 0, step)
		return
	}
	p.advance(r, step*p.scale, 0)
}
