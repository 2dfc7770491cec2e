package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
)

// selectTimes are the columns of [store.Clocks.Times] in log_size. Clock is the expression of serverClock.
func selectTimes(clock string) string { return `latest_at, timestamp_at, timestamp_accuracy, ` + clock }

func scanTimes(r *contract.ClockReading) func(scanFunc) error {
	return func(scan scanFunc) error {
		var accuracy int64
		err := scan(scanTime(&r.LastEvent), scanTime(&r.Timestamp.At), scanNumber(&accuracy), scanServerTime(&r.Database))
		r.Timestamp.Accuracy = time.Duration(accuracy) * time.Microsecond
		return err
	}
}

// Times implements [store.Clocks].
func (s *Store) Times(ctx context.Context) (contract.ClockReading, error) {
	var r contract.ClockReading
	err := s.db.readTogether(ctx, statement{
		sql: `SELECT ` + selectTimes(s.db.serverClock()) + ` FROM log_size WHERE id = 1`, each: scanTimes(&r), done: requireRow,
	})
	return r, wrapf(err, "read recorded times")
}

// ConfirmClock implements [store.Clocks].
func (s *Store) ConfirmClock(ctx context.Context, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `UPDATE log_size SET latest_at = 0, timestamp_at = 0, timestamp_accuracy = 0 WHERE id = 1`); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("clock", 1)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "confirm the clock")
}

// DatedAfter implements [store.Clocks].
func (s *Store) DatedAfter(ctx context.Context, at time.Time, limit int) (ids []contract.DocumentID, n int, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		const dated = ` FROM event WHERE at > $1 AND document <> 0`
		if err := queryOne(ctx, q, []any{&n}, `SELECT COUNT(DISTINCT document)`+dated, toMicros(at)); err != nil {
			return err
		}
		ids, err = queryAll(ctx, q, column[contract.DocumentID], `SELECT DISTINCT document`+dated+` ORDER BY document LIMIT $2`, toMicros(at), limit)
		return err
	})
	return ids, n, wrapf(err, "read documents dated after %s", at)
}
