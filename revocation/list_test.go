package revocation

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"math/big"
	"slices"
	"testing"
	"time"
)

func TestListIsReadOnceHoweverManyCertificatesItIsAskedAbout(t *testing.T) {
	t.Parallel()
	ca, namesake := newCertificate(t, "CA", 1, nil), newCertificate(t, "CA", 1, nil) // with the same name and serial
	var entries []x509.RevocationListEntry
	for n := range int64(2000) {
		entries = append(entries, x509.RevocationListEntry{SerialNumber: big.NewInt(2*n + 1), RevocationTime: now.Add(-time.Duration(n) * time.Minute)})
	}
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour), RevokedCertificateEntries: entries,
	}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseList(der)
	if err != nil {
		t.Fatal(err)
	}
	leaf := newCertificate(t, "Leaf", 7, &ca)
	for n := range int64(4010) {
		cert := *leaf.cert
		cert.SerialNumber = big.NewInt(n)
		s, err := l.Verify(&cert, ca.cert)
		want := Status{CertStatus: Good, ThisUpdate: now, NextUpdate: now.Add(time.Hour), Responder: ca.cert, Algorithm: x509.ECDSAWithSHA256}
		if n%2 == 1 && n < 4000 {
			want.CertStatus, want.At = Revoked, now.Add(-time.Duration(n/2)*time.Minute)
		}
		if err != nil || s != want {
			t.Fatalf("serial %d: %+v %v, want %+v", n, s, err, want)
		}
		if _, err := l.Verify(&cert, namesake.cert); err == nil {
			t.Fatalf("serial %d: the list of another issuer with that name is accepted", n)
		}
	}
	if len(l.signed) != 2 || len(l.index.rows) != len(entries) {
		t.Errorf("%d signatures, %d rows", len(l.signed), len(l.index.rows))
	}
}

func TestRevokedSerialIsFoundInWhateverLengthItIsWritten(t *testing.T) {
	t.Parallel()
	// Authorities that write such serials into certificates write them into lists.
	for serial, written := range map[int64][]byte{7: {0, 0, 0, 7}, 0x87: {0, 0, 0x87}, -0x79: {0xff, 0xff, 0x87}, 0: {0, 0}} {
		entry := slices.Concat([]byte{2, byte(len(written))}, written, []byte{23, 13}, []byte("260101000000Z"))
		l := &List{entries: append([]byte{0x30, byte(len(entry))}, entry...)}
		for _, how := range []string{"scanned", "by the index"} {
			var s Status
			if err := l.findStatus(big.NewInt(serial), &s); err != nil || s.CertStatus != Revoked {
				t.Errorf("serial %d, %s: %v %v", serial, how, s.CertStatus, err)
			}
			var other Status
			if err := l.findStatus(big.NewInt(serial+1), &other); err != nil || other.CertStatus == Revoked {
				t.Errorf("serial %d for another, %s: %v %v", serial, how, other.CertStatus, err)
			}
		}
	}
}

func TestListIsHeldAgainstFewIssuersOfOneName(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseList(der)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxIssuers {
		if _, err := l.Verify(leaf.cert, newCertificate(t, "CA", 1, nil).cert); err == nil {
			t.Fatal("the list of another authority is accepted")
		}
	}
	if len(l.signed) > maxIssuers {
		t.Errorf("%d signatures", len(l.signed))
	}
}

func TestResponderIsCheckedOnceForEachIssuer(t *testing.T) {
	t.Parallel()
	ca, namesake := newCertificate(t, "CA", 1, nil), newCertificate(t, "CA", 1, nil)
	responder := newCertificate(t, "Responder", 9, &ca, x509.ExtKeyUsageOCSPSigning)
	known := responders{}
	for range 3 {
		if err := known.verifyDelegate(responder.cert, ca.cert); err != nil {
			t.Error(err)
		}
		if known.verifyDelegate(responder.cert, namesake.cert) == nil {
			t.Error("another CA with the name and serial of the issuer made the responder")
		}
	}
	if len(known) != 2 {
		t.Errorf("%d are remembered", len(known))
	}
}

func TestListSpeaksOfOthersBesideRevocationsOfLaterCenturies(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	far := x509.RevocationListEntry{SerialNumber: big.NewInt(99), RevocationTime: time.Date(2061, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour), RevokedCertificateEntries: []x509.RevocationListEntry{far},
	}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := VerifyCRL(der, leaf.cert, ca.cert); err != nil || s.CertStatus != Good {
		t.Errorf("%+v %v", s, err)
	}
}

func TestAListWhoseSignatureIsRememberedIsRefusedWithOtherEntries(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	leaf := newCertificate(t, "Leaf", 7, &ca)
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{{SerialNumber: big.NewInt(7), RevocationTime: now}},
	}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := VerifyCRL(der, leaf.cert, ca.cert); err != nil || s.CertStatus != Revoked {
		t.Fatalf("%+v %v", s, err)
	}
	entry := []byte{2, 1, 7, 23} // the serial, and the tag of the time
	if bytes.Count(der, entry) != 1 {
		t.Fatalf("%d entries in %x", bytes.Count(der, entry), der)
	}
	changed := bytes.Replace(der, entry, []byte{2, 1, 8, 23}, 1)
	if s, err := VerifyCRL(changed, leaf.cert, ca.cert); err == nil {
		t.Errorf("the list without the serial is accepted: %+v", s)
	}
}
