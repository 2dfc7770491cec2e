package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Quota implements [store.Quotas].
func (s *Store) Quota(ctx context.Context, o contract.OrganisationID) (map[contract.Unit]store.Quota, error) {
	all := map[contract.Unit]store.Quota{}
	err := s.db.readTogether(ctx, selectQuota(all, o))
	return all, wrapf(err, "read quota of organisation %s", o)
}

// selectQuota returns the query that adds an organisation's quota of each unit to all.
func selectQuota(all map[contract.Unit]store.Quota, o contract.OrganisationID) statement {
	return statement{sql: `SELECT unit, granted, reserved, spent FROM quota WHERE organisation = $1`, args: []any{o}, each: func(scan scanFunc) error {
		var u contract.Unit
		var v store.Quota
		err := scan(&u, &v.Granted, &v.Reserved, &v.Spent)
		all[u] = v
		return err
	}}
}

// Grant implements [store.Quotas].
func (s *Store) Grant(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, by contract.Actor, now time.Time) (map[contract.Unit]store.Quota, error) {
	var all map[contract.Unit]store.Quota
	err := s.runWithAnswer(ctx, func(t tx) (made any, err error) {
		if err := ensureQuota(ctx, t, o, u); err != nil {
			return nil, err
		}
		if err := writeGrant(ctx, t, o, u, n, reason, by, now); err != nil {
			return nil, err
		}
		all = map[contract.Unit]store.Quota{}
		return all, t.runBatch(ctx, selectQuota(all, o))
	})
	return all, wrapf(err, "grant %d of %s to organisation %s", n, u, o)
}

// GrantInitial implements [store.Quotas].
func (s *Store) GrantInitial(ctx context.Context, o contract.OrganisationID, u contract.Unit, n int, reason string, now time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := ensureQuota(ctx, t, o, u); err != nil {
			return err
		}
		// Of two processes that grant at once, the second waits here for the first, and finds that the grant was decided.
		first, err := t.exec(ctx, `UPDATE quota SET initial_at = $3 WHERE organisation = $1 AND unit = $2 AND initial_at = 0 AND NOT EXISTS
			(SELECT 1 FROM quota_entry e WHERE e.organisation = quota.organisation AND e.unit = quota.unit AND e.op = 'grant')`, o, u, toMicros(now))
		if err != nil || first == 0 {
			return err
		}
		if n == 0 {
			return logEntry{records: []record{recordOf("quota", o, u)}, at: now}.appendToLog(ctx, t)
		}
		return writeGrant(ctx, t, o, u, n, reason, contract.Actor{}, now)
	})
	return wrapf(err, "grant the first %d of %s to organisation %s", n, u, o)
}

// lowQuota says how low a quota is: 0, not; 1, below the number $1; 2, nothing is left.
const lowQuota = `CASE WHEN granted - reserved - spent <= 0 THEN 2 WHEN granted - reserved - spent < $1 THEN 1 ELSE 0 END`

// ReportLowQuota implements [store.Quotas].
func (s *Store) ReportLowQuota(ctx context.Context, below int, now time.Time) (reported int, err error) {
	type change struct {
		organisation   contract.OrganisationID
		unit           contract.Unit
		was, low, left int
	}
	changes, err := readAll(ctx, s, func(c *change) []any { return []any{&c.organisation, &c.unit, &c.was, &c.low, &c.left} },
		`SELECT organisation, unit, low, `+lowQuota+`, granted - reserved - spent FROM quota WHERE entries > 0 AND low <> `+lowQuota+` ORDER BY organisation, unit`, below)
	if err != nil || len(changes) == 0 {
		return 0, wrapf(err, "look for low quota")
	}
	err = s.db.withTx(ctx, func(t tx) error {
		var events []contract.Event
		for _, c := range changes {
			n, err := t.exec(ctx, `UPDATE quota SET low = $3 WHERE organisation = $1 AND unit = $2 AND low = $4`, c.organisation, c.unit, c.low, c.was)
			if err != nil {
				return err
			}
			if n > 0 && c.low > c.was { // otherwise another process was first, or there is more again
				events = append(events, contract.Event{Type: contract.EventQuotaLow, At: now, Details: map[string]string{
					"organisation": string(c.organisation), "unit": string(c.unit), "left": strconv.Itoa(c.left),
				}})
			}
		}
		reported = len(events)
		return logEntry{events: events}.appendToLog(ctx, t)
	})
	return reported, wrapf(err, "report low quota")
}

