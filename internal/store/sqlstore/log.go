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
	records []record         // written by the transaction, to be read back
	written []*writtenRecord // the same, with rows that the transaction knows
	files   []statedRecord
	jobs    []contract.Job       // ordered by the transaction
	token   contract.TrustedTime // the timestamp of a committed document, which the clock is compared with; zero: none
	at      time.Time            // of the change, if no event has the time
}

// appendToLog adds the entry to the log, and its jobs to the queue. It is the last step of a transaction: every other writer of the log waits from here
// until the transaction ends. On PostgreSQL that is two round trips: one that reads back what was written, locks the log and
// reads its tree; and one that adds the leaves and commits.
func (l logEntry) appendToLog(ctx context.Context, t tx) error {
	log, err := l.lockLog(ctx, t)
	if err != nil {
		return err
	}
	// A job locks the row of an equal one. In all transactions that comes after the lock of the log: one with the log that waited for such a row, and one with the row that
	// waited for the log, would stop all others until the server ends one of them. The result of the job is needed, so the statements of lockLog travel with it.
	if err := t.addJobs(ctx, l.jobs); err != nil {
		return err
	}
	return log.appendEvents(ctx, t)
}

// lockedLog is the log with space for the leaves of an entry. What it reads is known once the statements that were added to the
// transaction have run.
type lockedLog struct {
	events  []contract.Event
	records []*writtenRecord
	files   []statedRecord
	size    int64  // leaves before the entry; negative: not known yet
	peaks   hashes // of the tree of these leaves
}

// lockLog adds the statements that read back what the transaction wrote, lock the log until the transaction ends, and read its
// tree. With the lock they record the times that the clock is compared with: those of the events, and of a timestamp. An entry
// without events and records locks nothing.
func (l logEntry) lockLog(ctx context.Context, t tx) (*lockedLog, error) {
	log := &lockedLog{events: slices.Clone(l.events), records: slices.Clone(l.written), files: l.files, size: -1, peaks: hashes{}}
	for _, r := range l.records {
		log.records = append(log.records, newWrittenRecord(r))
	}
	rest, err := addReads(ctx, t, log.records)
	if err != nil {
		return nil, fmt.Errorf("digest what was written: %w", err)
	}
	clock := newWrittenRecord(recordOf("clock", 1))
	if !l.token.At.IsZero() {
		log.records = append(log.records, clock)
	}
	if len(log.events) == 0 && len(log.records)+len(log.files) > 0 {
		log.events = []contract.Event{{Type: contract.EventRecorded, At: l.at}}
	}
	if len(log.events) == 0 {
		return log, nil
	}
	var latest int64
	for _, e := range log.events {
		if e.Type != contract.EventRecorded { // on SQLite it may be made while the clock is in doubt
			latest = max(latest, toMicros(e.At))
		}
	}
	err = t.addStatements(ctx, statement{
		sql: `UPDATE log_size SET size = size + $1, latest_at = CASE WHEN latest_at < $2 THEN $2 ELSE latest_at END,
			timestamp_accuracy = CASE WHEN timestamp_at < $3 THEN $4 ELSE timestamp_accuracy END,
			timestamp_at = CASE WHEN timestamp_at < $3 THEN $3 ELSE timestamp_at END
			WHERE id = 1 RETURNING size - $1, timestamp_at, timestamp_accuracy, ` + clockOf(t),
		args: []any{len(log.events), latest, toMicros(l.token.At), l.token.Accuracy.Microseconds()},
		each: func(scan scanFunc) error {
			var at, accuracy int64
			var database time.Time
			if err := scan(&log.size, &at, &accuracy, scanServerTime(&database)); err != nil {
				return err
			}
			if err := t.clockToCompare().requireTimes(database, log.events, l.token.At); err != nil {
				return err
			}
			return clock.addRow("log_size", []any{at, accuracy})
		},
		done: requireRow,
		what: "lock log",
	})
	if err != nil {
		return nil, err
	}
	var read statement
	switch {
	case t.collects() && rest == nil: // the statement that locks waits for the next round trip
		read = log.peaks.selectPeaks(len(log.events))
	case t.collects():
		read = rest.selectRest(unionOfRows, log.peaks, withPeaks("$2"), peakArm, len(log.events))
	case rest == nil:
		read = log.peaks.selectHashes(audit.PeakIndexes(log.size))
	default:
		in, args := listArgsFrom(2, audit.PeakIndexes(log.size))
		read = rest.selectRest(unionOfColumns, log.peaks, "", unionArm{columns: hashColumns, width: 2, from: "log_hash", where: "position IN " + in}, args...)
	}
	return log, t.addStatements(ctx, read)
}

