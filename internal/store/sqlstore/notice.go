package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/store"
)

var noticeRows = rowType[contract.Notice]{
	"notice",
	`id, document, organisation, person, kind, by_name, state, ordered_at, due_at, done_at, tries, address, problem, channel, account`,
	func(n *contract.Notice) []any {
		return []any{
			&n.ID, &n.Document, &n.Organisation, &n.Person, &n.Kind, &n.By, &n.State, scanTime(&n.OrderedAt), scanTime(&n.DueAt), scanTime(&n.DoneAt),
			&n.Tries, &n.Address, &n.Problem, &n.Channel, scanAccountFacts(&n.Account),
		}
	},
}

// addNotices adds the notices of a change.
func (w *documentWriter) addNotices(ctx context.Context, all []contract.Notice) error {
	all = slices.Clone(all)
	for i := range all {
		all[i].Document, all[i].Organisation = w.after.ID, w.after.Organisation
	}
	return insertNotices(ctx, w.tx, all)
}

// noticeJobs returns the job that delivers notices about accounts, if one of them is to be delivered.
func noticeJobs(all []contract.Notice) []contract.Job {
	if slices.ContainsFunc(all, func(n contract.Notice) bool { return n.State == contract.NoticeOrdered }) {
		return []contract.Job{{Kind: contract.JobNotify}}
	}
	return nil
}

// addAccountNotices adds notices about accounts, and their job, as the last step of a transaction that logs nothing. For others the job belongs to the [logEntry].
func addAccountNotices(ctx context.Context, t tx, all ...contract.Notice) error {
	if err := insertNotices(ctx, t, all); err != nil {
		return err
	}
	return t.addJobs(ctx, noticeJobs(all))
}

