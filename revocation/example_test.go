package revocation_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"time"

	"segel/revocation"
)

// A list that revokes certificate 7 is fetched from the address in the certificate, validated, and served again from
// the cache.
func Example() {
	issued := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	queried, list := 0, []byte(nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		queried++
		_, _ = w.Write(list)
	}))
	defer server.Close()
	certify := func(serial int64, name string, parent *x509.Certificate) *x509.Certificate {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: issued, NotAfter: issued.AddDate(1, 0, 0),
			IsCA: parent == nil, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
			CRLDistributionPoints: []string{server.URL + "/list.crl"},
		}
		if parent == nil {
			parent = template
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), key)
		if err != nil {
			log.Fatal(err)
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			log.Fatal(err)
		}
		return cert
	}
	issuer := certify(1, "Issuer", nil)
	lost, good := certify(7, "Lost", issuer), certify(8, "Good", issuer)
	list, err = x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: issued.Add(24 * time.Hour), NextUpdate: issued.Add(48 * time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{{SerialNumber: lost.SerialNumber, RevocationTime: issued.Add(time.Hour), ReasonCode: 1}},
	}, issuer, key)
	if err != nil {
		log.Fatal(err)
	}

	fetcher := &revocation.Fetcher{HTTP: server.Client(), Clock: func() time.Time { return issued.Add(25 * time.Hour) }}
	_, err = fetcher.Revocation(context.Background(), good, issuer)
	fmt.Println(err)
	_, err = fetcher.Revocation(context.Background(), lost, issuer)
	fmt.Println(err)
	var revoked *revocation.RevokedError
	if errors.As(err, &revoked) {
		fmt.Println(revoked.Status.RevokedBy(issued), revoked.Status.RevokedBy(issued.Add(time.Hour)))
	}
	fmt.Println("queried", queried, "time")
	// Output:
	// <nil>
	// certificate 7 is revoked since 2026-03-02T10:00:00Z (keyCompromise)
	// false true
	// queried 1 time
}
