package authority

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/certpath"
	"segel/cms"
	"segel/revocation"
)

// Validity of revocation data, and how long one CRL is served before a new one is made.
const (
	ocspValidity = 7 * 24 * time.Hour
	// A CRL in a file is up to crlReuse older than the OCSP response beside it, and must not expire before it: when a signer's certificate
	// has expired, pyHanko validates the whole chain at the last moment at which the response was current.
	crlValidity = ocspValidity + 24*time.Hour
	crlReuse    = time.Hour
)

// Revoke revokes a certificate since a time that may lie in the past: when the key was lost, not when this was noticed.
// The next OCSP answer and the next CRL state it. Revocation is permanent; the first time and reason stay.
func (a *Authority) Revoke(ctx context.Context, serial string, reason revocation.Reason, at time.Time) error {
	switch reason {
	case revocation.CertificateHold, revocation.RemoveFromCRL:
		return fmt.Errorf("revoke certificate %s: the reason %s is for revocations that can be undone, which are not supported", serial, reason)
	}
	record, err := a.lookUp(ctx, serial)
	if err != nil {
		return fmt.Errorf("revoke certificate %s: %w", serial, err)
	}
	// A certificate that was issued while the clock was ahead can be revoked as of now, before it is valid.
	now, first := a.clock(), record.IssuedAt.Add(-backdating)
	if now.Before(first) {
		first = now
	}
	if at.After(now) || at.Before(first) {
		return fmt.Errorf("revoke certificate %s: %s is not between its issue and now", serial, at.UTC().Format(time.RFC3339))
	}
	if err := a.ledger.Revoke(ctx, serial, int(reason), at); err != nil {
		return fmt.Errorf("revoke certificate %s: %w", serial, err)
	}
	return nil
}

// IsRevoked reports whether a certificate of this authority is revoked.
func (a *Authority) IsRevoked(ctx context.Context, cert *x509.Certificate) (bool, error) {
	record, err := a.lookUp(ctx, formatSerial(cert))
	if err != nil {
		return false, fmt.Errorf("look up certificate %s: %w", formatSerial(cert), err)
	}
	return !record.RevokedAt.IsZero(), nil
}

// lookUp returns one record; ErrUnknown.
func (a *Authority) lookUp(ctx context.Context, serial string) (Record, error) {
	found, err := a.ledger.Lookup(ctx, serial)
	if err != nil {
		return Record{}, err
	}
	r, ok := found[serial]
	if !ok {
		return Record{}, ErrUnknown
	}
	return r, nil
}

// ledgerStatus is what the ledger says about certificates; those that were never issued have no record.
type ledgerStatus struct {
	records map[string]Record
	at      time.Time // when the ledger was read, or just before
}

// readStatus asks the ledger about certificates.
func (a *Authority) readStatus(ctx context.Context, serials ...string) (*ledgerStatus, error) {
	at := a.clock()
	found, err := a.ledger.Lookup(ctx, serials...)
	if err != nil {
		return nil, fmt.Errorf("look up certificates %s: %w", strings.Join(serials, ", "), err)
	}
	return &ledgerStatus{found, at}, nil
}

// Revocation returns revocation data about certificates of this authority, in process: OCSP for issuing certificates,
// the root's CRL for what the root signed.
func (a *Authority) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	return a.buildRevocation(ctx, cert, issuer, nil)
}

// ReadAhead implements [revocation.BatchSource].
func (a *Authority) ReadAhead(ctx context.Context, certs ...*x509.Certificate) (revocation.Source, error) {
	var serials []string
	for _, c := range certs {
		if slices.ContainsFunc(a.keys().listIssuers(), func(g generation) bool { return bytes.Equal(c.RawIssuer, g.id.cert.RawSubject) }) {
			serials = append(serials, formatSerial(c))
		}
	}
	if len(serials) == 0 {
		return a, nil
	}
	known, err := a.readStatus(ctx, serials...)
	if err != nil {
		return nil, err
	}
	return readAhead{a, serials, known}, nil
}

