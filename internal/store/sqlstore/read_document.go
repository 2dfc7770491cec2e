package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
	"segel/internal/store"
)

// Document implements [store.Documents].
func (s *Store) Document(ctx context.Context, id contract.DocumentID) (contract.Document, error) {
	d, err := s.readDocument(ctx, "", id)
	return d, wrapf(err, "read document %d", id)
}

// ifInvolved is a condition on $2, a person: they own document $1, are a member of its team or, after it was finalized, take part in it. It depends on no row
// of the query, so both databases decide it once and first.
const ifInvolved = ` AND (EXISTS (SELECT 1 FROM document o WHERE o.id = $1 AND o.owner = $2)
	OR EXISTS (SELECT 1 FROM participant p JOIN document d ON d.id = p.document WHERE p.document = $1 AND p.person = $2 AND d.finalized_at <> 0)
	OR ` + ifShared + `)`

// DocumentFor implements [store.Documents].
func (s *Store) DocumentFor(ctx context.Context, id contract.DocumentID, person contract.PersonID) (contract.Document, error) {
	d, err := s.readDocument(ctx, ifInvolved, id, person)
	return d, wrapf(err, "read document %d for %s", id, person)
}

// ifAudited is a condition on $2 and $3: ifInvolved holds for the person $2, or the document is one of the organisation $3 and was finalized.
const ifAudited = ` AND (EXISTS (SELECT 1 FROM document o WHERE o.id = $1 AND (o.owner = $2 OR o.organisation = $3 AND o.finalized_at <> 0))
	OR EXISTS (SELECT 1 FROM participant p JOIN document d ON d.id = p.document WHERE p.document = $1 AND p.person = $2 AND d.finalized_at <> 0)
	OR ` + ifShared + `)`

// DocumentForAuditor implements [store.Documents].
func (s *Store) DocumentForAuditor(ctx context.Context, id contract.DocumentID, person contract.PersonID, o contract.OrganisationID) (contract.Document, error) {
	d, err := s.readDocument(ctx, ifAudited, id, person, o)
	return d, wrapf(err, "read document %d for auditor %s", id, person)
}

// ifOfOrganisation is a condition on $2: document $1 is one of this organisation.
const ifOfOrganisation = ` AND EXISTS (SELECT 1 FROM document o WHERE o.id = $1 AND o.organisation = $2)`

// DocumentOf implements [store.Documents].
func (s *Store) DocumentOf(ctx context.Context, id contract.DocumentID, o contract.OrganisationID) (contract.Document, error) {
	d, err := s.readDocument(ctx, ifOfOrganisation, id, o)
	return d, wrapf(err, "read document %d of organisation %s", id, o)
}

// readDocument reads the document that the first argument names, if a condition holds, in one statement.
func (s *Store) readDocument(ctx context.Context, condition string, args ...any) (contract.Document, error) {
	r := newDocumentReader()
	if err := s.db.readTogether(ctx, r.selectTogether(s.db.unionForm(), condition, args)); err != nil {
		return contract.Document{}, err
	}
	return r.only()
}

// readDocuments reads documents with all their parts.
func readDocuments(ctx context.Context, q querier, ids []contract.DocumentID) ([]contract.Document, error) {
	return newDocumentReader().readAll(ctx, q, ids)
}

// readAll reads documents, in one query per table. They come in the order of ids; missing documents are left out.
func (r *documentReader) readAll(ctx context.Context, q querier, ids []contract.DocumentID) ([]contract.Document, error) {
	if len(ids) == 0 {
		return []contract.Document{}, nil
	}
	in, args := listArgs(ids)
	if err := q.runBatch(ctx, r.selectEach(in, "", args)...); err != nil {
		return nil, err
	}
	all := make([]contract.Document, 0, len(ids))
	for _, id := range ids {
		d, err := r.complete(id)
		if err != nil {
			return nil, err
		}
		if d != nil {
			all = append(all, *d)
		}
	}
	return all, nil
}

// documentReader collects documents from the rows of their tables.
type documentReader struct {
	heads    map[contract.DocumentID]*contract.Document // by the rows of the table document
	partial  map[contract.DocumentID]*contract.Document // by the rows of all tables
	roles    map[contract.DocumentID]string             // see encodeRoles
	prepared map[contract.DocumentID]preparation
	tables   []documentTable
}

// documentTable reads the rows of one table that belong to documents.
type documentTable struct {
	unionArm
	key   string // the column that has the number of the document
	order string
	scan  func(scanFunc) error
}

// isTestDocument is the column of documents that says whether one was made with a test key.
const isTestDocument = `, EXISTS (SELECT 1 FROM test_document x WHERE x.document = document.id)`

