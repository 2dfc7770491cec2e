package revocation

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"
)

func TestFetcherTriesOCSPThenListsAndCachesAnswers(t *testing.T) {
	t.Parallel()
	ca := newCertificate(t, "CA", 1, nil)
	good := buildResponse(t, ca.cert, ca, func(*ocsp.Response) {})
	revoked := buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.Status, r.RevokedAt = ocsp.Revoked, now.Add(-time.Hour) })
	stale := buildResponse(t, ca.cert, ca, func(r *ocsp.Response) { r.NextUpdate = now.Add(-time.Second) })
	listed := func(serials ...int64) []byte {
		l := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: now.Add(-time.Hour), NextUpdate: now.Add(time.Hour)}
		for _, s := range serials {
			l.RevokedCertificateEntries = append(l.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: big.NewInt(s), RevocationTime: now.Add(-time.Hour)})
		}
		der, err := x509.CreateRevocationList(rand.Reader, l, ca.cert, ca.key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	bodies := map[string][]byte{
		"/good": good, "/revoked": revoked, "/stale": stale, "/list": listed(8), "/listed": listed(7),
		"/long": append([]byte{0x30, 0x83, 4, 0, 0}, make([]byte, maxOCSP)...), "/longlist": append([]byte{0x30, 0x84, 2, 0, 0, 0}, make([]byte, MaxSize)...),
		"/page": []byte("<!doctype html>"), "/behind": append(bytes.Clone(good), 0), "/short": good[:len(good)-1], "/endless": {0x30, 0x80, 0, 0},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := bodies[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			b = good // a body that would do, were it not for the status
		}
		_, _ = w.Write(b)
	}))
	defer server.Close()
	f := &Fetcher{HTTP: server.Client(), Clock: func() time.Time { return now }}
	for name, c := range map[string]struct {
		ocsp, crl []string
		got       string // which body is kept; empty: none
		want      error
		says      string
	}{
		"OCSP":                          {[]string{"/good"}, []string{"/list"}, "/good", nil, ""},
		"the next responder":            {[]string{"/gone", "/good"}, nil, "/good", nil, ""},
		"the list when OCSP is stale":   {[]string{"/stale"}, []string{"/list"}, "/list", nil, ""},
		"no list once OCSP said no":     {[]string{"/revoked"}, []string{"/list"}, "", ErrRevoked, ""},
		"no second list once one said":  {nil, []string{"/listed", "/list"}, "", ErrRevoked, ""},
		"a list as OCSP":                {[]string{"/list"}, nil, "", ErrUnusable, ""},
		"OCSP as a list":                {nil, []string{"/good"}, "", ErrUnusable, ""},
		"an error page":                 {[]string{"/gone"}, nil, "", nil, "404"},
		"a response without an end":     {[]string{"/long"}, nil, "", ErrUnusable, "more than"},
		"a page":                        {[]string{"/page"}, nil, "", ErrUnusable, "page"},
		"bytes behind":                  {[]string{"/behind"}, nil, "", ErrUnusable, "another length"},
		"cut off":                       {[]string{"/short"}, nil, "", ErrUnusable, "another length"},
		"of no stated length":           {[]string{"/endless"}, nil, "", ErrUnusable, "no DER"},
		"a list without an end":         {nil, []string{"/longlist"}, "", ErrUnusable, "more than"},
		"no address":                    {nil, nil, "", nil, "no proof"},
		"only so many responders asked": {[]string{"/gone", "/gone", "/gone", "/gone", "/good"}, nil, "", nil, "404"},
		"only so many lists asked":      {nil, []string{"/gone", "/gone", "/gone", "/gone", "/list"}, "", nil, "404"},
	} {
		cert := *newCertificate(t, "Leaf", 7, &ca).cert
		for _, path := range c.ocsp {
			cert.OCSPServer = append(cert.OCSPServer, server.URL+path)
		}
		for _, path := range c.crl {
			cert.CRLDistributionPoints = append(cert.CRLDistributionPoints, server.URL+path)
		}
		m, err := f.Revocation(t.Context(), &cert, ca.cert)
		if c.got != "" {
			if err != nil || string(m.OCSP)+string(m.CRL) != string(bodies[c.got]) {
				t.Errorf("%s: not %s: %v", name, c.got, err)
			}
			continue
		}
		if err == nil || (m.OCSP != nil || m.CRL != nil) != (c.want == ErrRevoked) || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v %q", name, err, c.want, c.says)
		}
	}
}