// readAhead is the authority with what its ledger said about some certificates a moment ago. Its answers about them state that time.
type readAhead struct {
	authority *Authority
	serials   []string // in lower-case hexadecimal
	known     *ledgerStatus
}

// Revocation implements [revocation.Source].
func (r readAhead) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	if !slices.Contains(r.serials, formatSerial(cert)) {
		return r.authority.Revocation(ctx, cert, issuer)
	}
	return r.authority.buildRevocation(ctx, cert, issuer, r.known)
}

// buildRevocation builds revocation data from what is known about the certificate; nil: the ledger is asked.
func (a *Authority) buildRevocation(ctx context.Context, cert, issuer *x509.Certificate, known *ledgerStatus) (revocation.Data, error) {
	var m revocation.Data
	err := fmt.Errorf("%w: %x", ErrUnknown, cert.SerialNumber)
	by, found, lost := a.findIssuer(ctx, issuer)
	switch root := a.keys().root; {
	case lost != nil:
		return revocation.Data{}, lost
	case found:
		m.OCSP, err = a.buildOCSPResponse(ctx, by, cert.SerialNumber, crypto.SHA1, known)
	case issuer.Equal(root.cert):
		m.CRL, err = a.currentCRL(ctx, root)
	}
	if err != nil {
		return revocation.Data{}, err
	}
	if _, err = m.Validate(cert, issuer, a.clock()); err != nil && !errors.Is(err, revocation.ErrRevoked) {
		return revocation.Data{}, err
	}
	return m, err
}

// findIssuer returns the issuer with that certificate. One that the root signed and that is not known was created by another process.
func (a *Authority) findIssuer(ctx context.Context, cert *x509.Certificate) (by generation, found bool, err error) {
	for refreshed := false; ; refreshed = true {
		k := a.keys()
		for _, g := range k.listIssuers() {
			if cert.Equal(g.id.cert) {
				return g, true, nil
			}
		}
		if refreshed || cert.Equal(k.root.cert) || !bytes.Equal(cert.RawIssuer, k.root.cert.RawSubject) || certpath.CheckIssuedBy(cert, k.root.cert) != nil {
			return generation{}, false, nil
		}
		if err := a.Refresh(ctx); err != nil {
			return generation{}, false, err
		}
	}
}

// buildOCSPResponse builds a new response about a serial of an issuer. It identifies the issuer by the hash of the
// request: with another hash the client would not recognise its certificate (RFC 6960 §4.1.1). A serial of another
// issuer is unknown. Without a known status the ledger is asked.
func (a *Authority) buildOCSPResponse(ctx context.Context, by generation, serial *big.Int, named crypto.Hash, known *ledgerStatus) ([]byte, error) {
	text := fmt.Sprintf("%x", serial)
	if known == nil {
		var err error
		if known, err = a.readStatus(ctx, text); err != nil {
			return nil, err
		}
	}
	now := known.at.UTC().Truncate(time.Second)
	if err := requireValid(now, a.keys().root, by.id, by.ocsp); err != nil {
		return nil, err
	}
	r := ocsp.Response{
		Status: ocsp.Good, SerialNumber: serial, ThisUpdate: now, NextUpdate: now.Add(ocspValidity),
		IssuerHash: named,
	}
	record, issued := known.records[text]
	switch {
	case !issued || !by.hasIssued(record):
		if serial.Cmp(by.ocsp.cert.SerialNumber) != 0 {
			r.Status = ocsp.Unknown
		}
	case !record.RevokedAt.IsZero() && !record.RevokedAt.After(now):
		r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, record.RevokedAt, record.Reason
	}
	return signOCSPResponse(by, r, now.Truncate(time.Minute))
}

// hasIssued reports whether a certificate in the ledger is from this issuer, according to the certificate itself and
// not to other columns.
func (g generation) hasIssued(r Record) bool {
	c, err := cms.ParseStrictCertificate(r.DER)
	return err == nil && bytes.Equal(c.RawIssuer, g.id.cert.RawSubject) && bytes.Equal(c.AuthorityKeyId, g.id.cert.SubjectKeyId)
}

