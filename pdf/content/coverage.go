package content

import (
	"math"

	"segel/pdf"
)

// Coverage is how much annotations hide of what lies below them: a grid over their part of a page, with an opacity in
// each cell. In doubt it hides: what cannot be decoded is opaque, and a clip is its bounding box.
type Coverage struct {
	region pdf.Rect // points of the page as displayed
	cell   float64  // side of a cell, points
	w, h   int
	opaque []float32 // by cell, row by row from the lowest, 0 to 1

	work int       // steps left
	path flatPath  // the current path
	row  []float32 // coverage of the cells of a row, reused
}

// Bounds of a Coverage.
const (
	maxCells  = 1024       // in one direction
	maxWork   = 40_000_000 // cells and edges of everything painted
	leastCell = 1          // point
)

// hidingOpacity is the opacity from which on text below cannot be read.
const hidingOpacity = 0.8

// HiddenShare returns the share of a box that is hidden, from 0 to 1. The box is in points of the page as displayed.
func (c *Coverage) HiddenShare(box pdf.Rect) float64 {
	if box.Empty() || c.w == 0 {
		return 0
	}
	cut := box.Intersect(c.region)
	if cut.Empty() {
		return 0
	}
	total, area := 0.0, box.Width()*box.Height()
	x0, x1 := c.cellRange(cut.LLX-c.region.LLX, cut.URX-c.region.LLX, c.w)
	y0, y1 := c.cellRange(cut.LLY-c.region.LLY, cut.URY-c.region.LLY, c.h)
	for y := y0; y < y1; y++ {
		high := overlapLength(cut.LLY-c.region.LLY, cut.URY-c.region.LLY, c.cell, y)
		for x := x0; x < x1; x++ {
			if c.opaque[y*c.w+x] >= hidingOpacity {
				total += high * overlapLength(cut.LLX-c.region.LLX, cut.URX-c.region.LLX, c.cell, x)
			}
		}
	}
	return min(total/area, 1)
}

// cellRange returns the cells of a range of coordinates.
func (c *Coverage) cellRange(from, to float64, n int) (int, int) {
	return max(0, min(int(from/c.cell), n)), max(0, min(int(math.Ceil(to/c.cell)), n))
}

// overlapLength is the length that a range and a cell have in common.
func overlapLength(from, to, cell float64, i int) float64 {
	return max(0, min(to, float64(i+1)*cell)-max(from, float64(i)*cell))
}

// MeasureCoverage returns how much the appearances of annotations on a page hide, in the given order. It includes the
// rollover and down appearances, and a background that readers draw for a field without an appearance.
//
// Errors are from the io.ReaderAt of the document: an annotation that cannot be read hides its whole rectangle.
func (r *Reader) MeasureCoverage(page *pdf.Page, annotations []pdf.Ref) (*Coverage, error) {
	p := &r.page
	width, height := page.DisplayedSize()
	*p = interpreter{Reader: r, pageBox: pdf.Rect{URX: width, URY: height}, base: displayMatrix(page)}
	p.graphicsState = p.initialState()
	rects := make([]pdf.Rect, len(annotations)) // default user space
	region := emptyBox
	for i, ref := range annotations {
		dict, err := p.d.Dict(ref)
		if p.failed(err) || dict == nil {
			continue
		}
		rect, err := p.d.Rect(dict["Rect"])
		if !p.failed(err) {
			rects[i] = rect
			region = unionRect(region, p.base.mapBox(rect))
		}
	}
	if err := p.readerError(); err != nil {
		return nil, err
	}
	cover := newCoverage(region.Intersect(p.pageBox))
	if cover.w == 0 || !isPlausible(p.pageBox) {
		return cover, nil
	}
	for i, ref := range annotations {
		*p = interpreter{Reader: r, pageBox: p.pageBox, base: p.base, cover: cover, marks: r.marks}
		p.graphicsState = p.initialState()
		dict, err := p.d.Dict(ref)
		if !p.failed(err) && !rects[i].Empty() {
			p.coverAnnotation(dict, rects[i])
		}
		r.marks = p.marks[:0]
		if err := p.readerError(); err != nil {
			return nil, err
		}
		if !IsComplete(p.problem) || cover.work < 0 {
			cover.paintBox(p.base.mapBox(rects[i]), 1)
		}
	}
	return cover, nil
}

// readerError returns an error of the document's io.ReaderAt.
func (p *interpreter) readerError() error {
	if _, incomplete := p.problem.(*IncompleteError); !incomplete {
		return p.problem
	}
	return nil
}

// coverAnnotation adds every appearance that an annotation may show.
func (p *interpreter) coverAnnotation(dict pdf.Dict, rect pdf.Rect) {
	appearances, err := p.d.Dict(dict["AP"])
	if p.failed(err) {
		return
	}
	for _, key := range []pdf.Name{"N", "R", "D"} {
		p.graphicsState = p.initialState()
		p.interpretAppearance(dict, appearances[key], rect)
		p.flushWord()
	}
	characteristics, err := p.d.Dict(dict["MK"])
	if p.failed(err) || appearances["N"] != nil {
		return
	}
	if colour, err := p.d.Array(characteristics["BG"]); !p.failed(err) && len(colour) > 0 {
		p.cover.fillBox(p.base.mapBox(rect), 1)
	}
}

