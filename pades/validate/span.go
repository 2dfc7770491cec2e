package validate

import (
	"crypto/x509"
	"slices"
	"time"
)

// validityInterval is a stretch of time in which none of the certificates concerned begins or ends. Time enters into a chain only
// as whether its certificates are valid, so what crypto/x509 answers for one moment of a span it answers for all.
type validityInterval struct{ begun, ended int }

// validityBounds are when the certificates concerned begin and end, each in order.
type validityBounds struct{ begin, end []time.Time }

func (b *validityBounds) intervalAt(t time.Time) validityInterval {
	// Both ends belong to the validity (RFC 5280 §4.1.2.5).
	begun, _ := slices.BinarySearchFunc(b.begin, t, func(from, t time.Time) int {
		if from.After(t) {
			return 1
		}
		return -1
	})
	ended, _ := slices.BinarySearchFunc(b.end, t, func(until, t time.Time) int {
		if until.Before(t) {
			return -1
		}
		return 1
	})
	return validityInterval{begun, ended}
}

// intervalsAt returns the span of a moment for the chains of a certificate: the certificates concerned are itself and all
// that can be reached from it by the names of issuers.
func (v *validation) intervalsAt(c *x509.Certificate, at time.Time) (own, above validityInterval) {
	b := v.boundsByIssuer[string(c.RawIssuer)]
	if b == nil {
		b = v.collectBounds(c.RawIssuer)
		v.boundsByIssuer[string(c.RawIssuer)] = b
	}
	itself := validityBounds{[]time.Time{c.NotBefore}, []time.Time{c.NotAfter}}
	return itself.intervalAt(at), b.intervalAt(at)
}

// collectBounds gathers the validity of all certificates that chains through an issuer of that name may pass.
func (v *validation) collectBounds(name []byte) *validityBounds {
	b, seen, queue := &validityBounds{}, map[string]bool{}, []string{string(name)}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, c := range slices.Concat(v.certificates.findBySubject(n), v.trustAnchors().findRoots([]byte(n))) {
			b.begin, b.end = append(b.begin, c.NotBefore), append(b.end, c.NotAfter)
			queue = append(queue, string(c.RawIssuer))
		}
	}
	slices.SortFunc(b.begin, time.Time.Compare)
	slices.SortFunc(b.end, time.Time.Compare)
	return b
}
