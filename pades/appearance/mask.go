package appearance

import (
	"image"
	"math"
	"slices"
)

// mask is how opaque each pixel of a picture's strokes is.
type mask struct {
	w, h int
	pix  []byte
}

func newMask(w, h int) *mask { return &mask{w, h, make([]byte, w*h)} }

// coverage is the share of the pixels that are not fully transparent.
func (m *mask) coverage() float64 { return float64(m.countPainted()) / float64(len(m.pix)) }

func (m *mask) countPainted() (n int) {
	for _, a := range m.pix {
		if a > 0 {
			n++
		}
	}
	return n
}

// Thresholds of what stands out, as differences from the ground of 255 steps.
const (
	minContrast = 22 // less is the texture of paper, or what a JPEG makes of it
	minOpacity  = 16 // opacities below are left out
)

// extractMask finds the strokes of a picture.
func extractMask(m *image.NRGBA) (*mask, error) {
	if seen := opacityMask(m); seen.isThin() {
		return seen.limitCoverage()
	}
	contrast := computeContrast(m)
	if contrast == nil {
		return nil, ErrNoStrokes
	}
	return contrast.limitCoverage()
}

// opacityMask is the picture's own opacity.
func opacityMask(m *image.NRGBA) *mask {
	out := newMask(m.Rect.Dx(), m.Rect.Dy())
	for i := range out.pix {
		out.pix[i] = m.Pix[4*i+3]
	}
	return out
}

// isThin reports whether what is opaque is thin, as strokes are. A photo or a scan is opaque all over; one that was cut
// out or has round corners is still one area.
func (m *mask) isThin() bool {
	reach := max(2, max(m.w, m.h)/25)
	sums := m.integralImage()
	opaque, inner := 0, 0
	for y := range m.h {
		for x := range m.w {
			if m.pix[y*m.w+x] < 128 {
				continue
			}
			opaque++
			x0, y0, x1, y1 := max(0, x-reach), max(0, y-reach), min(m.w, x+reach+1), min(m.h, y+reach+1)
			if sums.sumWithin(x0, y0, x1, y1) == (x1-x0)*(y1-y0) {
				inner++
			}
		}
	}
	return opaque > 0 && inner*10 < opaque*3
}

// integral of pixels that are at least half opaque, over all above and to the left of each.
type integral struct {
	w int
	n []int
}

func (m *mask) integralImage() integral {
	s := integral{m.w + 1, make([]int, (m.w+1)*(m.h+1))}
	for y := range m.h {
		row := 0
		for x := range m.w {
			if m.pix[y*m.w+x] >= 128 {
				row++
			}
			s.n[(y+1)*s.w+x+1] = s.n[y*s.w+x+1] + row
		}
	}
	return s
}

// sumWithin is the sum over x0 <= x < x1, y0 <= y < y1.
func (s integral) sumWithin(x0, y0, x1, y1 int) int {
	return s.n[y1*s.w+x1] - s.n[y0*s.w+x1] - s.n[y1*s.w+x0] + s.n[y0*s.w+x0]
}

// limitCoverage makes a mask clear: what is faint becomes transparent, what is strong opaque. It raises the threshold as far as
// MaxCoverage asks for, up to where it would leave out what is strong.
func (m *mask) limitCoverage() (*mask, error) {
	strong, noise := m.strongestLevel(), m.noiseLevel()
	if strong < minContrast {
		return nil, ErrNoStrokes
	}
	for t := 0.35; t <= 0.8; t += 0.05 {
		low := max(t*strong, min(4*noise, 0.6*strong), minOpacity)
		out := m.stretchLevels(low, max(0.75*strong, low+0.2*strong))
		out.removeSpecks()
		switch {
		case out.countPainted() == 0:
			return nil, ErrNoStrokes
		case out.coverage() <= MaxCoverage:
			return out, nil
		}
	}
	return nil, ErrTooDense
}

// strongestLevel is the value that the strongest of the pixels reach: one in five thousand, and at least twenty.
func (m *mask) strongestLevel() float64 {
	var counts [256]int
	for _, a := range m.pix {
		counts[a]++
	}
	want := max(len(m.pix)/5000, 20)
	for v := 255; v > 0; v-- {
		if want -= counts[v]; want <= 0 {
			return float64(v)
		}
	}
	return 0
}

