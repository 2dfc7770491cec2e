package cms

import (
	"bytes"
	"fmt"
)

// Bounds of what is encoded anew. A container of RFC 5652 nests about a dozen deep.
const (
	maxBERDepth    = 48
	maxBERElements = 200_000
)

// ConvertToDER encodes a container anew by the distinguished rules, if it is written by the basic ones, as older signers did:
// lengths that are indefinite or longer than need be, and strings of octets in pieces (ITU-T X.690 §8.1.3, §8.7.3). What
// is DER already is returned as it is, with changed false. Zeros behind the container are kept.
//
// No element is moved, so sets whose order DER would have changed stay as they are. Signed attributes have to be DER
// wherever they stand (RFC 5652 §5.3), and their DER encoding is what was signed however they are sent (RFC 5652 §5.4): so
// those that were sent with longer lengths than need be hold, and those in another order do not.
func ConvertToDER(b []byte) (der []byte, changed bool, err error) {
	if len(b) > MaxSize {
		return nil, false, newMalformed(fmt.Sprintf("more than %d bytes", MaxSize))
	}
	r := &berReader{rest: b}
	out, err := r.convertElement(nil, 0)
	if err != nil {
		return nil, false, err
	}
	if !r.changed {
		return b, false, nil
	}
	return append(out, r.rest...), true, nil
}

// berReader reads elements one behind the other. Its cost is what it reads: contents are copied once for each level
// of nesting, which is bounded.
type berReader struct {
	rest    []byte
	count   int
	changed bool
}

var errBER = newMalformed("encoding")

// readHeader reads identifier and length. The length is -1 if it is indefinite.
func (r *berReader) readHeader() (identifier []byte, length int, err error) {
	b := r.rest
	if len(b) < 2 {
		return nil, 0, errBER
	}
	n := 1
	if b[0]&0x1f == 0x1f {
		for n < len(b) && n < 5 && b[n]&0x80 != 0 {
			n++
		}
		if n++; n >= len(b) {
			return nil, 0, errBER
		}
	}
	identifier, b = b[:n], b[n:]
	if r.count++; r.count > maxBERElements {
		return nil, 0, newMalformed("too many elements")
	}
	first := b[0]
	b = b[1:]
	switch {
	case first < 0x80:
		length = int(first)
	case first == 0x80:
		length, r.changed = -1, true
	default:
		size := int(first & 0x7f)
		if size > len(b) || size > 8 {
			return nil, 0, errBER
		}
		for _, c := range b[:size] {
			if length >= 1<<24 {
				return nil, 0, errBER
			}
			length = length<<8 | int(c)
		}
		b = b[size:]
		if length < 0x80 || size > 1 && length>>(8*(size-1)) == 0 {
			r.changed = true
		}
	}
	if length > len(b) {
		return nil, 0, errBER
	}
	r.rest = b
	return identifier, length, nil
}

// convertElement appends the next element to out.
func (r *berReader) convertElement(out []byte, depth int) ([]byte, error) {
	if depth > maxBERDepth {
		return nil, newMalformed("nested too deep")
	}
	identifier, length, err := r.readHeader()
	if err != nil {
		return nil, err
	}
	if identifier[0]&0x20 == 0 {
		if length < 0 {
			return nil, errBER // only what holds elements can have an end that is marked
		}
		out = append(appendHeader(out, identifier, length), r.rest[:length]...)
		r.rest = r.rest[length:]
		return out, nil
	}
	const octetString, constructed = 0x04, 0x20
	pieces := len(identifier) == 1 && identifier[0] == octetString|constructed
	content, err := r.convertContent(length, depth, pieces)
	if err != nil {
		return nil, err
	}
	if pieces {
		r.changed = true
		identifier = []byte{octetString}
	}
	return append(appendHeader(out, identifier, len(content)), content...), nil
}

// convertContent reads elements up to a length or to the mark of the end. Of pieces only what they hold is kept.
func (r *berReader) convertContent(length, depth int, pieces bool) ([]byte, error) {
	behind := []byte(nil)
	if length >= 0 {
		behind = r.rest[length:]
		r.rest = r.rest[:length]
	}
	var out []byte
	for {
		switch {
		case length >= 0 && len(r.rest) == 0:
			r.rest = behind
			return out, nil
		case length < 0 && bytes.HasPrefix(r.rest, []byte{0, 0}):
			r.rest = r.rest[2:]
			return out, nil
		case len(r.rest) == 0:
			return nil, errBER
		}
		from := len(out)
		var err error
		if out, err = r.convertElement(out, depth+1); err != nil {
			return nil, err
		}
		if pieces {
			if out[from] != 0x04 {
				return nil, newMalformed("string in pieces of another kind")
			}
			one := out[from:]
			out = append(out[:from], one[headerLen(one):]...)
		}
	}
}

// appendHeader appends an identifier and a length in as few bytes as it takes.
func appendHeader(out, identifier []byte, length int) []byte {
	out = append(out, identifier...)
	if length < 0x80 {
		return append(out, byte(length))
	}
	var size byte
	for n := length; n > 0; n >>= 8 {
		size++
	}
	out = append(out, 0x80|size)
	for ; size > 0; size-- {
		out = append(out, byte(length>>(8*(size-1))))
	}
	return out
}

// headerLen is how many bytes identifier and length of an octet string take that appendHeader made.
func headerLen(der []byte) int {
	if der[1] < 0x80 {
		return 2
	}
	return 2 + int(der[1]&0x7f)
}
