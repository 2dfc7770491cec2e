package identity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

const (
	tamu  = contract.PersonID("8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01")
	other = contract.PersonID("0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a")
)

// hosting returns a fixture with document 7. Its participant tamu is a guest, and other is not.
func hosting(t *testing.T) *fixture {
	h := inhabited(t)
	h.store.documents[7] = contract.Document{ID: 7, State: contract.Processing, Participants: []contract.Participant{
		{Person: contract.Person{ID: tamu, Name: "Tamu", Email: "tamu@lain.id"}, Role: contract.Signer, Number: 1, Guest: true},
		{Person: contract.Person{ID: other, Name: "Lain"}, Role: contract.Signer, Number: 2},
	}}
	return h
}

func (h *fixture) mint(t *testing.T) string {
	t.Helper()
	return h.mintFor(t, tamu)
}

// mintFor makes a link for a person, even if they are not a guest.
func (h *fixture) mintFor(t *testing.T, who contract.PersonID) string {
	t.Helper()
	url, hash, err := h.NewGuestLink()
	if err != nil {
		t.Fatal(err)
	}
	h.store.setGuestLink(store.GuestLink{Hash: hash, Document: 7, Person: who, CreatedAt: h.now})
	return url
}

func TestALinkOpensOneDocumentForOnePerson(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	url := h.mint(t)
	secret, ok := strings.CutPrefix(url, "https://segel.example/guest#")
	if !ok || !strings.HasPrefix(secret, "sgl_gl_") {
		t.Fatalf("link is %s", url)
	}
	for _, link := range []string{url, secret, " " + url + "\n", "https://other.example/x?link=" + secret} {
		g, err := h.GuestLogin(t.Context(), link)
		if err != nil {
			t.Fatalf("%q: %v", link, err)
		}
		if g.Document != 7 || g.Person.Name != "Tamu" || g.ExpiresIn != 24*time.Hour || !strings.HasPrefix(g.Token, "sgl_gt_") {
			t.Errorf("session is %+v", g)
		}
		by := h.alive(t, g.Token)
		if by.Guest != 7 || by.ID != tamu || by.Email != "tamu@lain.id" || by.Organisation != "" || by.Admin {
			t.Errorf("actor is %+v", by)
		}
	}
}

func TestAnotherLinkTakesBackTheFormer(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	former := h.mint(t)
	g, err := h.GuestLogin(t.Context(), former)
	if err != nil {
		t.Fatal(err)
	}
	h.mint(t)
	h.dead(t, g.Token)
	if _, err := h.GuestLogin(t.Context(), former); !errors.Is(err, ErrLinkReplaced) {
		t.Errorf("the former link: %v", err)
	}
}

func TestATokenDoesNotOutliveALinkTakenBackMeanwhile(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	former := h.mint(t)
	h.store.afterGuestLink = func() {
		h.mint(t)
	}
	if _, err := h.GuestLogin(t.Context(), former); !errors.Is(err, ErrLinkReplaced) {
		t.Errorf("opened: %v", err)
	}
	if n := len(h.store.tokens); n != 0 {
		t.Errorf("%d tokens are alive", n)
	}
}

