package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// TestNoTokenOutlivesAPasswordThatIsBeingReplaced logs somebody in while another transaction that gives him another
// password has removed his tokens and is not committed yet. SQLite has one writer at a time.
func TestNoTokenOutlivesAPasswordThatIsBeingReplaced(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["PostgreSQL"](t))
	ctx := t.Context()
	s.member(t)
	k := store.Token{Hash: [32]byte{1}, Kind: store.SessionToken, Person: "p", Family: "f", ExpiresAt: time.Unix(1_900_000_000, 0)}
	replaced, added := make(chan error, 1), make(chan error, 1)
	var seen store.User // by whoever logged in, once the token was there
	err := s.db.write(ctx, func(held tx) error {
		// What replaces the password waits here with its line in the log, the last that it writes.
		if _, err := held.exec(ctx, `UPDATE log_size SET size = size WHERE id = 1`); err != nil {
			return err
		}
		go func() {
			replaced <- s.SetPassword(ctx, "p", "old", "new", contract.Event{Type: contract.EventPasswordChange})
		}()
		if err := s.waitFor(ctx, 1, added); err != nil {
			return err
		}
		go func() {
			err := s.AddTokens(ctx, k)
			if err == nil {
				seen, err = s.User(ctx, "p")
			}
			added <- err
		}()
		return s.waitFor(ctx, 2, added)
	})
	if err := errors.Join(err, <-replaced, <-added); err != nil {
		t.Fatal(err)
	}
	_, err = s.Token(ctx, k.Hash)
	if kept := err == nil; kept && seen.Password != "new" {
		t.Error("who proved the old password has a token, and was not told of the new one")
	}
}

// TestNoTokenOutlivesItsFamily has a refresh add to a family that a logout is removing: the logout began before, waits for
// a row of the family, and does not see what is added meanwhile.
func TestNoTokenOutlivesItsFamily(t *testing.T) {
	t.Parallel()
	s := openTest(t, databases["PostgreSQL"](t))
	ctx := t.Context()
	s.member(t)
	family := func(n byte) store.Token {
		return store.Token{Hash: [32]byte{n}, Kind: store.RefreshToken, Person: "p", Family: "f", ExpiresAt: time.Unix(1_900_000_000, 0)}
	}
	if err := s.AddTokens(ctx, family(1), family(2)); err != nil {
		t.Fatal(err)
	}
	revoked, added := make(chan error, 1), make(chan error, 1)
	var dead error // what who refreshes reads of the old token behind it
	err := s.db.write(ctx, func(held tx) error {
		if _, err := held.exec(ctx, `UPDATE token SET used_at = 0 WHERE hash = $1`, []byte{2, 31: 0}); err != nil {
			return err
		}
		go func() { revoked <- s.RevokeFamily(ctx, "f") }()
		if err := s.waitFor(ctx, 1, added); err != nil {
			return err
		}
		go func() {
			err := s.AddTokens(ctx, family(3))
			if err == nil {
				_, dead = s.Token(ctx, [32]byte{1})
			}
			added <- err
		}()
		return s.waitFor(ctx, 2, added)
	})
	if err := errors.Join(err, <-revoked, <-added); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Token(ctx, [32]byte{3}); err == nil && !errors.Is(dead, store.ErrNotFound) {
		t.Error("who refreshed has a token, and was not told that its family is dead")
	}
}

// member makes a user p.
func (s *Store) member(t *testing.T) {
	t.Helper()
	if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: "o", Name: "O"}); err != nil {
		t.Fatal(err)
	}
	u := store.User{Person: contract.Person{ID: "p", Email: "p@segel.test"}, Organisation: "o", Password: "old", CreatedAt: time.Unix(1_800_000_000, 0)}
	if err := s.CreateUser(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// waitFor returns once so many transactions wait for others, or one has ended.
func (s *Store) waitFor(ctx context.Context, n int, ended chan error) error {
	for now := 0; now < n && len(ended) == 0; {
		if err := s.get(ctx, []any{&now}, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`); err != nil {
			return err
		}
	}
	return ctx.Err()
}
