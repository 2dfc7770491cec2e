package content

import (
	"math"

	"segel/pdf"
)

// matrix maps (x, y) to (ax+cy+e, bx+dy+f), as ISO 32000-2 §8.3.4 writes it.
type matrix [6]float64

var identityMatrix = matrix{1, 0, 0, 1, 0, 0}

// then is m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// translate is a step by (x, y) first and m after it.
func (m matrix) translate(x, y float64) matrix {
	m[4], m[5] = m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
	return m
}

func (m matrix) mapPoint(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// mapBox is what contains the rectangle once it is mapped.
func (m matrix) mapBox(r pdf.Rect) pdf.Rect {
	out := emptyBox
	for _, c := range [4][2]float64{{r.LLX, r.LLY}, {r.LLX, r.URY}, {r.URX, r.LLY}, {r.URX, r.URY}} {
		out = includePoint(out, c[0]*m[0]+c[1]*m[2]+m[4], c[0]*m[1]+c[1]*m[3]+m[5])
	}
	return out
}

// scaleFactor is about how much lengths grow.
func (m matrix) scaleFactor() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }

// emptyBox contains no point; add makes it the box of those that are added.
var emptyBox = pdf.Rect{LLX: math.Inf(1), LLY: math.Inf(1), URX: math.Inf(-1), URY: math.Inf(-1)}

func includePoint(r pdf.Rect, x, y float64) pdf.Rect {
	return pdf.Rect{LLX: min(r.LLX, x), LLY: min(r.LLY, y), URX: max(r.URX, x), URY: max(r.URY, y)}
}

func unionRect(a, b pdf.Rect) pdf.Rect {
	return pdf.Rect{LLX: min(a.LLX, b.LLX), LLY: min(a.LLY, b.LLY), URX: max(a.URX, b.URX), URY: max(a.URY, b.URY)}
}

// growRect widens a box by d on each side.
func growRect(r pdf.Rect, d float64) pdf.Rect {
	return pdf.Rect{LLX: r.LLX - d, LLY: r.LLY - d, URX: r.URX + d, URY: r.URY + d}
}

// maxCoordinate is beyond any page: one has at most 14,400 units, and a unit of 75,000 inches is no paper.
const maxCoordinate = 1e9

// isPlausible reports whether a box can be reckoned with: no corner is infinite, no number, or farther than any page reaches.
func isPlausible(r pdf.Rect) bool {
	for _, v := range [4]float64{r.LLX, r.LLY, r.URX, r.URY} {
		if !(math.Abs(v) < maxCoordinate) {
			return false
		}
	}
	return true
}
