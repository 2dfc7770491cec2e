package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// These races exist on PostgreSQL only: SQLite has one writer at a time.

// revoking is a store with one user, who has tokens, and one guest, who has a link and a token.
func revoking(t *testing.T) *Store {
	s, ctx := openTest(t, databases["PostgreSQL"](t)), t.Context()
	p := contract.Person{ID: "p", Email: "p@segel.test"}
	err := errors.Join(
		s.CreateOrganisation(ctx, store.Organisation{ID: "o", Name: "O"}),
		s.CreateUser(ctx, store.User{Person: p, Organisation: "o", Password: "old", CreatedAt: time.Unix(1_800_000_000, 0)}),
		s.setLink(ctx, guestLink(1)),
		s.AddTokens(ctx, contract.Session{}, ofUser(1), ofUser(2), ofGuest(3)),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ofUser(n byte) store.Token {
	return store.Token{Hash: [32]byte{n}, Kind: store.RefreshToken, Person: "p", Family: "f", ExpiresAt: time.Unix(1_900_000_000, 0)}
}

func ofGuest(n byte) store.Token {
	return store.Token{Hash: [32]byte{n}, Kind: store.GuestToken, Person: "g", Document: 7, Family: "g", ExpiresAt: time.Unix(1_900_000_000, 0)}
}

func guestLink(n byte) store.GuestLink {
	return store.GuestLink{Hash: [32]byte{n}, Document: 7, Person: "g"}
}

// meanwhile runs revoke until it waits for the rows that hold locks, then add concurrently, and then lets both end.
func (s *Store) meanwhile(t *testing.T, hold string, revoke, add func(context.Context) error) {
	t.Helper()
	ctx := t.Context()
	revoked, added := make(chan error, 1), make(chan error, 1)
	err := s.db.withTx(ctx, func(held tx) error {
		if _, err := held.exec(ctx, hold); err != nil {
			return err
		}
		go func() { revoked <- revoke(ctx) }()
		if err := s.waitFor(ctx, 1, revoked); err != nil {
			return err
		}
		go func() { added <- add(ctx) }()
		return s.waitFor(ctx, 2, added)
	})
	if err := errors.Join(err, <-revoked, <-added); err != nil {
		t.Fatal(err)
	}
}

// waitFor returns once that many transactions wait for others, or one has ended.
func (s *Store) waitFor(ctx context.Context, n int, ended chan error) error {
	for now := 0; now < n && len(ended) == 0; {
		if err := s.readRow(ctx, []any{&now}, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// kept reports whether a token exists.
func (s *Store) kept(t *testing.T, k store.Token) bool {
	t.Helper()
	_, err := s.Token(t.Context(), k.Hash)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// TestAnAccountEndsTheInvitationThatIsBeingSent creates an account while its address is being invited, whose log event is written last.
func TestAnAccountEndsTheInvitationThatIsBeingSent(t *testing.T) {
	t.Parallel()
	s, at := revoking(t), time.Unix(1_800_000_000, 0)
	i := contract.Invitation{ID: "i", Organisation: "o", Email: "budi@segel.test", Role: contract.RoleSender, Hash: [32]byte{1}, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
	s.meanwhile(t, `UPDATE log_size SET size = size`, func(ctx context.Context) error {
		n := contract.Notice{Organisation: "o", Kind: contract.NoticeInvitation, State: contract.NoticeOrdered, OrderedAt: at, DueAt: at}
		return s.AddInvitation(ctx, i, "", n, contract.Event{Type: contract.EventInvitationSent, At: at})
	}, func(ctx context.Context) error {
		return s.CreateUser(ctx, store.User{Person: contract.Person{ID: "b", Email: i.Email}, Organisation: "o", Password: "p", CreatedAt: at})
	})
	got, err := s.Invitation(t.Context(), i.ID)
	if err != nil || got.Ending != contract.InvitationAccepted {
		t.Errorf("the invitation of an address that has an account ended as %q, %v", got.Ending, err)
	}
}

// TestNoTokenOutlivesAPasswordThatIsBeingReplaced logs in while the password is being replaced, whose log event is
// written last.
func TestNoTokenOutlivesAPasswordThatIsBeingReplaced(t *testing.T) {
	t.Parallel()
	s := revoking(t)
	var seen store.User // read by the login, once the token exists
	s.meanwhile(t, `UPDATE log_size SET size = size`, func(ctx context.Context) error {
		return s.SetPassword(ctx, "p", "old", "new", contract.Event{Type: contract.EventPasswordChange})
	}, func(ctx context.Context) (err error) {
		if err = s.AddTokens(ctx, contract.Session{}, ofUser(9)); err == nil {
			seen, err = s.User(ctx, "p")
		}
		return err
	})
	if s.kept(t, ofUser(9)) && seen.Password != "new" {
		t.Error("who proved the old password has a token, and was not told of the new one")
	}
}

// TestNoTokenOutlivesAFamilyThatIsBeingEnded refreshes during a logout: the logout does not see tokens added after it began.
func TestNoTokenOutlivesAFamilyThatIsBeingEnded(t *testing.T) {
	t.Parallel()
	s := revoking(t)
	var dead error // read of the old token by the refresh, once the new one exists
	s.meanwhile(t, `UPDATE token SET used_at = 0`, func(ctx context.Context) error {
		return s.RevokeFamily(ctx, "f")
	}, func(ctx context.Context) (err error) {
		if err = s.AddTokens(ctx, contract.Session{}, ofUser(9)); err == nil {
			_, dead = s.Token(ctx, ofUser(1).Hash)
		}
		return err
	})
	if s.kept(t, ofUser(9)) && !errors.Is(dead, store.ErrNotFound) {
		t.Error("who refreshed has a token, and was not told that its family is dead")
	}
}

// TestNoRotationOutlivesAFamilyThatIsBeingEnded rotates tokens while a logout is in progress.
func TestNoRotationOutlivesAFamilyThatIsBeingEnded(t *testing.T) {
	t.Parallel()
	s := revoking(t)
	var rotated error
	s.meanwhile(t, `UPDATE token SET used_at = 0`, func(ctx context.Context) error {
		return s.RevokeFamily(ctx, "f")
	}, func(ctx context.Context) error {
		rotated = s.RotateTokens(ctx, ofUser(1).Hash, time.Unix(1_800_000_000, 0), time.Unix(1_800_000_030, 0), contract.Session{}, ofUser(9))
		return nil
	})
	if !errors.Is(rotated, store.ErrNotFound) || s.kept(t, ofUser(9)) {
		t.Errorf("the rotation: %v; the token is kept: %v", rotated, s.kept(t, ofUser(9)))
	}
}

// TestNoTokenOutlivesALinkThatIsBeingReplaced logs a guest in with the previous link.
func TestNoTokenOutlivesALinkThatIsBeingReplaced(t *testing.T) {
	t.Parallel()
	s := revoking(t)
	var added error
	s.meanwhile(t, `UPDATE token SET used_at = 0`, func(ctx context.Context) error {
		return s.setLink(ctx, guestLink(2))
	}, func(ctx context.Context) error {
		added = s.AddGuestToken(ctx, guestLink(1), ofGuest(9))
		return nil
	})
	if !errors.Is(added, store.ErrNotFound) || s.kept(t, ofGuest(9)) {
		t.Errorf("the token: %v; it is kept: %v", added, s.kept(t, ofGuest(9)))
	}
}

// setLink replaces the guest's link, as a commit does.
func (s *Store) setLink(ctx context.Context, l store.GuestLink) error {
	return s.db.withTx(ctx, func(t tx) error { return setGuestLink(ctx, t, l, false) })
}
