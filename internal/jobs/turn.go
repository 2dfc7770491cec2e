package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"segel/internal/contract"
)

// Organisations take turns. River orders jobs by priority, then by age, so an organisation that enqueues 300 jobs at
// once would delay all others. Therefore jobs wait with waitingPriority. Just before River fetches, the oldest job of
// each organisation whose turn it is gets turnPriority: organisations with the fewest running jobs come first, and
// among those the ones whose last turn in this process was longest ago. Both happen in one transaction; if the process
// dies in the middle, nothing has changed.
//
// Priorities only set the order: without them every job would still run.
const (
	turnPriority    = 1 // of a job whose turn it is, of jobs without an organisation, and of jobs of earlier releases
	waitingPriority = 2
)

// jobMetadata is the metadata of a job; see [river.InsertOpts]. Equal jobs may have different ones.
type jobMetadata struct {
	Organisation contract.OrganisationID `json:"organisation,omitempty"`
	Traceparent  string                  `json:"traceparent,omitempty"` // of what ordered it; see [tracing.Traceparent]
}

// turnOf is the SQL expression for a job's organisation, in both dialects. The index has the same expression.
const turnOf = `coalesce(metadata->>'organisation', '')`

// turnIndex finds the waiting organisations and the oldest job of each without reading the other waiting jobs.
const turnIndex = `CREATE INDEX IF NOT EXISTS segel_job_turn ON river_job (queue, (` + turnOf + `), scheduled_at, id) WHERE state = 'available'`

// fairStatements are the SQL statements of one dialect. $1 is the queue.
type fairStatements struct {
	waiting string // selects 0 if no job waits, 1 if those of one organisation do, 2 if those of several do
	lock    string // excludes fetches of other processes; empty if the database has only one writer
	demote  string // ends unused turns
	heads   string // oldest job of each waiting organisation, as a JSON array of [waitingHead]
	promote string // $1 is the job
	yield   string // reports whether evidence certificates wait for orders
}

func fairSQL(database string) fairStatements {
	const waits = `FROM river_job WHERE state = 'available' AND queue = $1`
	array, object, lock := `json_agg`, `json_build_object`, `SELECT pg_advisory_xact_lock(`+fmt.Sprint(turnLock)+`)`
	// A commit that orders a job which waits already holds the job's row. River fetches none that is held, and neither is one
	// waited for here: the turns of all processes would wait with it.
	free := ` FOR UPDATE SKIP LOCKED`
	if database == sqliteName {
		array, object, lock, free = `json_group_array`, `json_object`, ``, ``
	}
	f := fairStatements{
		lock: lock,
		waiting: `SELECT CASE WHEN first IS NULL THEN 0 WHEN first = last THEN 1 ELSE 2 END FROM (SELECT
			(SELECT ` + turnOf + ` ` + waits + ` ORDER BY ` + turnOf + ` LIMIT 1) AS first,
			(SELECT ` + turnOf + ` ` + waits + ` ORDER BY ` + turnOf + ` DESC LIMIT 1) AS last) AS ends`,
		demote: fmt.Sprintf(`UPDATE river_job SET priority = %d WHERE id IN (SELECT id `+waits+` AND priority = %d`+free+`)`, waitingPriority, turnPriority),
		heads: `WITH RECURSIVE waiting (organisation) AS (
				SELECT (SELECT ` + turnOf + ` ` + waits + ` ORDER BY ` + turnOf + ` LIMIT 1)
				UNION ALL
				SELECT (SELECT ` + turnOf + ` ` + waits + ` AND ` + turnOf + ` > w.organisation ORDER BY ` + turnOf + ` LIMIT 1)
				FROM waiting w WHERE w.organisation IS NOT NULL
			), working (organisation, jobs) AS (
				SELECT ` + turnOf + `, count(*) FROM river_job WHERE state = 'running' AND queue = $1 GROUP BY 1
			)
			SELECT CAST(coalesce(` + array + `(` + object + `('organisation', w.organisation, 'working', coalesce(a.jobs, 0),
				'id', (SELECT id ` + waits + ` AND ` + turnOf + ` = w.organisation ORDER BY scheduled_at, id LIMIT 1))), '[]') AS text)
			FROM waiting w LEFT JOIN working a ON a.organisation = w.organisation WHERE w.organisation IS NOT NULL`,
		promote: fmt.Sprintf(`UPDATE river_job SET priority = %d WHERE id IN (SELECT id FROM river_job WHERE id = $1`+free+`)`, turnPriority),
	}
	now, waitedSince := `now()`, `now() - interval '`+evidenceWait+`'`
	if database == sqliteName {
		now, waitedSince = `datetime('now', 'subsec')`, `datetime('now', '-`+evidenceWait+`')`
	}
	const available = `EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = `
	f.yield = `SELECT ` + available + `'` + river.QueueDefault + `' AND scheduled_at <= ` + now + `) AND NOT ` + available + `'` + evidenceQueue + `' AND scheduled_at < ` + waitedSince + `)`
	if database == sqliteName {
		for _, s := range []*string{&f.waiting, &f.demote, &f.heads, &f.promote} {
			*s = strings.ReplaceAll(*s, "$", "?")
		}
	}
	return f
}

