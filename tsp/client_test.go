package tsp

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"segel/cms"
)

func newTestClient(t *testing.T, h http.Handler) (*Client, *url.URL) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{URL: server.URL, HTTP: server.Client(), Clock: func() time.Time { return now }}, u
}

func TestUserInTheURLIsSentAndNeverReported(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	c, u := newTestClient(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if name, password, ok := q.BasicAuth(); !ok || name != "pemakai" || password != "raha:sia" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.ServeHTTP(w, q)
	}))
	u.User, u.RawQuery = url.UserPassword("pemakai", "raha:sia"), "key=kunci"
	c.URL = u.String()
	if _, err := c.Timestamp(t.Context(), digest[:]); err != nil {
		t.Error(err)
	}
	u.User = url.UserPassword("pemakai", "rahasiasalah")
	for name, address := range map[string]string{
		"refused": u.String(), "no server": "http://pemakai:rahasia@127.0.0.1:1/?key=kunci", "no host": "http://pemakai:rahasia@/?key=kunci",
		"no address": "http://pemakai:rahasia@exa mple/?key=kunci", "a file": "file://pemakai:rahasia@host/kunci",
	} {
		c.URL = address
		_, err := c.Timestamp(t.Context(), digest[:])
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		for _, secret := range []string{"pemakai", "rahasia", "kunci"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestAuthorityHasToLeadToARootWhereRootsAreGiven(t *testing.T) {
	t.Parallel()
	r, other := newResponder(t, true, stamping), newResponder(t, true, stamping)
	c, _ := newTestClient(t, r)
	for name, known := range map[string]*x509.Certificate{"its root": r.Chain[0], "another root": other.Chain[0]} {
		c.Roots = x509.NewCertPool()
		c.Roots.AddCert(known)
		if _, err := c.Timestamp(t.Context(), digest[:]); (err == nil) != (name == "its root") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.Roots = x509.NewCertPool()
	if _, err := c.Timestamp(t.Context(), digest[:]); err == nil {
		t.Error("no root at all was enough")
	}
	der, err := r.Timestamp(t.Context(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	token, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := token.Validate(nil, now); err == nil {
		t.Error("roots of the machine were taken")
	}
}

func TestAuthorityThatDoesNotAnswerCostsItsDeadlineOnly(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	c, _ := newTestClient(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer close(hold)
	c.Timeout = 50 * time.Millisecond
	begun := time.Now()
	if _, err := c.Timestamp(t.Context(), digest[:]); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Error(err)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestSizeOfATokenIsKnownAfterTheFirst(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	c, _ := newTestClient(t, r)
	if n := c.TokenSize(); n != 0 {
		t.Errorf("%d before any", n)
	}
	for range 20 {
		token, err := c.Timestamp(t.Context(), digest[:])
		if err != nil || len(token) > c.TokenSize() {
			t.Fatalf("%d bytes, %d expected, %v", len(token), c.TokenSize(), err)
		}
	}
}

func TestTimeMayHaveFractionsOfASecond(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	// The test encodes the time itself, because Go writes no fraction.
	id, err := cms.HashIdentifier(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := asn1.Marshal(tstInfo{
		Version: 1, Policy: policy, Imprint: messageImprint{id, digest[:]}, Serial: big.NewInt(1), GenTime: now, Accuracy: accuracy{Millis: 500},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(now.Format("20060102150405Z"))
	at := bytes.Index(whole, text)
	info := bytes.Clone(whole[:at])
	info[1] += 4
	info[at-1] += 4
	info = append(append(info, now.Format("20060102150405")+".678Z"...), whole[at+len(text):]...)
	der, err := r.signToken(info, true)
	if err != nil {
		t.Fatal(err)
	}
	token, err := Parse(der)
	if err != nil || !token.Time.Equal(now.Add(678*time.Millisecond)) || token.Accuracy != 500*time.Millisecond {
		t.Errorf("%v, %+v", err, token)
	}
}

func TestCriticalExtensionOfATokenIsNotPassedOver(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	request := Request{Hash: crypto.SHA256, Imprint: digest[:]}
	for _, critical := range []bool{true, false} {
		_, _, err := request.accept(buildResponse(t, r, func(i *tstInfo) {
			i.Extensions = []pkix.Extension{{Id: policy, Critical: critical, Value: asn1.NullBytes}}
		}), now)
		if (err != nil) != critical {
			t.Errorf("critical %t: %v", critical, err)
		}
	}
}
