package content

import (
	"bytes"

	"segel/pdf"
)

// operand is what stands before an operator. Arrays are opened and closed by operands of their own; dictionaries are
// left flat, nothing here asks for one.
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

// contentLexer reads a content stream operator by operator (ISO 32000-2 §7.8.2), and character maps, which are written
// alike. What it does not know it passes over, as readers do; err is set where it cannot go on.
type contentLexer struct {
	b        []byte
	pos      int
	operands []operand
	decoded  []byte // of the operands that were written in hexadecimal
	err      error
}

// nextOperator returns the next operator, with its operands in c.operands, or nil at the end. Operators are valid as long as
// the content, operands until the next call.
func (c *contentLexer) nextOperator() []byte {
	c.operands, c.decoded = c.operands[:0], c.decoded[:0]
	for c.pos < len(c.b) && c.err == nil {
		switch b := c.b[c.pos]; {
		case isBlank[b] || b == '{' || b == '}' || b == ')':
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
			c.pushOperand(operand{kind: isName, text: decodeName(c.readWord())})
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

// readWord reads the regular characters from here on. It may be empty behind a slash only.
func (c *contentLexer) readWord() []byte {
	start := c.pos
	for c.pos < len(c.b) && !isBlank[c.b[c.pos]] && !isDelimiter[c.b[c.pos]] {
		c.pos++
	}
	return c.b[start:c.pos]
}

// readHexString reads a hexadecimal string, or passes over a bracket of a dictionary.
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
		switch v := hexDigits[d]; {
		case v > 0xf: // white space, or what readers pass over
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

// readLiteral reads a string behind its parenthesis.
func (c *contentLexer) readLiteral() []byte {
	text, n := pdf.ReadLiteral(c.b[c.pos:])
	if n == 0 {
		c.pos, c.err = len(c.b), errString
	}
	c.pos += n
	return text
}

// skipImageData passes over the data of an inline image, up to an EI that looks like one: between white space, and followed by
// what content is made of (ISO 32000-2 §8.9.7). Data says nowhere how long it is.
func (c *contentLexer) skipImageData() {
	for ; c.pos+2 < len(c.b); c.pos++ {
		if !isBlank[c.b[c.pos]] || c.b[c.pos+1] != 'E' || c.b[c.pos+2] != 'I' {
			continue
		}
		rest := c.b[c.pos+3:]
		if len(rest) > 0 && !isBlank[rest[0]] || !isPrintable(rest[:min(len(rest), 12)]) {
			continue
		}
		c.pos += 3
		return
	}
	c.pos = len(c.b)
}

func isPrintable(b []byte) bool {
	for _, x := range b {
		if !isBlank[x] && (x < 0x20 || x > 0x7e) || x == 0 {
			return false
		}
	}
	return true
}

var isBlank, isDelimiter = byteSet("\x00\t\n\f\r "), byteSet("()<>[]{}/%")

func byteSet(members string) (t [256]bool) {
	for i := range len(members) {
		t[members[i]] = true
	}
	return t
}

// hexDigits are the values of hexadecimal digits; 0xff is none.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// decodeName decodes the #xx of a name.
func decodeName(b []byte) []byte {
	for i, x := range b {
		if x == '#' {
			return decodeNameFrom(b, i)
		}
	}
	return b
}

func decodeNameFrom(b []byte, i int) []byte {
	out := append([]byte(nil), b[:i]...)
	for ; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) {
			if high, low := hexDigits[b[i+1]], hexDigits[b[i+2]]; high <= 0xf && low <= 0xf {
				out = append(out, high<<4|low)
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// parseNumber reads a number as readers do: a second sign is passed over, a minus within digits ends it.
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

// lastNumbers puts the last operands into v, if there are as many and all are numbers.
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
