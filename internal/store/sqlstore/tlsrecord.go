package sqlstore

import (
	"context"
	"time"
)

// TLSRecord implements [store.TLSRecords].
func (s *Store) TLSRecord(ctx context.Context, name string) ([]byte, error) {
	var content []byte
	err := s.readRow(ctx, []any{scanBytes(&content)}, `SELECT content FROM tls_record WHERE name = $1`, name)
	return content, wrapf(err, "read TLS record %s", name)
}

// StoreTLSRecord implements [store.TLSRecords].
func (s *Store) StoreTLSRecord(ctx context.Context, name string, content []byte, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `INSERT INTO tls_record (name, content, stored_at) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET content = excluded.content, stored_at = excluded.stored_at`, name, bytesArg(content), toMicros(at))
		return err
	})
	return wrapf(err, "store TLS record %s", name)
}
