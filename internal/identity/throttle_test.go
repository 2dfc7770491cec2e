package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestBucketsRefillAndAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBuckets(Rate{Burst: 2, Every: time.Minute}, 3)
	for i, want := range []bool{true, true, false, false} {
		if wait := b.takeToken("a", now); (wait == 0) != want {
			t.Errorf("try %d waits %v", i, wait)
		}
	}
	if wait := b.takeToken("a", now.Add(20*time.Second)); wait.Round(time.Second) != 40*time.Second {
		t.Errorf("twenty seconds later it waits %v", wait)
	}
	if wait := b.takeToken("a", now.Add(time.Minute)); wait != 0 {
		t.Errorf("a minute later it waits %v", wait)
	}
	for i := range 1000 {
		b.takeToken(fmt.Sprint(i), now)
	}
	if len(b.byKey) != 3 || b.order.Len() != 3 {
		t.Errorf("%d keys, %d in order", len(b.byKey), b.order.Len())
	}
}

func TestOneCallerIsOneKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "pipe": "pipe",
	} {
		if got := Network(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestProcessesAndRestartsShareTheCountsOfLogins(t *testing.T) {
	t.Parallel()
	g := guard(t)
	// process returns a service on the same database, as another machine or a restart has it.
	process := func() *Service {
		return New(Options{
			Store: g.db, Clock: func() time.Time { return g.now }, Random: rand.Reader, PublicURL: secretOrigin, Cost: cheap, Wait: func(context.Context, time.Duration) error { return nil },
			Rates: Rates{Pair: Rate{4, time.Minute}, Forgotten: Rate{1, time.Minute}},
		})
	}
	own, err := process().Login(t.Context(), Credentials{Email: siti, Password: password}, at(home))
	if err != nil {
		t.Fatal(err)
	}
	try := func(p *Service, secret string, from Client) error {
		_, err := p.Login(context.Background(), Credentials{Email: siti, Password: secret}, from)
		return err
	}
	a, b := process(), process()
	attacker := at("203.0.113.9")
	for i := range 4 {
		if err := try([]*Service{a, b}[i%2], "salah", attacker); !errors.Is(err, ErrCredentials) {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	for what, p := range map[string]*Service{"one process": a, "the other": b, "one that was started later": process()} {
		if err := try(p, password, attacker); contract.KindOf(err) != contract.TooMany {
			t.Errorf("%s counts nothing: %v", what, err)
		}
	}
	// The owner logs in on their device, and their typing errors are forgiven in every process.
	device := Client{IP: "198.51.100.4", Device: own.Device}
	for _, p := range []*Service{a, b, process()} {
		for range 3 {
			if err := try(p, "salah", device); !errors.Is(err, ErrCredentials) {
				t.Errorf("a typing error on a known device: %v", err)
			}
		}
		if err := try(p, password, device); err != nil {
			t.Errorf("on a known device: %v", err)
		}
		g.now = g.now.Add(10 * time.Minute)
	}
}
