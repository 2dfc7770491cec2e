package sqlstore

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// AddCredential implements [store.Credentials].
func (s *Store) AddCredential(ctx context.Context, c store.SealedCredential) error {
	err := s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO credential (id, holder, sealed_key, not_before, not_after, created_at) VALUES (`+placeholders(1, 6)+`)`,
			c.ID, c.Holder, bytesArg(c.Key), toMicros(c.NotBefore), toMicros(c.NotAfter), toMicros(c.CreatedAt))
		if err != nil {
			return err
		}
		for i, der := range c.Chain {
			if _, err := t.exec(ctx, `INSERT INTO credential_chain (credential, position, der) VALUES ($1, $2, $3)`, c.ID, i, der); err != nil {
				return err
			}
		}
		return logEntry{records: []record{recordOf("credential", c.ID)}, at: c.CreatedAt}.appendToLog(ctx, t)
	})
	return wrapf(err, "add credential %s of %s", c.ID, c.Holder)
}

// Credential implements [store.Credentials].
func (s *Store) Credential(ctx context.Context, holder string, begun, until time.Time) (store.SealedCredential, error) {
	var c store.SealedCredential
	err := s.db.withSnapshot(ctx, func(q querier) error {
		err := queryOne(ctx, q, []any{&c.ID, &c.Holder, scanBytes(&c.Key), scanTime(&c.NotBefore), scanTime(&c.NotAfter), scanTime(&c.CreatedAt)},
			`SELECT id, holder, sealed_key, not_before, not_after, created_at FROM credential
			WHERE holder = $1 AND not_before <= $2 AND not_after > $3 ORDER BY created_at DESC, id DESC LIMIT 1`, holder, toMicros(begun), toMicros(until))
		if err != nil {
			return err
		}
		c.Chain, err = readChain(ctx, q, c.ID)
		return err
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
		var batch []store.SealedCredential
		err := queryEach(ctx, q, func(scan func(...any) error) error {
			var c store.SealedCredential
			err := scan(&c.ID, &c.Holder, scanBytes(&c.Key), scanTime(&c.NotBefore), scanTime(&c.NotAfter), scanTime(&c.CreatedAt))
			batch = append(batch, c)
			return err
		}, `SELECT id, holder, sealed_key, not_before, not_after, created_at FROM credential`+c.pageClause("id", 0, eachBatch), c.args...)
		for i := range batch {
			if err == nil {
				batch[i].Chain, err = readChain(ctx, q, batch[i].ID)
			}
		}
		return batch, err
	}, yield), "read credentials")
}

func readChain(ctx context.Context, q querier, id string) (chain [][]byte, err error) {
	return chain, queryEach(ctx, q, func(scan func(...any) error) error {
		var der []byte
		err := scan(scanBytes(&der))
		chain = append(chain, der)
		return err
	}, `SELECT der FROM credential_chain WHERE credential = $1 ORDER BY position`, id)
}

const certificateColumns = `serial, subject, der, issued_at, not_after, revoked_at, reason, holder, assurance, named_by, organisation, email`

func certificateDest(c *store.Certificate) []any {
	return []any{&c.Serial, &c.Subject, scanBytes(&c.DER), scanTime(&c.IssuedAt), scanTime(&c.NotAfter), scanTime(&c.RevokedAt), &c.Reason, &c.Holder,
		&c.Assurance, &c.NamedBy, &c.Organisation, &c.Email}
}

// AddCertificate implements [store.Certificates].
func (s *Store) AddCertificate(ctx context.Context, c store.Certificate) error {
	entry := logEntry{records: []record{recordOf("certificate", c.Serial)}, at: c.IssuedAt}
	err := s.insertRow(ctx, entry, `INSERT INTO certificate (`+certificateColumns+`) VALUES (`+placeholders(1, 12)+`) ON CONFLICT DO NOTHING`,
		c.Serial, c.Subject, bytesArg(c.DER), toMicros(c.IssuedAt), toMicros(c.NotAfter), toMicros(c.RevokedAt), c.Reason, c.Holder,
		c.Assurance, c.NamedBy, c.Organisation, c.Email)
	return wrapf(err, "add certificate %s", c.Serial)
}

// Certificate implements [store.Certificates].
func (s *Store) Certificate(ctx context.Context, serial string) (store.Certificate, error) {
	var c store.Certificate
	err := s.readRow(ctx, certificateDest(&c), `SELECT `+certificateColumns+` FROM certificate WHERE serial = $1`, serial)
	return c, wrapf(err, "read certificate %s", serial)
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

// certificatesBatch is the number of certificates that are read at a time.
const certificatesBatch = 500

// EachCertificate implements [store.Certificates].
func (s *Store) EachCertificate(ctx context.Context, yield func(store.Certificate) bool) error {
	for last := ""; ; {
		var batch []store.Certificate
		err := s.db.withSnapshot(ctx, func(q querier) error {
			return queryEach(ctx, q, func(scan func(...any) error) error {
				var c store.Certificate
				err := scan(certificateDest(&c)...)
				batch = append(batch, c)
				return err
			}, `SELECT `+certificateColumns+` FROM certificate WHERE serial > $1 ORDER BY serial LIMIT $2`, last, certificatesBatch)
		})
		if err != nil {
			return fmt.Errorf("read certificates after %q: %w", last, err)
		}
		for _, c := range batch {
			if !yield(c) {
				return nil
			}
		}
		if len(batch) < certificatesBatch {
			return nil
		}
		last = batch[len(batch)-1].Serial
	}
}

// RevokedCertificates implements [store.Certificates].
func (s *Store) RevokedCertificates(ctx context.Context) ([]store.Certificate, error) {
	all := []store.Certificate{}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan func(...any) error) error {
			var c store.Certificate
			err := scan(certificateDest(&c)...)
			all = append(all, c)
			return err
		}, `SELECT `+certificateColumns+` FROM certificate WHERE revoked_at <> 0 ORDER BY revoked_at, serial`)
	})
	if err != nil {
		return nil, fmt.Errorf("read revoked certificates: %w", err)
	}
	return all, nil
}
