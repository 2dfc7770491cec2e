package sqlstore

import (
	"context"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// selectKnownAccounts returns the statement of [Store.KnownCaller] for n e-mail addresses. Its further arguments are a device, a
// network address and a time.
func selectKnownAccounts(n int) string {
	arg := func(i int) string { return placeholders(n+i, 1) }
	return `SELECT u.id, u.organisation,
		EXISTS (SELECT 1 FROM known_device d WHERE d.person = u.id AND d.hash = ` + arg(1) + ` AND d.used_at >= ` + arg(3) + `),
		EXISTS (SELECT 1 FROM known_address a WHERE a.person = u.id AND a.address = ` + arg(2) + ` AND a.used_at >= ` + arg(3) + `)` + selectByEmails(n)
}

// KnownCaller implements [store.Identities].
func (s *Store) KnownCaller(ctx context.Context, c store.Caller, since time.Time, emails ...string) ([]store.Known, error) {
	dest := func(k *store.Known) []any { return []any{&k.Account, &k.Organisation, &k.Device, &k.Address} }
	all, err := readAll(ctx, s, dest, selectKnownAccounts(len(emails)), append(foldedArgs(emails), c.Device[:], c.Address, toMicros(since))...)
	return slices.DeleteFunc(all, func(k store.Known) bool { return !k.Device && !k.Address }), wrapf(err, "look up where a login comes from")
}

// RememberCaller implements [store.Identities].
func (s *Store) RememberCaller(ctx context.Context, id contract.PersonID, c store.Caller, now time.Time, keep int, unknown *contract.Notice, forgiven ...store.TryKey) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// Lock the user's row: otherwise, of two logins at once, each would delete without seeing what the other one adds, and
		// more than keep rows could stay.
		if err := lockUser(ctx, t, id); err != nil {
			return err
		}
		if err := forgiveTries(ctx, t, forgiven); err != nil {
			return err
		}
		var others bool
		if unknown != nil {
			if err := queryOne(ctx, t, []any{&others}, `SELECT EXISTS (SELECT 1 FROM known_address WHERE person = $1)`, id); err != nil {
				return err
			}
		}
		for _, q := range []struct {
			table, column string
			value         any
		}{{"known_device", "hash", c.Device[:]}, {"known_address", "address", c.Address}} {
			_, err := t.exec(ctx, `INSERT INTO `+q.table+` (person, `+q.column+`, used_at) VALUES ($1, $2, $3)
				ON CONFLICT (person, `+q.column+`) DO UPDATE SET used_at = excluded.used_at`, id, q.value, toMicros(now))
			if err != nil {
				return err
			}
			_, err = t.exec(ctx, `DELETE FROM `+q.table+` WHERE person = $1 AND `+q.column+` NOT IN (
				SELECT `+q.column+` FROM `+q.table+` WHERE person = $1 ORDER BY used_at DESC, `+q.column+` LIMIT $2)`, id, keep)
			if err != nil {
				return err
			}
		}
		if !others {
			return nil
		}
		return addAccountNotices(ctx, t, *unknown)
	})
	return wrapf(err, "remember where %s logs in from", id)
}

// PurgeCallers implements [store.Identities].
func (s *Store) PurgeCallers(ctx context.Context, before time.Time) error {
	err := s.runPurges(ctx,
		purge{"known_device", "person, hash", `used_at < $1`, []any{toMicros(before)}},
		purge{"known_address", "person, address", `used_at < $1`, []any{toMicros(before)}})
	return wrapf(err, "purge known devices and addresses")
}

// forgetCallers deletes a person's known devices and addresses.
func forgetCallers(ctx context.Context, t tx, id contract.PersonID) error {
	if _, err := t.exec(ctx, `DELETE FROM known_device WHERE person = $1`, id); err != nil {
		return err
	}
	_, err := t.exec(ctx, `DELETE FROM known_address WHERE person = $1`, id)
	return err
}
