package ink

import (
	"math"

	"segel/pdf"
)

// write follows the operators of text (ISO 32000-2 §9.3 and §9.4).
func (p *painter) write(op []byte, c *content) {
	var v [6]float64
	switch string(op) {
	case "BT":
		p.text, p.line = identity, identity
	case "Tf":
		p.selectFont(c)
	case "Tc":
		set(c, &p.chars)
	case "Tw":
		set(c, &p.words)
	case "Tz":
		if c.numbers(v[:1]) {
			p.scale = v[0] / 100
		}
	case "TL":
		set(c, &p.lead)
	case "Ts":
		set(c, &p.rise)
	case "Tr":
		if c.numbers(v[:1]) && v[0] >= 0 && v[0] <= 7 {
			p.mode = int(v[0])
		}
	case "Td", "TD":
		if c.numbers(v[:2]) {
			if len(op) == 2 && op[1] == 'D' {
				p.lead = -v[1]
			}
			p.next(v[0], v[1])
		}
	case "Tm":
		if c.numbers(v[:]) {
			p.line = matrix(v)
			p.text = p.line
		}
	case "T*":
		p.next(0, -p.lead)
	case "'":
		p.next(0, -p.lead)
		p.showLast(c)
	case "\"":
		if n := len(c.operands); n >= 3 && c.operands[n-3].kind == isNumber && c.operands[n-2].kind == isNumber {
			p.words, p.chars = c.operands[n-3].number, c.operands[n-2].number
		}
		p.next(0, -p.lead)
		p.showLast(c)
	case "Tj":
		p.showLast(c)
	case "TJ":
		p.showAll(c)
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
		p.show(c.operands[n-1].text)
	}
}

// showAll shows the strings of an array, its numbers being steps back in thousandths of the size.
func (p *painter) showAll(c *content) {
	for _, o := range c.operands {
		switch {
		case p.stopped:
			return
		case o.kind == isString:
			p.show(o.text)
		case o.kind == isNumber && p.font != nil && p.font.vertical:
			p.text = p.text.move(0, -o.number/1000*p.size)
		case o.kind == isNumber:
			p.text = p.text.move(-o.number/1000*p.size*p.scale, 0)
		}
	}
}

// glyphCost is what each byte of shown text costs of Limits.Bytes beside its reading: placing a glyph takes about as
// long as reading that many bytes.
const glyphCost = 8

func (p *painter) show(s []byte) {
	f := p.font
	if f == nil {
		if len(s) > 0 {
			p.untold(NoFont, nil)
		}
		f = unknownFont
	}
	if !p.spend(glyphCost * int64(len(s))) {
		p.stop(errBytes)
		return
	}
	r := p.shown(f)
	for len(s) > 0 && !p.stopped {
		g := f.next(p, s)
		p.glyph(&r, g)
		s = s[g.bytes:]
	}
}

// shown is one string that is shown: what is the same for all its glyphs, and where the next one goes.
type shown struct {
	font     *font
	m        matrix  // a glyph of size 1 to the page
	step     matrix  // text space to the page
	dx, dy   float64 // where the text goes on, by advance
	length   float64 // of (dx, dy)
	em       float64
	straight bool // along the page or across
	hidden   Hidden
	white    bool
}

func (p *painter) shown(f *font) shown {
	r := shown{font: f, step: p.text.then(p.ctm), hidden: p.unseen(), white: p.whiteText()}
	r.m = matrix{p.size * p.scale, 0, 0, p.size, 0, p.rise}.then(r.step)
	if r.dx, r.dy = r.m[0], r.m[1]; f.vertical {
		r.dx, r.dy = -r.m[2], -r.m[3]
	}
	r.length, r.em = math.Hypot(r.dx, r.dy), math.Hypot(r.m[2], r.m[3])
	r.straight = math.Abs(r.dx) < 0.01*math.Abs(r.dy) || math.Abs(r.dy) < 0.01*math.Abs(r.dx)
	if r.hidden == "" && (p.mode == 3 || p.mode == 7) && !f.type3 {
		r.hidden = ByMode
	}
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
	step := g.width * p.size
	space := 0.0
	if g.bytes == 1 && g.code == ' ' {
		space = p.words
	}
	switch {
	case g.space:
		p.flush()
	case r.font.vertical:
		p.add(r, g, -g.width)
	default:
		p.add(r, g, g.width)
	}
	if r.font.vertical {
		p.advance(r, 0, step+p.chars+space)
		return
	}
	p.advance(r, (step+p.chars+space)*p.scale, 0)
}

// word is the run of glyphs that is being gathered.
type word struct {
	Mark
	letters []byte
	glyphs  int
	clip    pdf.Rect
	x, y    float64 // where the next glyph is expected
	em      float64
}

// Bounds of one mark: its glyphs, and the bytes of what they mean. A glyph may claim to mean a whole sentence.
const (
	maxWord    = 64
	maxLetters = 256
)

// Bounds of what belongs together, in sizes of the text: a gap that is wider than wideGap parts words; a step back is
// kerning up to backStep, and a step aside up to asideStep.
const (
	wideGap   = 0.2
	backStep  = 0.3
	asideStep = 0.3
)

// add adds a glyph to the word at hand, or begins another.
func (p *painter) add(r *shown, g glyph, advance float64) {
	box := r.font.glyphSpace(r.m).box(g.box)
	x, y := r.m[4], r.m[5]
	hidden := r.hidden
	if hidden == "" && max(box.Width(), box.Height()) < smallest {
		hidden = BySize
	}
	w := &p.word
	goesOn := w.glyphs > 0 && w.follows(x, y, r)
	if goesOn && r.straight && w.Hidden == hidden && w.White == r.white && w.clip == p.clip && w.glyphs < maxWord {
		w.Box = union(w.Box, box)
		w.Rough = w.Rough || g.rough
	} else {
		p.flush()
		p.word = word{Mark: Mark{Kind: Text, Box: box, Hidden: hidden, White: r.white, Joins: goesOn, Rough: g.rough}, letters: w.letters[:0], clip: p.clip}
	}
	w.glyphs++
	if len(w.letters) < maxLetters {
		w.letters = append(w.letters, g.text...)
	}
	w.x, w.y, w.em = x+r.dx*advance, y+r.dy*advance, r.em
}

// smallest is the height in points below which nobody sees text.
const smallest = 0.7

// follows tells whether a glyph at (x, y) goes on with the word without a space.
func (w *word) follows(x, y float64, r *shown) bool {
	if !(r.length > 0) || r.em > 2*w.em || w.em > 2*r.em {
		return false
	}
	dx, dy, em := r.dx/r.length, r.dy/r.length, r.em
	ahead := (x-w.x)*dx + (y-w.y)*dy
	aside := (x-w.x)*dy - (y-w.y)*dx
	return ahead > -backStep*em && ahead < wideGap*em && math.Abs(aside) < asideStep*em
}

// flush ends the word at hand.
func (p *painter) flush() {
	w := &p.word
	if w.glyphs == 0 {
		return
	}
	w.Text = string(w.letters)
	m, clip := w.Mark, w.clip
	p.word = word{letters: w.letters[:0]}
	p.put(m, clip)
}
