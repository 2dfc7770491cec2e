package contract

import (
	"testing"
	"time"
)

func TestTimestampIsRenewedInTimeAndNotAgainAndAgain(t *testing.T) {
	t.Parallel()
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	for name, c := range map[string]struct{ left, notice, want time.Duration }{
		"years ahead":                   {10 * year, year, 9 * year},
		"a short certificate":           {year, year, year / 2},
		"a shorter one than the notice": {30 * day, year, 15 * day},
		"about to end":                  {time.Hour, year, day},
		"ended":                         {-year, year, day},
	} {
		if got := RenewalAt(t0.Add(c.left), t0, c.notice).Sub(t0); got != c.want {
			t.Errorf("%s: in %s, want %s", name, got, c.want)
		}
	}
	// However often it is checked, a certificate that does not change causes few renewals.
	n, end := 0, t0.Add(year)
	for now := t0; now.Before(end); n++ {
		now = RenewalAt(end, now, year)
	}
	if n > 12 {
		t.Errorf("%d renewals under one certificate", n)
	}
}
