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
	if err := s.CreateOrganisation(ctx, store.Organisation{ID: "o", Name: "O"}); err != nil {
		t.Fatal(err)
	}
	u := store.User{Person: contract.Person{ID: "p", Email: "p@segel.test"}, Organisation: "o", Password: "old", CreatedAt: time.Unix(1_800_000_000, 0)}
	if err := s.CreateUser(ctx, u); err != nil {
		t.Fatal(err)
	}
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

// waitFor returns once so many transactions wait for others, or one has ended.
func (s *Store) waitFor(ctx context.Context, n int, ended chan error) error {
	for now := 0; now < n && len(ended) == 0; {
		if err := s.get(ctx, []any{&now}, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`); err != nil {
			return err
		}
	}
	return ctx.Err()
}
