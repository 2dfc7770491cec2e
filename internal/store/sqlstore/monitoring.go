package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// jobStates are what the states of unfinished jobs mean for monitors.
var jobStates = map[string]store.JobState{
	"available": store.JobAvailable, "running": store.JobRunning, "retryable": store.JobLater, "scheduled": store.JobLater, "pending": store.JobLater,
}

// selectJobBacklog counts the unfinished jobs by the index that River fetches by. Those that are done stay for an hour, and are not read.
func selectJobBacklog(embedded bool) string {
	micros := func(at string) string {
		if embedded {
			return `CAST(unixepoch(MIN(` + at + `), 'subsec') * 1000000 AS INTEGER)`
		}
		return `CAST(extract(epoch FROM MIN(` + at + `)) * 1000000 AS BIGINT)`
	}
	return `SELECT kind, CAST(state AS TEXT), COUNT(*), ` + micros("created_at") + `, ` + micros("scheduled_at") + ` FROM river_job
		WHERE state IN ('available', 'running', 'retryable', 'scheduled', 'pending') GROUP BY kind, state`
}

// selectDocumentBacklog groups the documents that wait by their step and by what they record as their problem, up to the words of others in it.
func selectDocumentBacklog(embedded bool) string {
	code := `split_part(problem, ':', 1)`
	if embedded {
		code = `CASE WHEN instr(problem, ':') > 0 THEN substr(problem, 1, instr(problem, ':') - 1) ELSE problem END`
	}
	const progress = `CASE WHEN last_signed_at > finalized_at THEN last_signed_at WHEN finalized_at > created_at THEN finalized_at ELSE created_at END`
	return `SELECT step, ` + code + `, COUNT(*), MIN(progress) FROM (SELECT ` + progress + ` AS progress,
			CASE WHEN d.state = 'draft' THEN 'converted' WHEN s.document IS NULL THEN 'sealed' ELSE 'stamped' END AS step,
			CASE WHEN d.state = 'draft' THEN '' WHEN s.document IS NULL THEN d.reason ELSE s.problem END AS problem
		FROM document d LEFT JOIN stamp s ON d.state <> 'draft' AND s.document = d.id AND s.position =
			(SELECT MIN(n.position) FROM stamp n WHERE n.document = d.id AND n.state <> 'affixed')
		WHERE d.waits_since <> 0 AND d.state <> 'failed') waiting GROUP BY 1, 2`
}

// lowQuotas selects the quotas of active organisations that were ever granted and are low.
var lowQuotas = ` FROM quota WHERE entries > 0 AND granted - reserved - spent < $1 AND ` + ofActive("quota")

// ofActive is the condition that a row belongs to an active organisation: one that was suspended or closed has a state that is not empty.
func ofActive(table string) string {
	return `NOT EXISTS (SELECT 1 FROM organisation_state o WHERE o.id = ` + table + `.organisation AND o.state <> '')`
}