// evidenceWait is how long evidence certificates wait while signatures and stamps do. A document is complete without: the first request
// for its certificate makes it. SQL reads it as an interval.
const evidenceWait = `5 minutes`

// sqliteName is River's name for SQLite.
const sqliteName = "sqlite"

// waitingHead is the oldest waiting job of an organisation.
type waitingHead struct {
	Organisation contract.OrganisationID `json:"organisation"`
	Working      int                     `json:"working"` // running jobs of the organisation
	ID           int64                   `json:"id"`
}

// turnLock is the advisory lock that is held while jobs are chosen: "turn" in ASCII.
const turnLock = 0x7475726e

// turns records the order in which organisations had their turns in this process.
type turns struct {
	mu   sync.Mutex // guards the fields below; held briefly
	last map[contract.OrganisationID]uint64
	now  uint64
}

// maxTurns bounds the recorded organisations. Beyond it all are forgotten, which costs each at most one turn.
const maxTurns = 10_000

// recordFetched records the organisations of fetched jobs.
func (t *turns) recordFetched(jobs []*rivertype.JobRow) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil || len(t.last) > maxTurns {
		t.last = map[contract.OrganisationID]uint64{}
	}
	for _, j := range jobs {
		var metadata jobMetadata
		if err := json.Unmarshal(j.Metadata, &metadata); err != nil {
			continue // no organisation
		}
		t.now++
		t.last[metadata.Organisation] = t.now
	}
}

// sortByTurn sorts the organisations whose turn it is first.
func (t *turns) sortByTurn(heads []waitingHead) {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(heads, func(a, b waitingHead) int {
		return cmp.Or(cmp.Compare(a.Working, b.Working), cmp.Compare(t.last[a.Organisation], t.last[b.Organisation]), cmp.Compare(a.ID, b.ID))
	})
}

// fairExecutor fetches the jobs of organisations in turn.
type fairExecutor struct {
	riverdriver.Executor
	fair  fairStatements
	turns *turns
}

// JobGetAvailable fetches the next jobs of a queue.
func (e fairExecutor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	if p.Queue == periodicQueue || p.MaxToLock <= 0 {
		return e.Executor.JobGetAvailable(ctx, p)
	}
	var waiting int
	if err := e.QueryRow(ctx, e.fair.waiting, p.Queue).Scan(&waiting); err != nil {
		return nil, fmt.Errorf("find waiting organisations: %w", err)
	}
	fetch := e.Executor.JobGetAvailable
	switch waiting {
	case 0: // a job that is enqueued from here on is announced, and found by the next poll
		return nil, nil
	case 2:
		fetch = e.fetchInTurn
	}
	if p.Queue == evidenceQueue {
		var yield bool
		if err := e.QueryRow(ctx, e.fair.yield).Scan(&yield); err != nil {
			return nil, fmt.Errorf("find waiting orders: %w", err)
		}
		if yield { // the next poll asks again
			return nil, nil
		}
	}
	jobs, err := fetch(ctx, p)
	e.turns.recordFetched(jobs)
	return jobs, err
}

func (e fairExecutor) fetchInTurn(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	tx, err := e.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin to fetch jobs: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // has no effect after the commit
	if e.fair.lock != "" {
		if err := tx.Exec(ctx, e.fair.lock); err != nil {
			return nil, fmt.Errorf("lock turns: %w", err)
		}
	}
	var text string
	if err := tx.QueryRow(ctx, e.fair.heads, p.Queue).Scan(&text); err != nil {
		return nil, fmt.Errorf("find waiting organisations: %w", err)
	}
	var heads []waitingHead
	if err := json.Unmarshal([]byte(text), &heads); err != nil {
		return nil, fmt.Errorf("find waiting organisations: %w", err)
	}
	if err := tx.Exec(ctx, e.fair.demote, p.Queue); err != nil {
		return nil, fmt.Errorf("end turns: %w", err)
	}
	e.turns.sortByTurn(heads)
	for _, h := range heads[:min(len(heads), p.MaxToLock)] {
		if err := tx.Exec(ctx, e.fair.promote, h.ID); err != nil {
			return nil, fmt.Errorf("assign a turn: %w", err)
		}
	}
	jobs, err := tx.JobGetAvailable(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, fmt.Errorf("fetch jobs: %w", err)
	}
	return jobs, nil
}
