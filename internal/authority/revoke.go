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
	ocspFor = 7 * 24 * time.Hour
	listFor = 7 * 24 * time.Hour
	renew   = time.Hour
)

// Revocation answers, in process, about certificates of this authority: by OCSP for what the issuing certificate
// signed, by the root's list for what the root signed.
func (a *Authority) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Material, error) {
	switch {
	case issuer.Equal(a.keys.issuing.cert):
		der, err := a.ocspFor(ctx, cert.SerialNumber, crypto.SHA1)
		if err != nil {
			return revocation.Material{}, err
		}
		_, err = revocation.JudgeOCSP(der, cert, issuer, a.clock())
		return revocation.Material{OCSP: der}, err
	case issuer.Equal(a.keys.root.cert):
		der, err := a.list(ctx, a.keys.root)
		if err != nil {
			return revocation.Material{}, err
		}
		_, err = revocation.JudgeCRL(der, cert, issuer, a.clock())
		return revocation.Material{CRL: der}, err
	}
	return revocation.Material{}, fmt.Errorf("%w: %x", ErrUnknown, cert.SerialNumber)
}

// ocspFor makes a fresh response about a serial of the issuing certificate, which it names by that hash: who asked
// by another one does not find himself answered (RFC 6960 §4.1.1).
func (a *Authority) ocspFor(ctx context.Context, serial *big.Int, named crypto.Hash) ([]byte, error) {
	now := a.clock().UTC().Truncate(time.Second)
	r := ocsp.Response{
		Status: ocsp.Good, SerialNumber: serial, ThisUpdate: now, NextUpdate: now.Add(ocspFor),
		Certificate: a.keys.ocsp.cert, IssuerHash: named,
	}
	record, err := a.ledger.Lookup(ctx, fmt.Sprintf("%x", serial))
	switch {
	case errors.Is(err, ErrUnknown):
		if serial.Cmp(a.keys.ocsp.cert.SerialNumber) != 0 {
			r.Status = ocsp.Unknown
		}
	case err != nil:
		return nil, fmt.Errorf("look up certificate %x: %w", serial, err)
	case !record.RevokedAt.IsZero() && !record.RevokedAt.After(now):
		r.Status, r.RevokedAt, r.RevocationReason = ocsp.Revoked, record.RevokedAt, record.Reason
	}
	return ocsp.CreateResponse(a.keys.issuing.cert, a.keys.ocsp.cert, r, a.keys.ocsp.key)
}

// respond answers an OCSP request with a response, whatever the request was.
func (a *Authority) respond(ctx context.Context, request []byte) []byte {
	q, err := ocsp.ParseRequest(request)
	if err != nil {
		return ocsp.MalformedRequestErrorResponse
	}
	if !a.asksUs(q) {
		return ocsp.UnauthorizedErrorResponse
	}
	der, err := a.ocspFor(ctx, q.SerialNumber, q.HashAlgorithm)
	if err != nil {
		return ocsp.InternalErrorErrorResponse
	}
	return der
}

// asksUs reports whether a request is about the issuing certificate, by name and by key.
func (a *Authority) asksUs(q *ocsp.Request) bool {
	if !q.HashAlgorithm.Available() {
		return false
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if _, err := asn1.Unmarshal(a.keys.issuing.cert.RawSubjectPublicKeyInfo, &info); err != nil {
		return false
	}
	name, key := q.HashAlgorithm.New(), q.HashAlgorithm.New()
	name.Write(a.keys.issuing.cert.RawSubject)
	key.Write(info.Key.RightAlign())
	return bytes.Equal(name.Sum(nil), q.IssuerNameHash) && bytes.Equal(key.Sum(nil), q.IssuerKeyHash)
}

type list struct {
	der []byte
	at  time.Time
}

// list returns the current revocation list of the root or the issuing certificate. A list of the root is always
// empty: what it signed are this authority's own parts, which end with it.
func (a *Authority) list(ctx context.Context, of identity) ([]byte, error) {
	now := a.clock().UTC().Truncate(time.Second)
	name := hex(of.cert)
	a.mu.Lock()
	l, ok := a.lists[name]
	a.mu.Unlock()
	if ok && now.Sub(l.at) < renew && !now.Before(l.at) {
		return l.der, nil
	}
	template := &x509.RevocationList{Number: big.NewInt(now.UnixMilli()), ThisUpdate: now, NextUpdate: now.Add(listFor)}
	if of.cert.Equal(a.keys.issuing.cert) {
		records, err := a.ledger.Revoked(ctx)
		if err != nil {
			return nil, fmt.Errorf("read revoked certificates: %w", err)
		}
		for _, r := range records {
			serial, ok := new(big.Int).SetString(r.Serial, 16)
			if !ok {
				return nil, fmt.Errorf("serial %q in the ledger is no number", r.Serial)
			}
			template.RevokedCertificateEntries = append(template.RevokedCertificateEntries,
				x509.RevocationListEntry{SerialNumber: serial, RevocationTime: r.RevokedAt, ReasonCode: r.Reason})
		}
	}
	der, err := x509.CreateRevocationList(rand.Reader, template, of.cert, of.key)
	if err != nil {
		return nil, fmt.Errorf("sign revocation list: %w", err)
	}
	a.mu.Lock()
	a.lists[name] = list{der, now}
	a.mu.Unlock()
	return der, nil
}
