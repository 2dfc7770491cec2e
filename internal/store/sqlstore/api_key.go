package sqlstore

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// apiKeyColumns are the columns of a key k. Scopes and networks are stored in one text each, separated by spaces.
const apiKeyColumns = `k.id, k.organisation, k.person, k.name, k.hint, k.scopes, k.networks, k.test, k.created_at, k.expires_at, k.revoked_at`

func apiKeyDest(k *contract.APIKey) []any {
	return []any{
		&k.ID, &k.Organisation, &k.Person, &k.Name, &k.Hint, scanScopes(&k.Scopes), scanNetworks(&k.Networks), &k.Test,
		scanTime(&k.CreatedAt), scanTime(&k.ExpiresAt), scanTime(&k.RevokedAt),
	}
}

// apiKeyRows are keys with their last use.
var apiKeyRows = rowType[contract.APIKey]{
	"api_key k",
	apiKeyColumns + `, COALESCE((SELECT MAX(n.used_at) FROM api_key_network n WHERE n.key = k.id AND NOT n.refused), 0),
		COALESCE((SELECT n.network FROM api_key_network n WHERE n.key = k.id AND NOT n.refused ORDER BY n.used_at DESC, n.network LIMIT 1), '')`,
	func(k *contract.APIKey) []any { return append(apiKeyDest(k), scanTime(&k.LastUsedAt), &k.LastNetwork) },
}

// scanScopes scans scopes of [contract.JoinScopes].
func scanScopes(to *[]contract.KeyScope) scanner {
	return func(column any) error {
		var text string
		if err := scanText(&text).Scan(column); err != nil {
			return err
		}
		*to = nil
		for s := range strings.FieldsSeq(text) {
			*to = append(*to, contract.KeyScope(s))
		}
		return nil
	}
}

// scanNetworks scans networks of [contract.JoinNetworks]. It fails on a network that cannot be parsed: without its networks, a key would be
// allowed everywhere.
func scanNetworks(to *[]netip.Prefix) scanner {
	return func(column any) error {
		var text string
		if err := scanText(&text).Scan(column); err != nil {
			return err
		}
		*to = nil
		for s := range strings.FieldsSeq(text) {
			n, err := netip.ParsePrefix(s)
			if err != nil {
				return err
			}
			*to = append(*to, n)
		}
		return nil
	}
}

// AddAPIKey implements [store.APIKeys].
func (s *Store) AddAPIKey(ctx context.Context, k contract.APIKey, hash [32]byte, e contract.Event, notices ...contract.Notice) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Locks the person's row: of keys that are made at the same time, each counts those before it, and an account that is being disabled gets none.
		if err := lockUser(ctx, t, k.Person); err != nil {
			return err
		}
		var enabled bool
		var count int
		if err := queryOne(ctx, t, []any{&enabled, &count}, `SELECT NOT EXISTS (SELECT 1 FROM disabled_account WHERE person = u.id),
			(SELECT COUNT(*) FROM api_key WHERE person = u.id AND revoked_at = 0 AND (expires_at = 0 OR expires_at > $2)) FROM users u WHERE u.id = $1`,
			k.Person, toMicros(e.At)); err != nil {
			return err
		}
		switch {
		case !enabled:
			return store.ErrNotFound
		case count >= contract.MaxKeysPerPerson:
			return contract.ErrKeyLimit
		}
		written := newWrittenRecord(recordOf("api_key", k.ID))
		insert, err := written.writeRow(`INSERT INTO api_key (id, hash, organisation, person, name, hint, scopes, networks, test, created_at, expires_at, revoked_at)
			VALUES (`+placeholders(1, 12)+`)`,
			k.ID, hash[:], k.Organisation, k.Person, cleanText(k.Name), k.Hint, contract.JoinScopes(k.Scopes), contract.JoinNetworks(k.Networks), k.Test,
			toMicros(k.CreatedAt), toMicros(k.ExpiresAt), toMicros(k.RevokedAt))
		if err == nil {
			err = t.addStatements(ctx, insert)
		}
		if err != nil {
			return err
		}
		if err := insertNotices(ctx, t, notices); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, written: []*writtenRecord{written}, jobs: noticeJobs(notices)}.appendToLog(ctx, t)
	})
	return wrapf(err, "add API key %s", k.ID)
}

