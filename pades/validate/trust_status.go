package validate

import (
	"cmp"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"time"

	"segel/certpath"
	"segel/revocation"
)

// certificateUse is a certificate that signed something, and what is known about the time.
type certificateUse struct {
	cert    *x509.Certificate
	purpose Purpose
	// bestTime is the earliest time at which the signature is proved to exist; by default the time of validation.
	bestTime time.Time
	// madeAfter is a time that the signature is proved to be younger than; or zero.
	madeAfter time.Time
	// claimed is the time in a timestamp token; zero for a signature.
	claimed time.Time
}

// trustStatus is the result for a certificate and its issuers.
type trustStatus struct {
	chain        certpath.Path
	certificates []Certificate
	sub          SubIndication
	reasons      []Reason
	// embedded is whether the file has all revocation data, and lastRevision the last revision needed for it.
	embedded     bool
	lastRevision int
	undated      bool // the revision of some revocation data is unknown
	// notes are accepted weaknesses, such as old revocation data.
	notes []Reason
}

// trustLimit is a time until which a certificate can be relied on, and what ends it.
type trustLimit struct {
	until time.Time
	sub   SubIndication
	code  string // of the reason
	args  []string
}

// newReason builds the reason; most limits never need it.
func (l trustLimit) newReason() Reason { return NewReason(l.code, l.args...) }

// severity orders sub-indications; the first one counts.
var severity = []SubIndication{
	RevokedBefore, Expired, NotYetValid, RevokedNoPOE, RevokedCANoPOE, CryptoConstraintsFailure, OutOfBoundsNoPOE,
	CryptoConstraintsFailureNoPOE, ChainConstraintsFailure, NoPOE, CertificateChainGeneralFailure, TryLater,
}

// isStatusUnknown reports whether only the revocation status is missing.
func (s SubIndication) isStatusUnknown() bool {
	return s == TryLater || s == NoPOE || s == CertificateChainGeneralFailure
}

// validateCertificate builds the chains of a certificate and checks whether it can be relied on for the given times. Of
// several chains the first valid one counts, or else the first.
func (v *validation) validateCertificate(ctx context.Context, q certificateUse) (trustStatus, error) {
	if f := checkKeyUsage(q); f != nil {
		return refusedStatus(q.cert, f), nil
	}
	all, f := v.findPaths(q.cert, q.purpose, q.bestTime)
	if f != nil && f.sub == NoCertificateChainFound {
		found := false
		if source, ok := v.o.Online.(certpath.IssuerSource); ok && v.o.Trust.Len() > 0 {
			asking, cancel := v.withOnlineDeadline(ctx)
			found = v.paths.FetchIssuers(asking, q.cert, source)
			cancel()
		}
		if ctx.Err() != nil {
			return trustStatus{}, ctx.Err()
		}
		if found {
			all, f = v.findPaths(q.cert, q.purpose, q.bestTime)
		}
	}
	if f != nil {
		if f.sub == OutOfBoundsNoPOE && q.madeAfter.After(q.cert.NotAfter) {
			f = &failure{Expired, NewReason("certificate.expired_before", "subject", holderName(q.cert), "until", formatTime(q.cert.NotAfter), "after", formatTime(q.madeAfter))}
		}
		return refusedStatus(q.cert, f), nil
	}
	var first *trustStatus
	for _, c := range all {
		s, err := v.validateChain(ctx, q, c)
		if err != nil || s.sub == "" {
			return s, err
		}
		if first == nil {
			first = &s
		}
	}
	return *first, nil
}

func refusedStatus(c *x509.Certificate, f *failure) trustStatus {
	return trustStatus{certificates: []Certificate{describeCertificate(c)}, sub: f.sub, reasons: []Reason{f.reason}}
}

// validateChain walks a chain from the trust anchor down, as in past certificate validation (ETSI EN 319 102-1 §5.6.2):
// each certificate may lower the time until which the chain can be relied on (by its end, its revocation, or the end of
// an algorithm), and revocation data counts if it existed while its issuer could be relied on. The chain is valid for
// what existed by that time, if all its certificates were known to be good then.
func (v *validation) validateChain(ctx context.Context, q certificateUse, c certpath.Path) (trustStatus, error) {
	s := trustStatus{chain: c, embedded: true, certificates: make([]Certificate, len(c))}
	control := v.o.At
	var limits []trustLimit
	for i := len(c) - 1; i >= 0; i-- {
		cert := c[i]
		s.certificates[i] = v.cachedDescription(cert)
		d := &s.certificates[i]
		d.Purposes = v.o.Trust.purposes[d.SHA256]
		ends := v.certificateLimits(cert, i == len(c)-1)
		switch {
		case i == len(c)-1:
			d.Trusted, d.TrustOrigin, d.Revocation = true, v.o.Trust.Origin(cert), "not needed"
		case isRevocationExempt(cert):
			d.Revocation = "not needed"
		default:
			if err := v.fetchStatus(ctx, cert, c[i+1]); err != nil {
				return s, err
			}
			l, used := v.checkRevocation(q, cert, c[i+1], control, i > 0, d)
			if l != nil {
				ends = append(ends, *l)
			}
			s.recordEvidence(used, q, cert)
		}
		// The level depends on the file, which lacks fetched certificates.
		s.embedded = s.embedded && !v.paths.IsFetched(cert)
		for _, l := range ends {
			// Missing or old revocation data is no reason to doubt the issuer; applyLimits decides whether it suffices.
			if !l.sub.isStatusUnknown() && l.until.Before(control) {
				control = l.until
			}
		}
		limits = append(limits, ends...)
	}
	s.applyLimits(q, limits)
	return s, nil
}

