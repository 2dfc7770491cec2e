package tsp

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"slices"
	"testing"

	"segel/cms"
)

// encodeTokenBER converts the content of a token to BER and keeps the outermost element in DER, so that a parser of the
// container around it notices nothing.
func encodeTokenBER(t testing.TB, der []byte) []byte {
	t.Helper()
	var outer struct {
		Type    asn1.RawValue
		Content asn1.RawValue `asn1:"tag:0"`
	}
	var inner asn1.RawValue
	_, err := asn1.Unmarshal(der, &outer)
	if err == nil {
		_, err = asn1.Unmarshal(outer.Content.Bytes, &inner)
	}
	if err != nil {
		t.Fatal(err)
	}
	ber, err := asn1.Marshal(asn1.RawValue{
		Tag: asn1.TagSequence, IsCompound: true,
		Bytes: slices.Concat(outer.Type.FullBytes, []byte{0xa0, 0x80, 0x30, 0x80}, inner.Bytes, make([]byte, 4)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return ber
}

func TestTokenInBERIsReadOnlyFromAFile(t *testing.T) {
	t.Parallel()
	der, err := newResponder(t, true, stamping).Timestamp(t.Context(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	if token, basic, err := ParseLenient(der); err != nil || basic || !token.Covers(digest[:]) {
		t.Errorf("DER: basic %t, %v", basic, err)
	}
	ber := encodeTokenBER(t, der)
	if _, err := Parse(ber); !errors.Is(err, cms.ErrMalformed) {
		t.Errorf("from an authority: %v", err)
	}
	token, basic, err := ParseLenient(ber)
	if err != nil || !basic || !token.Covers(digest[:]) || !token.Time.Equal(now) {
		t.Fatalf("from a file: basic %t, %v", basic, err)
	}
	at := bytes.Index(ber, digest[:])
	ber[at] ^= 1
	if token, basic, err := ParseLenient(ber); err == nil || basic {
		t.Errorf("another imprint: %+v", token)
	}
}

func TestTSTInfoInBERIsNoTimestamp(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	der, err := r.Timestamp(t.Context(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	var info asn1.RawValue
	if _, err := asn1.Unmarshal(parsed.sd.Content, &info); err != nil {
		t.Fatal(err)
	}
	token, err := r.signToken(slices.Concat([]byte{0x30, 0x80}, info.Bytes, []byte{0, 0}), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ParseLenient(token); !errors.Is(err, ErrMalformed) {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	der, err := newResponder(f, true, stamping).Timestamp(f.Context(), digest[:])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(der)
	f.Add(encodeTokenBER(f, der))
	f.Fuzz(func(t *testing.T, b []byte) {
		token, basic, err := ParseLenient(b)
		switch strict, strictErr := Parse(b); {
		case (err == nil) != (token != nil && token.Authority != nil) || basic && err != nil:
			t.Errorf("token %v, basic %t, %v", token, basic, err)
		case basic == (strictErr == nil) && err == nil:
			t.Errorf("basic %t, but read strictly: %v, %v", basic, strict, strictErr)
		}
	})
}
