package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

var serialRows = rowType[contract.StampSerial]{
	"serial",
	`serial, organisation, state, document, placement, source, former, let_go, problem,
	evidence_key, evidence_size, evidence_digest, evidence_sums, taken_at, changed_at`,
	func(s *contract.StampSerial) []any {
		return slices.Concat(
			[]any{&s.Serial, &s.Organisation, &s.State, &s.Document, &s.Placement, scanDigest(&s.Source), &s.FormerDocument, &s.ReleaseCount, &s.Problem},
			scanEvidence(&s.Evidence), []any{scanTime(&s.RegisteredAt), scanTime(&s.ChangedAt)})
	},
}

// scanEvidence scans the four columns of an optional file.
func scanEvidence(f *contract.File) []any {
	size := scanner(func(column any) error {
		n, ok := column.(int64)
		if f.Size = n; !ok {
			return fmt.Errorf("%T is not a size", column)
		}
		return nil
	})
	return []any{&f.Key, scanOptional(size), scanOptional(scanDigest(&f.Digest)), scanOptional(scanBytes(&f.Sums))}
}

// evidenceArgs returns the four columns of an optional file.
func evidenceArgs(f contract.File) []any {
	if f.Key == "" {
		return []any{"", nil, nil, nil}
	}
	return []any{f.Key, f.Size, f.Digest[:], bytesArg(f.Sums)}
}

// Serial implements [store.Serials].
func (s *Store) Serial(ctx context.Context, serial string) (contract.StampSerial, error) {
	found, err := serialRows.readOne(ctx, s, `WHERE serial = $1`, serial)
	return found, wrapf(err, "read serial %s", serial)
}

// whereFree selects the serial of an organisation that has been free for longest, except one that the document released.
const whereFree = `WHERE state = 'free' AND organisation = $1 AND (former = 0 OR former <> $2) ORDER BY changed_at, serial LIMIT 1`

// FreeSerial implements [store.Serials].
func (s *Store) FreeSerial(ctx context.Context, o contract.OrganisationID, claimant contract.DocumentID) (contract.StampSerial, error) {
	found, err := serialRows.readOne(ctx, s, whereFree, o, claimant)
	return found, wrapf(err, "find a free serial of organisation %s", o)
}

// DocumentWithSerial implements [store.Documents].
func (s *Store) DocumentWithSerial(ctx context.Context, serial string) (contract.DocumentID, error) {
	var id contract.DocumentID
	err := s.readRow(ctx, []any{&id}, `SELECT document FROM serial WHERE serial = $1 AND document <> 0`, serial)
	return id, wrapf(err, "find serial %s", serial)
}

// DocumentWithOrder implements [store.Serials].
func (s *Store) DocumentWithOrder(ctx context.Context, order string) (contract.DocumentID, error) {
	// A stamp that starts over has another order; its attempts have the earlier one.
	var id contract.DocumentID
	err := s.readRow(ctx, []any{&id}, `SELECT document FROM (
		SELECT document FROM stamp WHERE order_id = $1 AND order_id <> '' UNION SELECT document FROM attempt WHERE order_id = $1 AND order_id <> '') found LIMIT 1`, order)
	return id, wrapf(err, "find order %s", order)
}

const selectInDoubt = `SELECT s.document, d.organisation, s.order_id FROM stamp s JOIN document d ON d.id = s.document
	WHERE s.state = 'requested' AND d.state IN ('processing', 'failed') AND s.document NOT IN (SELECT document FROM test_document) ORDER BY s.document, s.position`

// OrdersInDoubt implements [store.Serials].
func (s *Store) OrdersInDoubt(ctx context.Context) ([]store.OrderInDoubt, error) {
	all, err := readAll(ctx, s, func(o *store.OrderInDoubt) []any { return []any{&o.Document, &o.Organisation, &o.Order} }, selectInDoubt)
	return all, wrapf(err, "read orders in doubt")
}

// MoveSerials implements [store.Serials].
func (s *Store) MoveSerials(ctx context.Context, moves []contract.SerialMove, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := moveSerials(ctx, t, moves); err != nil {
			return err
		}
		return logEntry{events: events, records: serialRecords(moves)}.appendToLog(ctx, t)
	})
	return wrapf(err, "move serials")
}

