package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/audit"
	"segel/internal/contract"
)

// LogEvents implements [store.Documents].
func (s *Store) LogEvents(ctx context.Context, events ...contract.Event) error {
	if err := s.db.withTx(ctx, func(t tx) error { return logEntry{events: events}.appendToLog(ctx, t) }); err != nil {
		return fmt.Errorf("log events: %w", err)
	}
	return nil
}

// logEntry is what one transaction adds to the log. The digests of the records that it wrote go into its last event; a
// transaction without an event adds one that carries only the digests.
type logEntry struct {
	events  []contract.Event
	records []record // written by the transaction
	files   []statedRecord
	at      time.Time // of the change, if no event has the time
}

// appendToLog adds the entry to the log. It is the last step of a transaction: the records are read back here, and every other
// writer of the log waits until the transaction ends.
func (l logEntry) appendToLog(ctx context.Context, t tx) error {
	lines, err := recordLines(ctx, t, l.records, l.files)
	if err != nil {
		return fmt.Errorf("digest what was written: %w", err)
	}
	events := slices.Clone(l.events)
	if lines != "" && len(events) == 0 {
		events = []contract.Event{{Type: contract.EventRecorded, At: l.at}}
	}
	if len(events) == 0 {
		return nil
	}
	var size, latest int64
	for _, e := range events {
		if e.Type != contract.EventRecorded { // it may be made while the clock is in doubt
			latest = max(latest, toMicros(e.At))
		}
	}
	err = queryOne(ctx, t, []any{&size}, `UPDATE log_size SET size = size + $1, latest_at = CASE WHEN latest_at < $2 THEN $2 ELSE latest_at END
		WHERE id = 1 RETURNING size`, len(events), latest)
	if err != nil {
		return fmt.Errorf("lock log: %w", err)
	}
	tree, err := audit.ResumeTree(ctx, size-int64(len(events)), hashes{t})
	if err != nil {
		return err
	}
	for i, e := range events {
		with := ""
		if i == len(events)-1 {
			with = lines
		}
		if err := appendEvent(ctx, t, tree, storedEvent(e), with); err != nil {
			return fmt.Errorf("log event %d: %w", tree.Size(), err)
		}
	}
	return nil
}

// appendEvent adds an event, already in the form that [storedEvent] returns, with its lines, if any. The leaf has only the digest
// of the lines: a proof of the event reveals nothing about other rows.
func appendEvent(ctx context.Context, t tx, tree *audit.Tree, e contract.Event, lines string) error {
	stored := e.Details
	if lines != "" {
		stored = maps.Clone(e.Details)
		stored[audit.DetailRecords] = lines
		e.Records = hexDigest(lines)
	}
	details, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	leaf := tree.Size()
	_, err = t.exec(ctx, `INSERT INTO event (leaf, type, document, at, person, name, email, ip, details) VALUES (`+placeholders(1, 9)+`)`,
		leaf, e.Type, e.Document, toMicros(e.At), e.Person.ID, e.Person.Name, e.Person.Email, e.IP, string(details))
	if err != nil {
		return err
	}
	add := tree.Append(audit.EncodeLeaf(e))
	first, args := tlog.StoredHashIndex(0, leaf), []any{}
	values := make([]string, len(add))
	for i, h := range add {
		values[i] = "(" + placeholders(2*i+1, 2) + ")"
		args = append(args, first+int64(i), h[:])
	}
	_, err = t.exec(ctx, `INSERT INTO log_hash (position, hash) VALUES `+strings.Join(values, ","), args...)
	return err
}

// storedEvent returns an event as it will be read back, which is the form that its leaf encodes.
func storedEvent(e contract.Event) contract.Event {
	truncateTime(&e.At)
	e.Person.ID = contract.PersonID(cleanText(string(e.Person.ID)))
	e.Person.Name, e.Person.Email, e.IP = cleanText(e.Person.Name), cleanText(e.Person.Email), cleanText(e.IP)
	details := make(map[string]string, len(e.Details))
	for name, v := range e.Details {
		details[cleanText(name)] = cleanText(v)
	}
	e.Details = details
	return e
}

const eventColumns = `leaf, type, document, at, person, name, email, ip, details`

func scanEvent(scan func(...any) error) (leaf int64, e contract.Event, lines string, err error) {
	var details string
	err = scan(&leaf, &e.Type, &e.Document, scanTime(&e.At), &e.Person.ID, &e.Person.Name, &e.Person.Email, &e.IP, &details)
	if err != nil {
		return 0, e, "", err
	}
	if err := json.Unmarshal([]byte(details), &e.Details); err != nil {
		return 0, e, "", fmt.Errorf("details of event %d: %w", leaf, err)
	}
	if lines = e.Details[audit.DetailRecords]; lines != "" {
		e.Records = hexDigest(lines)
		delete(e.Details, audit.DetailRecords)
	}
	return leaf, e, lines, nil
}

// Events implements [store.Documents].
func (s *Store) Events(ctx context.Context, id contract.DocumentID) ([]contract.Event, error) {
	events := []contract.Event{}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		return queryEach(ctx, q, func(scan func(...any) error) error {
			_, e, _, err := scanEvent(scan)
			e.Records = "" // for checks of the log, not for readers of the history
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
	err := queryEach(ctx, h, func(scan func(...any) error) error {
		var position int64
		var hash [32]byte
		err := scan(&position, scanDigest(&hash))
		found[position] = hash
		return err
	}, `SELECT position, hash FROM log_hash WHERE position IN (`+placeholders(1, len(indexes))+`)`, args...)
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
