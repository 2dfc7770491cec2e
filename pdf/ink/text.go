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
	for len(s) > 0 && !p.stopped {
		g := f.next(p, s)
		p.glyph(f, g)
		s = s[g.bytes:]
	}
}

// glyph notes one glyph and goes on by its width.
func (p *painter) glyph(f *font, g glyph) {
	m := matrix{p.size * p.scale, 0, 0, p.size, 0, p.rise}.then(p.text).then(p.ctm)
	step := g.width * p.size
	space := 0.0
	if g.bytes == 1 && g.code == ' ' {
		space = p.words
	}
	switch {
	case g.space:
		p.flush()
	case f.vertical:
		p.add(f, g, m, -m[2], -m[3], -g.width)
	default:
		p.add(f, g, m, m[0], m[1], g.width)
	}
	if f.vertical {
		p.text = p.text.move(0, step+p.chars+space)
		return
	}
	p.text = p.text.move((step+p.chars+space)*p.scale, 0)
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

// add adds a glyph to the word at hand, or begins another. The glyph's size and place are m's; (dx, dy) is where
// the text goes on, by advance.
func (p *painter) add(f *font, g glyph, m matrix, dx, dy, advance float64) {
	m3 := f.glyphSpace(m)
	box := m3.box(g.box)
	x, y := m.point(0, 0)
	em := math.Hypot(m[2], m[3])
	hidden := p.unseen()
	switch {
	case hidden != "":
	case (p.mode == 3 || p.mode == 7) && !f.type3:
		hidden = ByMode
	case max(box.Width(), box.Height()) < smallest:
		hidden = BySize
	}
	w, white := &p.word, p.whiteText()
	goesOn := w.glyphs > 0 && w.follows(x, y, em, dx, dy)
	straight := math.Abs(dx) < 0.01*math.Abs(dy) || math.Abs(dy) < 0.01*math.Abs(dx)
	if goesOn && straight && w.Hidden == hidden && w.White == white && w.clip == p.clip && w.glyphs < maxWord {
		w.Box = union(w.Box, box)
		w.Rough = w.Rough || g.rough
	} else {
		p.flush()
		p.word = word{Mark: Mark{Kind: Text, Box: box, Hidden: hidden, White: white, Joins: goesOn, Rough: g.rough}, letters: w.letters[:0], clip: p.clip}
	}
	w.glyphs++
	if len(w.letters) < maxLetters {
		w.letters = append(w.letters, g.text...)
	}
	w.x, w.y, w.em = x+dx*advance, y+dy*advance, em
}

// smallest is the height in points below which nobody sees text.
const smallest = 0.7

// follows tells whether a glyph at (x, y) goes on with the word without a space.
func (w *word) follows(x, y, em, dx, dy float64) bool {
	length := math.Hypot(dx, dy)
	if !(length > 0) || em > 2*w.em || w.em > 2*em {
		return false
	}
	dx, dy = dx/length, dy/length
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
