package intake

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// class is what a character means to base64.
type class byte

// The classes. Bytes that are in no alphabet are strange.
const (
	notBase64 class = iota
	common          // in both alphabets
	standard        // + and /
	urlSafe         // - and _
	blank           // white space, passed over
	padding
)

// classes sorts every byte.
var classes = func() (t [256]class) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") {
		t[c] = common
	}
	t['+'], t['/'] = standard, standard
	t['-'], t['_'] = urlSafe, urlSafe
	t[' '], t['\t'], t['\r'], t['\n'] = blank, blank, blank, blank
	t['='] = padding
	return t
}()

// squeezeSlow appends the base64 of raw to the chars that are left, in the standard alphabet, and returns how
// many there are then.
func (d *decoder) squeezeSlow(raw []byte, offset int64) (n int, err error) {
	n = d.left
	toStandard(d.chars[:n])
	for i := 0; i < len(raw); {
		c, width, at := raw[i], 1, offset+int64(i)
		if c < ' ' {
			return 0, &Error{Kind: Malformed, Offset: at, Reason: "a control character stands bare in a string"}
		}
		if c == '\\' {
			if c, width, err = unescape(raw[i:], at); err != nil {
				return 0, err
			}
		}
		i += width
		if !d.prefix.done {
			if n, err = d.addPrefix(c, width, n, at); err != nil {
				return 0, err
			}
			continue
		}
		if n, err = d.addChar(c, width, n, at); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// addChar takes one character behind the prefix, which took width bytes of the body.
func (d *decoder) addChar(c byte, width, n int, at int64) (int, error) {
	switch classes[c] {
	case blank:
		d.blanks += int64(width)
		return n, nil
	case padding:
		// Only the third and the fourth character of a group can be padding.
		if d.pads++; d.pads > 2 || n%4 < 2 {
			return 0, badBase64(at, "padding stands where none belongs")
		}
		return n, nil
	case urlSafe:
		d.fast = base64.RawURLEncoding
		if c == '-' {
			c = '+'
		} else {
			c = '/'
		}
	case standard:
		d.fast = base64.RawStdEncoding
	case notBase64:
		return 0, badBase64(at, "a character is not of base64")
	}
	if d.pads > 0 {
		return 0, badBase64(at, "something follows the padding")
	}
	d.chars[n] = c
	return n + 1, nil
}

// unescape reads the JSON escape that raw begins with and returns the byte it stands for and how long it is.
// Characters above 7f come back as a strange byte: they are all the same to base64.
func unescape(raw []byte, at int64) (c byte, width int, err error) {
	if len(raw) == 1 {
		// The quote that ended the string was escaped, or the backslash was.
		return 0, 0, badBase64(at, "a character is not of base64")
	}
	switch raw[1] {
	case '/', '\\':
		return raw[1], 2, nil
	case 'n':
		return '\n', 2, nil
	case 'r':
		return '\r', 2, nil
	case 't':
		return '\t', 2, nil
	case 'b', 'f':
		return 0, 2, nil
	case 'u':
		if r, ok := hex4(raw[2:]); ok {
			return byte(min(r, utf8.RuneSelf)), 6, nil
		}
	}
	return 0, 0, &Error{Kind: Malformed, Offset: at, Reason: "an escape in a string is none"}
}

// hex4 reads four hexadecimal digits.
func hex4(raw []byte) (v rune, ok bool) {
	if len(raw) < 4 {
		return 0, false
	}
	for _, c := range raw[:4] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 || c < '0' {
			return 0, false
		}
		v = v<<4 | rune(digit)
	}
	return v, true
}

// prefix is the beginning of the string, until it is known whether it leads a data URL.
type prefix struct {
	done bool
	head []byte // what was read of it; bounded by maxPrefix
}

// maxPrefix bounds the part of a data URL before its comma.
const maxPrefix = 512

// dataScheme begins a data URL. Its letters are base64 as well; its colon is not.
const dataScheme = "data:"

// addPrefix takes one character of the beginning. As soon as the beginning is no data URL, it is base64.
func (d *decoder) addPrefix(c byte, width, n int, at int64) (int, error) {
	p := &d.prefix
	if len(p.head) == 0 && classes[c] == blank {
		d.blanks += int64(width)
		return n, nil
	}
	if i := len(p.head); i < len(dataScheme) && toLower(c) != dataScheme[i] {
		n, err := d.endPrefix(n, at)
		if err != nil {
			return 0, err
		}
		return d.addChar(c, width, n, at)
	}
	if c == ',' {
		p.done = true
		if !bytes.HasSuffix(bytes.ToLower(p.head), []byte(";base64")) {
			return 0, badBase64(at, "the data URL is not of base64")
		}
		return n, nil
	}
	if len(p.head) == maxPrefix {
		return 0, badBase64(at, "the data URL has no comma")
	}
	p.head = append(p.head, c)
	return n, nil
}

// endPrefix turns a beginning that leads no data URL into base64.
func (d *decoder) endPrefix(n int, at int64) (int, error) {
	p := &d.prefix
	if p.done {
		return n, nil
	}
	if len(p.head) >= len(dataScheme) {
		return 0, badBase64(at, "the data URL has no comma")
	}
	p.done = true
	return n + copy(d.chars[n:], p.head), nil
}

// toLower turns a capital letter of ASCII into a small one.
func toLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// toStandard puts base64 into the standard alphabet.
func toStandard(chars []byte) {
	for i, c := range chars {
		switch c {
		case '-':
			chars[i] = '+'
		case '_':
			chars[i] = '/'
		}
	}
}

// toURL puts base64 into the URL alphabet.
func toURL(chars []byte) {
	for i, c := range chars {
		switch c {
		case '+':
			chars[i] = '-'
		case '/':
			chars[i] = '_'
		}
	}
}

// allBase64 reports whether all are of one of the alphabets.
func allBase64(chars []byte) bool {
	for _, c := range chars {
		if k := classes[c]; k != common && k != standard && k != urlSafe {
			return false
		}
	}
	return true
}
