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
	fingerprint    uint64  // a sum of its points, if an appearance or a deep reader asks for it
}

// newPart starts a part at the current point.
func (p *interpreter) newPart() part {
	r := part{Rect: emptyBox, points: 1, startX: p.path.x, startY: p.path.y, x: p.path.x, y: p.path.y}
	p.addOutlinePoint(&r)
	return r
}

// addOutlinePoint adds the current point to the sum of the points of a part.
func (p *interpreter) addOutlinePoint(r *part) {
	if p.trace == nil && p.deep == nil {
		return
	}
	r.fingerprint = uint64(fingerprint(r.fingerprint).addNumber(p.path.x).addNumber(p.path.y))
}

// addOutlineSegment adds of how many points the next line or curve is.
func (p *interpreter) addOutlineSegment(r *part, points int) {
	if p.trace != nil || p.deep != nil {
		r.fingerprint = uint64(fingerprint(r.fingerprint).addWord(uint64(points)))
	}
}

// isRectangle reports whether the part is all of its box, or a line.
func (r *part) isRectangle() bool {
	if r.whole {
		return !r.slanted
	}
	return !r.slanted && r.points <= 5 && isLevelLine(r.startX, r.startY, r.x, r.y)
}

// isLevelLine reports whether a line runs along the page or across it.
func isLevelLine(x1, y1, x2, y2 float64) bool {
	const close = 1e-3
	return math.Abs(x1-x2) < close || math.Abs(y1-y2) < close
}

// maxParts bounds the parts of one path that are kept apart; what is beyond is joined to the last.
const maxParts = 4096

// executePathOperator follows the operators of paths (ISO 32000-2 §8.5); false if it is none.
func (p *interpreter) executePathOperator(op []byte, c *contentLexer) bool {
	var v [6]float64
	if p.cover != nil {
		p.traceOutline(string(op), c)
	}
	switch string(op) {
	case "m":
		if c.lastNumbers(v[:2]) {
			p.path.x, p.path.y = p.ctm.mapPoint(v[0], v[1])
			p.addPart(p.newPart())
		}
	case "l":
		if c.lastNumbers(v[:2]) {
			p.extendPath(v[:2])
		}
	case "c":
		if c.lastNumbers(v[:6]) {
			p.extendPath(v[:6])
		}
	case "v", "y":
		if c.lastNumbers(v[:4]) {
			p.extendPath(v[:4])
		}
	case "re":
		if c.lastNumbers(v[:4]) {
			box := pdf.Rect{LLX: v[0], LLY: v[1], URX: v[0] + v[2], URY: v[1] + v[3]}
			p.path.x, p.path.y = p.ctm.mapPoint(v[0], v[1])
			r := p.newPart()
			r.Rect, r.whole, r.points = p.ctm.mapBox(box), true, 4
			right, below := p.ctm.mapPoint(box.URX, box.LLY)
			r.slanted = !isLevelLine(r.x, r.y, right, below)
			if r.slanted {
				p.addOutlineCorners(&r, box)
			}
			p.addPart(r)
		}
	case "h":
	case "W", "W*":
		p.path.clip = true
	case "S", "s", "B", "B*", "b", "b*":
		p.paintPath(string(op)[0]|0x20 == 'b', true)
	case "f", "F", "f*":
		p.paintPath(true, false)
	case "n":
		p.paintPath(false, false)
	default:
		return false
	}
	return true
}

// addOutlineCorners adds the corners of a rectangle.
func (p *interpreter) addOutlineCorners(r *part, box pdf.Rect) {
	x, y := p.path.x, p.path.y
	for _, corner := range [3][2]float64{{box.URX, box.LLY}, {box.URX, box.URY}, {box.LLX, box.URY}} {
		p.path.x, p.path.y = p.ctm.mapPoint(corner[0], corner[1])
		p.addOutlinePoint(r)
	}
	p.path.x, p.path.y = x, y
}

