package pdf

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// TextString encodes s as a text string: as it is if it is ASCII, else in
// UTF-16BE with its mark, which every reader knows (ISO 32000-1 §7.9.2.2).
func TextString(s string) String {
	ascii := true
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < 0x80 && (s[i] >= 0x20 || s[i] == '\n' || s[i] == '\r' || s[i] == '\t')
	}
	if ascii {
		return String{Bytes: []byte(s)}
	}
	b := []byte{0xFE, 0xFF}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return String{Bytes: b, Hex: true}
}

// Text decodes a text string: UTF-16 in either order or UTF-8 if a mark says
// so, else PDFDocEncoding. The result is valid UTF-8.
func (s String) Text() string {
	b := s.Bytes
	switch {
	case len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF:
		return decodeUTF16(b[2:], 0, 1)
	case len(b) >= 2 && b[0] == 0xFF && b[1] == 0xFE:
		return decodeUTF16(b[2:], 1, 0)
	case len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF:
		return strings.ToValidUTF8(string(b[3:]), "\uFFFD")
	}
	var out strings.Builder
	for _, c := range b {
		out.WriteRune(decodeDocChar(c))
	}
	return out.String()
}

func decodeUTF16(b []byte, high, low int) string {
	u := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		u = append(u, uint16(b[high])<<8|uint16(b[low]))
	}
	return string(utf16.Decode(u))
}

// decodeDocChar maps PDFDocEncoding, which is Latin-1 but for these two runs
// (ISO 32000-1 §D.2).
func decodeDocChar(c byte) rune {
	const (
		from18 = "\u02D8\u02C7\u02C6\u02D9\u02DD\u02DB\u02DA\u02DC"
		from80 = "\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203A\u2212\u2030\u201E\u201C\u201D\u2018" +
			"\u2019\u201A\u2122\uFB01\uFB02\u0141\u0152\u0160\u0178\u017D\u0131\u0142\u0153\u0161\u017E\uFFFD\u20AC"
	)
	switch {
	case c >= 0x18 && c <= 0x1F:
		return []rune(from18)[c-0x18]
	case c >= 0x80 && c <= 0xA0:
		return []rune(from80)[c-0x80]
	case c == 0x7F || c == 0xAD:
		return utf8.RuneError
	}
	return rune(c)
}
