package main

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"segel/internal/config"
	"segel/internal/durable"
	"segel/internal/https"
	"segel/internal/outbound"
	proc "segel/internal/process"
	"segel/internal/store"
)

// openACME returns the certificate that an ACME server issues.
func (a *app) openACME(answersHTTP bool) (*https.ACME, error) {
	client, err := acmeClient(a.conf)
	if err != nil {
		return nil, err
	}
	binding, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(a.conf.ACMEBindingKey, "="))
	if err != nil {
		return nil, errors.New("SEGEL_ACME_BINDING_KEY is not base64url")
	}
	return https.NewACME(https.ACMEOptions{
		Directory: a.conf.ACMEDirectory, Hosts: a.conf.CertificateHosts(), Email: a.conf.ACMEEmail, BindingID: a.conf.ACMEBindingID, Binding: binding,
		HTTP01: answersHTTP, Client: client, Storage: tlsStorage{a}, Clock: a.clock, Log: a.log,
	}), nil
}

// acmeClient returns the client for the ACME server, which may be in a network of OUTBOUND_PRIVATE and have a certificate of an authority that systems do not know.
func acmeClient(conf config.Config) (*http.Client, error) {
	o := outboundOptions(conf, conf.ACMEDirectory)
	if conf.ACMECA != "" {
		roots, err := os.ReadFile(conf.ACMECA)
		if err != nil {
			return nil, fmt.Errorf("authorities of the ACME server: %w", err)
		}
		o.Roots = x509.NewCertPool()
		if !o.Roots.AppendCertsFromPEM(roots) {
			return nil, fmt.Errorf("authorities of the ACME server: %s has no certificate", conf.ACMECA)
		}
	}
	return outbound.NewClient(o), nil
}

// tlsStorage keeps what nodes share about their certificate in the database, sealed.
type tlsStorage struct{ a *app }

// tlsRecordID returns the identifier under which a record is sealed, so that one does not pass for another.
func tlsRecordID(name string) string { return "tls record " + name }

// Read implements [https.Storage]. A record that does not open, because the master key is another one, is as good as none: what it had is
// ordered again.
func (s tlsStorage) Read(ctx context.Context, name string) ([]byte, error) {
	sealed, err := s.a.store.TLSRecord(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("TLS record %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	content, err := s.a.sealer.Open(tlsRecordID(name), sealed)
	if err != nil {
		s.a.log.WarnContext(ctx, "a TLS record does not open and is made again", "record", name, "error", err)
		return nil, fmt.Errorf("TLS record %s: %w", name, fs.ErrNotExist)
	}
	return content, nil
}

// Write implements [https.Storage].
func (s tlsStorage) Write(ctx context.Context, name string, content []byte) error {
	sealed, err := s.a.sealer.Seal(tlsRecordID(name), content)
	if err != nil {
		return err
	}
	return s.a.store.StoreTLSRecord(ctx, name, sealed, s.a.clock())
}

// tlsLease is the resource that a node has while it orders a certificate.
const tlsLease = "tls certificate"

// Lock implements [https.Storage]: by a lease among the nodes of a database, by a lock on a file among the processes of a folder. Both end with
// the process.
func (s tlsStorage) Lock(ctx context.Context) (release func(), ok bool, err error) {
	if node, isNode := s.a.process.(*proc.Node); isNode {
		r := store.LeaseRequest{Resource: tlsLease, Count: 1, Node: node.Name(), Ticket: rand.Text(), NoWait: true}
		l, place, err := s.a.store.TakeLease(ctx, r)
		if err != nil { // the commit may stand although its answer was lost
			s.a.leases.giveUpLease(ctx, r)
		}
		return func() { s.a.leases.releaseLease(ctx, l) }, place == 0 && err == nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.a.conf.DataDir, "tls.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	locked, err := durable.Lock(f)
	if err != nil || !locked {
		return nil, false, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, true, nil
}
