package sqlstore

import (
	"context"
	"time"

	"segel/internal/store"
)

// KeyFile implements [store.KeyFiles].
func (s *Store) KeyFile(ctx context.Context, name string) ([]byte, error) {
	var content []byte
	err := s.readRow(ctx, []any{scanBytes(&content)}, `SELECT content FROM key_file WHERE name = $1`, name)
	return content, wrapf(err, "read key file %s", name)
}

// AddKeyFile implements [store.KeyFiles].
func (s *Store) AddKeyFile(ctx context.Context, name string, content []byte, at time.Time) error {
	return s.addKeyFile(ctx, requireUsedState, name, content, at)
}

func (s *Store) addKeyFile(ctx context.Context, require func(context.Context, tx) error, name string, content []byte, at time.Time) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `INSERT INTO key_file (name, content, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING`, name, bytesArg(content), toMicros(at))
		if err == nil && n == 0 {
			err = store.ErrExists
		}
		if err != nil {
			return err
		}
		return require(ctx, t)
	})
	return wrapf(err, "add key file %s", name)
}

// ReplaceKeyFile implements [store.KeyFiles].
func (s *Store) ReplaceKeyFile(ctx context.Context, name string, old, content []byte) error {
	err := s.db.withTx(ctx, func(t tx) error {
		return execRequired(ctx, t, requireChange, `UPDATE key_file SET content = $3 WHERE name = $1 AND content = $2`, name, bytesArg(old), bytesArg(content))
	})
	return wrapf(err, "replace key file %s", name)
}
