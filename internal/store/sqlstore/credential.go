package sqlstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// AddCredential implements [store.Credentials].
func (s *Store) AddCredential(ctx context.Context, c store.SealedCredential) error {
	err := s.db.withTx(ctx, func(t tx) error {
		inserts := []statement{{
			sql:  `INSERT INTO credential (` + credentialRows.columns + `) VALUES (` + placeholders(1, 6) + `)`,
			args: []any{c.ID, c.Holder, bytesArg(c.Key), toMicros(c.NotBefore), toMicros(c.NotAfter), toMicros(c.CreatedAt)},
		}}
		for i, der := range c.Chain {
			inserts = append(inserts, statement{sql: `INSERT INTO credential_chain (credential, position, der) VALUES ($1, $2, $3)`, args: []any{c.ID, i, der}})
		}
		if err := t.addStatements(ctx, inserts...); err != nil {
			return err
		}
		return logEntry{records: []record{recordOf("credential", c.ID)}, at: c.CreatedAt}.appendToLog(ctx, t)
	})
	return wrapf(err, "add credential %s of %s", c.ID, c.Holder)
}

var credentialRows = rowType[store.SealedCredential]{
	"credential",
	`id, holder, sealed_key, not_before, not_after, created_at`,
	func(c *store.SealedCredential) []any {
		return []any{&c.ID, &c.Holder, scanBytes(&c.Key), scanTime(&c.NotBefore), scanTime(&c.NotAfter), scanTime(&c.CreatedAt)}
	},
}

// credentialTable reads the newest credential of a holder that is valid: a row for each certificate of its chain, and without a chain
// one with an empty certificate. The row of the first certificate has what the ledger says about it. The arguments are expressions.
func credentialTable(c *store.SealedCredential, holder, begun, until string) documentTable {
	newest := credentialRows.selectWhere(`WHERE holder = ` + holder + ` AND not_before <= ` + begun + ` AND not_after > ` + until + ` ORDER BY created_at DESC, id DESC LIMIT 1`)
	var positions []int64
	return documentTable{
		unionArm: unionArm{
			columns: `c.id, c.holder, c.sealed_key, c.not_before, c.not_after, c.created_at, chain.position, chain.der, r.revoked_at`, width: 9,
			from: `(` + newest + `) c LEFT JOIN credential_chain chain ON chain.credential = c.id
				LEFT JOIN certificate r ON chain.position = 0 AND r.holder = c.holder AND r.der = chain.der`,
			where: `TRUE`,
		},
		scan: func(scan scanFunc) error {
			var position int64
			var der []byte
			err := scan(append(credentialRows.dest(c), scanOptional(scanNumber(&position)), scanOptional(scanBytes(&der)), scanOptional(scanner(func(column any) error {
				c.Recorded = true
				return scanTime(&c.RevokedAt).Scan(column)
			})))...)
			if err != nil || der == nil {
				return err
			}
			at, _ := slices.BinarySearch(positions, position)
			positions = slices.Insert(positions, at, position)
			c.Chain = slices.Insert(c.Chain, at, der)
			return nil
		},
	}
}

// Credential implements [store.Credentials].
func (s *Store) Credential(ctx context.Context, holder string, begun, until time.Time) (store.SealedCredential, error) {
	var c store.SealedCredential
	t := credentialTable(&c, "$1", "$2", "$3")
	err := s.db.readTogether(ctx, statement{
		sql: `SELECT ` + t.columns + ` FROM ` + t.from, args: []any{holder, toMicros(begun), toMicros(until)}, each: t.scan, done: requireRow,
	})
	return c, wrapf(err, "read credential of %s", holder)
}

// EachCredential implements [store.Credentials].
func (s *Store) EachCredential(ctx context.Context, yield func(store.SealedCredential) bool) error {
	return wrapf(eachOf(ctx, s, func(q querier, last *store.SealedCredential) ([]store.SealedCredential, error) {
		c := &condition{}
		if last != nil {
			c.addTerm("id > %s", last.ID)
		}
		batch, err := queryAll(ctx, q, credentialRows.dest, credentialRows.selectWhere(c.pageClause("id", 0, eachBatch)), c.args...)
		for i := range batch {
			if err == nil {
				batch[i].Chain, err = readChain(ctx, q, batch[i].ID)
			}
		}
		return batch, err
	}, yield), "read credentials")
}

func readChain(ctx context.Context, q querier, id string) ([][]byte, error) {
	der := func(b *[]byte) []any { return []any{scanBytes(b)} }
	return queryAll(ctx, q, der, `SELECT der FROM credential_chain WHERE credential = $1 ORDER BY position`, id)
}

var certificateRows = rowType[contract.Certificate]{
	"certificate",
	`serial, subject, der, issued_at, not_after, revoked_at, reason, holder, assurance, named_by, organisation, email`,
	func(c *contract.Certificate) []any {
		return []any{&c.Serial, &c.Subject, scanBytes(&c.DER), scanTime(&c.IssuedAt), scanTime(&c.NotAfter), scanTime(&c.RevokedAt), &c.Reason, &c.Holder,
			&c.Assurance, &c.NamedBy, &c.Organisation, &c.Email}
	},
}

