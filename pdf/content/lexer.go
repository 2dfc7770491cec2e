package content

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math"

	"segel/pdf"
)

// operand is an operand of an operator. Arrays are opened and closed by separate operands; dictionaries are flattened,
// since no caller needs them.
type operand struct {
	kind   operandKind
	number float64
	text   []byte // of a name or string, decoded
}

type operandKind uint8

const (
	isNumber operandKind = iota + 1
	isName
	isString
	isKeyword // true, false or null
	isOpen
	isClose
)

// contentLexer reads a content stream operator by operator (ISO 32000-2 §7.8.2), and character maps, which have the
// same syntax. It skips what it does not know, as readers do; err is set where it cannot continue.
type contentLexer struct {
	b        []byte
	pos      int
	operands []operand
	decoded  []byte // of the operands that were written in hexadecimal
	err      error
}

// nextOperator returns the next operator, with its operands in c.operands, or nil at the end. Operators are valid as
// long as the content, operands until the next call.
func (c *contentLexer) nextOperator() []byte {
	c.operands, c.decoded = c.operands[:0], c.decoded[:0]
	for c.pos < len(c.b) && c.err == nil {
		switch b := c.b[c.pos]; {
		case pdf.IsSpace(b) || b == '{' || b == '}' || b == ')':
			c.pos++
		case b == '[':
			c.pos++
			c.pushOperand(operand{kind: isOpen})
		case b == ']':
			c.pos++
			c.pushOperand(operand{kind: isClose})
		case b == '%':
			c.skipComment()
		case b == '(':
			c.pos++
			c.pushOperand(operand{kind: isString, text: c.readLiteral()})
		case b == '<' || b == '>':
			c.readHexString(b)
		case b == '/':
			c.pos++
			c.pushOperand(operand{kind: isName, text: pdf.DecodeName(c.readWord())})
		default:
			w := c.readWord()
			n, ok := parseNumber(w)
			switch {
			case ok:
				c.pushOperand(operand{kind: isNumber, number: n})
			case string(w) == "true" || string(w) == "false" || string(w) == "null":
				c.pushOperand(operand{kind: isKeyword, text: w})
			default:
				return w
			}
		}
	}
	return nil
}

func (c *contentLexer) pushOperand(o operand) {
	if len(c.operands) >= maxOperands {
		c.err = errOperands
		return
	}
	c.operands = append(c.operands, o)
}

func (c *contentLexer) skipComment() {
	for c.pos < len(c.b) && c.b[c.pos] != '\n' && c.b[c.pos] != '\r' {
		c.pos++
	}
}

// readWord reads the regular characters from here on. The result may be empty after a slash only.
func (c *contentLexer) readWord() []byte {
	start := c.pos
	for c.pos < len(c.b) && pdf.IsRegular(c.b[c.pos]) {
		c.pos++
	}
	return c.b[start:c.pos]
}

// readHexString reads a hexadecimal string, or skips a bracket of a dictionary.
func (c *contentLexer) readHexString(b byte) {
	c.pos++
	if c.pos < len(c.b) && c.b[c.pos] == b {
		c.pos++
		return
	}
	if b == '>' {
		return
	}
	length := bytes.IndexByte(c.b[c.pos:], '>')
	if length < 0 {
		c.pos, c.err = len(c.b), errString
		return
	}
	from := len(c.decoded)
	half, high := false, byte(0)
	for _, d := range c.b[c.pos : c.pos+length] {
		switch v := pdf.HexValue(d); {
		case v > 0xf: // white space, or what readers skip
		case half:
			c.decoded, half = append(c.decoded, high|v), false
		default:
			high, half = v<<4, true
		}
	}
	if half {
		c.decoded = append(c.decoded, high)
	}
	c.pos += length + 1
	c.pushOperand(operand{kind: isString, text: c.decoded[from:len(c.decoded):len(c.decoded)]})
}

// readLiteral reads a string after its parenthesis.
func (c *contentLexer) readLiteral() []byte {
	text, n := pdf.ReadLiteral(c.b[c.pos:])
	if n == 0 {
		c.pos, c.err = len(c.b), errString
	}
	c.pos += n
	return text
}

