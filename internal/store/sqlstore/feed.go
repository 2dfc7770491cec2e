package sqlstore

import (
	"context"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// ReadFeed implements [store.Feed].
//
// The log is appended to under a lock that is held until the commit, so a reader who sees a leaf sees all leaves below it.
func (s *Store) ReadFeed(ctx context.Context, q store.FeedQuery) (p store.FeedPage, err error) {
	p = store.FeedPage{Events: []contract.FeedEvent{}}
	err = s.db.withSnapshot(ctx, func(r querier) error { return readFeed(ctx, r, q, &p) })
	return p, wrapf(err, "read the feed of organisation %s", q.Organisation)
}

// readFeed reads a page. It reads up to q.Limit events of the log, some of which may not be selected.
func readFeed(ctx context.Context, r querier, q store.FeedQuery, p *store.FeedPage) error {
	end, err := readFeedEnd(ctx, r)
	if err != nil {
		return err
	}
	if p.Next = end; q.From >= end {
		p.Next = q.From
		return nil
	}
	c := feedCondition(q)
	logged, err := queryLogged(ctx, r, c.pageClause("leaf", 0, q.Limit), c.args)
	if err != nil {
		return err
	}
	if len(logged) == q.Limit {
		p.Next, p.More = contract.FeedNumber((logged[len(logged)-1].Leaf+1)*contract.MaxFeedTypes), true
	}
	for _, l := range logged {
		l.Event.Records = "" // for checks of the log
		for _, e := range contract.FeedOf(q.Organisation, l.Leaf, l.Event) {
			if e.Number >= q.From && (len(q.Types) == 0 || slices.Contains(q.Types, e.Type)) {
				p.Events = append(p.Events, e)
			}
		}
	}
	return nil
}

// feedCondition selects the events of the log that may be reported. The first term is that of the index.
func feedCondition(q store.FeedQuery) *condition {
	types, args := listArgs(contract.ReportedEvents)
	c := &condition{args: args, terms: []string{`organisation <> ''`, `type IN ` + types}}
	c.addTerm("organisation = %s", q.Organisation)
	c.addTerm("leaf >= %s", int64(q.From/contract.MaxFeedTypes))
	return c
}

func readFeedEnd(ctx context.Context, r querier) (contract.FeedNumber, error) {
	var size int64
	err := queryOne(ctx, r, []any{&size}, `SELECT size FROM log_size WHERE id = 1`)
	return contract.FeedNumber(size * contract.MaxFeedTypes), err
}

// FeedEnd implements [store.Feed].
func (s *Store) FeedEnd(ctx context.Context) (contract.FeedNumber, error) {
	var size int64
	err := s.readRow(ctx, []any{&size}, `SELECT size FROM log_size WHERE id = 1`)
	return contract.FeedNumber(size * contract.MaxFeedTypes), wrapf(err, "read the end of the feed")
}

// FeedSince implements [store.Feed].
func (s *Store) FeedSince(ctx context.Context, at time.Time) (contract.FeedNumber, error) {
	var leaf int64
	// The clocks of processes may differ, so the times of events ascend only roughly. The earliest events are read by their index.
	err := s.readRow(ctx, []any{&leaf}, `SELECT COALESCE((SELECT MIN(leaf) FROM (SELECT leaf FROM event WHERE at >= $1 ORDER BY at, leaf LIMIT 1000) earliest),
		(SELECT size FROM log_size WHERE id = 1))`, toMicros(at))
	return contract.FeedNumber(leaf * contract.MaxFeedTypes), wrapf(err, "read the feed since %s", at)
}
