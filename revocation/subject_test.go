package revocation

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

func TestSubjectOfValidationDataIsRead(t *testing.T) {
	t.Parallel()
	ca, other := newCertificate(t, "CA", 1, nil), newCertificate(t, "Other", 1, nil)
	response := buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.SerialNumber, r.ThisUpdate = big.NewInt(7), now })
	one, err := OCSPSubjects(response)
	if err != nil || len(one) != 1 || one[0] != (Subject{"serial 7", now}) {
		t.Errorf("%v %v", one, err)
	}
	basic, err := OCSPSubjects(basicOf(t, response))
	if err != nil || len(basic) != 1 || basic[0] != one[0] {
		t.Errorf("without what it was sent in: %v %v", basic, err)
	}
	list := func(by identity, at time.Time) Subject {
		der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: at, NextUpdate: at.Add(time.Hour)}, by.cert, by.key)
		if err != nil {
			t.Fatal(err)
		}
		s, err := CRLSubject(der)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b, c := list(ca, now), list(ca, now.Add(time.Minute)), list(other, now)
	if a.ID != b.ID || a.ID == c.ID || !a.At.Equal(now) || !b.At.Equal(now.Add(time.Minute)) {
		t.Errorf("%v, %v, %v", a, b, c)
	}
}

// basicOf is the basic response within a response.
func basicOf(t *testing.T, der []byte) []byte {
	t.Helper()
	var outer struct {
		Status asn1.Enumerated
		Body   struct {
			Type     asn1.ObjectIdentifier
			Response []byte
		} `asn1:"explicit,tag:0"`
	}
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		t.Fatal(err)
	}
	return outer.Body.Response
}

func TestMalformedValidationDataHasNoSubject(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	response := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	crl, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}, ca.cert, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "text": []byte("Lunas"), "a certificate": ca.cert.Raw, "an answer that it is too early": {0x30, 3, 10, 1, 3},
		"too much": make([]byte, MaxSize+1),
	} {
		if s, err := OCSPSubjects(b); !errors.Is(err, ErrUnusable) {
			t.Errorf("response, %s: %v %v", name, s, err)
		}
		if s, err := CRLSubject(b); !errors.Is(err, ErrUnusable) {
			t.Errorf("list, %s: %v %v", name, s, err)
		}
	}
	for name, b := range map[string][]byte{"a list": crl, "cut off": response[:len(response)-1], "more": append(response, 0)} {
		if s, err := OCSPSubjects(b); !errors.Is(err, ErrUnusable) {
			t.Errorf("response, %s: %v %v", name, s, err)
		}
	}
	for name, b := range map[string][]byte{"a response": response, "cut off": crl[:len(crl)-1], "more": append(crl, 0)} {
		if s, err := CRLSubject(b); !errors.Is(err, ErrUnusable) {
			t.Errorf("list, %s: %v %v", name, s, err)
		}
	}
}

func FuzzSubject(f *testing.F) {
	ca := newCertificate(f, "CA", 1, nil)
	f.Add(buildResponse(f, ca.cert, ca, func(*ocsp.Response) {}))
	crl, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour)}, ca.cert, ca.key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(crl)
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := OCSPSubjects(b)
		if err == nil && len(all) == 0 || err != nil && !errors.Is(err, ErrUnusable) {
			t.Errorf("%v %v", all, err)
		}
		one, err := CRLSubject(b)
		if err == nil && one.ID == "" || err != nil && !errors.Is(err, ErrUnusable) {
			t.Errorf("%v %v", one, err)
		}
	})
}