func serialRecords(moves []contract.SerialMove) []record {
	all := make([]record, len(moves))
	for i, m := range moves {
		all[i] = recordOf("serial", m.To.Serial)
	}
	return all
}

// moveSerials applies moves, always in the same order of serials, so that two transactions do not deadlock.
func moveSerials(ctx context.Context, t tx, moves []contract.SerialMove) error {
	moves = slices.Clone(moves)
	slices.SortStableFunc(moves, func(a, b contract.SerialMove) int { return cmp.Compare(a.To.Serial, b.To.Serial) })
	for _, m := range moves {
		if err := t.addStatements(ctx, moveSerial(m)); err != nil {
			return err
		}
	}
	return nil
}

func moveSerial(m contract.SerialMove) statement {
	to := m.To
	move := statement{done: requireChange, what: fmt.Sprintf("move serial %s from %q to %s", to.Serial, m.From, to.State)}
	args := append([]any{to.Serial, to.Organisation, to.State, to.Document, to.Placement, to.Source[:], to.FormerDocument, to.ReleaseCount, to.Problem}, evidenceArgs(to.Evidence)...)
	args = append(args, toMicros(to.ChangedAt))
	if m.From == "" {
		move.sql = `INSERT INTO serial (` + serialRows.columns + `) VALUES (` + placeholders(1, 13) + `, $15, $14) ON CONFLICT (serial) DO NOTHING`
		move.args = append(args, toMicros(to.RegisteredAt))
		return move
	}
	move.sql = `UPDATE serial SET organisation = $2, state = $3, document = $4, placement = $5, source = $6,
			former = COALESCE(NULLIF(CAST($7 AS BIGINT), 0), former), let_go = $8, problem = $9,
			evidence_key = COALESCE(NULLIF($10, ''), evidence_key), evidence_size = COALESCE($11, evidence_size),
			evidence_digest = COALESCE($12, evidence_digest), evidence_sums = COALESCE($13, evidence_sums), changed_at = $14
		WHERE serial = $1 AND state = $15 AND document = $16 AND organisation IN ('', $2)`
	move.args = append(args, m.From, m.Holder())
	return move
}

func serialCondition(q store.SerialQuery) *condition {
	c := &condition{}
	switch {
	case q.Unassigned:
		c.addTerm("organisation = %s", "")
	case q.Organisation != "":
		c.addTerm("organisation = %s", q.Organisation)
	}
	if len(q.States) > 0 {
		var in []string
		for _, state := range q.States {
			in = append(in, c.addArg(state))
		}
		c.terms = append(c.terms, "state IN ("+strings.Join(in, ",")+")")
	}
	if q.Serial != "" {
		c.addTerm("serial = %s", q.Serial)
	}
	if q.Document != 0 {
		d := c.addArg(q.Document)
		// Both indexes exclude serials without a document, and are used only if the query does so too.
		c.terms = append(c.terms, "(document = "+d+" AND document <> 0 OR former = "+d+" AND former <> 0)")
	}
	if q.Document == 0 && q.Serial == "" { // those of test documents are of another stamp office
		c.terms = append(c.terms, "document NOT IN (SELECT document FROM test_document)", "former NOT IN (SELECT document FROM test_document)")
	}
	return c
}

// Serials implements [store.Serials].
func (s *Store) Serials(ctx context.Context, q store.SerialQuery) (p store.SerialPage, err error) {
	p.Serials, p.Total, err = serialRows.readPage(ctx, s, serialCondition(q), "changed_at DESC, serial", q.Offset, q.Limit)
	return p, wrapf(err, "list serials")
}

// EachSerial implements [store.Serials].
func (s *Store) EachSerial(ctx context.Context, q store.SerialQuery, yield func(contract.StampSerial) bool) error {
	key := func(l *contract.StampSerial) []any { return []any{l.Serial} }
	return wrapf(serialRows.eachRow(ctx, s, serialCondition(q), "serial", key, yield), "list serials")
}
