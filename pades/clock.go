package pades

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"time"

	"segel/certpath"
	"segel/cms"
	"segel/tsp"
)

// Clock is the reference for the times of a new signature.
type Clock struct {
	Now       func() time.Time // nil: times are not compared with a clock
	Tolerance time.Duration    // maximum difference between a timestamp and Now; 0 is [tsp.Skew]
}

// ValidityError is a certificate that is not valid at a time at which the signature needs it.
type ValidityError struct {
	Certificate *x509.Certificate
	At          time.Time
	Local       bool // At is the local clock's time, not a timestamp's
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

// requireValidAt returns an error unless all certificates are valid at the given time.
func requireValidAt(at time.Time, local bool, chain ...*x509.Certificate) error {
	for _, c := range chain {
		if at.Before(c.NotBefore) || at.After(c.NotAfter) {
			return &ValidityError{c, at, local}
		}
	}
	return nil
}

// checkTimes checks that the times of a signature are consistent. Token is nil if there is none.
func (c Clock) checkTimes(sd *cms.SignedData, token *tsp.Token) error {
	paths := certpath.NewBuilder(&certpath.Anchors{}, certpath.Limits{})
	paths.Add(sd.Certificates...)
	chain := paths.BuildPath(context.Background(), sd.Certificate(sd.Signers[0]), nil) // without a source, nothing is fetched
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

// checkTokenTime checks that a timestamp is recent and that its authority's certificate was valid at its time.
func (c Clock) checkTokenTime(t *tsp.Token) error {
	if err := requireValidAt(t.Time, false, t.Authority); err != nil {
		return err
	}
	if c.Now == nil {
		return nil
	}
	return t.CheckClock(c.Now(), cmp.Or(c.Tolerance, tsp.Skew))
}
