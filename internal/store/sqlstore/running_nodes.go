package sqlstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"segel/internal/store"
)

// NodesError means that migrations are pending and nodes run beside which they are not applied. Nothing was changed.
type NodesError struct {
	Nodes   []store.Node // that run; name, host and release
	Pending int          // migrations, 1 for those of the job queue
	Stop    bool         // the nodes cannot use the migrated tables: they have to end first
}

// Error names the nodes and says what to do.
func (e *NodesError) Error() string {
	var nodes []string
	for _, n := range e.Nodes {
		nodes = append(nodes, fmt.Sprintf("%s (segel %s, node %s)", n.Host, n.Release, n.Name))
	}
	todo := "run segel migrate, and start this process again; the nodes may stay meanwhile"
	if e.Stop {
		todo = "they cannot use the migrated tables; stop them, and run segel migrate"
	}
	return fmt.Sprintf("migrations are pending (%d), and other nodes use the database: %s: %s (docs/operations.md, Updates)", e.Pending, strings.Join(nodes, ", "), todo)
}

// requireCompatibleNodes returns a *NodesError if migrations are pending and a node runs beside which they must not be applied.
//
// A node that was killed counts until its lease ends, four seconds later: then the tables are migrated. A node that starts after the
// check, of the release before, is not seen. It may run beside expanding migrations, and refuses to start after a contracting one.
func requireCompatibleNodes(ctx context.Context, db database, known []migration, o Options) error {
	var state SchemaState
	if err := db.withSnapshot(ctx, func(q querier) error {
		state = SchemaState{}
		return state.readTables(ctx, q, known, db.clockMicros(), o)
	}); err != nil {
		return fmt.Errorf("look for pending migrations: %w", err)
	}
	if state.DatabaseNewest == 0 { // nothing uses it
		return nil
	}
	var err error
	if state.QueuePending, err = db.queueOutdated(ctx); err != nil {
		return err
	}
	pending := len(state.Pending)
	if state.QueuePending {
		pending = max(pending, 1)
	}
	stop := !state.EarlierMayStay()
	if pending == 0 || o.Beside == BesideCompatible && !stop {
		return nil
	}
	running, err := awaitLeases(ctx, db)
	if err != nil || len(running) == 0 {
		return err
	}
	return &NodesError{Nodes: running, Pending: pending, Stop: stop}
}

// Times of awaitLeases. A node renews its lease every second, for four seconds; a process of release 0.1.0 renews its row every five seconds, for fifteen.
const (
	lookAtLeasesEvery = 200 * time.Millisecond
	awaitLeasesFor    = 30 * time.Second
)

// awaitLeases waits until all leases have ended, or one was renewed or taken meanwhile. Then, and if a lease lasts for longer than any does, it returns the nodes
// whose leases have not ended.
func awaitLeases(ctx context.Context, db database) (running []store.Node, err error) {
	var first map[string]time.Time // when leases end, by node, as they were at first
	for began := time.Now(); ; {
		err := db.withSnapshot(ctx, func(q querier) (err error) {
			running, err = readRunningNodes(ctx, q, db.clockMicros())
			return err
		})
		if err != nil || len(running) == 0 {
			return nil, err
		}
		now := make(map[string]time.Time, len(running))
		for _, n := range running {
			now[n.Name] = n.ExpiresAt
			if end, found := first[n.Name]; first != nil && (!found || n.ExpiresAt.After(end)) {
				return running, nil
			}
		}
		if time.Since(began) > awaitLeasesFor {
			return running, nil
		}
		if first == nil {
			first = now
		}
		pause := time.NewTimer(lookAtLeasesEvery)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, ctx.Err()
		}
	}
}

// readRunningNodes reads the nodes whose lease has not ended, and a process that has no row of a node: name, host, release and end of the lease. These columns exist since
// there are nodes. Clock is the expression of the time, see [database].
func readRunningNodes(ctx context.Context, q querier, clock string) (all []store.Node, err error) {
	have, err := hasTable(ctx, q, "node")
	if err != nil {
		return nil, err
	}
	if !have {
		return readFormerProcess(ctx, q, "")
	}
	err = queryEach(ctx, q, func(scan scanFunc) error {
		var n store.Node
		err := scan(&n.Name, &n.Host, &n.Release, scanTime(&n.ExpiresAt))
		all = append(all, n)
		return err
	}, `SELECT name, host, release, expires_at FROM node WHERE ended_at = 0 AND expires_at > `+clock+` ORDER BY host, name`)
	if err != nil {
		return nil, err
	}
	// A node is the leader under its name, also until the end of its row of leadership if it has ended since.
	former, err := readFormerProcess(ctx, q, ` AND NOT EXISTS (SELECT 1 FROM node WHERE name = leader_id)`)
	return append(all, former...), err
}

// readFormerProcess returns a process of release 0.1.0, which has no nodes, if one uses a PostgreSQL database: the one that leads the job queue, if a further condition
// holds. It renews its row every five seconds, for fifteen; one that ends by itself deletes the row. Beside nodes of later releases, one of them may lead: then a
// process of 0.1.0 is not seen.
func readFormerProcess(ctx context.Context, q querier, condition string) (all []store.Node, err error) {
	if _, isPostgres := q.(*postgresTx); !isPostgres {
		return nil, nil
	}
	if have, err := hasTable(ctx, q, "river_leader"); err != nil || !have {
		return nil, err
	}
	err = queryEach(ctx, q, func(scan scanFunc) error {
		n := store.Node{Host: "unknown host", Release: "0.1.0"}
		err := scan(&n.Name, scanServerTime(&n.ExpiresAt))
		all = append(all, n)
		return err
	}, `SELECT leader_id, expires_at FROM river_leader WHERE expires_at > `+postgresClock+condition)
	return all, err
}
