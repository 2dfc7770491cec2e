package sqlstore

import (
	"testing"
	"time"

	"segel/internal/store"
	"segel/internal/store/storetest/pgtest"
)

// TestALeaseWhoseCommitArrivesLateIsGivenUpNevertheless gives up a request while its transaction is open: a network may deliver the COMMIT after its client has lost
// the connection, and after what the client sent on another one.
func TestALeaseWhoseCommitArrivesLateIsGivenUpNevertheless(t *testing.T) {
	t.Parallel()
	s := openTest(t, pgtest.Database(t, Migrate))
	ctx := t.Context()
	if err := s.AddNode(ctx, store.Node{Name: "a"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	r := store.LeaseRequest{Resource: "slot", Count: 1, Node: "a", Ticket: "first"}
	for _, when := range []string{"the first time", "when the row exists"} {
		givenUp := make(chan error, 1)
		err := s.db.withTx(ctx, func(tx tx) error {
			if _, place, err := s.takeLease(ctx, tx, r); err != nil || place > 0 {
				t.Errorf("%s: place %d, %v", when, place, err)
			}
			go func() { givenUp <- s.GiveUpLease(ctx, r.Resource, r.Ticket) }()
			for waiting := 0; waiting == 0; {
				select {
				case err := <-givenUp:
					t.Errorf("%s: it was given up before the commit: %v", when, err)
					givenUp <- err
					return nil
				default:
				}
				if err := queryOne(ctx, tx, []any{&waiting}, `SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-givenUp; err != nil {
			t.Fatal(err)
		}
		if n, err := s.CountLeases(ctx, r.Resource); n != 0 || err != nil {
			t.Errorf("%s: %d leases are left, %v", when, n, err)
		}
	}
}
