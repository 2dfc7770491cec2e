package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// Organisations implements [store.Administration].
func (s *Store) Organisations(ctx context.Context) ([]store.Organisation, error) {
	all, err := readAll(ctx, s, organisationRows.dest, organisationRows.selectWhere(`ORDER BY created_at, id`))
	return all, wrapf(err, "read organisations")
}

// waitingOrder stops SQLite from scanning all documents by identifier to avoid a sort.
const waitingOrder = "id + 0"

// waitingSteps select the documents whose next step for the service it is, as [contract.Document.WaitingStep] does.
var waitingSteps = map[contract.WaitingStep]string{
	contract.StepConverted: "state = 'draft'",
	contract.StepStamped:   "state <> 'draft' AND EXISTS (SELECT 1 FROM stamp s WHERE s.document = waiting.id AND s.state <> 'affixed')",
	contract.StepSealed:    "state <> 'draft' AND NOT EXISTS (SELECT 1 FROM stamp s WHERE s.document = waiting.id AND s.state <> 'affixed')",
}

// waitingDocuments returns the table of documents without progress, and the condition that selects from it; possible is false if none
// can match. The two halves use different indexes; a single condition would use neither.
func waitingDocuments(w store.WaitingQuery) (table string, c *condition, possible bool) {
	c = &condition{}
	like, possible := likePattern(w.Search)
	if !possible {
		return "", c, false
	}
	const columns = `id, organisation, state, title_folded, owner_email`
	failed := `SELECT ` + columns + ` FROM document WHERE state = 'failed'`
	table = `(` + failed + `) waiting`
	if !w.Failed {
		// Every attempt updates waits_since, but not the columns that record progress.
		table = fmt.Sprintf(`(`+failed+` UNION ALL SELECT `+columns+` FROM document
		WHERE waits_since <> 0 AND state <> 'failed' AND created_at <= %[1]s AND finalized_at <= %[1]s AND last_signed_at <= %[1]s) waiting`, c.addArg(toMicros(w.Before)))
	}
	if w.Organisation != "" {
		c.addTerm("organisation = %s", w.Organisation)
	}
	if w.Step != "" {
		c.terms = append(c.terms, waitingSteps[w.Step])
	}
	if w.Owner != "" {
		c.addTerm("lower(owner_email) = lower(%s)", w.Owner)
	}
	if w.Search != "" {
		c.addTerm(`title_folded LIKE %s ESCAPE '\'`, like)
	}
	return table, c, true
}

// Waiting implements [store.Administration].
func (s *Store) Waiting(ctx context.Context, w store.WaitingQuery) (store.List, error) {
	l := store.List{Documents: []contract.Document{}}
	table, c, possible := waitingDocuments(w)
	if !possible {
		return l, nil
	}
	err := s.db.withSnapshot(ctx, func(q querier) (err error) {
		if l.Total, err = c.countRows(ctx, q, table); err != nil {
			return err
		}
		ids, err := queryAll(ctx, q, column[contract.DocumentID], `SELECT id FROM `+table+c.pageClause(waitingOrder, w.Offset, w.Limit), c.args...)
		if err != nil {
			return err
		}
		l.Documents, err = readDocuments(ctx, q, ids)
		return err
	})
	return l, wrapf(err, "read documents that wait")
}

// SentDocuments implements [store.Administration].
func (s *Store) SentDocuments(ctx context.Context, d store.DocumentQuery) (store.List, error) {
	l := store.List{Documents: []contract.Document{}}
	like, possible := likePattern(d.Search)
	if !possible {
		return l, nil
	}
	c := &condition{terms: []string{"finalized_at <> 0"}}
	if d.Organisation != "" {
		c.addTerm("organisation = %s", d.Organisation)
	}
	if d.State != "" {
		c.addTerm("state = %s", d.State)
	}
	if d.Owner != "" {
		c.addTerm("lower(owner_email) = lower(%s)", d.Owner)
	}
	if d.Search != "" {
		c.addTerm(`title_folded LIKE %s ESCAPE '\'`, like)
	}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		bounded := condition{terms: c.terms, args: slices.Clone(c.args)}
		count := `SELECT COUNT(*) FROM (SELECT 1 FROM document` + bounded.whereClause() + ` LIMIT ` + bounded.addLimit(store.SearchLimit) + `) found`
		if err := queryOne(ctx, q, []any{&l.Total}, count, bounded.args...); err != nil {
			return err
		}
		l.Limited = l.Total == store.SearchLimit
		ids, err := queryAll(ctx, q, column[contract.DocumentID], `SELECT id FROM document`+c.pageClause("id DESC", d.Offset, d.Limit), c.args...)
		if err != nil {
			return err
		}
		l.Documents, err = readDocuments(ctx, q, ids)
		return err
	})
	return l, wrapf(err, "read the documents of %q", d.Organisation)
}

