package facts

import (
	"strconv"

	"segel/pdf"
)

// operands are what stands before an operator of a content stream: numbers, names and strings; of arrays their strings
// and numbers in a row. All else is left out.
type operand struct {
	number float64
	name   pdf.Name
	text   int // bytes of a string
	kind   byte
}

const (
	isNumber = 'n'
	isName   = '/'
	isText   = 't'
)

// maxOperands bounds what is remembered before one operator.
const maxOperands = 512

// content reads a content stream operator by operator (ISO 32000-2 §7.8.2). It never fails: what it does not know it
// passes over, and what it cannot read ends it.
type content struct {
	b        []byte
	pos      int
	operands []operand
}

// next returns the next operator, with its operands in c.operands, or "" at the end.
func (c *content) next() string {
	c.operands = c.operands[:0]
	for c.pos < len(c.b) {
		switch b := c.b[c.pos]; {
		case isBlank(b) || b == '[' || b == ']' || b == '{' || b == '}' || b == ')':
			c.pos++
		case b == '%':
			for c.pos < len(c.b) && c.b[c.pos] != '\n' && c.b[c.pos] != '\r' {
				c.pos++
			}
		case b == '(':
			c.push(operand{text: c.literal(), kind: isText})
		case b == '<' || b == '>':
			if c.pos+1 < len(c.b) && c.b[c.pos+1] == b {
				c.pos += 2 // of a dictionary
				continue
			}
			c.push(operand{text: c.digits(), kind: isText})
		case b == '/':
			c.pos++
			c.push(operand{name: pdf.Name(c.word()), kind: isName})
		default:
			word := c.word()
			if n, err := strconv.ParseFloat(word, 64); err == nil && len(word) < 40 {
				c.push(operand{number: n, kind: isNumber})
				continue
			}
			if word == "ID" {
				c.image()
			}
			return word
		}
	}
	return ""
}

func (c *content) push(o operand) {
	if len(c.operands) < maxOperands {
		c.operands = append(c.operands, o)
	}
}

// word reads up to a delimiter; it takes one byte at least.
func (c *content) word() string {
	start := c.pos
	for c.pos < len(c.b) && !isBlank(c.b[c.pos]) && !isDelimiter(c.b[c.pos]) {
		c.pos++
	}
	if c.pos == start && c.pos < len(c.b) && !isDelimiter(c.b[c.pos]) && !isBlank(c.b[c.pos]) {
		c.pos++
	}
	return string(c.b[start:c.pos])
}

// literal passes over a string in parentheses and returns about how many bytes it has.
func (c *content) literal() int {
	depth, n := 0, 0
	for ; c.pos < len(c.b); c.pos++ {
		switch c.b[c.pos] {
		case '\\':
			c.pos++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				c.pos++
				return n - 1
			}
		}
		n++
	}
	return n
}

func (c *content) digits() int {
	n := 0
	for c.pos++; c.pos < len(c.b); c.pos++ {
		if c.b[c.pos] == '>' {
			c.pos++
			break
		}
		n++
	}
	return (n + 1) / 2
}

// image passes over the data of an inline image, up to EI between blanks (ISO 32000-2 §8.9.7).
func (c *content) image() {
	for ; c.pos+3 < len(c.b); c.pos++ {
		if isBlank(c.b[c.pos]) && c.b[c.pos+1] == 'E' && c.b[c.pos+2] == 'I' && isBlank(c.b[c.pos+3]) {
			c.pos += 3
			return
		}
	}
	c.pos = len(c.b)
}

func isBlank(b byte) bool {
	return b == 0 || b == '\t' || b == '\n' || b == '\f' || b == '\r' || b == ' '
}

func isDelimiter(b byte) bool {
	switch b {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// numbers returns the last n operands if all are numbers.
func (c *content) numbers(n int) []float64 {
	if len(c.operands) < n {
		return nil
	}
	all := make([]float64, 0, 6)
	for _, o := range c.operands[len(c.operands)-n:] {
		if o.kind != isNumber {
			return nil
		}
		all = append(all, o.number)
	}
	return all
}

// lastName returns the last operand if it is a name.
func (c *content) lastName() pdf.Name {
	if n := len(c.operands); n > 0 && c.operands[n-1].kind == isName {
		return c.operands[n-1].name
	}
	return ""
}

// textLen adds up the bytes of all strings.
func (c *content) textLen() int {
	n := 0
	for _, o := range c.operands {
		n += o.text
	}
	return n
}