func newCoverage(region pdf.Rect) *Coverage {
	c := &Coverage{region: region, work: maxWork}
	if region.Empty() || !isPlausible(region) {
		return c
	}
	c.cell = max(leastCell, max(region.Width(), region.Height())/maxCells)
	c.w, c.h = int(math.Ceil(region.Width()/c.cell)), int(math.Ceil(region.Height()/c.cell))
	c.opaque, c.row = make([]float32, c.w*c.h), make([]float32, c.w)
	return c
}

// coverCell adds paint of some opacity to a cell.
func (c *Coverage) coverCell(i int, opacity float32) {
	c.opaque[i] += (1 - c.opaque[i]) * opacity
}

// spendWork counts steps, and reports whether any are left.
func (c *Coverage) spendWork(n int) bool {
	c.work -= n
	return c.work >= 0
}

// fillBox paints a box of the page if there is work left for it.
func (c *Coverage) fillBox(box pdf.Rect, opacity float64) {
	if box = box.Intersect(c.region); box.Empty() || !(opacity > 0) {
		return
	}
	x0, x1 := c.cellRange(box.LLX-c.region.LLX, box.URX-c.region.LLX, c.w)
	y0, y1 := c.cellRange(box.LLY-c.region.LLY, box.URY-c.region.LLY, c.h)
	if c.spendWork((x1 - x0) * (y1 - y0)) {
		c.paintBox(box, opacity)
	}
}

// paintBox paints a box of the page.
func (c *Coverage) paintBox(box pdf.Rect, opacity float64) {
	if box = box.Intersect(c.region); box.Empty() {
		return
	}
	x0, x1 := c.cellRange(box.LLX-c.region.LLX, box.URX-c.region.LLX, c.w)
	y0, y1 := c.cellRange(box.LLY-c.region.LLY, box.URY-c.region.LLY, c.h)
	for y := y0; y < y1; y++ {
		high := overlapLength(box.LLY-c.region.LLY, box.URY-c.region.LLY, c.cell, y) / c.cell
		for x := x0; x < x1; x++ {
			wide := overlapLength(box.LLX-c.region.LLX, box.URX-c.region.LLX, c.cell, x) / c.cell
			c.coverCell(y*c.w+x, float32(opacity*high*wide))
		}
	}
}

// coversPage reports whether current paint may be visible, on a screen or in print. Hidden layers may be turned on.
func (p *interpreter) coversPage() bool {
	return p.cover != nil && (p.visible.views != 0 || p.visible.hiddenBy == ByLayer) && !p.transparent
}

// coveringOpacity is the opacity of paint, from its alpha and how it and the groups around it are blended with what is
// below. Luminance is that of the paint, or unknown.
func (s *graphicsState) coveringOpacity(alpha, light float64) float64 {
	alpha *= s.groupOpacity * blendOpacity(s.blendMode, light)
	for _, mode := range s.outerBlendModes {
		alpha *= blendOpacity(mode, light)
	}
	return alpha
}

// blendOpacity is how much paint hides by its blend mode (ISO 32000-2 §11.3.5). Modes that lighten hide with light
// paint, those that darken with dark paint; modes that preserve the contrast of what is below do not hide it.
func blendOpacity(mode pdf.Name, light float64) float64 {
	switch mode {
	case "Multiply", "Darken":
		if light != unknown {
			return 1 - light
		}
	case "Screen", "Lighten":
		if light != unknown {
			return light
		}
	case "Overlay", "SoftLight", "Hue", "Saturation", "Color":
		return 0
	}
	return 1
}

// How much text hides, by the share of its box that a glyph fills. What is below dark text of usual size remains
// readable. It does not below text that is light, very large or drawn with thick lines, or whose glyphs are drawings of
// the file.
const (
	usualText = 0.3
	largeText = 30 // points
	thickLine = 2  // points
)

// textOpacity is the opacity of text.
func (p *interpreter) textOpacity(r *textRun) float64 {
	if p.cover == nil {
		return 0
	}
	light, alpha := p.fill.luminance, p.fillAlpha
	strokes := p.textMode == 1 || p.textMode == 2 || p.textMode == 5 || p.textMode == 6
	if p.textMode == 1 || p.textMode == 5 {
		light, alpha = p.stroke.luminance, p.strokeAlpha
	}
	thick := strokes && p.lineWidth*p.ctm.scaleFactor() > thickLine
	if light == unknown || light > 0.5 || r.em > largeText || r.font.type3 || thick {
		return p.coveringOpacity(alpha, light)
	}
	return p.coveringOpacity(alpha, light) * usualText
}

// hasBlockCharacters reports whether text has characters that fill their box, such as U+2588.
func hasBlockCharacters(letters []byte) bool {
	for _, r := range string(letters) {
		if r >= 0x2580 && r <= 0x25FF || r == 0 || r == 0xFFFD || r >= 0xE000 && r <= 0xF8FF {
			return true
		}
	}
	return false
}
