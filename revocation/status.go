package revocation

import (
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// Errors of judging.
var (
	// ErrRevoked is a certificate that was revoked by the time it was judged at; the error is a [*RevokedError].
	ErrRevoked = errors.New("certificate is revoked")
	// ErrUnusable is proof that says nothing that could be relied on about this certificate at this time.
	ErrUnusable = errors.New("proof does not fit")
)

func newUnusable(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnusable, fmt.Errorf(format, args...))
}

// CertStatus is what a proof states about a certificate.
type CertStatus int

// The standings. Unknown is a responder that does not know the certificate, and the zero value.
const (
	Unknown CertStatus = iota
	Good
	Revoked
)

func (s CertStatus) String() string {
	switch s {
	case Good:
		return "good"
	case Revoked:
		return "revoked"
	}
	return "unknown"
}

// Reason is why a certificate was revoked (CRLReason, RFC 5280 §5.3.1).
type Reason int

// The reasons. Number 7 is not used; 8 takes a certificate off hold in delta lists, which are not read here.
const (
	Unspecified          Reason = 0
	KeyCompromise        Reason = 1
	CACompromise         Reason = 2
	AffiliationChanged   Reason = 3
	Superseded           Reason = 4
	CessationOfOperation Reason = 5
	CertificateHold      Reason = 6
	RemoveFromCRL        Reason = 8
	PrivilegeWithdrawn   Reason = 9
	AACompromise         Reason = 10
)

var reasons = map[Reason]string{
	Unspecified: "unspecified", KeyCompromise: "keyCompromise", CACompromise: "cACompromise", AffiliationChanged: "affiliationChanged",
	Superseded: "superseded", CessationOfOperation: "cessationOfOperation", CertificateHold: "certificateHold",
	RemoveFromCRL: "removeFromCRL", PrivilegeWithdrawn: "privilegeWithdrawn", AACompromise: "aACompromise",
}

// String returns the name that RFC 5280 §5.3.1 gives the reason.
func (r Reason) String() string {
	if s, ok := reasons[r]; ok {
		return s
	}
	return fmt.Sprintf("reason %d", int(r))
}

// ParseReason returns the reason of that name.
func ParseReason(name string) (Reason, bool) {
	for r, s := range reasons {
		if s == name {
			return r, true
		}
	}
	return 0, false
}

// Status is what one authentic proof states about one certificate. When it was made, and whether that is recent
// enough, is for [Status.Check] or for the caller.
type Status struct {
	CertStatus CertStatus
	At         time.Time // UTC; when the certificate was revoked; zero unless Revoked
	Reason     Reason    // why; Unspecified unless Revoked
	ThisUpdate time.Time // UTC; the statement is known to be right at this time
	NextUpdate time.Time // UTC; there will be something newer by then; zero: the proof does not say

	// Responder is who signed: the issuer itself, or the responder that it delegated OCSP to.
	Responder *x509.Certificate
}

// RevokedError is a certificate that was revoked, with the proof's statement. It is [ErrRevoked] for errors.Is.
type RevokedError struct {
	Serial *big.Int
	Status Status
}

func (e *RevokedError) Error() string {
	return fmt.Sprintf("certificate %x is revoked since %s (%s)", e.Serial, e.Status.At.Format(time.RFC3339), e.Status.Reason)
}

// Is makes the error ErrRevoked.
func (e *RevokedError) Is(target error) bool { return target == ErrRevoked }

// InvalidatesTimestamps reports whether the revocation spoils what a time-stamp authority stamped before it: it does unless the
// reason says that the key was not compromised (RFC 3161 §4). A reason that is unspecified counts as none, since it
// should not be stated (RFC 5280 §5.3.1).
func (s Status) InvalidatesTimestamps() bool {
	switch s.Reason {
	case AffiliationChanged, Superseded, CessationOfOperation:
		return false
	}
	return s.CertStatus == Revoked
}

// RevokedBy reports whether the certificate was revoked at that time or before it.
func (s Status) RevokedBy(at time.Time) bool { return s.CertStatus == Revoked && !s.At.After(at) }

const (
	// skew is how far ahead of us the clock of a responder may be.
	skew = 5 * time.Minute
	// maxAgeWithoutNextUpdate is how long an OCSP response without an end counts as current. Such a responder has something newer
	// at any time (RFC 6960 §4.2.2.1), so an old response of its is one that somebody kept, from before a revocation
	// perhaps.
	maxAgeWithoutNextUpdate = 24 * time.Hour
)

// Current checks that the proof is to be relied on at a time: made by then, not superseded, and signed by a
// certificate that is valid then. What it states is not looked at. The error is ErrUnfit.
func (s Status) Current(at time.Time) error {
	next := s.NextUpdate
	if next.IsZero() {
		next = s.ThisUpdate.Add(maxAgeWithoutNextUpdate)
	}
	switch c := s.Responder; {
	case s.ThisUpdate.After(at.Add(skew)):
		return newUnusable("proof is from the future")
	case next.Before(at):
		return newUnusable("proof has run out")
	case c != nil && (at.Before(c.NotBefore) || at.After(c.NotAfter)):
		return newUnusable("responder's certificate is not valid at that time")
	}
	return nil
}

// Check is nil if the proof shows at a time that cert was good. Otherwise it is ErrUnfit, or a [*RevokedError] if
// the certificate was revoked by then.
func (s Status) Check(cert *x509.Certificate, at time.Time) error {
	if err := s.Current(at); err != nil {
		return err
	}
	if s.RevokedBy(at) {
		return &RevokedError{cert.SerialNumber, s}
	}
	if s.CertStatus == Unknown {
		return newUnusable("responder does not know the certificate")
	}
	return nil
}
