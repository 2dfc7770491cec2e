package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

const attemptColumns = `document, position, number, organisation, call, order_id, serial, source, made_at, answered_at, outcome, code, said,
	evidence_key, evidence_size, evidence_digest, evidence_sums`

// writeAttempts opens and closes attempts. The request of an attempt never changes.
func (w *documentWriter) writeAttempts(ctx context.Context, all []contract.Attempt) error {
	for _, a := range all {
		args := []any{
			a.Document, a.Stamp, a.Number, a.Organisation, a.Call, a.Order, a.Serial, a.Source[:], toMicros(a.At),
			toMicros(a.AnsweredAt), a.Outcome, a.Code, a.Text,
		}
		_, err := w.exec(ctx, `INSERT INTO attempt (`+attemptColumns+`) VALUES (`+placeholders(1, 17)+`)
			ON CONFLICT (document, position, number) DO UPDATE SET serial = excluded.serial, answered_at = excluded.answered_at,
				outcome = excluded.outcome, code = excluded.code, said = excluded.said, evidence_key = excluded.evidence_key,
				evidence_size = excluded.evidence_size, evidence_digest = excluded.evidence_digest, evidence_sums = excluded.evidence_sums`,
			append(args, evidenceArgs(a.Evidence)...)...)
		if err != nil {
			return fmt.Errorf("attempt %d on stamp %d of document %d: %w", a.Number, a.Stamp, a.Document, err)
		}
	}
	return nil
}

func attemptCondition(q store.AttemptQuery) *condition {
	c := &condition{}
	if q.Organisation != "" {
		c.addTerm("organisation = %s", q.Organisation)
	}
	if q.Document != 0 {
		c.addTerm("document = %s", q.Document)
	}
	if q.Serial != "" {
		c.addTerm("serial = %s", q.Serial)
	}
	if q.Open {
		c.terms = append(c.terms, "answered_at = 0")
	}
	c.addPeriod("made_at", q.From, q.Until)
	return c
}

func readAttempts(ctx context.Context, q querier, rest string, args ...any) ([]contract.Attempt, error) {
	all := []contract.Attempt{}
	return all, queryEach(ctx, q, func(scan func(...any) error) error {
		var a contract.Attempt
		err := scan(append([]any{
			&a.Document, &a.Stamp, &a.Number, &a.Organisation, &a.Call, &a.Order, &a.Serial, scanDigest(&a.Source), scanTime(&a.At),
			scanTime(&a.AnsweredAt), &a.Outcome, &a.Code, &a.Text,
		}, scanEvidence(&a.Evidence)...)...)
		all = append(all, a)
		return err
	}, `SELECT `+attemptColumns+` FROM attempt`+rest, args...)
}

// Attempts implements [store.Serials].
func (s *Store) Attempts(ctx context.Context, q store.AttemptQuery) (p store.AttemptPage, err error) {
	err = s.db.withSnapshot(ctx, func(r querier) error {
		c := attemptCondition(q)
		if p.Total, err = c.countRows(ctx, r, "attempt"); err != nil {
			return err
		}
		p.Attempts, err = readAttempts(ctx, r, c.pageClause("made_at DESC, document DESC, position DESC, number DESC", q.Offset, q.Limit), c.args...)
		return err
	})
	return p, wrapf(err, "list attempts")
}

// EachAttempt implements [store.Serials].
func (s *Store) EachAttempt(ctx context.Context, q store.AttemptQuery, yield func(contract.Attempt) bool) error {
	return wrapf(eachOf(ctx, s, func(r querier, last *contract.Attempt) ([]contract.Attempt, error) {
		c := attemptCondition(q)
		if last != nil {
			at, document, position, number := c.addArg(toMicros(last.At)), c.addArg(last.Document), c.addArg(last.Stamp), c.addArg(last.Number)
			c.terms = append(c.terms, fmt.Sprintf("(made_at, document, position, number) > (%s, %s, %s, %s)", at, document, position, number))
		}
		return readAttempts(ctx, r, c.pageClause("made_at, document, position, number", 0, eachBatch), c.args...)
	}, yield), "list attempts")
}
