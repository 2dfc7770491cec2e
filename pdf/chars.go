package pdf

import "strconv"

// parseInteger parses an optional sign and up to 18 digits.
func parseInteger(b []byte) (int64, bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// parseReal parses digits with at most one point; PDF knows no exponents.
func parseReal(b []byte) (float64, bool) {
	digits, points := 0, 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		case (c == '-' || c == '+') && i == 0:
		default:
			return 0, false
		}
	}
	if points > 1 || digits == 0 && points == 0 {
		return 0, false
	}
	if digits == 0 {
		return 0, true // a lone point, written by some producers for zero
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

type charClass uint8

const (
	regular charClass = iota
	space
	delimiter
)

var (
	charClasses [256]charClass
	hexValues   [256]byte // 255 for what is no digit
)

func init() {
	for _, c := range "\x00\t\n\f\r " {
		charClasses[c] = space
	}
	for _, c := range "()<>[]{}/%" {
		charClasses[c] = delimiter
	}
	for i := range hexValues {
		hexValues[i] = 255
	}
	for i, c := range "0123456789abcdef" {
		hexValues[c] = byte(i)
	}
	for i, c := range "ABCDEF" {
		hexValues[c] = byte(i + 10)
	}
}