func newDocumentReader() *documentReader {
	r := &documentReader{heads: map[contract.DocumentID]*contract.Document{}, partial: map[contract.DocumentID]*contract.Document{}, roles: map[contract.DocumentID]string{}, prepared: map[contract.DocumentID]preparation{}}
	r.tables = []documentTable{
		{unionArm: unionArm{columns: "id, " + documentColumns + isTestDocument + rolesOfDocument + teamOfDocument + preparationOfDocument, width: 5 + documentWidth, from: "document", where: "id = $1"}, key: "id", scan: r.scanHead},
		newPartTable(r, participantRows, func(d *contract.Document) *[]contract.Participant { return &d.Participants }),
		newPartTable(r, placementRows, func(d *contract.Document) *[]contract.Placement { return &d.Placements }),
		newPartTable(r, stampRows, func(d *contract.Document) *[]contract.Stamp { return &d.Stamps }),
		newPartTable(r, revisionRows, func(d *contract.Document) *[]contract.Revision { return &d.Revisions }),
	}
	return r
}

// find returns the document to which rows belong.
func (r *documentReader) find(id contract.DocumentID) *contract.Document {
	d := r.partial[id]
	if d == nil {
		d = &contract.Document{}
		r.partial[id] = d
	}
	return d
}

// only returns the document, if one was asked for and was found; else store.ErrNotFound.
func (r *documentReader) only() (contract.Document, error) {
	for id := range r.heads {
		d, err := r.complete(id)
		return *d, err
	}
	return contract.Document{}, store.ErrNotFound
}

// complete returns a document once the rows of all tables were read; nil if it was not found.
func (r *documentReader) complete(id contract.DocumentID) (*contract.Document, error) {
	d := r.heads[id]
	if d == nil {
		return nil, nil
	}
	if err := r.prepared[id].assignTo(d); err != nil {
		return d, err
	}
	return d, assignRoles(d, r.roles[id])
}

func (r *documentReader) scanHead(scan scanFunc) error {
	d, roles, team, prepared := &contract.Document{}, "", "", ""
	err := scan(&d.ID,
		&d.Version, &d.Organisation, &d.Owner.ID, &d.Owner.Name, &d.Owner.Email, &d.Name, &d.Title, &d.Filename, &d.State, &d.Mode, &d.Parallel, &d.Pages,
		&d.Original.Key, &d.Original.Size, scanDigest(&d.Original.Digest), scanBytes(&d.Original.Sums),
		scanTime(&d.CreatedAt), scanTime(&d.FinalizedAt), scanTime(&d.EndedAt), scanTime(&d.ExpiresAt), scanTime(&d.LastSignedAt), scanTime(&d.RemindedAt),
		&d.Restamping, &d.Specimen, &d.Reason,
		&d.Conversion.State, &d.Conversion.Problem, scanWarnings(&d.Conversion.Warnings), scanFindings(&d.Findings), &d.Examined, scanDelivery(&d.Delivery), scanDelegations(&d.Delegations), &d.Test, &roles, &team, &prepared)
	d.Team = parseTeam(team)
	parts := r.find(d.ID)
	d.Participants, d.Placements, d.Stamps, d.Revisions = parts.Participants, parts.Placements, parts.Stamps, parts.Revisions
	*parts = *d
	r.heads[d.ID], r.roles[d.ID], r.prepared[d.ID] = parts, roles, parsePreparation(prepared)
	return err
}

// newPartTable returns the table of one kind of part. The parts come in their order.
func newPartTable[T any](r *documentReader, part rowType[T], of func(*contract.Document) *[]T) documentTable {
	columns := "document, position, " + part.columns
	positions := map[contract.DocumentID][]int64{}
	return documentTable{
		unionArm: unionArm{columns: columns, width: 1 + strings.Count(columns, ","), from: part.table, where: "document = $1"},
		key:      "document",
		order:    " ORDER BY document, position",
		scan: func(scan scanFunc) error {
			var id contract.DocumentID
			var position int64
			var row T
			if err := scan(append([]any{&id, &position}, part.dest(&row)...)...); err != nil {
				return fmt.Errorf("%s of document %d: %w", part.table, id, err)
			}
			// Where the rows come without an order, they most likely come in that of the primary key.
			parts, at := of(r.find(id)), len(positions[id])
			for at > 0 && positions[id][at-1] > position {
				at--
			}
			positions[id] = slices.Insert(positions[id], at, position)
			*parts = slices.Insert(*parts, at, row)
			return nil
		},
	}
}

// selectEach returns a statement for each table. The documents are a list of placeholders.
func (r *documentReader) selectEach(documents, condition string, args []any) []statement {
	all := make([]statement, len(r.tables))
	for i, t := range r.tables {
		all[i] = statement{sql: `SELECT ` + t.columns + ` FROM ` + t.from + ` WHERE ` + t.key + ` IN ` + documents + condition + t.order, args: args, each: t.scan}
	}
	return all
}

// unionOfTables are the statements of selectTogether by form and condition.
var unionOfTables = func() map[unionForm]map[string]string {
	all := map[unionForm]map[string]string{}
	for _, form := range []unionForm{unionOfColumns, unionOfRows} {
		all[form] = map[string]string{}
		for _, condition := range []string{"", ifInvolved, ifAudited, ifOfOrganisation, ifNaming} {
			all[form][condition] = form.selectTables(newDocumentReader().tables, condition)
		}
	}
	return all
}()

// selectTogether returns one statement for all tables.
func (r *documentReader) selectTogether(form unionForm, condition string, args []any) statement {
	return statement{sql: unionOfTables[form][condition], args: args, each: form.scanTables(r.tables)}
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
