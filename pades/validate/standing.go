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

// question is a certificate that signed something, and what is known about when it did.
type question struct {
	cert    *x509.Certificate
	purpose Purpose
	// exists is the earliest moment for which the signature is proved to exist; the moment of validation where
	// nothing else proves it.
	exists time.Time
	// after is a moment that the signature is proved to be younger than; zero where nothing proves it.
	after time.Time
	// claimed is the time within a timestamp token; zero of a signature.
	claimed time.Time
}

// standing is what came out about a certificate and its issuers.
type standing struct {
	chain        chain
	certificates []Certificate
	sub          SubIndication
	reasons      []Reason
	// inside is whether all proof that was needed stands in the file, and lastRevision the state that holds it all.
	inside       bool
	lastRevision int
	unplaced     bool // nobody knows of which state some proof is
	// notes are what was relied on and may be asked again.
	notes []Reason
}

// limit is a moment up to which a certificate can be relied on, and what ends it there.
type limit struct {
	until time.Time
	sub   SubIndication
	code  string // of the reason
	args  []string
}

// reason puts it into words, which most limits never need.
func (l limit) reason() Reason { return reason(l.code, l.args...) }

// severity orders what may be wrong: the first is told as the sub-indication.
var severity = []SubIndication{
	RevokedBefore, Expired, NotYetValid, RevokedNoPOE, RevokedCANoPOE, CryptoConstraintsFailure, OutOfBoundsNoPOE,
	CryptoConstraintsFailureNoPOE, ChainConstraintsFailure, NoPOE, CertificateChainGeneralFailure, TryLater,
}

// unknown reports whether it says no more than that nobody has told whether somebody was revoked.
func (s SubIndication) unknown() bool {
	return s == TryLater || s == NoPOE || s == CertificateChainGeneralFailure
}

// judge finds the chain of a certificate and says whether it can be relied on for what exists since then. Of several
// chains the first that holds counts, or else the first.
func (v *validation) judge(ctx context.Context, q question) (standing, error) {
	if f := usage(q); f != nil {
		return refused(q.cert, f), nil
	}
	all, f := v.chains(q.cert, q.purpose, q.exists)
	if f != nil && f.sub == NoCertificateChainFound {
		found, err := v.fetchIssuers(ctx, q.cert)
		if err != nil {
			return standing{}, err
		}
		if found {
			all, f = v.chains(q.cert, q.purpose, q.exists)
		}
	}
	if f != nil {
		if f.sub == OutOfBoundsNoPOE && q.after.After(q.cert.NotAfter) {
			f = &failure{Expired, reason("certificate.expired_before", "subject", name(q.cert), "until", stamp(q.cert.NotAfter), "after", stamp(q.after))}
		}
		return refused(q.cert, f), nil
	}
	var first *standing
	for _, c := range all {
		s, err := v.judgeChain(ctx, q, c)
		if err != nil || s.sub == "" {
			return s, err
		}
		if first == nil {
			first = &s
		}
	}
	return *first, nil
}

func refused(c *x509.Certificate, f *failure) standing {
	return standing{certificates: []Certificate{describe(c)}, sub: f.sub, reasons: []Reason{f.reason}}
}

