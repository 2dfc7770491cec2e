package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"segel/internal/process"
	"segel/internal/store"
)

// ownConnections is the database on connections for nodes alone: a lease must not end because requests and jobs have
// taken all others. They are opened with the first node. The zero value is ready to use.
type ownConnections struct {
	mu sync.Mutex
	db database // nil: not opened
}

func (c *ownConnections) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return nil
	}
	return c.db.close()
}

func (s *Store) withNodeTx(ctx context.Context, fn func(tx) error) error {
	s.own.mu.Lock()
	if s.own.db == nil {
		var err error
		if s.own.db, err = s.db.openReserved(s.options); err != nil {
			s.own.mu.Unlock()
			return err
		}
	}
	db := s.own.db
	s.own.mu.Unlock()
	if db == nil {
		db = s.db
	}
	return db.withTx(ctx, fn)
}

// AddNode implements [store.Nodes].
func (s *Store) AddNode(ctx context.Context, n store.Node, lease time.Duration) error {
	now := s.db.clockMicros()
	err := s.withNodeTx(ctx, func(t tx) error {
		// While another node ends an earlier row of this process, it terminates the connections of the process: the new node begins before or after.
		// Such a row is left if the answer to an earlier call was lost.
		if session := s.db.sessionName(); session != "" {
			if _, err := t.exec(ctx, `SELECT name FROM node WHERE session = $1 AND ended_at = 0 ORDER BY name FOR NO KEY UPDATE`, session); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, `INSERT INTO node (name, host, release, roles, session, master_keys, started_at, expires_at, ended_at) VALUES ($1, $2, $3, $4, $5, $6, `+now+`, `+now+` + $7, 0)`,
			n.Name, n.Host, n.Release, strings.Join(n.Roles, ","), s.db.sessionName(), strings.Join(n.MasterKeys, " "), lease.Microseconds())
		return err
	})
	return wrapf(err, "add node %s", n.Name)
}

// RenewNode implements [store.Nodes].
func (s *Store) RenewNode(ctx context.Context, name string, lease time.Duration) (others store.OtherNodes, err error) {
	now := s.db.clockMicros()
	err = s.withNodeTx(ctx, func(t tx) error {
		others = store.OtherNodes{}
		err := queryOne(ctx, t, []any{scanTime(&others.Now)}, `UPDATE node SET expires_at = `+now+` + $2 WHERE name = $1 AND ended_at = 0 AND expires_at > `+now+` RETURNING `+now, name, lease.Microseconds())
		if errors.Is(err, store.ErrNotFound) {
			return store.ErrNodeEnded
		}
		if err != nil {
			return err
		}
		return queryEach(ctx, t, func(scan scanFunc) error {
			var other string
			var left int64
			if err := scan(&other, &left); err != nil {
				return err
			}
			switch {
			case left <= 0:
				others.Overdue = append(others.Overdue, other)
			case others.Next == 0 || time.Duration(left)*time.Microsecond < others.Next:
				others.Next = time.Duration(left) * time.Microsecond
			}
			return nil
		}, `SELECT name, expires_at - `+now+` FROM node WHERE ended_at = 0 AND name <> $1 ORDER BY name`, name)
	})
	return others, wrapf(err, "renew the lease of node %s", name)
}

