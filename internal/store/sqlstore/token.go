package sqlstore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// AddTokens implements [store.Identities].
func (s *Store) AddTokens(ctx context.Context, of contract.Session, tokens ...store.Token) error {
	err := s.db.withTx(ctx, func(t tx) error {
		for _, k := range tokens {
			if err := lockUser(ctx, t, k.Person); err != nil {
				return err
			}
			if err := insertToken(ctx, t, k); err != nil {
				return err
			}
		}
		if err := recordSessionLogin(ctx, t, of); err != nil {
			return err
		}
		return upsertSession(ctx, t, of)
	})
	return wrapf(err, "add tokens")
}

func insertToken(ctx context.Context, t tx, k store.Token) error {
	return t.addStatements(ctx, statement{
		sql:  `INSERT INTO token (hash, kind, person, document, family, created_at, expires_at, used_at) VALUES (` + placeholders(1, 8) + `)`,
		args: []any{k.Hash[:], k.Kind, k.Person, k.Document, k.Family, toMicros(k.CreatedAt), toMicros(k.ExpiresAt), toMicros(k.UsedAt)},
	})
}

// lockUser locks the row of a user until the transaction ends; a person without an account has none. A transaction that is replacing their password, disabling the
// account or ending their sessions ends before: what this one reads from then on shows its change, and what this one adds is not missed. Later ones wait for this one.
func lockUser(ctx context.Context, t tx, id contract.PersonID) error {
	return t.addStatements(ctx, statement{sql: `UPDATE users SET password = password WHERE id = $1`, args: []any{id}})
}

// lockExistingUser is [lockUser] for a person who must have an account; else store.ErrNotFound.
func lockExistingUser(ctx context.Context, t tx, id contract.PersonID) error {
	return execRequired(ctx, t, requireRow, `UPDATE users SET password = password WHERE id = $1`, id)
}

// AddGuestToken implements [store.Identities]. It locks the link first: a transaction that is replacing it ends before, and the link
// is not found; a later one waits, and removes the token.
func (s *Store) AddGuestToken(ctx context.Context, l store.GuestLink, k store.Token) error {
	err := s.db.withTx(ctx, func(t tx) error {
		lock := statement{
			sql:  `UPDATE ` + linkTable(l.Mailed) + ` SET created_at = created_at WHERE hash = $1 AND document = $2 AND person = $3`,
			args: []any{l.Hash[:], k.Document, k.Person}, done: requireRow,
		}
		if err := t.addStatements(ctx, lock); err != nil {
			return err
		}
		return insertToken(ctx, t, k)
	})
	return wrapf(err, "add a token of guest %s", k.Person)
}

func tokenDest(k *store.Token) []any {
	return []any{&k.Kind, &k.Person, &k.Document, &k.Family, scanTime(&k.CreatedAt), scanTime(&k.ExpiresAt), scanTime(&k.UsedAt)}
}

// Token implements [store.Identities].
func (s *Store) Token(ctx context.Context, hash [32]byte) (store.Token, error) {
	k := store.Token{Hash: hash}
	err := s.readRow(ctx, tokenDest(&k), `SELECT kind, person, document, family, created_at, expires_at, used_at FROM token WHERE hash = $1`, hash[:])
	return k, wrapf(err, "read token")
}

// guestColumns and joinGuest read the guest of a document, from a table %s that has both.
const (
	guestColumns = `COALESCE(p.person, ''), COALESCE(p.name, ''), COALESCE(p.email, ''), COALESCE(d.state, ''), COALESCE(d.ended_at, 0), COALESCE(p.phone, ''), COALESCE(d.delivery, ''),
		COALESCE((SELECT st.state FROM organisation_state st WHERE st.id = d.organisation), '')`
	joinGuest = ` LEFT JOIN participant p ON p.document = %[1]s.document AND p.person = %[1]s.person AND p.guest LEFT JOIN document d ON d.id = p.document `
)

func guestDest(g *store.Guest) []any {
	channel := scanner(func(column any) error {
		var d contract.Delivery
		if err := scanDelivery(&d).Scan(column); err != nil {
			return err
		}
		g.Channel = d.Channels[g.ID] // the columns are scanned in their order
		return nil
	})
	return []any{&g.ID, &g.Name, &g.Email, &g.State, scanTime(&g.EndedAt), &g.Phone, channel, &g.OrganisationState}
}