// clockOf returns the expression of the server's clock for requireTimes.
func clockOf(t tx) string {
	if t.clockToCompare().tolerance == 0 {
		return `NULL`
	}
	return postgresClock
}

// comparedClock is the clock of this process and what is tolerated, see [Options].
type comparedClock struct {
	now       func() time.Time
	tolerance time.Duration
}

// requireTimes refuses a transaction whose times, or the clock of the process, contradict the clock of the database server; zero: it is not compared. A process compares its
// clock before it works (decision 0029), but the clock may be set, or the machine suspended, after that. One event in the future would stop all processes from signing until
// an operator confirms the clock, and a document with a timestamp from another time could never be completed. An event may be older
// than its commit: its time may be read before a long upload.
func (c comparedClock) requireTimes(database time.Time, events []contract.Event, token time.Time) error {
	if database.IsZero() {
		return nil
	}
	compare := func(at time.Time) error {
		return contract.CheckClock(contract.ClockReading{Local: at, Database: database}, c.tolerance).Err()
	}
	if c.now != nil {
		if err := compare(c.now()); err != nil {
			return err
		}
	}
	for _, e := range events {
		if e.At.After(database) {
			if err := compare(e.At); err != nil {
				return err
			}
		}
	}
	if token.IsZero() {
		return nil
	}
	return compare(token)
}

// appendEvents adds the leaves of the entry. It runs the statements of lockLog, unless a statement that was added after them has.
func (k *lockedLog) appendEvents(ctx context.Context, t tx) error {
	if len(k.events) == 0 {
		return nil
	}
	if k.size < 0 { // otherwise the statements of lockLog have run, which travel together
		if err := t.runBatch(ctx); err != nil {
			return err
		}
	}
	tree, err := audit.ResumeTree(ctx, k.size, k.peaks)
	if err != nil {
		return err
	}
	lines, err := formatLines(k.records, k.files)
	if err != nil {
		return fmt.Errorf("digest what was written: %w", err)
	}
	for first := 0; first < len(k.events); first += rowsInStatement {
		events := k.events[first:min(first+rowsInStatement, len(k.events))]
		with := ""
		if first+len(events) == len(k.events) {
			with = lines
		}
		if err := appendEvents(ctx, t, tree, events, with); err != nil {
			return err
		}
	}
	return nil
}

// appendEvents adds events, and to the last of them lines, if there are any. The leaf has only the digest of the lines: a proof of the event
// reveals nothing about other rows.
func appendEvents(ctx context.Context, t tx, tree *audit.Tree, events []contract.Event, lines string) error {
	var rows, hashes []any
	position := tlog.StoredHashIndex(0, tree.Size())
	for i, e := range events {
		e = storedEvent(e)
		stored := e.Details
		if lines != "" && i == len(events)-1 {
			stored = maps.Clone(e.Details)
			stored[audit.DetailRecords] = lines
			e.Records = hexDigest(lines)
		}
		details, err := json.Marshal(stored)
		if err != nil {
			return fmt.Errorf("log event %d: %w", tree.Size(), err)
		}
		rows = append(rows, tree.Size(), e.Type, e.Document, toMicros(e.At), e.Person.ID, e.Person.Name, e.Person.Email, e.IP, string(details), e.Document, reportedTo(e))
		for _, h := range tree.Append(audit.EncodeLeaf(e)) {
			hashes = append(hashes, position, h[:])
			position++
		}
	}
	return t.addStatements(ctx, statement{
		sql:  insertEvents[len(events)],
		args: rows,
		what: "log events",
	}, statement{sql: `INSERT INTO log_hash (` + hashColumns + `) VALUES ` + placeholderRows(len(hashes)/2, 2), args: hashes, what: "log hashes"})
}

