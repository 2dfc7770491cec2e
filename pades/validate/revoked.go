package validate

import (
	"crypto/x509"
	"slices"
	"time"

	"segel/revocation"
)

// validUntil is the moment up to which a proof speaks: its issuer promised to have something newer by then.
func (e statusEvidence) validUntil() time.Time {
	if e.NextUpdate.IsZero() {
		return e.ThisUpdate.Add(defaultValidity)
	}
	return e.NextUpdate
}

// defaultValidity is how long a proof without an end speaks.
const defaultValidity = 24 * time.Hour

// checkRevocation judges one certificate by the proof at hand, of which it returns the piece that counts. The limit is
// the moment of its revocation, or up to which it is known to be good; nil is no limit before control.
func (v *validation) checkRevocation(q certificateUse, cert, issuer *x509.Certificate, control time.Time, ca bool, d *Certificate) (*trustLimit, *statusEvidence) {
	all := v.findEvidence(cert, issuer)
	if l, e := findRevocation(q, cert, all, ca); e != nil {
		d.Revocation, d.RevokedAt, d.RevokedFor, d.ProvedBy = "revoked", Time{e.At}, e.Reason.String(), e.origin
		if before, _ := v.findGoodStatus(q, cert, all, control); before != nil && !l.until.Before(q.bestTime) {
			e = before // it was revoked later; what counts is what was known then
		}
		return l, e
	}
	best, late := v.findGoodStatus(q, cert, all, control)
	switch {
	case best == nil && late:
		d.Revocation = "unknown"
		return &trustLimit{time.Time{}, NoPOE, "revocation.no_poe", []string{"subject", holderName(cert), "issuer", holderName(issuer)}}, nil
	case best == nil:
		d.Revocation = "unknown"
		return &trustLimit{time.Time{}, CertificateChainGeneralFailure, "revocation.missing", []string{"subject", holderName(cert)}}, nil
	}
	d.Revocation, d.ProvedBy, d.ProvedFrom, d.ProvedUntil = "good", best.origin, Time{best.ThisUpdate}, Time{best.validUntil()}
	until := best.validUntil()
	if q.purpose == ForTime && !until.Before(q.claimed) {
		// A token that only the present proves would need proof of the present, for ever. What is known of its
		// authority at the time of the token is taken, and said in a note; a revocation counts whenever it was.
		return nil, best
	}
	return &trustLimit{until, TryLater, "revocation.stale", []string{"subject", holderName(cert), "until", formatTime(until)}}, best
}

// findRevocation returns the earliest revocation, if there is one. A certificate that was on hold and is good by newer
// proof is not revoked.
func findRevocation(q certificateUse, cert *x509.Certificate, all []statusEvidence, ca bool) (*trustLimit, *statusEvidence) {
	var first *statusEvidence
	for _, e := range all {
		if e.CertStatus != revocation.Revoked || e.Reason == revocation.CertificateHold && isHoldLifted(all, e) {
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
	// Revoked at a moment is not good at that moment.
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

func isHoldLifted(all []statusEvidence, hold statusEvidence) bool {
	return slices.ContainsFunc(all, func(e statusEvidence) bool {
		return e.CertStatus == revocation.Good && e.ThisUpdate.After(hold.ThisUpdate)
	})
}

// findGoodStatus returns the proof of good standing that counts: of those in the file that speak long enough the one that is
// there longest, else the one that speaks longest. Late is whether there would be some if it were proved to be older.
func (v *validation) findGoodStatus(q certificateUse, cert *x509.Certificate, all []statusEvidence, control time.Time) (best *statusEvidence, late bool) {
	needed := q.bestTime
	if q.purpose == ForTime {
		needed = q.claimed
	}
	enough := func(e *statusEvidence) bool { return e.origin != fromNet && !e.validUntil().Before(needed) }
	for _, e := range all {
		// An issuer need not remember certificates that have ended (RFC 5280 §3.3).
		if e.CertStatus != revocation.Good || e.ThisUpdate.After(cert.NotAfter) {
			continue
		}
		if v.earliestExistence(e.revocationItem).After(control) {
			late = true
			continue
		}
		switch {
		case best == nil, enough(&e) && !enough(best):
			best = &e
		case enough(best) && (!enough(&e) || e.revision == 0 || best.revision > 0 && e.revision >= best.revision):
		case enough(best) || e.validUntil().After(best.validUntil()):
			best = &e
		}
	}
	return best, late
}
