package sqlstore

import (
	"context"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// EmbedOrigins implements [store.Embeds].
func (s *Store) EmbedOrigins(ctx context.Context, o contract.OrganisationID) ([]string, error) {
	var origins []string
	err := s.readRow(ctx, []any{scanWords(&origins)}, `SELECT `+listedOrigins("$1"), o)
	return origins, wrapf(err, "read the origins of organisation %s", o)
}

// StoredEmbedOrigins implements [store.Embeds].
func (s *Store) StoredEmbedOrigins(ctx context.Context, o contract.OrganisationID) ([]string, error) {
	var origins []string
	err := s.readRow(ctx, []any{scanWords(&origins)}, `SELECT COALESCE((SELECT origins FROM embedding WHERE organisation = $1), '')`, o)
	return origins, wrapf(err, "read the stored origins of organisation %s", o)
}

// listedOrigins returns the origins of an organisation that is active; empty for others.
func listedOrigins(organisation string) string {
	return `COALESCE((SELECT g.origins FROM embedding g WHERE g.organisation = ` + organisation + ` AND NOT EXISTS (
		SELECT 1 FROM organisation_state st WHERE st.id = g.organisation AND st.state <> '')), '')`
}

// scanWords scans words that are separated by spaces.
func scanWords(to *[]string) scanner {
	return func(column any) error {
		var s string
		err := scanText(&s).Scan(column)
		*to = strings.Fields(s)
		return err
	}
}

// SetEmbedOrigins implements [store.Embeds].
func (s *Store) SetEmbedOrigins(ctx context.Context, o contract.OrganisationID, origins []string, now time.Time, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `INSERT INTO embedding (organisation, origins, changed_at) VALUES ($1, $2, $3)
			ON CONFLICT (organisation) DO UPDATE SET origins = excluded.origins, changed_at = excluded.changed_at`, o, strings.Join(origins, " "), toMicros(now)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("embedding", o)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the origins of organisation %s", o)
}

// selectEmbed reads an address with what decides whether it may still be used. Its arguments are the hash and the time.
var selectEmbed = `SELECT e.hash, e.organisation, e.document, e.person, e.purpose, e.origins, e.requester, e.requester_name, e.requester_email, e.session, e.api_key, e.key_name,
		e.created_at, e.expires_at, e.opened_at, e.origin, ` + listedOrigins("e.organisation") + `,
		EXISTS (SELECT 1 FROM users u WHERE u.id = e.requester AND u.organisation = e.organisation) AND NOT EXISTS (SELECT 1 FROM disabled_account d WHERE d.person = e.requester),
		CASE WHEN e.api_key <> '' THEN EXISTS (SELECT 1 FROM api_key k WHERE k.id = e.api_key AND k.revoked_at = 0 AND (k.expires_at = 0 OR k.expires_at > $2))
			ELSE EXISTS (SELECT 1 FROM token t WHERE t.family = e.session AND t.person = e.requester AND t.expires_at > $2) END,
		COALESCE(s.family, ''), COALESCE(s.created_at, 0), COALESCE(s.last_used_at, 0), COALESCE(o.policy, '')
	FROM embed_address e LEFT JOIN session s ON s.family = e.session LEFT JOIN account_policy o ON o.organisation = e.organisation WHERE e.hash = $1`

// EmbedOfAddress implements [store.HeldEmbeds].
func (s *Store) EmbedOfAddress(ctx context.Context, hash [32]byte, now time.Time) (e store.HeldEmbed, err error) {
	err = s.readRow(ctx, []any{
		scanDigest(&e.Hash), &e.Organisation, &e.Document, &e.Person, &e.Purpose, scanWords(&e.Origins), &e.By.ID, &e.By.Name, &e.By.Email, &e.Session, &e.Key, &e.KeyName,
		scanTime(&e.CreatedAt), scanTime(&e.ExpiresAt), scanTime(&e.OpenedAt), &e.Origin, scanWords(&e.Listed), &e.Requester, &e.Granted,
		&e.From.Family, scanTime(&e.From.CreatedAt), scanTime(&e.From.LastUsedAt), scanPolicy(&e.Policy),
	}, selectEmbed, hash[:], toMicros(now))
	return e, wrapf(err, "read an address of an embedded page")
}

func addEmbedAddress(ctx context.Context, t tx, a *contract.EmbedAddress) error {
	if a == nil {
		return nil
	}
	return t.addStatements(ctx, statement{
		sql: `INSERT INTO embed_address (hash, organisation, document, person, purpose, origins, requester, requester_name, requester_email, session, api_key, key_name,
			created_at, expires_at, opened_at, origin) VALUES (` + placeholders(1, 16) + `)`,
		args: []any{a.Hash[:], a.Organisation, a.Document, a.Person, a.Purpose, strings.Join(a.Origins, " "), a.By.ID, cleanText(a.By.Name), cleanText(a.By.Email), a.Session, a.Key, cleanText(a.KeyName),
			toMicros(a.CreatedAt), toMicros(a.ExpiresAt), 0, ""},
		what: "add an address of an embedded page",
	})
}

// openEmbed uses up an address and adds the token for which it is exchanged. Of two requests, the second one finds no address that is not used.
func openEmbed(ctx context.Context, t tx, d contract.DocumentID, o *contract.OpenedEmbed, at time.Time) error {
	if o == nil {
		return nil
	}
	k := store.Token{Hash: o.Token, Kind: store.EmbeddedToken, Person: o.Person, Document: d, Family: store.EmbeddedFamilyOf(o.Address), CreatedAt: at, ExpiresAt: o.ExpiresAt}
	if err := lockUser(ctx, t, k.Person); err != nil {
		return err
	}
	use := statement{
		sql:  `UPDATE embed_address SET opened_at = $2, origin = $3 WHERE hash = $1 AND opened_at = 0`,
		args: []any{o.Address[:], toMicros(at), o.Origin},
		done: func(n int64) error {
			if n == 0 {
				return contract.ErrEmbedUsed
			}
			return nil
		},
	}
	if err := t.addStatements(ctx, use); err != nil {
		return err
	}
	return insertToken(ctx, t, k)
}
