package cms

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"segel/der"
)

func TestContainersAreEncodedAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		_, cert := newCredential(t, kind)
		_, other := newCredential(t, "P-256")
		negative := *cert
		negative.SerialNumber = big.NewInt(-300)
		for name, o := range map[string]Options{
			"detached": {}, "with content": {ContentType: OIDTSTInfo, Content: bytes.Repeat([]byte{7}, 300)}, "with empty content": {ContentType: OIDTSTInfo, Content: []byte{}},
			"without certificates": {OmitCertificates: true}, "with attributes": {Attributes: []Attribute{NewAttribute(OIDSignatureTimestamp, []byte{5, 0}), {Type: OIDSigningCertificate, Values: []asn1.RawValue{{FullBytes: []byte{4, 1, 2}}, {Tag: 4, Bytes: []byte{1}}}}, {Type: oidMD5}}},
		} {
			o.Scheme.PSS = kind == "PSS"
			scheme, err := SchemeFor(cert.PublicKey)
			if err != nil {
				t.Fatal(err)
			}
			digest := computeHash(scheme.Hash, content)
			s, err := NewSignature(digest, []*x509.Certificate{cert, other, cert}, o)
			if err != nil {
				t.Fatal(err)
			}
			attrs, err := s.signedAttributes(digest, cert)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := marshalSet(append(attrs, o.Attributes...)); err != nil || !bytes.Equal(s.Attributes, want) {
				t.Errorf("%s, %s: signed attributes are %x, not %x: %v", kind, name, s.Attributes, want, err)
			}
			for _, unsigned := range [][]Attribute{nil, {NewAttribute(OIDSignatureTimestamp, bytes.Repeat([]byte{5, 0}, 200))}, {NewAttribute(OIDTSTInfo, []byte{5, 0}), NewAttribute(OIDData, []byte{5, 0})}} {
				got, err := s.Finish([]byte("value"), unsigned...)
				if err != nil {
					t.Fatal(err)
				}
				if want, err := s.marshalContainer([]byte("value"), unsigned...); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %s: the container is %x, not %x: %v", kind, name, got, want, err)
				}
			}
		}
		for _, c := range []*x509.Certificate{cert, &negative} {
			want := marshalValue(t, signingCertificateV2{Certs: []essCertIDv2{{
				CertHash: computeHash(crypto.SHA256, c.Raw),
				IssuerSerial: issuerSerial{
					Issuer: []asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: c.RawIssuer}},
					Serial: asn1.RawValue{FullBytes: marshalValue(t, c.SerialNumber)},
				},
			}}})
			if got := newSigningCertificateAttribute(c).Values[0].FullBytes; !bytes.Equal(got, want) {
				t.Errorf("signing-certificate-v2 is %x, not %x", got, want)
			}
		}
	}
}

func TestAlgorithmsAreEncodedAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		_, cert := newCredential(t, kind)
		for _, h := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
			hashID, signID, err := Scheme{h, kind == "PSS"}.buildIdentifiers(cert.PublicKey)
			if kind == "Ed25519" && h != crypto.SHA512 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if kind == "PSS" {
				id := pkix.AlgorithmIdentifier{Algorithm: hashID.Algorithm, Parameters: asn1Null}
				params := pssParameters{
					Hash: id, MGF: pkix.AlgorithmIdentifier{Algorithm: oidMGF1, Parameters: asn1.RawValue{FullBytes: marshalValue(t, id)}},
					SaltLength: h.Size(), TrailerField: 1,
				}
				if want := marshalValue(t, params); !bytes.Equal(signID.Parameters.FullBytes, want) {
					t.Errorf("parameters of PSS are %x, not %x", signID.Parameters.FullBytes, want)
				}
			}
			for _, id := range []pkix.AlgorithmIdentifier{hashID, signID} {
				if got, err := der.EncodeAlgorithm(der.TagSequence, id); err != nil || !bytes.Equal(got, marshalValue(t, id)) {
					t.Errorf("%v is %x, not %x: %v", id, got, marshalValue(t, id), err)
				}
			}
			protection, err := newAlgorithmProtectionAttribute(hashID, signID)
			want := marshalValue(t, algorithmProtection{hashID, signID})
			if err != nil || !bytes.Equal(protection.Values[0].FullBytes, want) {
				t.Errorf("algorithm-protection is %x, not %x: %v", protection.Values[0].FullBytes, want, err)
			}
			for at, was := range want {
				for altered := range 256 {
					want[at] = byte(altered)
					err := checkAlgorithmProtection([]Attribute{NewAttribute(OIDAlgorithmProtection, want)}, hashID, signID)
					if same := byte(altered) == was; same != (err == nil) {
						t.Errorf("algorithm-protection %x: %v", want, err)
					}
				}
				want[at] = was
			}
			if checkAlgorithmProtection([]Attribute{NewAttribute(OIDAlgorithmProtection, append(want, 0))}, hashID, signID) == nil {
				t.Error("a byte after algorithm-protection is ignored")
			}
		}
	}
	if _, err := encodeSet(der.TagSet, []Attribute{{Type: asn1.ObjectIdentifier{1}}}); err == nil {
		t.Error("an attribute without a type is encoded")
	}
}

func TestAlteredContainersAreReadAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {ContentType: OIDTSTInfo, Content: []byte{1}}} {
		whole, _ := signContainer(t, "PSS", o, NewAttribute(OIDSignatureTimestamp, []byte{5, 0}))
		accepted := 0
		for at, was := range whole {
			for _, altered := range []byte{0, 1, 2, 4, 5, 6, 0x1f, 0x30, 0x31, 0x7f, 0x80, 0x81, 0xa0, 0xa1, 0xff, was - 1, was + 1, was ^ 0x20} {
				whole[at] = altered
				if compareParse(t, whole) {
					accepted++
				}
			}
			whole[at] = was
			compareParse(t, whole[:at])
		}
		if accepted == 0 {
			t.Error("no altered container is accepted")
		}
	}
}

// compareParse requires that Parse accepts what encoding/asn1 accepts and reads the same values.
func compareParse(t *testing.T, b []byte) (accepted bool) {
	t.Helper()
	want, wantErr := referenceParse(b)
	got, err := Parse(b)
	if err == nil {
		got.Certificates, got.Refused = nil, nil // never parsed by encoding/asn1
	}
	if wantErr != nil && err == nil || wantErr == nil && err != nil && !strings.Contains(err.Error(), "certificates") {
		t.Fatalf("%x: %v, but %v", b, err, wantErr)
	}
	if err != nil {
		return false
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%x is\n%+v, not\n%+v", b, got, want)
	}
	for _, s := range got.Signers {
		if encoded, err := marshalSet(s.Signed); s.isSignedDER() != (err == nil && bytes.Equal(encoded, s.SignedDER)) {
			t.Fatalf("%x: signed attributes are %x, encoded %x", b, s.SignedDER, encoded)
		}
	}
	return true
}

