package cms

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
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
	twin := func(name string) []byte { // of the same serial
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
		t.Error("a byte behind the certificate is passed over")
	}
	runtime.KeepAlive(a)
	a = nil
	for range 100 { // cleanups run behind a collection, in a goroutine of the runtime's own
		runtime.GC()
		if _, known := certificateCache.Load(string(one)); !known {
			return
		}
	}
	t.Error("a certificate that nobody holds is remembered")
}
