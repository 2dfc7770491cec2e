package content

import (
	"cmp"
	"math"
	"slices"

	"segel/pdf"
)

// path is the constructed path before it is painted: a box for each part, so that the frame of a table does not count
// as the area it encloses, as long as its lines are separate parts.
type path struct {
	parts []part
	clip  bool // becomes the clip after painting
	x, y  float64
}

// part is the bounding box of a part of a path; whole if the part fills its box.
type part struct {
	pdf.Rect
	whole  bool
	points int
	// slanted is set if one of its lines is neither horizontal nor vertical, or a curve.
	slanted        bool
	startX, startY float64
	x, y           float64 // current point
	fingerprint    uint64  // of its points, for an appearance or a deep reader
}

// newPart starts a part at the current point.
func (p *interpreter) newPart() part {
	r := part{Rect: emptyBox, points: 1, startX: p.path.x, startY: p.path.y, x: p.path.x, y: p.path.y}
	p.addOutlinePoint(&r)
	return r
}

// addOutlinePoint adds the current point to the fingerprint of a part.
func (p *interpreter) addOutlinePoint(r *part) {
	if p.trace == nil && p.deep == nil {
		return
	}
	r.fingerprint = uint64(fingerprint(r.fingerprint).addNumber(p.path.x).addNumber(p.path.y))
}

// isRectangle reports whether the part fills its box, or is a line.
func (r *part) isRectangle() bool {
	if r.whole {
		return !r.slanted
	}
	return !r.slanted && r.points <= 5 && isLevelLine(r.startX, r.startY, r.x, r.y)
}

// isLevelLine reports whether a line is horizontal or vertical.
func isLevelLine(x1, y1, x2, y2 float64) bool {
	const close = 1e-3
	return math.Abs(x1-x2) < close || math.Abs(y1-y2) < close
}

// maxParts bounds the parts of one path; further ones are merged into the last.
const maxParts = 4096

// executePathOperator executes the path operators (ISO 32000-2 §8.5); false for other operators.
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

