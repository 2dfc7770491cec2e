package tsp

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/cms"
)

var (
	now    = time.Date(2026, 3, 2, 3, 4, 5, 0, time.UTC)
	policy = asn1.ObjectIdentifier{1, 2, 3, 4}
	digest = sha256.Sum256([]byte("kontrak"))
)

// accept checks a response as [Client] does, at a time and without roots.
func (r Request) accept(response []byte, now time.Time) ([]byte, *Token, error) {
	der, t, err := r.parseResponse(response)
	if err == nil {
		err = t.CheckClock(now, cms.ClockSkew)
	}
	if err == nil {
		err = t.requireAuthorityValid(now)
	}
	if err != nil {
		return nil, nil, err
	}
	return der, t, nil
}

// newResponder returns an authority with the given extended key usages.
func newResponder(t testing.TB, critical bool, purposes ...asn1.ObjectIdentifier) *Responder {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	value, err := asn1.Marshal(purposes)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "TSA"}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
		ExtraExtensions: []pkix.Extension{{Id: oidExtKeyUsage, Critical: critical, Value: value}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &Responder{Key: key, Chain: []*x509.Certificate{cert}, Policy: policy, Clock: func() time.Time { return now }, Random: rand.Reader}
}

var (
	stamping = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 8}
	codeSign = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 3}
)

func TestResponseIsAcceptedOnlyWhenItFitsTheRequestInEveryRespect(t *testing.T) {
	t.Parallel()
	good := newResponder(t, true, stamping)
	ask := Request{Hash: crypto.SHA256, Imprint: digest[:], Policy: policy, Nonce: big.NewInt(4711), CertReq: true}
	other := sha256.Sum256([]byte("lain"))
	late := newResponder(t, true, stamping)
	late.Clock = func() time.Time { return now.Add(time.Hour) }
	for _, c := range []struct {
		name   string
		by     *Responder
		asked  func(r *Request) // changes the query
		refuse string           // empty: accepted
	}{
		{"as asked", good, func(*Request) {}, ""},
		{"another nonce", good, func(r *Request) { r.Nonce = big.NewInt(1) }, "nonce"},
		{"no nonce", good, func(r *Request) { r.Nonce = nil }, "nonce"},
		{"another imprint", good, func(r *Request) { r.Imprint = other[:] }, "something else"},
		{"no certificate", good, func(r *Request) { r.CertReq = false }, "not included"},
		{"an hour away", late, func(*Request) {}, "far from now"},
		{"purpose not critical", newResponder(t, false, stamping), func(*Request) {}, "critical"},
		{"two purposes", newResponder(t, true, stamping, codeSign), func(*Request) {}, "only for time stamping"},
		{"another purpose", newResponder(t, true, codeSign), func(*Request) {}, "only for time stamping"},
	} {
		q := ask
		c.asked(&q)
		der, err := q.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.by.Respond(der)
		if err != nil {
			t.Fatal(c.name, err)
		}
		_, token, err := ask.accept(response, now)
		switch {
		case c.refuse == "" && (err != nil || !slices.Equal(token.Signed, []crypto.Hash{crypto.SHA256}) || !token.Covers(digest[:]) || !token.Time.Equal(now) || token.Accuracy != time.Second):
			t.Errorf("%s: %v %+v", c.name, err, token)
		case c.refuse != "" && (err == nil || !strings.Contains(err.Error(), c.refuse)):
			t.Errorf("%s: %v, want %q", c.name, err, c.refuse)
		}
	}
}

func TestAnotherPolicyIsRefusedByTheAuthorityAndByTheClient(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	ask := Request{Hash: crypto.SHA256, Imprint: digest[:], Policy: asn1.ObjectIdentifier{1, 2, 9}, CertReq: true}
	der, err := ask.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	response, err := r.Respond(der)
	if err != nil {
		t.Fatal(err)
	}
	var no *Refusal
	if _, _, err := ask.accept(response, now); !errors.As(err, &no) || no.Status != 2 {
		t.Errorf("%v", err)
	}
	r.Policy = ask.Policy
	if response, err = r.Respond(der); err != nil {
		t.Fatal(err)
	}
	ask.Policy = policy
	if _, _, err := ask.accept(response, now); err == nil {
		t.Error("a token under another policy was accepted")
	}
}

func TestRequestThatCannotBeReadGetsARefusalNotAToken(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	for _, der := range [][]byte{nil, {0x30}, []byte("GET / HTTP/1.1"), make([]byte, 1<<20)} {
		response, err := r.Respond(der)
		if err != nil {
			t.Fatal(err)
		}
		var no *Refusal
		if _, _, err := (Request{}).accept(response, now); !errors.As(err, &no) {
			t.Errorf("%.8x: %v", der, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	r := newResponder(f, true, stamping)
	token, err := r.Timestamp(context.Background(), digest[:])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token)
	f.Fuzz(func(t *testing.T, b []byte) {
		if token, err := Parse(b); err == nil && token.Authority == nil {
			t.Error("a token without an authority")
		}
	})
}

func FuzzRespond(f *testing.F) {
	r := newResponder(f, true, stamping)
	der, err := Request{Hash: crypto.SHA256, Imprint: digest[:], Nonce: big.NewInt(7), CertReq: true}.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(der)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := r.Respond(b); err != nil {
			t.Errorf("no answer: %v", err)
		}
	})
}

func FuzzAccept(f *testing.F) {
	r := newResponder(f, true, stamping)
	ask := Request{Hash: crypto.SHA256, Imprint: digest[:], Nonce: big.NewInt(7), CertReq: true}
	der, err := ask.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	good, err := r.Respond(der)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	no, err := r.Respond(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(no)
	f.Fuzz(func(t *testing.T, b []byte) {
		token, parsed, err := ask.accept(b, now)
		switch {
		case (err == nil) != (token != nil), err == nil && !parsed.Covers(digest[:]), err == nil && parsed.Nonce.Cmp(ask.Nonce) != 0:
			t.Errorf("%x, %+v, %v", token, parsed, err)
		case err != nil && len(err.Error()) > 2000:
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}
