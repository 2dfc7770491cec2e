package content

import (
	"sort"
	"strings"

	"segel/pdf"
)

// composite is what a Type0 font has beyond others (ISO 32000-2 §9.7).
type composite struct {
	codes  *cmap // nil: codes are two bytes and stand for themselves
	mixed  bool  // a named map of bytes and pairs of bytes, whose glyphs are not known here
	texts  *cmap // nil: what glyphs mean is not known
	direct bool  // codes are UTF-16 themselves
	spans  []span
	other  float64 // width of glyphs in no span
	up     float64 // from the baseline to where vertical text is hung up
	down   float64 // how far vertical text goes on, negative
}

// span is a run of glyphs with one width, or with one each.
type span struct {
	from, to uint32
	width    float32
	widths   []float32
}

func (p *painter) loadComposite(f *font, dict pdf.Dict) {
	c := &composite{other: 1, up: 0.88, down: -1}
	f.composite = c
	kids, err := p.d.Array(dict["DescendantFonts"])
	p.failed(err)
	var kid pdf.Dict
	if len(kids) > 0 {
		kid, err = p.d.Dict(kids[0])
		p.failed(err)
	}
	if kid == nil {
		f.rough = true
		p.untold(NoFont, nil)
	}
	descriptor, err := p.d.Dict(kid["FontDescriptor"])
	p.failed(err)
	p.loadReach(f, descriptor)
	if kid["DW"] != nil {
		w, err := p.d.Number(kid["DW"])
		p.failed(err)
		c.other = w / 1000
	}
	if v, err := p.d.Array(kid["DW2"]); !p.failed(err) && len(v) == 2 {
		up, err1 := p.d.Number(v[0])
		down, err2 := p.d.Number(v[1])
		if !p.failed(err1) && !p.failed(err2) {
			c.up, c.down = up/1000, down/1000
		}
	}
	p.loadSpans(c, kid["W"])
	p.loadCodes(f, c, dict["Encoding"])
	c.texts = p.cmapOf(dict["ToUnicode"])
}

// loadSpans reads /W: "first [w w w]" and "first last w" in any order.
func (p *painter) loadSpans(c *composite, o pdf.Object) {
	w, err := p.d.Array(o)
	if p.failed(err) {
		return
	}
	if !p.spend(int64(16 * len(w))) {
		p.stop(errBytes)
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
			if !p.spend(int64(16 * len(list))) {
				p.stop(errBytes)
				return
			}
			s := span{from: uint32(first), to: uint32(first) + uint32(len(list)) - 1, widths: make([]float32, len(list))}
			for k, o := range list {
				v, err := p.d.Number(o)
				p.failed(err)
				s.widths[k] = float32(v / 1000)
			}
			if len(list) > 0 {
				c.spans = append(c.spans, s)
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
		c.spans = append(c.spans, span{from: uint32(first), to: uint32(last), width: float32(v / 1000)})
		i += 3
	}
	sort.SliceStable(c.spans, func(i, j int) bool { return c.spans[i].from < c.spans[j].from })
}

// loadCodes finds out how codes are cut and what glyphs they stand for.
func (p *painter) loadCodes(f *font, c *composite, o pdf.Object) {
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
			c.direct, f.rough = true, true
		default:
			c.mixed, f.rough = true, true
		}
	case *pdf.Stream:
		c.codes = p.cmapOf(v)
		if c.codes != nil {
			f.vertical = c.codes.vertical
			f.rough = f.rough || c.codes.partial
		}
	}
}

// code takes the next code off a string.
func (c *composite) code(s []byte) (code uint32, bytes int) {
	switch {
	case c.codes != nil:
		return c.codes.cut(s)
	case c.mixed && s[0] < 0x80, len(s) == 1:
		return uint32(s[0]), 1
	}
	return uint32(s[0])<<8 | uint32(s[1]), 2
}

// glyph looks up what a code of so many bytes stands for.
func (c *composite) glyph(f *font, code uint32, bytes int) glyph {
	g := glyph{code: code, bytes: bytes, rough: f.rough}
	switch {
	case c.texts != nil:
		g.text = c.texts.text(g.code)
	case c.direct:
		g.text = decodeUTF16([]byte{byte(g.code >> 8), byte(g.code)})
	case c.mixed && g.bytes == 1:
		g.text = latin[byte(g.code)]
	}
	g.space = blankText(g.text)
	cid := g.code
	if c.codes != nil {
		cid = c.codes.cid(g.code)
	}
	w := c.width(cid)
	if c.mixed && g.bytes == 1 {
		w = 0.5
	}
	if f.vertical {
		g.width = c.down
		g.box = pdf.Rect{LLX: -w / 2, LLY: f.descent - c.up, URX: w / 2, URY: f.ascent - c.up}
		return g
	}
	g.width = w
	g.box = pdf.Rect{LLX: min(0, w), LLY: f.descent, URX: max(0, w), URY: f.ascent}
	return g
}

func (c *composite) width(cid uint32) float64 {
	i := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].from > cid }) - 1
	if i < 0 || c.spans[i].to < cid {
		return c.other
	}
	if s := c.spans[i]; s.widths != nil {
		return float64(s.widths[cid-s.from])
	}
	return float64(c.spans[i].width)
}