// noiseLevel is the standard deviation of the ground, estimated from the median of what is not zero.
func (m *mask) noiseLevel() float64 {
	var counts [256]int
	for _, a := range m.pix {
		counts[a]++
	}
	left := len(m.pix) / 2
	for v := range counts {
		if left -= counts[v]; left < 0 {
			return float64(v) * 1.4826
		}
	}
	return 0
}

// stretchLevels maps values up to low to 0 and from high on to 255.
func (m *mask) stretchLevels(low, high float64) *mask {
	var table [256]byte
	for v := range table {
		a := 255 * (float64(v) - low) / (high - low)
		if a >= minOpacity {
			table[v] = byte(min(a, 255))
		}
	}
	out := newMask(m.w, m.h)
	for i, a := range m.pix {
		out.pix[i] = table[a]
	}
	return out
}

// removeSpecks removes pixels with fewer than two neighbours: grain, not strokes.
func (m *mask) removeSpecks() {
	alone := []int{}
	for y := range m.h {
		for x := range m.w {
			if m.pix[y*m.w+x] == 0 {
				continue
			}
			near := -1
			for yy := max(0, y-1); yy < min(m.h, y+2); yy++ {
				for _, a := range m.pix[yy*m.w+max(0, x-1) : yy*m.w+min(m.w, x+2)] {
					if a > 0 {
						near++
					}
				}
			}
			if near < 2 {
				alone = append(alone, y*m.w+x)
			}
		}
	}
	for _, i := range alone {
		m.pix[i] = 0
	}
}

