package validate

import (
	"crypto/x509"
	"slices"
	"time"
)

// validityInterval is a period in which none of the certificates concerned begins or ends to be valid. A chain depends
// on time only through that, so the result of crypto/x509 for one time holds for the whole interval.
type validityInterval struct{ begun, ended int }

// validityBounds are the begins and ends of validity of the certificates concerned, in order.
type validityBounds struct{ begin, end []time.Time }

func (b *validityBounds) intervalAt(t time.Time) validityInterval {
	// Both ends are part of the validity period (RFC 5280 §4.1.2.5).
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

// intervalsAt returns the intervals of a time for the chains of a certificate: for itself, and for all certificates
// that can be reached by issuer names.
func (v *validation) intervalsAt(c *x509.Certificate, at time.Time) (own, above validityInterval) {
	b := v.boundsByIssuer[string(c.RawIssuer)]
	if b == nil {
		b = v.collectBounds(c.RawIssuer)
		v.boundsByIssuer[string(c.RawIssuer)] = b
	}
	itself := validityBounds{[]time.Time{c.NotBefore}, []time.Time{c.NotAfter}}
	return itself.intervalAt(at), b.intervalAt(at)
}

// collectBounds collects the validity periods of all certificates that chains through that issuer may contain.
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
