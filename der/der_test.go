package der

import (
	"bytes"
	"encoding/asn1"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := asn1.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestIntegersAreEncodedAndReadAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	values := []*big.Int{new(big.Int)}
	for bits := range 200 {
		n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		for range 4 {
			n = new(big.Int).Sub(n, big.NewInt(random.Int64N(2)))
			values = append(values, n, new(big.Int).Neg(n))
		}
	}
	for _, n := range values {
		want := marshal(t, n)
		if got := EncodeInteger(n); !bytes.Equal(got, want) {
			t.Errorf("%v is %x, not %x", n, got, want)
		}
		r := NewReader(want)
		if got := r.ReadInteger(); !r.Complete() || got.Cmp(n) != 0 {
			t.Errorf("%v is read as %v", n, got)
		}
		r = NewReader(want)
		if got := r.ReadInt(); n.IsInt64() == r.Failed() || n.IsInt64() && got != n.Int64() {
			t.Errorf("%v is read as %d, failed %v", n, got, r.Failed())
		}
	}
}

func TestObjectIdentifiersAreEncodedAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, id := range []asn1.ObjectIdentifier{
		{0, 0}, {0, 39}, {1, 39, 0}, {2, 0}, {2, 40}, {2, 999, 3}, {2, 25, 1879048192, 1}, {1, 2, 840, 113549, 1, 9, 16, 2, 47}, {1, 3, 127, 128, 16383, 16384, math.MaxInt32},
	} {
		want := marshal(t, id)
		got, err := EncodeOID(id)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v is %x, not %x: %v", id, got, want, err)
		}
		r := NewReader(want)
		if got := r.ReadOID(); !r.Complete() || !got.Equal(id) {
			t.Errorf("%v is read as %v", id, got)
		}
	}
	for _, id := range []asn1.ObjectIdentifier{nil, {1}, {3, 1}, {1, 40}, {0, 40, 1}} {
		_, want := asn1.Marshal(id)
		if _, err := EncodeOID(id); err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%v: %v, not %v", id, err, want)
		}
	}
	if _, err := EncodeOID(asn1.ObjectIdentifier{1, 2, -3}); err == nil {
		t.Error("a negative number is encoded")
	}
}

func TestElementsAreEncodedAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 127, 128, 255, 256, 65535, 65536, 1 << 24} {
		content := make([]byte, n)
		if got, want := EncodeElement(TagOctetString, content[:n/2], content[n/2:]), marshal(t, content); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %x, not %x", n, got[:min(n, 8)], want[:min(n, 8)])
		}
	}
	for _, v := range []asn1.RawValue{
		{Tag: asn1.TagNull}, {Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: []byte{5, 0}}, {Tag: asn1.TagIA5String, Bytes: []byte("text")}, {FullBytes: []byte{5, 0}},
	} {
		if got, want := EncodeValue(v), marshal(t, v); !bytes.Equal(got, want) {
			t.Errorf("%v is %x, not %x", v, got, want)
		}
	}
	type set struct {
		Values []asn1.RawValue `asn1:"set"`
	}
	elements := [][]byte{{4, 1, 9}, {5, 0}, {4, 2, 1, 1}, {4, 1, 1}, {2, 1, 0}}
	var raw set
	for _, e := range elements {
		raw.Values = append(raw.Values, asn1.RawValue{FullBytes: e})
	}
	if got, want := EncodeElement(TagSequence, EncodeSetOf(TagSet, elements)), marshal(t, raw); !bytes.Equal(got, want) {
		t.Errorf("the set is %x, not %x", got, want)
	}
	for _, at := range []time.Time{time.Unix(0, 0), time.Date(2026, 11, 23, 1, 2, 3, 999, time.FixedZone("WIB", 7*60*60)), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)} {
		want, err := asn1.MarshalWithParams(at.UTC(), "generalized")
		if got := EncodeTime(at); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v is %s, not %s: %v", at, got, want, err)
		}
	}
}

