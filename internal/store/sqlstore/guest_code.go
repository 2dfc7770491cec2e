package sqlstore

import (
	"context"
	"fmt"
	"time"

	"segel/internal/contract"
)

var guestCodeRows = rowType[contract.GuestCode]{
	"guest_code",
	`document, person, digest, nonce, address, created_at, tries, ordered, day_began, used_at, channel`,
	func(g *contract.GuestCode) []any {
		return []any{
			&g.Document, &g.Person, scanDigest(&g.Digest), scanNonce(&g.Nonce), &g.Address, scanTime(&g.CreatedAt), &g.Tries, &g.Ordered,
			scanTime(&g.DayBegan), scanTime(&g.UsedAt), &g.Channel,
		}
	},
}

func scanNonce(to *[16]byte) scanner {
	return func(column any) error {
		var b []byte
		if err := scanBytes(&b).Scan(column); err != nil {
			return err
		}
		if copy(to[:], b) != len(b) || len(b) != len(to) {
			return fmt.Errorf("a nonce of %d bytes", len(b))
		}
		return nil
	}
}

// GuestCode implements [store.Identities].
func (s *Store) GuestCode(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (contract.GuestCode, error) {
	g, err := guestCodeRows.readOne(ctx, s, `WHERE document = $1 AND person = $2`, id, guest)
	return g, wrapf(err, "read the code of guest %s on document %d", guest, id)
}

// TryGuestCode implements [store.Identities].
func (s *Store) TryGuestCode(ctx context.Context, id contract.DocumentID, guest contract.PersonID, now time.Time) (g contract.GuestCode, err error) {
	err = s.db.withTx(ctx, func(t tx) error {
		return queryOne(ctx, t, guestCodeRows.dest(&g), `UPDATE guest_code SET tries = tries + 1
			WHERE document = $1 AND person = $2 AND tries < $3 AND used_at = 0 AND created_at > $4 RETURNING `+guestCodeRows.columns,
			id, guest, contract.CodeTries, toMicros(now.Add(-contract.CodeLifetime)))
	})
	return g, wrapf(err, "count a try of the code of guest %s on document %d", guest, id)
}

// writeCode stores a guest's code and what was proved with it.
func (w *documentWriter) writeCode(ctx context.Context, g *contract.GuestCode, proved *contract.ProvedContact) error {
	if g != nil {
		err := w.addStatements(ctx, statement{
			sql: `INSERT INTO guest_code (` + guestCodeRows.columns + `) VALUES (` + placeholders(1, 11) + `)
				ON CONFLICT (document, person) DO UPDATE SET digest = excluded.digest, nonce = excluded.nonce, address = excluded.address,
					created_at = excluded.created_at, tries = excluded.tries, ordered = excluded.ordered, day_began = excluded.day_began, used_at = excluded.used_at, channel = excluded.channel`,
			args: []any{
				w.after.ID, g.Person, g.Digest[:], g.Nonce[:], g.Address, toMicros(g.CreatedAt), g.Tries, g.Ordered, toMicros(g.DayBegan), toMicros(g.UsedAt), g.Channel,
			},
			what: fmt.Sprintf("write the code of guest %s on document %d", g.Person, w.after.ID),
		})
		if err != nil {
			return err
		}
	}
	if proved == nil {
		return nil
	}
	// If the token was revoked meanwhile, the row has no effect and is purged.
	return w.addStatements(ctx, statement{
		sql: `INSERT INTO proved_mailbox (token, address, digest, proved_at, channel) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (token) DO UPDATE SET address = excluded.address, digest = excluded.digest, proved_at = excluded.proved_at, channel = excluded.channel`,
		args: []any{proved.Token[:], proved.Address, proved.Digest[:], toMicros(proved.At), proved.Channel},
		what: fmt.Sprintf("write what a guest of document %d proved", w.after.ID),
	})
}