func TestOnlyTheDEREncodingOfSignedAttributesIsAccepted(t *testing.T) {
	t.Parallel()
	a, b := NewAttribute(OIDContentType, []byte{5, 0}), Attribute{Type: OIDMessageDigest, Values: []asn1.RawValue{{FullBytes: []byte{4, 1, 1}}, {FullBytes: []byte{4, 1, 2}}}}
	whole, err := encodeSet(der.TagSet, []Attribute{a, b})
	if err != nil {
		t.Fatal(err)
	}
	swapped := Attribute{Type: b.Type, Values: []asn1.RawValue{b.Values[1], b.Values[0]}}
	for name, c := range map[string]struct {
		set  []byte
		want bool
	}{
		"as encoded":              {whole, true},
		"nothing":                 {nil, false},
		"empty":                   {marshalValue(t, newSet(nil)), true},
		"the other order":         {marshalValue(t, newSet(append(marshalValue(t, b), marshalValue(t, a)...))), false},
		"values in another order": {marshalValue(t, newSet(append(marshalValue(t, a), der.EncodeElement(der.TagSequence, marshalValue(t, b.Type), marshalValue(t, newSet([]byte{4, 1, 2, 4, 1, 1})))...))), false},
		"a third element":         {marshalValue(t, newSet(append(der.EncodeElement(der.TagSequence, marshalValue(t, a.Type), marshalValue(t, newSet([]byte{5, 0})), []byte{5, 0}), marshalValue(t, b)...))), false},
		"twice":                   {marshalValue(t, newSet(append(marshalValue(t, a), marshalValue(t, a)...))), true},
		"bytes after it":          {append(bytes.Clone(whole), 5, 0), false},
	} {
		r := der.NewReader(c.set)
		attrs, err := parseAttributes(r.ReadContent(der.TagSet))
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := encodeSet(der.TagSet, attrs)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Signer{Signed: attrs, SignedDER: c.set}).isSignedDER(); got != c.want || got != bytes.Equal(encoded, c.set) {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, attrs := range map[string][]Attribute{"other attributes": {a, NewAttribute(OIDMessageDigest, []byte{4, 1, 1})}, "fewer": {a}, "more": {a, b, b}, "other values": {a, swapped}, "another type": {a, {Type: OIDData, Values: b.Values}}} {
		if (Signer{Signed: attrs, SignedDER: whole}).isSignedDER() {
			t.Errorf("%s are taken for those that are signed", name)
		}
	}
}

// FuzzParseAsStandardLibrary compares Parse with encoding/asn1.
func FuzzParseAsStandardLibrary(f *testing.F) {
	for _, kind := range []string{"P-256", "PSS"} {
		for _, o := range []Options{{}, {ContentType: OIDTSTInfo, Content: []byte{1}}} {
			b, _ := signContainer(f, kind, o, NewAttribute(OIDSignatureTimestamp, []byte{5, 0}))
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) <= MaxSize {
			compareParse(t, b)
		}
	})
}

// FuzzCertID compares parseCertID with encoding/asn1.
func FuzzCertID(f *testing.F) {
	_, cert := newCredential(f, "P-256")
	f.Add(newSigningCertificateAttribute(cert).Values[0].FullBytes)
	id := pkix.AlgorithmIdentifier{Algorithm: oidSHA512, Parameters: asn1Null}
	for _, v := range []any{
		signingCertificateV2{Certs: []essCertIDv2{{HashAlgorithm: id, CertHash: []byte{1}}, {CertHash: []byte{2}}}, Policies: asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true}},
		signingCertificateV1{Certs: []essCertID{{CertHash: []byte{1}, IssuerSerial: issuerSerial{[]asn1.RawValue{asn1Null, asn1Null}, asn1Null}}}},
	} {
		b, err := asn1.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v2 signingCertificateV2
		rest, err := asn1.Unmarshal(b, &v2)
		readable := err == nil && len(rest) == 0 && len(v2.Certs) > 0
		got, ok := parseCertID(b, true)
		if ok != readable || ok && !reflect.DeepEqual(got, referenceCertID(v2.Certs[0])) {
			t.Fatalf("version 2, %x: %v %+v, not %v %+v", b, ok, got, readable, v2)
		}
		var v1 signingCertificateV1
		rest, err = asn1.Unmarshal(b, &v1)
		readable = err == nil && len(rest) == 0 && len(v1.Certs) > 0
		got, ok = parseCertID(b, false)
		if ok != readable || ok && !reflect.DeepEqual(got, referenceCertID(essCertIDv2{CertHash: v1.Certs[0].CertHash, IssuerSerial: v1.Certs[0].IssuerSerial})) {
			t.Fatalf("version 1, %x: %v %+v, not %v %+v", b, ok, got, readable, v1)
		}
	})
}

func referenceCertID(v essCertIDv2) certID {
	id := certID{hash: v.HashAlgorithm, digest: v.CertHash, issuers: len(v.IssuerSerial.Issuer), serial: v.IssuerSerial.Serial}
	if id.issuers > 0 {
		id.issuer = v.IssuerSerial.Issuer[0].Bytes
	}
	return id
}