func (p *interpreter) addPart(r part) {
	if n := len(p.path.parts); n >= maxParts {
		last := p.path.parts[n-1]
		p.path.parts[n-1] = part{Rect: unionRect(last.Rect, r.Rect), points: maxParts, slanted: true, fingerprint: uint64(fingerprint(last.fingerprint).addWord(r.fingerprint))}
		return
	}
	p.path.parts = append(p.path.parts, r)
}

// extendPath goes on to the last of the points; a curve stays within its control points.
func (p *interpreter) extendPath(v []float64) {
	n := len(p.path.parts)
	if n == 0 {
		p.addPart(p.newPart())
		n = 1
	}
	at := p.path.parts[n-1]
	at.slanted = at.slanted || len(v) > 2
	r := includePoint(at.Rect, p.path.x, p.path.y)
	p.addOutlineSegment(&at, len(v))
	for i := 0; i+1 < len(v); i += 2 {
		p.path.x, p.path.y = p.ctm.mapPoint(v[i], v[i+1])
		r = includePoint(r, p.path.x, p.path.y)
		at.slanted = at.slanted || !isLevelLine(p.path.x, p.path.y, at.x, at.y)
		at.x, at.y = p.path.x, p.path.y
		at.points++
		p.addOutlinePoint(&at)
	}
	at.Rect, at.whole = r, false
	p.path.parts[n-1] = at
}

// paintPath ends the path: its parts become marks, all of it perhaps the clip.
func (p *interpreter) paintPath(filled, stroked bool) {
	if p.trace != nil {
		if filled || stroked {
			p.tracePaths(filled, stroked)
		}
		if p.path.clip {
			p.traceClip()
		}
	}
	all, wide := emptyBox, 0.0
	if stroked {
		wide = math.Abs(p.lineWidth) * p.ctm.scaleFactor() / 2
	}
	for _, r := range p.path.parts {
		if r.LLX > r.URX {
			continue // a point without a line
		}
		all = unionRect(all, r.Rect)
		if (filled || stroked) && !p.stopped {
			white := (!filled || p.fill.white) && (!stroked || p.stroke.white)
			p.addMark(Mark{Kind: Drawing, Box: growRect(r.Rect, wide), White: white, FillsBox: filled && r.whole, StrokeOnly: !filled, Fingerprint: p.fingerprintDrawing(r, filled, stroked)})
		}
		if p.deep != nil && p.path.clip {
			p.addClip(fingerprint(r.fingerprint))
		}
	}
	if p.path.clip && all != emptyBox {
		p.narrowClip(all)
	}
	p.path = path{parts: p.path.parts[:0]}
	if filled && all != emptyBox {
		p.interpretPattern(p.fill.pattern, all)
	}
	if stroked && all != emptyBox {
		p.interpretPattern(p.stroke.pattern, all)
	}
}

// operandCounts is how many numbers an operator of paths takes.
var operandCounts = map[string]int{"m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4, "h": 0}

// traceOutline adds to the outline of a path, or covers what painting it covers.
func (p *interpreter) traceOutline(op string, c *contentLexer) {
	var v [6]float64
	o := &p.cover.path
	if n, builds := operandCounts[op]; builds {
		if c.lastNumbers(v[:n]) {
			o.addOperator(op, v[:n], p.ctm)
		}
		return
	}
	switch op {
	case "f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "n":
	default:
		return
	}
	if op == "s" || op == "b" || op == "b*" {
		o.addOperator("h", nil, p.ctm)
	}
	if p.cover != nil && p.coversPage() {
		if op != "S" && op != "s" && op != "n" {
			p.cover.fillPath(o, op[len(op)-1] == '*', p.clip, p.coveringOpacity(p.fillAlpha, p.fill.luminance))
		}
		if op != "f" && op != "F" && op != "f*" && op != "n" {
			lines := o.strokeOutline(p.lineWidth * p.ctm.scaleFactor())
			p.cover.fillPath(&lines, false, p.clip, p.coveringOpacity(p.strokeAlpha, p.stroke.luminance))
		}
	}
	*o = flatPath{}
}