// ReadBacklog implements [store.Monitoring].
func (s *Store) ReadBacklog(ctx context.Context, q store.BacklogQuery) (store.Backlog, error) {
	b := store.Backlog{LowQuotas: map[contract.Unit]int{}}
	now, embedded := s.db.clockMicros(), s.db.embedded()
	jobs := map[store.JobBacklog]*store.JobBacklog{} // by kind and state alone
	documents := map[contract.WaitingReason]*store.DocumentBacklog{}
	count := func(n *int, oldest *time.Time) func(scanFunc) error {
		return func(scan scanFunc) error { return scan(n, scanTime(oldest)) }
	}
	err := s.db.readTogether(ctx,
		statement{long: true, what: "count jobs", sql: selectJobBacklog(embedded), each: func(scan scanFunc) error {
			var j store.JobBacklog
			var state string
			if err := scan(&j.Kind, &state, &j.Count, scanTime(&j.Oldest), scanTime(&j.Due)); err != nil {
				return err
			}
			key := store.JobBacklog{Kind: j.Kind, State: jobStates[state]}
			if jobs[key] == nil {
				jobs[key] = &store.JobBacklog{Kind: key.Kind, State: key.State, Oldest: j.Oldest, Due: j.Due}
			}
			sum := jobs[key]
			sum.Count += j.Count
			sum.Oldest, sum.Due = earliest(sum.Oldest, j.Oldest), earliest(sum.Due, j.Due)
			return nil
		}},
		statement{long: true, what: "count documents that wait", sql: selectDocumentBacklog(embedded), each: func(scan scanFunc) error {
			var step contract.WaitingStep
			var problem string
			var d store.DocumentBacklog
			if err := scan(&step, &problem, &d.Count, scanTime(&d.Oldest)); err != nil {
				return err
			}
			d.Reason = contract.ClassifyWait(step, problem)
			if documents[d.Reason] == nil {
				documents[d.Reason] = &store.DocumentBacklog{Reason: d.Reason, Oldest: d.Oldest}
			}
			sum := documents[d.Reason]
			sum.Count += d.Count
			sum.Oldest = earliest(sum.Oldest, d.Oldest)
			return nil
		}},
		statement{sql: `SELECT ` + now + `, (SELECT COUNT(*) FROM document WHERE state = 'failed'),
				(SELECT COUNT(*) FROM webhook WHERE disabled_for NOT IN ('', $1)),
				(SELECT COALESCE(MIN(due_at), 0) FROM renewal), (SELECT COUNT(*) FROM renewal WHERE due_at <= ` + now + `),
				(SELECT COALESCE(MAX(completed_at), 0) FROM backup_run),
				(SELECT COALESCE(MIN(c.not_after), 0) FROM organisation o JOIN credential c ON c.id =
					(SELECT n.id FROM credential n WHERE n.holder = o.id AND n.not_before <= ` + now + ` AND n.not_after > ` + now + ` ORDER BY n.created_at DESC, n.id DESC LIMIT 1))`,
			args: []any{contract.WebhookOff}, long: true, what: "read what expires", done: requireRow, each: func(scan scanFunc) error {
				return scan(scanTime(&b.At), &b.Failed, &b.WebhooksEnded, scanTime(&b.RenewalDue), &b.RenewalsMissed, scanTime(&b.LastBackup), scanTime(&b.SealExpires))
			}},
		statement{long: true, what: "count messages", sql: `SELECT COUNT(*), COALESCE(MIN(ordered_at), 0) FROM notice WHERE state = 'ordered' AND ` + ofActive("notice"), each: count(&b.Notices, &b.OldestNotice)},
		statement{long: true, what: "count deliveries", sql: `SELECT COUNT(*), COALESCE(MIN(ordered_at), 0) FROM webhook_delivery WHERE state = 'ordered'`, each: count(&b.Deliveries, &b.OldestSend)},
		statement{long: true, what: "count low quotas", sql: `SELECT unit, COUNT(*)` + lowQuotas + ` GROUP BY unit`, args: []any{q.QuotaBelow}, each: func(scan scanFunc) error {
			var u contract.Unit
			var n int
			err := scan(&u, &n)
			b.LowQuotas[u] = n
			return err
		}},
		selectAll(&b.Quotas, func(l *store.LowQuota) []any { return []any{&l.Organisation, &l.Unit, &l.Left} },
			`SELECT organisation, unit, granted - reserved - spent`+lowQuotas+` ORDER BY 3, 1, 2 LIMIT $2`, q.QuotaBelow, q.Quotas),
	)
	for _, j := range jobs {
		b.Jobs = append(b.Jobs, *j)
	}
	for _, d := range documents {
		b.Documents = append(b.Documents, *d)
	}
	return b, wrapf(err, "read what waits")
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Connections returns how the connections of requests and jobs are used.
func (s *Store) Connections() []store.Connections { return s.db.connections() }

func (d *sqlite) connections() []store.Connections {
	all := []store.Connections{connectionsOf("reader", d.reader)}
	if d.writer != nil {
		all = append(all, connectionsOf("writer", d.writer))
	}
	return all
}

func connectionsOf(pool string, db *sql.DB) store.Connections {
	s := db.Stats()
	return store.Connections{Pool: pool, Max: s.MaxOpenConnections, InUse: s.InUse, Idle: s.Idle, Waits: s.WaitCount, WaitedTime: s.WaitDuration}
}

func (d *postgres) connections() []store.Connections {
	s := d.pool.Stat()
	return []store.Connections{{
		Pool: "main", Max: int(s.MaxConns()), InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Waits: s.EmptyAcquireCount(), WaitedTime: s.EmptyAcquireWaitTime(),
	}}
}