// ensureQuota creates the row of a quota if it is missing.
func ensureQuota(ctx context.Context, t tx, o contract.OrganisationID, u contract.Unit) error {
	return t.addStatements(ctx, statement{
		sql:  `INSERT INTO quota (organisation, unit, granted, reserved, spent, entries) VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT DO NOTHING`,
		args: []any{o, u},
	})
}

// writeGrant writes a grant to the ledger and to the audit log.
func writeGrant(ctx context.Context, t tx, o contract.OrganisationID, u contract.Unit, n int, reason string, by contract.Actor, now time.Time) error {
	m := store.QuotaEntry{QuotaMove: contract.QuotaMove{Organisation: o, Unit: u, Op: contract.QuotaGrant, Count: n}, Reason: reason, By: by.Person, At: now}
	written, err := applyMove(ctx, t, m)
	if err != nil {
		return err
	}
	e := by.SignEvent(contract.Event{Type: contract.EventQuotaGranted, At: now, Details: map[string]string{
		"organisation": string(o), "unit": string(u), "count": strconv.Itoa(n), "reason": reason,
	}})
	return logEntry{events: []contract.Event{e}, written: written}.appendToLog(ctx, t)
}

// applyQuotaMoves applies the moves of a change, always in the same order of quotas, and returns the records it writes.
func applyQuotaMoves(ctx context.Context, t tx, moves []contract.QuotaMove, id contract.DocumentID, at time.Time) ([]*writtenRecord, error) {
	moves = fillDocumentID(moves, id, func(m *contract.QuotaMove) *contract.DocumentID { return &m.Document })
	slices.SortStableFunc(moves, func(a, b contract.QuotaMove) int {
		return cmp.Or(cmp.Compare(a.Organisation, b.Organisation), cmp.Compare(a.Unit, b.Unit))
	})
	var all []*writtenRecord
	for _, m := range moves {
		written, err := applyMove(ctx, t, store.QuotaEntry{QuotaMove: m, At: at})
		if err != nil {
			return nil, err
		}
		all = append(all, written...)
	}
	return all, nil
}

// quotaSteps are the factors by which a move's count changes granted, reserved and spent.
var quotaSteps = map[contract.QuotaOp]struct{ granted, reserved, spent int }{
	contract.QuotaGrant:   {granted: 1},
	contract.QuotaReserve: {reserved: 1},
	contract.QuotaSpend:   {reserved: -1, spent: 1},
	contract.QuotaRelease: {reserved: -1},
}

// errLedger is a defect of the program: more is spent or released than was reserved.
var errLedger = errors.New("the ledger has not as much reserved")

// applyMove adds the statements that change a quota and write the ledger entry. It returns the records of both.
func applyMove(ctx context.Context, t tx, m store.QuotaEntry) ([]*writtenRecord, error) {
	step, known := quotaSteps[m.Op]
	if !known || m.Count < 1 && m.Op != contract.QuotaGrant {
		return nil, fmt.Errorf("unknown quota move: %s %d", m.Op, m.Count)
	}
	what := fmt.Sprintf("%s %d of %s for document %d", m.Op, m.Count, m.Unit, m.Document)
	granted, reserved, spent := step.granted*m.Count, step.reserved*m.Count, step.spent*m.Count
	// A grant may be negative, to correct an earlier one, and may leave less than is reserved. Only a
	// reservation requires unused quota.
	quota := newWrittenRecord(recordOf("quota", m.Organisation, m.Unit))
	update, err := quota.writeRow(`UPDATE quota
		SET granted = granted + $3, reserved = reserved + $4, spent = spent + $5, entries = entries + 1
		WHERE organisation = $1 AND unit = $2 AND reserved + $4 >= 0 AND ($6 <= 0 OR granted - reserved - spent >= $6)`,
		m.Organisation, m.Unit, granted, reserved, spent, reserved)
	if err != nil {
		return nil, err
	}
	update.what = what
	update.done = func(n int64) error {
		switch {
		case n > 0:
			return nil
		case m.Op == contract.QuotaReserve:
			return contract.ErrQuota
		}
		return errLedger
	}
	// The number is that of the row that was just written, which stays locked. If there is none, the batch ends there.
	entry := newWrittenRecord(record{kind: "quota_entry"}) // the row has the rest of the key
	insert, err := entry.writeRow(`INSERT INTO quota_entry (organisation, unit, number, op, amount, document, reason, person, person_name, person_email, made_at)
		SELECT organisation, unit, entries, CAST($3 AS TEXT), CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS TEXT),
			CAST($9 AS TEXT), CAST($10 AS BIGINT) FROM quota WHERE organisation = $1 AND unit = $2`,
		m.Organisation, m.Unit, m.Op, m.Count, m.Document, m.Reason, m.By.ID, m.By.Name, m.By.Email, toMicros(m.At))
	if err != nil {
		return nil, err
	}
	insert.what = what
	return []*writtenRecord{quota, entry}, t.addStatements(ctx, update, insert)
}

