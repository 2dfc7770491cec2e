package cms

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// newContainer wraps raw sets in a SignedData; an empty set of certificates is omitted.
func newContainer(t *testing.T, certificates, signers asn1.RawValue) []byte {
	t.Helper()
	body := struct {
		Version          int
		DigestAlgorithms asn1.RawValue
		EncapContent     encapsulated
		Certificates     asn1.RawValue `asn1:"optional"`
		SignerInfos      asn1.RawValue
	}{1, newSet(nil), encapsulated{ContentType: OIDData}, certificates, signers}
	return marshalValue(t, contentInfo{OIDSignedData, asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: marshalValue(t, body)}})
}

func newSet(content []byte) asn1.RawValue {
	return asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: content}
}

func TestContainerBeyondALimitIsRefused(t *testing.T) {
	t.Parallel()
	signed, cert := signContainer(t, "P-256", Options{})
	sd, err := Parse(signed)
	if err != nil {
		t.Fatal(err)
	}
	certificates := func(n int) asn1.RawValue {
		return asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: bytes.Repeat(cert.Raw, n)}
	}
	s, err := NewSignature(computeHash(sd.Signers[0].Digest, content), sd.Certificates, Options{})
	if err != nil {
		t.Fatal(err)
	}
	signer := func(unsigned ...Attribute) []byte {
		der, _, err := s.encodeSignerInfo(cert, []byte{1}, unsigned)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	many := func(n int) []Attribute {
		all := make([]Attribute, n)
		for i := range all {
			all[i] = NewAttribute(OIDSignatureTimestamp, []byte{5, 0})
		}
		return all
	}
	values := func(n int) Attribute {
		a := Attribute{Type: OIDSignatureTimestamp}
		for range n {
			a.Values = append(a.Values, asn1.RawValue{FullBytes: []byte{5, 0}})
		}
		return a
	}
	one := newSet(signer())
	for name, c := range map[string]struct {
		der     []byte
		wantErr string // empty: accepted
	}{
		"most certificates":     {newContainer(t, certificates(MaxCertificates), one), ""},
		"too many certificates": {newContainer(t, certificates(MaxCertificates+1), one), "too many certificates"},
		"most signers":          {newContainer(t, asn1.RawValue{}, newSet(bytes.Repeat(signer(), MaxSigners))), ""},
		"too many signers":      {newContainer(t, asn1.RawValue{}, newSet(bytes.Repeat(signer(), MaxSigners+1))), "too many signer"},
		"most attributes":       {newContainer(t, asn1.RawValue{}, newSet(signer(many(MaxAttributes)...))), ""},
		"too many attributes":   {newContainer(t, asn1.RawValue{}, newSet(signer(many(MaxAttributes+1)...))), "too many attributes"},
		"most values":           {newContainer(t, asn1.RawValue{}, newSet(signer(values(MaxAttributes)))), ""},
		"too many values":       {newContainer(t, asn1.RawValue{}, newSet(signer(values(MaxAttributes+1)))), "too many values"},
		"signers in a sequence": {newContainer(t, asn1.RawValue{}, asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: signer()}), "SignedData"},
		"values in a sequence":  {newContainer(t, asn1.RawValue{}, newSet(bytes.Replace(signer(values(1)), []byte{0x31, 2, 5, 0}, []byte{0x30, 2, 5, 0}, 1))), "attribute"},
		"too long":              {append(bytes.Clone(signed), make([]byte, MaxSize)...), "more than"},
		"of indefinite length":  {append([]byte{0x30, 0x80}, append(bytes.Clone(signed[4:]), 0, 0)...), "no SignedData"},
	} {
		_, err := Parse(c.der)
		if c.wantErr == "" && err != nil || c.wantErr != "" && (!errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), c.wantErr)) {
			t.Errorf("%s: %v, want %q", name, err, c.wantErr)
		}
	}
}

// The cost of a set of millions of empty elements must be near its size, not a hundred times that.
func TestSetWithTooManyElementsIsRefusedBeforeAllocation(t *testing.T) {
	// Not parallel: it counts allocations of the whole process.
	der := newContainer(t, asn1.RawValue{}, newSet(bytes.Repeat([]byte{5, 0}, 1<<20)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse(der)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > uint64(2*len(der)) {
		t.Errorf("%d bytes were allocated to refuse %d: %v", n, len(der), err)
	}
}

func TestSetsOfAContainerAreInTheOrderOfDER(t *testing.T) {
	t.Parallel()
	key, cert := newCredential(t, "P-256")
	_, other := newCredential(t, "P-384") // with another name: issuer and serial distinguish certificates
	der, err := Sign(rand.Reader, computeHash(crypto.SHA256, content), key, []*x509.Certificate{cert, other, cert}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sd, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	if err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content)); err != nil {
		t.Error(err)
	}
	inOrder := func(a, b *x509.Certificate) int { return bytes.Compare(a.Raw, b.Raw) }
	if len(sd.Certificates) != 3 || !slices.IsSortedFunc(sd.Certificates, inOrder) {
		t.Errorf("%d certificates, in no order", len(sd.Certificates))
	}
	if bare, err := Sign(rand.Reader, computeHash(crypto.SHA256, content), key, []*x509.Certificate{cert}, Options{OmitCertificates: true}); err != nil || bytes.Contains(bare, cert.Raw) {
		t.Errorf("the certificate was left in: %v", err)
	}
}
