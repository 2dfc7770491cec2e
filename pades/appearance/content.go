package appearance

import (
	"bytes"
	"strconv"

	"segel/pdf"
)

// contentBuffer is a content stream being written.
type contentBuffer struct{ bytes.Buffer }

func (c *contentBuffer) writeText(s string) { c.WriteString(s) }

// writeOperator writes operands and the operator behind them.
func (c *contentBuffer) writeOperator(operator string, operands ...float64) {
	for _, v := range operands {
		c.Write(strconv.AppendFloat(c.AvailableBuffer(), roundNumber(v), 'f', -1, 64))
		c.WriteByte(' ')
	}
	c.writeText(operator + "\n")
}

func (c *contentBuffer) writeColor(v Color, operator string) {
	c.writeOperator(operator, float64(v.R)/255, float64(v.G)/255, float64(v.B)/255)
}

func (c *contentBuffer) writePath(p Path) {
	for _, s := range p {
		c.writeOperator(s.operator, s.operands...)
	}
}

// Path is a shape of lines and curves.
type Path []pathStep

type pathStep struct {
	operator string
	operands []float64
}

// Rectangle is the border of r.
func Rectangle(r pdf.Rect) Path {
	return Path{{"re", []float64{r.LLX, r.LLY, r.Width(), r.Height()}}}
}

// circleHandle is how far the handles of a cubic curve are from its ends to make a quarter of a circle of radius 1.
const circleHandle = 0.5523

// Rounded is a rectangle whose corners are quarters of a circle.
func Rounded(r pdf.Rect, radius float64) Path {
	radius = min(radius, r.Width()/2, r.Height()/2)
	in := radius * (1 - circleHandle)
	return Path{
		{"m", []float64{r.LLX + radius, r.LLY}},
		{"l", []float64{r.URX - radius, r.LLY}},
		{"c", []float64{r.URX - in, r.LLY, r.URX, r.LLY + in, r.URX, r.LLY + radius}},
		{"l", []float64{r.URX, r.URY - radius}},
		{"c", []float64{r.URX, r.URY - in, r.URX - in, r.URY, r.URX - radius, r.URY}},
		{"l", []float64{r.LLX + radius, r.URY}},
		{"c", []float64{r.LLX + in, r.URY, r.LLX, r.URY - in, r.LLX, r.URY - radius}},
		{"l", []float64{r.LLX, r.LLY + radius}},
		{"c", []float64{r.LLX, r.LLY + in, r.LLX + in, r.LLY, r.LLX + radius, r.LLY}},
		{"h", nil},
	}
}

// Inset is r made smaller by d on all sides.
func Inset(r pdf.Rect, d float64) pdf.Rect {
	return pdf.Rect{LLX: r.LLX + d, LLY: r.LLY + d, URX: r.URX - d, URY: r.URY - d}
}
