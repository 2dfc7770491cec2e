package sqlstore

import (
	"context"
	"errors"
	"maps"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// errUnchanged ends a transaction that has nothing to change.
var errUnchanged = errors.New("nothing to change")

// SetConsent implements [store.Consents].
func (s *Store) SetConsent(ctx context.Context, o contract.OrganisationID, c store.ConsentChange, now time.Time,
	eventOf func(contract.ConsentPolicy, map[string]string) contract.Event,
) (contract.ConsentPolicy, error) {
	var policy contract.ConsentPolicy
	err := s.db.withTx(ctx, func(t tx) error {
		// The row of the policy comes first. It stays locked, so that another change waits and reads what this one writes.
		var before contract.ConsentPolicy
		if err := queryOne(ctx, t, []any{&before.Version, &before.Required}, `INSERT INTO consent_policy (organisation, version, required, changed_at) VALUES ($1, 0, FALSE, $2)
			ON CONFLICT (organisation) DO UPDATE SET version = consent_policy.version RETURNING version, required`, o, toMicros(now)); err != nil {
			return err
		}
		var texts map[string]string
		if before.Version != 0 {
			var indonesian, english string
			if err := queryOne(ctx, t, []any{&indonesian, &english}, selectConsentText, o, before.Version); err != nil {
				return err
			}
			texts = map[string]string{"id": indonesian, "en": english}
		}
		policy = before
		if c.Required != nil {
			policy.Required = *c.Required
		}
		records := []record{recordOf("consent_policy", o)}
		switch {
		case c.Texts == nil:
		case len(c.Texts) == 0:
			policy.Version, texts = 0, nil
		case !maps.Equal(c.Texts, texts):
			texts = c.Texts
			if err := queryOne(ctx, t, []any{&policy.Version}, `INSERT INTO consent_text (organisation, version, text_id, text_en, made_at)
				SELECT CAST($1 AS TEXT), COALESCE(MAX(version), 0) + 1, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS BIGINT)
				FROM consent_text WHERE organisation = $1 RETURNING version`,
				o, texts["id"], texts["en"], toMicros(now)); err != nil {
				return err
			}
			records = append(records, recordOf("consent_text", o, policy.Version))
		}
		if policy == before {
			return errUnchanged // also takes back the row above, if there was none
		}
		if _, err := t.exec(ctx, `UPDATE consent_policy SET version = $2, required = $3, changed_at = $4 WHERE organisation = $1`, o, policy.Version, policy.Required, toMicros(now)); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{eventOf(policy, texts)}, records: records}.appendToLog(ctx, t)
	})
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return policy, wrapf(err, "set the consent text of organisation %s", o)
}

const selectConsentText = `SELECT text_id, text_en FROM consent_text WHERE organisation = $1 AND version = $2`

// ConsentText implements [store.Consents].
func (s *Store) ConsentText(ctx context.Context, o contract.OrganisationID, version int) (contract.ConsentText, error) {
	t := contract.ConsentText{Organisation: o, Version: version}
	var indonesian, english string
	err := s.readRow(ctx, []any{&indonesian, &english}, selectConsentText, o, version)
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
