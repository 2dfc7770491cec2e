package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"segel/internal/audit"
	"segel/internal/contract"
	"segel/internal/store"
)

// Checker compares the tables of a database with its log, and with each other. It only reads, in many short snapshots, while
// others may write: each snapshot first takes in what the log says by then, so that rows and log are of one moment.
//
// It belongs to one goroutine. Its memory does not grow with the database.
type Checker struct {
	store *Store
	db    database // of the store, without a limit on how long a transaction takes: some checks read a whole table
	index *logIndex
	tell  func(store.Discrepancy)
	dir   string // temporary, of the index

	tree   *audit.Tree
	broken bool // the log does not agree with its hashes; the rest of it is read without comparing

	// what the events of the log come to
	recordsAll   bool                // digests are stated of all rows: since the first event, or since a baseline
	lastDocument contract.DocumentID // highest number of an uploaded one
	latestAt     int64               // the latest time since the clock was confirmed, in microseconds

	Documents int64 // documents compared so far
	Records   int64 // records compared so far, documents among them
}

// NewChecker returns a checker that tells what it finds. It keeps a temporary file in dir; empty: where the system keeps them.
func (s *Store) NewChecker(ctx context.Context, dir string, tell func(store.Discrepancy)) (*Checker, error) {
	dir, err := os.MkdirTemp(dir, "segel-fsck-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	x, err := newLogIndex(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	db := s.db
	if b, isBounded := db.(*boundedDatabase); isBounded {
		db = b.database
	}
	return &Checker{store: s, db: db, index: x, tell: tell, dir: dir, tree: &audit.Tree{}}, nil
}

// Close removes the temporary file.
func (c *Checker) Close() error { return errors.Join(c.index.close(), os.RemoveAll(c.dir)) }

// LogSize returns how many events were read, and the root of them; not ok where they do not agree with the hashes.
func (c *Checker) LogSize() (events int64, root [32]byte, ok bool) {
	return c.tree.Size(), c.tree.Root(), !c.broken
}

// Remedies that several findings share.
const (
	restoreDatabase = "Restore the database from a backup, and compare the log with a checkpoint that is kept elsewhere (segel audit verify)"
	recordOnce      = "It is of a release before digests were recorded, or another program added it; if it is right, segel fsck --record states it from now on"
)

// withIndexedSnapshot runs fn on a snapshot once all that the log says in it was taken in.
func (c *Checker) withIndexedSnapshot(ctx context.Context, fn func(querier) error) error {
	return c.db.withSnapshot(ctx, func(q querier) error {
		if err := c.indexNewEvents(ctx, q, -1); err != nil {
			return err
		}
		return fn(q)
	})
}

// CheckLog recomputes the log from its events, compares it with the stored hashes, and takes in what it says.
func (c *Checker) CheckLog(ctx context.Context) error {
	for {
		// Rows below the size never change, so each batch may have a snapshot of its own.
		before := c.tree.Size()
		err := c.db.withSnapshot(ctx, func(q querier) error { return c.indexNewEvents(ctx, q, checkBatch) })
		if err != nil {
			return fmt.Errorf("check the log at event %d: %w", c.tree.Size(), err)
		}
		if c.tree.Size() == before {
			break
		}
	}
	return c.withIndexedSnapshot(ctx, func(q querier) error {
		if complete, err := c.checkLogRow(ctx, q); err != nil || !complete {
			return err
		}
		if err := checkOutsideTree(ctx, q); errors.Is(err, audit.ErrMismatch) {
			c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "log", About: "audit log", Text: "rows that are no part of the log: " + err.Error(), Remedy: restoreDatabase})
		} else if err != nil {
			return err
		}
		return nil
	})
}

