// Package der writes and reads elements in DER (ITU-T X.690 §10) without reflection.
//
// An element is written from its contents, which are elements themselves, so an expression has the shape of the ASN.1 type
// that it encodes. The bytes are those of [asn1.Marshal], and a [Reader] accepts what [asn1.Unmarshal] accepts.
package der

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"slices"
	"time"
)

// Identifier octets of elements.
const (
	TagInteger         = asn1.TagInteger
	TagBitString       = asn1.TagBitString
	TagOctetString     = asn1.TagOctetString
	TagOID             = asn1.TagOID
	TagEnumerated      = asn1.TagEnum
	TagGeneralizedTime = asn1.TagGeneralizedTime
	TagSequence        = asn1.TagSequence | constructed
	TagSet             = asn1.TagSet | constructed
	TagContext         = asn1.ClassContextSpecific<<6 | constructed // plus the number of a constructed element, such as [0]

	constructed = 0x20
)

// EncodeElement returns an element with an identifier octet and its contents, one after the other.
func EncodeElement(tag byte, contents ...[]byte) []byte {
	n := 0
	for _, c := range contents {
		n += len(c)
	}
	out := newElement(tag, n)
	for _, c := range contents {
		out = append(out, c...)
	}
	return out
}

// newElement returns the header of an element with space for n bytes of content.
func newElement(tag byte, n int) []byte {
	const longest = 6 // identifier octet and length of an element below 4 GiB
	return AppendLength(append(make([]byte, 0, n+longest), tag), n)
}

// AppendLength appends a length in the shortest form (ITU-T X.690 §10.1).
func AppendLength(out []byte, n int) []byte {
	if n < 0x80 {
		return append(out, byte(n))
	}
	size := 0
	for rest := n; rest > 0; rest >>= 8 {
		size++
	}
	out = append(out, 0x80|byte(size))
	for ; size > 0; size-- {
		out = append(out, byte(n>>(8*(size-1))))
	}
	return out
}

// EncodeSetOf returns an element whose contents are sorted, as DER requires of a SET OF (ITU-T X.690 §11.6). It sorts
// elements in place.
func EncodeSetOf(tag byte, elements [][]byte) []byte {
	slices.SortFunc(elements, bytes.Compare)
	return EncodeElement(tag, elements...)
}

// EncodeInteger returns an INTEGER.
func EncodeInteger(n *big.Int) []byte {
	if n.Sign() < 0 {
		// Two's complement: the bits of -n-1 are inverted.
		b := new(big.Int).Not(n).Bytes()
		for i := range b {
			b[i] = ^b[i]
		}
		if len(b) == 0 || b[0]&0x80 == 0 {
			return EncodeElement(TagInteger, []byte{0xff}, b)
		}
		return EncodeElement(TagInteger, b)
	}
	size := n.BitLen()/8 + 1 // the first bit is the sign
	out := newElement(TagInteger, size)
	end := len(out) + size
	n.FillBytes(out[len(out):end])
	return out[:end]
}

// EncodeOID returns an OBJECT IDENTIFIER. The error is that of [asn1.Marshal].
func EncodeOID(id asn1.ObjectIdentifier) ([]byte, error) {
	if len(id) < 2 || id[0] > 2 || id[0] < 2 && id[1] >= 40 || slices.Min(id) < 0 {
		return nil, asn1.StructuralError{Msg: "invalid object identifier"}
	}
	first := id[0]*40 + id[1]
	n := sizeOfArc(first)
	for _, arc := range id[2:] {
		n += sizeOfArc(arc)
	}
	out := appendArc(newElement(TagOID, n), first)
	for _, arc := range id[2:] {
		out = appendArc(out, arc)
	}
	return out, nil
}

// sizeOfArc returns how many octets appendArc appends.
func sizeOfArc(arc int) int {
	size := 1
	for rest := arc >> 7; rest > 0; rest >>= 7 {
		size++
	}
	return size
}

// appendArc appends a number with seven bits in each octet, the first bit of all but the last set (ITU-T X.690 §8.19.2).
func appendArc(out []byte, arc int) []byte {
	for size := sizeOfArc(arc); size > 1; size-- {
		out = append(out, byte(arc>>(7*(size-1)))|0x80)
	}
	return append(out, byte(arc)&0x7f)
}

// EncodeTime returns a GeneralizedTime in UTC, in whole seconds. The year must have four digits.
func EncodeTime(t time.Time) []byte {
	const format = "20060102150405Z"
	return EncodeElement(TagGeneralizedTime, t.UTC().AppendFormat(make([]byte, 0, len(format)), format))
}

// EncodeValue returns the complete element of a value: its FullBytes, or, without them, its Bytes with a header. Such a
// value has a tag number below 31.
func EncodeValue(v asn1.RawValue) []byte {
	if len(v.FullBytes) > 0 {
		return v.FullBytes
	}
	tag := byte(v.Class<<6 | v.Tag)
	if v.IsCompound {
		tag |= constructed
	}
	return EncodeElement(tag, v.Bytes)
}

// EncodeAlgorithm returns an AlgorithmIdentifier (RFC 5280 §4.1.1.2) with that tag, which is TagSequence unless it is
// implicitly tagged. The error is that of [EncodeOID].
func EncodeAlgorithm(tag byte, id pkix.AlgorithmIdentifier) ([]byte, error) {
	oid, err := EncodeOID(id.Algorithm)
	if err != nil {
		return nil, err
	}
	var parameters []byte
	if v := id.Parameters; len(v.FullBytes) > 0 || v.Class != 0 || v.Tag != 0 {
		parameters = EncodeValue(v)
	}
	return EncodeElement(tag, oid, parameters), nil
}
