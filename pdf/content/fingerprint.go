package content

import (
	"maps"
	"math"
	"slices"

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

// addRef adds a reference by its number, since it leads to the same object everywhere.
func (s fingerprint) addRef(ref pdf.Ref) fingerprint {
	return s.addWord(uint64(ref.Number)<<16 | uint64(ref.Generation))
}

// addRect adds the corners of a rectangle.
func (s fingerprint) addRect(r pdf.Rect) fingerprint {
	return s.addNumber(r.LLX).addNumber(r.LLY).addNumber(r.URX).addNumber(r.URY)
}

// fingerprintObject is the fingerprint of an object, which counts in Limits.Bytes: a direct one may have megabytes.
func (p *interpreter) fingerprintObject(o pdf.Object) fingerprint {
	return p.addObject(fingerprint(6), o)
}

func (p *interpreter) addObject(s fingerprint, o pdf.Object) fingerprint {
	if !p.spendBytes(1) {
		p.stopAtLimit(errBytes)
	}
	if p.stopped {
		return s
	}
	switch o := o.(type) {
	case pdf.Ref:
		return s.addWord(1).addRef(o)
	case pdf.Name:
		return s.addWord(2).addBytes([]byte(o))
	case pdf.Integer:
		return s.addWord(3).addNumber(float64(o))
	case pdf.Real:
		return s.addWord(3).addNumber(float64(o))
	case pdf.String:
		if !p.spendBytes(int64(len(o.Bytes))) {
			p.stopAtLimit(errBytes)
			return s
		}
		return s.addWord(4).addBytes(o.Bytes)
	case pdf.Array:
		s = s.addWord(5).addWord(uint64(len(o)))
		for _, v := range o {
			s = p.addObject(s, v)
		}
		return s
	case pdf.Dict:
		if !p.spendBytes(int64(len(o))) {
			p.stopAtLimit(errBytes)
			return s
		}
		s = s.addWord(6).addWord(uint64(len(o)))
		for _, key := range slices.Sorted(maps.Keys(o)) {
			s = p.addObject(s.addBytes([]byte(key)), o[key])
		}
		return s
	case *pdf.Stream:
		return p.addObject(s.addWord(7), o.Dict)
	case pdf.Boolean:
		if o {
			return s.addWord(8)
		}
		return s.addWord(9)
	}
	return s.addWord(0)
}

// fingerprintSpace is the fingerprint of a colour space by its name.
func (p *interpreter) fingerprintSpace(name pdf.Name) fingerprint {
	if p.scopes == nil {
		return fingerprint(1).addBytes([]byte(name))
	}
	s, known := p.scopes.spaces[name]
	if !known {
		s = fingerprint(1).addBytes([]byte(name)).addWord(uint64(p.fingerprintObject(p.findResource("ColorSpace", name))))
		p.scopes.spaces[name] = s
	}
	return s
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
		k.space = p.fingerprintSpace(pdf.Name(c.lastName()))
		k.fingerprint = k.space
	case "sc", "scn", "SC", "SCN":
		k.fingerprint = k.space.addOperands(c.operands)
		if name := c.lastName(); name != "" {
			k.fingerprint = k.fingerprint.addWord(uint64(p.fingerprintObject(p.findResource("Pattern", pdf.Name(name)))))
		}
	default:
		k.space = fingerprint(len(c.operands))
		k.fingerprint = k.space.addOperands(c.operands)
	}
}

// fingerprintPaint covers what all current paint has in common: the clip, and how it is blended with what is below.
func (p *interpreter) fingerprintPaint(kind Kind) fingerprint {
	s := fingerprint(kind).addWord(uint64(p.clipFingerprint)).addWord(uint64(p.mask)).addNumber(p.fillAlpha * p.groupOpacity).addBytes([]byte(p.blendMode))
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
		if o.kind == isName && p.findResource("ColorSpace", pdf.Name(o.text)) != nil {
			s = s.addWord(uint64(p.fingerprintSpace(pdf.Name(o.text))))
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
