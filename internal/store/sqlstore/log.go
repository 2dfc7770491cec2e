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
	"segel/internal/store"
)

// LogEvents implements [store.Documents].
func (s *Store) LogEvents(ctx context.Context, events ...contract.Event) error {
	err := s.db.withTx(ctx, func(t tx) error { return logEntry{events: events}.appendToLog(ctx, t) })
	return wrapf(err, "log events")
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

func scanEvent(scan scanFunc) (leaf int64, e contract.Event, lines string, err error) {
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
		return queryEach(ctx, q, func(scan scanFunc) error {
			_, e, _, err := scanEvent(scan)
			e.Records = "" // for checks of the log, not for readers of the history
			events = append(events, e)
			return err
		}, `SELECT `+eventColumns+` FROM event WHERE document = $1 ORDER BY leaf`, id)
	})
	return events, wrapf(err, "read events of document %d", id)
}

// hashes reads the log's stored hashes.
type hashes struct{ querier }

// ReadHashes implements [audit.HashReader].
func (h hashes) ReadHashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error) {
	in, args := listArgs(indexes)
	found := map[int64]tlog.Hash{}
	err := queryEach(ctx, h, func(scan scanFunc) error {
		var position int64
		var hash [32]byte
		err := scan(&position, scanDigest(&hash))
		found[position] = hash
		return err
	}, `SELECT position, hash FROM log_hash WHERE position IN `+in, args...)
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

// Prove implements [store.Log]. It returns the stored hashes; the verifier of the proof detects hashes that do not match the
// events.
func (s *Store) Prove(ctx context.Context, id contract.DocumentID, leaves int64) ([]store.Proven, error) {
	var all []store.Proven
	err := s.db.withSnapshot(ctx, func(q querier) (err error) {
		if err := requireLeaves(ctx, q, leaves); err != nil {
			return err
		}
		all = []store.Proven{}
		err = queryEach(ctx, q, func(scan scanFunc) error {
			leaf, e, _, err := scanEvent(scan)
			all = append(all, store.Proven{Logged: store.Logged{Event: e, Leaf: leaf}})
			return err
		}, `SELECT `+eventColumns+` FROM event WHERE document = $1 AND leaf >= 0 AND leaf < $2 ORDER BY leaf`, id, leaves)
		for i := range all {
			if err == nil {
				all[i].Path, err = leafPath(ctx, q, leaves, all[i].Leaf)
			}
		}
		return err
	})
	return all, wrapf(err, "prove events of document %d in the first %d", id, leaves)
}

// requireLeaves returns [store.ErrNotFound] if the log has fewer leaves.
func requireLeaves(ctx context.Context, q querier, leaves int64) error {
	var size int64
	if err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
		return err
	}
	if leaves < 0 || leaves > size {
		return store.ErrNotFound
	}
	return nil
}

// leafPath reads the hashes that prove a leaf.
func leafPath(ctx context.Context, q querier, leaves, leaf int64) ([][32]byte, error) {
	proof, err := audit.ProveLeaf(ctx, leaves, leaf, hashes{q})
	if err != nil {
		return nil, err
	}
	all := make([][32]byte, len(proof))
	for i, h := range proof {
		all[i] = h
	}
	return all, nil
}

// Size implements [store.Log].
func (s *Store) Size(ctx context.Context) (size int64, root [32]byte, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		if err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
			return err
		}
		root, err = readRoot(ctx, q, size)
		return err
	})
	return size, root, wrapf(err, "read size and root of the log")
}

// RootAt implements [store.Log].
func (s *Store) RootAt(ctx context.Context, leaves int64) (root [32]byte, err error) {
	err = s.db.withSnapshot(ctx, func(q querier) error {
		if err := requireLeaves(ctx, q, leaves); err != nil {
			return err
		}
		root, err = readRoot(ctx, q, leaves)
		return err
	})
	return root, wrapf(err, "read the log's root at %d leaves", leaves)
}

// readRoot reads the root hash of the first leaves.
func readRoot(ctx context.Context, q querier, leaves int64) (root [32]byte, err error) {
	tree, err := audit.ResumeTree(ctx, leaves, hashes{q})
	if err != nil {
		return root, err
	}
	return tree.Root(), nil
}

