package sqlstore

import (
	"context"
	"errors"
)

// Announce implements [store.Announcements], on the connections of nodes: where requests have taken all others, the rates of requests still hold for all.
func (s *Store) Announce(ctx context.Context, channel, message string) error {
	if s.db.embedded() {
		return errors.ErrUnsupported
	}
	err := s.withNodeTx(ctx, func(t tx) error {
		_, err := t.exec(ctx, `SELECT pg_notify($1, $2)`, channel, message)
		return err
	})
	return wrapf(err, "announce on %s", channel)
}

// ListenForAnnouncements implements [store.Announcements].
func (s *Store) ListenForAnnouncements(ctx context.Context, channel string, listening func(), received func(message string)) error {
	return wrapf(s.db.listen(ctx, channel, listening, received), "listen to %s", channel)
}