// Titles implements [store.Administration].
func (s *Store) Titles(ctx context.Context, reader contract.PersonID, ids []contract.DocumentID) (map[contract.DocumentID]store.Title, error) {
	found := map[contract.DocumentID]store.Title{}
	if len(ids) == 0 {
		return found, nil
	}
	in, args := listArgs(ids)
	self := placeholders(len(args)+1, 1)
	err := s.db.withSnapshot(ctx, func(q querier) error {
		err := queryEach(ctx, q, func(scan scanFunc) error {
			var id contract.DocumentID
			t := store.Title{Pages: map[int]int{}}
			err := scan(&id, &t.Name, &t.Title, &t.Listed)
			found[id] = t
			return err
		}, `SELECT id, name, title, EXISTS (SELECT 1 FROM box b WHERE b.document = document.id AND (b.person = `+self+` OR b.person IN (SELECT m.team FROM team_member m WHERE m.person = `+self+`)))
			FROM document WHERE id IN `+in, append(slices.Clone(args), reader)...)
		if err != nil {
			return err
		}
		return queryEach(ctx, q, func(scan scanFunc) error {
			var id contract.DocumentID
			var stamp, page int
			err := scan(&id, &stamp, &page)
			if t, known := found[id]; known {
				t.Pages[stamp] = page
			}
			return err
		}, `SELECT s.document, s.position, p.page FROM stamp s JOIN placement p ON p.document = s.document AND p.position = s.placement WHERE s.document IN `+in, args...)
	})
	return found, wrapf(err, "read the names of documents")
}

// SerialStates implements [store.Administration].
func (s *Store) SerialStates(ctx context.Context, serials []string) (map[string]contract.SerialState, error) {
	found := map[string]contract.SerialState{}
	if len(serials) == 0 {
		return found, nil
	}
	in, args := listArgs(serials)
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan scanFunc) error {
			var serial string
			var state contract.SerialState
			err := scan(&serial, &state)
			found[serial] = state
			return err
		}, `SELECT serial, state FROM serial WHERE serial IN `+in, args...)
	})
	return found, wrapf(err, "read the states of serials")
}

// logCondition returns the condition that selects events, and the order of a page of them, newest first.
func logCondition(l store.LogQuery) (c *condition, order string) {
	c, order = &condition{}, "leaf DESC"
	if l.Document != 0 {
		c.addTerm("document = %s", l.Document)
	}
	if l.Type != "" {
		c.addTerm("type = %s", l.Type)
	}
	if l.Person != "" {
		c.addTerm("person = %s", l.Person)
		c.terms = append(c.terms, "person <> ''") // as the index requires
	}
	if l.Email != "" {
		c.addTerm("lower(email) = lower(%s)", l.Email)
		c.terms = append(c.terms, "email <> ''")
	}
	if !l.From.IsZero() || !l.Until.IsZero() {
		c.addPeriod("at", l.From, l.Until)
		order = "at DESC, leaf DESC" // read from the newest end of the period
	}
	if l.Organisation != "" {
		types := make([]string, len(contract.OrganisationEventTypes))
		for i, t := range contract.OrganisationEventTypes {
			types[i] = c.addArg(t)
		}
		detail := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(fmt.Sprintf("%q:%q", "organisation", l.Organisation))
		c.terms = append(c.terms, `(document <> 0 AND EXISTS (SELECT 1 FROM document d WHERE d.id = event.document AND d.organisation = `+c.addArg(l.Organisation)+`)
			OR document = 0 AND type IN (`+strings.Join(types, ",")+`) AND details LIKE `+c.addArg("%"+detail+"%")+` ESCAPE '\')`)
	}
	return c, order
}

