package validate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/certpath"
	"segel/cms"
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
	// embedded is whether the file has all revocation data, and lastRevision the first revision whose document timestamp
	// covers all of it.
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
			queryCtx, cancel := v.withOnlineDeadline(ctx)
			found = v.paths.FetchIssuers(queryCtx, q.cert, source)
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
			r := v.checkRevocation(q, cert, c[i+1], control, i > 0)
			d.describeRevocation(r)
			if r.limit != nil {
				ends = append(ends, *r.limit)
			}
			s.recordEvidence(r.counts, q, cert)
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
	case e.Origin == revocation.FromSignature:
		s.lastRevision = max(s.lastRevision, e.Revision+1) // no timestamp covers its own container
	default:
		s.lastRevision = max(s.lastRevision, e.Revision)
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

// certificateLimits returns the limits of a certificate itself: its end, those of its algorithms, and what it says about
// revocation data. Neither that nor the signature of a trust anchor matters.
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
	if l := checkNoRevAvail(c); l != nil && !root {
		list = append(list, *l)
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

	oidCRLDistributionPoints = asn1.ObjectIdentifier{2, 5, 29, 31} // RFC 5280 §4.2.1.13
	oidFreshestCRL           = asn1.ObjectIdentifier{2, 5, 29, 46} // RFC 5280 §4.2.1.15
)

// isRevocationExempt reports whether a certificate states that it is never revoked. That of an issuer cannot.
func isRevocationExempt(c *x509.Certificate) bool {
	return !c.IsCA && (hasExtension(c, oidNoRevAvail) || hasExtension(c, oidShortTerm))
}

// checkNoRevAvail refuses a certificate of an issuer for which no revocation data will be available, and one that says so
// and names where that data is (RFC 9608 §3).
func checkNoRevAvail(c *x509.Certificate) *trustLimit {
	what := ""
	switch {
	case !hasExtension(c, oidNoRevAvail):
		return nil
	case c.IsCA:
		what = "noRevAvail in a certificate of an issuer"
	case len(c.OCSPServer) > 0 || hasExtension(c, oidCRLDistributionPoints) || hasExtension(c, oidFreshestCRL):
		what = "noRevAvail beside an address of revocation data"
	default:
		return nil
	}
	return &trustLimit{time.Time{}, ChainConstraintsFailure, "chain.constraint", []string{"subject", holderName(c), "what", what}}
}

func hasExtension(c *x509.Certificate, id asn1.ObjectIdentifier) bool {
	return slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(id) })
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

// maxCandidates bounds the certificates that a file can bring for certificate paths.
const (
	maxCandidates = 512
	maxRSABits    = 8192   // of their keys; issuers have up to 4096
	maxChecks     = 20_000 // of certificate signatures, for one file
	maxFetches    = 16     // of issuers
)

// certificateFingerprint is the SHA-256 of a certificate in hexadecimal.
func certificateFingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// failure is a sub-indication with its reason.
type failure struct {
	sub    SubIndication
	reason Reason
}

// findPaths returns the paths from a certificate to trust anchors for a time, or why there is none.
func (v *validation) findPaths(c *x509.Certificate, purpose Purpose, at time.Time) ([]certpath.Path, *failure) {
	if c.NotBefore.IsZero() { // cms.ParseCertificate could not read it
		return nil, &failure{ChainConstraintsFailure, NewReason("certificate.validity_unreadable", "subject", holderName(c))}
	}
	found, err := v.paths.FindPaths(c, purpose.keyUsage(), at)
	if err == nil {
		return found, nil
	}
	if v.o.Trust.Len() == 0 {
		return nil, &failure{NoCertificateChainFound, NewReason("trust.empty")}
	}
	if at.Before(c.NotBefore) {
		return nil, &failure{NotYetValid, NewReason("certificate.not_yet_valid", "subject", holderName(c), "from", formatTime(c.NotBefore), "at", formatTime(at))}
	}
	// Only the time may be the problem: a chain that was valid once is better than none.
	for _, then := range []time.Time{c.NotAfter, c.NotBefore.Add(time.Second)} {
		if then.After(at) {
			continue
		}
		if found, err := v.paths.FindPaths(c, purpose.keyUsage(), then); err == nil {
			return nil, &failure{OutOfBoundsNoPOE, expiredReason(found[0], at)}
		}
	}
	return nil, v.explainMissingPath(c, purpose, err)
}

