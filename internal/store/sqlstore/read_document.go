package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// Document implements [store.Documents].
func (s *Store) Document(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	var found []contract.Document
	err := s.db.withSnapshot(ctx, func(q querier) (err error) {
		found, err = readDocuments(ctx, q, []contract.DocumentID{id})
		return err
	})
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return contract.Document{}, fmt.Errorf("read document %d: %w", id, err)
	}
	return found[0], nil
}

// Involves implements [store.Documents].
func (s *Store) Involves(ctx context.Context, id contract.DocumentID, person contract.PersonID) (involved bool, err error) {
	err = s.readRow(ctx, []any{&involved}, `SELECT EXISTS (SELECT 1 FROM document WHERE id = $1 AND owner = $2)
		OR EXISTS (SELECT 1 FROM participant p JOIN document d ON d.id = p.document WHERE p.document = $1 AND p.person = $2 AND d.finalized_at <> 0)`, id, person)
	return involved, wrapf(err, "find who document %d involves", id)
}

// readDocuments reads documents with all their parts, in one query per table. They come in the order of ids;
// missing documents are left out.
func readDocuments(ctx context.Context, q querier, ids []contract.DocumentID) ([]contract.Document, error) {
	if len(ids) == 0 {
		return []contract.Document{}, nil
	}
	r := documentReader{querier: q, found: map[contract.DocumentID]*contract.Document{}}
	r.in, r.args = listArgs(ids)
	if err := r.readHeads(ctx); err != nil {
		return nil, err
	}
	if err := readParts(ctx, &r, participantRows, func(d *contract.Document) *[]contract.Participant { return &d.Participants }); err != nil {
		return nil, err
	}
	if err := readParts(ctx, &r, placementRows, func(d *contract.Document) *[]contract.Placement { return &d.Placements }); err != nil {
		return nil, err
	}
	if err := readParts(ctx, &r, stampRows, func(d *contract.Document) *[]contract.Stamp { return &d.Stamps }); err != nil {
		return nil, err
	}
	if err := readParts(ctx, &r, revisionRows, func(d *contract.Document) *[]contract.Revision { return &d.Revisions }); err != nil {
		return nil, err
	}
	all := make([]contract.Document, 0, len(ids))
	for _, id := range ids {
		if d := r.found[id]; d != nil {
			all = append(all, *d)
		}
	}
	return all, nil
}

// documentReader collects documents.
type documentReader struct {
	querier
	found map[contract.DocumentID]*contract.Document
	in    string // the list of placeholders of args
	args  []any
}

func (r *documentReader) readHeads(ctx context.Context) error {
	return queryEach(ctx, r, func(scan scanFunc) error {
		d := &contract.Document{}
		err := scan(&d.ID,
			&d.Version, &d.Organisation, &d.Owner.ID, &d.Owner.Name, &d.Owner.Email, &d.Name, &d.Title, &d.Filename, &d.State, &d.Mode, &d.Parallel, &d.Pages,
			&d.Original.Key, &d.Original.Size, scanDigest(&d.Original.Digest), scanBytes(&d.Original.Sums),
			scanTime(&d.CreatedAt), scanTime(&d.FinalizedAt), scanTime(&d.EndedAt), scanTime(&d.ExpiresAt), scanTime(&d.LastSignedAt), scanTime(&d.RemindedAt),
			&d.Restamping, &d.Specimen, &d.Reason,
			&d.Conversion.State, &d.Conversion.Problem, scanWarnings(&d.Conversion.Warnings), scanFindings(&d.Findings), &d.Examined)
		r.found[d.ID] = d
		return err
	}, `SELECT id, `+documentColumns+` FROM document WHERE id IN `+r.in, r.args...)
}

// The rows of the parts of a document. The columns document and position precede these.
var (
	participantRows = rowType[contract.Participant]{
		"participant",
		`person, name, email, phone, role, number, guest, field, viewed_at, signed_at, intent_at`,
		func(p *contract.Participant) []any {
			return []any{&p.ID, &p.Name, &p.Email, &p.Phone, &p.Role, &p.Number, &p.Guest, &p.Field, scanTime(&p.ViewedAt), scanTime(&p.SignedAt), scanTime(&p.IntentAt)}
		},
	}
	placementRows = rowType[contract.Placement]{
		"placement",
		`kind, page, llx, lly, urx, ury, person`,
		func(p *contract.Placement) []any {
			return []any{&p.Kind, &p.Page, &p.Box.LLX, &p.Box.LLY, &p.Box.URX, &p.Box.URY, &p.Person}
		},
	}
	stampRows = rowType[contract.Stamp]{
		"stamp",
		`placement, state, order_id, serial, source, attempts, problem, affixed_at, let_go, asked_at, failures`,
		func(s *contract.Stamp) []any {
			return []any{
				&s.Placement, &s.State, &s.Order, scanOptional(scanText(&s.Serial)), scanDigest(&s.Source), &s.Attempts, &s.Problem, scanTime(&s.AffixedAt),
				&s.ReleaseCount, scanTime(&s.AttemptedAt), &s.Failures,
			}
		},
	}
	revisionRows = rowType[contract.Revision]{
		"revision",
		`kind, file_key, file_size, file_digest, file_sums, begins, ends, digest, midstate, person, made_at, next_object`,
		func(v *contract.Revision) []any {
			return []any{
				&v.Kind, &v.Tail.Key, &v.Tail.Size, scanDigest(&v.Tail.Digest), scanBytes(&v.Tail.Sums), &v.Begin, &v.End, scanDigest(&v.Digest),
				scanBytes(&v.Midstate), &v.By, scanTime(&v.At), &v.NextObject,
			}
		},
	}
)

// readParts reads the parts of one kind of all documents, in their order.
func readParts[T any](ctx context.Context, r *documentReader, part rowType[T], of func(*contract.Document) *[]T) error {
	return queryEach(ctx, r, func(scan scanFunc) error {
		var id contract.DocumentID
		var row T
		if err := scan(append([]any{&id}, part.dest(&row)...)...); err != nil {
			return fmt.Errorf("%s of document %d: %w", part.table, id, err)
		}
		parts := of(r.found[id])
		*parts = append(*parts, row)
		return nil
	}, `SELECT document, `+part.columns+` FROM `+part.table+` WHERE document IN `+r.in+` ORDER BY document, position`, r.args...)
}
