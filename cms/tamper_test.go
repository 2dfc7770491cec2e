package cms

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"segel/der"
)

// forgeSignedData signs any attributes, correct or not, and puts them into a container.
func forgeSignedData(t *testing.T, kind string, change func(s *Signature, attrs []Attribute) []Attribute) *SignedData {
	t.Helper()
	key, cert := newCredential(t, kind)
	scheme, err := SchemeFor(cert.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	digest := computeHash(scheme.Hash, content)
	s, err := NewSignature(digest, []*x509.Certificate{cert}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	attrs, err := s.signedAttributes(digest, cert)
	if err != nil {
		t.Fatal(err)
	}
	if attrs = change(s, attrs); attrs != nil {
		if s.Attributes, err = encodeSet(der.TagSet, attrs); err != nil {
			t.Fatal(err)
		}
	}
	value, err := s.Sign(rand.Reader, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := s.Finish(value)
	if err != nil {
		t.Fatal(err)
	}
	sd, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	return sd
}

// replaceAttribute replaces the attribute with that type by the given ones.
func replaceAttribute(attrs []Attribute, t asn1.ObjectIdentifier, by ...Attribute) []Attribute {
	rest := slices.DeleteFunc(slices.Clone(attrs), func(a Attribute) bool { return a.Type.Equal(t) })
	return append(rest, by...)
}

func marshalValue(t testing.TB, v any) []byte {
	t.Helper()
	der, err := asn1.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestSignedAttributesHaveToHoldEvenWhenTheKeySignedThem(t *testing.T) {
	t.Parallel()
	attribute := func(id asn1.ObjectIdentifier, v any) Attribute { return NewAttribute(id, marshalValue(t, v)) }
	digestAttribute := attribute(OIDMessageDigest, computeHash(crypto.SHA256, content))
	other, _ := HashIdentifier(crypto.SHA512)
	for name, c := range map[string]struct {
		change  func(s *Signature, a []Attribute) []Attribute
		wantErr string // empty: it verifies
	}{
		"as made": {func(_ *Signature, a []Attribute) []Attribute { return a }, ""},
		"no content type": {func(_ *Signature, a []Attribute) []Attribute { return replaceAttribute(a, OIDContentType) },
			"content-type does not occur"},
		"another content type": {func(_ *Signature, a []Attribute) []Attribute {
			return replaceAttribute(a, OIDContentType, attribute(OIDContentType, OIDTSTInfo))
		}, "content-type differs"},
		"no digest": {func(_ *Signature, a []Attribute) []Attribute { return replaceAttribute(a, OIDMessageDigest) },
			"message-digest does not occur"},
		"two digests": {func(_ *Signature, a []Attribute) []Attribute { return append(a, digestAttribute) },
			"message-digest does not occur"},
		"a digest of two values": {func(_ *Signature, a []Attribute) []Attribute {
			v := digestAttribute.Values[0]
			return replaceAttribute(a, OIDMessageDigest, Attribute{OIDMessageDigest, []asn1.RawValue{v, v}})
		}, "message-digest does not occur"},
		"another digest": {func(_ *Signature, a []Attribute) []Attribute {
			return replaceAttribute(a, OIDMessageDigest, attribute(OIDMessageDigest, computeHash(crypto.SHA256, nil)))
		}, "message-digest differs"},
		"another hash protected": {func(s *Signature, a []Attribute) []Attribute {
			id := pkix.AlgorithmIdentifier{Algorithm: oidECDSASHA256}
			return replaceAttribute(a, OIDAlgorithmProtection, attribute(OIDAlgorithmProtection, algorithmProtection{other, id}))
		}, "algorithm-protection names"},
		"another signature algorithm protected": {func(s *Signature, a []Attribute) []Attribute {
			id, _ := HashIdentifier(crypto.SHA256)
			return replaceAttribute(a, OIDAlgorithmProtection, attribute(OIDAlgorithmProtection, algorithmProtection{id, pkix.AlgorithmIdentifier{Algorithm: oidECDSASHA512}}))
		}, "algorithm-protection names"},
		"two protections": {func(_ *Signature, a []Attribute) []Attribute {
			p := a[len(a)-1]
			return replaceAttribute(a, OIDAlgorithmProtection, p, p)
		}, "does not occur exactly once"},
		"attributes out of order": {func(s *Signature, a []Attribute) []Attribute {
			var all []byte
			for _, x := range a {
				all = append(marshalValue(t, x), all...)
			}
			sorted := s.Attributes
			s.Attributes = marshalValue(t, asn1.RawValue{Tag: asn1.TagSet, IsCompound: true, Bytes: all})
			if bytes.Equal(sorted, s.Attributes) {
				t.Fatal("they are in order")
			}
			return nil
		}, "not DER"},
	} {
		sd := forgeSignedData(t, "P-256", c.change)
		err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content))
		if (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%s: %v, want %q", name, err, c.wantErr)
		}
	}
}

func TestSigningCertificateHasToNameTheSignersCertificate(t *testing.T) {
	t.Parallel()
	type named struct {
		hash    crypto.Hash
		sum     []byte
		issuer  []byte
		serial  *big.Int
		version asn1.ObjectIdentifier
	}
	encode := func(n named) Attribute {
		id, err := HashIdentifier(n.hash)
		if err != nil {
			t.Fatal(err)
		}
		is := issuerSerial{[]asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: n.issuer}}, asn1.RawValue{FullBytes: marshalValue(t, n.serial)}}
		if n.version.Equal(OIDSigningCertificate) {
			return NewAttribute(n.version, marshalValue(t, struct{ Certs []essCertID }{[]essCertID{{n.sum, is}}}))
		}
		return NewAttribute(n.version, marshalValue(t, struct{ Certs []essCertIDv2 }{[]essCertIDv2{{id, n.sum, is}}}))
	}
	for name, c := range map[string]struct {
		change  func(*named)
		wantErr string
	}{
		"SHA-256 spelled out": {func(*named) {}, ""},
		"SHA-512":             {func(n *named) { n.hash = crypto.SHA512 }, ""},
		"the older attribute": {func(n *named) { n.hash, n.version = crypto.SHA1, OIDSigningCertificate }, ""},
		"another hash":        {func(n *named) { n.sum = make([]byte, 32) }, "another certificate"},
		"another hash in the older attribute": {func(n *named) {
			n.hash, n.version, n.sum = crypto.SHA1, OIDSigningCertificate, make([]byte, 20)
		}, "another certificate"},
		"another serial": {func(n *named) { n.serial = big.NewInt(1) }, "another issuer or serial"},
		"another issuer": {func(n *named) { n.issuer = []byte{0x30, 0} }, "another issuer or serial"},
	} {
		sd := forgeSignedData(t, "P-256", func(s *Signature, a []Attribute) []Attribute {
			cert, err := s.parseSigningCertificate()
			if err != nil {
				t.Fatal(err)
			}
			n := named{hash: crypto.SHA256, issuer: cert.RawIssuer, serial: cert.SerialNumber, version: OIDSigningCertificateV2}
			c.change(&n)
			if n.sum == nil {
				n.sum = computeHash(n.hash, cert.Raw)
			}
			return replaceAttribute(a, OIDSigningCertificateV2, encode(n))
		})
		err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content))
		if (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%s: %v, want %q", name, err, c.wantErr)
		}
		if sd.NamesCertificate(sd.Signers[0]) != (c.wantErr == "") {
			t.Errorf("%s: bound is %v", name, c.wantErr != "")
		}
	}
	for name, same := range map[string]bool{"both": true, "both, of which the older names another": false} {
		sd := forgeSignedData(t, "P-256", func(s *Signature, a []Attribute) []Attribute {
			cert, err := s.parseSigningCertificate()
			if err != nil {
				t.Fatal(err)
			}
			n := named{crypto.SHA1, make([]byte, 20), cert.RawIssuer, cert.SerialNumber, OIDSigningCertificate}
			if same {
				n.sum = computeHash(crypto.SHA1, cert.Raw)
			}
			return append(a, encode(n))
		})
		if err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content)); (err == nil) != same || sd.NamesCertificate(sd.Signers[0]) != same {
			t.Errorf("%s: %v", name, err)
		}
	}
	absent := forgeSignedData(t, "P-256", func(_ *Signature, a []Attribute) []Attribute { return replaceAttribute(a, OIDSigningCertificateV2) })
	if absent.NamesCertificate(absent.Signers[0]) {
		t.Error("bound without the attribute")
	}
}

