package revocation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

var now = time.Date(2026, 3, 2, 3, 4, 5, 0, time.UTC)

type identity struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newCertificate(t testing.TB, name string, serial int64, issuer *identity, usage ...x509.ExtKeyUsage) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
		BasicConstraintsValid: true, IsCA: issuer == nil, KeyUsage: x509.KeyUsageCRLSign | x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: usage,
	}
	parent, signer := template, key
	if issuer != nil {
		parent, signer = issuer.cert, issuer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return identity{key, cert}
}

func TestOCSPResponseHasToBeCurrentAboutThisCertificateAndByAResponderOfTheIssuer(t *testing.T) {
	t.Parallel()
	ca, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "Other", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	delegate := newCertificate(t, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	idle := newCertificate(t, "No responder", 9, &ca)
	foreign := newCertificate(t, "Foreign responder", 8, &other, x509.ExtKeyUsageOCSPSigning)
	for _, c := range []struct {
		name   string
		by     identity
		change func(*ocsp.Response)
		want   error
		says   string
	}{
		{"the issuer's own", ca, func(*ocsp.Response) {}, nil, ""},
		{"a delegate's", delegate, func(*ocsp.Response) {}, nil, ""},
		{"one without the purpose", idle, func(*ocsp.Response) {}, ErrUnusable, ""},
		{"another issuer's responder", foreign, func(*ocsp.Response) {}, ErrUnusable, ""},
		{"about another serial", ca, func(r *ocsp.Response) { r.SerialNumber = big.NewInt(6) }, ErrUnusable, ""},
		{"run out", ca, func(r *ocsp.Response) { r.NextUpdate = now.Add(-time.Second) }, ErrUnusable, "run out"},
		{"without an end and new", ca, func(r *ocsp.Response) { r.NextUpdate = time.Time{} }, nil, ""},
		{"without an end and old", ca, func(r *ocsp.Response) { r.ThisUpdate, r.NextUpdate = now.AddDate(0, 0, -2), time.Time{} }, ErrUnusable, "run out"},
		{"from the future", ca, func(r *ocsp.Response) { r.ThisUpdate = now.Add(time.Hour) }, ErrUnusable, "future"},
		{"unknown", ca, func(r *ocsp.Response) { r.Status = ocsp.Unknown }, ErrUnusable, "know"},
		{"revoked", ca, func(r *ocsp.Response) { r.Status, r.RevokedAt = ocsp.Revoked, now.Add(-time.Hour) }, ErrRevoked, ""},
	} {
		r := ocsp.Response{Status: ocsp.Good, SerialNumber: leaf.cert.SerialNumber, ThisUpdate: now.Add(-time.Minute), NextUpdate: now.Add(time.Hour)}
		if c.by.cert != ca.cert {
			r.Certificate = c.by.cert
		}
		c.change(&r)
		der, err := ocsp.CreateResponse(ca.cert, c.by.cert, r, c.by.key)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if _, err = ValidateOCSP(der, leaf.cert, ca.cert, now); !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v %q", c.name, err, c.want, c.says)
		}
	}
}

func TestListHasToBeTheIssuersCompleteAndCurrent(t *testing.T) {
	t.Parallel()
	ca, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "Other", 1, nil)
	twin := newCertificate(t, "CA", 1, nil) // the same name, another key
	leaf := newCertificate(t, "Leaf", 7, &ca)
	delta := pkix.Extension{Id: []int{2, 5, 29, 27}, Critical: true, Value: []byte{2, 1, 1}}
	for _, c := range []struct {
		name   string
		by     identity
		change func(*x509.RevocationList)
		want   error
	}{
		{"empty", ca, func(*x509.RevocationList) {}, nil},
		{"another's", other, func(*x509.RevocationList) {}, ErrUnusable},
		{"of the same name and another key", twin, func(*x509.RevocationList) {}, ErrUnusable},
		{"delta", ca, func(l *x509.RevocationList) { l.ExtraExtensions = []pkix.Extension{delta} }, ErrUnusable},
		{"run out", ca, func(l *x509.RevocationList) { l.NextUpdate = now.Add(-time.Second) }, ErrUnusable},
		{"naming it", ca, func(l *x509.RevocationList) {
			l.RevokedCertificateEntries = []x509.RevocationListEntry{{SerialNumber: big.NewInt(7), RevocationTime: now.Add(-time.Minute)}}
		}, ErrRevoked},
		{"naming another", ca, func(l *x509.RevocationList) {
			l.RevokedCertificateEntries = []x509.RevocationListEntry{{SerialNumber: big.NewInt(8), RevocationTime: now.Add(-time.Minute)}}
		}, nil},
	} {
		l := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(time.Hour)}
		c.change(l)
		der, err := x509.CreateRevocationList(rand.Reader, l, c.by.cert, c.by.key)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if _, err := ValidateCRL(der, leaf.cert, ca.cert, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func FuzzJudge(f *testing.F) {
	ca := newCertificate(f, "CA", 1, nil)
	leaf := newCertificate(f, "Leaf", 7, &ca)
	r, err := ocsp.CreateResponse(ca.cert, ca.cert, ocsp.Response{SerialNumber: big.NewInt(7), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}, ca.key)
	if err != nil {
		f.Fatal(err)
	}
	l, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}, ca.cert, ca.key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(r)
	f.Add(l)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = ValidateOCSP(b, leaf.cert, ca.cert, now)
		_, _ = ValidateCRL(b, leaf.cert, ca.cert, now)
	})
}
