package pdf

import "fmt"

// Object is one of Null, Boolean, Integer, Real, Name, String, Array, Dict,
// *Stream and Ref, or, in objects to be written only, *Hole. A nil Object,
// which is what a Dict yields for a missing key, stands for Null.
//
// Objects handed out by a Document are shared with its cache: they must not be
// changed. Those handed out by an Update are the caller's to change.
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

	// start and end delimit the token in the file, brackets included. Both are
	// zero for strings that were made, or that came from an object stream.
	start, end int64
}

// Array is an array; its elements may be references.
type Array []Object

// Dict is a dictionary; its values may be references. Entries whose value is
// null are left out when a dictionary is read (ISO 32000-1 §7.3.7).
type Dict map[Name]Object

// Stream is a dictionary with data. One read from a file holds only the place
// of its data: see [Document.Raw] and [Document.Decode]. One to be written
// holds Data: if Dict has no /Filter, Data is plain and the writer compresses
// it when that helps; otherwise Data is already encoded that way.
type Stream struct {
	Dict Dict
	Data []byte

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

// Hole is a run of bytes that is reserved while writing and filled once the
// tail around it is known, such as /ByteRange and /Contents of a signature.
// The tail remembers where each Hole went, by pointer; nothing is searched for.
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

// FileRange tells where the token of the string is in the file, brackets
// included. Both ends are zero if the string was made or came from an object
// stream.
func (s String) FileRange() (start, end int64) { return s.start, s.end }

// Len is the number of encoded bytes of the stream's data.
func (s *Stream) Len() int64 {
	if s.from == nil {
		return int64(len(s.Data))
	}
	return s.size
}

// Ref returns the reference stored under key, or the zero Ref if the value is
// missing or direct.
func (d Dict) Ref(key Name) Ref {
	r, _ := d[key].(Ref)
	return r
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

// typeName names the kind of an object in messages.
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

// FileRange tells where the data of the stream stands in the file. Both ends are zero if the stream was made or is encrypted.
func (s *Stream) FileRange() (start, end int64) {
	if s.from == nil || s.from.security != nil {
		return 0, 0
	}
	return s.start, s.start + s.size
}
