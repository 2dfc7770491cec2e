package sqlstore

import (
	"context"

	"segel/internal/store"
)

// signingTable is a table of [Store.ReadSigning].
type signingTable struct {
	documentTable
	args int // how many of the leading arguments its statement has, where it is one by itself
}

// signingTables returns the tables that a signature reads, after those of the document. The arguments are the document and the person,
// or for a seal the document and the times of the credential. Clock is the expression of serverClock.
func signingTables(r *store.Signing, clock string, seals bool) []signingTable {
	const documentOrganisation = `(SELECT organisation FROM document WHERE id = $1)`
	tables := []signingTable{
		{documentTable{unionArm: unionArm{columns: selectTimes(clock), width: 4, from: "log_size", where: "id = 1"}, scan: scanTimes(&r.Clock)}, 0},
		{documentTable{
			unionArm: unionArm{columns: organisationRows.columns, width: 11, from: organisationRows.table, where: "id = " + documentOrganisation},
			scan:     func(scan scanFunc) error { return scan(organisationRows.dest(&r.Organisation)...) },
		}, 1},
	}
	if seals {
		return append(tables, signingTable{credentialTable(&r.Credential, documentOrganisation, "$2", "$3"), 3})
	}
	for i := range tables {
		tables[i].args = 2 // of the condition
	}
	return tables
}

// unionForSigning are the statements of [Store.ReadSigning] on SQLite: for a signature, and for a seal.
var unionForSigning = map[bool]string{false: selectForSigning(false, ifInvolved), true: selectForSigning(true, "")}

func selectForSigning(seals bool, condition string) string {
	tables := newDocumentReader().tables
	for _, t := range signingTables(&store.Signing{}, "NULL", seals) {
		tables = append(tables, t.documentTable)
	}
	return selectTables(tables, condition)
}

// ReadSigning implements [store.Signings]: one statement on SQLite, one round trip on PostgreSQL.
func (s *Store) ReadSigning(ctx context.Context, q store.SigningQuery) (store.Signing, error) {
	var found store.Signing
	documents := newDocumentReader()
	seals, condition, args, ofDocument := false, ifInvolved, []any{q.Document, q.Person}, 2
	if q.Person == "" {
		seals, condition, args, ofDocument = true, "", []any{q.Document, toMicros(q.Begun), toMicros(q.Until)}, 1
	}
	others := signingTables(&found, s.db.serverClock(), seals)
	var reads []statement
	if s.db.embedded() {
		all := documents.tables
		for _, t := range others {
			all = append(all, t.documentTable)
		}
		reads = []statement{{sql: unionForSigning[seals], args: args, each: scanTables(all)}}
	} else {
		reads = documents.selectEach("($1)", condition, args[:ofDocument])
		for _, t := range others {
			reads = append(reads, statement{sql: `SELECT ` + t.columns + ` FROM ` + t.from + ` WHERE ` + t.where + condition, args: args[:t.args], each: t.scan})
		}
	}
	err := s.db.readTogether(ctx, reads...)
	if err == nil {
		found.Document, err = documents.only()
	}
	return found, wrapf(err, "read document %d to sign it", q.Document)
}
