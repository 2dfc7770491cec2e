package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestLoginsThatTheRatesRefuseAreRecordedTogether(t *testing.T) {
	t.Parallel()
	g := guard(t)
	g.throttle = newLoginThrottle(g.db, Rates{Pair: Rate{2, time.Hour}}, waitFor)
	by := g.actor(siti, contract.GivenFactor{})
	by.Embed, by.IP = &contract.EmbedGrant{Purpose: contract.EmbedSign}, "198.51.100.9"
	g.now = g.now.Add(48 * time.Hour)
	for range 5 {
		for _, email := range []string{budi, "tidak.ada@contoh.id", "tidak.ada.juga@contoh.id"} {
			if _, err := g.Login(t.Context(), Credentials{Email: email, Password: "salah"}, at(home)); err == nil {
				t.Error("a wrong password is accepted")
			}
		}
		if _, err := g.ProveEmbedded(t.Context(), by, contract.GivenFactor{Password: "salah"}); err == nil {
			t.Error("a wrong password is accepted in an embedded page")
		}
	}
	g.requireRecorded(contract.LoginLimited) // nothing is written for each
	failed, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.RecordLimitedLogins(failed); !errors.Is(err, context.Canceled) {
		t.Errorf("without a database: %v", err)
	}
	for range 2 { // what was not recorded is kept, and what was is not recorded again
		g.must(g.RecordLimitedLogins(t.Context()))
		if got, want := slices.Sorted(slices.Values(g.recorded(contract.LoginLimited))), []string{"  " + home + " 6", "Budi  " + home + " 3", "Siti  198.51.100.9 3"}; !slices.Equal(got, want) {
			t.Errorf("recorded %q, want %q", got, want)
		}
	}
	if got, want := slices.Sorted(slices.Values(g.recorded(contract.LoginFailed))), []string{" password " + home + " 4", "Budi password " + home + " 2", "Siti password 198.51.100.9 2"}; !slices.Equal(got, want) {
		t.Errorf("compared %q, want %q", got, want)
	}
}

func TestAFloodOfRefusedLoginsTakesABoundedTableAndFewRecords(t *testing.T) {
	t.Parallel()
	g := guard(t)
	const flood = 3 * maxLimitedLogins
	for i := range flood {
		g.countLimited(tooMany(time.Second), fmt.Sprintf("tebakan.%d@contoh.id", i), "", at(fmt.Sprintf("198.51.%d.%d", i/200, i%200)))
	}
	g.countLimited(tooMany(time.Second), string(make([]byte, 1<<20)), "", at(home))
	g.countLimited(errors.New("the database does not answer"), siti, "", at(home))
	if n := len(g.limited.all); n != maxLimitedLogins+1 {
		t.Errorf("%d keys are in memory", n)
	}
	g.must(g.RecordLimitedLogins(t.Context()))
	records := g.recorded(contract.LoginLimited)
	sum := 0
	for _, l := range records {
		var ip string
		var times int
		if _, err := fmt.Sscanf(l, "  %s %d", &ip, &times); err != nil {
			t.Errorf("%q: %v", l, err)
		}
		sum += times
	}
	if len(records) != contract.MaxLoginNetworks+1 || sum != flood+1 {
		t.Errorf("%d records of %d logins", len(records), sum)
	}
}

func TestRefusedLoginsAreRecordedWhenTheProcessEnds(t *testing.T) {
	t.Parallel()
	g := guard(t)
	g.countLimited(tooMany(time.Second), siti, "", at(home))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	g.RunLimitedLogins(ended)
	g.requireRecorded(contract.LoginLimited, "Siti  "+home+" 1")
}
