package ink

import (
	"math"

	"segel/pdf"
)

// path is what was constructed and not yet painted: a box around each part, so that the frame of a table is not all
// that it frames, as far as its lines are parts of their own.
type path struct {
	parts []part
	clip  bool // it becomes the clip once it is painted
	x, y  float64
}

// part is the box around a part of a path; whole if the part is all of its box.
type part struct {
	pdf.Rect
	whole bool
}

// maxParts bounds the parts of one path that are kept apart; what is beyond is joined to the last.
const maxParts = 4096

// draw follows the operators of paths (ISO 32000-2 §8.5); false if it is none.
func (p *painter) draw(op []byte, c *content) bool {
	var v [6]float64
	switch string(op) {
	case "m":
		if c.numbers(v[:2]) {
			p.path.x, p.path.y = p.ctm.point(v[0], v[1])
			p.part(part{Rect: nothing})
		}
	case "l":
		if c.numbers(v[:2]) {
			p.to(v[:2])
		}
	case "c":
		if c.numbers(v[:6]) {
			p.to(v[:6])
		}
	case "v", "y":
		if c.numbers(v[:4]) {
			p.to(v[:4])
		}
	case "re":
		if c.numbers(v[:4]) {
			box := pdf.Rect{LLX: v[0], LLY: v[1], URX: v[0] + v[2], URY: v[1] + v[3]}
			p.part(part{p.ctm.box(box), true})
			p.path.x, p.path.y = p.ctm.point(v[0], v[1])
		}
	case "h":
	case "W", "W*":
		p.path.clip = true
	case "S", "s", "B", "B*", "b", "b*":
		p.paint(string(op)[0]|0x20 == 'b', true)
	case "f", "F", "f*":
		p.paint(true, false)
	case "n":
		p.paint(false, false)
	default:
		return false
	}
	return true
}

func (p *painter) part(r part) {
	if n := len(p.path.parts); n >= maxParts {
		p.path.parts[n-1] = part{Rect: union(p.path.parts[n-1].Rect, r.Rect)}
		return
	}
	p.path.parts = append(p.path.parts, r)
}

// to goes on to the last of the points; a curve stays within its control points.
func (p *painter) to(v []float64) {
	n := len(p.path.parts)
	if n == 0 {
		p.part(part{Rect: nothing})
		n = 1
	}
	r := add(p.path.parts[n-1].Rect, p.path.x, p.path.y)
	for i := 0; i+1 < len(v); i += 2 {
		p.path.x, p.path.y = p.ctm.point(v[i], v[i+1])
		r = add(r, p.path.x, p.path.y)
	}
	p.path.parts[n-1] = part{Rect: r}
}

// paint ends the path: its parts become marks, all of it perhaps the clip.
func (p *painter) paint(filled, stroked bool) {
	all, wide := nothing, 0.0
	if stroked {
		wide = math.Abs(p.width) * p.ctm.scale() / 2
	}
	for _, r := range p.path.parts {
		if r.LLX > r.URX {
			continue // a point without a line
		}
		all = union(all, r.Rect)
		if (filled || stroked) && !p.stopped {
			white := (!filled || p.fill.white) && (!stroked || p.lines.white)
			p.mark(Mark{Kind: Drawing, Box: grow(r.Rect, wide), White: white, Whole: filled && r.whole, Lines: !filled})
		}
	}
	if p.path.clip && all != nothing {
		p.cut(all)
	}
	p.path = path{parts: p.path.parts[:0]}
	if filled && all != nothing {
		p.tile(p.fill.pattern, all)
	}
	if stroked && all != nothing {
		p.tile(p.lines.pattern, all)
	}
}
