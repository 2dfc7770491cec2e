package content

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
	whole  bool
	points int
	// slanted is whether one of its lines runs neither along nor across the page, or is a curve.
	slanted        bool
	startX, startY float64
	x, y           float64 // where it has come to
	outline        uint64  // a sum of its points, if an appearance or a deep reader asks for it
}

// beginPart starts a part at the current point.
func (p *painter) beginPart() part {
	r := part{Rect: nothing, points: 1, startX: p.path.x, startY: p.path.y, x: p.path.x, y: p.path.y}
	p.outline(&r)
	return r
}

// outline adds the current point to the sum of the points of a part.
func (p *painter) outline(r *part) {
	if p.trace == nil && p.deep == nil {
		return
	}
	r.outline = uint64(sum(r.outline).number(p.path.x).number(p.path.y))
}

// outlineKind adds of how many points the next line or curve is.
func (p *painter) outlineKind(r *part, points int) {
	if p.trace != nil || p.deep != nil {
		r.outline = uint64(sum(r.outline).word(uint64(points)))
	}
}

// rectangle reports whether the part is all of its box, or a line.
func (r *part) rectangle() bool {
	if r.whole {
		return !r.slanted
	}
	return !r.slanted && r.points <= 5 && level(r.startX, r.startY, r.x, r.y)
}

// level reports whether a line runs along the page or across it.
func level(x1, y1, x2, y2 float64) bool {
	const close = 1e-3
	return math.Abs(x1-x2) < close || math.Abs(y1-y2) < close
}

// maxParts bounds the parts of one path that are kept apart; what is beyond is joined to the last.
const maxParts = 4096

// draw follows the operators of paths (ISO 32000-2 §8.5); false if it is none.
func (p *painter) draw(op []byte, c *content) bool {
	var v [6]float64
	if p.cover != nil {
		p.outlines(string(op), c)
	}
	switch string(op) {
	case "m":
		if c.numbers(v[:2]) {
			p.path.x, p.path.y = p.ctm.point(v[0], v[1])
			p.part(p.beginPart())
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
			p.path.x, p.path.y = p.ctm.point(v[0], v[1])
			r := p.beginPart()
			r.Rect, r.whole, r.points = p.ctm.box(box), true, 4
			right, below := p.ctm.point(box.URX, box.LLY)
			r.slanted = !level(r.x, r.y, right, below)
			if r.slanted {
				p.outlineRectangle(&r, box)
			}
			p.part(r)
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

// outlineRectangle adds the corners of a rectangle.
func (p *painter) outlineRectangle(r *part, box pdf.Rect) {
	x, y := p.path.x, p.path.y
	for _, corner := range [3][2]float64{{box.URX, box.LLY}, {box.URX, box.URY}, {box.LLX, box.URY}} {
		p.path.x, p.path.y = p.ctm.point(corner[0], corner[1])
		p.outline(r)
	}
	p.path.x, p.path.y = x, y
}

func (p *painter) part(r part) {
	if n := len(p.path.parts); n >= maxParts {
		last := p.path.parts[n-1]
		p.path.parts[n-1] = part{Rect: union(last.Rect, r.Rect), points: maxParts, slanted: true, outline: uint64(sum(last.outline).word(r.outline))}
		return
	}
	p.path.parts = append(p.path.parts, r)
}

// to goes on to the last of the points; a curve stays within its control points.
func (p *painter) to(v []float64) {
	n := len(p.path.parts)
	if n == 0 {
		p.part(p.beginPart())
		n = 1
	}
	at := p.path.parts[n-1]
	at.slanted = at.slanted || len(v) > 2
	r := add(at.Rect, p.path.x, p.path.y)
	p.outlineKind(&at, len(v))
	for i := 0; i+1 < len(v); i += 2 {
		p.path.x, p.path.y = p.ctm.point(v[i], v[i+1])
		r = add(r, p.path.x, p.path.y)
		at.slanted = at.slanted || !level(p.path.x, p.path.y, at.x, at.y)
		at.x, at.y = p.path.x, p.path.y
		at.points++
		p.outline(&at)
	}
	at.Rect, at.whole = r, false
	p.path.parts[n-1] = at
}

// paint ends the path: its parts become marks, all of it perhaps the clip.
func (p *painter) paint(filled, stroked bool) {
	if p.trace != nil {
		if filled || stroked {
			p.tracePaths(filled, stroked)
		}
		if p.path.clip {
			p.traceClip()
		}
	}
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
			p.mark(Mark{Kind: Drawing, Box: grow(r.Rect, wide), White: white, Whole: filled && r.whole, Lines: !filled, Look: p.drawingLook(r, filled, stroked)})
		}
		if p.deep != nil && p.path.clip {
			p.clipBy(sum(r.outline))
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

// operandsOf is how many numbers an operator of paths takes.
var operandsOf = map[string]int{"m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4, "h": 0}

// outlines adds to the outline of a path, or covers what painting it covers.
func (p *painter) outlines(op string, c *content) {
	var v [6]float64
	o := &p.cover.outline
	if n, builds := operandsOf[op]; builds {
		if c.numbers(v[:n]) {
			o.trace(op, v[:n], p.ctm)
		}
		return
	}
	switch op {
	case "f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "n":
	default:
		return
	}
	if op == "s" || op == "b" || op == "b*" {
		o.trace("h", nil, p.ctm)
	}
	if p.cover != nil && p.paints() {
		if op != "S" && op != "s" && op != "n" {
			p.cover.paint(o, op[len(op)-1] == '*', p.clip, p.hiding(p.fillAlpha, p.fill.light))
		}
		if op != "f" && op != "F" && op != "f*" && op != "n" {
			lines := o.stroked(p.width * p.ctm.scale())
			p.cover.paint(&lines, false, p.clip, p.hiding(p.lineAlpha, p.lines.light))
		}
	}
	*o = outline{}
}
