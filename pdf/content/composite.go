package content

import (
	"sort"
	"strings"

	"segel/pdf"
)

// composite is what a Type0 font has beyond others (ISO 32000-2 §9.7).
type composite struct {
	codeMap         *cmap // nil: codes are two bytes and stand for themselves
	mixedWidths     bool  // a named map of bytes and pairs of bytes, whose glyphs are not known here
	textMap         *cmap // nil: what glyphs mean is not known
	codesAreUTF16   bool  // codes are UTF-16 themselves
	widthRuns       []widthRun
	defaultWidth    float64 // width of glyphs in no span
	verticalOrigin  float64 // from the baseline to where vertical text is hung up
	verticalAdvance float64 // how far vertical text goes on, negative
}

// widthRun is a run of glyphs with one width, or with one each.
type widthRun struct {
	from, to uint32
	width    float32
	widths   []float32
}

func (p *interpreter) loadComposite(f *font, dict pdf.Dict) {
	c := &composite{defaultWidth: 1, verticalOrigin: 0.88, verticalAdvance: -1}
	f.composite = c
	kids, err := p.d.Array(dict["DescendantFonts"])
	p.failed(err)
	var kid pdf.Dict
	if len(kids) > 0 {
		kid, err = p.d.Dict(kids[0])
		p.failed(err)
	}
	if kid == nil {
		f.widthsGuessed = true
		p.noteIncomplete(NoFont, nil)
	}
	descriptor, err := p.d.Dict(kid["FontDescriptor"])
	p.failed(err)
	p.loadReach(f, descriptor)
	if kid["DW"] != nil {
		w, err := p.d.Number(kid["DW"])
		p.failed(err)
		c.defaultWidth = w / 1000
	}
	if v, err := p.d.Array(kid["DW2"]); !p.failed(err) && len(v) == 2 {
		up, err1 := p.d.Number(v[0])
		down, err2 := p.d.Number(v[1])
		if !p.failed(err1) && !p.failed(err2) {
			c.verticalOrigin, c.verticalAdvance = up/1000, down/1000
		}
	}
	p.loadWidthRuns(c, kid["W"])
	p.loadCodes(f, c, dict["Encoding"])
	c.textMap = p.readCMap(dict["ToUnicode"])
}

// loadWidthRuns reads /W: "first [w w w]" and "first last w" in any order.
func (p *interpreter) loadWidthRuns(c *composite, o pdf.Object) {
	w, err := p.d.Array(o)
	if p.failed(err) {
		return
	}
	if !p.spendBytes(int64(16 * len(w))) {
		p.stopAtLimit(errBytes)
		return
	}
	for i := 0; i+1 < len(w) && !p.stopped; {
		first, err := p.d.Integer(w[i])
		if p.failed(err) || first < 0 || first > 1<<24 {
			return
		}
		second, err := p.d.Resolve(w[i+1])
		if p.failed(err) {
			return
		}
		if list, ok := second.(pdf.Array); ok {
			if !p.spendBytes(int64(16 * len(list))) {
				p.stopAtLimit(errBytes)
				return
			}
			s := widthRun{from: uint32(first), to: uint32(first) + uint32(len(list)) - 1, widths: make([]float32, len(list))}
			for k, o := range list {
				v, err := p.d.Number(o)
				p.failed(err)
				s.widths[k] = float32(v / 1000)
			}
			if len(list) > 0 {
				c.widthRuns = append(c.widthRuns, s)
			}
			i += 2
			continue
		}
		last, err := p.d.Integer(second)
		if p.failed(err) || i+2 >= len(w) || last < first || last > 1<<24 {
			return
		}
		v, err := p.d.Number(w[i+2])
		p.failed(err)
		c.widthRuns = append(c.widthRuns, widthRun{from: uint32(first), to: uint32(last), width: float32(v / 1000)})
		i += 3
	}
	sort.SliceStable(c.widthRuns, func(i, j int) bool { return c.widthRuns[i].from < c.widthRuns[j].from })
}

// loadCodes finds out how codes are cut and what glyphs they stand for.
func (p *interpreter) loadCodes(f *font, c *composite, o pdf.Object) {
	v, err := p.d.Resolve(o)
	if p.failed(err) {
		return
	}
	switch v := v.(type) {
	case pdf.Name:
		name := string(v)
		f.vertical = strings.HasSuffix(name, "-V")
		switch {
		case strings.HasPrefix(name, "Identity"):
		case strings.Contains(name, "UCS2"), strings.Contains(name, "UTF16"):
			c.codesAreUTF16, f.widthsGuessed = true, true
		default:
			c.mixedWidths, f.widthsGuessed = true, true
		}
	case *pdf.Stream:
		c.codeMap = p.readCMap(v)
		if c.codeMap != nil {
			f.vertical = c.codeMap.vertical
			f.widthsGuessed = f.widthsGuessed || c.codeMap.partial
		}
	}
}

// nextCode takes the next code off a string.
func (c *composite) nextCode(s []byte) (code uint32, bytes int) {
	switch {
	case c.codeMap != nil:
		return c.codeMap.nextCode(s)
	case c.mixedWidths && s[0] < 0x80, len(s) == 1:
		return uint32(s[0]), 1
	}
	return uint32(s[0])<<8 | uint32(s[1]), 2
}

// findGlyph looks up what a code of so many bytes stands for.
func (c *composite) findGlyph(f *font, code uint32, bytes int) glyph {
	g := glyph{code: code, bytes: bytes, boxEstimated: f.widthsGuessed}
	switch {
	case c.textMap != nil:
		g.text = c.textMap.textOf(g.code)
	case c.codesAreUTF16:
		g.text = decodeUTF16([]byte{byte(g.code >> 8), byte(g.code)})
	case c.mixedWidths && g.bytes == 1:
		g.text = winAnsi[byte(g.code)]
	}
	g.space = isBlankText(g.text)
	cid := g.code
	if c.codeMap != nil {
		cid = c.codeMap.cidOf(g.code)
	}
	w := c.widthOf(cid)
	if c.mixedWidths && g.bytes == 1 {
		w = 0.5
	}
	if f.vertical {
		g.width = c.verticalAdvance
		g.box = pdf.Rect{LLX: -w / 2, LLY: f.descent - c.verticalOrigin, URX: w / 2, URY: f.ascent - c.verticalOrigin}
		return g
	}
	g.width = w
	g.box = pdf.Rect{LLX: min(0, w), LLY: f.descent, URX: max(0, w), URY: f.ascent}
	return g
}

func (c *composite) widthOf(cid uint32) float64 {
	i := sort.Search(len(c.widthRuns), func(i int) bool { return c.widthRuns[i].from > cid }) - 1
	if i < 0 || c.widthRuns[i].to < cid {
		return c.defaultWidth
	}
	if s := c.widthRuns[i]; s.widths != nil {
		return float64(s.widths[cid-s.from])
	}
	return float64(c.widthRuns[i].width)
}
