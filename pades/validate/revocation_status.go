package validate

import (
	"crypto/x509"
	"slices"
	"time"

	"segel/revocation"
)

// validUntil is the time of the next update promised by the issuer.
func (e statusEvidence) validUntil() time.Time {
	if e.NextUpdate.IsZero() {
		return e.ThisUpdate.Add(defaultValidity)
	}
	return e.NextUpdate
}

// defaultValidity applies to data without a next update.
const defaultValidity = 24 * time.Hour

// checkRevocation evaluates the revocation data about one certificate and returns the evidence that counts. The limit
// is the time of revocation, or until when the certificate is known to be good; nil sets no limit before control.
func (v *validation) checkRevocation(q certificateUse, cert, issuer *x509.Certificate, control time.Time, ca bool, d *Certificate) (*trustLimit, *statusEvidence) {
	all := v.findEvidence(cert, issuer)
	if l, e := findRevocation(q, cert, all, ca); e != nil {
		d.Revocation, d.RevokedAt, d.RevokedFor, d.ProvedBy = "revoked", Time{e.At}, e.Reason.String(), e.origin
		if before, _ := v.findGoodStatus(q, cert, all, control); before != nil && !l.until.Before(q.bestTime) {
			e = before // it was revoked later; the earlier evidence counts
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
		// A token proved only by the present would need current data for ever. The status at the time of the token is
		// accepted, with a note; a revocation always counts.
		return nil, best
	}
	return &trustLimit{until, TryLater, "revocation.stale", []string{"subject", holderName(cert), "until", formatTime(until)}}, best
}

// findRevocation returns the earliest revocation, if any. A certificate that was on hold and is good in newer data is
// not revoked.
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

func isHoldLifted(all []statusEvidence, hold statusEvidence) bool {
	return slices.ContainsFunc(all, func(e statusEvidence) bool {
		return e.CertStatus == revocation.Good && e.ThisUpdate.After(hold.ThisUpdate)
	})
}

// findGoodStatus returns the evidence of good status that counts: of that in the file which is valid long enough the
// oldest in the file, else the one valid longest. Late is whether older data would have counted.
func (v *validation) findGoodStatus(q certificateUse, cert *x509.Certificate, all []statusEvidence, control time.Time) (best *statusEvidence, late bool) {
	needed := q.bestTime
	if q.purpose == ForTime {
		needed = q.claimed
	}
	enough := func(e *statusEvidence) bool { return e.origin != fromNet && !e.validUntil().Before(needed) }
	for _, e := range all {
		// Issuers need not list expired certificates (RFC 5280 §3.3).
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