// checkBatch is the number of events that are checked at a time; each takes a few hundred bytes.
const checkBatch = 500

// CheckLog implements [store.Log]. It returns [audit.ErrMismatch] if an event or a hash differs from what was
// logged. Only a checkpoint signed earlier reveals a truncated log: see [Store.RootAt].
func (s *Store) CheckLog(ctx context.Context) error {
	size, _, err := s.Size(ctx)
	if err != nil {
		return err
	}
	tree := &audit.Tree{}
	for tree.Size() < size {
		until := min(tree.Size()+checkBatch, size)
		// Rows below the size never change, so each batch may use a separate snapshot.
		err := s.db.withSnapshot(ctx, func(q querier) error { return checkEvents(ctx, q, tree, until) })
		if err != nil {
			return fmt.Errorf("check log at leaf %d: %w", tree.Size(), err)
		}
	}
	if err := s.db.readWhole(ctx, func(q querier) error { return checkOutsideTree(ctx, q) }); err != nil {
		return fmt.Errorf("check rows outside of the log: %w", err)
	}
	return nil
}

// checkOutsideTree looks for rows that are not part of the tree. Readers would see such an event as one of its
// document's, or it would collide with the next event, and no root hash covers it.
func checkOutsideTree(ctx context.Context, q querier) error {
	// The size is read again, in the snapshot of the rows: other transactions may have appended since.
	var size, events, hashes int64
	if err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`); err != nil {
		return err
	}
	if err := queryOne(ctx, q, []any{&events}, `SELECT COUNT(*) FROM event WHERE leaf < 0 OR leaf >= $1`, size); err != nil {
		return err
	}
	err := queryOne(ctx, q, []any{&hashes}, `SELECT COUNT(*) FROM log_hash WHERE position < 0 OR position >= $1`, tlog.StoredHashIndex(0, size))
	if err == nil && events+hashes > 0 {
		return fmt.Errorf("%d events and %d hashes: %w", events, hashes, audit.ErrMismatch)
	}
	return err
}

// checkEvents extends the tree by the stored events before leaf until, and compares the resulting hashes
// with the stored ones.
func checkEvents(ctx context.Context, q querier, tree *audit.Tree, until int64) error {
	from := tree.Size()
	stored, err := readHashes(ctx, q, from, until)
	if err != nil {
		return err
	}
	err = queryEach(ctx, q, func(scan scanFunc) error {
		leaf, e, _, err := scanEvent(scan)
		if err != nil {
			return err
		}
		return checkEvent(tree, stored, leaf, e)
	}, `SELECT `+eventColumns+` FROM event WHERE leaf >= $1 AND leaf < $2 ORDER BY leaf`, from, until)
	if err == nil && tree.Size() < until {
		return fmt.Errorf("event %d is missing: %w", tree.Size(), audit.ErrMismatch)
	}
	return err
}

// readHashes reads the stored hashes, by position, that the leaves from from to until complete. It leaves out what is not a hash.
func readHashes(ctx context.Context, q querier, from, until int64) (map[int64]tlog.Hash, error) {
	stored := map[int64]tlog.Hash{}
	return stored, queryEach(ctx, q, func(scan scanFunc) error {
		var position int64
		var hash []byte
		err := scan(&position, scanBytes(&hash))
		if len(hash) == tlog.HashSize {
			stored[position] = tlog.Hash(hash)
		}
		return err
	}, `SELECT position, hash FROM log_hash WHERE position >= $1 AND position < $2`, tlog.StoredHashIndex(0, from), tlog.StoredHashIndex(0, until))
}

func checkEvent(tree *audit.Tree, stored map[int64]tlog.Hash, leaf int64, e contract.Event) error {
	if leaf != tree.Size() {
		return fmt.Errorf("event %d is missing: %w", tree.Size(), audit.ErrMismatch)
	}
	for i, h := range tree.Append(audit.EncodeLeaf(e)) {
		position := tlog.StoredHashIndex(0, leaf) + int64(i)
		if stored[position] != h {
			return fmt.Errorf("event %d gives another hash %d: %w", leaf, position, audit.ErrMismatch)
		}
	}
	return nil
}