// extendPath adds a line or curve to the last of the points; a curve stays within its control points.
func (p *interpreter) extendPath(v []float64) {
	n := len(p.path.parts)
	if n == 0 {
		p.addPart(p.newPart())
		n = 1
	}
	at := p.path.parts[n-1]
	at.slanted = at.slanted || len(v) > 2
	r := includePoint(at.Rect, p.path.x, p.path.y)
	if p.trace != nil || p.deep != nil {
		at.fingerprint = uint64(fingerprint(at.fingerprint).addWord(uint64(len(v))))
	}
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

// paintPath ends the path: its parts become marks, and it may become the clip.
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
			p.addMark(Mark{Kind: Drawing, Box: pdf.Rect{LLX: r.LLX - wide, LLY: r.LLY - wide, URX: r.URX + wide, URY: r.URY + wide}, White: white, FillsBox: filled && r.whole, StrokeOnly: !filled, Fingerprint: p.fingerprintDrawing(r, filled, stroked)})
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

// operandCounts is the number of operands of a path operator.
var operandCounts = map[string]int{"m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4, "h": 0}

// traceOutline extends the path of a Coverage, or adds the area that painting it covers.
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

// flatPath is a path in points of the page, with curves as line segments.
type flatPath struct {
	subpaths   [][]point // a filled one is closed
	pointCount int       // points
	overflow   bool      // it had more points than maxPoints
}

type point struct{ x, y float64 }

// maxPoints bounds the points of one path.
const maxPoints = 200_000

// curveSteps is how many line segments replace a curve.
const curveSteps = 12

// addOperator executes an operator that constructs a path; v are its operands.
func (o *flatPath) addOperator(op string, v []float64, m matrix) {
	at := func(i int) point {
		x, y := m.mapPoint(v[i], v[i+1])
		return point{x, y}
	}
	switch op {
	case "m":
		o.moveTo(at(0))
	case "l":
		o.lineTo(at(0))
	case "c":
		o.curveTo(at(0), at(2), at(4))
	case "v":
		o.curveTo(o.lastPoint(at(0)), at(0), at(2))
	case "y":
		o.curveTo(at(0), at(2), at(2))
	case "re":
		x, y, w, h := v[0], v[1], v[2], v[3]
		corners := []float64{x, y, x + w, y, x + w, y + h, x, y + h, x, y}
		for i := 0; i < len(corners); i += 2 {
			px, py := m.mapPoint(corners[i], corners[i+1])
			if i == 0 {
				o.moveTo(point{px, py})
			} else {
				o.lineTo(point{px, py})
			}
		}
	case "h":
		if n := len(o.subpaths); n > 0 && len(o.subpaths[n-1]) > 0 {
			first := o.subpaths[n-1][0]
			o.lineTo(first)
			o.moveTo(first)
		}
	}
}

// moveTo starts a subpath.
func (o *flatPath) moveTo(p point) {
	if o.pointCount++; o.pointCount > maxPoints {
		o.overflow = true
		return
	}
	o.subpaths = append(o.subpaths, []point{p})
}

// lineTo adds a line.
func (o *flatPath) lineTo(p point) {
	n := len(o.subpaths)
	if n == 0 {
		o.moveTo(p)
		return
	}
	if o.pointCount++; o.pointCount > maxPoints {
		o.overflow = true
		return
	}
	o.subpaths[n-1] = append(o.subpaths[n-1], p)
}

func (o *flatPath) lastPoint(otherwise point) point {
	if n := len(o.subpaths); n > 0 && len(o.subpaths[n-1]) > 0 {
		return o.subpaths[n-1][len(o.subpaths[n-1])-1]
	}
	return otherwise
}

func (o *flatPath) curveTo(a, b, c point) {
	from := o.lastPoint(a)
	for i := 1; i <= curveSteps; i++ {
		t := float64(i) / curveSteps
		s := 1 - t
		k0, k1, k2, k3 := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
		o.lineTo(point{k0*from.x + k1*a.x + k2*b.x + k3*c.x, k0*from.y + k1*a.y + k2*b.y + k3*c.y})
	}
}

// strokeOutline returns the outline of a stroke of a width: a rectangle along each line, which extends over its ends so
// that corners are filled. Dashes are joined.
func (o *flatPath) strokeOutline(width float64) flatPath {
	half := max(width, leastLine) / 2
	var out flatPath
	for _, line := range o.subpaths {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			dx, dy := b.x-a.x, b.y-a.y
			if length := math.Hypot(dx, dy); length > 0 {
				dx, dy = dx/length*half, dy/length*half
			} else {
				dx = half // a point
			}
			out.subpaths = append(out.subpaths, []point{
				{a.x - dx - dy, a.y - dy + dx}, {a.x - dx + dy, a.y - dy - dx}, {b.x + dx + dy, b.y + dy - dx}, {b.x + dx - dy, b.y + dy + dx},
			})
		}
	}
	return out
}

// leastLine is the width of the thinnest line, in points.
const leastLine = 0.3

// crossing is where a path crosses a row, and in which direction.
type crossing struct {
	x  float64
	up int
}

// subrows is the number of sampled heights of a row.
const subrows = 2

// fillPath fills a path, clipped to a box of the page.
func (c *Coverage) fillPath(o *flatPath, evenOdd bool, clip pdf.Rect, opacity float64) {
	if !(opacity > 0) {
		return
	}
	if o.overflow {
		c.fillBox(clip, opacity)
		return
	}
	clip = clip.Intersect(c.region)
	if clip.Empty() {
		return
	}
	low, high := o.verticalRange()
	y0, y1 := c.cellRange(max(low, clip.LLY)-c.region.LLY, min(high, clip.URY)-c.region.LLY, c.h)
	if !c.spendWork(rowWork*max(1, y1-y0)) || y0 >= y1 {
		return
	}
	x0, x1 := (clip.LLX-c.region.LLX)/c.cell, (clip.URX-c.region.LLX)/c.cell
	rows := make([][]crossing, (y1-y0)*subrows)
	for _, line := range o.subpaths {
		for i := range line {
			a, b := line[i], line[(i+1)%len(line)] // filling closes
			if !c.addCrossings(rows, y0, a, b) {
				return
			}
		}
	}
	for y := y0; y < y1; y++ {
		low, high := c.w, 0
		for s := range subrows {
			found := rows[(y-y0)*subrows+s]
			slices.SortFunc(found, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
			winding := 0
			for i := 0; i+1 < len(found); i++ {
				winding += found[i].up
				if evenOdd && i%2 == 1 || !evenOdd && winding == 0 {
					continue
				}
				from, to := max(found[i].x, x0), min(found[i+1].x, x1)
				if from < to {
					low, high = min(low, int(from)), max(high, min(int(math.Ceil(to)), c.w))
					for x, last := int(from), min(int(math.Ceil(to)), c.w); x < last; x++ {
						c.row[x] += float32((min(to, float64(x+1)) - max(from, float64(x))) / subrows)
					}
				}
			}
		}
		if low >= high {
			continue
		}
		if !c.spendWork(high - low) {
			return
		}
		for x := low; x < high; x++ {
			c.coverCell(y*c.w+x, c.row[x]*float32(opacity))
		}
		clear(c.row[low:high])
	}
}

// rowWork is the work of a row that a path may cross, in addition to that of its cells.
const rowWork = 4

// verticalRange returns the lowest and the highest y of the points.
func (o *flatPath) verticalRange() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, line := range o.subpaths {
		for _, p := range line {
			if p.y < low { // unlike min, this skips what is not a number
				low = p.y
			}
			if p.y > high {
				high = p.y
			}
		}
	}
	return low, high
}

// addCrossings records where a line crosses the rows from y0 on; false if the work is spent.
func (c *Coverage) addCrossings(rows [][]crossing, y0 int, a, b point) bool {
	up := 1
	if a.y > b.y {
		a, b, up = b, a, -1
	}
	scale := subrows / c.cell
	base := c.region.LLY + float64(y0)*c.cell
	// The middle of sub-row i lies at i + 1/2.
	from, to := math.Ceil((a.y-base)*scale-0.5), math.Ceil((b.y-base)*scale-0.5)
	from, to = max(from, 0), min(to, float64(len(rows)))
	if !(from < to) {
		return true
	}
	if !c.spendWork(int(to - from)) {
		return false
	}
	for i := int(from); i < int(to); i++ {
		t := (base + (float64(i)+0.5)/scale - a.y) / (b.y - a.y)
		rows[i] = append(rows[i], crossing{(a.x + t*(b.x-a.x) - c.region.LLX) / c.cell, up})
	}
	return true
}
