package identity

import (
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
)

// limitSessions sets the limits of sessions of Siti's organisation.
func (h *fixture) limitSessions(t *testing.T, idle, absolute time.Duration) {
	t.Helper()
	admin := contract.Actor{Person: contract.Person{ID: "admin"}, Organisation: h.store.organisations[0].ID, Admin: true}
	if _, err := h.ChangeAccountPolicy(t.Context(), admin, "", PolicyChange{IdleLimit: &idle, AbsoluteLimit: &absolute}); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsEndByThePolicyOfTheirOrganisation(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	web, err := h.LoginSession(t.Context(), Credentials{Email: siti, Password: password}, at(home))
	if err != nil {
		t.Fatal(err)
	}
	h.advance(10 * time.Hour)
	h.alive(t, s.Access)
	h.alive(t, web.Token)

	h.limitSessions(t, 30*time.Minute, 0)
	h.advance(29 * time.Minute)
	h.alive(t, s.Access) // 29 minutes after the last use
	h.advance(29 * time.Minute)
	h.alive(t, s.Access)
	h.dead(t, web.Token) // 58 minutes after its last use
	h.advance(30 * time.Minute)
	h.dead(t, s.Access)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("a session that ended was refreshed: %v", err)
	}

	// Tokens expire with the session, also those of a refresh.
	h.limitSessions(t, 0, 36*time.Hour)
	s = h.login(t)
	h.advance(20 * time.Hour)
	s, err = h.Refresh(t.Context(), s.Refresh, at(home))
	if err != nil || s.ExpiresIn != 16*time.Hour {
		t.Fatalf("expires in %s, %v", s.ExpiresIn, err)
	}
	h.advance(16*time.Hour - time.Second)
	h.alive(t, s.Access)
	h.advance(time.Second)
	h.dead(t, s.Access)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("a session that ended was refreshed: %v", err)
	}
}

func TestASessionInUseIsWrittenRarely(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	by := h.alive(t, s.Access)
	lastUse := func() time.Time { return h.store.sessions[by.Session].LastUsedAt }
	began := lastUse()
	for range 4 {
		h.advance(time.Minute)
		h.alive(t, s.Access)
	}
	if !lastUse().Equal(began) {
		t.Errorf("a use was recorded after %s", lastUse().Sub(began))
	}
	h.advance(time.Minute)
	h.store.failUse = errors.New("no space left") // the request is served all the same
	h.alive(t, s.Access)
	if lastUse().Sub(began) != 5*time.Minute {
		t.Errorf("the last use was recorded %s after the login", lastUse().Sub(began))
	}
}

func TestTokensWithoutASessionWorkUntilTheyExpire(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	by := h.alive(t, s.Access)
	h.limitSessions(t, 5*time.Minute, time.Hour)
	delete(h.store.sessions, by.Session) // as if a program of an earlier release had opened it
	h.advance(2 * time.Hour)
	h.alive(t, s.Access)

	// A refresh gives the family a session, which begins then.
	if _, err := h.Refresh(t.Context(), s.Refresh, Client{IP: "192.0.2.7", UserAgent: "kurir/2"}); err != nil {
		t.Fatal(err)
	}
	want := contract.Session{Family: by.Session, Person: by.ID, Factor: contract.FactorPassword, CreatedAt: h.now, LastUsedAt: h.now, IP: "192.0.2.7", UserAgent: "kurir/2"}
	got := h.store.sessions[by.Session]
	got.ExpiresAt = time.Time{}
	if got != want {
		t.Errorf("the session is %+v, want %+v", got, want)
	}
}

func TestTheLimitsOfSessionsAreChecked(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	admin := contract.Actor{Person: contract.Person{ID: "admin"}, Organisation: h.store.organisations[0].ID, Admin: true}
	for _, c := range []struct {
		idle, absolute time.Duration
		field          string
	}{
		{0, 0, ""}, {5 * time.Minute, time.Hour, ""}, {30 * 24 * time.Hour, 365 * 24 * time.Hour, ""},
		{4 * time.Minute, 0, "idle_minutes"}, {-time.Minute, 0, "idle_minutes"}, {31 * 24 * time.Hour, 0, "idle_minutes"}, {90 * time.Second, 0, "idle_minutes"},
		{0, 30 * time.Minute, "absolute_hours"}, {0, 366 * 24 * time.Hour, "absolute_hours"},
	} {
		before := h.store.organisations[0].Accounts
		_, err := h.ChangeAccountPolicy(t.Context(), admin, "", PolicyChange{IdleLimit: &c.idle, AbsoluteLimit: &c.absolute})
		var refused *contract.Error
		if got := ""; !errors.As(err, &refused) && err != nil {
			t.Errorf("%s, %s: %v", c.idle, c.absolute, err)
		} else if refused != nil {
			if got = refused.Fields[0].Field; got != c.field || h.store.organisations[0].Accounts != before {
				t.Errorf("%s, %s: refused for %q", c.idle, c.absolute, got)
			}
		} else if c.field != "" {
			t.Errorf("%s, %s was accepted", c.idle, c.absolute)
		}
	}
	outsider := contract.Actor{Person: contract.Person{ID: "outsider"}, Organisation: "elsewhere", Admin: true}
	if _, err := h.ChangeAccountPolicy(t.Context(), outsider, admin.Organisation, PolicyChange{}); !errors.Is(err, contract.ErrNoOrganisation) {
		t.Errorf("an admin of another organisation: %v", err)
	}
}

func TestAPageThatIsLeftOpenDoesNotKeepItsSession(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	h.limitSessions(t, 30*time.Minute, 0)
	for range 2 {
		h.advance(14 * time.Minute)
		if _, err := h.AuthenticateBackground(t.Context(), s.Access); err != nil {
			t.Fatal(err)
		}
	}
	h.advance(2 * time.Minute)
	h.dead(t, s.Access)
	if _, err := h.AuthenticateBackground(t.Context(), s.Access); !errors.Is(err, contract.ErrUnauthenticated) {
		t.Errorf("in the background, 30 minutes after the last use: %v", err)
	}
}
