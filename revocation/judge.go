package revocation

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/crypto/ocsp"
)

// Errors of judging.
var (
	ErrRevoked = errors.New("certificate is revoked")
	ErrUnfit   = errors.New("proof does not fit")
)

// Bounds of one piece of proof in bytes.
const (
	MaxSize = 8 << 20   // a list
	maxOCSP = 256 << 10 // a response; a real one has a few thousand
)

func unfit(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnfit, fmt.Errorf(format, args...))
}

// skew is how far ahead of us the clock of a responder may be.
const skew = 5 * time.Minute

// JudgeOCSP checks a response about cert at a moment: signed by the issuer or by a responder that the issuer
// delegated (RFC 6960 §4.2.2.2), about this certificate, current, and good. A revoked certificate is ErrRevoked.
func JudgeOCSP(der []byte, cert, issuer *x509.Certificate, at time.Time) (*ocsp.Response, error) {
	if len(der) > maxOCSP {
		return nil, unfit("response of %d bytes", len(der))
	}
	if err := checkNames(der, cert, issuer); err != nil {
		return nil, err
	}
	// ParseResponseForCert checks the signature, by issuer itself or through the delegated certificate that the
	// response carries and issuer signed, and picks the answer about this serial.
	r, err := ocsp.ParseResponseForCert(der, cert, issuer)
	if err != nil {
		return nil, unfit("OCSP response: %w", err)
	}
	if err := checkResponder(r, issuer, at); err != nil {
		return nil, err
	}
	if err := current(r.ThisUpdate, r.NextUpdate, at); err != nil {
		return nil, err
	}
	switch r.Status {
	case ocsp.Good:
		return r, nil
	case ocsp.Revoked:
		return r, fmt.Errorf("%w since %s", ErrRevoked, r.RevokedAt.UTC().Format(time.RFC3339))
	}
	return nil, unfit("responder does not know the certificate")
}

// checkResponder demands that a delegated responder was made one by the issuer.
func checkResponder(r *ocsp.Response, issuer *x509.Certificate, at time.Time) error {
	c := r.Certificate
	if c == nil || bytes.Equal(c.Raw, issuer.Raw) {
		return nil
	}
	if !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) {
		return unfit("responder's certificate is not for OCSP")
	}
	if at.Before(c.NotBefore) || at.After(c.NotAfter) {
		return unfit("responder's certificate is not valid at that time")
	}
	return nil
}

// JudgeCRL checks a list about cert at a moment: signed by the issuer, current, speaking of cert, and not naming it.
func JudgeCRL(der []byte, cert, issuer *x509.Certificate, at time.Time) (*x509.RevocationList, error) {
	if len(der) > MaxSize {
		return nil, unfit("list of %d bytes", len(der))
	}
	l, err := x509.ParseRevocationList(der)
	if err != nil {
		return nil, unfit("CRL: %w", err)
	}
	if !bytes.Equal(l.RawIssuer, issuer.RawSubject) || !bytes.Equal(cert.RawIssuer, issuer.RawSubject) {
		return nil, unfit("CRL is of another issuer")
	}
	if err := l.CheckSignatureFrom(issuer); err != nil {
		return nil, unfit("CRL: %w", err)
	}
	if err := checkScope(l, cert); err != nil {
		return nil, err
	}
	if err := current(l.ThisUpdate, l.NextUpdate, at); err != nil {
		return nil, err
	}
	for _, e := range l.RevokedCertificateEntries {
		if slices.ContainsFunc(e.Extensions, func(x pkix.Extension) bool { return x.Critical }) {
			// Such as the name of another issuer, whose certificate it is: nothing in the list can be relied on (RFC 5280 §5.3).
			return nil, unfit("CRL has an entry with a critical extension")
		}
		if e.SerialNumber.Cmp(cert.SerialNumber) == 0 && !e.RevocationTime.After(at) {
			return l, fmt.Errorf("%w since %s", ErrRevoked, e.RevocationTime.UTC().Format(time.RFC3339))
		}
	}
	return l, nil
}

// unboundedFor is how long an OCSP response without an end counts as current. Such a responder has something newer at
// any time (RFC 6960 §4.2.2.1), so an old response of its is one that somebody kept, from before a revocation perhaps.
const unboundedFor = 24 * time.Hour

func current(this, next, at time.Time) error {
	if this.After(at.Add(skew)) {
		return unfit("proof is from the future")
	}
	if next.IsZero() {
		next = this.Add(unboundedFor)
	}
	if next.Before(at) {
		return unfit("proof has run out")
	}
	return nil
}

// Request encodes an OCSP request about cert.
func Request(cert, issuer *x509.Certificate) ([]byte, error) {
	return ocsp.CreateRequest(cert, issuer, &ocsp.RequestOptions{Hash: crypto.SHA1})
}
