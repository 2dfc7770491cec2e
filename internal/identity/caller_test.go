package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
)

// waits records the delays of logins, without waiting.
type waits struct {
	mu  sync.Mutex
	all []time.Duration
}

func (w *waits) wait(_ context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	return nil
}

func (w *waits) take() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// attack tries passwords on an account in ten threads, each try from another address. The test fails if a try is refused.
func (h *fixture) attack(t *testing.T, email string) {
	t.Helper()
	var all sync.WaitGroup
	for thread := range 10 {
		all.Go(func() {
			for i := range 30 {
				_, err := h.Login(context.Background(), email, "salah", "", at(fmt.Sprintf("192.0.%d.%d", thread, i)))
				if !errors.Is(err, ErrCredentials) {
					t.Errorf("a try is refused and not held up: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestTenThreadsWithManyAddressesDoNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	w := &waits{}
	h := inhabited(t, func(o *Options) { o.Wait = w.wait })
	first := h.login(t)
	h.attack(t, siti)
	if held := w.take(); len(held) != 201 || slices.Max(held) != 10*time.Second { // her own first login counts as well
		t.Errorf("%d tries of 300 were held up, at most for %v", len(held), slices.Max(held))
	}
	for what, from := range map[string]Client{"her device": {IP: "198.51.100.9", Device: first.Device}, "her address": at(home)} {
		s, err := h.Login(t.Context(), siti, password, "", from)
		if err != nil {
			t.Errorf("from %s: %v", what, err)
		}
		if from.Device != "" && s.Device != first.Device {
			t.Errorf("her device was given another secret")
		}
		if held := w.take(); len(held) > 0 {
			t.Errorf("from %s she is held up for %v", what, held)
		}
	}
	if _, err := h.Login(t.Context(), siti, password, "", at("198.51.100.77")); err != nil {
		t.Errorf("from a new place: %v", err)
	}
	if held := w.take(); len(held) != 1 || held[0] > 10*time.Second {
		t.Errorf("from a new place she is held up for %v", held)
	}
}

func TestUnknownAccountIsDelayedLikeAKnownOne(t *testing.T) {
	t.Parallel()
	held := map[string][]time.Duration{}
	for _, email := range []string{siti, "nobody@contoh.id"} {
		w := &waits{}
		h := inhabited(t, func(o *Options) { o.Wait = w.wait })
		for i := range 150 {
			if _, err := h.Login(t.Context(), email, "salah", "", at(fmt.Sprintf("192.0.2.%d", i))); !errors.Is(err, ErrCredentials) {
				t.Fatal(err)
			}
		}
		held[email] = w.take()
	}
	if a, b := fmt.Sprint(held[siti]), fmt.Sprint(held["nobody@contoh.id"]); a != b || len(held[siti]) != 50 {
		t.Errorf("an account is held up for %s, none for %s", a, b)
	}
}

func TestAKnownDeviceAndAKnownAddressAreBoundedByThemselves(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	device := Client{IP: home, Device: h.login(t).Device}
	for range 10 {
		if _, err := h.Login(t.Context(), siti, "salah", "", device); !errors.Is(err, ErrCredentials) {
			t.Fatal(err)
		}
	}
	if _, err := h.Login(t.Context(), siti, password, "", device); contract.KindOf(err) != contract.TooMany {
		t.Errorf("the eleventh try of a device: %v", err)
	}
	if _, err := h.Login(t.Context(), siti, password, "", at(home)); err != nil {
		t.Errorf("its address has a count of its own: %v", err)
	}
}

func TestADeviceIsKnownToTheAccountItLoggedInToAlone(t *testing.T) {
	t.Parallel()
	w := &waits{}
	h := inhabited(t, func(o *Options) { o.Wait = w.wait })
	if _, err := h.AddUser(t.Context(), NewUser{Name: "Budi", Email: "budi@contoh.id", Password: newer, Organisation: "Contoh"}); err != nil {
		t.Fatal(err)
	}
	s := h.login(t)
	if !strings.HasPrefix(s.Device, "sgl_dv_") {
		t.Errorf("the device's secret is %q", s.Device)
	}
	h.attack(t, "budi@contoh.id")
	w.take()
	budi, err := h.Login(t.Context(), "budi@contoh.id", newer, "", Client{IP: "198.51.100.9", Device: s.Device})
	if err != nil || len(w.take()) != 1 {
		t.Errorf("another person's device is known: %v", err)
	}
	if budi.Device == s.Device || budi.Device == "" {
		t.Errorf("another person's secret was taken over")
	}

	h.attack(t, siti)
	w.take()
	h.advance(180*24*time.Hour + time.Second)
	h.attack(t, siti)
	w.take()
	if _, err := h.Login(t.Context(), siti, password, "", Client{IP: "198.51.100.8", Device: s.Device}); err != nil || len(w.take()) != 1 {
		t.Errorf("a device is known for ever: %v", err)
	}
	if err := h.Purge(t.Context()); err != nil || len(h.store.devices) == 0 {
		t.Error(err)
	}
}

func TestAnotherPasswordMakesEveryDeviceUnknown(t *testing.T) {
	t.Parallel()
	w := &waits{}
	h := inhabited(t, func(o *Options) { o.Wait = w.wait })
	device := Client{IP: home, Device: h.login(t).Device}
	if _, err := h.ResetPassword(t.Context(), console, siti, "", newer); err != nil {
		t.Fatal(err)
	}
	h.attack(t, siti)
	w.take()
	if _, err := h.Login(t.Context(), siti, newer, "", device); err != nil || len(w.take()) != 1 {
		t.Errorf("who knew the former password is known: %v", err)
	}
}

func TestDelayedAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	h := inhabited(t, func(o *Options) {
		o.Rates.Account = Rate{1, time.Hour}
		o.Wait = func(context.Context, time.Duration) error { entered <- struct{}{}; <-release; return nil }
	})
	try := func(i int) error {
		_, err := h.Login(context.Background(), siti, "salah", "", at(fmt.Sprintf("192.0.2.%d", i)))
		return err
	}
	if err := try(200); !errors.Is(err, ErrCredentials) {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range maxHeldPerAccount {
		all.Go(func() {
			if err := try(i); !errors.Is(err, ErrCredentials) {
				t.Error(err)
			}
		})
		<-entered
	}
	var e *contract.Error
	if err := try(201); !errors.As(err, &e) || e.Kind != contract.TooMany || e.Args["retry_after"] != 10 {
		t.Errorf("one too many is held up: %v", err)
	}
	close(release)
	all.Wait()
	if n := len(h.throttle.delayed.on); n != 0 || h.throttle.delayed.all != 0 {
		t.Errorf("%d accounts are still waited for", n)
	}
}

func TestDelayedLoginEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	h := inhabited(t, func(o *Options) { o.Rates.Account = Rate{1, time.Hour} })
	if _, err := h.Login(t.Context(), siti, "salah", "", at("192.0.2.1")); !errors.Is(err, ErrCredentials) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Login(ctx, siti, password, "", at("192.0.2.2")); contract.KindOf(err) != contract.Unavailable {
		t.Error(err)
	}
}