// APIKey implements [store.APIKeys].
func (s *Store) APIKey(ctx context.Context, id contract.KeyID) (contract.APIKey, error) {
	k, err := apiKeyRows.readOne(ctx, s, `WHERE k.id = $1`, id)
	return k, wrapf(err, "read API key %s", id)
}

// keyCondition returns the condition that selects API keys; possible is false if no key can match. Its terms for a status agree with
// [contract.APIKey.Status].
func keyCondition(q store.KeyQuery) (c *condition, possible bool) {
	c = &condition{}
	like, possible := likePattern(q.Search)
	if !possible {
		return c, false
	}
	if q.Organisation != "" {
		c.addTerm("k.organisation = %s", q.Organisation)
	}
	if !q.ValidAt.IsZero() {
		c.terms = append(c.terms, "k.revoked_at = 0")
		c.addTerm("(k.expires_at = 0 OR k.expires_at > %s)", toMicros(q.ValidAt))
	}
	if q.Person != "" {
		c.addTerm("k.person = %s", q.Person)
	}
	if q.Search != "" {
		// lower may leave letters outside ASCII as they are, so the search is compared as it was typed too.
		folded, typed := c.addArg(like), c.addArg(containing(cleanText(q.Search)))
		term := `lower(k.name) LIKE ?folded OR k.name LIKE ?typed OR lower(k.hint) LIKE ?folded`
		if q.Person == "" {
			term += ` OR k.person IN (SELECT id FROM users WHERE name_folded LIKE ?folded OR email_folded LIKE ?folded)`
		}
		c.terms = append(c.terms, "("+strings.NewReplacer("?folded", folded+` ESCAPE '\'`, "?typed", typed+` ESCAPE '\'`).Replace(term)+")")
	}
	switch q.Status {
	case contract.KeyActive:
		c.terms = append(c.terms, "k.revoked_at = 0")
		c.addTerm("(k.expires_at = 0 OR k.expires_at > %s)", toMicros(q.Now))
	case contract.KeyExpired:
		c.terms = append(c.terms, "k.revoked_at = 0 AND k.expires_at <> 0")
		c.addTerm("k.expires_at <= %s", toMicros(q.Now))
	case contract.KeyRevoked:
		c.terms = append(c.terms, "k.revoked_at <> 0")
	}
	return c, true
}

// ListAPIKeys implements [store.APIKeys].
func (s *Store) ListAPIKeys(ctx context.Context, q store.KeyQuery) (p store.KeyPage, err error) {
	c, possible := keyCondition(q)
	if !possible {
		return store.KeyPage{Keys: []contract.APIKey{}}, nil
	}
	p.Keys, p.Total, err = apiKeyRows.readPage(ctx, s, c, "k.created_at DESC, k.id DESC", q.Offset, q.Limit)
	return p, wrapf(err, "list API keys")
}

// RevokeAPIKey implements [store.APIKeys].
func (s *Store) RevokeAPIKey(ctx context.Context, id contract.KeyID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireChange, `UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0`, id, toMicros(e.At)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("api_key", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "revoke API key %s", id)
}

// revokeKeys revokes all keys of a person, in a transaction that has locked the person's row. It returns their records.
func revokeKeys(ctx context.Context, t tx, person contract.PersonID, at time.Time) ([]record, error) {
	ids, err := queryAll(ctx, t, column[contract.KeyID], `UPDATE api_key SET revoked_at = $2 WHERE person = $1 AND revoked_at = 0 RETURNING id`, person, toMicros(at))
	records := make([]record, len(ids))
	for i, id := range ids {
		records[i] = recordOf("api_key", id)
	}
	return records, err
}

// networkUse are the columns that say when key k was last used, and last refused, from network $2, and whether it was used from any.
const networkUse = `, COALESCE((SELECT n.used_at FROM api_key_network n WHERE n.key = k.id AND n.network = $2 AND NOT n.refused), 0),
	COALESCE((SELECT n.used_at FROM api_key_network n WHERE n.key = k.id AND n.network = $2 AND n.refused), 0), EXISTS (SELECT 1 FROM api_key_network n WHERE n.key = k.id AND NOT n.refused)`

