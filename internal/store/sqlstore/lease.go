package sqlstore

import (
	"context"
	"errors"

	"segel/internal/contract"
	"segel/internal/store"
)

// livesIn is the condition that the node of a row has a lease.
func livesIn(table string) string {
	return `EXISTS (SELECT 1 FROM node WHERE node.name = ` + table + `.holder AND node.ended_at = 0)`
}

var holderLives = livesIn("lease")

// heldLease is a row of a resource, and waitingLease a request that waits for it.
type heldLease struct {
	number         int
	fence          int64
	holder, ticket string
	organisation   contract.OrganisationID
	turn           int64
	lives          bool
}

type waitingLease struct {
	ticket       string
	organisation contract.OrganisationID
	turn, place  int64
	lives        bool
}

// TakeLease implements [store.Leases]. Turns are those of start-time fair queueing: a request begins at the turn that was served last, or one behind the last
// of its organisation that is held or waits. So an organisation that orders many at once gets turns further and further ahead, and one that
// orders a single one is next.
//
// Only the order depends on the rows of those who wait. That no more are taken than there are depends on the rows of the resource alone: each number is taken
// by one statement that finds it free, and of two nodes that try at once the other tries the next number.
func (s *Store) TakeLease(ctx context.Context, r store.LeaseRequest) (l store.NodeLease, place int, err error) {
	err = s.db.withTx(ctx, func(t tx) (err error) {
		l, place, err = s.takeLease(ctx, t, r)
		return err
	})
	return l, place, wrapf(err, "take a lease of %s", r.Resource)
}

func (s *Store) takeLease(ctx context.Context, t tx, r store.LeaseRequest) (l store.NodeLease, place int, err error) {
	l.Resource = r.Resource
	if err := s.lockTicket(ctx, t, r.Ticket); err != nil {
		return l, 0, err
	}
	var held []heldLease
	var waiting []waitingLease
	err = t.runBatch(ctx,
		statement{
			sql:  `SELECT number, fence, holder, ticket, organisation, turn, ` + holderLives + ` FROM lease WHERE resource = $1`,
			args: []any{r.Resource}, each: func(scan scanFunc) error {
				var h heldLease
				err := scan(&h.number, &h.fence, &h.holder, &h.ticket, &h.organisation, &h.turn, &h.lives)
				held = append(held, h)
				return err
			},
		},
		statement{
			sql:  `SELECT ticket, organisation, turn, place, ` + livesIn("lease_wait") + ` FROM lease_wait WHERE resource = $1 ORDER BY turn, place, ticket`,
			args: []any{r.Resource}, each: func(scan scanFunc) error {
				var w waitingLease
				err := scan(&w.ticket, &w.organisation, &w.turn, &w.place, &w.lives)
				waiting = append(waiting, w)
				return err
			},
		},
	)
	if err != nil {
		return l, 0, err
	}
	for _, h := range held {
		if r.Ticket != "" && h.ticket == r.Ticket && h.holder == r.Node && h.lives { // an earlier call took it, and its answer was lost
			l.Number, l.Fence = h.number, h.fence
			return l, 0, nil
		}
	}
	taken, turn, ahead, waits := lineOf(r, held, waiting)
	free := max(r.Count-len(taken), 0)
	if ahead < free {
		for l.Number = 0; l.Number < r.Count; l.Number++ {
			if taken[l.Number] {
				continue
			}
			err := queryOne(ctx, t, []any{&l.Fence}, `INSERT INTO lease (resource, number, holder, fence, organisation, turn, ticket) VALUES ($1, $2, $3, 1, $4, $5, $6)
				ON CONFLICT (resource, number) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1, organisation = excluded.organisation, turn = excluded.turn,
					ticket = excluded.ticket
				WHERE NOT `+holderLives+` RETURNING fence`, r.Resource, l.Number, r.Node, r.Organisation, turn, r.Ticket)
			if errors.Is(err, store.ErrNotFound) { // another node was faster
				continue
			}
			if err == nil && waits {
				_, err = t.exec(ctx, `DELETE FROM lease_wait WHERE resource = $1 AND ticket = $2`, r.Resource, r.Ticket)
			}
			return l, 0, err
		}
	}
	place = max(ahead-free, 0) + 1
	if waits || r.Ticket == "" || r.NoWait {
		return l, place, nil
	}
	// Nodes that ended left their requests behind.
	if _, err := t.exec(ctx, `DELETE FROM lease_wait WHERE resource = $1 AND NOT `+livesIn("lease_wait"), r.Resource); err != nil {
		return l, place, err
	}
	last := int64(0)
	for _, w := range waiting {
		last = max(last, w.place)
	}
	_, err = t.exec(ctx, `INSERT INTO lease_wait (resource, ticket, holder, organisation, turn, place) VALUES ($1, $2, $3, $4, $5, $6)`, r.Resource, r.Ticket, r.Node, r.Organisation, turn, last+1)
	return l, place, err
}