// skipImageData skips the data of an inline image, up to an EI that looks like the end: between white space, and
// followed by what content consists of (ISO 32000-2 §8.9.7). The length of the data is not stated.
func (c *contentLexer) skipImageData() {
	for ; c.pos+2 < len(c.b); c.pos++ {
		if !pdf.IsSpace(c.b[c.pos]) || c.b[c.pos+1] != 'E' || c.b[c.pos+2] != 'I' {
			continue
		}
		rest := c.b[c.pos+3:]
		if len(rest) > 0 && !pdf.IsSpace(rest[0]) || !isPrintable(rest[:min(len(rest), 12)]) {
			continue
		}
		c.pos += 3
		return
	}
	c.pos = len(c.b)
}

func isPrintable(b []byte) bool {
	for _, x := range b {
		if !pdf.IsSpace(x) && (x < 0x20 || x > 0x7e) || x == 0 {
			return false
		}
	}
	return true
}

// parseNumber parses a number as readers do: further signs are ignored, a minus after digits ends it.
func parseNumber(b []byte) (float64, bool) {
	i, negative := 0, false
	for i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = negative || b[i] == '-'
		i++
	}
	v, place, digits, point := 0.0, 1.0, 0, false
	for ; i < len(b); i++ {
		switch {
		case b[i] >= '0' && b[i] <= '9' && !point:
			v = v*10 + float64(b[i]-'0')
			digits++
		case b[i] >= '0' && b[i] <= '9':
			place /= 10
			v += float64(b[i]-'0') * place
			digits++
		case b[i] == '.' && !point:
			point = true
		case b[i] == '-' && digits > 0:
			i = len(b)
		default:
			return 0, false
		}
	}
	if digits == 0 && !point {
		return 0, false
	}
	if negative {
		v = -v
	}
	return v, true
}

// lastNumbers copies the last operands into v, if there are enough and all are numbers.
func (c *contentLexer) lastNumbers(v []float64) bool {
	if len(c.operands) < len(v) {
		return false
	}
	for i, o := range c.operands[len(c.operands)-len(v):] {
		if o.kind != isNumber {
			return false
		}
		v[i] = o.number
	}
	return true
}

// lastName returns the last operand if it is a name.
func (c *contentLexer) lastName() string {
	if n := len(c.operands); n > 0 && c.operands[n-1].kind == isName {
		return string(c.operands[n-1].text)
	}
	return ""
}

var errInline = errors.New("inline image whose end is ambiguous")

// skipInlineImage skips the data of an inline image after ID, up to and including EI, and returns it. The entries do
// not state how long the data is (ISO 32000-2 §8.9.7). Some readers search for an EI that looks like the end, others
// compute the end from the entries. Where the two differ, one kind of reader sees content that the other takes for
// data, so what follows is not known.
func (p *interpreter) skipInlineImage(entries []operand, c *contentLexer) []byte {
	from := c.pos
	c.skipImageData()
	end := c.pos
	switch n, known := p.measureInline(parseInlineEntries(entries), c.b[from:]); {
	case known:
		if c.pos = min(from+n, len(c.b)); c.pos > from {
			c.pos-- // the search begins with the white space before EI
		}
		if c.skipImageData(); c.pos != end {
			p.noteIncomplete(Limit, errInline)
			c.pos = max(c.pos, end)
		}
	case p.cover != nil || p.HasVaryingLayers():
		p.noteIncomplete(Limit, errInline)
	}
	return c.b[from:c.pos]
}

// parseInlineEntries returns the operands of each entry by its full name. It returns nil if one is stated twice, since
// readers disagree on which counts. The brackets of a dictionary are not among the operands: its keys count as entries
// unless the image has one of that name.
func parseInlineEntries(list []operand) map[string][]operand {
	entries := map[string][]operand{}
	inParameters := false
	for i := 0; i < len(list); {
		if list[i].kind != isName {
			i++
			continue
		}
		key := string(list[i].text)
		if name, short := inlineKeys[key]; short {
			key = name
		}
		i++
		from, depth := i, 0
		for i < len(list) {
			switch list[i].kind {
			case isOpen:
				depth++
			case isClose:
				depth--
			}
			if i++; depth <= 0 {
				break
			}
		}
		_, twice := entries[key]
		if twice && !inParameters {
			return nil
		}
		inParameters = inParameters || key == "DecodeParms"
		if !twice {
			entries[key] = list[from:i]
		}
	}
	return entries
}

