package cms

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var content = []byte("Perjanjian sewa, halaman 1")

// newCredential makes a key with a certificate that it signed itself.
func newCredential(t testing.TB, kind string) (crypto.Signer, *x509.Certificate) {
	t.Helper()
	var key crypto.Signer
	var err error
	switch kind {
	case "P-256":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "P-384":
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "Ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(4711), Subject: pkix.Name{CommonName: "Sari " + kind}, SubjectKeyId: []byte{1, 2, 3},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, cert
}

func signContainer(t testing.TB, kind string, o Options, unsigned ...Attribute) (der []byte, cert *x509.Certificate) {
	t.Helper()
	key, cert := newCredential(t, kind)
	o.Scheme.PSS = kind == "PSS"
	scheme, err := SchemeFor(cert.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSignature(computeHash(scheme.Hash, content), []*x509.Certificate{cert}, o)
	if err != nil {
		t.Fatal(err)
	}
	value, err := s.Sign(rand.Reader, key)
	if err != nil {
		t.Fatal(err)
	}
	if der, err = s.Finish(value, unsigned...); err != nil {
		t.Fatal(err)
	}
	size, err := s.Size(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(unsigned) == 0 && (len(der) > size || size > len(der)+64) {
		t.Errorf("%s: %d bytes, expected at most %d and not far below", kind, len(der), size)
	}
	return der, cert
}

func computeHash(h crypto.Hash, b []byte) []byte {
	f := h.New()
	f.Write(b)
	return f.Sum(nil)
}

var kinds = []string{"P-256", "P-384", "RSA", "PSS", "Ed25519"}

func TestEveryKindOfKeySignsWhatOpenSSLVerifies(t *testing.T) {
	t.Parallel()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Fatal("openssl is needed to judge: ", err)
	}
	for _, kind := range kinds {
		if kind == "Ed25519" {
			continue // OpenSSL 3.0 has no Ed25519 in CMS
		}
		der, cert := signContainer(t, kind, Options{})
		dir := t.TempDir()
		write := func(name string, b []byte) string {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			return file
		}
		ca := write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}))
		out, err := exec.Command(openssl, "cms", "-verify", "-binary", "-inform", "DER", "-in", write("s.der", der),
			"-content", write("content", content), "-CAfile", ca, "-purpose", "any", "-out", os.DevNull).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", kind, err, out)
		}
	}
}

func TestEveryKindOfKeyVerifiesAndOtherContentDoesNot(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		der, cert := signContainer(t, kind, Options{})
		sd, err := Parse(append(der, 0, 0, 0))
		if err != nil {
			t.Fatal(kind, err)
		}
		s := sd.Signers[0]
		if err := sd.Verify(s, computeHash(s.Digest, content)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if !sd.NamesCertificate(s) || !sd.Certificate(s).Equal(cert) {
			t.Errorf("%s: the certificate is not bound", kind)
		}
		if sd.Verify(s, computeHash(s.Digest, []byte("other"))) == nil {
			t.Errorf("%s: other content verifies", kind)
		}
	}
}

func TestNoSingleChangedByteOfASignatureVerifies(t *testing.T) {
	t.Parallel()
	der, cert := signContainer(t, "P-256", Options{})
	digest := computeHash(crypto.SHA256, content)
	// The certificate's own bytes are bound by signing-certificate-v2 alone, so they are in the loop too.
	unbound := 0
	for i := range der {
		b := bytes.Clone(der)
		b[i] ^= 0x01
		sd, err := Parse(b)
		if err != nil || len(sd.Signers) != 1 {
			continue
		}
		if sd.Verify(sd.Signers[0], digest) == nil {
			unbound++
			// Versions and the list of digest algorithms say nothing that is relied upon.
			if i > 60 && i < len(der)-len(cert.Raw)-700 {
				t.Errorf("byte %d of %d changed, and it verifies", i, len(der))
			}
		}
	}
	if unbound > 24 {
		t.Errorf("%d bytes can change unseen", unbound)
	}
}

func TestSwappedCertificateOfTheSameKeyIsRefused(t *testing.T) {
	t.Parallel()
	key, cert := newCredential(t, "P-256")
	template := &x509.Certificate{SerialNumber: cert.SerialNumber, Subject: cert.Subject, NotBefore: cert.NotBefore, NotAfter: cert.NotAfter.Add(time.Hour)}
	other, err := x509.CreateCertificate(rand.Reader, template, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSignature(computeHash(crypto.SHA256, content), []*x509.Certificate{cert}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	value, err := s.Sign(rand.Reader, key)
	if err != nil {
		t.Fatal(err)
	}
	s.Chain[0] = other
	der, err := s.Finish(value)
	if err != nil {
		t.Fatal(err)
	}
	sd, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	if err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, content)); err == nil {
		t.Error("a certificate that was not signed for verifies")
	}
}

func TestKeyThatIsNotTheCertificatesDoesNotSign(t *testing.T) {
	t.Parallel()
	_, cert := newCredential(t, "P-256")
	other, _ := newCredential(t, "P-256")
	s, err := NewSignature(computeHash(crypto.SHA256, content), []*x509.Certificate{cert}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sign(rand.Reader, other); err == nil {
		t.Error("another key signed")
	}
}

func TestUnsignedAttributeIsKept(t *testing.T) {
	t.Parallel()
	der, _ := signContainer(t, "P-256", Options{}, NewAttribute(OIDSignatureTimestamp, []byte{0x04, 0x01, 0x07}))
	sd, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	v, ok, err := FindAttributeValue(sd.Signers[0].Unsigned, OIDSignatureTimestamp)
	if err != nil || !ok || !bytes.Equal(v, []byte{0x04, 0x01, 0x07}) {
		t.Errorf("%x %v %v", v, ok, err)
	}
}

func TestBytesBehindTheContainerAreRefused(t *testing.T) {
	t.Parallel()
	der, _ := signContainer(t, "P-256", Options{})
	if _, err := Parse(append(der, 1)); err == nil {
		t.Error("accepted")
	}
}

func FuzzParse(f *testing.F) {
	for _, kind := range []string{"P-256", "PSS", "Ed25519"} {
		der, _ := signContainer(f, kind, Options{})
		f.Add(der)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		sd, err := Parse(b)
		if err != nil {
			return
		}
		for _, s := range sd.Signers {
			// Whatever comes, verifying ends with a verdict.
			_ = sd.Verify(s, make([]byte, s.Digest.Size()))
			_ = sd.NamesCertificate(s)
		}
	})
}

func ExampleNewSignature() {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Sari"}}
	der, _ := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	cert, _ := x509.ParseCertificate(der)

	digest := computeHash(crypto.SHA256, content) // of what is signed
	s, _ := NewSignature(digest, []*x509.Certificate{cert}, Options{})
	value, _ := s.Sign(rand.Reader, key) // or send s.Digest() to a key far away
	container, _ := s.Finish(value)

	sd, _ := Parse(container)
	fmt.Println(sd.Verify(sd.Signers[0], digest))
	// Output: <nil>
}