// EndNode implements [store.Nodes]. The row is locked first: its update alone does not exclude [requireNode], so that a transaction could still be committed
// whose work is put back.
func (s *Store) EndNode(ctx context.Context, name string) error {
	lockChecks := ` FOR UPDATE`
	if s.db.embedded() {
		lockChecks = ``
	}
	err := s.withNodeTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `SELECT name FROM node WHERE name = $1`+lockChecks, name); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE node SET ended_at = `+s.db.clockMicros()+` WHERE name = $1 AND ended_at = 0`, name); err != nil {
			return err
		}
		return putBackWork(ctx, t, name, s.db.clockMicros())
	})
	return wrapf(err, "end node %s", name)
}

// endOverdueWithin bounds [Store.EndOverdueNode]. A call takes milliseconds unless a lock is held that it cannot free.
const endOverdueWithin = 3 * time.Second

// EndOverdueNode implements [store.Nodes]. It fails if it takes longer than endOverdueWithin; the next call tries again.
//
// A node that is suspended or cut off may be in the middle of a transaction, whose locks last until the server ends it: on its own row, on claims, on jobs. So
// the steps are, all in one transaction:
//
//  1. Lock the row against the node itself: it can neither renew the lease nor join under another name. This lock does not wait for transactions that check the row.
//  2. Terminate the connections of the process. Nothing else can end its transactions at once.
//  3. Lock the row against those checks. What was being committed has ended before, applied or not, and a later commit is refused.
//  4. Mark the end, and put the work back.
//
// Durable on return: the end, and that the work is put back. After a crash before that: neither, and the next look of any
// node finds the lease overdue.
func (s *Store) EndOverdueNode(ctx context.Context, name string) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, endOverdueWithin)
	defer cancel()
	lockRenewal, lockChecks := ` FOR NO KEY UPDATE`, ` FOR UPDATE`
	if s.db.embedded() {
		lockRenewal, lockChecks = ``, ``
	}
	err = s.withNodeTx(ctx, func(t tx) error {
		ended = false
		var endedAt int64
		var session string
		err := queryOne(ctx, t, []any{&endedAt, &session}, `SELECT ended_at, session FROM node WHERE name = $1 AND (ended_at > 0 OR expires_at <= `+s.db.clockMicros()+`)`+lockRenewal, name)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if ended = err == nil; err != nil || endedAt > 0 {
			return err
		}
		if session != "" && session != s.db.sessionName() { // a process may end its own former term
			if err := t.endSessions(ctx, name, session); err != nil {
				return err
			}
		}
		if _, err := t.exec(ctx, `SELECT name FROM node WHERE name = $1`+lockChecks, name); err != nil {
			return err
		}
		if _, err := t.exec(ctx, `UPDATE node SET ended_at = `+s.db.clockMicros()+` WHERE name = $1`, name); err != nil {
			return err
		}
		return putBackWork(ctx, t, name, s.db.clockMicros())
	})
	return ended && err == nil, wrapf(err, "end node %s", name)
}

// putBackWork puts back the jobs and messages of a node that ended, and ends its leadership and its claims. Clock is the expression of the time, see [database].
func putBackWork(ctx context.Context, t tx, name, clock string) error {
	if err := t.takeOverJobs(ctx, name); err != nil {
		return err
	}
	if err := putBackMessages(ctx, t, name, clock); err != nil {
		return err
	}
	_, err := t.exec(ctx, `DELETE FROM claim WHERE process = $1`, name)
	return err
}

// ListNodes implements [store.Nodes].
func (s *Store) ListNodes(ctx context.Context) (all []store.Node, now time.Time, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) (err error) {
		all, now, err = readNodes(ctx, q, s.db.clockMicros())
		return err
	})
	return all, now, wrapf(err, "list nodes")
}

// readNodes reads the nodes, the newest first, and the time. Clock is the expression of it, see [database].
func readNodes(ctx context.Context, q querier, clock string) (all []store.Node, now time.Time, err error) {
	if err := queryOne(ctx, q, []any{scanTime(&now)}, `SELECT `+clock); err != nil {
		return nil, now, err
	}
	all = []store.Node{}
	err = queryEach(ctx, q, func(scan scanFunc) error {
		var n store.Node
		var roles, keys string
		if err := scan(&n.Name, &n.Host, &n.Release, &roles, &keys, scanTime(&n.StartedAt), scanTime(&n.ExpiresAt), scanTime(&n.EndedAt)); err != nil {
			return err
		}
		if roles != "" {
			n.Roles = strings.Split(roles, ",")
		}
		n.MasterKeys = strings.Fields(keys)
		all = append(all, n)
		return nil
	}, `SELECT name, host, release, roles, master_keys, started_at, expires_at, ended_at FROM node ORDER BY started_at DESC, name`)
	return all, now, err
}

// PurgeNodes implements [store.Nodes].
func (s *Store) PurgeNodes(ctx context.Context, after time.Duration) error {
	return wrapf(s.runStatement(ctx, `DELETE FROM node WHERE ended_at > 0 AND ended_at < `+s.db.clockMicros()+` - $1`, after.Microseconds()), "purge nodes")
}

// nodeEnded is the text of the error by which PostgreSQL refuses a transaction of a node that has ended.
const nodeEnded = "the node has ended"

// requireNode is the statement that refuses the transaction of work whose term has ended. It is the last statement of the
// transaction. On PostgreSQL it travels with COMMIT, so that it costs no round trip and the lock is held for none; therefore
// the server itself has to refuse: the cast of a text that is not a number fails. The lock excludes [Store.EndNode] and
// [Store.EndOverdueNode] until the commit, and not the renewal of the lease, which changes no key.
func requireNode(name string, travels bool) statement {
	if travels {
		return statement{sql: `SELECT CAST(coalesce((SELECT '1' FROM node WHERE name = $1 AND ended_at = 0 FOR KEY SHARE), '` + nodeEnded + `') AS INTEGER)`, args: []any{name}}
	}
	return statement{sql: `SELECT 1 FROM node WHERE name = $1 AND ended_at = 0`, args: []any{name}, each: func(scanFunc) error { return nil }, done: func(n int64) error {
		if n == 0 {
			return store.ErrNodeEnded
		}
		return nil
	}}
}

// fenced returns fn for a transaction that is applied only if the term has not ended to which the context belongs. The process compares its clock
// after fn, because the times that fn stores were read before: what is due by the clock of a process that is hours ahead would wait for hours.
func fenced(ctx context.Context, fn func(tx) error) func(tx) error {
	term := process.Of(ctx)
	if term == nil || !term.IsFenced() {
		return fn
	}
	return func(t tx) error {
		if err := fn(t); err != nil {
			return err
		}
		if err := term.Check(); err != nil {
			return fmt.Errorf("%w: %w", store.ErrNodeEnded, err)
		}
		return t.addStatements(ctx, requireNode(term.Name(), t.collects()))
	}
}

// nodeRefusal returns the error of the store for that of PostgreSQL.
func nodeRefusal(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "22P02" && strings.Contains(refused.Message, nodeEnded) {
		return fmt.Errorf("%w: %w", store.ErrNodeEnded, err)
	}
	return err
}