func TestSignatureHasToBeOfTheAlgorithmThatIsNamedAndOfTheCertificatesKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   string
		change func(*SignedData, *Signer)
		want   error // nil: any
	}{
		"RSA named, ECDSA signed":       {"P-256", func(_ *SignedData, s *Signer) { s.SignatureID.Algorithm = oidRSASHA256 }, ErrAlgorithm},
		"plain RSA named, ECDSA signed": {"P-256", func(_ *SignedData, s *Signer) { s.SignatureID.Algorithm = oidRSA }, ErrAlgorithm},
		"ECDSA named, RSA signed":       {"RSA", func(_ *SignedData, s *Signer) { s.SignatureID.Algorithm = oidECDSASHA256 }, ErrAlgorithm},
		"Ed25519 named, ECDSA signed":   {"P-256", func(_ *SignedData, s *Signer) { s.SignatureID.Algorithm = oidEd25519 }, ErrAlgorithm},
		"ECDSA named, Ed25519 signed":   {"Ed25519", func(_ *SignedData, s *Signer) { s.SignatureID.Algorithm = oidECDSASHA512 }, ErrAlgorithm},
		"PSS without parameters":        {"RSA", func(_ *SignedData, s *Signer) { s.SignatureID = pkix.AlgorithmIdentifier{Algorithm: oidPSS} }, ErrAlgorithm},
		"no signed attributes":          {"P-256", func(_ *SignedData, s *Signer) { s.SignedDER = nil }, nil},
		"no certificate":                {"P-256", func(sd *SignedData, _ *Signer) { sd.Certificates = nil }, nil},
		"another ECDSA value":           {"P-256", func(_ *SignedData, s *Signer) { s.Signature[len(s.Signature)-1] ^= 1 }, nil},
		"another RSA value":             {"RSA", func(_ *SignedData, s *Signer) { s.Signature[0] ^= 1 }, nil},
		"another Ed25519 value":         {"Ed25519", func(_ *SignedData, s *Signer) { s.Signature[0] ^= 1 }, nil},
	} {
		// Without the protection, so that the algorithm itself is checked.
		sd := forgeSignedData(t, c.kind, func(_ *Signature, a []Attribute) []Attribute { return replaceAttribute(a, OIDAlgorithmProtection) })
		s := sd.Signers[0]
		digest := computeHash(s.Digest, content)
		if err := sd.Verify(s, digest); err != nil {
			t.Fatalf("%s: before the change: %v", name, err)
		}
		c.change(sd, &s)
		if err := sd.Verify(s, digest); err == nil || !errors.Is(err, c.want) && c.want != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestSchemeThatDoesNotFitTheKeyIsNotSignedWith(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind string
		hash crypto.Hash
	}{{"P-256", crypto.SHA1}, {"RSA", crypto.SHA1}, {"Ed25519", crypto.SHA256}, {"P-256", crypto.MD5}} {
		_, cert := newCredential(t, c.kind)
		_, err := NewSignature(make([]byte, c.hash.Size()), []*x509.Certificate{cert}, Options{Scheme: Scheme{Hash: c.hash}})
		if !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s with %v: %v", c.kind, c.hash, err)
		}
	}
	_, cert := newCredential(t, "P-256")
	if _, err := NewSignature(make([]byte, 20), []*x509.Certificate{cert}, Options{}); err == nil {
		t.Error("a digest of another length was taken")
	}
	if _, err := NewSignature(make([]byte, 32), nil, Options{}); err == nil {
		t.Error("signed without a certificate")
	}
}

