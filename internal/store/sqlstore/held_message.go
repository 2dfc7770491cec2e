package sqlstore

import (
	"context"
	"fmt"
	"time"

	"segel/internal/jobs"
	"segel/internal/process"
)

// holdArgs returns who begins to send, and for how long no other process does, in microseconds; 0: due_at alone says it.
//
// Only the end of a node puts back what it holds. Work that belongs to no term, such as that of a command, holds nothing: its row is due again when its due_at has come. Neither
// do the processes of a data folder, whose clock is the same.
func holdArgs(ctx context.Context, lease time.Duration) (holder string, micros int64) {
	term := process.Of(ctx)
	switch {
	case term == nil:
		return "", 0
	case !term.IsFenced():
		return term.Name(), 0
	}
	return term.Name(), lease.Microseconds()
}

// notHeld is the condition that no other process is sending the message or delivery of a row. Clock is the expression of the time, see [database]: two processes
// whose clocks differ do not send at once.
func notHeld(clock string) string { return `held_until <= ` + clock }

// endHold are the assignments that end the hold.
const endHold = `holder = '', held_until = 0`

// longestMessageWait is the longest time that a message waits whose process ended while it was sent.
const longestMessageWait = time.Hour

// putBackMessages makes what a process that ended was sending due. It may have been sent: the next try repeats it under the same identifier. At the first try it is due
// at once. From then on it waits, longer after each try, because the message itself may be what ends the process. Mails about different documents, and different
// messages to a webhook, wait for different times: one of them may end the process again, and the others are sent meanwhile.
func putBackMessages(ctx context.Context, t tx, name, clock string) error {
	for _, table := range []struct{ name, number string }{{"notice", "document"}, {"webhook_delivery", "number"}} {
		// The condition on '' is that of the index.
		sql := `UPDATE ` + table.name + ` SET due_at = ` + dueAfterCrash(table.number, clock) + `, ` + endHold + ` WHERE holder = $1 AND holder <> '' AND state = 'ordered'`
		if err := t.addStatements(ctx, statement{sql: sql, args: []any{name}}); err != nil {
			return err
		}
	}
	return nil
}

// dueAfterCrash returns the expression of the time at which a message is due whose process ended. Messages whose column number differs wait for different times.
func dueAfterCrash(number, clock string) string {
	// The time 0 has come by all clocks. That at which a message was ordered may not have: the clock of the process that ordered it may be ahead.
	due := `CASE WHEN tries <= 1 THEN 0 ELSE ` + clock + ` + (16 + ` + number + ` % 16) * CASE tries`
	for tries := 2; ; tries++ {
		wait := jobs.WaitAfterCrash(tries, longestMessageWait)
		part := (wait / 32).Microseconds()
		if wait == longestMessageWait {
			return due + fmt.Sprintf(` ELSE %d END END`, part)
		}
		due += fmt.Sprintf(` WHEN %d THEN %d`, tries, part)
	}
}

// PutBackMessages implements [store.Notices].
func (s *Store) PutBackMessages(ctx context.Context, process string) error {
	err := s.db.withTx(ctx, func(t tx) error { return putBackMessages(ctx, t, process, s.db.clockMicros()) })
	return wrapf(err, "put back the messages of process %s", process)
}
