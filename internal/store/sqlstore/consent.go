package sqlstore

import (
	"context"
	"time"

	"segel/internal/contract"
)

// SetConsent implements [store.Consents].
func (s *Store) SetConsent(ctx context.Context, o contract.OrganisationID, texts map[string]string, policy contract.ConsentPolicy, now time.Time,
	eventOf func(contract.ConsentPolicy) contract.Event,
) (contract.ConsentPolicy, error) {
	err := s.db.withTx(ctx, func(t tx) error {
		// The row of the policy comes first. It stays locked, so that of two changes at once the later one makes the later version.
		records := []record{recordOf("consent_policy", o)}
		if _, err := t.exec(ctx, `INSERT INTO consent_policy (organisation, version, required, changed_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (organisation) DO UPDATE SET version = excluded.version, required = excluded.required, changed_at = excluded.changed_at`,
			o, policy.Version, policy.Required, toMicros(now)); err != nil {
			return err
		}
		if texts != nil {
			if err := queryOne(ctx, t, []any{&policy.Version}, `INSERT INTO consent_text (organisation, version, text_id, text_en, made_at)
				SELECT CAST($1 AS TEXT), COALESCE(MAX(version), 0) + 1, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS BIGINT)
				FROM consent_text WHERE organisation = $1 RETURNING version`,
				o, texts["id"], texts["en"], toMicros(now)); err != nil {
				return err
			}
			if _, err := t.exec(ctx, `UPDATE consent_policy SET version = $2 WHERE organisation = $1`, o, policy.Version); err != nil {
				return err
			}
			records = append(records, recordOf("consent_text", o, policy.Version))
		}
		return logEntry{events: []contract.Event{eventOf(policy)}, records: records}.appendToLog(ctx, t)
	})
	return policy, wrapf(err, "set the consent text of organisation %s", o)
}

// ConsentText implements [store.Consents].
func (s *Store) ConsentText(ctx context.Context, o contract.OrganisationID, version int) (contract.ConsentText, error) {
	t := contract.ConsentText{Organisation: o, Version: version}
	var indonesian, english string
	err := s.readRow(ctx, []any{&indonesian, &english}, `SELECT text_id, text_en FROM consent_text WHERE organisation = $1 AND version = $2`, o, version)
	t.Texts = map[string]string{"id": indonesian, "en": english}
	return t, wrapf(err, "read consent text %d of organisation %s", version, o)
}

// Acceptance implements [store.Consents].
func (s *Store) Acceptance(ctx context.Context, person contract.PersonID, o contract.OrganisationID, version string) (contract.Acceptance, error) {
	a := contract.Acceptance{Person: person, Organisation: o, Version: version}
	err := s.readRow(ctx, []any{&a.Language, scanDigest(&a.Digest), &a.Document, scanTime(&a.At)},
		`SELECT language, digest, document, accepted_at FROM consent_acceptance WHERE person = $1 AND organisation = $2 AND version = $3`, person, o, version)
	return a, wrapf(err, "read the acceptance of consent text %s by %s", version, person)
}

// addAcceptance adds a person's acceptance of a consent text. An earlier one stays.
func (w *documentWriter) addAcceptance(ctx context.Context, a *contract.Acceptance) error {
	if a == nil {
		return nil
	}
	return w.tx.addStatements(ctx, statement{
		sql: `INSERT INTO consent_acceptance (person, organisation, version, language, digest, document, accepted_at)
			VALUES (` + placeholders(1, 7) + `) ON CONFLICT DO NOTHING`,
		args: []any{a.Person, a.Organisation, a.Version, a.Language, a.Digest[:], a.Document, toMicros(a.At)},
		what: "store the acceptance of a consent text",
	})
}