// checkLogRow compares what the row of the log says with the events. It is false where there is none.
func (c *Checker) checkLogRow(ctx context.Context, q querier) (complete bool, err error) {
	var latest, size, last int64
	err = queryOne(ctx, q, []any{&latest, &size}, `SELECT latest_at, size FROM log_size WHERE id = 1`)
	if errors.Is(err, store.ErrNotFound) {
		c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "log", About: "audit log", Text: "the row with its size is missing", Remedy: restoreDatabase})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if events := c.tree.Size(); size > events {
		c.reportMismatch(events, "%d events at the end of the log are missing", size-events)
	}
	if latest != c.latestAt {
		c.tell(store.Discrepancy{Severity: store.SeverityDerived, Check: "log", About: "clock",
			Text: fmt.Sprintf("the latest event is recorded to be of %d, and is of %d (microseconds since 1970)", latest, c.latestAt), Remedy: "Run segel clock show, and segel clock confirm if the clock is right"})
	}
	err = queryOne(ctx, q, []any{&last}, `SELECT CAST(COALESCE(SUM(last), 0) AS BIGINT) FROM document_number WHERE id = 1`)
	if err == nil && contract.DocumentID(last) != c.lastDocument {
		c.tell(store.Discrepancy{Severity: store.SeverityDerived, Check: "log", About: "numbers of documents",
			Text: fmt.Sprintf("the last document is recorded to have number %d, and has %d in the log", last, c.lastDocument), Remedy: "Stop the service and restore the database from a backup: a number must not be given twice"})
	}
	return true, err
}

// indexNewEvents takes in what the log says, up to most events, or all where most is negative. The first disagreement with the
// stored hashes is told.
func (c *Checker) indexNewEvents(ctx context.Context, q querier, most int64) error {
	size, err := logSize(ctx, q)
	if err != nil {
		return err
	}
	for c.tree.Size() < size && most != 0 {
		n := int64(checkBatch)
		if most > 0 {
			n = min(n, most)
			most -= n
		}
		if err := c.indexEvents(ctx, q, min(c.tree.Size()+n, size)); err != nil {
			return err
		}
	}
	return nil
}

// logSize is how many events there are: as many as the row of the log says, and no more than there are rows up to.
func logSize(ctx context.Context, q querier) (int64, error) {
	var size, rows int64
	if err := queryOne(ctx, q, []any{&rows}, `SELECT COALESCE(MAX(leaf) + 1, 0) FROM event`); err != nil {
		return 0, err
	}
	err := queryOne(ctx, q, []any{&size}, `SELECT size FROM log_size WHERE id = 1`)
	if errors.Is(err, store.ErrNotFound) {
		return rows, nil
	}
	return min(size, rows), err
}

// indexEvents reads the events up to leaf until, compares their hashes, and adds them to the index.
func (c *Checker) indexEvents(ctx context.Context, q querier, until int64) error {
	from := c.tree.Size()
	stored := map[int64]tlog.Hash{}
	err := queryEach(ctx, q, func(scan func(...any) error) error {
		var position int64
		var hash []byte
		if err := scan(&position, scanBytes(&hash)); err != nil {
			return err
		}
		if len(hash) == tlog.HashSize {
			stored[position] = tlog.Hash(hash)
		}
		return nil
	}, `SELECT position, hash FROM log_hash WHERE position >= $1 AND position < $2`, tlog.StoredHashIndex(0, from), tlog.StoredHashIndex(0, until))
	if err != nil {
		return fmt.Errorf("read hashes: %w", err)
	}
	events, err := readEvents(ctx, q, from, until)
	if err != nil {
		return err
	}
	for leaf := from; leaf < until; leaf++ {
		e, found := events[leaf]
		// What is missing takes its place in the tree, so that what follows keeps its own.
		hashes := c.tree.Append(audit.EncodeLeaf(e.Event))
		switch {
		case !found:
			c.reportMismatch(leaf, "event %d is missing", leaf)
			continue
		case e.err != nil:
			c.reportMismatch(leaf, "event %d cannot be read: %v", leaf, e.err)
			continue
		}
		for i, h := range hashes {
			if position := tlog.StoredHashIndex(0, leaf) + int64(i); stored[position] != h {
				c.reportMismatch(leaf, "event %d gives another hash than the stored one at %d", leaf, position)
				break
			}
		}
		if err := c.addEvent(ctx, leaf, e); err != nil {
			return fmt.Errorf("take in event %d: %w", leaf, err)
		}
	}
	return nil
}

