package revocation

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
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// buildResponse builds a good response about a serial of the named issuer, signed by by.
func buildResponse(t testing.TB, named *x509.Certificate, by identity, change func(*ocsp.Response)) []byte {
	t.Helper()
	r := ocsp.Response{Status: ocsp.Good, SerialNumber: big.NewInt(7), ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(time.Hour)}
	change(&r)
	der, err := ocsp.CreateResponse(named, by.cert, r, by.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// newNamesake returns a self-signed certificate with that subject and key.
func newNamesake(t *testing.T, subject pkix.Name, key identity) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: subject, NotAfter: now.AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.key.Public(), key.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestSerialAloneDoesNotSayWhoseCertificateAnAnswerIsAbout(t *testing.T) {
	t.Parallel()
	ca, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "Other", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	for _, hash := range []crypto.Hash{crypto.SHA1, crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		for name, c := range map[string]struct {
			named *x509.Certificate
			want  error
		}{
			"the issuer":                     {ca.cert, nil},
			"another issuer":                 {other.cert, ErrUnusable},
			"another key of the same name":   {newNamesake(t, ca.cert.Subject, other), ErrUnusable},
			"the same key of another name":   {newNamesake(t, other.cert.Subject, ca), ErrUnusable},
			"the same name and key, renewed": {newNamesake(t, ca.cert.Subject, ca), nil},
		} {
			// Always signed by the issuer: one responder may serve several authorities.
			der := buildResponse(t, c.named, ca, func(r *ocsp.Response) { r.IssuerHash = hash })
			if _, err := validateOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, c.want) {
				t.Errorf("%s by %v: %v, want %v", name, hash, err, c.want)
			}
		}
	}
}

func TestResponderIsValidAtTheTimeItIsReliedOn(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf, delegate := newCertificate(t, "Leaf", 7, &ca), newCertificate(t, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	for _, c := range []struct {
		at   time.Time
		want error
	}{
		{delegate.cert.NotBefore, nil}, {delegate.cert.NotBefore.Add(-time.Second), ErrUnusable},
		{delegate.cert.NotAfter, nil}, {delegate.cert.NotAfter.Add(time.Second), ErrUnusable},
	} {
		der := buildResponse(t, ca.cert, delegate, func(r *ocsp.Response) {
			r.Certificate, r.ThisUpdate, r.NextUpdate = delegate.cert, c.at, c.at.Add(time.Hour)
		})
		if _, err := validateOCSP(der, leaf.cert, ca.cert, c.at); !errors.Is(err, c.want) {
			t.Errorf("at %s: %v, want %v", c.at, err, c.want)
		}
	}
}

func TestResponderHasACertificateThatWouldBeAcceptedInAPath(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	noCheck := pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}, Critical: true, Value: asn1.NullBytes}
	for name, c := range map[string]struct {
		change func(*x509.Certificate)
		want   error
	}{
		"any":                                 {func(*x509.Certificate) {}, nil},
		"with id-pkix-ocsp-nocheck, critical": {func(c *x509.Certificate) { c.ExtraExtensions = []pkix.Extension{noCheck} }, nil},
		"with an unknown critical extension": {func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{noCheck, {Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Critical: true, Value: asn1.NullBytes}}
		}, ErrUnusable},
		"signed with SHA-1": {func(c *x509.Certificate) { c.SignatureAlgorithm = x509.ECDSAWithSHA1 }, ErrUnusable},
	} {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(9), Subject: pkix.Name{CommonName: "Responder"}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning},
		}
		c.change(template)
		der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, leaf.key.Public(), ca.key)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		der = buildResponse(t, ca.cert, identity{leaf.key, cert}, func(r *ocsp.Response) { r.Certificate = cert })
		if _, err := validateOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestResponderWithACostlyKeyIsRefusedWithoutVerifying(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	const most = 16384
	for bits, says := range map[int]string{most: "signature", most + 1: "bits"} {
		huge := &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), bits-1, 1), E: 65537}
		template := &x509.Certificate{SerialNumber: big.NewInt(9), NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}}
		der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, huge, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		der = buildResponse(t, ca.cert, identity{ca.key, cert}, func(r *ocsp.Response) { r.Certificate = cert })
		if _, err := validateOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), says) {
			t.Errorf("%d bits: %v, want %q", bits, err, says)
		}
	}
}

