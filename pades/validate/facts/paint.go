package facts

import (
	"math"

	"segel/pdf"
)

// matrix maps (x, y) to (ax+cy+e, bx+dy+f).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// then is m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// box is what contains the rectangle once it is mapped.
func (m matrix) box(r pdf.Rect) pdf.Rect {
	out := pdf.Rect{LLX: math.Inf(1), LLY: math.Inf(1), URX: math.Inf(-1), URY: math.Inf(-1)}
	for _, x := range []float64{r.LLX, r.URX} {
		for _, y := range []float64{r.LLY, r.URY} {
			px, py := m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
			out.LLX, out.URX = min(out.LLX, px), max(out.URX, px)
			out.LLY, out.URY = min(out.LLY, py), max(out.URY, py)
		}
	}
	return out
}

// mark is something that is painted, in the order of painting.
type mark struct {
	box    pdf.Rect // default user space of the page
	text   bool     // or else an area that covers what is below
	hidden string   // why the text is not to be seen, as far as it says so itself
	white  bool     // painted white
	// picture is an image or a drawing; a drawing is no area that covers anything for sure.
	picture, drawing bool
}

// state is the part of the graphics state that matters here.
type state struct {
	ctm   matrix
	white bool
	clear bool // painted with less than full opacity
	mode  int  // of rendering text
	size  float64
	// leading is how far lines stand apart.
	leading float64
	scale   float64 // of text, horizontally
	hidden  bool    // within a layer that is off
}

// painter follows a page's content.
type painter struct {
	*hiding
	resources pdf.Dict
	state
	saved      []state
	text, line matrix
	path       []pdf.Rect
	outline    pdf.Rect // what contains the lines and curves of the path
	nested     []bool   // of marked content: whether it is a layer that is off
	depth      int
}

// Bounds of what one page may be made of. They are only reached where nobody could look through it by eye.
const (
	maxMarks  = 20_000
	maxSaved  = 256
	maxForms  = 5 // within one another
	maxNested = 256
)

func (p *painter) run(b []byte) {
	c := &content{b: b}
	for op := c.next(); op != ""; op = c.next() {
		if len(p.marks) >= maxMarks {
			p.unseen = true
			return
		}
		p.do(op, c)
	}
}

func (p *painter) do(op string, c *content) {
	switch op {
	case "q":
		if len(p.saved) < maxSaved {
			p.saved = append(p.saved, p.state)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			hidden := p.hidden
			p.state, p.saved = p.saved[n-1], p.saved[:n-1]
			p.hidden = hidden
		}
	case "cm":
		if v := c.numbers(6); v != nil {
			p.ctm = matrix(v).then(p.ctm)
		}
	case "gs":
		p.extended(c.lastName())
	case "g":
		p.colour(c.numbers(1), 1)
	case "rg":
		p.colour(c.numbers(3), 1)
	case "k":
		p.colour(c.numbers(4), 0)
	case "cs":
		p.white = false
	case "sc", "scn":
		if n := len(c.operands); n == 1 || n == 3 {
			p.colour(c.numbers(n), 1)
		} else if n == 4 {
			p.colour(c.numbers(4), 0)
		}
	case "m", "l":
		p.points(c.numbers(2))
	case "v", "y":
		p.points(c.numbers(4))
	case "c":
		p.points(c.numbers(6))
	case "re":
		if v := c.numbers(4); v != nil && len(p.path) >= 64 {
			p.points([]float64{v[0], v[1], v[0] + v[2], v[1] + v[3]})
		} else if v != nil {
			p.path = append(p.path, p.ctm.box(pdf.Rect{LLX: min(v[0], v[0]+v[2]), LLY: min(v[1], v[1]+v[3]), URX: max(v[0], v[0]+v[2]), URY: max(v[1], v[1]+v[3])}))
		}
	case "f", "F", "f*", "B", "B*", "b", "b*":
		for _, r := range p.path {
			p.cover(r)
		}
		if !p.outline.Empty() && !p.hidden {
			p.marks = append(p.marks, mark{box: p.outline, picture: true, drawing: true})
		}
		p.path, p.outline = p.path[:0], pdf.Rect{}
	case "n", "S", "s":
		p.path, p.outline = p.path[:0], pdf.Rect{}
	case "ID": // of an inline image, which was passed over
		p.image()
	case "Do":
		p.object(c.lastName())
	case "BDC":
		p.begin(c)
	case "BMC":
		p.push(false)
	case "EMC":
		if n := len(p.nested); n > 0 {
			p.nested = p.nested[:n-1]
			p.hidden = p.anyHidden()
		}
	default:
		p.show(op, c)
	}
}

// points extends the outline of the path.
func (p *painter) points(v []float64) {
	for i := 0; i+1 < len(v); i += 2 {
		at := p.ctm.box(pdf.Rect{LLX: v[i], LLY: v[i+1], URX: v[i], URY: v[i+1]})
		if o := &p.outline; *o == (pdf.Rect{}) {
			*o = at
		} else {
			*o = pdf.Rect{LLX: min(o.LLX, at.LLX), LLY: min(o.LLY, at.LLY), URX: max(o.URX, at.URX), URY: max(o.URY, at.URY)}
		}
	}
}

// colour notes whether all components are that of white.
func (p *painter) colour(v []float64, white float64) {
	p.white = len(v) > 0
	for _, x := range v {
		p.white = p.white && math.Abs(x-white) < 0.02
	}
}

