package validate

import (
	"cmp"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"slices"
	"strings"
	"time"

	"segel/revocation"
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
	until  time.Time
	sub    SubIndication
	reason Reason
}

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
	if f != nil {
		if f.sub == OutOfBoundsNoPOE && q.after.After(q.cert.NotAfter) {
			f.sub = Expired
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
		s.certificates[i] = describe(cert)
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
		s.reasons = append(s.reasons, l.reason)
	}
	if len(broken) > 0 {
		s.sub = broken[0].sub
	}
}

// ends returns the limits that a certificate sets by itself: its end, and that of its algorithms. What a root is
// signed with is nobody's business: it is trusted for being there.
func (v *validation) ends(c *x509.Certificate, root bool) []limit {
	list := []limit{{c.NotAfter, OutOfBoundsNoPOE, reason("certificate.expired", "subject", name(c), "until", stamp(c.NotAfter))}}
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
	r := reason(code, "algorithm", a.name, "subject", name(c), "until", stamp(a.until))
	switch {
	case !a.known:
		return &limit{time.Time{}, CryptoConstraintsFailure, reason(code+"_unknown", "algorithm", a.name, "subject", name(c))}
	case a.until.IsZero():
		return nil
	case c.NotBefore.After(a.until):
		return &limit{a.until, CryptoConstraintsFailure, r}
	}
	return &limit{a.until, CryptoConstraintsFailureNoPOE, r}
}

// until is the moment up to which a proof speaks: its issuer promised to have something newer by then.
func (e evidence) until() time.Time {
	if e.NextUpdate.IsZero() {
		return e.ThisUpdate.Add(unboundedFor)
	}
	return e.NextUpdate
}

// unboundedFor is how long a proof without an end speaks.
const unboundedFor = 24 * time.Hour

// revocation judges one certificate by the proof at hand, of which it returns the piece that counts. The limit is
// the moment of its revocation, or up to which it is known to be good; nil is no limit before control.
func (v *validation) revocation(q question, cert, issuer *x509.Certificate, control time.Time, ca bool, d *Certificate) (*limit, *evidence) {
	all := v.about(cert, issuer)
	if l, e := revoked(q, cert, all, ca); e != nil {
		d.Revocation, d.RevokedAt, d.RevokedFor, d.ProvedBy = "revoked", Time{e.At}, e.Reason.String(), e.origin
		if before, _ := v.good(q, cert, all, control); before != nil && !l.until.Before(q.exists) {
			e = before // it was revoked later; what counts is what was known then
		}
		return l, e
	}
	best, late := v.good(q, cert, all, control)
	switch {
	case best == nil && late:
		d.Revocation = "unknown"
		return &limit{time.Time{}, NoPOE, reason("revocation.no_poe", "subject", name(cert), "issuer", name(issuer))}, nil
	case best == nil:
		d.Revocation = "unknown"
		return &limit{time.Time{}, CertificateChainGeneralFailure, reason("revocation.missing", "subject", name(cert))}, nil
	}
	d.Revocation, d.ProvedBy, d.ProvedFrom, d.ProvedUntil = "good", best.origin, Time{best.ThisUpdate}, Time{best.until()}
	until := best.until()
	if q.purpose == ForTime && !until.Before(q.claimed) {
		// A token that only the present proves would need proof of the present, for ever. What is known of its
		// authority at the time of the token is taken, and said in a note; a revocation counts whenever it was.
		return nil, best
	}
	return &limit{until, TryLater, reason("revocation.stale", "subject", name(cert), "until", stamp(until))}, best
}

// revoked returns the earliest revocation, if there is one. A certificate that was on hold and is good by newer
// proof is not revoked.
func revoked(q question, cert *x509.Certificate, all []evidence, ca bool) (*limit, *evidence) {
	var first *evidence
	for _, e := range all {
		if e.Standing != revocation.Revoked || e.Reason == revocation.CertificateHold && lifted(all, e) {
			continue
		}
		if first == nil || e.At.Before(first.At) {
			first = &e
		}
	}
	if first == nil {
		return nil, nil
	}
	args := []string{"subject", name(cert), "at", stamp(first.At), "why", first.Reason.String()}
	// Revoked at a moment is not good at that moment.
	until := first.At.Add(-time.Nanosecond)
	switch {
	case first.Reason == revocation.CertificateHold:
		return &limit{until, TryLater, reason("revocation.hold", args...)}, first
	case ca:
		return &limit{until, RevokedCANoPOE, reason("revocation.ca", args...)}, first
	case !q.after.IsZero() && q.after.After(first.At):
		return &limit{until, RevokedBefore, reason("revocation.before", args...)}, first
	}
	return &limit{until, RevokedNoPOE, reason("revocation.revoked", args...)}, first
}

func lifted(all []evidence, hold evidence) bool {
	return slices.ContainsFunc(all, func(e evidence) bool {
		return e.Standing == revocation.Good && e.ThisUpdate.After(hold.ThisUpdate)
	})
}

// good returns the proof of good standing that counts: of those in the file that speak long enough the one that is
// there longest, else the one that speaks longest. Late is whether there would be some if it were proved to be older.
func (v *validation) good(q question, cert *x509.Certificate, all []evidence, control time.Time) (best *evidence, late bool) {
	needed := q.exists
	if q.purpose == ForTime {
		needed = q.claimed
	}
	enough := func(e *evidence) bool { return e.origin != fromNet && !e.until().Before(needed) }
	for _, e := range all {
		// An issuer need not remember certificates that have ended (RFC 5280 §3.3).
		if e.Standing != revocation.Good || e.ThisUpdate.After(cert.NotAfter) {
			continue
		}
		if v.existed(e.material).After(control) {
			late = true
			continue
		}
		switch {
		case best == nil, enough(&e) && !enough(best):
			best = &e
		case enough(best) && (!enough(&e) || e.revision == 0 || best.revision > 0 && e.revision >= best.revision):
		case enough(best) || e.until().After(best.until()):
			best = &e
		}
	}
	return best, late
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

// describe puts a certificate into words.
func describe(c *x509.Certificate) Certificate {
	return Certificate{
		Subject: c.Subject.String(), Name: name(c), Issuer: c.Issuer.String(), Serial: strings.ToLower(c.SerialNumber.Text(16)),
		SHA256: fingerprint(c), NotBefore: Time{c.NotBefore}, NotAfter: Time{c.NotAfter}, Key: keyName(c), Revocation: "unknown",
	}
}

// name is what a person calls the holder of a certificate.
func name(c *x509.Certificate) string {
	if c == nil {
		return ""
	}
	parts := []string{c.Subject.CommonName}
	parts = append(parts, c.Subject.Organization...)
	parts = append(parts, c.EmailAddresses...)
	for _, p := range append(parts, c.Subject.String()) {
		if p != "" {
			return p
		}
	}
	return strings.ToLower(c.SerialNumber.Text(16))
}

// keyName tells the kind and the strength of a certificate's key.
func keyName(c *x509.Certificate) string {
	kind, bits := keySize(c.PublicKey)
	if kind == "Ed25519" {
		return kind
	}
	return fmt.Sprintf("%s-%d", kind, bits)
}