func TestBytesThatAreNotAResponseAreUnusable(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	good := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	if _, err := validateOCSP(make([]byte, maxOCSP+1), leaf.cert, ca.cert, now); err == nil || !strings.Contains(err.Error(), "of 262145 bytes") {
		t.Errorf("too long: %v", err)
	}
	for name, der := range map[string][]byte{
		"nothing": nil, "a page": []byte("<html>"), "cut off": good[:len(good)-1], "bytes behind": append(bytes.Clone(good), 0),
		"a refusal": ocsp.UnauthorizedErrorResponse, "no body": {0x30, 3, 10, 1, 0},
	} {
		if _, err := validateOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoChangedByteOfAnAnswerChangesItsVerdict(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf, delegate := newCertificate(t, "Leaf", 7, &ca), newCertificate(t, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	der := buildResponse(t, ca.cert, delegate, func(r *ocsp.Response) {
		r.Certificate, r.Status, r.RevokedAt = delegate.cert, ocsp.Revoked, now.Add(-time.Hour)
	})
	for i := range der {
		b := bytes.Clone(der)
		b[i] ^= 1
		if _, err := validateOCSP(b, leaf.cert, ca.cert, now); err == nil {
			t.Errorf("byte %d of %d changed, and the certificate is good", i, len(der))
		}
	}
}

// prependCertificates puts unsigned certificates in front of those in a response.
func prependCertificates(t *testing.T, der []byte, certs ...*x509.Certificate) []byte {
	t.Helper()
	var outer struct {
		Status asn1.Enumerated
		Body   struct {
			Type     asn1.ObjectIdentifier
			Response []byte
		} `asn1:"explicit,tag:0,optional"`
	}
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		t.Fatal(err)
	}
	var basic struct {
		Data         asn1.RawValue
		Algorithm    pkix.AlgorithmIdentifier
		Signature    asn1.BitString
		Certificates []asn1.RawValue `asn1:"explicit,tag:0,optional"`
	}
	if _, err := asn1.Unmarshal(outer.Body.Response, &basic); err != nil {
		t.Fatal(err)
	}
	var all []asn1.RawValue
	for _, c := range certs {
		all = append(all, asn1.RawValue{FullBytes: c.Raw})
	}
	basic.Certificates = append(all, basic.Certificates...)
	var err error
	if outer.Body.Response, err = asn1.Marshal(basic); err != nil {
		t.Fatal(err)
	}
	if der, err = asn1.Marshal(outer); err != nil {
		t.Fatal(err)
	}
	return der
}

func TestResponderIsFoundByItsNameAmongWhateverTheResponseCarries(t *testing.T) {
	t.Parallel()
	root := newCertificate(t, "Root", 1, nil)
	ca := newCertificate(t, "CA", 2, &root)
	ca.cert.IsCA = true
	leaf, delegate := newCertificate(t, "Leaf", 7, &ca), newCertificate(t, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	namesake := newCertificate(t, "Responder", 9, &root, x509.ExtKeyUsageOCSPSigning)
	own := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	delegated := buildResponse(t, ca.cert, delegate, func(r *ocsp.Response) { r.Certificate = delegate.cert })
	many := make([]*x509.Certificate, maxResponders)
	for i := range many {
		many[i] = root.cert
	}
	for name, c := range map[string]struct {
		der []byte
		by  *x509.Certificate // nil: unusable
	}{
		"the issuer, with its own certificate": {prependCertificates(t, own, ca.cert), ca.cert},
		"the issuer, with others":              {prependCertificates(t, own, delegate.cert, root.cert), ca.cert},
		"a delegate behind others":             {prependCertificates(t, delegated, root.cert, ca.cert), delegate.cert},
		"a delegate behind its namesake":       {prependCertificates(t, delegated, namesake.cert), nil},
		"a delegate behind too many":           {prependCertificates(t, delegated, many...), nil},
	} {
		s, err := VerifyOCSP(c.der, leaf.cert, ca.cert)
		if c.by == nil && !errors.Is(err, ErrUnusable) || c.by != nil && (err != nil || !s.Responder.Equal(c.by)) {
			t.Errorf("%s: %v, %v", name, s.Responder, err)
		}
	}
}

func TestStatusTellsWhenAndWhyACertificateWasRevoked(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	at := now.Add(-time.Hour)
	der := buildResponse(t, ca.cert, ca, func(r *ocsp.Response) {
		r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, at, ocsp.Superseded
	})
	s, err := validateOCSP(der, leaf.cert, ca.cert, now)
	var revoked *RevokedError
	if !errors.As(err, &revoked) || revoked.Serial.Cmp(leaf.cert.SerialNumber) != 0 || revoked.Status.At != s.At {
		t.Fatalf("%v", err)
	}
	want := Status{CertStatus: Revoked, At: at, Reason: Superseded, ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(time.Hour), Responder: ca.cert, Algorithm: x509.ECDSAWithSHA256}
	if s != want || s.RevokedBy(at.Add(-time.Second)) || !s.RevokedBy(at) || s.InvalidatesTimestamps() {
		t.Errorf("%+v", s)
	}
	if err := s.Check(leaf.cert, at.Add(-time.Second)); err == nil || errors.Is(err, ErrRevoked) {
		t.Errorf("of a time before it was made: %v", err)
	}
	for name, reason := range map[string]Reason{"keyCompromise": KeyCompromise, "unspecified": Unspecified} {
		s.Reason = reason
		if got, ok := ParseReason(name); !ok || got != reason || reason.String() != name || !s.InvalidatesTimestamps() {
			t.Errorf("%s: %v", name, got)
		}
	}
}
