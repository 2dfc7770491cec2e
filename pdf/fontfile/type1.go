package fontfile

import (
	"bytes"
	"strconv"
)

// parseType1 reads the names of the glyphs, their outlines and the encoding of a Type 1 font program, in segments or
// not.
func parseType1(file []byte) (*Font, error) {
	b := removeSegments(file)
	clear, hidden, ok := bytes.Cut(b, []byte("eexec"))
	if !ok {
		return nil, ErrUnknown
	}
	f := &Font{}
	glyphs := f.readCharStrings(decryptPrivate(decodeHex(bytes.TrimLeft(hidden, " \t\r\n")), eexecKey))
	f.entries = len(glyphs)
	f.outlines = func(glyph int) []byte {
		if glyph < 0 || glyph >= len(glyphs) {
			return nil
		}
		return glyphs[glyph]
	}
	numbers := make(map[string]int, len(f.names))
	for glyph, name := range f.names {
		numbers[name] = glyph
	}
	f.codes = map[byte]int{}
	if hasStandardEncoding(clear) {
		for c := range rune(128) {
			if glyph, known := numbers[asciiName(c)]; known && asciiName(c) != "" {
				f.codes[byte(c)] = glyph
			}
		}
		return f, nil
	}
	_, list, _ := bytes.Cut(clear, []byte("/Encoding"))
	words := bytes.Fields(list[:min(len(list), maxEncoding)])
	for i := 0; i+3 < len(words); i++ {
		// dup 65 /A put
		if string(words[i]) != "dup" || len(words[i+2]) < 2 || words[i+2][0] != '/' {
			if string(words[i]) == "def" {
				break
			}
			continue
		}
		code, err := strconv.ParseUint(string(words[i+1]), 10, 8)
		if glyph, known := numbers[string(words[i+2][1:])]; err == nil && known {
			f.codes[byte(code)] = glyph
		}
	}
	return f, nil
}

// maxEncoding bounds the text of an encoding vector.
const maxEncoding = 64 << 10

func hasStandardEncoding(clear []byte) bool {
	_, after, found := bytes.Cut(clear, []byte("/Encoding"))
	return found && bytes.HasPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte("StandardEncoding"))
}

// removeSegments removes the segment headers of a PFB file.
func removeSegments(file []byte) []byte {
	if file[0] != 0x80 {
		return file
	}
	var out []byte
	for len(file) >= 6 && file[0] == 0x80 && (file[1] == 1 || file[1] == 2) {
		n := int(file[2]) | int(file[3])<<8 | int(file[4])<<16 | int(file[5])<<24
		n = min(n, len(file)-6)
		out = append(out, file[6:6+n]...)
		file = file[6+n:]
	}
	return out
}

// decodeHex decodes the private part if it is hexadecimal: its first four bytes are digits then.
func decodeHex(b []byte) []byte {
	digit := func(c byte) (byte, bool) {
		switch {
		case c >= '0' && c <= '9':
			return c - '0', true
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			return c | 0x20 - 'a' + 10, true
		}
		return 0, false
	}
	for _, c := range b[:min(4, len(b))] {
		if _, ok := digit(c); !ok {
			return b
		}
	}
	out := make([]byte, 0, len(b)/2)
	half, high := false, byte(0)
	for _, c := range b {
		d, ok := digit(c)
		switch {
		case !ok:
		case half:
			out, half = append(out, high<<4|d), false
		default:
			high, half = d, true
		}
	}
	return out
}

// Keys of the two encryptions of a Type 1 font program.
const (
	eexecKey      = 55665
	charStringKey = 4330
)

// decryptPrivate decrypts a part of the program, whose first four bytes are random.
func decryptPrivate(b []byte, key uint16) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = c ^ byte(key>>8)
		key = (uint16(c)+key)*52845 + 22719
	}
	return out[min(4, len(out)):]
}

// readCharStrings reads the dictionary of glyphs: "/name length RD bytes ND".
func (f *Font) readCharStrings(b []byte) [][]byte {
	_, b, _ = bytes.Cut(b, []byte("/CharStrings"))
	var glyphs [][]byte
	for len(glyphs) < maxGlyphs {
		at := bytes.IndexByte(b, '/')
		if at < 0 {
			break
		}
		b = b[at+1:]
		name, rest := nextWord(b)
		length, rest := nextWord(rest)
		_, rest = nextWord(rest) // RD, or -|
		n, err := strconv.Atoi(string(length))
		if err != nil || n < 0 || n+1 > len(rest) || len(name) == 0 {
			continue
		}
		f.names = append(f.names, string(name))
		glyphs = append(glyphs, decryptPrivate(rest[1:1+n], charStringKey)) // behind one space
		b = rest[1+n:]
	}
	return glyphs
}

// nextWord returns the next word and the rest.
func nextWord(b []byte) (w, rest []byte) {
	b = bytes.TrimLeft(b, " \t\r\n")
	end := bytes.IndexAny(b, " \t\r\n/")
	if end < 0 {
		end = len(b)
	}
	return b[:end], b[end:]
}
