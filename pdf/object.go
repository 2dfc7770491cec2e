package pdf

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Object is one of Null, Boolean, Integer, Real, Name, String, Array, Dict, *Stream and Ref, or, in objects to be
// written only, *Hole. A nil Object, which a Dict returns for a missing key, stands for Null.
//
// Objects returned by a Document are shared with its cache: they must not be changed. Objects returned by an Update may
// be changed by the caller.
type Object interface{ isObject() }

// Null is the null object.
type Null struct{}

// Boolean is true or false.
type Boolean bool

// Integer is a number written without a decimal point.
type Integer int64

// Real is a number written with a decimal point.
type Real float64

// Name is a name without its slash and with its #xx escapes decoded. Its bytes
// are usually UTF-8 but need not be.
type Name string

// String is a byte string, decoded from its literal or hexadecimal form (and
// decrypted, if the file is encrypted).
type String struct {
	Bytes []byte
	Hex   bool // written between angle brackets

	// start and end are the offsets of the token in the file, brackets included. Both are zero for strings that were
	// created, or that came from an object stream.
	start, end int64
}

// Array is an array; its elements may be references.
type Array []Object

// Dict is a dictionary; its values may be references. Entries whose value is
// null are left out when a dictionary is read (ISO 32000-1 §7.3.7).
type Dict map[Name]Object

// Stream is a dictionary with data. One read from a file holds only the place of its data: see [Document.Raw] and
// [Document.Decode]. One to be written holds Data: if Dict has no /Filter, Data is not encoded, and the writer
// compresses it when that saves space, unless Plain is set; otherwise Data is already encoded that way.
type Stream struct {
	Dict  Dict
	Data  []byte
	Plain bool

	deflated []byte // Data as the writer compresses it, if [Stream.Compress] did so before; nil if not

	from  *Document // nil when the data is in Data
	ref   Ref       // the object the stream is, for decryption
	start int64     // absolute offset of the first data byte
	size  int64     // encoded bytes
}

// Ref is an indirect reference. The zero Ref refers to nothing: object 0 is
// always free.
type Ref struct {
	Number     uint32
	Generation uint16
}

// Hole is a run of bytes that is reserved while writing and filled once the tail around it is known, such as /ByteRange
// and /Contents of a signature. The tail remembers the offset of each Hole by pointer; nothing is searched for.
type Hole struct {
	// Len is the number of bytes the hole takes in the file. For a hexadecimal
	// hole that includes both angle brackets, so it is even.
	Len int
	// Hex makes the hole a hexadecimal string: unfilled it reads <00...0>, and
	// what it is filled with is written as digits and padded with zeros. A hole
	// that is not Hex is padded with spaces, and unfilled it reads as null.
	Hex bool
}

func (Null) isObject()    {}
func (Boolean) isObject() {}
func (Integer) isObject() {}
func (Real) isObject()    {}
func (Name) isObject()    {}
func (String) isObject()  {}
func (Array) isObject()   {}
func (Dict) isObject()    {}
func (*Stream) isObject() {}
func (Ref) isObject()     {}
func (*Hole) isObject()   {}

// IsZero reports whether r refers to nothing.
func (r Ref) IsZero() bool { return r.Number == 0 }

// String spells the reference as PDF does, such as "12 0 R".
func (r Ref) String() string { return fmt.Sprintf("%d %d R", r.Number, r.Generation) }

// FileRange returns the offsets of the string's token in the file, brackets included. Both are zero if the string was
// created or came from an object stream.
func (s String) FileRange() (start, end int64) { return s.start, s.end }

// Len is the number of encoded bytes of the stream's data.
func (s *Stream) Len() int64 {
	if s.from == nil {
		return int64(len(s.Data))
	}
	return s.size
}

// AsRef returns o if it is a reference, or the zero Ref.
func AsRef(o Object) Ref {
	r, _ := o.(Ref)
	return r
}

// Ref returns the reference stored under key, or the zero Ref if the value is
// missing or direct.
func (d Dict) Ref(key Name) Ref { return AsRef(d[key]) }

// AsNumber returns the value of an integer or a real number; false for other objects.
func AsNumber(o Object) (float64, bool) {
	switch o := o.(type) {
	case Integer:
		return float64(o), true
	case Real:
		return float64(o), true
	}
	return 0, false
}

// Clone returns a copy that shares no array, dictionary or string with o.
// Stream data is not copied, and a *Hole stays the same hole.
func Clone(o Object) Object {
	switch o := o.(type) {
	case String:
		o.Bytes = append([]byte(nil), o.Bytes...)
		return o
	case Array:
		c := make(Array, len(o))
		for i, v := range o {
			c[i] = Clone(v)
		}
		return c
	case Dict:
		return cloneDict(o)
	case *Stream:
		c := *o
		c.Dict = cloneDict(o.Dict)
		return &c
	}
	return o
}

func cloneDict(d Dict) Dict {
	c := make(Dict, len(d)+2)
	for k, v := range d {
		c[k] = Clone(v)
	}
	return c
}

// typeName returns the type of an object for messages.
func typeName(o Object) string {
	switch o.(type) {
	case nil, Null:
		return "null"
	case Boolean:
		return "boolean"
	case Integer:
		return "integer"
	case Real:
		return "real"
	case Name:
		return "name"
	case String:
		return "string"
	case Array:
		return "array"
	case Dict:
		return "dictionary"
	case *Stream:
		return "stream"
	case Ref:
		return "reference"
	}
	return "hole"
}

// FileRange returns the offsets of the stream's data in the file. Both are zero if the stream was created or is
// encrypted.
func (s *Stream) FileRange() (start, end int64) {
	if s.from == nil || s.from.security != nil {
		return 0, 0
	}
	return s.start, s.start + s.size
}

// TextString encodes s as a text string: unchanged if it is ASCII, else in UTF-16BE with a byte order mark, which every
// reader supports (ISO 32000-1 §7.9.2.2).
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

// Text decodes a text string: UTF-16 in either byte order or UTF-8 if it starts with a mark, else PDFDocEncoding. The
// result is valid UTF-8.
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
	if isPlainASCII(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8) // most characters take one byte
	for _, c := range b {
		out.WriteRune(decodeDocChar(c))
	}
	return out.String()
}

// isPlainASCII reports whether each byte stands for itself in PDFDocEncoding and in UTF-8.
func isPlainASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x7F || c >= 0x18 && c <= 0x1F {
			return false
		}
	}
	return true
}

func decodeUTF16(b []byte, high, low int) string {
	u := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		u = append(u, uint16(b[high])<<8|uint16(b[low]))
	}
	return string(utf16.Decode(u))
}

// decodeDocChar maps PDFDocEncoding, which is Latin-1 except for these two runs (ISO 32000-1 §D.2).
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