// TokenWithHolder implements [store.Identities].
func (s *Store) TokenWithHolder(ctx context.Context, hash [32]byte) (store.HeldToken, error) {
	h := store.HeldToken{Token: store.Token{Hash: hash}}
	proved := []any{&h.Guest.Proved.Address, scanDigestOrNone(&h.Guest.Proved.Digest), scanTime(&h.Guest.Proved.At), &h.Guest.Proved.Channel}
	err := s.readRow(ctx, slices.Concat(tokenDest(&h.Token), userRows.dest(&h.User), guestDest(&h.Guest), proved, sessionDest(&h.Session), []any{scanPolicy(&h.Policy), &h.HasFactor}),
		`SELECT t.kind, t.person, t.document, t.family, t.created_at, t.expires_at, t.used_at, COALESCE(u.id, ''), COALESCE(u.organisation, ''),
			COALESCE(u.name, ''), COALESCE(u.email, ''), COALESCE(u.admin, FALSE), COALESCE(u.password, ''), COALESCE(u.must_reset, FALSE),
			COALESCE(u.given, FALSE), COALESCE(u.created_at, 0), COALESCE((SELECT a.disabled_at FROM disabled_account a WHERE a.person = u.id), 0), COALESCE((SELECT x.asked_at FROM erasure x WHERE x.person = u.id), 0),
			COALESCE((SELECT r.role FROM account_role r WHERE r.person = u.id), ''),
			COALESCE((SELECT b.mailbox FROM mailbox_account b WHERE b.person = u.id), ''), `+stateOf("u.organisation")+`, `+teamsOf("u.id")+`, `+guestColumns+`,
			COALESCE(m.address, ''), m.digest, COALESCE(m.proved_at, 0), COALESCE(m.channel, ''),
			COALESCE(s.family, ''), COALESCE(s.person, ''), COALESCE(s.factor, ''), COALESCE(s.created_at, 0), COALESCE(s.proved_at, 0), COALESCE(s.last_used_at, 0),
			COALESCE(s.expires_at, 0), COALESCE(s.ip, ''), COALESCE(s.user_agent, ''), COALESCE(s.chain, ''), COALESCE(o.policy, ''),
			EXISTS (SELECT 1 FROM authenticator f WHERE f.person = u.id) OR EXISTS (SELECT 1 FROM passkey f WHERE f.person = u.id)
		FROM token t LEFT JOIN users u ON u.id = t.person LEFT JOIN proved_mailbox m ON m.token = t.hash LEFT JOIN session s ON s.family = t.family
			LEFT JOIN account_policy o ON o.organisation = u.organisation`+fmt.Sprintf(joinGuest, "t")+`WHERE t.hash = $1`, hash[:])
	return h, wrapf(err, "read token with its holder")
}

// RotateTokens implements [store.Identities].
func (s *Store) RotateTokens(ctx context.Context, used [32]byte, now, until time.Time, of contract.Session, tokens ...store.Token) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The lock on the user comes first, as in lockUser: a revocation in progress ends before the token is read,
		// and a later one sees the tokens added here.
		var changed int64
		var family string
		err := t.runBatch(ctx,
			statement{sql: `UPDATE users SET password = password WHERE id IN (SELECT person FROM token WHERE hash = $1)`, args: []any{used[:]}},
			statement{sql: `UPDATE token SET used_at = $2 WHERE hash = $1 AND used_at = 0`, args: []any{used[:], toMicros(now)}, done: func(n int64) error {
				changed = n
				return nil
			}},
			selectOne([]any{&family}, `SELECT family FROM token WHERE hash = $1`, used[:]))
		if err != nil {
			return err
		}
		if changed == 0 {
			return store.ErrConflict
		}
		err = t.addStatements(ctx, statement{sql: `UPDATE token SET expires_at = $3 WHERE family = $1 AND kind = $2 AND expires_at > $3`, args: []any{family, store.AccessToken, toMicros(until)}})
		if err != nil {
			return err
		}
		for _, k := range tokens {
			if err := insertToken(ctx, t, k); err != nil {
				return err
			}
		}
		return upsertSession(ctx, t, of)
	})
	return wrapf(err, "rotate tokens")
}