// expiredReason names the certificate of a path that has expired.
func expiredReason(c certpath.Path, at time.Time) Reason {
	for _, cert := range c {
		if at.After(cert.NotAfter) {
			return NewReason("certificate.expired", "subject", holderName(cert), "until", formatTime(cert.NotAfter), "at", formatTime(at))
		}
	}
	return NewReason("certificate.outside_validity", "subject", holderName(c[0]), "at", formatTime(at))
}

// explainMissingPath returns why crypto/x509 rejects a certificate.
func (v *validation) explainMissingPath(c *x509.Certificate, purpose Purpose, err error) *failure {
	if errors.Is(err, certpath.ErrTooMuch) {
		return &failure{NoCertificateChainFound, NewReason("revocation.too_much")}
	}
	var critical x509.UnhandledCriticalExtension
	var invalid x509.CertificateInvalidError
	switch irregular := cms.CheckEncoding(c); {
	case errors.As(err, &critical) && irregular != nil:
		return &failure{ChainConstraintsFailure, NewReason("certificate.irregular", "subject", holderName(c), "what", encodingFault(irregular))}
	case errors.As(err, &critical):
		return &failure{ChainConstraintsFailure, NewReason("chain.critical_extension", "subject", holderName(c))}
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return &failure{ChainConstraintsFailure, NewReason("chain.usage", "subject", holderName(c))}
	case errors.As(err, &invalid) && invalid.Reason != x509.Expired:
		return &failure{ChainConstraintsFailure, NewReason("chain.constraint", "subject", holderName(invalid.Cert), "what", invalid.Error())}
	}
	if weak := v.findWeakIssuer(c); weak != nil {
		return &failure{CryptoConstraintsFailureNoPOE, NewReason("algorithm.certificate_refused", "subject", holderName(weak), "algorithm", weak.SignatureAlgorithm.String())}
	}
	if signed, key := v.findUnsupportedKey(c); signed != nil {
		return &failure{NoCertificateChainFound, NewReason("chain.issuer_key", "subject", holderName(signed), "algorithm", key)}
	}
	if certpath.IsSelfIssued(c) {
		return &failure{NoCertificateChainFound, NewReason("chain.self_signed", "subject", holderName(c))}
	}
	if purpose == ForTime {
		return &failure{NoCertificateChainFound, NewReason("chain.unknown_root_time", "issuer", c.Issuer.String())}
	}
	return &failure{NoCertificateChainFound, NewReason("chain.unknown_root", "issuer", c.Issuer.String())}
}

// findUnsupportedKey walks up by names and returns a certificate whose issuer has a key that crypto/x509 does not
// support, and the type of that key.
func (v *validation) findUnsupportedKey(c *x509.Certificate) (signed *x509.Certificate, key string) {
	for range 16 {
		up := slices.Concat(v.paths.Candidates(c), v.o.Trust.anchors.FindBySubject(c.RawIssuer))
		if len(up) == 0 {
			return nil, ""
		}
		switch k := up[0].PublicKey.(type) {
		case *cms.ECKey, *cms.LargeRSAKey, *cms.UnsupportedKey:
			kind, bits := cms.KeySize(k)
			return c, fmt.Sprintf("%s-%d", kind, bits)
		}
		if certpath.IsSelfIssued(c) {
			return nil, ""
		}
		c = up[0]
	}
	return nil, ""
}

// findWeakIssuer walks up by names and returns a certificate with a signature algorithm that crypto/x509 never accepts.
func (v *validation) findWeakIssuer(c *x509.Certificate) *x509.Certificate {
	for range 16 {
		if certpath.IsSelfIssued(c) {
			return nil
		}
		switch c.SignatureAlgorithm {
		case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1, x509.DSAWithSHA1:
			return c
		}
		up := v.paths.Candidates(c)
		if len(up) == 0 {
			return nil
		}
		c = up[0]
	}
	return nil
}

// findEvidence returns what the available data says about a certificate. Complete is false if some of it was not
// verified because of the limits.
func (v *validation) findEvidence(cert, issuer *x509.Certificate) (all []revocation.Evidence, complete bool) {
	all, complete = v.revocations.FindAll(cert, issuer)
	return slices.DeleteFunc(all, func(e revocation.Evidence) bool {
		return e.ThisUpdate.After(v.o.At.Add(cms.ClockSkew)) || v.revocations.IsResponderRevoked(e.Responder, issuer)
	}), complete
}