// AddCertificate implements [store.Certificates].
func (s *Store) AddCertificate(ctx context.Context, c contract.Certificate) error {
	err := s.db.withTx(ctx, func(t tx) error {
		written, err := insertCertificate(ctx, t, c)
		if err != nil {
			return err
		}
		return logEntry{written: []*writtenRecord{written}, at: c.IssuedAt}.appendToLog(ctx, t)
	})
	return wrapf(err, "add certificate %s", c.Serial)
}

// insertCertificate adds a certificate, and returns its record. The transaction ends with store.ErrExists if the serial is taken.
func insertCertificate(ctx context.Context, t tx, c contract.Certificate) (*writtenRecord, error) {
	written := newWrittenRecord(recordOf("certificate", c.Serial))
	insert, err := written.writeRow(`INSERT INTO certificate (`+certificateRows.columns+`) VALUES (`+placeholders(1, 12)+`) ON CONFLICT DO NOTHING`,
		c.Serial, c.Subject, bytesArg(c.DER), toMicros(c.IssuedAt), toMicros(c.NotAfter), toMicros(c.RevokedAt), c.Reason, c.Holder,
		c.Assurance, c.NamedBy, c.Organisation, c.Email)
	if err != nil {
		return nil, err
	}
	insert.done, insert.what = requireNew, "record certificate "+c.Serial
	return written, t.addStatements(ctx, insert)
}

// Certificate implements [store.Certificates].
func (s *Store) Certificate(ctx context.Context, serial string) (contract.Certificate, error) {
	c, err := certificateRows.readOne(ctx, s, `WHERE serial = $1`, serial)
	return c, wrapf(err, "read certificate %s", serial)
}

// Certificates implements [store.Certificates].
func (s *Store) Certificates(ctx context.Context, serials ...string) ([]contract.Certificate, error) {
	all := []contract.Certificate{}
	var reads []statement
	for some := range slices.Chunk(serials, maxListArgs) {
		in, args := listArgs(some)
		reads = append(reads, selectAll(&all, certificateRows.dest, certificateRows.selectWhere(`WHERE serial IN `+in), args...))
	}
	if len(reads) == 0 {
		return all, nil
	}
	err := s.db.readTogether(ctx, reads...)
	return all, wrapf(err, "read %d certificates", len(serials))
}

// RevokeCertificate implements [store.Certificates].
func (s *Store) RevokeCertificate(ctx context.Context, serial string, reason int, at time.Time, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE certificate SET reason = $2, revoked_at = $3 WHERE serial = $1 AND revoked_at = 0`, serial, reason, toMicros(at))
		if err != nil {
			return err
		}
		if n > 0 {
			return logEntry{events: []contract.Event{e}, records: []record{recordOf("certificate", serial)}}.appendToLog(ctx, t)
		}
		return queryOne(ctx, t, []any{&serial}, `SELECT serial FROM certificate WHERE serial = $1`, serial)
	})
	return wrapf(err, "revoke certificate %s", serial)
}

// Revocations implements [store.Certificates].
func (s *Store) Revocations(ctx context.Context) (n int, err error) {
	err = s.readRow(ctx, []any{&n}, `SELECT count(*) FROM certificate WHERE revoked_at <> 0`)
	return n, wrapf(err, "count revoked certificates")
}

// EachCertificate implements [store.Certificates].
func (s *Store) EachCertificate(ctx context.Context, yield func(contract.Certificate) bool) error {
	key := func(c *contract.Certificate) []any { return []any{c.Serial} }
	return wrapf(certificateRows.eachRow(ctx, s, &condition{}, "serial", key, yield), "read certificates")
}

// RevokedCertificates implements [store.Certificates].
func (s *Store) RevokedCertificates(ctx context.Context) ([]contract.Certificate, error) {
	all, err := readAll(ctx, s, certificateRows.dest, certificateRows.selectWhere(`WHERE revoked_at <> 0 ORDER BY revoked_at, serial`))
	return all, wrapf(err, "read revoked certificates")
}

// CertificateList implements [store.Administration].
func (s *Store) CertificateList(ctx context.Context, q store.CertificateQuery) (p store.CertificatePage, err error) {
	c := &condition{}
	order := "not_after, serial"
	switch now := toMicros(q.Now); q.Status {
	case contract.CertificateValid:
		c.terms = append(c.terms, "revoked_at = 0")
		c.addTerm("not_after > %s", now)
	case contract.CertificateEnded:
		c.terms = append(c.terms, "revoked_at = 0")
		c.addTerm("not_after <= %s", now)
		order = "not_after DESC, serial"
	case contract.CertificateRevoked:
		c.terms = append(c.terms, "revoked_at <> 0")
		order = "revoked_at DESC, serial"
	}
	if q.Serial != "" {
		c.addTerm("serial = %s", q.Serial)
	}
	if q.Organisation != "" {
		// A guest's certificate belongs to the organisation of the document.
		c.terms = append(c.terms, strings.ReplaceAll(`(holder = ? OR holder IN (SELECT id FROM users WHERE organisation = ?)
			OR holder IN (SELECT p.person FROM participant p JOIN document d ON d.id = p.document WHERE p.guest AND d.organisation = ?))`, "?", c.addArg(q.Organisation)))
	}
	p.Certificates, p.Total, err = certificateRows.readPage(ctx, s, c, order, q.Offset, q.Limit)
	return p, wrapf(err, "list certificates")
}
