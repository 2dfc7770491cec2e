package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

var attemptRows = rowType[contract.Attempt]{
	"attempt",
	`document, position, number, organisation, call, order_id, serial, source, made_at, answered_at, outcome, code, said,
	evidence_key, evidence_size, evidence_digest, evidence_sums`,
	func(a *contract.Attempt) []any {
		return append([]any{
			&a.Document, &a.Stamp, &a.Number, &a.Organisation, &a.Call, &a.Order, &a.Serial, scanDigest(&a.Source), scanTime(&a.At),
			scanTime(&a.AnsweredAt), &a.Outcome, &a.Code, &a.Text,
		}, scanEvidence(&a.Evidence)...)
	},
}

// writeAttempts opens and closes attempts. The request of an attempt never changes.
func (w *documentWriter) writeAttempts(ctx context.Context, all []contract.Attempt) error {
	for _, a := range all {
		args := []any{
			a.Document, a.Stamp, a.Number, a.Organisation, a.Call, a.Order, a.Serial, a.Source[:], toMicros(a.At),
			toMicros(a.AnsweredAt), a.Outcome, a.Code, a.Text,
		}
		err := w.addStatements(ctx, statement{
			sql: `INSERT INTO attempt (` + attemptRows.columns + `) VALUES (` + placeholders(1, 17) + `)
				ON CONFLICT (document, position, number) DO UPDATE SET serial = excluded.serial, answered_at = excluded.answered_at,
					outcome = excluded.outcome, code = excluded.code, said = excluded.said, evidence_key = excluded.evidence_key,
					evidence_size = excluded.evidence_size, evidence_digest = excluded.evidence_digest, evidence_sums = excluded.evidence_sums`,
			args: append(args, evidenceArgs(a.Evidence)...),
			what: fmt.Sprintf("attempt %d on stamp %d of document %d", a.Number, a.Stamp, a.Document),
		})
		if err != nil {
			return err
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
	} else {
		c.terms = append(c.terms, "document NOT IN (SELECT document FROM test_document)") // they cost nothing
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

// Attempts implements [store.Serials].
func (s *Store) Attempts(ctx context.Context, q store.AttemptQuery) (p store.AttemptPage, err error) {
	p.Attempts, p.Total, err = attemptRows.readPage(ctx, s, attemptCondition(q), "made_at DESC, document DESC, position DESC, number DESC", q.Offset, q.Limit)
	return p, wrapf(err, "list attempts")
}

// EachAttempt implements [store.Serials].
func (s *Store) EachAttempt(ctx context.Context, q store.AttemptQuery, yield func(contract.Attempt) bool) error {
	key := func(a *contract.Attempt) []any { return []any{toMicros(a.At), a.Document, a.Stamp, a.Number} }
	return wrapf(attemptRows.eachRow(ctx, s, attemptCondition(q), "made_at, document, position, number", key, yield), "list attempts")
}