// RevokeFamily implements [store.Identities].
func (s *Store) RevokeFamily(ctx context.Context, family string) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// See lockUser.
		if _, err := t.exec(ctx, `UPDATE users SET password = password WHERE id IN (SELECT person FROM token WHERE family = $1)`, family); err != nil {
			return err
		}
		return endFamily(ctx, t, family)
	})
	return wrapf(err, "revoke token family %s", family)
}

// endFamily deletes the tokens of a family, those of guests that were opened with it, and its session. The transaction has locked the user's row, see lockUser.
func endFamily(ctx context.Context, t tx, family string) error {
	if _, err := t.exec(ctx, `DELETE FROM token WHERE family IN ($1, '`+store.OpenedFamily+`' || $1)`, family); err != nil {
		return err
	}
	_, err := t.exec(ctx, `DELETE FROM session WHERE family = $1`, family)
	return err
}

// PurgeTokens implements [store.Identities].
func (s *Store) PurgeTokens(ctx context.Context, before time.Time) error {
	err := s.runPurges(ctx,
		purge{"token", "hash", `expires_at < $1`, []any{toMicros(before)}},
		purge{"password_reset", "id", `expires_at < $1`, []any{toMicros(before)}},
		purge{"embed_address", "hash", `expires_at < $1`, []any{toMicros(before.Add(-contract.EmbedRemembered))}},
		purge{"session", "family", `NOT EXISTS (SELECT 1 FROM token WHERE token.family = session.family)`, nil},
		purge{"proved_mailbox", "token", `NOT EXISTS (SELECT 1 FROM token k WHERE k.hash = proved_mailbox.token)`, nil})
	return wrapf(err, "purge tokens")
}

// linkTable returns the table of the links that are mailed, or of those that are handed to owners.
func linkTable(mailed bool) string {
	if mailed {
		return "mailed_link"
	}
	return "guest_link"
}

// setGuestLink replaces the link that was handed to the owner, and ends its tokens. A link without a hash removes all links of the
// guest; if they are renewed, the next message to the guest has another one. The hashes of removed links are kept, so that their holder can be told what happened to them.
// The link is written before the tokens: a transaction that adds a token of it locks its row, see [Store.AddGuestToken].
func setGuestLink(ctx context.Context, t tx, l store.GuestLink, renewed bool) error {
	what := fmt.Sprintf("set the link of guest %s on document %d", l.Person, l.Document)
	revoked := l.Hash == [32]byte{}
	// This order, with the tokens last: a transaction that adds a token of a link locks the link's row, see [Store.AddGuestToken].
	all := []statement{recordFormerLink(l, false, revoked)}
	tokens := `DELETE FROM token WHERE person = $1 AND document = $2`
	if revoked {
		person := []any{l.Document, l.Person}
		all = append(all,
			statement{sql: `DELETE FROM embed_address WHERE document = $1 AND person = $2`, args: person},
			statement{sql: `DELETE FROM guest_link WHERE document = $1 AND person = $2`, args: person},
			recordFormerLink(l, true, revoked))
		if renewed {
			all = append(all, statement{sql: `DELETE FROM mailed_link WHERE document = $1 AND person = $2`, args: person})
		} else {
			// The row stays, without a link: else the next message would make another one.
			all = append(all, statement{
				sql: `INSERT INTO mailed_link (document, person, created_at, hash) VALUES ($1, $2, 0, $3)
					ON CONFLICT (document, person) DO UPDATE SET created_at = 0, hash = excluded.hash`,
				args: append(slices.Clone(person), revokedHash(l)),
			})
		}
	} else {
		all = append(all, statement{
			sql: `INSERT INTO guest_link (hash, document, person, created_at) VALUES ($1, $2, $3, $4)
				ON CONFLICT (document, person) DO UPDATE SET hash = excluded.hash, created_at = excluded.created_at`,
			args: []any{l.Hash[:], l.Document, l.Person, toMicros(l.CreatedAt)},
		}, statement{sql: `DELETE FROM mailed_link WHERE document = $1 AND person = $2 AND created_at = 0`, args: []any{l.Document, l.Person}})
		tokens += ` AND kind = '` + string(store.GuestToken) + `' AND family NOT LIKE '` + store.MailedFamily + `%'`
	}
	all = append(all, statement{sql: tokens, args: []any{l.Person, l.Document}})
	for i := range all {
		all[i].what = what
	}
	return t.addStatements(ctx, all...)
}