// trim cuts off margins without strokes, but leaves as much of them as keeps the coverage within MaxCoverage: a
// signature that is one straight line fills the smallest box around it.
func (m *mask) trim() *mask {
	var seen image.Rectangle
	for i, a := range m.pix {
		if a > 0 {
			x, y := i%m.w, i/m.w
			seen = seen.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	all, inked := image.Rect(0, 0, m.w, m.h), float64(m.countPainted())
	for b := seen; ; b = b.Inset(-1).Intersect(all) {
		if inked <= MaxCoverage*float64(b.Dx()*b.Dy()) || b == all {
			return m.crop(b)
		}
	}
}

func (m *mask) crop(b image.Rectangle) *mask {
	out := newMask(b.Dx(), b.Dy())
	for y := range out.h {
		copy(out.pix[y*out.w:][:out.w], m.pix[(b.Min.Y+y)*m.w+b.Min.X:])
	}
	return out
}

// computeContrast tells how much each pixel stands out from the ground around it, where that is dark on light or light on
// dark, whichever there is more of. It is nil where nothing is to be seen.
func computeContrast(m *image.NRGBA) *mask {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	g, ok := estimateBackground(m)
	if !ok {
		return nil
	}
	dark, light := newMask(w, h), newMask(w, h)
	var darker, lighter float64
	for y := range h {
		for x := range w {
			p := m.Pix[m.PixOffset(x, y):][:4]
			below, above := 0.0, 0.0
			i := g.cellIndex(x, y)
			for c := range 3 {
				// What is transparent lies on the ground.
				v, opacity := float64(p[c]), float64(p[3])/255
				lowest, highest := float64(g.lowest[c][i]), float64(g.highest[c][i])
				below = max(below, (lowest-v)*opacity*255/max(lowest, 60)) // shadow dims strokes as it does paper
				above = max(above, (v-highest)*opacity)
			}
			dark.pix[y*w+x], light.pix[y*w+x] = byte(min(below, 255)), byte(min(above, 255))
			if below >= minContrast {
				darker += below * below
			}
			if above >= minContrast {
				lighter += above * above
			}
		}
	}
	if lighter > darker {
		return light
	}
	return dark
}

// backgroundGrid is what a picture would show without strokes: the median colour around each cell of a grid, and, since that is
// blurred where a shadow begins, the lowest and the highest of it near each cell.
type backgroundGrid struct {
	w, h            int // cells
	pitch           float64
	lowest, highest [3][]byte
}

// maxGrid bounds the points of a ground in one direction.
const maxGrid = 96

// estimateBackground finds the ground of a picture; false if all of it is transparent.
func estimateBackground(m *image.NRGBA) (backgroundGrid, bool) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	pitch := max(1, float64(max(w, h))/maxGrid)
	g := backgroundGrid{w: int(math.Ceil(float64(w) / pitch)), h: int(math.Ceil(float64(h) / pitch)), pitch: pitch}
	seen := make([]bool, g.w*g.h)
	var samples [3][]byte
	for c := range samples {
		samples[c] = make([]byte, g.w*g.h)
	}
	found := false
	for y := range g.h {
		for x := range g.w {
			i := y*g.w + x
			if seen[i] = sampleCell(m, x, y, pitch, func(c int, v byte) { samples[c][i] = v }); seen[i] {
				found = true
			}
		}
	}
	if !found {
		return g, false
	}
	// A window of a quarter of the picture has more ground in it than strokes.
	reach := max(2, max(g.w, g.h)/8)
	for c, s := range samples {
		middle := slidingMedians(s, seen, g.w, g.h, reach)
		g.lowest[c], g.highest[c] = localExtremes(middle, g.w, g.h)
	}
	return g, true
}

// sampleCell tells the median colour of nine pixels of a cell; false if none of them is opaque.
func sampleCell(m *image.NRGBA, x, y int, pitch float64, tell func(c int, v byte)) bool {
	var values [3][]byte
	for dy := range 3 {
		for dx := range 3 {
			px := min(int((float64(x)+(float64(dx)+0.5)/3)*pitch), m.Rect.Dx()-1)
			py := min(int((float64(y)+(float64(dy)+0.5)/3)*pitch), m.Rect.Dy()-1)
			p := m.Pix[m.PixOffset(px, py):][:4]
			if p[3] < 250 {
				continue
			}
			for c := range values {
				values[c] = append(values[c], p[c])
			}
		}
	}
	if len(values[0]) == 0 {
		return false
	}
	for c, v := range values {
		slices.Sort(v)
		tell(c, v[len(v)/2])
	}
	return true
}

// slidingMedians is the median of the samples that were seen in a window around each point. A window slides along each row,
// so that each step costs one column of it.
func slidingMedians(samples []byte, seen []bool, w, h, reach int) []byte {
	out := make([]byte, w*h)
	last := byte(255)
	for y := range h {
		var counts [256]int
		n := 0
		top, bottom := max(0, y-reach), min(h, y+reach+1)
		column := func(x, by int) {
			if x < 0 || x >= w {
				return
			}
			for yy := top; yy < bottom; yy++ {
				if seen[yy*w+x] {
					counts[samples[yy*w+x]] += by
					n += by
				}
			}
		}
		for x := range min(reach, w) {
			column(x, 1)
		}
		for x := range w {
			column(x+reach, 1)
			column(x-reach-1, -1)
			if n > 0 {
				left := n / 2
				for v := range counts {
					if left -= counts[v]; left < 0 {
						last = byte(v)
						break
					}
				}
			}
			out[y*w+x] = last
		}
	}
	return out
}

// localExtremes is the lowest and the highest of the samples within two cells of each.
func localExtremes(samples []byte, w, h int) (lowest, highest []byte) {
	const reach = 2
	lowest, highest = make([]byte, w*h), make([]byte, w*h)
	for y := range h {
		for x := range w {
			low, high := samples[y*w+x], samples[y*w+x]
			for yy := max(0, y-reach); yy <= min(h-1, y+reach); yy++ {
				for _, v := range samples[yy*w+max(0, x-reach) : yy*w+min(w, x+reach+1)] {
					low, high = min(low, v), max(high, v)
				}
			}
			lowest[y*w+x], highest[y*w+x] = low, high
		}
	}
	return lowest, highest
}

// cellIndex is the index of the cell that a pixel lies in.
func (g backgroundGrid) cellIndex(x, y int) int {
	return min(int(float64(y)/g.pitch), g.h-1)*g.w + min(int(float64(x)/g.pitch), g.w-1)
}