// lineOf returns which numbers are taken, the turn of a request, how many of those who wait come before it, and whether it waits already.
func lineOf(r store.LeaseRequest, held []heldLease, waiting []waitingLease) (taken map[int]bool, turn int64, ahead int, waits bool) {
	taken = map[int]bool{}
	for _, h := range held {
		turn = max(turn, h.turn)
	}
	for _, h := range held {
		if !h.lives {
			continue
		}
		taken[h.number] = true
		if h.organisation == r.Organisation {
			turn = max(turn, h.turn+1)
		}
	}
	for _, w := range waiting {
		switch {
		case !w.lives:
		case w.ticket == r.Ticket:
			return taken, w.turn, ahead, true
		case w.organisation == r.Organisation:
			turn = max(turn, w.turn+1)
			ahead++
		default:
			ahead++
		}
	}
	ahead = 0
	for _, w := range waiting {
		if w.lives && w.turn <= turn {
			ahead++
		}
	}
	return taken, turn, ahead, false
}

// lockTicket locks a ticket to the end of the transaction. A COMMIT whose answer was lost may still be on its way to the server, over a network that
// delays it. What follows with the same ticket has to come after it, or would not see the lease that it takes. On SQLite, where one
// transaction writes at a time, no lock is needed.
func (s *Store) lockTicket(ctx context.Context, t tx, ticket string) error {
	if ticket == "" || s.db.embedded() {
		return nil
	}
	return t.addStatements(ctx, statement{sql: `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, args: []any{ticket}})
}

// GiveUpLease implements [store.Leases].
func (s *Store) GiveUpLease(ctx context.Context, resource, ticket string) error {
	if ticket == "" { // of all calls without a name
		return nil
	}
	err := s.db.withTx(ctx, func(t tx) error {
		if err := s.lockTicket(ctx, t, ticket); err != nil {
			return err
		}
		return t.runBatch(ctx,
			statement{sql: `DELETE FROM lease_wait WHERE resource = $1 AND ticket = $2`, args: []any{resource, ticket}},
			statement{sql: `UPDATE lease SET holder = '', ticket = '' WHERE resource = $1 AND ticket = $2`, args: []any{resource, ticket}},
		)
	})
	return wrapf(err, "give up a lease of %s", resource)
}

// ReleaseLease implements [store.Leases].
func (s *Store) ReleaseLease(ctx context.Context, l store.NodeLease) error {
	return wrapf(s.runStatement(ctx, `UPDATE lease SET holder = '', ticket = '' WHERE resource = $1 AND number = $2 AND fence = $3`, l.Resource, l.Number, l.Fence), "release a lease of %s", l.Resource)
}

// CountLeases implements [store.Leases].
func (s *Store) CountLeases(ctx context.Context, resource string) (n int, err error) {
	err = s.readRow(ctx, []any{&n}, `SELECT COUNT(*) FROM lease WHERE resource = $1 AND `+holderLives, resource)
	return n, wrapf(err, "count the leases of %s", resource)
}
