package sqlstore

import (
	"context"

	"segel/internal/contract"
	"segel/internal/store"
)

// SetBranding implements [store.Brandings].
func (s *Store) SetBranding(ctx context.Context, b store.StoredBranding, eventOf func(contract.Branding) contract.Event) (contract.Branding, error) {
	var stored contract.Branding
	err := s.db.withTx(ctx, func(t tx) error {
		logo, image := b.Logo, b.Image
		if b.KeepLogo {
			logo, image = "", nil
		}
		if image == nil {
			image = []byte{}
		}
		// The row keeps its own logo: one that was read before this transaction may have been replaced since.
		if err := queryOne(ctx, t, []any{&stored.Colour, &stored.Logo}, `INSERT INTO branding (organisation, colour, logo, image, changed_at)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (organisation) DO UPDATE SET colour = excluded.colour, changed_at = excluded.changed_at,
				logo = CASE WHEN $6 THEN branding.logo ELSE excluded.logo END, image = CASE WHEN $6 THEN branding.image ELSE excluded.image END
			RETURNING colour, logo`,
			b.Organisation, b.Colour, logo, image, toMicros(b.ChangedAt), b.KeepLogo); err != nil {
			return err
		}
		return logEntry{events: []contract.Event{eventOf(stored)}, records: []record{recordOf("branding", b.Organisation)}}.appendToLog(ctx, t)
	})
	return stored, wrapf(err, "set branding of %s", b.Organisation)
}

// DeleteBranding implements [store.Brandings].
func (s *Store) DeleteBranding(ctx context.Context, o contract.OrganisationID, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if n, err := t.exec(ctx, `DELETE FROM branding WHERE organisation = $1`, o); err != nil || n == 0 {
			return err
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("branding", o)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "delete branding of %s", o)
}

// Logo implements [store.Brandings].
func (s *Store) Logo(ctx context.Context, logo string) ([]byte, error) {
	var image []byte
	err := s.readRow(ctx, []any{scanBytes(&image)}, `SELECT image FROM branding WHERE logo = $1 AND logo <> '' LIMIT 1`, logo)
	return image, wrapf(err, "read logo %s", logo)
}
