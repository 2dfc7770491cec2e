package sqlstore

import (
	"context"

	"segel/internal/store"
)

// organisationWidth is the number of the columns of organisationRows, of which some are subqueries with commas.
var organisationWidth = len(organisationRows.dest(&store.Organisation{}))

// signingTables returns the tables that a signature reads, after those of the document. The arguments are the document and the person,
// or for a seal the document and the times of the credential. Clock is the expression of serverClock.
func signingTables(r *store.Signing, clock string, seals bool) []documentTable {
	const documentOrganisation = `(SELECT organisation FROM document WHERE id = $1)`
	tables := []documentTable{
		{unionArm: unionArm{columns: selectTimes(clock), width: 4, from: "log_size", where: "id = 1"}, scan: scanTimes(&r.Clock)},
		{
			unionArm: unionArm{columns: organisationRows.columns, width: organisationWidth, from: organisationRows.table, where: "id = " + documentOrganisation},
			scan:     func(scan scanFunc) error { return scan(organisationRows.dest(&r.Organisation)...) },
		},
	}
	if seals {
		tables = append(tables, credentialTable(&r.Credential, documentOrganisation, "$2", "$3"))
	}
	return tables
}

// signingQuery identifies a statement of [Store.ReadSigning].
type signingQuery struct {
	form  unionForm
	clock string
	seals bool
}

func (q signingQuery) condition() string {
	if q.seals {
		return ""
	}
	return ifInvolved
}

// unionForSigning are the statements of [Store.ReadSigning]: for a signature and for a seal, on SQLite and on PostgreSQL.
var unionForSigning = func() map[signingQuery]string {
	all := map[signingQuery]string{}
	for _, d := range []database{&sqlite{}, &postgres{}} {
		for _, seals := range []bool{false, true} {
			q := signingQuery{d.unionForm(), d.serverClock(), seals}
			all[q] = q.form.selectTables(append(newDocumentReader().tables, signingTables(&store.Signing{}, q.clock, seals)...), q.condition())
		}
	}
	return all
}()

// ReadSigning implements [store.Signings], in one statement.
func (s *Store) ReadSigning(ctx context.Context, q store.SigningQuery) (store.Signing, error) {
	var found store.Signing
	documents := newDocumentReader()
	read, args := signingQuery{form: s.db.unionForm(), clock: s.db.serverClock()}, []any{q.Document, q.Person}
	if q.Person == "" {
		read.seals, args = true, []any{q.Document, toMicros(q.Begun), toMicros(q.Until)}
	}
	tables := append(documents.tables, signingTables(&found, read.clock, read.seals)...)
	err := s.db.readTogether(ctx, statement{sql: unionForSigning[read], args: args, each: read.form.scanTables(tables)})
	if err == nil {
		found.Document, err = documents.only()
	}
	return found, wrapf(err, "read document %d to sign it", q.Document)
}
