package content

import (
	"cmp"
	"math"
	"slices"

	"segel/pdf"
)

// flatPath is a path in points of the page, its curves as lines.
type flatPath struct {
	subpaths   [][]point // subpaths; a filled one is closed
	pointCount int       // points
	overflow   bool      // it has more points than are kept
}

type point struct{ x, y float64 }

// maxPoints bounds the points of one path.
const maxPoints = 200_000

// curveSteps is how many lines a curve becomes.
const curveSteps = 12

// addOperator follows an operator that constructs a path; v are its operands.
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

// moveTo adds a subpath.
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

// strokeOutline is the outline of a stroke that wide: a rectangle along each line, which reaches over its ends so that corners
// are full. Dashes are joined.
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
				dx = half // a dot
			}
			out.subpaths = append(out.subpaths, []point{
				{a.x - dx - dy, a.y - dy + dx}, {a.x - dx + dy, a.y - dy - dx}, {b.x + dx + dy, b.y + dy - dx}, {b.x + dx - dy, b.y + dy + dx},
			})
		}
	}
	return out
}

// leastLine is how wide the thinnest line is drawn, in points.
const leastLine = 0.3

// crossing is where an outline crosses a row, and in which direction.
type crossing struct {
	x  float64
	up int
}

// subrows is at how many heights of a row an outline is looked at.
const subrows = 2

// fillPath fills an outline, cut to a clip that is a box of the page.
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
	y0, y1 := c.cellRange(clip.LLY-c.region.LLY, clip.URY-c.region.LLY, c.h)
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
		clear(c.row)
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
					c.addRowCoverage(from, to)
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
	}
}

// addCrossings notes where a line crosses the rows from y0 on; false if the work is spent.
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

// addRowCoverage counts a stretch of a sub-row, in cells.
func (c *Coverage) addRowCoverage(from, to float64) {
	first, last := int(from), min(int(math.Ceil(to)), c.w)
	for x := first; x < last; x++ {
		c.row[x] += float32((min(to, float64(x+1)) - max(from, float64(x))) / subrows)
	}
}
