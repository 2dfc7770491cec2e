package intake

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// class is the role of a byte in base64.
type class byte

// The classes. Bytes outside the alphabets are invalid.
const (
	notBase64 class = iota
	common          // in both alphabets
	standard        // + and /
	urlSafe         // - and _
	blank           // white space, skipped
	padding
)

// classes maps every byte to its class.
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

// squeezeSlow appends the base64 of raw to the chars that are left, in the standard alphabet, and returns their new
// number.
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

// addChar adds one character after the prefix, which takes width bytes of the body.
func (d *decoder) addChar(c byte, width, n int, at int64) (int, error) {
	switch classes[c] {
	case blank:
		d.blanks += int64(width)
		return n, nil
	case padding:
		// Only the third and fourth characters of a group can be padding.
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

// unescape decodes the JSON escape at the start of raw and returns its byte and its length. Characters above 7f yield
// an invalid byte: base64 does not distinguish them.
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

// hex4 decodes four hexadecimal digits.
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

// prefix is the start of the string, until it is known whether it is that of a data URL.
type prefix struct {
	done bool
	head []byte // what was read of it; at most maxPrefix bytes
}

// maxPrefix bounds the part of a data URL before its comma.
const maxPrefix = 512

// dataScheme starts a data URL. Its letters are valid base64 too; its colon is not.
const dataScheme = "data:"

// addPrefix adds one character to the prefix. As soon as it cannot be a data URL any more, it is decoded as base64.
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

// endPrefix decodes a prefix that is not a data URL as base64.
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

// toLower maps an ASCII capital letter to lower case.
func toLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// toStandard maps base64 to the standard alphabet.
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

// toURL maps base64 to the URL alphabet.
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

// allBase64 reports whether all bytes are in one of the alphabets.
func allBase64(chars []byte) bool {
	for _, c := range chars {
		if k := classes[c]; k != common && k != standard && k != urlSafe {
			return false
		}
	}
	return true
}