// judgeChain walks a chain from the root down, as past signature validation does (ETSI EN 319 102-1 §5.6.2): each
// certificate may bring the moment forward up to which the chain can be relied on (its end, its revocation, the end of
// an algorithm), and proof about a certificate counts if it existed while its issuer could be relied on. The chain
// holds for what existed by that moment, if everybody in it was known to be good then.
func (v *validation) judgeChain(ctx context.Context, q question, c chain) (standing, error) {
	s := standing{chain: c, inside: true, certificates: make([]Certificate, len(c))}
	control := v.o.At
	var limits []limit
	for i := len(c) - 1; i >= 0; i-- {
		cert := c[i]
		s.certificates[i] = v.describe(cert)
		d := &s.certificates[i]
		ends := v.ends(cert, i == len(c)-1)
		switch {
		case i == len(c)-1:
			d.Trusted, d.TrustOrigin, d.Revocation = true, v.trust().origin(cert), "not needed"
		case exempt(cert):
			d.Revocation = "not needed"
		default:
			if err := v.fetch(ctx, cert, c[i+1]); err != nil {
				return s, err
			}
			l, used := v.revocation(q, cert, c[i+1], control, i > 0, d)
			if l != nil {
				ends = append(ends, *l)
			}
			s.use(used, q, cert)
		}
		// The level is a matter of the file: what was fetched does not stand in it.
		s.inside = s.inside && !v.borrowed[v.sum(cert)]
		for _, l := range ends {
			// Not to have asked, or not lately, is no reason to doubt what an issuer said; whether it is enough
			// for what is to hold, settle tells.
			if !l.sub.unknown() && l.until.Before(control) {
				control = l.until
			}
		}
		limits = append(limits, ends...)
	}
	s.settle(q, limits)
	return s, nil
}

// use remembers where proof stood.
func (s *standing) use(e *evidence, q question, cert *x509.Certificate) {
	switch {
	case e == nil || e.origin == fromNet:
		s.inside = false
	case e.revision == 0:
		s.unplaced = true
	case e.revision > s.lastRevision:
		s.lastRevision = e.revision
	}
	if e != nil && q.purpose == ForTime && e.until().Before(q.exists) {
		s.notes = append(s.notes, reason("time.not_asked_since", "subject", name(cert), "until", stamp(e.until())))
	}
}

// settle compares the limits with what is to hold.
func (s *standing) settle(q question, limits []limit) {
	var broken []limit
	for _, l := range limits {
		if l.until.Before(q.exists) {
			broken = append(broken, l)
		}
	}
	slices.SortStableFunc(broken, func(a, b limit) int {
		return cmp.Compare(slices.Index(severity, a.sub), slices.Index(severity, b.sub))
	})
	for _, l := range broken {
		s.reasons = append(s.reasons, l.reason())
	}
	if len(broken) > 0 {
		s.sub = broken[0].sub
	}
}

// ends returns the limits that a certificate sets by itself: its end, and that of its algorithms. What a root is
// signed with is nobody's business: it is trusted for being there.
func (v *validation) ends(c *x509.Certificate, root bool) []limit {
	list := []limit{{c.NotAfter, OutOfBoundsNoPOE, "certificate.expired", []string{"subject", name(c), "until", stamp(c.NotAfter)}}}
	for i, a := range v.o.Policy.certificate(c) {
		if i == 0 && root {
			continue
		}
		if l := a.limit(c, "algorithm.certificate"); l != nil {
			list = append(list, *l)
		}
	}
	return list
}

// limit is where an algorithm that was used by cert's holder or issuer ends; nil if it does not. What was made by a
// certificate that began later was made later, and nothing can prove otherwise.
func (a algorithm) limit(c *x509.Certificate, code string) *limit {
	l := &limit{a.until, CryptoConstraintsFailureNoPOE, code, []string{"algorithm", a.name, "subject", name(c), "until", stamp(a.until)}}
	switch {
	case !a.known:
		return &limit{time.Time{}, CryptoConstraintsFailure, code + "_unknown", l.args[:4]}
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

// exempt reports whether a certificate says that it will never be revoked.
func exempt(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool {
		return e.Id.Equal(oidNoRevAvail) || e.Id.Equal(oidShortTerm)
	})
}

// usage refuses a certificate that was not made for this.
func usage(q question) *failure {
	if q.purpose == ForTime {
		return nil // tsp.Parse demands the one purpose
	}
	c := q.cert
	if c.KeyUsage != 0 && c.KeyUsage&(x509.KeyUsageDigitalSignature|x509.KeyUsageContentCommitment) == 0 {
		return &failure{ChainConstraintsFailure, reason("certificate.key_usage", "subject", name(c))}
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
	return &failure{ChainConstraintsFailure, reason("certificate.purpose", "subject", name(c))}
}
