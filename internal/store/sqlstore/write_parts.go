package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"segel/internal/contract"
)

// errHistory is a defect of the program: revisions may only be appended, except that a draft's file may be rewritten
// once.
var errHistory = errors.New("the change rewrites revisions")

// partsBefore returns parts of the document before the change.
func partsBefore[T any](w *documentWriter, parts func(*contract.Document) []T) []T {
	if w.before == nil {
		return nil
	}
	return parts(w.before)
}

func (w *documentWriter) writeParticipants(ctx context.Context) error {
	before := partsBefore(w, func(d *contract.Document) []contract.Participant { return d.Participants })
	samePerson := func(a, b contract.Participant) bool { return a.ID == b.ID }
	if w.before != nil && !slices.EqualFunc(before, w.after.Participants, samePerson) {
		// The participants changed. Updating row by row would briefly store a person twice when two swap positions.
		if err := w.addStatements(ctx, statement{sql: `DELETE FROM participant WHERE document = $1`, args: []any{w.after.ID}}); err != nil {
			return err
		}
		before = nil
	}
	same := func(a, b *contract.Participant) bool {
		return a.Person == b.Person && a.Phone == b.Phone && a.Role == b.Role && a.Number == b.Number && a.Guest == b.Guest && a.Field == b.Field &&
			a.ViewedAt.Equal(b.ViewedAt) && a.SignedAt.Equal(b.SignedAt) && a.IntentAt.Equal(b.IntentAt)
	}
	return rewriteRows(ctx, w, participantRows, before, w.after.Participants, same, participantArgs, `name = excluded.name, email = excluded.email, phone = excluded.phone,
		role = excluded.role, number = excluded.number, guest = excluded.guest, field = excluded.field,
		viewed_at = excluded.viewed_at, signed_at = excluded.signed_at, intent_at = excluded.intent_at`)
}

// participantArgs returns the position and the columns of participantRows.
func participantArgs(i int, p *contract.Participant) []any {
	return []any{i, p.ID, p.Name, p.Email, p.Phone, p.Role, p.Number, p.Guest, p.Field, toMicros(p.ViewedAt), toMicros(p.SignedAt), toMicros(p.IntentAt)}
}

func (w *documentWriter) writePlacements(ctx context.Context) error {
	before := partsBefore(w, func(d *contract.Document) []contract.Placement { return d.Placements })
	same := func(a, b *contract.Placement) bool {
		// A negative zero equals zero, and its row on PostgreSQL does not.
		return *a == *b && slices.Equal(signsOf(a.Box), signsOf(b.Box))
	}
	return rewriteRows(ctx, w, placementRows, before, w.after.Placements, same, placementArgs, `kind = excluded.kind, page = excluded.page,
		llx = excluded.llx, lly = excluded.lly, urx = excluded.urx, ury = excluded.ury, person = excluded.person`)
}

// signsOf reports which sides of a box are negative.
func signsOf(b contract.Box) []bool {
	return []bool{math.Signbit(b.LLX), math.Signbit(b.LLY), math.Signbit(b.URX), math.Signbit(b.URY)}
}

// placementArgs returns the position and the columns of placementRows.
func placementArgs(i int, p *contract.Placement) []any {
	return []any{i, p.Kind, p.Page, p.Box.LLX, p.Box.LLY, p.Box.URX, p.Box.URY, p.Person}
}

func (w *documentWriter) writeStamps(ctx context.Context) error {
	before := partsBefore(w, func(d *contract.Document) []contract.Stamp { return d.Stamps })
	same := func(a, b *contract.Stamp) bool {
		at := a.AffixedAt.Equal(b.AffixedAt) && a.AttemptedAt.Equal(b.AttemptedAt)
		x, y := *a, *b
		x.AffixedAt, x.AttemptedAt = y.AffixedAt, y.AttemptedAt
		return at && x == y
	}
	return rewriteRows(ctx, w, stampRows, before, w.after.Stamps, same, stampArgs, `placement = excluded.placement, state = excluded.state, order_id = excluded.order_id,
		serial = excluded.serial, source = excluded.source, attempts = excluded.attempts, problem = excluded.problem, affixed_at = excluded.affixed_at,
		let_go = excluded.let_go, asked_at = excluded.asked_at, failures = excluded.failures`)
}

// stampArgs returns the position and the columns of stampRows.
func stampArgs(i int, s *contract.Stamp) []any {
	var serial any // NULL differs from every other NULL
	if s.Serial != "" {
		serial = s.Serial
	}
	return []any{i, s.Placement, s.State, s.Order, serial, s.Source[:], s.Attempts, s.Problem, toMicros(s.AffixedAt), s.ReleaseCount, toMicros(s.AttemptedAt), s.Failures}
}

func (w *documentWriter) writeRevisions(ctx context.Context) error {
	before := partsBefore(w, func(d *contract.Document) []contract.Revision { return d.Revisions })
	after := w.after.Revisions
	if w.before != nil && w.after.IsRemoved() && !w.before.IsRemoved() {
		return nil // removeFiles changes their keys
	}
	if w.isRebased() {
		if err := w.addStatements(ctx, statement{sql: `DELETE FROM revision WHERE document = $1`, args: []any{w.after.ID}}); err != nil {
			return err
		}
		before = nil
	}
	kept := len(after) >= len(before) && slices.EqualFunc(before, after[:min(len(before), len(after))], func(a, b contract.Revision) bool {
		return a.Tail.Key == b.Tail.Key && a.Digest == b.Digest && a.End == b.End
	})
	if !kept {
		return errHistory
	}
	added := after[len(before):]
	if len(added) == 0 {
		return nil
	}
	var args []any
	for i := range added {
		args = append(append(args, w.after.ID), revisionArgs(len(before)+i, &added[i])...)
	}
	return w.addStatements(ctx, statement{
		sql:  `INSERT INTO revision (document, position, ` + revisionRows.columns + `) VALUES ` + placeholderRows(len(added), len(args)/len(added)),
		args: args,
		what: fmt.Sprintf("add revisions of document %d", w.after.ID),
	})
}

// revisionArgs returns the position and the columns of revisionRows.
func revisionArgs(i int, r *contract.Revision) []any {
	return []any{
		i, r.Kind, r.Tail.Key, r.Tail.Size, r.Tail.Digest[:], bytesArg(r.Tail.Sums), r.Begin, r.End, r.Digest[:], bytesArg(r.Midstate), r.By, toMicros(r.At), r.NextObject,
	}
}

// isRebased reports whether a draft's only revision, the uploaded file, is replaced by a rewritten one. The uploaded
// bytes must remain the document's original, otherwise no document would refer to them.
func (w *documentWriter) isRebased() bool {
	if w.before == nil || w.before.State != contract.Draft || len(w.before.Revisions) != 1 || len(w.after.Revisions) == 0 {
		return false
	}
	original := w.before.Original.Key
	return w.before.Revisions[0].Tail.Key == original && w.after.Original.Key == original && w.after.Revisions[0].Tail.Key != original
}
