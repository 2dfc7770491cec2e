package revocation

import (
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"time"

	"segel/cms"
)

// Errors of validation.
var (
	// ErrRevoked is a certificate that was revoked by the time of validation; the error is a [*RevokedError].
	ErrRevoked = errors.New("certificate is revoked")
	// ErrUnusable is revocation data that cannot be relied on for this certificate at this time.
	ErrUnusable = errors.New("unusable revocation data")
)

func newUnusable(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnusable, fmt.Errorf(format, args...))
}

// CertStatus is the status of a certificate in revocation data (RFC 6960 §2.2).
type CertStatus int

// The status values. Unknown, the zero value, means that the responder does not know the certificate.
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

// Reason is the reason of a revocation (CRLReason, RFC 5280 §5.3.1).
type Reason int

// The reasons. 7 is not used; 8 removes a certificate from hold in delta lists, which are not supported here.
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

// String returns the name in RFC 5280 §5.3.1.
func (r Reason) String() string {
	if s, ok := reasons[r]; ok {
		return s
	}
	return fmt.Sprintf("reason %d", int(r))
}

// ParseReason returns the reason with that name.
func ParseReason(name string) (Reason, bool) {
	for r, s := range reasons {
		if s == name {
			return r, true
		}
	}
	return 0, false
}

// Status is the verified statement of revocation data about one certificate. [Status.Check] or the caller decides
// whether it is recent enough.
type Status struct {
	CertStatus CertStatus
	At         time.Time // UTC; when the certificate was revoked; zero unless Revoked
	Reason     Reason    // Unspecified unless Revoked
	ThisUpdate time.Time // UTC; the status is known to be correct at this time
	NextUpdate time.Time // UTC; newer data is available by then; zero: not stated

	// Responder is the signer: the issuer itself, or its delegated OCSP responder.
	Responder *x509.Certificate
	Algorithm x509.SignatureAlgorithm // of its signature; SHA-1 is not refused here, since old data may have been good
}

// RevokedError is a revoked certificate with its status. It is [ErrRevoked] for errors.Is.
type RevokedError struct {
	Serial *big.Int
	Status Status
}

func (e *RevokedError) Error() string {
	return fmt.Sprintf("certificate %x is revoked since %s (%s)", e.Serial, e.Status.At.Format(time.RFC3339), e.Status.Reason)
}

// Is makes the error ErrRevoked.
func (e *RevokedError) Is(target error) bool { return target == ErrRevoked }

// InvalidatesTimestamps reports whether the revocation of a time-stamp authority's certificate invalidates its earlier
// timestamps: it does unless the reason says that the key was not compromised (RFC 3161 §4). Unspecified counts as no
// reason, since it should not be stated (RFC 5280 §5.3.1).
func (s Status) InvalidatesTimestamps() bool {
	switch s.Reason {
	case AffiliationChanged, Superseded, CessationOfOperation:
		return false
	}
	return s.CertStatus == Revoked
}

// RevokedBy reports whether the certificate was revoked at or before that time.
func (s Status) RevokedBy(at time.Time) bool { return s.CertStatus == Revoked && !s.At.After(at) }

// maxAgeWithoutNextUpdate is how long an OCSP response without nextUpdate counts as current. Such a responder always has
// newer data (RFC 6960 §4.2.2.1), so an old response may be a replay from before a revocation.
const maxAgeWithoutNextUpdate = 24 * time.Hour

// Current checks that the data can be relied on at a time: made by then, not superseded, and its signer's certificate
// valid then. The certificate's status is not checked. The error is ErrUnusable.
func (s Status) Current(at time.Time) error {
	next := s.NextUpdate
	if next.IsZero() {
		next = s.ThisUpdate.Add(maxAgeWithoutNextUpdate)
	}
	switch c := s.Responder; {
	case s.ThisUpdate.After(at.Add(cms.ClockSkew)):
		return newUnusable("revocation data is from the future")
	case next.Before(at):
		return newUnusable("revocation data has expired")
	case c != nil && (at.Before(c.NotBefore) || at.After(c.NotAfter)):
		return newUnusable("responder's certificate is not valid at that time")
	}
	return nil
}

// Check returns nil if cert was good at that time. Otherwise the error is ErrUnusable, or a [*RevokedError] if the
// certificate was revoked by then.
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
