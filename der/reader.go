package der

import (
	"encoding/asn1"
	"math"
	"math/big"
)

// Reader reads consecutive elements. After an element that is missing, not DER or of another type it fails and reads zero
// values only, so a caller reads all elements of a sequence and then checks [Reader.Failed]. Results share the memory
// that is read, except for integers and object identifiers.
type Reader struct {
	rest   []byte
	failed bool
}

// NewReader returns a reader of consecutive elements.
func NewReader(b []byte) Reader { return Reader{rest: b} }

// Failed reports whether an element was not as expected.
func (r *Reader) Failed() bool { return r.failed }

// Rest returns what was not read.
func (r *Reader) Rest() []byte { return r.rest }

// More reports whether there is more to read.
func (r *Reader) More() bool { return !r.failed && len(r.rest) > 0 }

// Complete reports whether all elements were as expected and all were read.
func (r *Reader) Complete() bool { return !r.failed && len(r.rest) == 0 }

func (r *Reader) fail() { r.rest, r.failed = nil, true }

// ReadValue reads an element of any type.
func (r *Reader) ReadValue() asn1.RawValue {
	h, ok := readHeader(r.rest)
	if !ok || h.length > len(r.rest)-h.size {
		r.fail()
		return asn1.RawValue{}
	}
	end := h.size + h.length
	v := asn1.RawValue{Class: h.class, Tag: h.tag, IsCompound: h.constructed, Bytes: r.rest[h.size:end], FullBytes: r.rest[:end]}
	r.rest = r.rest[end:]
	return v
}

// ReadContent reads an element with that identifier octet, and returns its content.
func (r *Reader) ReadContent(tag byte) []byte {
	if len(r.rest) == 0 || r.rest[0] != tag {
		r.fail()
	}
	return r.ReadValue().Bytes
}

// ReadSequence reads a SEQUENCE, and returns a reader of its elements.
func (r *Reader) ReadSequence() Reader {
	content := r.ReadContent(TagSequence)
	return Reader{content, r.failed}
}

// NextIs reports whether the next element has that identifier octet. An optional element is read only then.
func (r *Reader) NextIs(tag byte) bool {
	if !r.More() {
		return false
	}
	if _, ok := readHeader(r.rest); !ok {
		r.fail()
		return false
	}
	return r.rest[0] == tag
}

// ReadContext reads the element with a context-specific tag below 31, such as [0], if it comes next. It need not be
// constructed. Otherwise, the value is zero.
func (r *Reader) ReadContext(number byte) asn1.RawValue {
	if r.NextIs(TagContext|number) || r.NextIs(TagContext&^constructed|number) {
		return r.ReadValue()
	}
	return asn1.RawValue{}
}

// ReadExplicit is ReadContext for the tag of an element that encloses another (ITU-T X.690 §8.14.3): it is constructed.
// It fails if the last element has no content, whatever its tag.
func (r *Reader) ReadExplicit(number byte) asn1.RawValue {
	if !r.More() {
		return asn1.RawValue{}
	}
	h, ok := readHeader(r.rest)
	r.Require(ok && h.size < len(r.rest))
	if !h.constructed && h.length > 0 {
		return asn1.RawValue{}
	}
	return r.ReadContext(number)
}

// Require fails the reader unless ok.
func (r *Reader) Require(ok bool) {
	if !ok {
		r.fail()
	}
}

// ReadOID reads an OBJECT IDENTIFIER. Its numbers are below 2³¹.
func (r *Reader) ReadOID() asn1.ObjectIdentifier {
	id, ok := ParseOID(r.ReadContent(TagOID))
	if !ok {
		r.fail()
	}
	return id
}

// ParseOID parses the content of an OBJECT IDENTIFIER.
func ParseOID(content []byte) (id asn1.ObjectIdentifier, ok bool) {
	id = make(asn1.ObjectIdentifier, 0, len(content)+1)
	for len(content) > 0 {
		arc, size := readBase128(content)
		switch {
		case arc < 0:
			return nil, false
		case len(id) == 0:
			id = append(id, min(arc/40, 2), arc-40*min(arc/40, 2))
		default:
			id = append(id, arc)
		}
		content = content[size:]
	}
	return id, len(id) > 0
}

// ReadInteger reads an INTEGER of any size.
func (r *Reader) ReadInteger() *big.Int {
	b := r.ReadContent(TagInteger)
	if !isInteger(b) {
		r.fail()
		return nil
	}
	n := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// ReadInt reads an INTEGER of 64 bits.
func (r *Reader) ReadInt() int64 { return r.ReadTaggedInt(TagInteger) }

// ReadTaggedInt is ReadInt for an implicit tag.
func (r *Reader) ReadTaggedInt(tag byte) int64 {
	b := r.ReadContent(tag)
	if !isInteger(b) || len(b) > 8 {
		r.fail()
		return 0
	}
	n := int64(int8(b[0]))
	for _, c := range b[1:] {
		n = n<<8 | int64(c)
	}
	return n
}

// isInteger reports whether the content of an INTEGER is as short as possible (ITU-T X.690 §8.3.2).
func isInteger(b []byte) bool {
	return len(b) == 1 || len(b) > 1 && !(b[0] == 0 && b[1]&0x80 == 0) && !(b[0] == 0xff && b[1]&0x80 != 0)
}

// header is the identifier and the length of an element.
type header struct {
	class, tag   int
	constructed  bool
	size, length int // bytes of the header and of the content
}

func readHeader(b []byte) (h header, ok bool) {
	if len(b) < 2 {
		return h, false
	}
	h = header{class: int(b[0] >> 6), tag: int(b[0] & 0x1f), constructed: b[0]&constructed != 0, size: 1}
	if h.tag == 0x1f {
		var n int
		if h.tag, n = readBase128(b[1:]); h.tag < 0x1f { // a low number has the short form
			return h, false
		}
		h.size += n
	}
	if h.size >= len(b) {
		return h, false
	}
	h.length = int(b[h.size])
	h.size++
	if h.length < 0x80 {
		return h, true
	}
	size := h.length & 0x7f
	if size == 0 || size > len(b)-h.size || b[h.size] == 0 {
		return h, false // indefinite, cut off or longer than necessary
	}
	h.length = 0
	for _, c := range b[h.size : h.size+size] {
		if h.length >= 1<<23 {
			return h, false
		}
		h.length = h.length<<8 | int(c)
	}
	h.size += size
	return h, h.length >= 0x80
}

// readBase128 reads a number with seven bits in each octet, and its size. It is -1 if it is cut off, longer than
// necessary or above 2³¹-1.
func readBase128(b []byte) (n, size int) {
	var v int64
	for i, c := range b[:min(len(b), 5)] {
		if i == 0 && c == 0x80 {
			break
		}
		if v = v<<7 | int64(c&0x7f); c&0x80 == 0 && v <= math.MaxInt32 {
			return int(v), i + 1
		}
	}
	return -1, 0
}
