package validate

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"segel/revocation"
)

// skew is the tolerated difference between clocks.
const skew = 5 * time.Minute

// findEvidence returns what the available data says about a certificate.
func (v *validation) findEvidence(cert, issuer *x509.Certificate) []revocation.Evidence {
	return slices.DeleteFunc(v.revocations.FindAll(cert, issuer), func(e revocation.Evidence) bool {
		return e.ThisUpdate.After(v.o.At.Add(skew)) || v.revocations.IsResponderRevoked(e.Responder, issuer)
	})
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
	asking, cancel := v.withOnlineDeadline(ctx)
	defer cancel()
	v.revocations.Fetch(asking, v.o.Online, revocation.Query{Cert: cert, Issuer: issuer})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, _, err := v.revocations.FetchResult(cert); err != nil && !errors.Is(err, revocation.ErrRevoked) {
		v.unreachable = append(v.unreachable, holderName(cert))
	}
	return nil
}

// withOnlineDeadline returns the context of a query to Online.
func (v *validation) withOnlineDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if v.onlineUntil.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, v.onlineUntil)
}

// validUntil is the time of the next update promised by the issuer.
func validUntil(e *revocation.Evidence) time.Time {
	if e.NextUpdate.IsZero() {
		return e.ThisUpdate.Add(defaultValidity)
	}
	return e.NextUpdate
}

// defaultValidity applies to data without a next update.
const defaultValidity = 24 * time.Hour

// checkRevocation evaluates the revocation data about one certificate and returns the evidence that counts. The limit
// is the time of revocation, or until when the certificate is known to be good; nil sets no limit before control.
func (v *validation) checkRevocation(q certificateUse, cert, issuer *x509.Certificate, control time.Time, ca bool, d *Certificate) (*trustLimit, *revocation.Evidence) {
	all := v.findEvidence(cert, issuer)
	if l, e := findRevocation(q, cert, all, ca); e != nil {
		d.Revocation, d.RevokedAt, d.RevokedFor, d.ProvedBy = "revoked", Time{e.At}, e.Reason.String(), e.Origin
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
	d.Revocation, d.ProvedBy, d.ProvedFrom, d.ProvedUntil = "good", best.Origin, Time{best.ThisUpdate}, Time{validUntil(best)}
	until := validUntil(best)
	if q.purpose == ForTime && !until.Before(q.claimed) {
		// A token proved only by the present would need current data for ever. The status at the time of the token is
		// accepted, with a note; a revocation always counts.
		return nil, best
	}
	return &trustLimit{until, TryLater, "revocation.stale", []string{"subject", holderName(cert), "until", formatTime(until)}}, best
}

// findRevocation returns the earliest revocation, if any. A certificate that was on hold and is good in newer data is
// not revoked.
func findRevocation(q certificateUse, cert *x509.Certificate, all []revocation.Evidence, ca bool) (*trustLimit, *revocation.Evidence) {
	var first *revocation.Evidence
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

func isHoldLifted(all []revocation.Evidence, hold revocation.Evidence) bool {
	return slices.ContainsFunc(all, func(e revocation.Evidence) bool {
		return e.CertStatus == revocation.Good && e.ThisUpdate.After(hold.ThisUpdate)
	})
}

// findGoodStatus returns the evidence of good status that counts: of that in the file which is valid long enough the
// oldest in the file, else the one valid longest. Late is whether older data would have counted.
func (v *validation) findGoodStatus(q certificateUse, cert *x509.Certificate, all []revocation.Evidence, control time.Time) (best *revocation.Evidence, late bool) {
	needed := q.bestTime
	if q.purpose == ForTime {
		needed = q.claimed
	}
	enough := func(e *revocation.Evidence) bool {
		return e.Origin != revocation.FromNet && !validUntil(e).Before(needed)
	}
	for _, e := range all {
		// Issuers need not list expired certificates (RFC 5280 §3.3).
		if e.CertStatus != revocation.Good || e.ThisUpdate.After(cert.NotAfter) {
			continue
		}
		if v.earliestExistence(e.Item).After(control) {
			late = true
			continue
		}
		switch {
		case best == nil, enough(&e) && !enough(best):
			best = &e
		case enough(best) && (!enough(&e) || e.Revision == 0 || best.Revision > 0 && e.Revision >= best.Revision):
		case enough(best) || validUntil(&e).After(validUntil(best)):
			best = &e
		}
	}
	return best, late
}
