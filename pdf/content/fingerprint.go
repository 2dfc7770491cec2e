package content

import (
	"fmt"
	"math"

	"segel/pdf"
)

// fingerprint distinguishes marks that look different: outlines, colours, glyphs, pictures and how they are laid out. A
// deep reader computes one for each mark, see [Mark.Fingerprint].
type fingerprint uint64

const fingerprintPrime = 1_099_511_628_211

func (s fingerprint) addWord(v uint64) fingerprint {
	for range 8 {
		s = (s ^ fingerprint(v&0xff)) * fingerprintPrime
		v >>= 8
	}
	return s
}

func (s fingerprint) addBytes(b []byte) fingerprint {
	s = s.addWord(uint64(len(b)))
	for _, c := range b {
		s = (s ^ fingerprint(c)) * fingerprintPrime
	}
	return s
}

// addNumber adds a number to the nearest thousandth: two calculations of the same place differ by less.
func (s fingerprint) addNumber(v float64) fingerprint {
	return s.addWord(math.Float64bits(math.Round(v*1000) + 0))
}

// addShape adds how content is scaled and rotated, not where it is.
func (s fingerprint) addShape(m matrix) fingerprint {
	for _, v := range m[:4] {
		s = s.addNumber(v)
	}
	return s
}

// addObject adds an object: a reference by its number, since it leads to the same object everywhere.
func (s fingerprint) addObject(o pdf.Object) fingerprint {
	switch o := o.(type) {
	case nil:
		return s.addWord(0)
	case pdf.Ref:
		return s.addWord(uint64(o.Number)<<16 | uint64(o.Generation))
	case pdf.Name:
		return s.addBytes([]byte(o))
	}
	return s.addBytes(fmt.Append(nil, o))
}

// addOperands adds numbers and names.
func (s fingerprint) addOperands(list []operand) fingerprint {
	for _, o := range list {
		s = s.addWord(uint64(o.kind)).addNumber(o.number).addBytes(o.text)
	}
	return s
}

// fingerprintColour updates the fingerprint of the colour that an operator sets.
func (p *interpreter) fingerprintColour(op []byte, c *contentLexer) {
	k := &p.fill
	if op[len(op)-1] < 'a' && op[0] < 'a' {
		k = &p.stroke
	}
	switch string(op) {
	case "cs", "CS":
		name := pdf.Name(c.lastName())
		k.space = fingerprint(1).addBytes([]byte(name)).addObject(p.findResource("ColorSpace", name))
		k.fingerprint = k.space
	case "sc", "scn", "SC", "SCN":
		k.fingerprint = k.space.addOperands(c.operands)
		if name := c.lastName(); name != "" {
			k.fingerprint = k.fingerprint.addObject(p.findResource("Pattern", pdf.Name(name)))
		}
	default:
		k.space = fingerprint(len(c.operands))
		k.fingerprint = k.space.addOperands(c.operands)
	}
}

// fingerprintPaint covers what all current paint has in common: the clip, and how it is blended with what is below.
func (p *interpreter) fingerprintPaint(kind Kind) fingerprint {
	s := fingerprint(kind).addWord(uint64(p.clipFingerprint)).addObject(p.mask).addNumber(p.fillAlpha * p.groupOpacity).addBytes([]byte(p.blendMode))
	for _, mode := range p.outerBlendModes {
		s = s.addBytes([]byte(mode))
	}
	return s
}

// fingerprintDrawing is the fingerprint of a part of a path.
func (p *interpreter) fingerprintDrawing(r part, filled, stroked bool) uint64 {
	if p.deep == nil {
		return 0
	}
	s := p.fingerprintPaint(Drawing).addWord(r.fingerprint)
	if filled {
		s = s.addWord(uint64(p.fill.fingerprint))
	}
	if stroked {
		s = s.addWord(uint64(p.stroke.fingerprint)).addNumber(p.lineWidth * p.ctm.scaleFactor()).addNumber(p.strokeAlpha)
	}
	return uint64(s)
}

// fingerprintImage is the fingerprint of an image with the given source.
func (p *interpreter) fingerprintImage(source fingerprint, stencil bool) uint64 {
	if p.deep == nil {
		return 0
	}
	s := p.fingerprintPaint(Image).addWord(uint64(source)).addShape(p.ctm)
	if stencil {
		s = s.addWord(uint64(p.fill.fingerprint))
	}
	return uint64(s)
}

// fingerprintInline is the fingerprint of an inline image: its entries, the colour spaces that they name, and its data.
func (p *interpreter) fingerprintInline(entries []operand, data []byte) fingerprint {
	if p.deep == nil {
		return 0
	}
	s := fingerprint(2).addOperands(entries).addBytes(data)
	for _, o := range entries {
		if o.kind == isName {
			if space := p.findResource("ColorSpace", pdf.Name(o.text)); space != nil {
				s = s.addObject(space)
			}
		}
	}
	return s
}

// fingerprintText is the fingerprint of a shown string. The whole string is part of it: distinguishing its words is not
// worth the cost.
func (p *interpreter) fingerprintText(r *textRun, s []byte) fingerprint {
	out := p.fingerprintPaint(Text).addWord(uint64(p.textMode)).addWord(p.deep.fontNumber(p.font)).addBytes(s).addShape(r.m).addWord(uint64(p.fill.fingerprint))
	if p.textMode == 1 || p.textMode == 2 || p.textMode == 5 || p.textMode == 6 {
		out = out.addWord(uint64(p.stroke.fingerprint)).addNumber(p.lineWidth * p.ctm.scaleFactor()).addNumber(p.strokeAlpha)
	}
	return out
}

// addClip adds to the fingerprint of the clip.
func (p *interpreter) addClip(s fingerprint) {
	p.clipFingerprint = p.clipFingerprint.addWord(uint64(s))
}

// fontNumber returns a distinct number for each font.
func (d *deepState) fontNumber(f *font) uint64 {
	n, known := d.numbers[f]
	if !known {
		n = uint64(len(d.numbers)) + 1
		d.numbers[f] = n
	}
	return n
}
