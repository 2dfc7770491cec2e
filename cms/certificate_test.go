package cms

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"runtime"
	"testing"
)

func TestCertificateIsReadOnceWhileItIsHeldAndForgottenAfterwards(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	twin := func(name string) []byte { // with the same serial
		template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	one, other := twin("One"), twin("One")
	a, err := ParseCertificate(one)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := ParseCertificate(bytes.Clone(one)); err != nil || b != a {
		t.Errorf("the same bytes are another certificate: %v", err)
	}
	if b, err := ParseCertificate(other); err != nil || b == a || !bytes.Equal(b.Raw, other) {
		t.Errorf("another certificate of that name and serial is taken for it: %v", err)
	}
	if _, err := ParseCertificate(append(bytes.Clone(one), 0)); err == nil {
		t.Error("a byte after the certificate is ignored")
	}
	runtime.KeepAlive(a)
	a = nil
	for range 100 { // cleanups run after a collection, in a goroutine of the runtime
		runtime.GC()
		certificates.mu.RLock()
		_, known := certificates.parsed[string(one)]
		certificates.mu.RUnlock()
		if !known {
			return
		}
	}
	t.Error("an unused certificate is not forgotten")
}

func TestStrictParsingRefusesWhatTheStandardLibraryRefuses(t *testing.T) {
	t.Parallel()
	key, regular := newCredential(t, "P-256")
	odd := newIssuer(t).certify(t, key.Public(), func(p *parts) { p.serial = []byte{2, 2, 0x80, 1} })
	_, want := x509.ParseCertificate(odd)
	if c, err := ParseCertificate(odd); c == nil || err != nil {
		t.Fatal(err)
	}
	for range 2 { // parsed, and in use
		if _, err := ParseStrictCertificate(odd); want == nil || err == nil || errors.Unwrap(err).Error() != want.Error() {
			t.Errorf("%v, not %v", err, want)
		}
		c, err := ParseStrictCertificate(regular.Raw)
		if err != nil || !c.Equal(regular) {
			t.Errorf("a regular certificate: %v", err)
		}
		defer runtime.KeepAlive(c)
	}
	if _, err := ParseStrictCertificate([]byte{0x30, 0}); err == nil {
		t.Error("an empty sequence is a certificate")
	}
}
