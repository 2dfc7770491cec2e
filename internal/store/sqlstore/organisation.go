package sqlstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// stateOf returns an expression for the state of the organisation whose identifier an expression names; empty: active.
func stateOf(organisation string) string {
	return `COALESCE((SELECT st.state FROM organisation_state st WHERE st.id = ` + organisation + `), '')`
}

// scanState scans the state of an organisation with its time and its reason, in one column separated by spaces; empty: active.
func scanState(o *store.Organisation) scanner {
	return func(column any) error {
		var text string
		if err := scanText(&text).Scan(column); err != nil || text == "" {
			return err
		}
		state, rest, _ := strings.Cut(text, " ")
		at, reason, _ := strings.Cut(rest, " ")
		micros, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return fmt.Errorf("read the state of an organisation: %w", err)
		}
		o.State, o.Reason, o.ChangedAt = contract.OrganisationState(state), reason, time.UnixMicro(micros).UTC()
		return nil
	}
}

// RenameOrganisation implements [store.Organisations].
func (s *Store) RenameOrganisation(ctx context.Context, id contract.OrganisationID, name string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		// The lock on the oldest organisation makes two renames to one name do so one after the other. An organisation that is created with
		// the name at the same moment makes the update below fail at the unique index, and nothing is changed.
		if _, err := t.exec(ctx, `UPDATE organisation SET name = name WHERE id = (SELECT id FROM organisation ORDER BY created_at, id LIMIT 1)`); err != nil {
			return err
		}
		var taken bool
		if err := queryOne(ctx, t, []any{&taken}, `SELECT EXISTS (SELECT 1 FROM organisation WHERE name = $2 AND id <> $1)`, id, name); err != nil {
			return err
		}
		if taken {
			return store.ErrExists
		}
		n, err := t.exec(ctx, `UPDATE organisation SET name = $2 WHERE id = $1`, id, name)
		if isDuplicate(err) {
			return store.ErrExists
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return store.ErrNotFound
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("organisation", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "rename organisation %s", id)
}

// SetOrganisationState implements [store.Organisations].
func (s *Store) SetOrganisationState(ctx context.Context, id contract.OrganisationID, to contract.OrganisationState, reason string, e contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error {
		if err := lockOrganisation(ctx, t, id); err != nil { // there may be no row of the state yet
			return err
		}
		var from contract.OrganisationState
		if err := queryOne(ctx, t, []any{&from}, `SELECT `+stateOf("o.id")+` FROM organisation o WHERE o.id = $1`, id); err != nil {
			return err
		}
		if err := from.CheckNext(to); err != nil {
			return err
		}
		change := `INSERT INTO organisation_state (id, state, reason, changed_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at`
		args := []any{id, to, reason, toMicros(e.At)}
		if to == contract.OrganisationActive {
			change, args = `DELETE FROM organisation_state WHERE id = $1`, args[:1]
		}
		if _, err := t.exec(ctx, change, args...); err != nil {
			return err
		}
		if to == contract.OrganisationClosed {
			if _, err := t.exec(ctx, `UPDATE webhook SET disabled_at = $2, disabled_for = $3, edits = edits + 1 WHERE organisation = $1 AND disabled_at = 0`,
				id, toMicros(e.At), contract.WebhookOff); err != nil {
				return err
			}
		}
		return logEntry{events: []contract.Event{e}, records: []record{recordOf("organisation_state", id)}}.appendToLog(ctx, t)
	})
	return wrapf(err, "set the state of organisation %s", id)
}
