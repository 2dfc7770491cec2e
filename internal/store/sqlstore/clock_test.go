package sqlstore

import (
	"context"
	"testing"
	"time"

	"segel/internal/contract"
)

func TestTimesRecordedBeforeTheMigrationCount(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		key := `CAST('k' AS BLOB)`
		if dsn[:1] == "p" {
			key = `'k'::bytea`
		}
		aged(t, dsn, "0011",
			`INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) VALUES (0, 'viewed', 1, 9000000, '', '', '', '', '{}')`,
			`INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) VALUES (1, 'viewed', 1, 5000000, '', '', '', '', '{}')`,
			`INSERT INTO credential (id, holder, sealed_key, not_after, created_at) VALUES ('c', 'u', `+key+`, 8000000, 3000000)`)
		s := openTest(t, dsn)
		r, err := s.Times(t.Context())
		if err != nil || !r.LastEvent.Equal(time.Unix(9, 0)) || !r.Timestamp.At.IsZero() {
			t.Errorf("%+v, %v", r, err)
		}
		c, err := s.Credential(t.Context(), "u", time.Unix(3, 0), time.Unix(4, 0))
		if err != nil || !c.NotBefore.Equal(time.Unix(3, 0)) {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := s.Credential(t.Context(), "u", time.Unix(2, 0), time.Unix(4, 0)); err == nil {
			t.Error("a credential was found before it was made")
		}
	})
}

func TestWorkThatWaitsForItsTimeIsBroughtForward(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		ctx := t.Context()
		work := contract.Job{Kind: contract.JobComplete, Document: 7}
		state := func() (state string) {
			t.Helper()
			err := s.db.withSnapshot(ctx, func(q querier) error {
				return queryOne(ctx, q, []any{&state}, `SELECT CAST(state AS TEXT) FROM river_job`)
			})
			if err != nil {
				t.Fatal(err)
			}
			return state
		}
		for _, order := range []func(context.Context, ...contract.Job) error{s.EnqueueNow, s.Enqueue} {
			if err := order(ctx, work); err != nil || state() != "available" {
				t.Fatalf("%s, %v", state(), err)
			}
		}
		err := s.db.withTx(ctx, func(x tx) error {
			_, err := x.exec(ctx, `UPDATE river_job SET state = 'scheduled'`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Enqueue(ctx, work); err != nil || state() != "scheduled" {
			t.Errorf("ordered again: %s, %v", state(), err)
		}
		if err := s.EnqueueNow(ctx, work); err != nil || state() != "available" {
			t.Errorf("hastened: %s, %v", state(), err)
		}
	})
}
