package content

import (
	"sort"
	"unicode/utf16"
	"unicode/utf8"

	"segel/pdf"
)

// cmap is a character map: how codes are cut from a string, and what they stand for (ISO 32000-2 §9.7.5, §9.10.3).
type cmap struct {
	spaces   []codespace
	cids     []cidRange
	texts    []textRange
	vertical bool
	partial  bool // it is based on another that is not here
}

type codespace struct {
	bytes    int
	from, to uint32
}

type cidRange struct{ from, to, cid uint32 }

type textRange struct {
	from, to uint32
	text     string // of the first; the others count on from its last letter
}

// readCMap reads a character map; nil if there is none, or a name that stands for no more than the codes.
func (p *interpreter) readCMap(o pdf.Object) *cmap {
	v, err := p.d.Resolve(o)
	if p.failed(err) {
		return nil
	}
	st, ok := v.(*pdf.Stream)
	if !ok {
		return nil
	}
	b := p.decodeStream(st)
	if p.stopped || !p.spendBytes(4*int64(len(b))) {
		p.stopAtLimit(errBytes)
		return nil
	}
	m := parseCMap(b)
	if st.Dict["UseCMap"] != nil {
		m.partial = true
	}
	if st.Dict["WMode"] != nil {
		mode, err := p.d.Integer(st.Dict["WMode"])
		m.vertical = !p.failed(err) && mode == 1
	}
	return m
}

func parseCMap(b []byte) *cmap {
	m := &cmap{}
	c := &contentLexer{b: b}
	for op := c.nextOperator(); op != nil; op = c.nextOperator() {
		o := c.operands
		switch string(op) {
		case "endcodespacerange":
			for i := 0; i+1 < len(o); i += 2 {
				if n := len(o[i].text); n >= 1 && n <= 4 && n == len(o[i+1].text) {
					m.spaces = append(m.spaces, codespace{n, decodeCode(o[i].text), decodeCode(o[i+1].text)})
				}
			}
		case "endcidrange":
			for i := 0; i+2 < len(o); i += 3 {
				m.addCID(decodeCode(o[i].text), decodeCode(o[i+1].text), o[i+2])
			}
		case "endcidchar":
			for i := 0; i+1 < len(o); i += 2 {
				m.addCID(decodeCode(o[i].text), decodeCode(o[i].text), o[i+1])
			}
		case "endbfchar":
			for i := 0; i+1 < len(o); i += 2 {
				m.addText(decodeCode(o[i].text), decodeCode(o[i].text), o[i+1])
			}
		case "endbfrange":
			m.addRanges(o)
		case "usecmap":
			m.partial = true
		case "def":
			if n := len(o); n == 2 && o[0].kind == isName && string(o[0].text) == "WMode" {
				m.vertical = o[1].number == 1
			}
		}
	}
	sort.SliceStable(m.cids, func(i, j int) bool { return m.cids[i].from < m.cids[j].from })
	sort.SliceStable(m.texts, func(i, j int) bool { return m.texts[i].from < m.texts[j].from })
	return m
}

// addRanges reads what stands before endbfrange: "from to text", or "from to [text text ...]".
func (m *cmap) addRanges(o []operand) {
	for i := 0; i+2 < len(o); {
		from, to := decodeCode(o[i].text), decodeCode(o[i+1].text)
		i += 2
		if o[i].kind != isOpen {
			m.addText(from, to, o[i])
			i++
			continue
		}
		for i++; i < len(o) && o[i].kind != isClose; i++ {
			m.addText(from, from, o[i])
			from++
		}
		i++
	}
}

func (m *cmap) addCID(from, to uint32, o operand) {
	if o.kind == isNumber && from <= to && o.number >= 0 && o.number < 1<<24 {
		m.cids = append(m.cids, cidRange{from, to, uint32(o.number)})
	}
}

func (m *cmap) addText(from, to uint32, o operand) {
	if o.kind == isString && from <= to {
		m.texts = append(m.texts, textRange{from, to, decodeUTF16(o.text[:min(len(o.text), 32)])})
	}
}

// decodeCode is the number that up to four bytes stand for.
func decodeCode(b []byte) uint32 {
	var v uint32
	for _, x := range b[:min(len(b), 4)] {
		v = v<<8 | uint32(x)
	}
	return v
}

// nextCode takes the next code off a string: the shortest that lies in a code space, or else two bytes.
func (m *cmap) nextCode(s []byte) (c uint32, bytes int) {
	for n := 1; n <= min(4, len(s)); n++ {
		c := decodeCode(s[:n])
		for _, space := range m.spaces[:min(len(m.spaces), maxSpaces)] {
			if space.bytes == n && isInCodespace(c, space, n) {
				return c, n
			}
		}
	}
	n := min(2, len(s))
	if len(m.spaces) > 0 {
		n = min(m.spaces[0].bytes, len(s))
	}
	return decodeCode(s[:n]), n
}

// maxSpaces bounds the code spaces that are tried; real maps have up to eight.
const maxSpaces = 32

// isInCodespace reports whether each byte of a code lies between those of the ends.
func isInCodespace(c uint32, s codespace, n int) bool {
	for i := range n {
		b, from, to := byte(c>>(8*i)), byte(s.from>>(8*i)), byte(s.to>>(8*i))
		if b < from || b > to {
			return false
		}
	}
	return true
}

func (m *cmap) cidOf(c uint32) uint32 {
	i := sort.Search(len(m.cids), func(i int) bool { return m.cids[i].from > c }) - 1
	if i < 0 || m.cids[i].to < c {
		if m.partial {
			return c
		}
		return 0
	}
	return m.cids[i].cid + c - m.cids[i].from
}

func (m *cmap) textOf(c uint32) string {
	i := sort.Search(len(m.texts), func(i int) bool { return m.texts[i].from > c }) - 1
	if i < 0 || m.texts[i].to < c {
		return ""
	}
	t := m.texts[i]
	if c == t.from || t.text == "" {
		return t.text
	}
	last, size := utf8.DecodeLastRuneInString(t.text)
	return t.text[:len(t.text)-size] + string(last+rune(c-t.from))
}

func decodeUTF16(b []byte) string {
	if len(b) == 1 {
		return string(rune(b[0]))
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units))
}