// maxStatusFetches bounds the certificates of one file that are queried online.
const maxStatusFetches = 32

// fetchStatus fetches revocation data about a certificate, if Options.Online is set. If that fails the report says that
// it is missing.
func (v *validation) fetchStatus(ctx context.Context, cert, issuer *x509.Certificate) error {
	if _, known, _ := v.revocations.FetchResult(cert); v.o.Online == nil || known || v.statusFetches >= maxStatusFetches {
		return ctx.Err()
	}
	v.statusFetches++
	queryCtx, cancel := v.withOnlineDeadline(ctx)
	defer cancel()
	v.revocations.Fetch(queryCtx, untilDeadline{v.o.Online}, revocation.Query{Cert: cert, Issuer: issuer})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, _, err := v.revocations.FetchResult(cert); err != nil && !errors.Is(err, revocation.ErrRevoked) {
		v.unreachable = append(v.unreachable, holderName(cert))
	}
	return nil
}

// untilDeadline is a source that is not queried after the deadline, not even for what it has in its cache.
type untilDeadline struct{ revocation.Source }

func (s untilDeadline) Revocation(ctx context.Context, cert, issuer *x509.Certificate) (revocation.Data, error) {
	if err := ctx.Err(); err != nil {
		return revocation.Data{}, err
	}
	return s.Source.Revocation(ctx, cert, issuer)
}

// withOnlineDeadline returns the context of a query to Online.
func (v *validation) withOnlineDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if v.onlineUntil.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, v.onlineUntil)
}

// validUntil is the time of the next update promised by the issuer, or the end of the responder's certificate if that is
// earlier: nothing says who has its key afterwards.
func validUntil(e *revocation.Evidence) time.Time {
	next := e.NextUpdate
	if next.IsZero() {
		next = e.ThisUpdate.Add(defaultValidity)
	}
	if end := e.Responder.NotAfter; end.Before(next) {
		return end
	}
	return next
}

// defaultValidity applies to data without a next update.
const defaultValidity = 24 * time.Hour

// revocationStatus is the result of the revocation data about one certificate.
type revocationStatus struct {
	// limit is the time of revocation, or until when the certificate is known to be good; nil sets no limit before control.
	limit  *trustLimit
	counts *revocation.Evidence // nil: none
	states *revocation.Evidence // of the revocation, or else what counts
}

// checkRevocation evaluates the revocation data about one certificate.
func (v *validation) checkRevocation(q certificateUse, cert, issuer *x509.Certificate, control time.Time, ca bool) revocationStatus {
	all, complete := v.findEvidence(cert, issuer)
	best, newest, doubt := v.findGoodStatus(q, cert, issuer, all, control)
	if l, e := findRevocation(q, cert, all, newest, ca); e != nil {
		if best != nil && !l.until.Before(q.bestTime) {
			return revocationStatus{l, best, e} // it was revoked later; the earlier evidence counts
		}
		return revocationStatus{l, e, e}
	}
	switch {
	case !complete: // the rest may be a revocation
		return revocationStatus{limit: &trustLimit{time.Time{}, CertificateChainGeneralFailure, "revocation.too_much", nil}}
	case best == nil && doubt != nil:
		return revocationStatus{limit: doubt}
	case best == nil:
		return revocationStatus{limit: &trustLimit{time.Time{}, CertificateChainGeneralFailure, "revocation.missing", []string{"subject", holderName(cert)}}}
	}
	until := validUntil(best)
	if q.purpose == ForTime && !until.Before(q.claimed) {
		// A token proved only by the present would need current data for ever. The status at the time of the token is
		// accepted, with a note; a revocation always counts.
		return revocationStatus{nil, best, best}
	}
	return revocationStatus{&trustLimit{until, TryLater, "revocation.stale", []string{"subject", holderName(cert), "until", formatTime(until)}}, best, best}
}

