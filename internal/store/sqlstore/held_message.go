package sqlstore

import (
	"context"
	"time"

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

// triesWithoutPause is up to how many tries a message whose process ended is tried again at once. If it is the message that ends the process, the later tries have to let
// other work go on.
const triesWithoutPause = 3

// putBackMessages makes what a process that ended was sending due at once. It may have been sent: the next try repeats it under the same identifier. After triesWithoutPause
// nothing changes: it is due when the lease of the try has ended.
func putBackMessages(ctx context.Context, t tx, name string) error {
	for _, table := range []string{"notice", "webhook_delivery"} {
		// The time 0 has come by all clocks. That at which it was ordered may not have: the clock of the process that ordered it may be ahead. The condition on '' is that of the index.
		if err := t.addStatements(ctx, statement{sql: `UPDATE ` + table + ` SET due_at = 0, ` + endHold + ` WHERE holder = $1 AND holder <> '' AND state = 'ordered' AND tries <= $2`, args: []any{name, triesWithoutPause}}); err != nil {
			return err
		}
	}
	return nil
}

// PutBackMessages implements [store.Notices].
func (s *Store) PutBackMessages(ctx context.Context, process string) error {
	err := s.db.withTx(ctx, func(t tx) error { return putBackMessages(ctx, t, process) })
	return wrapf(err, "put back the messages of process %s", process)
}
