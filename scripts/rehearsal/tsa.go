package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"segel/tsp"
)

// The terms of the external time-stamp authority, which are those of commercial ones: a new RSA key each year, whose certificate outlasts its use.
const (
	tsaKeyYears  = 1
	tsaCertYears = 3
	tsaRootYears = 40
	tsaBits      = 3072
	tsaCRLDays   = 7
)

// timestampAuthority is an authority beside the services, with a separate root. It serves tokens and the revocation list of its root.
type timestampAuthority struct {
	clock    *movedClock
	url      string
	root     *x509.Certificate
	rootKey  crypto.Signer
	listener net.Listener

	mu   sync.Mutex // guards the fields below
	key  crypto.Signer
	cert *x509.Certificate
	made int64 // certificates and lists so far
}

func startTimestampAuthority(clock *movedClock) (*timestampAuthority, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &timestampAuthority{clock: clock, url: "http://" + l.Addr().String(), listener: l}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := clock.now()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "External Root"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(tsaRootYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	if a.root, err = a.issue(template, template, key.Public(), key); err != nil {
		return nil, err
	}
	a.rootKey = key
	if err := a.renewKey(now); err != nil {
		return nil, err
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /root.crl", a.serveList)
	m.Handle("POST /tsa", &tsp.Responder{
		Key: a.key, Chain: []*x509.Certificate{a.cert, a.root}, Select: a.selectKey, Policy: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Clock: clock.now, Random: rand.Reader,
	})
	go func() { _ = http.Serve(l, m) }() // it ends with the listener
	return a, nil
}

func (a *timestampAuthority) closeListener() { _ = a.listener.Close() }

func (a *timestampAuthority) issue(template, parent *x509.Certificate, key crypto.PublicKey, signer crypto.Signer) (*x509.Certificate, error) {
	a.made++
	template.SerialNumber = big.NewInt(a.made)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, signer)
	if err != nil {
		return nil, fmt.Errorf("certify %s: %w", template.Subject.CommonName, err)
	}
	return x509.ParseCertificate(der)
}

// renewKey makes another key with its certificate.
func (a *timestampAuthority) renewKey(now time.Time) error {
	key, err := rsa.GenerateKey(rand.Reader, tsaBits)
	if err != nil {
		return err
	}
	purpose, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		return err
	}
	cert, err := a.issue(&x509.Certificate{
		Subject: pkix.Name{CommonName: fmt.Sprintf("External Time-Stamp Authority %d", now.Year())}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(tsaCertYears, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, CRLDistributionPoints: []string{a.url + "/root.crl"},
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: purpose}},
	}, a.root, key.Public(), a.rootKey)
	if err == nil {
		a.key, a.cert = key, cert
	}
	return err
}

// selectKey returns the key of the year. The former key stays in use if another cannot be made, as after an expiry its tokens are refused.
func (a *timestampAuthority) selectKey(at time.Time) (crypto.Signer, []*x509.Certificate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at.After(a.cert.NotBefore.AddDate(tsaKeyYears, 0, 0)) {
		if err := a.renewKey(at); err != nil {
			fmt.Fprintln(os.Stderr, "rehearsal: key of the external time-stamp authority:", err)
		}
	}
	return a.key, []*x509.Certificate{a.cert, a.root}
}

func (a *timestampAuthority) serveList(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	now := a.clock.now().Truncate(time.Second)
	der, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(a.made), ThisUpdate: now, NextUpdate: now.AddDate(0, 0, tsaCRLDays)}, a.root, a.rootKey)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/pkix-crl")
	_, _ = w.Write(der)
}

// writeRoot writes the root to the folder of certificates that are trusted for time.
func (a *timestampAuthority) writeRoot(trust string) (string, error) {
	dir := filepath.Join(trust, "timestamping")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, "root.pem")
	return file, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.root.Raw}), 0o644)
}
