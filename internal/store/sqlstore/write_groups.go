package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"runtime/debug"
	"slices"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"

	"segel/internal/contract"
)

// writeGroups runs the transactions that arrive while another one waits for the disk together: SQLite has one writer, and what a
// transaction waits for is the write-ahead log. Those of a group are one transaction of the database. If one of them fails, the
// database rolls all back and the group runs again, each in a savepoint, so that one that fails is rolled back alone. Savepoints cost
// a copy of each page that is changed after them, in a temporary file.
//
// Durable when a caller is answered: its transaction, as without groups, because all are answered after the commit. After a crash
// before that: nothing of the group, or all of it.
type writeGroups struct {
	database *sqlite

	mu      sync.Mutex // guards the fields below
	waiting []*groupedWrite
	working bool // a goroutine runs groups

	careful int // groups that run in savepoints at once, because one has failed; of the goroutine that runs groups
}

// carefulGroups is how many groups run in savepoints after one failed: where some always fail, few groups run twice.
const carefulGroups = 32

// maxGroup bounds the transactions of a group, so that the first one does not wait long for the others.
const maxGroup = 32

// groupedWrite is a transaction of a caller.
type groupedWrite struct {
	ctx  context.Context
	fn   func(tx) error
	done chan struct{} // closed when err is set

	mu      sync.Mutex // guards left and started
	started bool
	left    bool // the caller's context ended before it started

	err     error
	died    *panicked // what fn panicked with
	ordered []contract.Job
}

// runWrite runs a transaction, alone or in a group.
func (g *writeGroups) runWrite(ctx context.Context, fn func(tx) error) error {
	w := &groupedWrite{ctx: ctx, fn: fn, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	if !g.working {
		g.working = true
		go g.runGroups() // on another stack, see ownStacks
	}
	g.mu.Unlock()
	select {
	case <-w.done:
	case <-ctx.Done():
		if w.leave() {
			return ctx.Err()
		}
		<-w.done
	}
	if w.died != nil {
		panic(w.died)
	}
	return w.err
}

// leave reports whether the transaction did not start yet. Then it never does.
func (w *groupedWrite) leave() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = !w.started
	return w.left
}

// start reports whether the transaction runs or has run: its caller has not left.
func (w *groupedWrite) start() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.started = !w.left
	return w.started
}

func (g *writeGroups) runGroups() {
	for {
		g.mu.Lock()
		group := slices.Clone(g.waiting[:min(len(g.waiting), maxGroup)])
		g.waiting = slices.Delete(g.waiting, 0, len(group))
		g.working = len(group) > 0
		g.mu.Unlock()
		if len(group) == 0 {
			return
		}
		g.runGroup(group)
		for _, w := range group {
			if w.start() {
				close(w.done)
			}
		}
	}
}

// runGroup runs transactions together, or one by one if the database has rolled back the group: it does so if the statement of one
// is interrupted, or if the disk is full. Each starts at its turn, so that callers may leave while another process or the job queue
// has the database, or another transaction of the group takes long.
func (g *writeGroups) runGroup(group []*groupedWrite) {
	if len(group) > 1 {
		g.careful = max(g.careful-1, 0)
		for _, savepoints := range []bool{false, true} {
			if !savepoints && g.careful > 0 {
				continue
			}
			t, err := beginOn(context.Background(), g.database.writer)
			if err != nil {
				for _, w := range group {
					w.err = err
				}
				return
			}
			if g.tryGroup(t, group, savepoints) {
				return
			}
			g.careful = carefulGroups
		}
	}
	for _, w := range group {
		if !w.start() {
			continue
		}
		w.err, w.died = nil, nil
		func() {
			defer w.recoverPanic()
			w.err = g.database.writeTxHere(w.ctx, w.fn)
		}()
	}
}

func (w *groupedWrite) recoverPanic() {
	if p := recover(); p != nil {
		w.died = &panicked{p, debug.Stack()}
	}
}

// tryGroup runs transactions in one of the database, and reports whether all have their outcome. If not, none of them has an effect:
// without savepoints one has failed, or the database has rolled the group back.
func (g *writeGroups) tryGroup(t *sqliteConnected, group []*groupedWrite, savepoints bool) bool {
	defer t.close()
	var done []*groupedWrite // without an error
	for _, w := range group {
		if !w.start() {
			continue
		}
		if !w.runInGroup(g.database, t, savepoints) {
			return false
		}
		if w.err == nil && w.died == nil {
			done = append(done, w)
		}
	}
	if len(done) == 0 {
		return true
	}
	err := g.database.commitWrite(t.Tx)
	if err != nil && !isInDoubt(err) {
		return false // for example, another process holds the lock
	}
	for _, w := range done {
		if w.err = err; err == nil {
			g.database.queue.Wake(w.ordered...)
		}
	}
	return true
}

func isInDoubt(err error) bool { return errors.As(err, new(*commitError)) }

// runInGroup runs a transaction, and reports whether the group can go on: it is still in its transaction, and the effect of one that
// failed is rolled back, which takes a savepoint.
func (w *groupedWrite) runInGroup(d *sqlite, t *sqliteConnected, savepoint bool) bool {
	w.err, w.died, w.ordered = nil, nil, nil
	if w.err = w.ctx.Err(); w.err != nil {
		return true
	}
	if savepoint {
		if _, err := t.conn.run("SAVEPOINT one", nil, nil); err != nil {
			return false
		}
	}
	func() {
		defer w.recoverPanic()
		w.err = w.fn(t.bind(w.ctx, d, &w.ordered))
	}()
	if !savepoint {
		return w.err == nil && w.died == nil
	}
	if w.err != nil || w.died != nil {
		if _, err := t.conn.run("ROLLBACK TO one", nil, nil); err != nil {
			return false
		}
	}
	_, err := t.conn.run("RELEASE one", nil, nil)
	return err == nil
}

// commitWrite commits a transaction. The error is a [*commitError] if the transaction may have been committed nevertheless.
func (d *sqlite) commitWrite(t *sql.Tx) error {
	err := t.Commit()
	if err == nil {
		d.counters.commits.Add(1)
		return nil
	}
	if c := codeOf(err); c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED || errors.Is(err, sql.ErrTxDone) {
		return err
	}
	// The write-ahead log may contain the whole transaction without being known to be on disk. A process that opens the file after
	// a crash would then find the transaction complete.
	return &commitError{err}
}