func insertNotices(ctx context.Context, t tx, all []contract.Notice) error {
	for batch := range slices.Chunk(all, rowsInStatement) {
		const width = 15
		args := make([]any, 0, len(batch)*width)
		for _, n := range batch {
			id, err := uuid.NewV7()
			if err != nil {
				return fmt.Errorf("number a notice: %w", err)
			}
			args = append(args, id.String(), n.Document, n.Organisation, n.Person, n.Kind, cleanText(n.By), n.State,
				toMicros(n.OrderedAt), toMicros(n.DueAt), toMicros(n.DoneAt), n.Tries, cleanText(n.Address), cleanText(n.Problem), n.Channel, encodeAccountFacts(n.Account))
		}
		err := t.addStatements(ctx, statement{
			sql: `INSERT INTO notice (` + noticeRows.columns + `) VALUES ` + placeholderRows(len(batch), width), args: args,
			what: fmt.Sprintf("order notices about document %d", batch[0].Document),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Notice implements [store.Notices].
func (s *Store) Notice(ctx context.Context, id contract.NoticeID) (contract.Notice, error) {
	n, err := noticeRows.readOne(ctx, s, `WHERE id = $1`, id)
	return n, wrapf(err, "read notice %s", id)
}

// OrderedNotices implements [store.Notices].
func (s *Store) OrderedNotices(ctx context.Context, id contract.DocumentID) ([]contract.Notice, error) {
	all, err := readAll(ctx, s, noticeRows.dest, noticeRows.selectWhere(`WHERE document = $1 AND state = $2 ORDER BY id`), id, contract.NoticeOrdered)
	return all, wrapf(err, "read ordered notices of document %d", id)
}

// NoticesOf implements [store.Notices].
func (s *Store) NoticesOf(ctx context.Context, id contract.DocumentID) ([]contract.Notice, error) {
	all, err := readAll(ctx, s, noticeRows.dest, noticeRows.selectWhere(`n WHERE document = $1 AND NOT EXISTS (SELECT 1 FROM notice later
		WHERE later.document = n.document AND later.person = n.person AND later.kind = n.kind AND later.id > n.id) ORDER BY id`), id)
	return all, wrapf(err, "read notices of document %d", id)
}

func noticeCondition(q store.NoticeQuery) *condition {
	c := &condition{}
	if q.Organisation != "" {
		c.addTerm("organisation = %s", q.Organisation)
	}
	if q.Document != 0 {
		c.addTerm("document = %s", q.Document)
	}
	if q.State != "" {
		c.addTerm("state = %s", q.State)
	}
	return c
}

// noticeOrder is that of the indexes of notice.
const noticeOrder = "id DESC"

// ListNotices implements [store.Notices].
func (s *Store) ListNotices(ctx context.Context, q store.NoticeQuery) (p store.NoticePage, err error) {
	p.Notices, p.Total, err = noticeRows.readPage(ctx, s, noticeCondition(q), noticeOrder, q.Offset, q.Limit)
	return p, wrapf(err, "list notices")
}

// BeginTry implements [store.Notices].
func (s *Store) BeginTry(ctx context.Context, n contract.Notice, address string, now time.Time, lease time.Duration) (contract.Notice, error) {
	until, clock := now.Add(lease), s.db.clockMicros()
	holder, hold := holdArgs(ctx, lease)
	err := s.db.withTx(ctx, func(t tx) error {
		rows, err := t.exec(ctx, `UPDATE notice SET tries = tries + 1, address = $3, due_at = $5, channel = $6, holder = $7, held_until = CASE WHEN CAST($8 AS BIGINT) = 0 THEN 0 ELSE `+clock+` + $8 END
			WHERE id = $1 AND tries = $2 AND state = $4 AND `+notHeld(clock),
			n.ID, n.Tries, cleanText(address), contract.NoticeOrdered, toMicros(until), n.Channel, holder, hold)
		if err != nil {
			return err
		}
		return requireChange(rows)
	})
	n.Tries, n.Address, n.DueAt = n.Tries+1, cleanText(address), until.Truncate(time.Microsecond)
	return n, wrapf(err, "begin to deliver notice %s", n.ID)
}

// EndTry implements [store.Notices].
func (s *Store) EndTry(ctx context.Context, n contract.Notice, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		rows, err := t.exec(ctx, `UPDATE notice SET state = $3, due_at = $4, done_at = $5, problem = $6, `+endHold+` WHERE id = $1 AND tries = $2 AND state = $7`,
			n.ID, n.Tries, n.State, toMicros(n.DueAt), toMicros(n.DoneAt), cleanText(n.Problem), contract.NoticeOrdered)
		if err == nil {
			err = requireChange(rows)
		}
		if err != nil || len(events) == 0 {
			return err
		}
		return logEntry{events: events}.appendToLog(ctx, t)
	})
	return wrapf(err, "record the delivery of notice %s", n.ID)
}

// RefuseNotice implements [store.Notices].
func (s *Store) RefuseNotice(ctx context.Context, n contract.Notice, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		rows, err := t.exec(ctx, `UPDATE notice SET state = $4, done_at = $5, problem = $6 WHERE id = $1 AND tries = $2 AND address = $3 AND state = $7`,
			n.ID, n.Tries, n.Address, n.State, toMicros(n.DoneAt), cleanText(n.Problem), contract.NoticeSent)
		if err == nil {
			err = requireChange(rows)
		}
		if err != nil {
			return err
		}
		return logEntry{events: events}.appendToLog(ctx, t)
	})
	return wrapf(err, "record the return of notice %s", n.ID)
}

// RetryNotice implements [store.Notices].
func (s *Store) RetryNotice(ctx context.Context, id contract.NoticeID, now time.Time, e contract.Event) (n contract.Notice, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		err := queryOne(ctx, t, noticeRows.dest(&n), `UPDATE notice SET state = $2, ordered_at = $3, due_at = $3, done_at = 0, tries = 0, problem = ''
			WHERE id = $1 AND state NOT IN ($4, $5) RETURNING `+noticeRows.columns,
			id, contract.NoticeOrdered, toMicros(now), contract.NoticeOrdered, contract.NoticeSent)
		if err != nil {
			return err
		}
		job := contract.Job{Kind: contract.JobNotify, Document: n.Document, Organisation: n.Organisation}
		return logEntry{events: []contract.Event{e}, jobs: []contract.Job{job}}.appendToLog(ctx, t)
	})
	return n, wrapf(err, "order notice %s again", id)
}

// DocumentsWithDueNotices implements [store.Notices].
func (s *Store) DocumentsWithDueNotices(ctx context.Context, before time.Time, limit int) ([]contract.DocumentID, error) {
	ids, err := readAll(ctx, s, column[contract.DocumentID],
		`SELECT DISTINCT document FROM notice WHERE state = 'ordered' AND due_at < $1 ORDER BY document LIMIT $2`, toMicros(before), limit)
	return ids, wrapf(err, "read documents with due notices")
}