// reportMismatch tells the first disagreement of the log. All hashes behind it differ as a consequence.
func (c *Checker) reportMismatch(leaf int64, format string, args ...any) {
	if c.broken {
		return
	}
	c.broken = true
	c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "log", About: fmt.Sprintf("event %d of the audit log", leaf),
		Text: fmt.Sprintf(format, args...) + "; events behind it are not compared", Remedy: restoreDatabase})
}

func (c *Checker) addEvent(ctx context.Context, leaf int64, e readEvent) error {
	if leaf == 0 && e.lines != "" || strings.Contains(e.lines, "\n"+recordBaseline+" ") {
		c.recordsAll = true
	}
	switch e.Type {
	case contract.EventUploaded:
		c.lastDocument = max(c.lastDocument, e.Document)
	case contract.EventClockConfirmed:
		c.latestAt = 0
	}
	if e.Type != contract.EventRecorded {
		c.latestAt = max(c.latestAt, toMicros(e.At))
	}
	err := c.index.addEvent(ctx, leaf, e)
	if errors.Is(err, errRecords) {
		c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "log", About: fmt.Sprintf("event %d of the audit log", leaf), Text: "its digests of records cannot be read: " + err.Error(), Remedy: restoreDatabase})
		err = nil
	}
	return err
}

// readEvent is an event, or why it could not be read.
type readEvent struct {
	contract.Event
	lines string // about records
	err   error
}

// readEvents reads events by their leaves. A row that cannot be read does not keep the others from being read.
func readEvents(ctx context.Context, q querier, from, until int64) (map[int64]readEvent, error) {
	all := map[int64]readEvent{}
	read := func(from, until int64) error {
		return queryEach(ctx, q, func(scan func(...any) error) error {
			leaf, e, lines, err := scanEvent(scan)
			if err == nil {
				all[leaf] = readEvent{Event: e, lines: lines}
			}
			return err
		}, `SELECT `+eventColumns+` FROM event WHERE leaf >= $1 AND leaf < $2`, from, until)
	}
	if read(from, until) == nil {
		return all, nil
	}
	clear(all)
	for leaf := from; leaf < until; leaf++ {
		if err := read(leaf, leaf+1); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			all[leaf] = readEvent{err: err}
		}
	}
	return all, nil
}

// recordPage is how many records are compared in one snapshot.
const recordPage = 100

// CheckRecords compares all records with what the log says of them. Progress is called after each page.
func (c *Checker) CheckRecords(ctx context.Context, progress func()) error {
	for _, k := range recordKinds {
		if err := c.checkKind(ctx, k, progress); err != nil {
			return fmt.Errorf("check records of kind %s: %w", k.name, err)
		}
	}
	return nil
}

func (c *Checker) checkKind(ctx context.Context, k recordKind, progress func()) error {
	var last []any
	for {
		err := c.withIndexedSnapshot(ctx, func(q querier) error {
			keys, end, err := nextKeys(ctx, q, k.parts[0], last)
			last = end
			if err != nil || len(keys) == 0 {
				return err
			}
			return c.checkRecords(ctx, q, k.name, keys)
		})
		if err != nil {
			return err
		}
		progress()
		if last == nil {
			break
		}
	}
	// What the log knows and no page had: it is missing, or came after its page.
	for behind := ""; ; {
		missing, err := c.index.listNotCompared(ctx, k.name, behind, recordPage)
		if err != nil {
			return err
		}
		for _, l := range missing {
			if err := c.withIndexedSnapshot(ctx, func(q querier) error { return c.checkMissing(ctx, q, l.record) }); err != nil {
				return err
			}
			behind = l.key
		}
		if len(missing) < recordPage {
			return nil
		}
	}
}

