package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/audit"
	"segel/internal/contract"
)

// note logs n events of documents 1 to n.
func note(t *testing.T, s *Store, n int) {
	t.Helper()
	var events []contract.Event
	for i := range n {
		events = append(events, contract.Event{
			Type: contract.EventViewed, Document: contract.DocumentID(i + 1), At: time.Unix(1_800_000_000, 0),
			Person: contract.Person{ID: "p", Name: "N", Email: "e"}, IP: "192.0.2.1", Details: map[string]string{"n": fmt.Sprint(i)},
		})
	}
	if err := s.LogEvents(context.Background(), events...); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsTamperedWithShows(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		note(t, s, 20)
		note(t, s, checkBatch)
		for _, tamper := range []string{
			`UPDATE event SET type = 'signed' WHERE leaf = 3`,
			`UPDATE event SET document = 99 WHERE leaf = 3`,
			`UPDATE event SET at = at + 1 WHERE leaf = 3`,
			`UPDATE event SET person = 'q' WHERE leaf = 3`,
			`UPDATE event SET name = 'M' WHERE leaf = 3`,
			`UPDATE event SET email = 'f' WHERE leaf = 3`,
			`UPDATE event SET ip = '192.0.2.2' WHERE leaf = 3`,
			`UPDATE event SET details = '{"n":"4"}' WHERE leaf = 3`,
			`UPDATE event SET details = '{}' WHERE leaf = 519`,
			`DELETE FROM event WHERE leaf = 3`,
			`DELETE FROM event WHERE leaf = 519`,
			`DELETE FROM event`,
			`DELETE FROM log_hash WHERE position = 2`,
			`UPDATE log_hash SET hash = (SELECT hash FROM log_hash WHERE position = 0) WHERE position = 2`,
			`UPDATE log_size SET size = size + 1`,
			`INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) SELECT -1, 'signed', document, at, person, name, email, ip, details FROM event WHERE leaf = 3`,
			`INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) SELECT 520, 'signed', document, at, person, name, email, ip, details FROM event WHERE leaf = 3`,
			`INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) SELECT 1000, 'signed', document, at, person, name, email, ip, details FROM event WHERE leaf = 3`,
			`INSERT INTO log_hash (position, hash) SELECT -1, hash FROM log_hash WHERE position = 0`,
			`UPDATE log_size SET size = size - 1`,
		} {
			if err := s.tampered(t, tamper); !errors.Is(err, audit.ErrMismatch) {
				t.Errorf("%s: %v", tamper, err)
			}
		}
		if err := s.CheckLog(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// errUndo rolls a transaction back on purpose.
var errUndo = errors.New("undo")

// tampered runs a statement, checks the log, and undoes the statement.
func (s *Store) tampered(t *testing.T, statement string) (found error) {
	t.Helper()
	err := s.db.withTx(t.Context(), func(x tx) error {
		if n, err := x.exec(t.Context(), statement); err != nil || n == 0 {
			t.Fatalf("%s: %d rows, %v", statement, n, err)
		}
		inside := &Store{db: within{tx: x}}
		found = inside.CheckLog(t.Context())
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	return found
}

// within is a database as one open transaction sees it.
type within struct {
	database
	tx tx
}

func (w within) withSnapshot(_ context.Context, fn func(querier) error) error { return fn(w.tx) }
func (w within) readTogether(ctx context.Context, all ...statement) error {
	return w.tx.runBatch(ctx, all...)
}
func (w within) readWhole(_ context.Context, fn func(querier) error) error { return fn(w.tx) }
func (w within) withTx(_ context.Context, fn func(tx) error) error         { return fn(w.tx) }

func TestTheDatabaseFindsThePeaksOfTheTree(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		sizes := []int64{1 << 20, 1<<20 - 1, 1<<40 + 1<<33 + 5, 1<<60 - 1}
		for n := range int64(66) {
			sizes = append(sizes, n)
		}
		err := s.db.withTx(t.Context(), func(x tx) error {
			for _, size := range sizes {
				const added = 3
				if _, err := x.exec(t.Context(), `UPDATE log_size SET size = $1`, size+added); err != nil {
					return err
				}
				got, err := queryAll(t.Context(), x, column[int64], withPeaks("$1")+`SELECT position FROM peak ORDER BY position`, added)
				if err != nil {
					return err
				}
				if want := audit.PeakIndexes(size); !slices.Equal(got, want) {
					t.Errorf("of %d leaves: %v, want %v", size, got, want)
				}
			}
			return errUndo
		})
		if !errors.Is(err, errUndo) {
			t.Fatal(err)
		}
	})
}

func TestEventsThatAreAddedOneByOneAndTogetherGiveOneLog(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		for n := range 40 {
			note(t, s, 1+n%3)
		}
		if err := s.CheckLog(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
