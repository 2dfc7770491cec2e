package validate

import (
	"cmp"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"time"
)

// certificateUse is a certificate that signed something, and what is known about when it did.
type certificateUse struct {
	cert    *x509.Certificate
	purpose Purpose
	// bestTime is the earliest moment for which the signature is proved to exist; the moment of validation where
	// nothing else proves it.
	bestTime time.Time
	// madeAfter is a moment that the signature is proved to be younger than; zero where nothing proves it.
	madeAfter time.Time
	// claimed is the time within a timestamp token; zero of a signature.
	claimed time.Time
}

// trustStatus is what came out about a certificate and its issuers.
type trustStatus struct {
	chain        chain
	certificates []Certificate
	sub          SubIndication
	reasons      []Reason
	// embedded is whether all proof that was needed stands in the file, and lastRevision the state that holds it all.
	embedded     bool
	lastRevision int
	undated      bool // nobody knows of which state some proof is
	// notes are what was relied on and may be asked again.
	notes []Reason
}

// trustLimit is a moment up to which a certificate can be relied on, and what ends it there.
type trustLimit struct {
	until time.Time
	sub   SubIndication
	code  string // of the reason
	args  []string
}

// newReason puts it into words, which most limits never need.
func (l trustLimit) newReason() Reason { return newReason(l.code, l.args...) }

// severity orders what may be wrong: the first is told as the sub-indication.
var severity = []SubIndication{
	RevokedBefore, Expired, NotYetValid, RevokedNoPOE, RevokedCANoPOE, CryptoConstraintsFailure, OutOfBoundsNoPOE,
	CryptoConstraintsFailureNoPOE, ChainConstraintsFailure, NoPOE, CertificateChainGeneralFailure, TryLater,
}

// isStatusUnknown reports whether it says no more than that nobody has told whether somebody was revoked.
func (s SubIndication) isStatusUnknown() bool {
	return s == TryLater || s == NoPOE || s == CertificateChainGeneralFailure
}

// validateCertificate finds the chain of a certificate and says whether it can be relied on for what exists since then. Of several
// chains the first that holds counts, or else the first.
func (v *validation) validateCertificate(ctx context.Context, q certificateUse) (trustStatus, error) {
	if f := checkKeyUsage(q); f != nil {
		return refusedStatus(q.cert, f), nil
	}
	all, f := v.buildChains(q.cert, q.purpose, q.bestTime)
	if f != nil && f.sub == NoCertificateChainFound {
		found, err := v.fetchIssuers(ctx, q.cert)
		if err != nil {
			return trustStatus{}, err
		}
		if found {
			all, f = v.buildChains(q.cert, q.purpose, q.bestTime)
		}
	}
	if f != nil {
		if f.sub == OutOfBoundsNoPOE && q.madeAfter.After(q.cert.NotAfter) {
			f = &failure{Expired, newReason("certificate.expired_before", "subject", holderName(q.cert), "until", formatTime(q.cert.NotAfter), "after", formatTime(q.madeAfter))}
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

// validateChain walks a chain from the root down, as past signature validation does (ETSI EN 319 102-1 §5.6.2): each
// certificate may bring the moment forward up to which the chain can be relied on (its end, its revocation, the end of
// an algorithm), and proof about a certificate counts if it existed while its issuer could be relied on. The chain
// holds for what existed by that moment, if everybody in it was known to be good then.
func (v *validation) validateChain(ctx context.Context, q certificateUse, c chain) (trustStatus, error) {
	s := trustStatus{chain: c, embedded: true, certificates: make([]Certificate, len(c))}
	control := v.o.At
	var limits []trustLimit
	for i := len(c) - 1; i >= 0; i-- {
		cert := c[i]
		s.certificates[i] = v.cachedDescription(cert)
		d := &s.certificates[i]
		ends := v.certificateLimits(cert, i == len(c)-1)
		switch {
		case i == len(c)-1:
			d.Trusted, d.TrustOrigin, d.Revocation = true, v.trustAnchors().originOf(cert), "not needed"
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
		// The level is a matter of the file: what was fetched does not stand in it.
		s.embedded = s.embedded && !v.issuersFromNet[v.certificateHash(cert)]
		for _, l := range ends {
			// Not to have asked, or not lately, is no reason to doubt what an issuer said; whether it is enough
			// for what is to hold, settle tells.
			if !l.sub.isStatusUnknown() && l.until.Before(control) {
				control = l.until
			}
		}
		limits = append(limits, ends...)
	}
	s.applyLimits(q, limits)
	return s, nil
}

// recordEvidence remembers where proof stood.
func (s *trustStatus) recordEvidence(e *statusEvidence, q certificateUse, cert *x509.Certificate) {
	switch {
	case e == nil || e.origin == fromNet:
		s.embedded = false
	case e.revision == 0:
		s.undated = true
	case e.revision > s.lastRevision:
		s.lastRevision = e.revision
	}
	if e != nil && q.purpose == ForTime && e.validUntil().Before(q.bestTime) {
		s.notes = append(s.notes, newReason("time.not_asked_since", "subject", holderName(cert), "until", formatTime(e.validUntil())))
	}
}

// applyLimits compares the limits with what is to hold.
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

// certificateLimits returns the limits that a certificate sets by itself: its end, and that of its algorithms. What a root is
// signed with is nobody's business: it is trusted for being there.
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

// limitFor is where an algorithm that was used by cert's holder or issuer ends; nil if it does not. What was made by a
// certificate that began later was made later, and nothing can prove otherwise.
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

// isRevocationExempt reports whether a certificate says that it will never be revoked.
func isRevocationExempt(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool {
		return e.Id.Equal(oidNoRevAvail) || e.Id.Equal(oidShortTerm)
	})
}

// checkKeyUsage refuses a certificate that was not made for this.
func checkKeyUsage(q certificateUse) *failure {
	if q.purpose == ForTime {
		return nil // tsp.Parse demands the one purpose
	}
	c := q.cert
	if c.KeyUsage != 0 && c.KeyUsage&(x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment) == 0 {
		return &failure{ChainConstraintsFailure, newReason("certificate.key_usage", "subject", holderName(c))}
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
	return &failure{ChainConstraintsFailure, newReason("certificate.purpose", "subject", holderName(c))}
}
