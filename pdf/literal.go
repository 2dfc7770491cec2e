package pdf

import "bytes"

// ReadLiteral reads a literal string (ISO 32000-2 §7.3.4.2) from behind its opening parenthesis. It returns what the
// string means, a part of b unless there are escapes in it, and how many bytes it takes with the closing parenthesis: 0
// if it has no end.
func ReadLiteral(b []byte) (text []byte, n int) {
	var l literalScanner
	n, ended := l.scanPiece(b)
	if !ended {
		return nil, 0
	}
	text = b[:n-1]
	if l.escapes {
		text = decodeEscapes(bytes.Clone(text))
	}
	return text, n
}

// literalScanner looks for the end of a string that comes piece by piece. The zero value is just behind the opening
// parenthesis.
type literalScanner struct {
	depth     int  // of further parentheses
	backslash bool // a backslash was the last byte
	escapes   bool // what the string means is not what is written there
}

// specialInLiteral tells bytes that mean more than themselves in a string.
var specialInLiteral = [256]bool{'(': true, ')': true, '\\': true, '\r': true}

// scanPiece goes through the next piece and returns how much of it belongs to the string, and whether that was its end.
func (l *literalScanner) scanPiece(b []byte) (n int, ended bool) {
	for i, c := range b {
		if l.backslash {
			l.backslash = false
			continue
		}
		if !specialInLiteral[c] {
			continue
		}
		switch c {
		case '(':
			l.depth++
		case ')':
			if l.depth--; l.depth < 0 {
				return i + 1, true
			}
		case '\\':
			l.backslash, l.escapes = true, true
		default:
			l.escapes = true
		}
	}
	return len(b), false
}

// decodeEscapes turns what is between the parentheses of a string into what it means, in place.
func decodeEscapes(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch c {
		case '\r':
			// An end of line in a string is one line feed, however it is written.
			if i+1 < len(b) && b[i+1] == '\n' {
				i++
			}
			c = '\n'
		case '\\':
			var keep bool
			var n int
			if c, keep, n = decodeEscape(b[i+1:]); !keep {
				i += n
				continue
			}
			i += n
		}
		out = append(out, c)
	}
	return out
}

// decodeEscape reads the n bytes that belong to a backslash before them; keep is false for a line continuation.
func decodeEscape(b []byte) (c byte, keep bool, n int) {
	if len(b) == 0 {
		return 0, false, 0
	}
	switch c = b[0]; c {
	case 'n':
		return '\n', true, 1
	case 'r':
		return '\r', true, 1
	case 't':
		return '\t', true, 1
	case 'b':
		return '\b', true, 1
	case 'f':
		return '\f', true, 1
	case '\n':
		return 0, false, 1
	case '\r':
		if len(b) > 1 && b[1] == '\n' {
			return 0, false, 2
		}
		return 0, false, 1
	}
	if c < '0' || c > '7' {
		return c, true, 1
	}
	v := 0
	for n < min(len(b), 3) && b[n] >= '0' && b[n] <= '7' {
		v = v<<3 | int(b[n]-'0')
		n++
	}
	return byte(v), true, n // high-order overflow is ignored
}