// answerOCSP answers an OCSP request; invalid requests get an error response.
func (a *Authority) answerOCSP(ctx context.Context, request []byte) []byte {
	q, err := ocsp.ParseRequest(request)
	if err != nil {
		return ocsp.MalformedRequestErrorResponse
	}
	for {
		for _, g := range a.keys().listIssuers() {
			if !g.isQueried(q) {
				continue
			}
			der, err := a.buildOCSPResponse(ctx, g, q.SerialNumber, q.HashAlgorithm, nil)
			if err != nil {
				return ocsp.InternalErrorErrorResponse
			}
			return der
		}
		if !a.refreshAfterMiss(ctx) {
			return ocsp.UnauthorizedErrorResponse
		}
	}
}

// isQueried reports whether a request is about certificates of this issuer, by name and key.
func (g generation) isQueried(q *ocsp.Request) bool {
	if !q.HashAlgorithm.Available() {
		return false
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(g.id.cert.RawSubjectPublicKeyInfo, &info); err != nil {
		return false
	}
	name, key := q.HashAlgorithm.New(), q.HashAlgorithm.New()
	name.Write(g.id.cert.RawSubject)
	key.Write(info.Key.RightAlign())
	return bytes.Equal(name.Sum(nil), q.IssuerNameHash) && bytes.Equal(key.Sum(nil), q.IssuerKeyHash)
}

// cachedCRL is a signed CRL while it is served.
type cachedCRL struct {
	der    []byte
	at     time.Time
	number int64
	count  int // of all revoked certificates when it was made, of all issuers
}

// currentCRL returns the current CRL of the root or an issuing certificate. It makes a new one as soon as any process
// has revoked another certificate. The root's CRL is always empty: the root signs only this authority's own
// certificates, which end with it.
func (a *Authority) currentCRL(ctx context.Context, of identity) ([]byte, error) {
	now := a.clock().UTC()
	root := a.keys().root
	if err := requireValid(now, root, of); err != nil {
		return nil, err
	}
	name := formatSerial(of.cert)
	count, issuing := 0, !of.cert.Equal(root.cert)
	if issuing {
		var err error
		if count, err = a.ledger.CountRevoked(ctx); err != nil {
			return nil, fmt.Errorf("count revoked certificates: %w", err)
		}
	}
	a.mu.Lock()
	l, ok := a.crls[name]
	a.mu.Unlock()
	if ok && l.count == count && now.Sub(l.at) < crlReuse && !now.Before(l.at) {
		return l.der, nil
	}
	// CRL numbers increase (RFC 5280 §5.2.3), even if two lists are made in one millisecond or the clock was set back.
	fresh := cachedCRL{at: now, number: max(now.UnixMilli(), l.number+1)}
	template := &x509.RevocationList{Number: big.NewInt(fresh.number), ThisUpdate: now.Truncate(time.Second), NextUpdate: now.Add(crlValidity)}
	if issuing {
		records, err := a.ledger.ListRevoked(ctx)
		if err != nil {
			return nil, fmt.Errorf("read revoked certificates: %w", err)
		}
		fresh.count = len(records)
		by := generation{id: of}
		for _, r := range records {
			if !by.hasIssued(r) {
				continue
			}
			serial, ok := new(big.Int).SetString(r.Serial, 16)
			if !ok {
				return nil, fmt.Errorf("serial %q in the ledger is not a number", r.Serial)
			}
			template.RevokedCertificateEntries = append(template.RevokedCertificateEntries,
				x509.RevocationListEntry{SerialNumber: serial, RevocationTime: r.RevokedAt, ReasonCode: r.Reason})
		}
	}
	var err error
	if fresh.der, err = x509.CreateRevocationList(rand.Reader, template, of.cert, of.key); err != nil {
		return nil, fmt.Errorf("sign revocation list: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.crls[name].number < fresh.number {
		a.crls[name] = fresh
	}
	return fresh.der, nil
}
