package identity

import (
	"context"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// recording is a store that records the calls of the service.
type recording struct {
	Store
	asked []string
}

func (r *recording) ask(what string) { r.asked = append(r.asked, what) }

func (r *recording) KnownCaller(ctx context.Context, c store.Caller, since time.Time, emails ...string) ([]store.Known, error) {
	r.ask("KnownCaller")
	return r.Store.KnownCaller(ctx, c, since, emails...)
}

func (r *recording) UsersByEmail(ctx context.Context, emails ...string) ([]store.User, error) {
	r.ask("UsersByEmail")
	return r.Store.UsersByEmail(ctx, emails...)
}

func (r *recording) User(ctx context.Context, id contract.PersonID) (store.User, error) {
	r.ask("User")
	return r.Store.User(ctx, id)
}

func (r *recording) Organisation(ctx context.Context, id contract.OrganisationID) (store.Organisation, error) {
	r.ask("Organisation")
	return r.Store.Organisation(ctx, id)
}

func (r *recording) LogEvents(ctx context.Context, events ...contract.Event) error {
	r.ask("Note")
	return r.Store.LogEvents(ctx, events...)
}

func (r *recording) AddPasswordRequest(ctx context.Context, q store.PasswordRequest, e contract.Event) error {
	r.ask("AddPasswordRequest")
	return r.Store.AddPasswordRequest(ctx, q, e)
}

func (r *recording) GuestLink(ctx context.Context, hash [32]byte) (store.GuestLink, store.Guest, error) {
	r.ask("GuestLink")
	return r.Store.GuestLink(ctx, hash)
}

func (r *recording) RememberCaller(ctx context.Context, id contract.PersonID, c store.Caller, now time.Time, keep int, unknown *contract.Notice, forgiven ...store.TryKey) error {
	r.ask("RememberCaller")
	return r.Store.RememberCaller(ctx, id, c, now, keep, unknown, forgiven...)
}

// TestWhatIsAskedForAnAccountIsAskedForNoneToo compares the calls to the store. Besides the hash, these take the time.
func TestWhatIsAskedForAnAccountIsAskedForNoneToo(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	r := &recording{Store: h.store}
	h.Service.store = r
	device := h.login(t).Device
	revoked := h.mint(t)
	h.store.setGuestLink(store.GuestLink{Document: 7, Person: tamu})
	unknown, _, err := newSecret(h.random, prefixLink)
	if err != nil {
		t.Fatal(err)
	}
	login := func(email string, from Client) func() {
		return func() { _, _ = h.Login(t.Context(), email, "salah", "", from) }
	}
	forgot := func(email string) func() {
		return func() { _ = h.RequestReset(t.Context(), email, at(home)) }
	}
	guest := func(link string) func() {
		return func() { _, _ = h.GuestLogin(t.Context(), link) }
	}
	for name, c := range map[string]struct {
		known, unknown func()
		want           []string
	}{
		"login":                 {login(siti, at(home)), login("nobody@contoh.id", at(home)), []string{"KnownCaller", "UsersByEmail"}},
		"login from afar":       {login(siti, at("192.0.2.1")), login("nobody@contoh.id", at("192.0.2.1")), []string{"KnownCaller", "UsersByEmail"}},
		"login from her device": {login(siti, Client{IP: home, Device: device}), login("nobody@contoh.id", Client{IP: home, Device: device}), []string{"KnownCaller", "UsersByEmail"}},
		"forgotten password":    {forgot(siti), forgot("nobody@contoh.id"), []string{"UsersByEmail", "AddPasswordRequest"}},
		"a guest's link":        {guest(revoked), guest(unknown), []string{"GuestLink"}},
	} {
		var asked [2][]string
		for i, try := range []func(){c.known, c.unknown} {
			r.asked = nil
			try()
			asked[i] = slices.Clone(r.asked)
		}
		if !slices.Equal(asked[0], c.want) || !slices.Equal(asked[1], c.want) {
			t.Errorf("%s: the store is asked %v for an account, %v for none, want %v", name, asked[0], asked[1], c.want)
		}
	}
}