// insertEvents are the statements that add events, by the number of these. The arguments of each are eventColumns, its document and reportedTo: the
// organisation puts an event into the feed. The leaf does not encode it: it follows from the document, or the details.
var insertEvents = func() (all [rowsInStatement + 1]string) {
	const width = 11
	values := make([]string, 0, rowsInStatement)
	for n := range rowsInStatement {
		values = append(values, fmt.Sprintf(`(%s, COALESCE((SELECT d.organisation FROM document d WHERE d.id = $%d), $%d))`, placeholders(1+n*width, width-2), (n+1)*width-1, (n+1)*width))
		all[n+1] = `INSERT INTO event (` + eventColumns + `, organisation) VALUES ` + strings.Join(values, ",")
	}
	return all
}()

// reportedTo returns the organisation in whose feed an event is that concerns no document; empty: in none.
func reportedTo(e contract.Event) string {
	if e.Document != 0 || len(contract.FeedTypesOf(e)) == 0 {
		return ""
	}
	return e.Details["organisation"]
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
	err := s.db.readTogether(ctx, statement{
		sql: `SELECT ` + eventColumns + ` FROM event WHERE document = $1 ORDER BY leaf`, args: []any{id},
		each: func(scan scanFunc) error {
			_, e, _, err := scanEvent(scan)
			e.Records = "" // for checks of the log, not for readers of the history
			events = append(events, e)
			return err
		},
	})
	return events, wrapf(err, "read events of document %d", id)
}

// hashes are stored hashes of the log by position.
type hashes map[int64]tlog.Hash

// selectHashes returns the statement that reads the hashes at these positions.
func (h hashes) selectHashes(positions []int64) statement {
	in, args := listArgs(positions)
	return statement{sql: `SELECT ` + hashColumns + ` FROM log_hash WHERE position IN ` + in, args: args, each: h.scanHash}
}

// selectPeaks returns the statement that reads the hashes at [audit.PeakIndexes] of the log before the leaves which this
// transaction has made space for. The complete subtrees of a tree end where its size, from the highest bit on, has its bits: the
// i-th at e, the sum of the first i bits. Its root is the last of the hashes that its last leaf completes. The e leaves have 2e
// hashes without one for each of their i subtrees, so the root is at 2e - i - 1.
func (h hashes) selectPeaks(leaves int) statement {
	return statement{sql: withPeaks("$1") + `SELECT ` + peakArm.columns + ` FROM ` + peakArm.from, args: []any{leaves}, each: h.scanHash}
}

const hashColumns = `position, hash`

// peakArm reads the hashes after withPeaks.
var peakArm = unionArm{columns: `h.position, h.hash`, width: 2, from: `peak JOIN log_hash h ON h.position = peak.position`, where: `TRUE`}

// withPeaks begins a query with the table peak of their positions. The argument is the number of leaves.
func withPeaks(leaves string) string {
	return `WITH RECURSIVE bit (k) AS (SELECT 62 UNION ALL SELECT k - 1 FROM bit WHERE k > 0),
	before (size) AS (SELECT size - ` + leaves + ` FROM log_size WHERE id = 1),
	peak (position) AS (SELECT 2 * ((size >> k) << k) - 1 - ROW_NUMBER() OVER (ORDER BY k DESC) FROM before, bit WHERE (size >> k) & 1 = 1) `
}

func (h hashes) scanHash(scan scanFunc) error {
	var position int64
	var hash [32]byte
	err := scan(&position, scanDigest(&hash))
	h[position] = hash
	return err
}

// ReadHashes implements [audit.HashReader].
func (h hashes) ReadHashes(_ context.Context, indexes []int64) ([]tlog.Hash, error) {
	all := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		var ok bool
		if all[i], ok = h[x]; !ok {
			return nil, fmt.Errorf("hash %d of the log is missing: %w", x, audit.ErrMismatch)
		}
	}
	return all, nil
}

// hashReader reads the log's stored hashes.
type hashReader struct{ querier }

// ReadHashes implements [audit.HashReader].
func (r hashReader) ReadHashes(ctx context.Context, indexes []int64) ([]tlog.Hash, error) {
	h := hashes{}
	if err := r.runBatch(ctx, h.selectHashes(indexes)); err != nil {
		return nil, err
	}
	return h.ReadHashes(ctx, indexes)
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
	proof, err := audit.ProveLeaf(ctx, leaves, leaf, hashReader{q})
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
	tree, err := audit.ResumeTree(ctx, leaves, hashReader{q})
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