// AuditLog implements [store.Administration].
//
// A page reads the log, or the part about one document, type, person or period, from its newest end. The count of events stops
// at the same limit as the count of a list's matches.
func (s *Store) AuditLog(ctx context.Context, l store.LogQuery) (store.LogPage, error) {
	c, order := logCondition(l)
	p := store.LogPage{Events: []store.Logged{}}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		count, args := `SELECT size FROM log_size WHERE id = 1`, []any(nil)
		if len(c.terms) > 0 {
			bounded := condition{terms: c.terms, args: append([]any{}, c.args...)}
			count = `SELECT COUNT(*) FROM (SELECT 1 FROM event` + bounded.whereClause() + ` LIMIT ` + bounded.addLimit(store.SearchLimit) + `) found`
			args = bounded.args
		}
		if err := queryOne(ctx, q, []any{&p.Total}, count, args...); err != nil {
			return err
		}
		events, err := queryLogged(ctx, q, c.pageClause(order, l.Offset, l.Limit), c.args)
		p.Events = events
		return err
	})
	return p, wrapf(err, "read the audit log")
}

// queryLogged reads events with their numbers.
func queryLogged(ctx context.Context, q querier, where string, args []any) ([]store.Logged, error) {
	events := []store.Logged{}
	err := queryEach(ctx, q, func(scan scanFunc) error {
		leaf, e, _, err := scanEvent(scan)
		events = append(events, store.Logged{Event: e, Leaf: leaf})
		return err
	}, `SELECT `+eventColumns+` FROM event`+where, args...)
	return events, err
}

// EachEvent implements [store.Administration].
func (s *Store) EachEvent(ctx context.Context, l store.LogQuery, yield func(store.Logged) bool) error {
	all, newestFirst := logCondition(l)
	order := strings.ReplaceAll(newestFirst, " DESC", "")
	err := eachOf(ctx, s, func(q querier, last *store.Logged) ([]store.Logged, error) {
		c := condition{terms: slices.Clone(all.terms), args: slices.Clone(all.args)}
		if last != nil {
			key := []any{last.Leaf}
			if order != "leaf" {
				key = []any{toMicros(last.At), last.Leaf}
			}
			c.addAfter(order, key)
		}
		return queryLogged(ctx, q, c.pageClause(order, 0, eachBatch), c.args)
	}, yield)
	return wrapf(err, "read the audit log")
}

// AddReconciliation implements [store.Administration]. Of two concurrent calls, one retries with another number.
func (s *Store) AddReconciliation(ctx context.Context, r contract.Reconciliation, events ...contract.Event) (number int64, err error) {
	for range maxNumberTries {
		if number, err = s.addReconciliation(ctx, r, events); !errors.Is(err, store.ErrConflict) {
			break
		}
	}
	return number, wrapf(err, "store reconciliation")
}

// maxNumberTries bounds the tries to assign a number.
const maxNumberTries = 10

func (s *Store) addReconciliation(ctx context.Context, r contract.Reconciliation, events []contract.Event) (number int64, err error) {
	err = s.runWithAnswer(ctx, func(t tx) (any, error) {
		if err := queryOne(ctx, t, []any{&number}, `SELECT COALESCE(MAX(number), 0) + 1 FROM reconciliation`); err != nil {
			return nil, err
		}
		r.Number = number
		stored, err := json.Marshal(report{reportFormat, r})
		if err != nil {
			return nil, err
		}
		err = t.runBatch(ctx, statement{
			sql:  `INSERT INTO reconciliation (number, made_at, report) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			args: []any{number, toMicros(r.At), string(stored)}, done: requireChange,
		})
		if err != nil {
			return nil, err
		}
		return number, logEntry{events: events, records: []record{recordOf("reconciliation", number)}, at: r.At}.appendToLog(ctx, t)
	})
	return number, err
}

// LastReconciliation implements [store.Administration].
func (s *Store) LastReconciliation(ctx context.Context) (contract.Reconciliation, error) {
	var kept string
	if err := s.readRow(ctx, []any{&kept}, `SELECT report FROM reconciliation ORDER BY number DESC LIMIT 1`); err != nil {
		return contract.Reconciliation{}, wrapf(err, "read the last reconciliation")
	}
	r, err := readReport([]byte(kept))
	return r, wrapf(err, "read the last reconciliation")
}

// report is the stored form of a reconciliation: docs/formats/reconciliation.md.
type report struct {
	Format string `json:"format"`
	contract.Reconciliation
}

const reportFormat = "segel reconciliation 1"

func readReport(kept []byte) (contract.Reconciliation, error) {
	var r report
	if err := json.Unmarshal(kept, &r); err != nil {
		return contract.Reconciliation{}, err
	}
	if r.Format != "" && r.Format != reportFormat { // the first reports had none
		return contract.Reconciliation{}, fmt.Errorf("report has unknown format %q", r.Format)
	}
	return r.Reconciliation, nil
}
