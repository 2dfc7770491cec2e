package content

import (
	"bytes"
	"image/jpeg"
	"maps"
	"math"
	"slices"

	"segel/pdf"
)

// imageOpacity is how much each pixel of an image hides.
type imageOpacity struct {
	w, h  int
	alpha []float32 // row by row from the top; nil: all opaque
	light []float32 // luminance; nil: unknown
}

// Bounds of the images that are decoded for their opacity.
const (
	maxProgressive = 12 << 20 // samples of a progressive JPEG image, each of which takes nine bytes while it is decoded
	maxPixels      = 16 << 20 // of one image, and twice as many per Reader
	maxJPEGScans   = 64
)

// coverUnitSquare paints an image into the unit square (ISO 32000-2 §8.9.5); nil is opaque everywhere.
func (p *interpreter) coverUnitSquare(m *imageOpacity) {
	c := p.cover
	box := p.ctm.mapBox(pdf.Rect{URX: 1, URY: 1}).Intersect(p.clip).Intersect(c.region)
	det := p.ctm[0]*p.ctm[3] - p.ctm[1]*p.ctm[2]
	if box.Empty() || math.Abs(det) < 1e-9 {
		return
	}
	x0, x1 := c.cellRange(box.LLX-c.region.LLX, box.URX-c.region.LLX, c.w)
	y0, y1 := c.cellRange(box.LLY-c.region.LLY, box.URY-c.region.LLY, c.h)
	if !c.spendWork((x1 - x0) * (y1 - y0)) {
		return
	}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			dx := c.region.LLX + (float64(x)+0.5)*c.cell - p.ctm[4]
			dy := c.region.LLY + (float64(y)+0.5)*c.cell - p.ctm[5]
			u, v := (dx*p.ctm[3]-dy*p.ctm[2])/det, (dy*p.ctm[0]-dx*p.ctm[1])/det
			if u < 0 || u >= 1 || v < 0 || v >= 1 {
				continue
			}
			alpha, light := 1.0, float64(unknown)
			if m != nil && m.w > 0 && m.h > 0 {
				i := min(int((1-v)*float64(m.h)), m.h-1)*m.w + min(int(u*float64(m.w)), m.w-1)
				if m.alpha != nil {
					alpha = float64(m.alpha[i])
				}
				if m.light != nil {
					light = float64(m.light[i])
				}
			}
			c.coverCell(y*c.w+x, float32(p.coveringOpacity(p.fillAlpha*alpha, light)))
		}
	}
}

// readImageOpacity reads the opacity of an image; nil where it is unknown, which is opaque.
func (p *interpreter) readImageOpacity(st *pdf.Stream) *imageOpacity {
	if stencil, err := p.d.Resolve(st.Dict["ImageMask"]); !p.failed(err) && stencil == pdf.Object(pdf.Boolean(true)) {
		m := p.readSamples(st, 1)
		if m == nil {
			return nil
		}
		return &imageOpacity{w: m.w, h: m.h, alpha: invertSamples(m.values), light: constantLuminance(len(m.values), p.fill.luminance)}
	}
	out := &imageOpacity{}
	if mask, err := p.d.Stream(st.Dict["SMask"]); !p.failed(err) && mask != nil {
		m := p.readSamples(mask, 1)
		if m == nil {
			return nil
		}
		out.w, out.h, out.alpha = m.w, m.h, m.values
	} else if mask, err := p.d.Resolve(st.Dict["Mask"]); !p.failed(err) {
		switch mask := mask.(type) {
		case *pdf.Stream: // a set sample is masked out (ISO 32000-2 §8.9.6.3)
			m := p.readSamples(mask, 1)
			if m == nil {
				return nil
			}
			out.w, out.h, out.alpha = m.w, m.h, invertSamples(m.values)
		case pdf.Array:
			return p.readColourKeyed(st, mask)
		}
	}
	if out.alpha == nil && slices.ContainsFunc(append(slices.Clip(p.outerBlendModes), p.blendMode), func(n pdf.Name) bool { return n != "" }) {
		out.light = p.readLuminance(st, out)
	}
	return out
}

func invertSamples(values []float32) []float32 {
	for i, v := range values {
		values[i] = 1 - v
	}
	return values
}

func constantLuminance(n int, light float64) []float32 {
	if light == unknown {
		return nil
	}
	all := make([]float32, n)
	for i := range all {
		all[i] = float32(light)
	}
	return all
}

// samples are the samples of an image, mapped by /Decode to 0 to 1: all components of a pixel side by side.
type samples struct {
	w, h, n int
	values  []float32
}

// readSamples reads the samples of an image with n components; nil if it cannot.
func (p *interpreter) readSamples(st *pdf.Stream, n int) *samples {
	w, err1 := p.d.Integer(st.Dict["Width"])
	h, err2 := p.d.Integer(st.Dict["Height"])
	if p.failed(err1) || p.failed(err2) || w <= 0 || h <= 0 || w > maxPixels/h {
		return nil
	}
	if p.pixels += w * h * int64(n); p.pixels > 2*maxPixels {
		return nil
	}
	bits, err := p.d.Integer(st.Dict["BitsPerComponent"])
	if err != nil || bits == 0 {
		bits = 1 // of a mask, where the entry is optional
	}
	b, err := p.d.Decode(st)
	out := &samples{w: int(w), h: int(h), n: n}
	switch {
	case err == nil && p.spendBytes(int64(len(b))):
		out.values = unpackSamples(b, int(w), int(h), n, int(bits))
	default:
		out.values = p.decodeJPEG(st, int(w), int(h), n)
	}
	if out.values == nil {
		return nil
	}
	decode, err := p.d.Array(st.Dict["Decode"])
	if err != nil || len(decode) < 2*n {
		return out
	}
	for c := range n {
		low, err1 := p.d.Number(decode[2*c])
		high, err2 := p.d.Number(decode[2*c+1])
		if err1 != nil || err2 != nil || low == 0 && high == 1 {
			continue
		}
		for i := c; i < len(out.values); i += n {
			out.values[i] = float32(max(0, min(low+float64(out.values[i])*(high-low), 1)))
		}
	}
	return out
}

