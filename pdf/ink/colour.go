package ink

import (
	"math"

	"segel/pdf"
)

// colour is as much of a colour as tells white paper from what stands out.
type colour struct {
	white bool
	full  float64 // what all components of white are in the colour space; unknown: nobody can tell

	pattern pdf.Object // that it paints with; nil: none, or one that is not looked into
}

const unknown = -1

// paintColours follows the operators of colour (ISO 32000-2 §8.6.8); false if it is none.
func (p *painter) paintColours(op []byte, c *content) bool {
	switch string(op) {
	case "g":
		p.fill.device(c, 1, 1)
	case "rg":
		p.fill.device(c, 3, 1)
	case "k":
		p.fill.device(c, 4, 0)
	case "G":
		p.lines.device(c, 1, 1)
	case "RG":
		p.lines.device(c, 3, 1)
	case "K":
		p.lines.device(c, 4, 0)
	case "cs":
		p.fill = colour{full: p.whiteOf(pdf.Name(c.name()))}
	case "CS":
		p.lines = colour{full: p.whiteOf(pdf.Name(c.name()))}
	case "sc", "scn":
		p.fill.white = p.fill.isWhite(c.operands)
		p.fill.pattern = p.patternOf(c)
	case "SC", "SCN":
		p.lines.white = p.lines.isWhite(c.operands)
		p.lines.pattern = p.patternOf(c)
	default:
		return false
	}
	return true
}

func (k *colour) device(c *content, n int, full float64) {
	if len(c.operands) >= n {
		k.full, k.pattern = full, nil
		k.white = k.isWhite(c.operands[len(c.operands)-n:])
	}
}

// isWhite reports whether all components are that of white, or nearly.
func (k *colour) isWhite(components []operand) bool {
	for _, o := range components {
		if o.kind != isNumber || math.Abs(o.number-k.full) > 0.02 {
			return false
		}
	}
	return len(components) > 0 && k.full != unknown
}

// whiteOf returns what the components of white are in a colour space.
func (p *painter) whiteOf(name pdf.Name) float64 {
	if full := fullOf(name); full != unknown {
		return full
	}
	o, err := p.d.Resolve(p.resource("ColorSpace", name))
	if p.failed(err) {
		return unknown
	}
	switch o := o.(type) {
	case pdf.Name:
		return fullOf(o)
	case pdf.Array:
		if len(o) == 0 {
			return unknown
		}
		family, err := p.d.Name(o[0])
		if p.failed(err) || family != "ICCBased" || len(o) < 2 {
			return fullOf(family)
		}
		profile, err := p.d.Stream(o[1])
		if p.failed(err) || profile == nil {
			return unknown
		}
		if n, err := p.d.Integer(profile.Dict["N"]); p.failed(err) || n == 4 {
			return 0
		}
		return 1
	}
	return unknown
}

// fullOf is the same of those whose name tells. Of inks, white is where there are none.
func fullOf(family pdf.Name) float64 {
	switch family {
	case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB":
		return 1
	case "DeviceCMYK", "Separation", "DeviceN":
		return 0
	}
	return unknown
}

// whiteText reports whether text is painted in white alone, by its rendering mode.
func (s *state) whiteText() bool {
	switch s.mode {
	case 0, 4:
		return s.fill.white
	case 1, 5:
		return s.lines.white
	}
	return s.fill.white && s.lines.white
}