// inlineKeys are the abbreviated names of entries (ISO 32000-2 Table 91).
var inlineKeys = map[string]string{
	"BPC": "BitsPerComponent", "CS": "ColorSpace", "D": "Decode", "DP": "DecodeParms", "F": "Filter", "H": "Height", "IM": "ImageMask", "W": "Width",
}

// measureInline returns how many bytes after ID the data of an inline image takes, with the white space before it.
func (p *interpreter) measureInline(entries map[string][]operand, b []byte) (n int, known bool) {
	if len(b) == 0 || entries == nil {
		return 0, false
	}
	const space = 1 // behind ID
	filters := entries["Filter"]
	for len(filters) > 0 && filters[0].kind == isOpen {
		filters = filters[1:]
	}
	if len(filters) == 0 || filters[0].kind == isClose {
		n, known = p.measurePlain(entries)
		return n + space, known
	}
	data := b[space:]
	searched := len(data) // if it has no end
	switch string(filters[0].text) {
	case "AHx", "ASCIIHexDecode":
		n = bytes.IndexByte(data, '>') + 1
	case "A85", "ASCII85Decode":
		if n = bytes.Index(data, []byte("~>")) + 2; n < 2 {
			n = 0
		}
	case "Fl", "FlateDecode":
		n, searched = p.measureDeflated(data)
	case "RL", "RunLengthDecode":
		n = measureRunLength(data)
	default:
		return 0, false
	}
	// The next image may be searched to the same place, so this counts for each.
	if n == 0 && !p.spendBytes(int64(searched)) {
		p.stopAtLimit(errBytes)
	}
	return n + space, n > 0
}

// measurePlain returns the length of uncompressed data.
func (p *interpreter) measurePlain(entries map[string][]operand) (n int, known bool) {
	number := func(key string) float64 {
		if v := entries[key]; len(v) == 1 && v[0].kind == isNumber {
			return v[0].number
		}
		return 0
	}
	bits, components := number("BitsPerComponent"), 0.0
	mask := entries["ImageMask"]
	switch space := entries["ColorSpace"]; {
	case len(mask) == 1 && string(mask[0].text) == "true":
		bits, components = 1, 1
	case len(space) > 1 && space[0].kind == isOpen: // indexed
		components = 1
	case len(space) == 1 && space[0].kind == isName:
		components = p.countInlineComponents(pdf.Name(space[0].text))
	}
	row := math.Ceil(number("Width") * bits * components / 8)
	size := row * number("Height")
	if !(size > 0 && size < math.MaxInt32) {
		return 0, false
	}
	return int(size), true
}

// countInlineComponents counts the components of a colour space of an inline image; 0 is unknown.
func (p *interpreter) countInlineComponents(name pdf.Name) float64 {
	switch name {
	case "G", "DeviceGray", "CalGray":
		return 1
	case "RGB", "DeviceRGB", "CalRGB":
		return 3
	case "CMYK", "DeviceCMYK":
		return 4
	}
	o := p.findResource("ColorSpace", name)
	if n := p.countComponents(o); n > 0 {
		return float64(n)
	}
	list, err := p.d.Array(o)
	if err != nil || len(list) == 0 {
		return 0
	}
	switch family, _ := p.d.Name(list[0]); family {
	case "Indexed", "I", "Separation":
		return 1
	case "Lab":
		return 3
	}
	return 0
}

// measureDeflated returns the length of compressed data, or 0 if it is damaged, and how many bytes were read.
func (p *interpreter) measureDeflated(b []byte) (n, read int) {
	src := bytes.NewReader(b) // zlib reads no byte ahead of an io.ByteReader
	z, err := zlib.NewReader(src)
	if err == nil {
		var size int64
		size, err = io.Copy(io.Discard, io.LimitReader(z, max(p.bytes, 0)+1))
		if !p.spendBytes(size) {
			err = errBytes
		}
	}
	read = len(b) - src.Len()
	if err != nil {
		return 0, read
	}
	return read, read
}

// measureRunLength returns the length of run-length data, with its end (ISO 32000-2 §7.4.5); 0 if it has none.
func measureRunLength(b []byte) int {
	for i := 0; i < len(b); {
		switch n := int(b[i]); {
		case n == 128:
			return i + 1
		case n < 128:
			i += n + 2
		default:
			i += 2
		}
	}
	return 0
}