// extended reads the opacity of a graphics state dictionary.
func (p *painter) extended(name pdf.Name) {
	states, _ := p.d.Dict(p.resources["ExtGState"])
	gs, _ := p.d.Dict(states[name])
	if ca, err := p.d.Number(gs["ca"]); err == nil && gs["ca"] != nil {
		p.clear = ca < 0.9
	}
	if mode, _ := p.d.Name(gs["BM"]); mode != "" && mode != "Normal" {
		p.clear = true
	}
}

// image paints the unit square (ISO 32000-2 §8.9.5.1).
func (p *painter) image() {
	white := p.white
	p.white = false
	if n := len(p.marks); !p.hidden {
		if p.cover(p.ctm.box(pdf.Rect{URX: 1, URY: 1})); len(p.marks) > n {
			p.marks[n].picture = true
		}
	}
	p.white = white
}

func (p *painter) cover(r pdf.Rect) {
	if !p.hidden && !p.clear {
		p.marks = append(p.marks, mark{box: r, white: p.white})
	}
}

// show follows the operators of text.
func (p *painter) show(op string, c *content) {
	switch op {
	case "BT":
		p.text, p.line = identity, identity
	case "Tf":
		if v := c.numbers(1); v != nil {
			p.size = v[0]
		}
	case "Tr":
		if v := c.numbers(1); v != nil {
			p.mode = int(v[0])
		}
	case "Tz":
		if v := c.numbers(1); v != nil {
			p.scale = v[0] / 100
		}
	case "Td", "TD":
		if v := c.numbers(2); v != nil {
			p.line = matrix{1, 0, 0, 1, v[0], v[1]}.then(p.line)
			p.text = p.line
			if op == "TD" {
				p.leading = -v[1]
			}
		}
	case "Tm":
		if v := c.numbers(6); v != nil {
			p.line = matrix(v)
			p.text = p.line
		}
	case "T*":
		p.newLine()
	case "TL":
		if v := c.numbers(1); v != nil {
			p.leading = v[0]
		}
	case "'", "\"":
		p.newLine()
		p.write(c.textLen())
	case "Tj", "TJ":
		p.write(c.textLen())
	}
}

func (p *painter) newLine() {
	p.line = matrix{1, 0, 0, 1, 0, -p.leading}.then(p.line)
	p.text = p.line
}

// write notes text of about that many letters. How wide letters are is guessed: half of their size.
func (p *painter) write(letters int) {
	if letters == 0 {
		return
	}
	width := float64(letters) * p.size * 0.5 * p.scale
	m := mark{text: true, white: p.white, box: p.text.then(p.ctm).box(pdf.Rect{LLY: min(0, p.size*0.7), URX: width, URY: max(0, p.size*0.7)})}
	switch {
	case p.hidden:
		m.hidden = "layer"
	case p.mode == 3 || p.mode == 7:
		m.hidden = "mode"
	case m.box.Height() < 0.5:
		m.hidden = "size"
	}
	p.marks = append(p.marks, m)
	p.text = matrix{1, 0, 0, 1, width, 0}.then(p.text)
}

// begin enters marked content, which may belong to a layer that is off.
func (p *painter) begin(c *content) {
	off := false
	if n := len(c.operands); n >= 2 && c.operands[0].name == "OC" && c.operands[n-1].kind == isName {
		properties, _ := p.d.Dict(p.resources["Properties"])
		off = p.off(properties[c.operands[n-1].name])
	}
	p.push(off)
}

func (p *painter) push(off bool) {
	if len(p.nested) < maxNested {
		p.nested = append(p.nested, off)
	}
	p.hidden = p.anyHidden()
}

func (p *painter) anyHidden() bool {
	for _, off := range p.nested {
		if off {
			return true
		}
	}
	return false
}

// object paints an image, or what a form paints.
func (p *painter) object(name pdf.Name) {
	objects, _ := p.d.Dict(p.resources["XObject"])
	st, err := p.d.Stream(objects[name])
	if err != nil || st == nil {
		return
	}
	off := p.off(st.Dict["OC"])
	switch kind, _ := p.d.Name(st.Dict["Subtype"]); kind {
	case "Image":
		if st.Dict["SMask"] == nil && st.Dict["Mask"] == nil && st.Dict["ImageMask"] == nil && !off {
			p.image()
		} else if !off && !p.hidden {
			p.marks = append(p.marks, mark{box: p.ctm.box(pdf.Rect{URX: 1, URY: 1}), picture: true, drawing: true})
		}
	case "Form":
		p.form(st, off)
	}
}

func (p *painter) form(st *pdf.Stream, off bool) {
	if p.depth >= maxForms {
		p.unseen = true
		return
	}
	b := p.decode(st)
	inner := &painter{hiding: p.hiding, resources: p.resources, state: p.state, depth: p.depth + 1, nested: []bool{p.hidden || off}}
	inner.hidden = p.hidden || off
	if r, err := p.d.Dict(st.Dict["Resources"]); err == nil && r != nil {
		inner.resources = r
	}
	if m, ok := numbersOf(p.d, st.Dict["Matrix"]); ok {
		inner.ctm = m.then(p.ctm)
	}
	inner.run(b)
}

// numbersOf reads a matrix.
func numbersOf(d *pdf.Document, o pdf.Object) (matrix, bool) {
	list, err := d.Array(o)
	if err != nil || len(list) != 6 {
		return identity, false
	}
	var m matrix
	for i, v := range list {
		n, err := d.Number(v)
		if err != nil {
			return identity, false
		}
		m[i] = n
	}
	return m, true
}
