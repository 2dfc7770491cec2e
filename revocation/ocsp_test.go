package revocation

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

// respond makes a good answer about a serial, of the certificate named as its issuer, signed by another perhaps.
func respond(t testing.TB, named *x509.Certificate, by identity, change func(*ocsp.Response)) []byte {
	t.Helper()
	r := ocsp.Response{Status: ocsp.Good, SerialNumber: big.NewInt(7), ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(time.Hour)}
	change(&r)
	der, err := ocsp.CreateResponse(named, by.cert, r, by.key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// namesake certifies another name or key, signed by itself.
func namesake(t *testing.T, subject pkix.Name, key identity) *x509.Certificate {
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
	ca, other := certify(t, "CA", 1, nil), certify(t, "Other", 1, nil)
	leaf := certify(t, "Leaf", 7, &ca)
	for _, hash := range []crypto.Hash{crypto.SHA1, crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		for name, c := range map[string]struct {
			named *x509.Certificate
			want  error
		}{
			"the issuer":                     {ca.cert, nil},
			"another issuer":                 {other.cert, ErrUnfit},
			"another key of the same name":   {namesake(t, ca.cert.Subject, other), ErrUnfit},
			"the same key of another name":   {namesake(t, other.cert.Subject, ca), ErrUnfit},
			"the same name and key, renewed": {namesake(t, ca.cert.Subject, ca), nil},
		} {
			// Signed by the issuer in any case: one responder may serve several authorities.
			der := respond(t, c.named, ca, func(r *ocsp.Response) { r.IssuerHash = hash })
			if _, err := JudgeOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, c.want) {
				t.Errorf("%s by %v: %v, want %v", name, hash, err, c.want)
			}
		}
	}
}

func TestResponderIsValidAtTheTimeItIsReliedOn(t *testing.T) {
	t.Parallel()
	ca := certify(t, "CA", 1, nil)
	leaf, delegate := certify(t, "Leaf", 7, &ca), certify(t, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	for _, c := range []struct {
		at   time.Time
		want error
	}{
		{delegate.cert.NotBefore, nil}, {delegate.cert.NotBefore.Add(-time.Second), ErrUnfit},
		{delegate.cert.NotAfter, nil}, {delegate.cert.NotAfter.Add(time.Second), ErrUnfit},
	} {
		der := respond(t, ca.cert, delegate, func(r *ocsp.Response) {
			r.Certificate, r.ThisUpdate, r.NextUpdate = delegate.cert, c.at, c.at.Add(time.Hour)
		})
		if _, err := JudgeOCSP(der, leaf.cert, ca.cert, c.at); !errors.Is(err, c.want) {
			t.Errorf("at %s: %v, want %v", c.at, err, c.want)
		}
	}
}

func TestResponderWithACostlyKeyIsRefusedWithoutVerifying(t *testing.T) {
	t.Parallel()
	ca := certify(t, "CA", 1, nil)
	leaf := certify(t, "Leaf", 7, &ca)
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
		der = respond(t, ca.cert, identity{ca.key, cert}, func(r *ocsp.Response) { r.Certificate = cert })
		if _, err := JudgeOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), says) {
			t.Errorf("%d bits: %v, want %q", bits, err, says)
		}
	}
}

func TestBytesThatAreNoAnswerAreUnfit(t *testing.T) {
	t.Parallel()
	ca := certify(t, "CA", 1, nil)
	leaf := certify(t, "Leaf", 7, &ca)
	good := respond(t, ca.cert, ca, func(*ocsp.Response) {})
	if _, err := JudgeOCSP(make([]byte, maxOCSP+1), leaf.cert, ca.cert, now); err == nil || !strings.Contains(err.Error(), "of 262145 bytes") {
		t.Errorf("too long: %v", err)
	}
	for name, der := range map[string][]byte{
		"nothing": nil, "a page": []byte("<html>"), "cut off": good[:len(good)-1], "bytes behind": append(bytes.Clone(good), 0),
		"a refusal": ocsp.UnauthorizedErrorResponse, "no body": {0x30, 3, 10, 1, 0},
	} {
		if _, err := JudgeOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoChangedByteOfAnAnswerChangesItsVerdict(t *testing.T) {
	t.Parallel()
	ca := certify(t, "CA", 1, nil)
	leaf, delegate := certify(t, "Leaf", 7, &ca), certify(t, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	der := respond(t, ca.cert, delegate, func(r *ocsp.Response) {
		r.Certificate, r.Status, r.RevokedAt = delegate.cert, ocsp.Revoked, now.Add(-time.Hour)
	})
	for i := range der {
		b := bytes.Clone(der)
		b[i] ^= 1
		if _, err := JudgeOCSP(b, leaf.cert, ca.cert, now); err == nil {
			t.Errorf("byte %d of %d changed, and the certificate is good", i, len(der))
		}
	}
}
