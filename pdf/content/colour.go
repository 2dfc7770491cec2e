package content

import (
	"math"

	"segel/pdf"
)

// colour is as much of a colour as tells white paper from what stands out.
type colour struct {
	white      bool
	whiteValue float64 // what all components of white are in the colour space; unknown: nobody can tell
	luminance  float64 // luminance from 0 to 1; unknown where the colour space does not tell
	color      Color   // known in the device spaces alone

	space, fingerprint fingerprint // of the colour space and of the colour, for a deep reader

	pattern pdf.Object // that it paints with; nil: none, or one that is not looked into
}

const unknown = -1

// executeColourOperator follows the operators of colour (ISO 32000-2 §8.6.8); false if it is none.
func (p *interpreter) executeColourOperator(op []byte, c *contentLexer) bool {
	if !p.setColour(op, c) {
		return false
	}
	if p.deep != nil {
		p.fingerprintColour(op, c)
	}
	return true
}

func (p *interpreter) setColour(op []byte, c *contentLexer) bool {
	switch string(op) {
	case "g":
		p.fill.setDevice(c, 1, 1)
	case "rg":
		p.fill.setDevice(c, 3, 1)
	case "k":
		p.fill.setDevice(c, 4, 0)
	case "G":
		p.stroke.setDevice(c, 1, 1)
	case "RG":
		p.stroke.setDevice(c, 3, 1)
	case "K":
		p.stroke.setDevice(c, 4, 0)
	case "cs":
		p.fill = p.initialColour(pdf.Name(c.lastName()))
	case "CS":
		p.stroke = p.initialColour(pdf.Name(c.lastName()))
	case "sc", "scn":
		p.fill.setComponents(c.operands)
		p.fill.pattern = p.findPattern(c)
	case "SC", "SCN":
		p.stroke.setComponents(c.operands)
		p.stroke.pattern = p.findPattern(c)
	default:
		return false
	}
	return true
}

func (k *colour) setDevice(c *contentLexer, n int, full float64) {
	if len(c.operands) >= n {
		k.whiteValue, k.color.Known, k.pattern = full, true, nil
		k.setComponents(c.operands[len(c.operands)-n:])
	}
}

// initialColour is what a colour space begins with, which is black in the device spaces (ISO 32000-2 §8.6.8) and dark in
// those with a profile. What a pattern or a spot colour looks like is not known here.
func (p *interpreter) initialColour(name pdf.Name) colour {
	device := name == "DeviceGray" || name == "DeviceRGB" || name == "DeviceCMYK"
	k := colour{whiteValue: p.whiteValueOf(name), color: Color{Known: device}}
	if k.whiteValue == unknown {
		k.luminance = unknown
	}
	return k
}

// setComponents takes the components of a colour in the space at hand.
func (k *colour) setComponents(components []operand) {
	k.white, k.luminance = k.isWhite(components), k.computeLuminance(components)
	if !k.color.Known {
		return
	}
	v := [4]float64{}
	if len(components) > len(v) {
		k.color = Color{}
		return
	}
	for i, o := range components {
		if o.kind != isNumber {
			k.color = Color{}
			return
		}
		v[i] = min(max(o.number, 0), 1)
	}
	k.color = Color{Known: true}
	switch c := &k.color; len(components) {
	case 1:
		c.Red, c.Green, c.Blue = v[0], v[0], v[0]
	case 3:
		c.Red, c.Green, c.Blue = v[0], v[1], v[2]
	case 4:
		c.Red, c.Green, c.Blue = (1-v[0])*(1-v[3]), (1-v[1])*(1-v[3]), (1-v[2])*(1-v[3])
	default:
		k.color = Color{}
	}
}

// computeLuminance is that of a colour from 0 to 1, or unknown.
func (k *colour) computeLuminance(components []operand) float64 {
	for _, o := range components {
		if o.kind != isNumber {
			return unknown
		}
	}
	at := func(i int) float64 { return max(0, min(components[i].number, 1)) }
	switch n := len(components); {
	case k.whiteValue == 1 && n == 1:
		return at(0)
	case k.whiteValue == 1 && n == 3:
		return luminanceOf(at(0), at(1), at(2))
	case k.whiteValue == 0 && n == 1:
		return 1 - at(0)
	case k.whiteValue == 0 && n == 4:
		return 1 - min(1, luminanceOf(at(0), at(1), at(2))+at(3))
	}
	return unknown
}

// isWhite reports whether all components are that of white, or nearly.
func (k *colour) isWhite(components []operand) bool {
	for _, o := range components {
		if o.kind != isNumber || math.Abs(o.number-k.whiteValue) > 0.02 {
			return false
		}
	}
	return len(components) > 0 && k.whiteValue != unknown
}

// whiteValueOf returns what the components of white are in a colour space.
func (p *interpreter) whiteValueOf(name pdf.Name) float64 {
	if full := whiteValueOfFamily(name); full != unknown {
		return full
	}
	o, err := p.d.Resolve(p.findResource("ColorSpace", name))
	if p.failed(err) {
		return unknown
	}
	switch o := o.(type) {
	case pdf.Name:
		return whiteValueOfFamily(o)
	case pdf.Array:
		if len(o) == 0 {
			return unknown
		}
		family, err := p.d.Name(o[0])
		if p.failed(err) || family != "ICCBased" || len(o) < 2 {
			return whiteValueOfFamily(family)
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

// whiteValueOfFamily is the same of those whose name tells. Of inks, white is where there are none.
func whiteValueOfFamily(family pdf.Name) float64 {
	switch family {
	case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB":
		return 1
	case "DeviceCMYK", "Separation", "DeviceN":
		return 0
	}
	return unknown
}

// isWhiteText reports whether text is painted in white alone, by its rendering mode.
func (s *graphicsState) isWhiteText() bool {
	switch s.textMode {
	case 0, 4:
		return s.fill.white
	case 1, 5:
		return s.stroke.white
	}
	return s.fill.white && s.stroke.white
}