func TestALinkOfNoGuestIsRefused(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	url := h.mint(t)
	g, err := h.GuestLogin(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	notAGuest := h.mintFor(t, other)
	s := h.login(t)
	for _, link := range []string{"", "x", "https://segel.example/guest", url[:len(url)-1], url + "x", url[:len(url)-1] + "~", notAGuest, s.Access, g.Token} {
		if _, err := h.GuestLogin(t.Context(), link); !errors.Is(err, ErrLink) {
			t.Errorf("%q: %v", link, err)
		}
	}
	delete(h.store.documents, 7)
	h.dead(t, g.Token)
	if _, err := h.GuestLogin(t.Context(), url); !errors.Is(err, ErrLink) {
		t.Errorf("of a document that is gone: %v", err)
	}
}

func TestAGuestIsNoAccount(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	g, err := h.GuestLogin(t.Context(), h.mint(t))
	if err != nil {
		t.Fatal(err)
	}
	by := h.alive(t, g.Token)
	ctx := t.Context()
	for what, err := range map[string]error{
		"me":           second(h.Me(ctx, by)),
		"specimen":     second(h.Specimen(ctx, by, store.SignatureSpecimen)),
		"set specimen": h.SetSpecimen(ctx, by, store.SignatureSpecimen, nil),
		"forget it":    h.DeleteSpecimen(ctx, by, store.SignatureSpecimen),
	} {
		if !errors.Is(err, contract.ErrNotAllowed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := h.Directory(ctx, by, "", 1, 10); !errors.Is(err, contract.ErrNotAllowed) {
		t.Errorf("directory: %v", err)
	}
	if err := h.Logout(ctx, g.Token, Client{}); err != nil {
		t.Error(err)
	}
	h.dead(t, g.Token)
}

func second[T any](_ T, err error) error { return err }

func TestARevokedLinkAndItsTokensAreDeadInEveryState(t *testing.T) {
	t.Parallel()
	for _, state := range []contract.State{contract.Draft, contract.Processing, contract.Completed, contract.Rejected, contract.Canceled, contract.Expired, contract.Failed} {
		h := hosting(t)
		d := h.store.documents[7]
		d.State, d.EndedAt = state, h.now
		h.store.documents[7] = d
		url := h.mint(t)
		g, err := h.GuestLogin(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		h.store.setGuestLink(store.GuestLink{Document: 7, Person: tamu})
		h.dead(t, g.Token)
		if _, err := h.GuestLogin(t.Context(), url); !errors.Is(err, ErrLinkRevoked) {
			t.Errorf("%s: the link: %v", state, err)
		}
		h.store.setGuestLink(store.GuestLink{Document: 7, Person: tamu})
	}
}

func TestALinkExpiresSomeTimeAfterItsDocumentEnded(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	h := hosting(t)
	h.lifetimes.Link = month
	url := h.mint(t)
	h.advance(10 * month) // a link does not expire before the document ends
	before, err := h.GuestLogin(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	d := h.store.documents[7]
	d.State, d.EndedAt = contract.Completed, h.now
	h.store.documents[7] = d
	h.advance(month - time.Hour)
	last, err := h.GuestLogin(t.Context(), url)
	if err != nil || last.ExpiresIn != time.Hour {
		t.Errorf("in the last hour a token is good for %v, %v", last.ExpiresIn, err)
	}
	h.dead(t, before.Token)
	h.alive(t, last.Token)
	h.advance(time.Hour)
	h.dead(t, last.Token)
	if _, err := h.GuestLogin(t.Context(), url); !errors.Is(err, ErrLinkExpired) {
		t.Errorf("a month after the end: %v", err)
	}
	if g, err := h.GuestLogin(t.Context(), h.mint(t)); err != nil || g.ExpiresIn != 24*time.Hour {
		t.Errorf("a new link: %v, %v", g.ExpiresIn, err)
	}
	h.lifetimes.Link = 0
	if _, err := h.GuestLogin(t.Context(), h.mint(t)); err != nil {
		t.Errorf("where links do not expire: %v", err)
	}
}

func TestALinkThatWasReplacedAndThenRevokedKeepsItsFirstReason(t *testing.T) {
	t.Parallel()
	h := hosting(t)
	first, second := h.mint(t), h.mint(t)
	h.store.setGuestLink(store.GuestLink{Document: 7, Person: tamu})
	for link, want := range map[string]*contract.Error{first: ErrLinkReplaced, second: ErrLinkRevoked} {
		if _, err := h.GuestLogin(t.Context(), link); !errors.Is(err, want) || contract.KindOf(err) != contract.NotFound {
			t.Errorf("%v, want %v", err, want)
		}
	}
	third := h.mint(t)
	if times, err := h.GuestLinkTimes(t.Context(), 7); err != nil || len(times) != 1 || !times[tamu].Equal(h.now) {
		t.Errorf("the current links are of %v, %v", times, err)
	}
	if _, err := h.GuestLogin(t.Context(), third); err != nil {
		t.Error(err)
	}
}
