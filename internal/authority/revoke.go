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
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/revocation"
)

// How long proof is good for, and how long one list is handed out before a new one is made.
const (
	ocspValidity = 7 * 24 * time.Hour
	crlValidity  = 7 * 24 * time.Hour
	crlReuse     = time.Hour
)

// Revoke declares that a certificate is not to be relied on for what was done since a moment, which may lie in the
// past: when the key was lost, not when somebody noticed. From the next answer on OCSP says so, and so does the next
// list that is fetched. A certificate is revoked once and for good; the first time and reason stand.
func (a *Authority) Revoke(ctx context.Context, serial string, reason revocation.Reason, at time.Time) error {
	switch reason {
	case revocation.CertificateHold, revocation.RemoveFromCRL:
		return fmt.Errorf("revoke certificate %s: %s can be undone, which is not done here", serial, reason)
	}
	record, err := a.ledger.Lookup(ctx, serial)
	if err != nil {
		return fmt.Errorf("revoke certificate %s: %w", serial, err)
	}
	// What was issued while the clock was ahead can be revoked as of now, before it begins.
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

// IsRevoked reports whether a certificate that was issued here is revoked by now.
func (a *Authority) IsRevoked(ctx context.Context, cert *x509.Certificate) (bool, error) {
	record, err := a.ledger.Lookup(ctx, formatSerial(cert))
	if err != nil {
		return false, fmt.Errorf("look up certificate %s: %w", formatSerial(cert), err)
	}
	return !record.RevokedAt.IsZero(), nil
}

// Revocation answers, in process, about certificates of this authority: by OCSP for what an issuing certificate
// signed, by the root's list for what the root signed.
func (a *Authority) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	var m revocation.Data
	err := fmt.Errorf("%w: %x", ErrUnknown, cert.SerialNumber)
	if issuer.Equal(a.keys.root.cert) {
		m.CRL, err = a.currentCRL(ctx, a.keys.root)
	}
	for _, i := range a.listIssuers() {
		if issuer.Equal(i.issuing.cert) {
			m.OCSP, err = a.buildOCSPResponse(ctx, i, cert.SerialNumber, crypto.SHA1)
		}
	}
	if err != nil {
		return revocation.Data{}, err
	}
	s, err := m.Verify(cert, issuer)
	if err == nil {
		err = s.Check(cert, a.clock())
	}
	if err != nil && !errors.Is(err, revocation.ErrRevoked) {
		return revocation.Data{}, err
	}
	return m, err
}

// buildOCSPResponse makes a fresh response about a serial of an issuer, which it names by that hash: who asked
// by another one does not find himself answered (RFC 6960 §4.1.1). A serial that another issuer gave is unknown.
func (a *Authority) buildOCSPResponse(ctx context.Context, by issuer, serial *big.Int, named crypto.Hash) ([]byte, error) {
	now := a.clock().UTC().Truncate(time.Second)
	if err := requireAllValid(now, a.keys.root, by.issuing, by.ocsp); err != nil {
		return nil, err
	}
	r := ocsp.Response{
		Status: ocsp.Good, SerialNumber: serial, ThisUpdate: now, NextUpdate: now.Add(ocspValidity),
		Certificate: by.ocsp.cert, IssuerHash: named,
	}
	record, err := a.ledger.Lookup(ctx, fmt.Sprintf("%x", serial))
	if err == nil && !by.hasIssued(record) {
		err = ErrUnknown
	}
	switch {
	case errors.Is(err, ErrUnknown):
		if serial.Cmp(by.ocsp.cert.SerialNumber) != 0 {
			r.Status = ocsp.Unknown
		}
	case err != nil:
		return nil, fmt.Errorf("look up certificate %x: %w", serial, err)
	case !record.RevokedAt.IsZero() && !record.RevokedAt.After(now):
		r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, record.RevokedAt, record.Reason
	}
	return ocsp.CreateResponse(by.issuing.cert, by.ocsp.cert, r, by.ocsp.key)
}

// hasIssued reports whether a certificate in the ledger names this issuer. The certificate itself says it; the columns
// beside it are not asked.
func (i issuer) hasIssued(r Record) bool {
	c, err := x509.ParseCertificate(r.DER)
	return err == nil && bytes.Equal(c.RawIssuer, i.issuing.cert.RawSubject) && bytes.Equal(c.AuthorityKeyId, i.issuing.cert.SubjectKeyId)
}

// answerOCSP answers an OCSP request with a response, whatever the request was.
func (a *Authority) answerOCSP(ctx context.Context, request []byte) []byte {
	q, err := ocsp.ParseRequest(request)
	if err != nil {
		return ocsp.MalformedRequestErrorResponse
	}
	for _, i := range a.listIssuers() {
		if !i.isQueried(q) {
			continue
		}
		der, err := a.buildOCSPResponse(ctx, i, q.SerialNumber, q.HashAlgorithm)
		if err != nil {
			return ocsp.InternalErrorErrorResponse
		}
		return der
	}
	return ocsp.UnauthorizedErrorResponse
}

// isQueried reports whether a request is about an issuing certificate, by name and by key.
func (i issuer) isQueried(q *ocsp.Request) bool {
	if !q.HashAlgorithm.Available() {
		return false
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(i.issuing.cert.RawSubjectPublicKeyInfo, &info); err != nil {
		return false
	}
	name, key := q.HashAlgorithm.New(), q.HashAlgorithm.New()
	name.Write(i.issuing.cert.RawSubject)
	key.Write(info.Key.RightAlign())
	return bytes.Equal(name.Sum(nil), q.IssuerNameHash) && bytes.Equal(key.Sum(nil), q.IssuerKeyHash)
}

// cachedCRL is a signed list as long as it is handed out.
type cachedCRL struct {
	der    []byte
	at     time.Time
	number int64
	count  int // of all revoked certificates when it was made, whichever issuer's
}

// currentCRL returns the current revocation list of the root or an issuing certificate, of what that one issued: a fresh one
// as soon as another certificate is revoked, by whatever process. A list of the root is always empty: what it signed are
// this authority's own parts, which end with it.
func (a *Authority) currentCRL(ctx context.Context, of identity) ([]byte, error) {
	now := a.clock().UTC()
	if err := requireAllValid(now, a.keys.root, of); err != nil {
		return nil, err
	}
	name := formatSerial(of.cert)
	count, issuing := 0, !of.cert.Equal(a.keys.root.cert)
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
	// Numbers ascend (RFC 5280 §5.2.3), also when two lists are made in one millisecond or the clock was set back.
	fresh := cachedCRL{at: now, number: max(now.UnixMilli(), l.number+1)}
	template := &x509.RevocationList{Number: big.NewInt(fresh.number), ThisUpdate: now.Truncate(time.Second), NextUpdate: now.Add(crlValidity)}
	if issuing {
		records, err := a.ledger.ListRevoked(ctx)
		if err != nil {
			return nil, fmt.Errorf("read revoked certificates: %w", err)
		}
		fresh.count = len(records)
		by := issuer{issuing: of}
		for _, r := range records {
			if !by.hasIssued(r) {
				continue
			}
			serial, ok := new(big.Int).SetString(r.Serial, 16)
			if !ok {
				return nil, fmt.Errorf("serial %q in the ledger is no number", r.Serial)
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