func TestPaddingOfPSSHasToBeAsItsParametersSay(t *testing.T) {
	t.Parallel()
	_, cert := newCredential(t, "RSA")
	id, err := (Scheme{Hash: crypto.SHA256, PSS: true}).BuildIdentifier(cert.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	var good pssParameters
	if _, err := asn1.Unmarshal(id.Parameters.FullBytes, &good); err != nil {
		t.Fatal(err)
	}
	sha512 := asn1.RawValue{FullBytes: marshalValue(t, pkix.AlgorithmIdentifier{Algorithm: oidSHA512, Parameters: asn1Null})}
	for name, change := range map[string]func(*pssParameters){
		"another mask":                func(p *pssParameters) { p.MGF.Algorithm = oidSHA256 },
		"another hash in the mask":    func(p *pssParameters) { p.MGF.Parameters = sha512 },
		"another trailer":             func(p *pssParameters) { p.TrailerField = 2 },
		"an unknown hash":             func(p *pssParameters) { p.Hash.Algorithm = oidRSA },
		"a mask without a hash":       func(p *pssParameters) { p.MGF.Parameters = asn1.RawValue{} },
		"a mask whose hash is no OID": func(p *pssParameters) { p.MGF.Parameters = asn1Null },
	} {
		p := good
		change(&p)
		id := pkix.AlgorithmIdentifier{Algorithm: oidPSS, Parameters: asn1.RawValue{FullBytes: marshalValue(t, p)}}
		if _, err := parseScheme(id, crypto.SHA256, cert); !errors.Is(err, ErrAlgorithm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyThatIsTooCostlyToVerifyWithIsRefused(t *testing.T) {
	t.Parallel()
	huge := &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), maxRSA, 1), E: 65537}
	if err := CheckKey(huge); !errors.Is(err, ErrAlgorithm) {
		t.Errorf("%d bits: %v", huge.N.BitLen(), err)
	}
	if err := CheckKey(&rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), maxRSA-1, 1), E: 65537}); err != nil {
		t.Error(err)
	}
	key, cert := newCredential(t, "P-256")
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, huge, key)
	if err != nil {
		t.Fatal(err)
	}
	certs, refused, err := parseCertificates(append(der, cert.Raw...))
	if err != nil || len(refused) != 1 || !errors.Is(refused[0], ErrAlgorithm) || len(certs) != 1 || !bytes.Equal(certs[0].Raw, cert.Raw) {
		t.Errorf("in a container: %d certificates, refused %v: %v", len(certs), refused, err)
	}
}
