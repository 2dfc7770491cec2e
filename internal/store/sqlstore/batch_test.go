package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/storetest/pgtest"
)

// roundTrips returns the round trips that a call takes.
func (s *Store) roundTrips(t *testing.T, call func() error) int64 {
	t.Helper()
	before := s.Counts().RoundTrips
	if err := call(); err != nil {
		t.Fatal(err)
	}
	return s.Counts().RoundTrips - before
}

func TestTransactionsTakeFewRoundTrips(t *testing.T) {
	t.Parallel()
	s := storeWithDocuments(t, pgtest.Database(t, Migrate), 1)
	ctx := t.Context()
	for name, c := range map[string]struct {
		call func() error
		want int64
	}{
		"a read of one statement":   {func() error { _, err := s.Times(ctx); return err }, 1},
		"a read of five statements": {func() error { _, err := s.Document(ctx, 1); return err }, 1},
		"the same for a person":     {func() error { _, err := s.DocumentFor(ctx, 1, "owner"); return err }, 1},
		"a write":                   {func() error { return s.RecordSessionUse(ctx, "family", time.Unix(1, 0)) }, 2},
		"a write of several": {func() error {
			return s.AddTokens(ctx, contract.Session{}, store.Token{Hash: [32]byte{1}}, store.Token{Hash: [32]byte{2}})
		}, 2},
		"events":                       {func() error { return s.LogEvents(ctx, contract.Event{}, contract.Event{}) }, 2},
		"a record":                     {func() error { return s.AddCertificate(ctx, contract.Certificate{Serial: "1"}) }, 2},
		"a transaction without effect": {func() error { return s.db.withTx(ctx, func(tx) error { return nil }) }, 0},
	} {
		if got := s.roundTrips(t, c.call); got > c.want {
			t.Errorf("%s takes %d round trips, want at most %d", name, got, c.want)
		}
	}
}

// TestACommitTakesTheSameRoundTripsWhetherASpanIsSplitOrNot makes documents in lists whose spans are split with the third.
func TestACommitTakesTheSameRoundTripsWhetherASpanIsSplitOrNot(t *testing.T) {
	t.Parallel()
	s := openWith(t, pgtest.Database(t, Migrate), smallBlocks)
	if err := s.CreateOrganisation(t.Context(), store.Organisation{ID: "org", Name: "Org"}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		var d contract.Document
		// The number of the first document; the rest, the lock and the tree of the log; its leaves with the commit.
		most := int64(2)
		if i == 0 {
			most = 3
		}
		if got := s.roundTrips(t, func() error { d = s.uploadDocument(t, i); return nil }); got > most {
			t.Errorf("document %d takes %d round trips", i+1, got)
		}
		var split bool
		if err := s.readRow(t.Context(), []any{&split}, `SELECT split FROM box_span WHERE person = 'owner' AND start = 0 AND state = ''`); err != nil || split != (i >= 2) {
			t.Errorf("after %d documents the span is split: %v, %v", i+1, split, err)
		}
		after := d
		after.Title, after.State = "another", contract.Failed
		change := contract.Change{Before: &d, After: after, At: time.Unix(1_800_000_001, 0)}
		if got := s.roundTrips(t, func() error { _, err := s.Commit(t.Context(), change); return err }); got > 2 {
			t.Errorf("a change of document %d takes %d round trips", i+1, got)
		}
	}
	c, found := newChecker(t, s)
	if err := c.CheckDerived(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, d := range *found {
		if d.Check == "lists" {
			t.Error(d)
		}
	}
}

func TestABatchEndsWithTheFirstResultThatIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 0)
		ctx := t.Context()
		insert := func(id string) statement {
			return statement{sql: `INSERT INTO organisation (id, name, created_at) VALUES ($1, $2, 0)`, args: []any{id, "name of " + id}}
		}
		refused := insert("refused")
		refused.done, refused.what = func(int64) error { return store.ErrConflict }, "add what is refused"
		err := s.db.withTx(ctx, func(x tx) error {
			// The last one violates a constraint, which must not hide the reason.
			return errors.Join(x.addStatements(ctx, insert("first"), refused), x.addStatements(ctx, insert("first")))
		})
		if !errors.Is(err, store.ErrConflict) {
			t.Error(err)
		}
		for _, id := range []contract.OrganisationID{"first", "refused"} {
			if _, err := s.Organisation(ctx, id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}

func TestWhatWaitsForTheCommitIsRolledBackWithAnError(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := storeWithDocuments(t, dsn, 0)
		ctx := t.Context()
		insert := statement{sql: `INSERT INTO organisation (id, name, created_at) VALUES ($1, $1, 0)`, args: []any{"waits"}}
		duplicate := statement{sql: `INSERT INTO organisation (id, name, created_at) VALUES ('org', 'another', 0)`, what: "add org again"}
		for name, fn := range map[string]func(tx) error{
			"of the function":        func(x tx) error { return errors.Join(x.addStatements(ctx, insert), errUndo) },
			"of a waiting statement": func(x tx) error { return errors.Join(x.addStatements(ctx, insert), x.addStatements(ctx, duplicate)) },
			"of the last round trip": func(x tx) error {
				if _, err := x.exec(ctx, `UPDATE log_size SET size = size`); err != nil {
					return err
				}
				return errors.Join(x.addStatements(ctx, insert), x.addStatements(ctx, duplicate))
			},
		} {
			err := s.db.withTx(ctx, fn)
			if doubt := (*commitError)(nil); err == nil || errors.As(err, &doubt) {
				t.Errorf("an error %s: %v", name, err)
			}
			if _, err := s.Organisation(ctx, "waits"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("after an error %s: %v", name, err)
			}
		}
		if err := s.db.withTx(ctx, func(x tx) error { return x.addStatements(ctx, insert) }); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Organisation(context.Background(), "waits"); err != nil {
			t.Error(err)
		}
	})
}