// Statements of [Store.PresentedKey] and [Store.PresentedToken].
const (
	selectPresentedKey   = `SELECT ` + apiKeyColumns + networkUse + `, k.scopes, 0 FROM api_key k WHERE k.hash = $1`
	selectPresentedToken = `SELECT ` + apiKeyColumns + networkUse + `, t.scopes, t.expires_at FROM api_key_token t JOIN api_key k ON k.id = t.key WHERE t.hash = $1`
)

// PresentedKey implements [store.APIKeys].
func (s *Store) PresentedKey(ctx context.Context, hash [32]byte, network string) (store.PresentedKey, error) {
	return s.readPresentedKey(ctx, selectPresentedKey, hash, network)
}

// PresentedToken implements [store.APIKeys].
func (s *Store) PresentedToken(ctx context.Context, hash [32]byte, network string) (store.PresentedKey, error) {
	return s.readPresentedKey(ctx, selectPresentedToken, hash, network)
}

func (s *Store) readPresentedKey(ctx context.Context, sql string, hash [32]byte, network string) (p store.PresentedKey, err error) {
	dest := append(apiKeyDest(&p.Key), scanTime(&p.UsedAt), scanTime(&p.RefusedAt), &p.Used, scanScopes(&p.Scopes), scanTime(&p.Until))
	err = s.readRow(ctx, dest, sql, hash[:], network)
	return p, wrapf(err, "read a presented API key")
}

// AddKeyToken implements [store.APIKeys]. It locks the key's row: a revocation in progress ends before, and a later one waits.
func (s *Store) AddKeyToken(ctx context.Context, k store.KeyToken) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := execRequired(ctx, t, requireRow, `UPDATE api_key SET revoked_at = 0 WHERE id = $1 AND revoked_at = 0`, k.Key); err != nil {
			return err
		}
		_, err := t.exec(ctx, `INSERT INTO api_key_token (hash, key, scopes, created_at, expires_at) VALUES (`+placeholders(1, 5)+`)`,
			k.Hash[:], k.Key, contract.JoinScopes(k.Scopes), toMicros(k.CreatedAt), toMicros(k.ExpiresAt))
		return err
	})
	return wrapf(err, "add an access token of API key %s", k.Key)
}

// RecordKeyUse implements [store.APIKeys].
func (s *Store) RecordKeyUse(ctx context.Context, u store.KeyUse, keep int, e contract.Event, notices ...contract.Notice) error {
	err := s.db.withTx(ctx, func(t tx) error {
		n, err := t.exec(ctx, `INSERT INTO api_key_network (key, network, refused, first_at, used_at) VALUES ($1, $2, $3, $4, $4) ON CONFLICT DO NOTHING`,
			u.Key, u.Network, u.Refused, toMicros(u.At))
		if err != nil {
			return err
		}
		if n == 0 { // known, or another request was faster
			_, err := t.exec(ctx, `UPDATE api_key_network SET used_at = $4 WHERE key = $1 AND network = $2 AND refused = $3 AND used_at < $4`, u.Key, u.Network, u.Refused, toMicros(u.At))
			return err
		}
		_, err = t.exec(ctx, `DELETE FROM api_key_network WHERE key = $1 AND refused = $2 AND network NOT IN (
			SELECT network FROM api_key_network WHERE key = $1 AND refused = $2 ORDER BY used_at DESC, network LIMIT $3)`, u.Key, u.Refused, keep)
		if err != nil {
			return err
		}
		if err := insertNotices(ctx, t, notices); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, jobs: noticeJobs(notices)}.appendToLog(ctx, t)
	})
	return wrapf(err, "record a use of API key %s", u.Key)
}

// PurgeKeys implements [store.APIKeys].
func (s *Store) PurgeKeys(ctx context.Context, now, before time.Time) error {
	err := s.runPurges(ctx,
		purge{"api_key_token", "hash", `expires_at < $1`, []any{toMicros(now)}},
		purge{"api_key_network", "key, network, refused", `used_at < $1`, []any{toMicros(before)}})
	return wrapf(err, "purge API keys")
}