// nextKeys returns the keys of the next records of a kind behind last, and the values of the last one; nil where there are
// no more.
func nextKeys(ctx context.Context, q querier, p recordPart, last []any) (keys []string, end []any, err error) {
	var c condition
	if last != nil {
		marks := make([]string, len(last))
		for i, v := range last {
			marks[i] = c.addArg(v)
		}
		c.terms = []string{"(" + strings.Join(p.keys, ", ") + ") > (" + strings.Join(marks, ", ") + ")"}
	}
	columns := strings.Join(p.keys, ", ")
	err = queryEach(ctx, q, func(scan func(...any) error) error {
		values, dest := make([]any, len(p.keys)), make([]any, len(p.keys))
		for i := range values {
			dest[i] = &values[i]
		}
		err := scan(dest...)
		keys, end = append(keys, recordKey(values...)), values
		return err
	}, `SELECT `+columns+` FROM `+p.table+c.pageClause(columns, 0, recordPage), c.args...)
	if len(keys) < recordPage {
		end = nil
	}
	return keys, end, err
}

func (c *Checker) checkRecords(ctx context.Context, q querier, kind string, keys []string) error {
	digests, err := recordDigests(ctx, q, kind, keys)
	if err != nil {
		return c.checkEachRecord(ctx, q, kind, keys, err)
	}
	for _, key := range keys {
		if err := c.compareRecord(ctx, record{kind, key}, digests[key]); err != nil {
			return err
		}
	}
	return nil
}

// checkEachRecord finds those among the records that cannot be read.
func (c *Checker) checkEachRecord(ctx context.Context, q querier, kind string, keys []string, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, isPostgres := q.(postgresTx); isPostgres { // the failed statement ended the snapshot
		return cause
	}
	for _, key := range keys {
		r := record{kind, key}
		digest, err := recordDigest(ctx, q, r)
		if err != nil {
			if err := c.index.markCompared(ctx, r); err != nil {
				return err
			}
			c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "records", About: r.String(), Text: "its rows cannot be read: " + err.Error(), Remedy: restoreDatabase})
			continue
		}
		if err := c.compareRecord(ctx, r, digest); err != nil {
			return err
		}
	}
	return nil
}

// compareRecord compares a record that has rows with what the log says of it.
func (c *Checker) compareRecord(ctx context.Context, r record, digest [32]byte) error {
	c.Records++
	if r.kind == "document" {
		c.Documents++
	}
	l, ok, err := c.index.findLine(ctx, r)
	if err != nil {
		return err
	}
	d := store.Discrepancy{Severity: store.SeverityEvidence, Check: "records", About: r.String(), Remedy: restoreDatabase}
	switch {
	case !ok && r.isOptional(), l.digest == "-" && r.isOptional():
		return nil
	case !ok || l.digest == "":
		if c.recordsAll {
			d.Text = "the log states no digest of its rows, though it does of all that this program writes: another program added them"
			break
		}
		d.Severity, d.Text, d.Remedy = store.SeverityUnrecorded, "the log states no digest of its rows", recordOnce
		if err := c.index.addUnrecorded(ctx, r); err != nil {
			return err
		}
	case l.digest == "-":
		d.Text = fmt.Sprintf("it exists although event %d says that it was removed", l.leaf)
	case digest == noRecord || l.digest != statedRecord{r, digest}.hexDigest():
		d.Text = fmt.Sprintf("its rows are not those that event %d states: a row or a column was changed, added or removed", l.leaf)
	default:
		return c.index.markCompared(ctx, r)
	}
	c.tell(d)
	return c.index.markCompared(ctx, r)
}

// checkMissing compares a record that the log knows and that no page had.
func (c *Checker) checkMissing(ctx context.Context, q querier, r record) error {
	l, ok, err := c.index.findLine(ctx, r)
	if err != nil || !ok || l.digest == "-" { // removed since
		return err
	}
	digest, err := recordDigest(ctx, q, r)
	if err != nil {
		return err
	}
	if digest != noRecord {
		return c.compareRecord(ctx, r, digest)
	}
	c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "records", About: r.String(),
		Text: fmt.Sprintf("it is missing although event %d says that it exists, and none that it was removed", l.leaf), Remedy: restoreDatabase})
	return c.index.markCompared(ctx, r)
}