// revokedHash returns what a row without a link has in place of the hash of one. No secret has it.
func revokedHash(l store.GuestLink) []byte {
	hash := sha256.Sum256(fmt.Appendf(nil, "revoked %d %s", l.Document, l.Person))
	return hash[:]
}

// recordFormerLink keeps the hash of a link that is about to be removed.
func recordFormerLink(l store.GuestLink, mailed, revoked bool) statement {
	return statement{
		sql: `INSERT INTO former_link (hash, document, person, ended_at, revoked)
			SELECT hash, document, person, CAST($3 AS BIGINT), CAST($4 AS BOOLEAN) FROM ` + linkTable(mailed) + ` WHERE document = $1 AND person = $2 AND created_at <> 0
			ON CONFLICT DO NOTHING`,
		args: []any{l.Document, l.Person, toMicros(l.CreatedAt), revoked},
	}
}

// GuestLink implements [store.Identities].
func (s *Store) GuestLink(ctx context.Context, hash [32]byte) (store.GuestLink, store.Guest, error) {
	return s.readGuestLink(ctx, hash, false)
}

// MailedLink implements [store.Identities].
func (s *Store) MailedLink(ctx context.Context, hash [32]byte) (store.GuestLink, store.Guest, error) {
	return s.readGuestLink(ctx, hash, true)
}

func (s *Store) readGuestLink(ctx context.Context, hash [32]byte, mailed bool) (store.GuestLink, store.Guest, error) {
	l, g := store.GuestLink{Hash: hash, Mailed: mailed}, store.Guest{}
	err := s.readRow(ctx, append([]any{&l.Document, &l.Person, scanTime(&l.CreatedAt)}, guestDest(&g)...),
		`SELECT l.document, l.person, l.created_at, `+guestColumns+` FROM `+linkTable(mailed)+` l`+fmt.Sprintf(joinGuest, "l")+`WHERE l.hash = $1`, hash[:])
	return l, g, wrapf(err, "read a guest's link")
}

// MailedLinkOf implements [store.Identities].
func (s *Store) MailedLinkOf(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (store.GuestLink, error) {
	l := store.GuestLink{Document: id, Person: guest, Mailed: true}
	err := s.readRow(ctx, []any{scanDigest(&l.Hash), scanTime(&l.CreatedAt)}, `SELECT hash, created_at FROM mailed_link WHERE document = $1 AND person = $2`, id, guest)
	return l, wrapf(err, "read the mailed link of guest %s on document %d", guest, id)
}

// AddMailedLink implements [store.Identities].
func (s *Store) AddMailedLink(ctx context.Context, l store.GuestLink) error {
	return wrapf(s.runStatement(ctx, `INSERT INTO mailed_link (document, person, created_at, hash) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		l.Document, l.Person, toMicros(l.CreatedAt), l.Hash[:]), "add the mailed link of guest %s on document %d", l.Person, l.Document)
}

// FormerGuestLink implements [store.Identities].
func (s *Store) FormerGuestLink(ctx context.Context, hash [32]byte) (store.FormerGuestLink, error) {
	l := store.FormerGuestLink{Hash: hash}
	err := s.readRow(ctx, []any{&l.Document, &l.Person, scanTime(&l.EndedAt), &l.Revoked}, `SELECT document, person, ended_at, revoked FROM former_link WHERE hash = $1`, hash[:])
	return l, wrapf(err, "read a guest's former link")
}

// GuestLinks implements [store.Identities].
func (s *Store) GuestLinks(ctx context.Context, id contract.DocumentID) ([]store.GuestLink, error) {
	dest := func(l *store.GuestLink) []any {
		return []any{scanDigest(&l.Hash), &l.Document, &l.Person, scanTime(&l.CreatedAt)}
	}
	links, err := readAll(ctx, s, dest, `SELECT hash, document, person, created_at FROM guest_link WHERE document = $1 ORDER BY person`, id)
	return links, wrapf(err, "read the guests' links of document %d", id)
}
