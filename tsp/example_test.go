package tsp_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"log"
	"math/big"
	"net/http/httptest"
	"time"

	"segel/tsp"
)

// newExampleAuthority makes a time-stamp authority: a key whose certificate has the one critical purpose of time stamping.
func newExampleAuthority() *tsp.Responder {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	timeStamping, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Example TSA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: timeStamping}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		log.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		log.Fatal(err)
	}
	return &tsp.Responder{
		Key: key, Chain: []*x509.Certificate{cert}, Policy: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Clock: time.Now, Random: rand.Reader,
	}
}

// Two authorities are asked in order. The first does not answer.
func Example() {
	tsa := newExampleAuthority()
	server := httptest.NewServer(tsa)
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(tsa.Chain[0])

	stamper := tsp.NewFailover(time.Now,
		&tsp.Client{URL: "http://127.0.0.1:1/", HTTP: server.Client(), Roots: roots, Timeout: time.Second},
		&tsp.Client{URL: server.URL, HTTP: server.Client(), Roots: roots},
	)
	digest := sha256.Sum256([]byte("contract"))
	der, err := stamper.Timestamp(context.Background(), digest[:])
	if err != nil {
		log.Fatal(err)
	}

	token, err := tsp.Parse(der)
	if err != nil {
		log.Fatal(err)
	}
	chain, err := token.Validate(roots, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token.Covers(digest[:]), token.Accuracy, chain[0].Subject.CommonName)
	// Output: true 1s Example TSA
}
