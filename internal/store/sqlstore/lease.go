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
	number       int
	organisation contract.OrganisationID
	turn         int64
	lives        bool
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
	err = s.db.withTx(ctx, func(t tx) error {
		l, place = store.NodeLease{Resource: r.Resource}, 0
		held, err := queryAll(ctx, t, func(h *heldLease) []any { return []any{&h.number, &h.organisation, &h.turn, &h.lives} },
			`SELECT number, organisation, turn, `+holderLives+` FROM lease WHERE resource = $1`, r.Resource)
		if err != nil {
			return err
		}
		waiting, err := queryAll(ctx, t, func(w *waitingLease) []any { return []any{&w.ticket, &w.organisation, &w.turn, &w.place, &w.lives} },
			`SELECT ticket, organisation, turn, place, `+livesIn("lease_wait")+` FROM lease_wait WHERE resource = $1 ORDER BY turn, place, ticket`, r.Resource)
		if err != nil {
			return err
		}
		taken, turn, ahead, waits := lineOf(r, held, waiting)
		free := max(r.Count-len(taken), 0)
		if ahead < free {
			for l.Number = 0; l.Number < r.Count; l.Number++ {
				if taken[l.Number] {
					continue
				}
				err := queryOne(ctx, t, []any{&l.Fence}, `INSERT INTO lease (resource, number, holder, fence, organisation, turn) VALUES ($1, $2, $3, 1, $4, $5)
					ON CONFLICT (resource, number) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1, organisation = excluded.organisation, turn = excluded.turn
					WHERE NOT `+holderLives+` RETURNING fence`, r.Resource, l.Number, r.Node, r.Organisation, turn)
				if errors.Is(err, store.ErrNotFound) { // another node was faster
					continue
				}
				if err == nil && waits {
					_, err = t.exec(ctx, `DELETE FROM lease_wait WHERE resource = $1 AND ticket = $2`, r.Resource, r.Ticket)
				}
				return err
			}
		}
		place = max(ahead-free, 0) + 1
		if waits || r.Ticket == "" {
			return nil
		}
		// Nodes that ended left their requests behind.
		if _, err := t.exec(ctx, `DELETE FROM lease_wait WHERE resource = $1 AND NOT `+livesIn("lease_wait"), r.Resource); err != nil {
			return err
		}
		last := int64(0)
		for _, w := range waiting {
			last = max(last, w.place)
		}
		_, err = t.exec(ctx, `INSERT INTO lease_wait (resource, ticket, holder, organisation, turn, place) VALUES ($1, $2, $3, $4, $5, $6)`, r.Resource, r.Ticket, r.Node, r.Organisation, turn, last+1)
		return err
	})
	return l, place, wrapf(err, "take a lease of %s", r.Resource)
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

// LeaveLine implements [store.Leases].
func (s *Store) LeaveLine(ctx context.Context, resource, ticket string) error {
	return wrapf(s.runStatement(ctx, `DELETE FROM lease_wait WHERE resource = $1 AND ticket = $2`, resource, ticket), "leave the line for %s", resource)
}

// ReleaseLease implements [store.Leases].
func (s *Store) ReleaseLease(ctx context.Context, l store.NodeLease) error {
	return wrapf(s.runStatement(ctx, `UPDATE lease SET holder = '' WHERE resource = $1 AND number = $2 AND fence = $3`, l.Resource, l.Number, l.Fence), "release a lease of %s", l.Resource)
}

// CountLeases implements [store.Leases].
func (s *Store) CountLeases(ctx context.Context, resource string) (n int, err error) {
	err = s.readRow(ctx, []any{&n}, `SELECT COUNT(*) FROM lease WHERE resource = $1 AND `+holderLives, resource)
	return n, wrapf(err, "count the leases of %s", resource)
}
