package validate

import (
	"crypto/x509"
	"slices"
	"time"

	"segel/revocation"
)

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
		return &limit{time.Time{}, NoPOE, "revocation.no_poe", []string{"subject", name(cert), "issuer", name(issuer)}}, nil
	case best == nil:
		d.Revocation = "unknown"
		return &limit{time.Time{}, CertificateChainGeneralFailure, "revocation.missing", []string{"subject", name(cert)}}, nil
	}
	d.Revocation, d.ProvedBy, d.ProvedFrom, d.ProvedUntil = "good", best.origin, Time{best.ThisUpdate}, Time{best.until()}
	until := best.until()
	if q.purpose == ForTime && !until.Before(q.claimed) {
		// A token that only the present proves would need proof of the present, for ever. What is known of its
		// authority at the time of the token is taken, and said in a note; a revocation counts whenever it was.
		return nil, best
	}
	return &limit{until, TryLater, "revocation.stale", []string{"subject", name(cert), "until", stamp(until)}}, best
}

// revoked returns the earliest revocation, if there is one. A certificate that was on hold and is good by newer
// proof is not revoked.
func revoked(q question, cert *x509.Certificate, all []evidence, ca bool) (*limit, *evidence) {
	var first *evidence
	for _, e := range all {
		if e.CertStatus != revocation.Revoked || e.Reason == revocation.CertificateHold && lifted(all, e) {
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
		return &limit{until, TryLater, "revocation.hold", args}, first
	case ca:
		return &limit{until, RevokedCANoPOE, "revocation.ca", args}, first
	case !q.after.IsZero() && q.after.After(first.At):
		return &limit{until, RevokedBefore, "revocation.before", args}, first
	}
	return &limit{until, RevokedNoPOE, "revocation.revoked", args}, first
}

func lifted(all []evidence, hold evidence) bool {
	return slices.ContainsFunc(all, func(e evidence) bool {
		return e.CertStatus == revocation.Good && e.ThisUpdate.After(hold.ThisUpdate)
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
		if e.CertStatus != revocation.Good || e.ThisUpdate.After(cert.NotAfter) {
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