// describeRevocation describes the revocation status in the report.
func (d *Certificate) describeRevocation(r revocationStatus) {
	switch e := r.states; {
	case e == nil:
		d.Revocation = "unknown"
	case e.CertStatus == revocation.Revoked:
		d.Revocation, d.RevokedAt, d.RevokedFor, d.ProvedBy = "revoked", Time{e.At}, e.Reason.String(), e.Origin
	default:
		d.Revocation, d.ProvedBy, d.ProvedFrom, d.ProvedUntil = "good", e.Origin, Time{e.ThisUpdate}, Time{validUntil(e)}
	}
}

// findRevocation returns the earliest revocation, if any. A certificate that was on hold is not revoked if goodAt, when the
// newest good evidence that counts was made, is later.
func findRevocation(q certificateUse, cert *x509.Certificate, all []revocation.Evidence, goodAt time.Time, ca bool) (*trustLimit, *revocation.Evidence) {
	var first *revocation.Evidence
	for _, e := range all {
		if e.CertStatus != revocation.Revoked || e.Reason == revocation.CertificateHold && goodAt.After(e.ThisUpdate) {
			continue
		}
		if first == nil || e.At.Before(first.At) {
			first = &e
		}
	}
	if first == nil {
		return nil, nil
	}
	args := []string{"subject", holderName(cert), "at", formatTime(first.At), "why", first.Reason.String()}
	// At the time of revocation the certificate is already revoked.
	until := first.At.Add(-time.Nanosecond)
	switch {
	case first.Reason == revocation.CertificateHold:
		return &trustLimit{until, TryLater, "revocation.hold", args}, first
	case ca:
		return &trustLimit{until, RevokedCANoPOE, "revocation.ca", args}, first
	case !q.madeAfter.IsZero() && q.madeAfter.After(first.At):
		return &trustLimit{until, RevokedBefore, "revocation.before", args}, first
	}
	return &trustLimit{until, RevokedNoPOE, "revocation.revoked", args}, first
}

// statesGood reports whether evidence states that a certificate is good, of a time at which its issuer had to list it
// otherwise: not after it expired (RFC 5280 §3.3).
func statesGood(e revocation.Evidence, cert *x509.Certificate) bool {
	return e.CertStatus == revocation.Good && !e.ThisUpdate.After(cert.NotAfter)
}

// doubtEvidence returns why evidence does not count: it may have been made after its issuer could no longer be relied on,
// which is control, or after its own algorithms could not. It is nil if the evidence counts.
func (v *validation) doubtEvidence(e revocation.Evidence, cert, issuer *x509.Certificate, control time.Time) *trustLimit {
	exists := v.earliestExistence(e.Item)
	if exists.After(control) {
		return &trustLimit{time.Time{}, NoPOE, "revocation.no_poe", []string{"subject", holderName(cert), "issuer", holderName(issuer)}}
	}
	for _, a := range v.o.Policy.findEvidenceRules(e.Status) {
		if l := a.limitFor(e.Responder, "algorithm.revocation"); l != nil && l.until.Before(exists) {
			return &trustLimit{time.Time{}, NoPOE, l.code, l.args}
		}
	}
	return nil
}

// findGoodStatus returns the evidence of good status that counts: of that in the file which is valid long enough the
// oldest in the file, else the one valid longest. Newest is when the newest that counts was made, or zero. Doubt is why some
// does not count.
func (v *validation) findGoodStatus(q certificateUse, cert, issuer *x509.Certificate, all []revocation.Evidence, control time.Time) (best *revocation.Evidence, newest time.Time, doubt *trustLimit) {
	needed := q.bestTime
	if q.purpose == ForTime {
		needed = q.claimed
	}
	enough := func(e *revocation.Evidence) bool {
		return e.Origin != revocation.FromNet && !validUntil(e).Before(needed)
	}
	for _, e := range all {
		if !statesGood(e, cert) {
			continue
		}
		if why := v.doubtEvidence(e, cert, issuer, control); why != nil {
			doubt = why
			continue
		}
		if e.ThisUpdate.After(newest) {
			newest = e.ThisUpdate
		}
		switch {
		case best == nil, enough(&e) && !enough(best):
			best = &e
		case enough(best) && (!enough(&e) || e.Revision == 0 || best.Revision > 0 && e.Revision >= best.Revision):
		case enough(best) || validUntil(&e).After(validUntil(best)):
			best = &e
		}
	}
	return best, newest, doubt
}
