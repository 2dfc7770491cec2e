package cms

import (
	"bytes"
	"fmt"

	"segel/der"
)

// Limits for re-encoding. A container of RFC 5652 nests about a dozen levels.
const (
	maxBERDepth    = 48
	maxBERElements = 200_000
)

// ConvertToDER re-encodes a BER container, as older signers wrote them, as DER: indefinite lengths, lengths longer than
// necessary, and segmented octet strings (ITU-T X.690 §8.1.3, §8.7.3). Input that is DER already is returned as it is,
// with changed false. Zeros after the container are kept.
//
// Elements are not reordered, so sets that DER would sort stay as they are. Signed attributes must always be DER (RFC
// 5652 §5.3), and the signature covers their DER encoding however they are sent (RFC 5652 §5.4): so a signature over
// attributes that were sent with longer lengths verifies, and one over attributes in another order does not.
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

// berReader reads consecutive elements. Contents are copied once for each level of nesting, which is limited.
type berReader struct {
	rest    []byte
	count   int
	changed bool
}

var errBER = newMalformed("encoding")

// readHeader reads identifier and length. An indefinite length is -1.
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

// convertElement appends the DER form of the next element to out.
func (r *berReader) convertElement(out []byte, depth int) ([]byte, error) {
	if depth > maxBERDepth {
		return nil, newMalformed("nested too deeply")
	}
	identifier, length, err := r.readHeader()
	if err != nil {
		return nil, err
	}
	if identifier[0]&0x20 == 0 {
		if length < 0 {
			return nil, errBER // only constructed elements may have an indefinite length
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

// convertContent converts elements up to a length or to the end-of-contents octets. Of the segments of a string it
// keeps only the contents.
func (r *berReader) convertContent(length, depth int, pieces bool) ([]byte, error) {
	rest := []byte(nil)
	if length >= 0 {
		rest = r.rest[length:]
		r.rest = r.rest[:length]
	}
	var out []byte
	for {
		switch {
		case length >= 0 && len(r.rest) == 0:
			r.rest = rest
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
				return nil, newMalformed("string with segments of another type")
			}
			one := out[from:]
			out = append(out[:from], one[headerLen(one):]...)
		}
	}
}

// appendHeader appends an identifier and a length in the shortest form.
func appendHeader(out, identifier []byte, length int) []byte {
	return der.AppendLength(append(out, identifier...), length)
}

// headerLen returns the length of an octet string's header as appendHeader writes it.
func headerLen(der []byte) int {
	if der[1] < 0x80 {
		return 2
	}
	return 2 + int(der[1]&0x7f)
}
