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

// Checker compares the tables of a database with its log and with each other. It only reads, in many short snapshots, while
// others may write: each snapshot first indexes the events that the log contains by then, so that rows and log match in time.
//
// It is not safe for concurrent use. Its memory does not grow with the database.
type Checker struct {
	store *Store
	index *logIndex
	tell  func(store.Discrepancy)
	dir   string // temporary, of the index

	tree   *audit.Tree
	broken bool // the log does not match its hashes; the rest of it is read without comparing

	// state derived from the events of the log
	recordsAll   bool                // the log has digests of all rows: since the first event, or since a baseline
	lastDocument contract.DocumentID // the highest number of a document or template
	latestAt     int64               // the latest time since the clock was confirmed, in microseconds

	Documents int64 // documents compared so far
	Records   int64 // records compared so far, documents among them
}

// NewChecker returns a checker that reports what it finds to tell. It keeps a temporary file in dir; empty: the system's default.
func (s *Store) NewChecker(ctx context.Context, dir string, tell func(store.Discrepancy)) (*Checker, error) {
	dir, err := os.MkdirTemp(dir, "segel-fsck-*")
	if err != nil {
		return nil, fmt.Errorf("create a temporary folder: %w", err)
	}
	x, err := newLogIndex(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Checker{store: s, index: x, tell: tell, dir: dir, tree: &audit.Tree{}}, nil
}

// Close removes the temporary file.
func (c *Checker) Close() error { return errors.Join(c.index.close(), os.RemoveAll(c.dir)) }

// LogSize returns the number of events that were read and their root hash; ok is false if they do not match the stored hashes.
func (c *Checker) LogSize() (events int64, root [32]byte, ok bool) {
	return c.tree.Size(), c.tree.Root(), !c.broken
}

// Remedies that several findings share.
const (
	restoreDatabase = "Restore the database from a backup, and compare the log with a checkpoint that is kept elsewhere (segel audit verify)"
	recordOnce      = "It was written by a release that did not record digests, or by another program; if it is correct, segel fsck --record records its digest"
)

// withIndexedSnapshot runs fn on a snapshot after indexing all events in it.
func (c *Checker) withIndexedSnapshot(ctx context.Context, fn func(querier) error) error {
	return c.store.db.withSnapshot(ctx, func(q querier) error { return c.onceCaughtUp(ctx, q, fn) })
}

// readWhole is read for as long as it takes.
func (c *Checker) readWhole(ctx context.Context, fn func(querier) error) error {
	return c.store.db.readWhole(ctx, func(q querier) error { return c.onceCaughtUp(ctx, q, fn) })
}

func (c *Checker) onceCaughtUp(ctx context.Context, q querier, fn func(querier) error) error {
	if err := c.indexNewEvents(ctx, q, -1); err != nil {
		return err
	}
	return fn(q)
}

// CheckLog recomputes the log from its events, compares it with the stored hashes, and indexes the events.
func (c *Checker) CheckLog(ctx context.Context) error {
	for {
		// Rows below the size never change, so each batch may use a separate snapshot.
		before := c.tree.Size()
		err := c.store.db.withSnapshot(ctx, func(q querier) error { return c.indexNewEvents(ctx, q, checkBatch) })
		if err != nil {
			return fmt.Errorf("check the log at event %d: %w", c.tree.Size(), err)
		}
		if c.tree.Size() == before {
			break
		}
	}
	return c.readWhole(ctx, func(q querier) error {
		if complete, err := c.checkLogRow(ctx, q); err != nil || !complete {
			return err
		}
		if err := checkOutsideTree(ctx, q); errors.Is(err, audit.ErrMismatch) {
			c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "log", About: "audit log", Text: "rows that are not part of the log: " + err.Error(), Remedy: restoreDatabase})
		} else if err != nil {
			return err
		}
		return nil
	})
}

// checkLogRow compares the row of the log with the events. It returns false if the row is missing.
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
			Text: fmt.Sprintf("the time of the latest event is recorded as %d, but is %d (microseconds since 1970)", latest, c.latestAt), Remedy: "Run segel clock show, and segel clock confirm if the clock is right",
			NotRepaired: "the row of the log belongs to the evidence, and a person decides which clock is right"})
	}
	err = queryOne(ctx, q, []any{&last}, `SELECT CAST(COALESCE(SUM(last), 0) AS BIGINT) FROM document_number WHERE id = 1`)
	if err == nil && contract.DocumentID(last) != c.lastDocument {
		c.tell(store.Discrepancy{Severity: store.SeverityDerived, Check: "log", About: "numbers of documents",
			Text: fmt.Sprintf("the number of the last document is recorded as %d, but is %d in the log", last, c.lastDocument), Remedy: "Stop the service and restore the database from a backup: a number must not be given twice",
			NotRepaired: "numbers may have been given that the log does not know"})
	}
	return true, err
}

// indexNewEvents indexes up to most further events, or all if most is negative. It reports the first mismatch with the
// stored hashes.
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

// logSize returns the number of events: the size in the row of the log, but at most the number of the last stored event.
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

// indexEvents reads the events before leaf until, compares their hashes, and adds them to the index.
func (c *Checker) indexEvents(ctx context.Context, q querier, until int64) error {
	from := c.tree.Size()
	stored, err := readHashes(ctx, q, from, until)
	if err != nil {
		return fmt.Errorf("read hashes: %w", err)
	}
	events, err := readEvents(ctx, q, from, until)
	if err != nil {
		return err
	}
	for leaf := from; leaf < until; leaf++ {
		e, found := events[leaf]
		// The stored hashes replace a missing event in the tree, so that later events keep their positions.
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
				c.reportMismatch(leaf, "the hash of event %d differs from the stored one at %d", leaf, position)
				break
			}
		}
		if err := c.addEvent(ctx, leaf, e); err != nil {
			return fmt.Errorf("index event %d: %w", leaf, err)
		}
	}
	return nil
}

