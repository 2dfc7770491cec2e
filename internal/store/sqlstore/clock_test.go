package sqlstore

import (
	"context"
	"errors"
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

func TestATransactionWhoseTimesContradictTheServerIsRefused(t *testing.T) {
	t.Parallel()
	const tolerance = 2 * time.Minute
	now := time.Now()
	var moved time.Duration // the clock of this process
	s := openWith(t, databases["PostgreSQL"](t), Options{Clock: func() time.Time { return now.Add(time.Since(now) + moved) }, ClockTolerance: tolerance})
	size := func() (n int64) {
		if err := s.readRow(t.Context(), []any{&n}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, c := range []struct {
		event time.Duration // from now
		token time.Duration // 0: none
		moved time.Duration
		want  error
	}{
		{0, 0, 0, nil}, {-time.Hour, 0, 0, nil}, {time.Minute, time.Minute, 0, nil}, {-time.Minute, -time.Minute, 0, nil},
		{3 * time.Minute, 0, 0, contract.ErrClock}, {0, 4 * time.Minute, 0, contract.ErrClock}, {0, -4 * time.Minute, 0, contract.ErrClock},
		{0, 0, 3 * time.Minute, contract.ErrClock}, {-time.Hour, 0, -time.Hour, contract.ErrClock}, {0, 0, time.Minute, nil},
	} {
		moved = c.moved
		e := logEntry{events: []contract.Event{{Type: contract.EventViewed, Document: 1, At: now.Add(c.event)}}}
		if c.token != 0 {
			e.token.At = now.Add(c.token)
		}
		before := size()
		if err := s.db.withTx(t.Context(), func(t tx) error { return e.appendToLog(context.Background(), t) }); !errors.Is(err, c.want) {
			t.Errorf("an event %v and a timestamp %v from now, by a clock moved by %v: %v", c.event, c.token, c.moved, err)
		}
		if after := size(); (after > before) != (c.want == nil) {
			t.Errorf("an event %v and a timestamp %v from now, by a clock moved by %v: the log grew from %d to %d", c.event, c.token, c.moved, before, after)
		}
	}
}
