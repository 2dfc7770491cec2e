package tsp

import (
	"crypto/x509"
	"errors"
	"testing"
	"time"
)

// newWrongClockClient is a client of an authority of its own whose clock is ahead by d, and the authority's root.
func newWrongClockClient(t *testing.T, d time.Duration) (*Client, *Responder) {
	t.Helper()
	r := newResponder(t, true, stamping)
	r.Clock = func() time.Time { return now.Add(d) }
	c, _ := newTestClient(t, r)
	c.Roots = x509.NewCertPool()
	c.Roots.AddCert(r.Chain[0])
	c.Tolerance = 2 * time.Minute
	return c, r
}

func TestTokenFarFromTheLocalClockIsRefusedWithBothTimes(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{6 * time.Hour, -6 * time.Hour, 3 * time.Minute, -3 * time.Minute} {
		c, r := newWrongClockClient(t, d)
		der, err := c.Timestamp(t.Context(), digest[:])
		var e *ClockError
		if der != nil || !errors.As(err, &e) || e.Offset() != d || !e.Trusted || !e.Local.Equal(now) || e.Authority != r.Chain[0].Subject.String() || e.Accuracy != time.Second {
			t.Errorf("%s: %+v, %v", d, e, err)
		}
	}
	for _, d := range []time.Duration{0, 2 * time.Minute, -2 * time.Minute} {
		c, _ := newWrongClockClient(t, d)
		if _, err := c.Timestamp(t.Context(), digest[:]); err != nil {
			t.Errorf("%s: %v", d, err)
		}
		c.Tolerance = 0
		if _, err := c.Timestamp(t.Context(), digest[:]); err != nil {
			t.Errorf("%s, by the usual tolerance: %v", d, err)
		}
	}
	// Without roots nobody knows who said so.
	c, _ := newWrongClockClient(t, time.Hour)
	c.Roots = nil
	var e *ClockError
	if _, err := c.Timestamp(t.Context(), digest[:]); !errors.As(err, &e) || e.Trusted {
		t.Errorf("without roots: %+v, %v", e, err)
	}
}

func TestAuthorityIsValidatedAtItsOwnTimeWhereTheLocalClockIsYearsOff(t *testing.T) {
	t.Parallel()
	c, _ := newWrongClockClient(t, 0)
	c.Clock = func() time.Time { return now.AddDate(5, 0, 0) } // the authority's certificate has expired by then
	var e *ClockError
	if _, err := c.Timestamp(t.Context(), digest[:]); !errors.As(err, &e) || !e.Trusted {
		t.Errorf("%+v, %v", e, err)
	}
	other, _ := newWrongClockClient(t, 0)
	c.Roots = other.Roots
	if _, err := c.Timestamp(t.Context(), digest[:]); err == nil || errors.As(err, &e) {
		t.Errorf("an authority that leads to no root is believed: %v", err)
	}
}

func TestNextAuthorityIsAskedWhenOneHasAnotherTime(t *testing.T) {
	t.Parallel()
	wrong, _ := newWrongClockClient(t, 6*time.Hour)
	right, r := newWrongClockClient(t, time.Second)
	der, err := NewFailover(nil, wrong, right).Timestamp(t.Context(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	if token, err := Parse(der); err != nil || !token.Authority.Equal(r.Chain[0]) {
		t.Errorf("token of %v, %v", token, err)
	}
}

func TestLocalClockIsWrongWhenTwoIndependentAuthoritiesSaySo(t *testing.T) {
	t.Parallel()
	six := func() Timestamper { c, _ := newWrongClockClient(t, -6*time.Hour); return c }
	near := func() Timestamper { c, _ := newWrongClockClient(t, -6*time.Hour-time.Minute); return c }
	other := func() Timestamper { c, _ := newWrongClockClient(t, -5*time.Hour); return c }
	dead := func() Timestamper { return &fakeAuthority{err: errors.New("no route")} }
	unknown := func() Timestamper { c, _ := newWrongClockClient(t, -6*time.Hour); c.Roots = nil; return c }
	same, _ := newWrongClockClient(t, -6*time.Hour)
	for name, c := range map[string]struct {
		all   []Timestamper
		wrong bool
	}{
		"two of the same mind":              {[]Timestamper{six(), near()}, true},
		"the second and the third":          {[]Timestamper{other(), six(), six()}, true},
		"with a dead one between":           {[]Timestamper{six(), dead(), six()}, true},
		"one alone":                         {[]Timestamper{six()}, false},
		"one and a dead one":                {[]Timestamper{six(), dead()}, false},
		"two that differ":                   {[]Timestamper{six(), other()}, false},
		"one authority under two addresses": {[]Timestamper{same, same}, false},
		"one whose root is not known":       {[]Timestamper{six(), unknown()}, false},
	} {
		der, err := NewFailover(nil, c.all...).Timestamp(t.Context(), digest[:])
		var e *LocalClockError
		if der != nil || err == nil || errors.As(err, &e) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
		if c.wrong && (e.Offset() > -5*time.Hour-59*time.Minute || e.First.Authority == "" || e.Second.Authority == "") {
			t.Errorf("%s: offset %s", name, e.Offset())
		}
	}
	// A third that agrees with the local clock is not asked any more: two against two is no proof of either.
	third := &fakeAuthority{name: "third"}
	if _, err := NewFailover(nil, six(), six(), third).Timestamp(t.Context(), digest[:]); err == nil || third.asked != 0 {
		t.Errorf("%v, the third was asked %d times", err, third.asked)
	}
}

func TestClockThatIsSetRightIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	first, _ := newWrongClockClient(t, 0)
	second, _ := newWrongClockClient(t, 0)
	local := now.Add(6 * time.Hour)
	clock := func() time.Time { return local }
	first.Clock, second.Clock = clock, clock
	o := NewFailover(clock, first, second)
	var e *LocalClockError
	for range 3 {
		if _, err := o.Timestamp(t.Context(), digest[:]); !errors.As(err, &e) || e.Offset() != -6*time.Hour {
			t.Fatalf("six hours ahead: %v", err)
		}
	}
	local = now // the rests that the wrong clock began end hours after this
	if _, err := o.Timestamp(t.Context(), digest[:]); err != nil {
		t.Errorf("set right: %v", err)
	}
}