// FuzzReader compares the reader with encoding/asn1 on one element.
func FuzzReader(f *testing.F) {
	for _, b := range [][]byte{
		nil, {5}, {5, 0}, {2, 1, 0x80}, {2, 2, 0, 1}, {2, 2, 0xff, 0x7f}, {2, 9, 0, 0xff, 1, 1, 1, 1, 1, 1, 1}, {0x30, 0x80, 0, 0}, {0x30, 0x81, 5, 1, 1, 1, 1, 1}, {0x30, 0x82, 0, 0x80},
		{6, 3, 0x2a, 0x86, 0x48}, {6, 2, 0x2a, 0x80}, {6, 6, 0x2a, 0x87, 0xff, 0xff, 0xff, 0x7f}, {6, 6, 0x2a, 0x88, 0x80, 0x80, 0x80, 0}, {6, 1, 0x80}, {6, 0},
		{0x1f, 0x1e, 0}, {0x1f, 0x1f, 0}, {0xbf, 0x81, 0, 0}, {0x1f, 0x88, 0x80, 0x80, 0x80, 0, 0}, {0x1f, 0x80, 1, 0}, {0xa0, 0, 5, 0}, {4, 0x84, 1, 0, 0, 0, 0}, {4, 0xff, 1}, {5, 0, 9, 9},
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		compare := func(want any, read func(r *Reader) any) {
			t.Helper()
			p := reflect.New(reflect.TypeOf(want))
			rest, err := asn1.Unmarshal(b, p.Interface())
			r := NewReader(b)
			got := read(&r)
			if r.Failed() != (err != nil) {
				t.Fatalf("%x as %T: failed %v, but %v", b, want, r.Failed(), err)
			}
			if err == nil && (!reflect.DeepEqual(got, p.Elem().Interface()) || !bytes.Equal(rest, r.Rest())) {
				t.Fatalf("%x is read as %v, not %v", b, got, p.Elem().Interface())
			}
		}
		compare(asn1.RawValue{}, func(r *Reader) any { return r.ReadValue() })
		compare(asn1.ObjectIdentifier{}, func(r *Reader) any { return r.ReadOID() })
		compare(int64(0), func(r *Reader) any { return r.ReadInt() })
		compare([]byte{}, func(r *Reader) any { return append([]byte{}, r.ReadContent(TagOctetString)...) })
		compare([]asn1.RawValue{}, func(r *Reader) any {
			values, elements := []asn1.RawValue{}, r.ReadSequence()
			for elements.More() {
				values = append(values, elements.ReadValue())
			}
			r.Require(!elements.Failed())
			return values
		})
		var big1 *big.Int
		rest, err := asn1.Unmarshal(b, &big1)
		r := NewReader(b)
		if n := r.ReadInteger(); r.Failed() != (err != nil) || err == nil && (n.Cmp(big1) != 0 || !bytes.Equal(rest, r.Rest())) {
			t.Fatalf("%x is read as %v, not %v: %v", b, n, big1, err)
		}
		var optional struct {
			First asn1.RawValue `asn1:"optional,tag:0"`
		}
		_, err = asn1.Unmarshal(EncodeElement(TagSequence, b), &optional)
		r = NewReader(b)
		v := r.ReadContext(0)
		if r.Failed() != (err != nil) || err == nil && !reflect.DeepEqual(v, optional.First) {
			t.Fatalf("%x has [0] %v, not %v: %v", b, v, optional.First, err)
		}
		var explicit struct {
			First asn1.RawValue `asn1:"optional,explicit,tag:0"`
		}
		_, err = asn1.Unmarshal(EncodeElement(TagSequence, b), &explicit)
		r = NewReader(b)
		v = r.ReadExplicit(0)
		if r.Failed() != (err != nil) || err == nil && !reflect.DeepEqual(v, explicit.First) {
			t.Fatalf("%x has explicit [0] %v, not %v: %v", b, v, explicit.First, err)
		}
	})
}
