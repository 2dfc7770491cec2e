package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/audit"
	"segel/internal/contract"
)

// Note implements [store.Documents].
func (s *Store) Note(ctx context.Context, events ...contract.Event) error {
	if err := s.db.write(ctx, func(t tx) error { return appendEvents(ctx, t, events) }); err != nil {
		return fmt.Errorf("log events: %w", err)
	}
	return nil
}

// appendEvents adds events to the log. From its first statement on, everybody else who appends waits.
func appendEvents(ctx context.Context, t tx, events []contract.Event) error {
	if len(events) == 0 {
		return nil
	}
	var size, latest int64
	for _, e := range events {
		latest = max(latest, micros(e.At))
	}
	err := one(ctx, t, []any{&size}, `UPDATE log_size SET size = size + $1, latest_at = CASE WHEN latest_at < $2 THEN $2 ELSE latest_at END
		WHERE id = 1 RETURNING size`, len(events), latest)
	if err != nil {
		return fmt.Errorf("lock log: %w", err)
	}
	tree, err := audit.ResumeTree(ctx, size-int64(len(events)), hashes{t})
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := appendEvent(ctx, t, tree, plain(e)); err != nil {
			return fmt.Errorf("log event %d: %w", tree.Size(), err)
		}
	}
	return nil
}

func appendEvent(ctx context.Context, t tx, tree *audit.Tree, e contract.Event) error {
	details, err := json.Marshal(e.Details)
	if err != nil {
		return err
	}
	leaf := tree.Size()
	_, err = t.exec(ctx, `INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) VALUES (`+list(1, 9)+`)`,
		leaf, e.Type, e.Document, micros(e.At), e.Person.ID, e.Person.Name, e.Person.Email, e.IP, string(details))
	if err != nil {
		return err
	}
	add := tree.Append(audit.EncodeLeaf(e))
	first, args := tlog.StoredHashIndex(0, leaf), []any{}
	values := make([]string, len(add))
	for i, h := range add {
		values[i] = "(" + list(2*i+1, 2) + ")"
		args = append(args, first+int64(i), h[:])
	}
	_, err = t.exec(ctx, `INSERT INTO log_hash (position, hash) VALUES `+strings.Join(values, ","), args...)
	return err
}

// plain returns an event as it will be read back, which is what its leaf is made of.
func plain(e contract.Event) contract.Event {
	cut(&e.At)
	e.Person.ID = contract.PersonID(clean(string(e.Person.ID)))
	e.Person.Name, e.Person.Email, e.IP = clean(e.Person.Name), clean(e.Person.Email), clean(e.IP)
	details := make(map[string]string, len(e.Details))
	for name, v := range e.Details {
		details[clean(name)] = clean(v)
	}
	e.Details = details
	return e
}

const eventColumns = `leaf, type, document, at, person, name, email, ip, details`

func scanEvent(scan func(...any) error) (leaf int64, e contract.Event, err error) {
	var details string
	err = scan(&leaf, &e.Type, &e.Document, moment(&e.At), &e.Person.ID, &e.Person.Name, &e.Person.Email, &e.IP, &details)
	if err != nil {
		return 0, e, err
	}
	if err := json.Unmarshal([]byte(details), &e.Details); err != nil {
		return 0, e, fmt.Errorf("details of event %d: %w", leaf, err)
	}
	return leaf, e, nil
}

// Events implements [store.Documents].
func (s *Store) Events(ctx context.Context, id contract.DocumentID) ([]contract.Event, error) {
	events := []contract.Event{}
	err := s.db.read(ctx, func(q querier) error {
		return each(ctx, q, func(scan func(...any) error) error {
			_, e, err := scanEvent(scan)
			events = append(events, e)
			return err
		}, `SELECT `+eventColumns+` FROM event WHERE document = $1 ORDER BY leaf`, id)
	})
	if err != nil {
		return nil, fmt.Errorf("read events of document %d: %w", id, err)
	}
	return events, nil
}

// hashes reads the log's stored hashes.
type hashes struct{ querier }

// ReadHashes implements [audit.HashReader].
func (h hashes) ReadHashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error) {
	args := make([]any, len(indexes))
	for i, x := range indexes {
		args[i] = x
	}
	found := map[int64]tlog.Hash{}
	err := each(ctx, h, func(scan func(...any) error) error {
		var position int64
		var hash [32]byte
		err := scan(&position, digest(&hash))
		found[position] = hash
		return err
	}, `SELECT position, hash FROM log_hash WHERE position IN (`+list(1, len(indexes))+`)`, args...)
	if err != nil {
		return nil, err
	}
	all := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		var ok bool
		if all[i], ok = found[x]; !ok {
			return nil, fmt.Errorf("hash %d of the log is missing: %w", x, audit.ErrMismatch)
		}
	}
	return all, nil
}
