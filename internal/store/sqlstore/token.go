package sqlstore

import (
	"context"
	"fmt"
	"time"

	"segel/internal/store"
)

// AddTokens implements [store.Identities].
func (s *Store) AddTokens(ctx context.Context, tokens ...store.Token) error {
	err := s.db.write(ctx, func(t tx) error {
		for _, k := range tokens {
			if err := awaitRevocation(ctx, t, k); err != nil {
				return err
			}
			_, err := t.exec(ctx, `INSERT INTO token (hash, kind, person, document, family, created_at, expires_at, used_at) VALUES (`+list(1, 8)+`)`,
				k.Hash[:], k.Kind, k.Person, k.Document, k.Family, micros(k.CreatedAt), micros(k.ExpiresAt), micros(k.UsedAt))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "add tokens")
}

// awaitRevocation waits for whoever is replacing the person's password, ending the family, or replacing the guest's link:
// he has removed tokens and not committed yet, and would neither remove this one nor be seen by who reads, behind it,
// whether it is still to be. Until this transaction ends he has to wait in his turn.
func awaitRevocation(ctx context.Context, t tx, k store.Token) error {
	if k.Document != 0 {
		_, err := t.exec(ctx, `UPDATE guest_link SET created_at = created_at WHERE document = $1 AND person = $2`, k.Document, k.Person)
		return err
	}
	_, err := t.exec(ctx, `UPDATE users SET password = password WHERE id = $1`, k.Person)
	return err
}

// Token implements [store.Identities].
func (s *Store) Token(ctx context.Context, hash [32]byte) (store.Token, error) {
	k := store.Token{Hash: hash}
	err := s.get(ctx, []any{&k.Kind, &k.Person, &k.Document, &k.Family, moment(&k.CreatedAt), moment(&k.ExpiresAt), moment(&k.UsedAt)},
		`SELECT kind, person, document, family, created_at, expires_at, used_at FROM token WHERE hash = $1`, hash[:])
	return k, wrap(err, "read token")
}

// UseToken implements [store.Identities].
func (s *Store) UseToken(ctx context.Context, hash [32]byte, now time.Time) error {
	err := s.db.write(ctx, func(t tx) error {
		n, err := t.exec(ctx, `UPDATE token SET used_at = $2 WHERE hash = $1 AND used_at = 0`, hash[:], micros(now))
		if err != nil || n == 1 {
			return err
		}
		var at int64
		if err := one(ctx, t, []any{&at}, `SELECT used_at FROM token WHERE hash = $1`, hash[:]); err != nil {
			return err
		}
		return store.ErrConflict
	})
	return wrap(err, "use token")
}

// RevokeFamily implements [store.Identities].
func (s *Store) RevokeFamily(ctx context.Context, family string) error {
	err := s.db.write(ctx, func(t tx) error {
		// See awaitRevocation.
		if _, err := t.exec(ctx, `UPDATE users SET password = password WHERE id IN (SELECT person FROM token WHERE family = $1)`, family); err != nil {
			return err
		}
		_, err := t.exec(ctx, `DELETE FROM token WHERE family = $1`, family)
		return err
	})
	return wrap(err, "revoke token family %s", family)
}

// PurgeTokens implements [store.Identities].
func (s *Store) PurgeTokens(ctx context.Context, before time.Time) error {
	return wrap(s.run(ctx, `DELETE FROM token WHERE expires_at < $1`, micros(before)), "purge tokens")
}

// setGuestLink stores a link in the place of the former one, with whose tokens nothing can be done any more.
func setGuestLink(ctx context.Context, t tx, l store.GuestLink) error {
	_, err := t.exec(ctx, `INSERT INTO guest_link (hash, document, person, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (document, person) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at`,
		l.Hash[:], l.Document, l.Person, micros(l.CreatedAt))
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `DELETE FROM token WHERE person = $1 AND document = $2`, l.Person, l.Document)
	return err
}

// GuestLink implements [store.Identities].
func (s *Store) GuestLink(ctx context.Context, hash [32]byte) (store.GuestLink, error) {
	l := store.GuestLink{Hash: hash}
	err := s.get(ctx, []any{&l.Document, &l.Person, moment(&l.CreatedAt)}, `SELECT document, person, created_at FROM guest_link WHERE hash = $1`, hash[:])
	if err != nil {
		return l, fmt.Errorf("read a guest's link: %w", err)
	}
	return l, nil
}