// reportMismatch reports the first mismatch of the log. All later hashes differ as a consequence.
func (c *Checker) reportMismatch(leaf int64, format string, args ...any) {
	if c.broken {
		return
	}
	c.broken = true
	c.tell(store.Discrepancy{Severity: store.SeverityEvidence, Check: "log", About: fmt.Sprintf("event %d of the audit log", leaf),
		Text: fmt.Sprintf(format, args...) + "; later events are not compared", Remedy: restoreDatabase})
}

func (c *Checker) addEvent(ctx context.Context, leaf int64, e readEvent) error {
	if leaf == 0 && e.lines != "" || strings.Contains(e.lines, "\n"+recordBaseline+" ") {
		c.recordsAll = true
	}
	switch e.Type {
	case contract.EventUploaded, contract.EventTemplateMade:
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

// readEvent is an event, or the error of reading it.
type readEvent struct {
	contract.Event
	lines string // about records
	err   error
}

// readEvents reads events by leaf number. An unreadable row does not prevent the others from being read.
func readEvents(ctx context.Context, q querier, from, until int64) (map[int64]readEvent, error) {
	all := map[int64]readEvent{}
	read := func(from, until int64) error {
		return queryEach(ctx, q, func(scan scanFunc) error {
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

// recordPage is the number of records that are compared in one snapshot.
const recordPage = 100

// CheckRecords compares all records with their digests in the log. It calls progress after each page.
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
			if err := c.checkRecords(ctx, q, k.name, keys); err != nil || k.name != "document" {
				return err
			}
			return c.checkDeliveries(ctx, q, keys)
		})
		if err != nil {
			return err
		}
		progress()
		if last == nil {
			break
		}
	}
	// Records that the log has and no page contained: each is missing, or was added after its page was read.
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

// nextKeys returns the keys of the next records of a kind after last, and the key values of the last one; nil if there are
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
	err = queryEach(ctx, q, func(scan scanFunc) error {
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

// checkEachRecord finds the records that cannot be read.
func (c *Checker) checkEachRecord(ctx context.Context, q querier, kind string, keys []string, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, isPostgres := q.(*postgresTx); isPostgres { // the failed statement ended the snapshot
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

// compareRecord compares a record that has rows with its digest in the log.
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
			d.Text = "the log has no digest of its rows, although it has one of everything that this program writes: another program added them"
			break
		}
		d.Severity, d.Text, d.Remedy = store.SeverityUnrecorded, "the log has no digest of its rows", recordOnce
		if err := c.index.addUnrecorded(ctx, r); err != nil {
			return err
		}
	case l.digest == "-":
		d.Text = fmt.Sprintf("it exists although event %d says that it was removed", l.leaf)
	case digest == noRecord || l.digest != statedRecord{r, digest}.hexDigest():
		d.Text = fmt.Sprintf("its rows do not match the digest in event %d: a row or a column was changed, added or removed", l.leaf)
	default:
		return c.index.markCompared(ctx, r)
	}
	c.tell(d)
	return c.index.markCompared(ctx, r)
}

// checkMissing checks a record that the log has and no page contained.
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
		Text: fmt.Sprintf("it is missing although event %d says that it exists, and no event says that it was removed", l.leaf), Remedy: restoreDatabase})
	return c.index.markCompared(ctx, r)
}

// isOptional reports whether a record may exist without having been written: the single row of the clock exists from the start.
func (r record) isOptional() bool { return r.kind == "clock" }

// String returns the name of a record for messages.
func (r record) String() string {
	key := strings.ReplaceAll(r.key, "/", " ")
	return strings.ReplaceAll(r.kind, "_", " ") + " " + key
}

// LoggedFile reports whether the log has a file: by its key, as the file of a document or an attempt, or by its SHA-256, which
// events name. Live reports whether a file with that key should exist. Events up to this call count, so that a document
// deleted during the check is not reported.
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

// recordBaseline is the kind of the line which says that the log has digests of all rows from then on.
const recordBaseline = "baseline"

// RecordMissing logs the digests of all records for which [Checker.CheckRecords] found none, and then the baseline. It
// returns the number of records.
//
// Durable after each batch: its digests. If the process dies between batches, the next run records the rest.
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
			return n, fmt.Errorf("log the digests of records: %w", err)
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

// recordNow logs the present digests of records. It locks the log first: a concurrent change of a record is logged after this.
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

// filesOfRecords lists the files of the records that are documents.
func filesOfRecords(ctx context.Context, q querier, records []record) ([]statedRecord, error) {
	var all []statedRecord
	for _, r := range records {
		if r.kind != "document" {
			continue
		}
		err := queryEach(ctx, q, func(scan scanFunc) error {
			var key string
			var sum [32]byte
			err := scan(&key, scanDigest(&sum))
			all = append(all, statedRecord{recordOf(recordFile, key), sum})
			return err
		}, `SELECT key, digest FROM (SELECT file_key AS key, file_digest AS digest FROM revision WHERE document = $1 UNION SELECT original_key, original_digest FROM document WHERE id = $1
			UNION SELECT evidence_key, evidence_digest FROM attempt WHERE document = $1 AND evidence_key <> '') files WHERE `+isKeptFile("key"), documentKey(r))
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func documentKey(r record) contract.DocumentID {
	n, _ := strconv.ParseInt(r.key, 10, 64) // recordKey formatted it from a number
	return contract.DocumentID(n)
}