// recordEvidence records where the evidence is.
func (s *trustStatus) recordEvidence(e *revocation.Evidence, q certificateUse, cert *x509.Certificate) {
	switch {
	case e == nil || e.Origin == revocation.FromNet:
		s.embedded = false
	case e.Revision == 0:
		s.undated = true
	case e.Revision > s.lastRevision:
		s.lastRevision = e.Revision
	}
	if e != nil && q.purpose == ForTime && validUntil(e).Before(q.bestTime) {
		s.notes = append(s.notes, NewReason("time.not_asked_since", "subject", holderName(cert), "until", formatTime(validUntil(e))))
	}
}

// applyLimits compares the limits with the best time.
func (s *trustStatus) applyLimits(q certificateUse, limits []trustLimit) {
	var broken []trustLimit
	for _, l := range limits {
		if l.until.Before(q.bestTime) {
			broken = append(broken, l)
		}
	}
	slices.SortStableFunc(broken, func(a, b trustLimit) int {
		return cmp.Compare(slices.Index(severity, a.sub), slices.Index(severity, b.sub))
	})
	for _, l := range broken {
		s.reasons = append(s.reasons, l.newReason())
	}
	if len(broken) > 0 {
		s.sub = broken[0].sub
	}
}

// certificateLimits returns the limits of a certificate itself: its end, and those of its algorithms. The signature of
// a trust anchor does not matter.
func (v *validation) certificateLimits(c *x509.Certificate, root bool) []trustLimit {
	list := []trustLimit{{c.NotAfter, OutOfBoundsNoPOE, "certificate.expired", []string{"subject", holderName(c), "until", formatTime(c.NotAfter)}}}
	for i, a := range v.o.Policy.findCertificateRules(c) {
		if i == 0 && root {
			continue
		}
		if l := a.limitFor(c, "algorithm.certificate"); l != nil {
			list = append(list, *l)
		}
	}
	return list
}

// limitFor returns until when an algorithm of a certificate can be relied on; nil if there is no end. What a
// certificate that began later signed is later too, which nothing can disprove.
func (a algorithmRule) limitFor(c *x509.Certificate, code string) *trustLimit {
	l := &trustLimit{a.until, CryptoConstraintsFailureNoPOE, code, []string{"algorithm", a.name, "subject", holderName(c), "until", formatTime(a.until)}}
	switch {
	case !a.known:
		return &trustLimit{time.Time{}, CryptoConstraintsFailure, code + "_unknown", l.args[:4]}
	case a.until.IsZero():
		return nil
	case c.NotBefore.After(a.until):
		l.sub = CryptoConstraintsFailure
	}
	return l
}

var (
	oidNoRevAvail = asn1.ObjectIdentifier{2, 5, 29, 56}          // RFC 9608 §2
	oidShortTerm  = asn1.ObjectIdentifier{0, 4, 0, 194121, 2, 1} // ETSI EN 319 412-1: validity assured, short term
)

// isRevocationExempt reports whether a certificate states that it is never revoked.
func isRevocationExempt(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool {
		return e.Id.Equal(oidNoRevAvail) || e.Id.Equal(oidShortTerm)
	})
}

// checkKeyUsage refuses a certificate with another purpose.
func checkKeyUsage(q certificateUse) *failure {
	if q.purpose == ForTime {
		return nil // tsp.Parse requires the only purpose
	}
	c := q.cert
	if c.KeyUsage != 0 && c.KeyUsage&(x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment) == 0 {
		return &failure{ChainConstraintsFailure, NewReason("certificate.key_usage", "subject", holderName(c))}
	}
	if len(c.ExtKeyUsage) == 0 || len(c.UnknownExtKeyUsage) > 0 {
		return nil
	}
	others := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageCodeSigning, x509.ExtKeyUsageTimeStamping, x509.ExtKeyUsageOCSPSigning}
	for _, u := range c.ExtKeyUsage {
		if !slices.Contains(others, u) {
			return nil
		}
	}
	return &failure{ChainConstraintsFailure, NewReason("certificate.purpose", "subject", holderName(c))}
}