// isOptional reports whether a record may exist without ever having been written: the one row of the log is there from the start.
func (r record) isOptional() bool { return r.kind == "clock" }

// String returns what messages call a record by.
func (r record) String() string {
	key := strings.ReplaceAll(r.key, "/", " ")
	return strings.ReplaceAll(r.kind, "_", " ") + " " + key
}

// LoggedFile reports whether the log knows a file: by its key, as that of a document or an attempt, or by its SHA-256, which
// events name. Live is whether by its key it should be there. What happened up to this call counts, so that a document that
// was deleted while the check ran is not reported.
func (c *Checker) LoggedFile(ctx context.Context, key string, digest string) (live, named bool, err error) {
	if err := c.withIndexedSnapshot(ctx, func(querier) error { return nil }); err != nil {
		return false, false, err
	}
	l, ok, err := c.index.findLine(ctx, recordOf(recordFile, key))
	if err != nil {
		return false, false, err
	}
	if ok && l.digest == "-" { // its document was deleted
		return false, false, nil
	}
	if ok {
		return true, true, nil
	}
	named, err = c.index.isFileNamed(ctx, digest)
	return false, named, err
}

// recordBaseline is the kind of a line that says that the log states a digest of every row from then on.
const recordBaseline = "baseline"

// RecordMissing states the digests of all records in the log for which [Checker.CheckRecords] found none, and then that it
// states them of all. It returns how many there were.
//
// Durable after each batch: its digests. A crash in between leaves the rest to the next run.
func (c *Checker) RecordMissing(ctx context.Context) (n int, err error) {
	behind := record{}
	for {
		batch, err := c.index.listUnrecorded(ctx, behind, recordPage)
		if err != nil {
			return n, err
		}
		if len(batch) == 0 {
			break
		}
		if err := c.store.recordNow(ctx, batch, nil); err != nil {
			return n, fmt.Errorf("state the digests of records: %w", err)
		}
		n += len(batch)
		behind = batch[len(batch)-1]
	}
	if n == 0 && c.recordsAll {
		return 0, nil
	}
	_, root, err := c.store.Size(ctx)
	if err != nil {
		return n, err
	}
	return n, c.store.recordNow(ctx, nil, []statedRecord{{record{recordBaseline, "1"}, root}})
}

// recordNow states records as they are. The log is locked first: who changes one of them meanwhile states it behind this.
func (s *Store) recordNow(ctx context.Context, records []record, lines []statedRecord) error {
	return s.db.withTx(ctx, func(t tx) error {
		if _, err := t.exec(ctx, `UPDATE log_size SET size = size WHERE id = 1`); err != nil {
			return err
		}
		files, err := filesOfRecords(ctx, t, records)
		if err != nil {
			return err
		}
		return logEntry{records: records, files: append(files, lines...)}.appendToLog(ctx, t)
	})
}

// filesOfRecords lists the files of those records that are documents.
func filesOfRecords(ctx context.Context, q querier, records []record) ([]statedRecord, error) {
	var all []statedRecord
	for _, r := range records {
		if r.kind != "document" {
			continue
		}
		err := queryEach(ctx, q, func(scan func(...any) error) error {
			var key string
			var sum [32]byte
			err := scan(&key, scanDigest(&sum))
			all = append(all, statedRecord{recordOf(recordFile, key), sum})
			return err
		}, `SELECT file_key, file_digest FROM revision WHERE document = $1 UNION SELECT original_key, original_digest FROM document WHERE id = $1
			UNION SELECT evidence_key, evidence_digest FROM attempt WHERE document = $1 AND evidence_key <> ''`, documentKey(r))
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func documentKey(r record) contract.DocumentID {
	n, _ := strconv.ParseInt(r.key, 10, 64) // it was made of a number
	return contract.DocumentID(n)
}