func quotaCondition(q store.QuotaQuery) *condition {
	c := &condition{}
	if q.Organisation != "" {
		c.addTerm("organisation = %s", q.Organisation)
	}
	if q.Unit != "" {
		c.addTerm("unit = %s", q.Unit)
	}
	c.addPeriod("made_at", q.From, q.Until)
	return c
}

var quotaEntryRows = rowType[store.QuotaEntry]{
	"quota_entry",
	`organisation, unit, number, op, amount, document, reason, person, person_name, person_email, made_at`,
	func(e *store.QuotaEntry) []any {
		return []any{&e.Organisation, &e.Unit, &e.Number, &e.Op, &e.Count, &e.Document, &e.Reason, &e.By.ID, &e.By.Name, &e.By.Email, scanTime(&e.At)}
	},
}

// QuotaEntries implements [store.Quotas].
func (s *Store) QuotaEntries(ctx context.Context, q store.QuotaQuery) (p store.QuotaPage, err error) {
	p.Entries, p.Total, err = quotaEntryRows.readPage(ctx, s, quotaCondition(q), "made_at DESC, organisation, unit, number DESC", q.Offset, q.Limit)
	return p, wrapf(err, "list the ledger of quota")
}

// EachQuotaEntry implements [store.Quotas].
func (s *Store) EachQuotaEntry(ctx context.Context, q store.QuotaQuery, yield func(store.QuotaEntry) bool) error {
	key := func(e *store.QuotaEntry) []any { return []any{toMicros(e.At), e.Organisation, e.Unit, e.Number} }
	return wrapf(quotaEntryRows.eachRow(ctx, s, quotaCondition(q), "made_at, organisation, unit, number", key, yield), "list the ledger of quota")
}

// moveStorage adds the storage of a change to that of the organisation's documents, and rejects it beyond the limit. The row
// stays locked until the transaction ends, so that two changes that fit only separately are not both made.
func moveStorage(ctx context.Context, t tx, o contract.OrganisationID, add contract.Usage, limit *contract.Storage) error {
	if add == (contract.Usage{}) {
		return nil
	}
	var taken contract.Storage
	move := selectOne([]any{&taken.Drafts, &taken.Bytes}, `INSERT INTO storage (organisation, drafts, bytes, documents, originals, evidence) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (organisation) DO UPDATE SET drafts = storage.drafts + excluded.drafts, bytes = storage.bytes + excluded.bytes, documents = storage.documents + excluded.documents,
			originals = storage.originals + excluded.originals, evidence = storage.evidence + excluded.evidence
		RETURNING drafts, bytes`, o, add.Drafts, add.Bytes, add.Documents, add.Originals, add.Evidence)
	if limit != nil {
		move.done = func(int64) error { return contract.CheckStorage(taken, *limit) }
	}
	move.what = fmt.Sprintf("count what organisation %s stores", o)
	return t.addStatements(ctx, move)
}

// Usage implements [store.Quotas].
func (s *Store) Usage(ctx context.Context, o contract.OrganisationID) (u contract.Usage, err error) {
	// The sums cover one row or none: an organisation without a document has none.
	sum := func(column string) string { return `CAST(COALESCE(SUM(` + column + `), 0) AS BIGINT)` }
	err = s.readRow(ctx, []any{&u.Drafts, &u.Bytes, &u.Documents, &u.Originals, &u.Evidence},
		`SELECT `+sum("drafts")+`, `+sum("bytes")+`, `+sum("documents")+`, `+sum("originals")+`, `+sum("evidence")+` FROM storage WHERE organisation = $1`, o)
	return u, wrapf(err, "read what organisation %s uses", o)
}

// Storage implements [store.Quotas].
func (s *Store) Storage(ctx context.Context, o contract.OrganisationID) (taken contract.Storage, err error) {
	// The sums cover one row or none: an organisation without a document has none.
	err = s.readRow(ctx, []any{&taken.Drafts, &taken.Bytes}, `SELECT CAST(COALESCE(SUM(drafts), 0) AS BIGINT), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM storage WHERE organisation = $1`, o)
	return taken, wrapf(err, "read what organisation %s stores", o)
}
