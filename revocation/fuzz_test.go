package revocation

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
	"pgregory.net/rapid"
)

// What comes after the signature of a response is read where FuzzJudge does not get to.
func FuzzResponse(f *testing.F) {
	ca := newCertificate(f, "CA", 1, nil)
	leaf, delegate := newCertificate(f, "Leaf", 7, &ca), newCertificate(f, "Responder", 8, &ca, x509.ExtKeyUsageOCSPSigning)
	f.Add(buildResponse(f, ca.cert, ca, func(*ocsp.Response) {}))
	f.Add(buildResponse(f, ca.cert, delegate, func(r *ocsp.Response) {
		r.Certificate, r.Status, r.RevokedAt, r.RevocationReason = delegate.cert, ocsp.Revoked, now, ocsp.KeyCompromise
	}))
	f.Fuzz(func(t *testing.T, der []byte) {
		basic, err := parseOCSP(der)
		if err != nil {
			if !errors.Is(err, ErrUnusable) {
				t.Error(err)
			}
			return
		}
		for _, r := range basic.Data.Responses {
			if s, err := r.toStatus(); err == nil && (s.CertStatus == Revoked) == s.At.IsZero() {
				t.Errorf("%+v", s)
			}
		}
		if c, err := basic.findDelegate(ca.cert, nil); err == nil && c != nil && !bytes.Equal(c.RawIssuer, ca.cert.RawSubject) {
			t.Error("a responder of another issuer")
		}
		_, _ = basic.findResponse(leaf.cert, ca.cert)
		_, _ = signatureAlgorithm(basic.Algorithm)
	})
}

// Our reading of a list is held against that of crypto/x509, which makes a value of every entry.
func FuzzList(f *testing.F) {
	ca := newCertificate(f, "CA", 1, nil)
	for _, entries := range [][]x509.RevocationListEntry{nil, {{SerialNumber: big.NewInt(7), RevocationTime: now, ReasonCode: 4}, {SerialNumber: big.NewInt(300), RevocationTime: now.AddDate(40, 0, 0)}}} {
		der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
			Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour), RevokedCertificateEntries: entries,
		}, ca.cert, ca.key)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(der)
	}
	f.Fuzz(func(t *testing.T, der []byte) {
		l, err := ParseList(der)
		if err != nil && !errors.Is(err, ErrUnusable) {
			t.Error(err)
		}
		whole, other := x509.ParseRevocationList(der)
		if err != nil || other != nil {
			return
		}
		sameHead(t, l, whole)
		for _, e := range whole.RevokedCertificateEntries {
			sameEntry(t, l, whole, e.SerialNumber)
		}
	})
}

func sameHead(t testing.TB, l *List, whole *x509.RevocationList) {
	t.Helper()
	if !bytes.Equal(l.head.RawTBSRevocationList, whole.RawTBSRevocationList) || !bytes.Equal(l.head.RawIssuer, whole.RawIssuer) ||
		!l.head.ThisUpdate.Equal(whole.ThisUpdate) || !l.head.NextUpdate.Equal(whole.NextUpdate) || !bytes.Equal(l.head.Signature, whole.Signature) ||
		l.head.SignatureAlgorithm != whole.SignatureAlgorithm || len(l.head.Extensions) != len(whole.Extensions) {
		t.Error("the list is another one without its entries")
	}
}

// sameEntry compares what both say of a serial. The earliest entry counts where there are several.
func sameEntry(t testing.TB, l *List, whole *x509.RevocationList, serial *big.Int) {
	t.Helper()
	var s Status
	err := l.scanEntries(l.entries, serial, &s)
	var indexed Status
	if bad := newIndex(l).findStatus(l, serial, &indexed); (bad == nil) != (err == nil) || err == nil && indexed != s {
		t.Errorf("serial %x: %+v %v by the index, %+v %v by the walk", serial, indexed, bad, s, err)
	}
	if err != nil {
		return // we are stricter
	}
	var want Status
	for _, e := range whole.RevokedCertificateEntries {
		if e.SerialNumber.Cmp(serial) == 0 && (want.CertStatus != Revoked || e.RevocationTime.Before(want.At)) {
			want = Status{CertStatus: Revoked, At: e.RevocationTime.UTC(), Reason: Reason(e.ReasonCode)}
		}
	}
	if s.CertStatus != want.CertStatus || !s.At.Equal(want.At) || s.Reason != want.Reason {
		t.Errorf("serial %x: %+v, want %+v", serial, s, want)
	}
}

func TestListIsReadAsCryptoX509ReadsIt(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	rapid.Check(t, func(r *rapid.T) {
		l := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}
		serial := rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 21), func(b []byte) *big.Int { return new(big.Int).SetBytes(b) })
		for range rapid.IntRange(0, 20).Draw(r, "entries") {
			e := x509.RevocationListEntry{
				SerialNumber: serial.Draw(r, "serial"), ReasonCode: rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 9, 10}).Draw(r, "reason"),
				RevocationTime: now.AddDate(rapid.IntRange(-60, 60).Draw(r, "year"), 0, 0),
			}
			if rapid.Bool().Draw(r, "invalidity date") {
				e.ExtraExtensions = []pkix.Extension{{Id: []int{2, 5, 29, 24}, Value: []byte("\x18\x0f20260101000000Z")}}
			}
			l.RevokedCertificateEntries = append(l.RevokedCertificateEntries, e)
		}
		der, err := x509.CreateRevocationList(rand.Reader, l, ca.cert, ca.key)
		if err != nil {
			r.Fatal(err)
		}
		whole, err := x509.ParseRevocationList(der)
		if err != nil {
			r.Fatal(err)
		}
		ours, err := ParseList(der)
		if err != nil {
			r.Fatal(err)
		}
		sameHead(t, ours, whole)
		sameEntry(t, ours, whole, serial.Draw(r, "another"))
		for _, e := range whole.RevokedCertificateEntries {
			sameEntry(t, ours, whole, e.SerialNumber)
		}
	})
}

func FuzzReadDER(f *testing.F) {
	f.Add([]byte{0x30, 0x82, 0, 1, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		der, err := readDER(bytes.NewReader(b), 100)
		if err == nil && (len(der) > 100 || !bytes.Equal(der, b)) {
			t.Errorf("%d bytes of %d", len(der), len(b))
		}
	})
}