// unpackSamples expands samples of 1 to 16 bits; nil if there are too few.
func unpackSamples(b []byte, w, h, n, bits int) []float32 {
	row := (w*n*bits + 7) / 8
	if len(b) < row*h {
		return nil
	}
	out := make([]float32, 0, w*h*n)
	for y := range h {
		line := b[y*row : (y+1)*row]
		for i := range w * n {
			switch bits {
			case 8:
				out = append(out, float32(line[i])/255)
			case 16:
				out = append(out, float32(line[2*i])/255)
			case 1, 2, 4:
				at := i * bits
				v := line[at/8] >> (8 - bits - at%8) & (1<<bits - 1)
				out = append(out, float32(v)/float32(int(1)<<bits-1))
			default:
				return nil
			}
		}
	}
	return out
}

// decodeJPEG decodes a JPEG file that is the whole stream, as gray or as red, green and blue; nil if it cannot.
func (p *interpreter) decodeJPEG(st *pdf.Stream, w, h, n int) []float32 {
	filter, err := p.d.Resolve(st.Dict["Filter"])
	if list, ok := filter.(pdf.Array); err == nil && ok && len(list) == 1 {
		filter, err = p.d.Resolve(list[0])
	}
	if err != nil || filter != pdf.Object(pdf.Name("DCTDecode")) {
		return nil
	}
	b, err := p.d.Raw(st)
	if err != nil || !p.spendBytes(int64(len(b))) || bytes.Count(b, []byte{0xFF, 0xDA}) > maxJPEGScans {
		return nil
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(b))
	if err != nil || size.Width != w || size.Height != h {
		return nil
	}
	// A progressive file (ITU-T T.81 §G.1) needs a coefficient of four bytes for each sample until its last scan.
	if bytes.Contains(b, []byte{0xFF, 0xC2}) && w*h*n > maxProgressive {
		return nil
	}
	m, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	out := make([]float32, 0, w*h*n)
	for y := range h {
		for x := range w {
			r, g, b, _ := m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y).RGBA()
			switch n {
			case 1:
				out = append(out, float32(luminanceOf(float64(r), float64(g), float64(b))/0xFFFF))
			case 3:
				out = append(out, float32(r)/0xFFFF, float32(g)/0xFFFF, float32(b)/0xFFFF)
			default:
				return nil
			}
		}
	}
	return out
}

func luminanceOf(r, g, b float64) float64 { return 0.3*r + 0.59*g + 0.11*b }

// readLuminance reads the luminance of an image in gray or in red, green and blue; nil if it cannot.
func (p *interpreter) readLuminance(st *pdf.Stream, out *imageOpacity) []float32 {
	n := p.countComponents(st.Dict["ColorSpace"])
	if n != 1 && n != 3 {
		return nil
	}
	s := p.readSamples(st, n)
	if s == nil {
		return nil
	}
	out.w, out.h = s.w, s.h
	if n == 1 {
		return s.values
	}
	light := make([]float32, 0, s.w*s.h)
	for i := 0; i+2 < len(s.values); i += 3 {
		light = append(light, float32(luminanceOf(float64(s.values[i]), float64(s.values[i+1]), float64(s.values[i+2]))))
	}
	return light
}

// countComponents counts the components of gray and RGB spaces; 0 for others.
func (p *interpreter) countComponents(o pdf.Object) int {
	v, err := p.d.Resolve(o)
	if err != nil {
		return 0
	}
	family, _ := v.(pdf.Name)
	if list, ok := v.(pdf.Array); ok && len(list) > 0 {
		family, _ = p.d.Name(list[0])
		if family == "ICCBased" && len(list) > 1 {
			if profile, err := p.d.Stream(list[1]); err == nil && profile != nil {
				n, _ := p.d.Integer(profile.Dict["N"])
				return int(n)
			}
		}
	}
	switch family {
	case "DeviceGray", "CalGray":
		return 1
	case "DeviceRGB", "CalRGB":
		return 3
	}
	return 0
}

// readColourKeyed reads an image of which a range of colours is masked out (ISO 32000-2 §8.9.6.4).
func (p *interpreter) readColourKeyed(st *pdf.Stream, ranges pdf.Array) *imageOpacity {
	n := len(ranges) / 2
	bits, err := p.d.Integer(st.Dict["BitsPerComponent"])
	if n == 0 || n > 4 || err != nil || bits < 1 || bits > 8 {
		return nil
	}
	bare := *st
	bare.Dict = maps.Clone(st.Dict)
	delete(bare.Dict, "Decode")
	s := p.readSamples(&bare, n)
	if s == nil {
		return nil
	}
	var low, high [4]float32
	for c := range n {
		a, err1 := p.d.Number(ranges[2*c])
		b, err2 := p.d.Number(ranges[2*c+1])
		if err1 != nil || err2 != nil {
			return nil
		}
		most := float64(int(1)<<bits - 1)
		low[c], high[c] = float32((a-0.5)/most), float32((b+0.5)/most)
	}
	out := &imageOpacity{w: s.w, h: s.h, alpha: make([]float32, s.w*s.h)}
	for i := range out.alpha {
		for c := range n {
			if v := s.values[i*n+c]; v < low[c] || v > high[c] {
				out.alpha[i] = 1
			}
		}
	}
	return out
}
