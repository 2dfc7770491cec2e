package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"segel/internal/contract"
)

// summaryColumns are the columns of documents that [store.ListQuery.Summary] leaves. The last is a text with a line for each of what few documents have,
// which summaryReader.scanHead reads; empty if there is none of it. Each column that is read costs time, also an empty one.
var summaryColumns = `d.id, d.organisation, d.owner, d.owner_name, d.name, d.title, d.state, d.mode, d.parallel, d.created_at, d.finalized_at, d.expires_at, d.specimen, d.conversion,
	CASE WHEN d.delivery = '' AND d.delegations = '' AND r.document IS NULL AND dp.document IS NULL AND dt.document IS NULL AND ` + isKeptFile("d.original_key") + ` THEN '' ELSE ` +
	strings.Join([]string{
		`d.delivery`, `d.delegations`, `CASE WHEN ` + isKeptFile("d.original_key") + ` THEN '' ELSE d.original_key END`, `COALESCE(r.roles, '')`,
		`CASE WHEN dp.document IS NULL THEN '' WHEN dp.template THEN 'template ' ELSE 'document ' END || COALESCE(dp.placeholders, '')`,
		`COALESCE(dt.team, '') || ' ' || COALESCE(t.name, '')`,
	}, " || '\n' || ") + ` END`

// summaryTables are the tables of summaryColumns.
const summaryTables = `document d LEFT JOIN document_roles r ON r.document = d.id LEFT JOIN document_template dp ON dp.document = d.id
	LEFT JOIN document_team dt ON dt.document = d.id LEFT JOIN team t ON t.id = dt.team AND t.deleted_at = 0`

// summaryQueries are the queries for documents, their participants and their stamps, by form, up to the list of numbers.
var summaryQueries = func() map[unionForm][3]string {
	all := map[unionForm][3]string{}
	for _, form := range []unionForm{unionOfColumns, unionOfRows} {
		all[form] = [3]string{
			form.omitNames(15) + `SELECT ` + summaryColumns + ` FROM ` + summaryTables + ` WHERE d.id IN `,
			form.omitNames(10) + `SELECT document, position, person, name, email, role, number, guest, viewed_at, signed_at FROM participant WHERE document IN `,
			form.omitNames(3) + `SELECT document, position, state FROM stamp WHERE document IN `,
		}
	}
	return all
}()

// summaryReader reads documents without what [store.ListQuery.Summary] leaves out. It allocates little beside what it returns: lists are read often.
type summaryReader struct {
	ids []contract.DocumentID
	all []contract.Document // in their order; zero where there is none

	d    contract.Document // of the row that is being read
	rare string            // the same
	dest []any
	rest []summaryRest // of all

	people summaryParts[contract.Participant]
	stamps summaryParts[contract.Stamp]
}

// summaryRest is what is assigned to a document once its participants were read.
type summaryRest struct{ roles, prepared string }

// summaryParts are parts of documents, by document and position.
type summaryParts[T any] struct {
	keys  []partKey
	parts []T

	key  partKey // of the row that is being read
	part T
	dest []any
}

type partKey struct {
	document contract.DocumentID
	position int64
}

func (k partKey) isAfter(o partKey) bool {
	return k.document > o.document || k.document == o.document && k.position > o.position
}

// readSummaries reads documents as [store.ListQuery.Summary] says, in the order of ids. Missing documents are left out.
func (s *Store) readSummaries(ctx context.Context, q querier, ids []contract.DocumentID) ([]contract.Document, error) {
	if len(ids) == 0 {
		return []contract.Document{}, nil
	}
	r := &summaryReader{ids: ids, all: make([]contract.Document, len(ids)), rest: make([]summaryRest, len(ids))}
	d := &r.d
	r.dest = []any{
		(*int64)(&d.ID), (*string)(&d.Organisation), (*string)(&d.Owner.ID), &d.Owner.Name, &d.Name, &d.Title, (*string)(&d.State), (*string)(&d.Mode), &d.Parallel,
		scanTime(&d.CreatedAt), scanTime(&d.FinalizedAt), scanTime(&d.ExpiresAt), &d.Specimen, (*string)(&d.Conversion.State), &r.rare,
	}
	p := &r.people.part
	r.people.dest = []any{
		(*int64)(&r.people.key.document), &r.people.key.position,
		(*string)(&p.ID), &p.Name, &p.Email, (*string)(&p.Role), &p.Number, &p.Guest, scanTime(&p.ViewedAt), scanTime(&p.SignedAt),
	}
	r.stamps.dest = []any{(*int64)(&r.stamps.key.document), &r.stamps.key.position, (*string)(&r.stamps.part.State)}
	in, args := listArgs(ids)
	queries := summaryQueries[s.db.unionForm()]
	if err := q.runBatch(ctx,
		statement{sql: queries[0] + in, args: args, each: r.scanHead},
		statement{sql: queries[1] + in, args: args, each: r.people.scan},
		statement{sql: queries[2] + in, args: args, each: r.stamps.scan},
	); err != nil {
		return nil, err
	}
	r.people.eachDocument(func(id contract.DocumentID, parts []contract.Participant) {
		if i := slices.Index(ids, id); i >= 0 {
			r.all[i].Participants = parts
		}
	})
	r.stamps.eachDocument(func(id contract.DocumentID, parts []contract.Stamp) {
		if i := slices.Index(ids, id); i >= 0 {
			r.all[i].Stamps = parts
		}
	})
	for i := range r.all {
		if err := parsePreparation(r.rest[i].prepared).assignTo(&r.all[i]); err != nil {
			return nil, err
		}
		if err := assignRoles(&r.all[i], r.rest[i].roles); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(r.all, func(d contract.Document) bool { return d.ID == 0 }), nil
}

func (r *summaryReader) scanHead(scan scanFunc) error {
	if err := scan(r.dest...); err != nil {
		return err
	}
	i := slices.Index(r.ids, r.d.ID)
	if i < 0 {
		return nil
	}
	r.all[i] = r.d
	if r.rare == "" {
		return nil
	}
	d, lines := &r.all[i], strings.SplitN(r.rare, "\n", 6)
	if len(lines) != 6 {
		return fmt.Errorf("document %d: %q is not what few documents have", d.ID, r.rare)
	}
	d.Original.Key, d.Team = lines[2], parseTeam(lines[5])
	r.rest[i] = summaryRest{lines[3], lines[4]}
	return errors.Join(scanDelivery(&d.Delivery).Scan(lines[0]), scanDelegations(&d.Delegations).Scan(lines[1]))
}

func (s *summaryParts[T]) scan(scan scanFunc) error {
	if err := scan(s.dest...); err != nil {
		return err
	}
	// The statements have no order: the rows most likely come in that of the primary key.
	at := len(s.keys)
	for at > 0 && s.keys[at-1].isAfter(s.key) {
		at--
	}
	s.keys, s.parts = slices.Insert(s.keys, at, s.key), slices.Insert(s.parts, at, s.part)
	return nil
}

// eachDocument calls do with the parts of each document that has any.
func (s *summaryParts[T]) eachDocument(do func(contract.DocumentID, []T)) {
	for from := 0; from < len(s.keys); {
		to := from + 1
		for to < len(s.keys) && s.keys[to].document == s.keys[from].document {
			to++
		}
		do(s.keys[from].document, s.parts[from:to:to])
		from = to
	}
}
