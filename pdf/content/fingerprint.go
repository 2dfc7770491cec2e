package content

import (
	"fmt"
	"math"

	"segel/pdf"
)

// sum tells apart what looks different: outlines, colours, glyphs, pictures and how they are laid out. A deep reader
// computes one for each mark, see [Mark.Look].
type sum uint64

const sumPrime = 1_099_511_628_211

func (s sum) word(v uint64) sum {
	for range 8 {
		s = (s ^ sum(v&0xff)) * sumPrime
		v >>= 8
	}
	return s
}

func (s sum) bytes(b []byte) sum {
	s = s.word(uint64(len(b)))
	for _, c := range b {
		s = (s ^ sum(c)) * sumPrime
	}
	return s
}

// number adds a number to the nearest thousandth: two calculations of the same place differ by less.
func (s sum) number(v float64) sum { return s.word(math.Float64bits(math.Round(v*1000) + 0)) }

// shape adds how content is scaled and turned, not where it is.
func (s sum) shape(m matrix) sum {
	for _, v := range m[:4] {
		s = s.number(v)
	}
	return s
}

// object adds an object: a reference by its number, since what it leads to is the same for all who refer to it.
func (s sum) object(o pdf.Object) sum {
	switch o := o.(type) {
	case nil:
		return s.word(0)
	case pdf.Ref:
		return s.word(uint64(o.Number)<<16 | uint64(o.Generation))
	case pdf.Name:
		return s.bytes([]byte(o))
	}
	return s.bytes(fmt.Append(nil, o))
}

// operands adds numbers and names.
func (s sum) operands(list []operand) sum {
	for _, o := range list {
		s = s.word(uint64(o.kind)).number(o.number).bytes(o.text)
	}
	return s
}

// sumColour adds the colour that an operator sets to the colour itself.
func (p *painter) sumColour(op []byte, c *content) {
	k := &p.fill
	if op[len(op)-1] < 'a' && op[0] < 'a' {
		k = &p.lines
	}
	switch string(op) {
	case "cs", "CS":
		name := pdf.Name(c.name())
		k.space = sum(1).bytes([]byte(name)).object(p.resource("ColorSpace", name))
		k.sum = k.space
	case "sc", "scn", "SC", "SCN":
		k.sum = k.space.operands(c.operands)
		if name := c.name(); name != "" {
			k.sum = k.sum.object(p.resource("Pattern", pdf.Name(name)))
		}
	default:
		k.space = sum(len(c.operands))
		k.sum = k.space.operands(c.operands)
	}
}

// paintSum is the sum of what all that is painted now has in common: the clip, and how it mixes with what is below.
func (p *painter) paintSum(kind Kind) sum {
	s := sum(kind).word(uint64(p.clipped)).object(p.mask).number(p.fillAlpha * p.group).bytes([]byte(p.blend))
	for _, mode := range p.outer {
		s = s.bytes([]byte(mode))
	}
	return s
}

// drawingLook is the sum of a part of a path.
func (p *painter) drawingLook(r part, filled, stroked bool) uint64 {
	if p.deep == nil {
		return 0
	}
	s := p.paintSum(Drawing).word(r.outline)
	if filled {
		s = s.word(uint64(p.fill.sum))
	}
	if stroked {
		s = s.word(uint64(p.lines.sum)).number(p.width * p.ctm.scale()).number(p.lineAlpha)
	}
	return uint64(s)
}

// imageLook is the sum of an image, of which source is what it is made of.
func (p *painter) imageLook(source sum, stencil bool) uint64 {
	if p.deep == nil {
		return 0
	}
	s := p.paintSum(Image).word(uint64(source)).shape(p.ctm)
	if stencil {
		s = s.word(uint64(p.fill.sum))
	}
	return uint64(s)
}

// inlineSource is the sum of an inline image: its entries, the colour spaces that they name, and its data.
func (p *painter) inlineSource(entries []operand, data []byte) sum {
	if p.deep == nil {
		return 0
	}
	s := sum(2).operands(entries).bytes(data)
	for _, o := range entries {
		if o.kind == isName {
			if space := p.resource("ColorSpace", pdf.Name(o.text)); space != nil {
				s = s.object(space)
			}
		}
	}
	return s
}

// textLook is the sum of a string that is shown. The whole string is part of it: what one word of it looks like is not
// worth keeping apart.
func (p *painter) textLook(r *shown, s []byte) sum {
	out := p.paintSum(Text).word(uint64(p.mode)).word(p.deep.number(p.font)).bytes(s).shape(r.m).word(uint64(p.fill.sum))
	if p.mode == 1 || p.mode == 2 || p.mode == 5 || p.mode == 6 {
		out = out.word(uint64(p.lines.sum)).number(p.width * p.ctm.scale()).number(p.lineAlpha)
	}
	return out
}

// clipBy adds to the sum of the clip.
func (p *painter) clipBy(s sum) { p.clipped = p.clipped.word(uint64(s)) }

// number tells fonts apart.
func (d *deep) number(f *font) uint64 {
	if d.numbers == nil {
		d.numbers = map[*font]uint64{}
	}
	n, known := d.numbers[f]
	if !known {
		n = uint64(len(d.numbers)) + 1
		d.numbers[f] = n
	}
	return n
}
