package pades

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"segel/cms"
	"segel/tsp"
)

// Clock is what the times of a new signature are compared with.
type Clock struct {
	Now       func() time.Time // nil: nothing is compared with a clock
	Tolerance time.Duration    // between a timestamp and Now; 0 is [tsp.Skew]
}

// ValidityError is a certificate that is not valid at a moment for which its signature needs it.
type ValidityError struct {
	Certificate *x509.Certificate
	At          time.Time
	Local       bool // At is the clock's, not a timestamp's
}

func (e *ValidityError) Error() string {
	by := "its timestamp"
	if e.Local {
		by = "the local clock"
	}
	c := e.Certificate
	return fmt.Sprintf("certificate of %q is valid from %s to %s, not at %s by %s", c.Subject.CommonName,
		c.NotBefore.UTC().Format(time.RFC3339), c.NotAfter.UTC().Format(time.RFC3339), e.At.UTC().Format(time.RFC3339), by)
}

// requireValidAt demands that certificates are valid at a moment.
func requireValidAt(at time.Time, local bool, chain ...*x509.Certificate) error {
	for _, c := range chain {
		if at.Before(c.NotBefore) || at.After(c.NotAfter) {
			return &ValidityError{c, at, local}
		}
	}
	return nil
}

// checkTimes demands that the times of a signature fit together. Token is nil where there is none.
func (c Clock) checkTimes(sd *cms.SignedData, token *tsp.Token) error {
	chain := buildChain(sd.Certificate(sd.Signers[0]), sd.Certificates)
	if token != nil {
		if err := c.checkTokenTime(token); err != nil {
			return err
		}
		if err := requireValidAt(token.Time, false, chain...); err != nil {
			return err
		}
	}
	if c.Now == nil {
		return nil
	}
	return requireValidAt(c.Now(), true, chain...)
}

// checkTokenTime demands that a timestamp is of now, and by a certificate that was valid at its time.
func (c Clock) checkTokenTime(t *tsp.Token) error {
	if err := requireValidAt(t.Time, false, t.Authority); err != nil {
		return err
	}
	if c.Now == nil {
		return nil
	}
	return t.CheckClock(c.Now(), cmp.Or(c.Tolerance, tsp.Skew))
}

// buildChain returns the certificate with its issuers among others, as far as they are there. Of several with the issuer's
// name the one whose key signed is taken.
func buildChain(cert *x509.Certificate, others []*x509.Certificate) []*x509.Certificate {
	chain := []*x509.Certificate{cert}
	for at := cert; !bytes.Equal(at.RawIssuer, at.RawSubject); {
		i := slices.IndexFunc(others, func(c *x509.Certificate) bool {
			return bytes.Equal(c.RawSubject, at.RawIssuer) && !slices.Contains(chain, c) && at.CheckSignatureFrom(c) == nil
		})
		if i < 0 {
			break
		}
		at = others[i]
		chain = append(chain, at)
	}
	return chain
}
