package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Commit implements [store.Documents].
//
// Durable on return: the document with its lists, events and their leaves, quota and jobs, the record of a certificate that was issued
// for a signature, and the answer if this is the effect of a request with an Idempotency-Key. If the connection is lost while the database commits, the outcome is unknown: the caller
// gets an error, reads the document again, and its version shows the outcome.
func (s *Store) Commit(ctx context.Context, c contract.Change) (contract.Document, error) {
	c.After = asStored(c.After)
	var after contract.Document
	// The transaction also stores the answer if ctx makes it the effect of a request. It may run again.
	run := func(expected contract.DocumentID) error {
		return s.runWithAnswer(ctx, func(t tx) (_ any, err error) {
			after, err = writeChange(ctx, t, c, expected, s.blocks)
			return after, err
		})
	}
	var expected, added contract.DocumentID
	if c.Before == nil && !s.db.embedded() {
		expected = s.numbers.expectNext()
		defer func() { s.numbers.finishCommit(added) }() // also after a panic
	}
	err := run(expected)
	if errors.Is(err, errNumber) {
		s.numbers.forgetLast()
		err = run(0)
	}
	if errors.Is(err, errVersion) {
		err = s.versionConflict(ctx, c.Before.ID)
	}
	if err != nil {
		return contract.Document{}, fmt.Errorf("commit: %w", err)
	}
	added = after.ID
	return after, nil
}

// writeChange writes a change and returns the document with its number and version. A new document has the expected number, or errNumber is returned; 0: the
// next one.
func writeChange(ctx context.Context, t tx, c contract.Change, expected contract.DocumentID, blocks blockSizes) (contract.Document, error) {
	after := c.After
	w := documentWriter{tx: t, before: c.Before, after: &after, expected: expected, at: madeAt(c), blocks: blocks}
	if c.Erases {
		if err := requireUnheld(ctx, t, after.Organisation, after.ID); err != nil {
			return contract.Document{}, err
		}
	}
	// Serials go first: of two transactions that claim one, the later waits here and loses before it writes anything that the
	// register does not allow.
	if err := moveSerials(ctx, t, c.Serials); err != nil {
		return contract.Document{}, err
	}
	removed, err := w.writeDocument(ctx, c)
	if err != nil {
		return contract.Document{}, err
	}
	quota, err := applyQuotaMoves(ctx, t, c.Quota, after.ID, w.at)
	if err != nil {
		return contract.Document{}, err
	}
	if err := moveStorage(ctx, t, after.Organisation, c.UsageChange(), c.StorageLimit); err != nil {
		return contract.Document{}, err
	}
	if err := w.updateBoxes(ctx, c.Delete); err != nil {
		return contract.Document{}, fmt.Errorf("update the lists of document %d: %w", after.ID, err)
	}
	if err := w.writeRenewal(ctx, c.Renewal); err != nil {
		return contract.Document{}, err
	}
	if err := w.writeAccess(ctx, c); err != nil {
		return contract.Document{}, err
	}
	if err := w.addNotices(ctx, c.Notices); err != nil {
		return contract.Document{}, err
	}
	if err := insertNotices(ctx, t, c.AccountNotices); err != nil {
		return contract.Document{}, err
	}
	written := quota
	if c.Certificate != nil {
		certificate, err := insertCertificate(ctx, t, *c.Certificate)
		if err != nil {
			return contract.Document{}, err
		}
		written = append(written, certificate)
	}
	entry, err := w.newLogEntry(c, removed, written)
	if err != nil {
		return contract.Document{}, err
	}
	added, err := addedKeys(entry.files)
	if err != nil {
		return contract.Document{}, err
	}
	if err := requireUncollected(ctx, t, added...); err != nil {
		return contract.Document{}, err
	}
	entry.jobs = orderedJobs(c, &after, removed)
	if err := entry.appendToLog(ctx, t); err != nil {
		return contract.Document{}, fmt.Errorf("log the events of document %d: %w", after.ID, err)
	}
	if err := w.splitSpans(ctx); err != nil {
		return contract.Document{}, err
	}
	if c.Before == nil { // callers wait for a document that they know
		return after, nil
	}
	version := after.Version
	if c.Delete {
		version = 0
	}
	return after, t.notifyChange(ctx, after.ID, version)
}

// writeDocument writes the document and its parts, gives a new one its number and version, and returns which files were removed.
func (w *documentWriter) writeDocument(ctx context.Context, c contract.Change) (removed removedFiles, err error) {
	switch {
	case c.Before == nil:
		err = w.insertDocument(ctx)
	case c.Delete:
		err = w.lockForDeletion(ctx)
	default:
		err = w.updateDocument(ctx)
	}
	if err != nil {
		return removed, err
	}
	if c.Removal != nil {
		if removed, err = w.removeFiles(ctx, *c.Removal); err != nil {
			return removed, fmt.Errorf("remove the files of document %d: %w", w.after.ID, err)
		}
	}
	if c.Upload != "" {
		if err := takeUpload(ctx, w.tx, c.Upload, w.after.ID); err != nil {
			return removed, err
		}
	}
	return removed, w.writeAttempts(ctx, c.Attempts)
}

// writeAccess writes how people reach the document and prove who they are: embedded pages, links of guests, consents and codes.
func (w *documentWriter) writeAccess(ctx context.Context, c contract.Change) error {
	if err := addEmbedAddress(ctx, w.tx, c.Embed); err != nil {
		return err
	}
	if err := openEmbed(ctx, w.tx, w.after.ID, c.OpenedEmbed, w.at); err != nil {
		return err
	}
	if l := c.GuestLink; l != nil {
		if err := setGuestLink(ctx, w.tx, store.GuestLink{Hash: l.Hash, Document: w.after.ID, Person: l.Guest, CreatedAt: w.at}, l.Renewed); err != nil {
			return err
		}
	}
	if err := w.addAcceptance(ctx, c.Accepted); err != nil {
		return err
	}
	return w.writeCode(ctx, c.Code, c.Proved)
}

// newLogEntry returns what the log states about the change: its events, the records that it wrote, of which written are known already, and the files that it
// refers to or removed.
func (w *documentWriter) newLogEntry(c contract.Change, removed removedFiles, written []*writtenRecord) (logEntry, error) {
	document, err := w.encodeRecord(c.Delete)
	if err != nil {
		return logEntry{}, fmt.Errorf("digest document %d: %w", w.after.ID, err)
	}
	records := serialRecords(c.Serials)
	if c.Before == nil && w.after.Test {
		records = append(records, recordOf("test_document", w.after.ID))
	}
	if w.rolesChanged() || c.Delete && encodeRoles(c.Before) != "" {
		records = append(records, recordOf("document_roles", w.after.ID))
	}
	if w.teamChanged() || c.Delete && c.Before.Team.ID != "" {
		records = append(records, recordOf("document_team", w.after.ID))
	}
	if w.preparationChanged() || c.Delete && preparationOf(c.Before) != (preparation{}) {
		records = append(records, recordOf("document_template", w.after.ID))
	}
	return logEntry{
		events:  fillDocumentID(c.Events, w.after.ID, func(e *contract.Event) *contract.DocumentID { return &e.Document }),
		records: append(records, removed.records...),
		written: append(written, document),
		files:   append(statedFiles(c, w.after), removed.files...),
		token:   c.Timestamp,
		at:      w.at,
	}, nil
}

// orderedJobs returns the jobs that the change orders. A sweep also deletes the files that were removed.
func orderedJobs(c contract.Change, after *contract.Document, removed removedFiles) []contract.Job {
	jobs := fillDocumentID(c.Jobs, after.ID, func(j *contract.Job) *contract.DocumentID { return &j.Document })
	for i := range jobs {
		jobs[i].Organisation = after.Organisation
		if jobs[i].Kind == contract.JobSweep {
			jobs[i].Keys = slices.Concat(jobs[i].Keys, removed.keys)
		}
	}
	return append(jobs, noticeJobs(c.AccountNotices)...)
}

// fillDocumentID fills in the document's number if a rule did not know it yet.
func fillDocumentID[T any](in []T, id contract.DocumentID, of func(*T) *contract.DocumentID) []T {
	out := slices.Clone(in)
	for i := range out {
		if d := of(&out[i]); *d == 0 {
			*d = id
		}
	}
	return out
}

// madeAt returns when a change was made: a rule that changes anything records the time in an event or in the change.
func madeAt(c contract.Change) time.Time {
	switch {
	case len(c.Events) > 0:
		return c.Events[len(c.Events)-1].At
	case !c.At.IsZero():
		return c.At
	}
	return c.After.CreatedAt
}

// asStored returns a document as it will be read back: times truncated to microseconds, text cleaned for storage.
func asStored(d contract.Document) contract.Document {
	d.Participants = slices.Clone(d.Participants)
	d.Placements = slices.Clone(d.Placements)
	d.Stamps = slices.Clone(d.Stamps)
	d.Revisions = slices.Clone(d.Revisions)
	d.Delegations = slices.Clone(d.Delegations)
	for i := range d.Delegations {
		truncateTime(&d.Delegations[i].At)
	}
	for _, t := range []*time.Time{&d.CreatedAt, &d.FinalizedAt, &d.EndedAt, &d.ExpiresAt, &d.LastSignedAt, &d.RemindedAt} {
		truncateTime(t)
	}
	for _, s := range []*string{&d.Name, &d.Title, &d.Filename, &d.Reason, &d.Owner.Name, &d.Owner.Email, &d.Delivery.Message} {
		*s = cleanText(*s)
	}
	for i := range d.Participants {
		p := &d.Participants[i]
		truncateTime(&p.ViewedAt)
		truncateTime(&p.SignedAt)
		truncateTime(&p.IntentAt)
		p.Name, p.Email, p.Phone = cleanText(p.Name), cleanText(p.Email), cleanText(p.Phone)
	}
	for i := range d.Placements {
		b := &d.Placements[i].Box
		for _, side := range []*float64{&b.LLX, &b.LLY, &b.URX, &b.URY} {
			*side += 0 // SQLite does not store the sign of a negative zero
		}
	}
	for i := range d.Stamps {
		truncateTime(&d.Stamps[i].AffixedAt)
		truncateTime(&d.Stamps[i].AttemptedAt)
		d.Stamps[i].Problem = cleanText(d.Stamps[i].Problem)
	}
	for i := range d.Revisions {
		truncateTime(&d.Revisions[i].At)
	}
	return d
}

// versionConflict returns why no row matched a document's version: another writer changed the document, or it was deleted.
func (s *Store) versionConflict(ctx context.Context, id contract.DocumentID) error {
	var version int64
	err := s.readRow(ctx, []any{&version}, `SELECT version FROM document WHERE id = $1`, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("document %d: %w", id, store.ErrNotFound)
	case err != nil:
		return fmt.Errorf("read document %d: %w", id, err)
	}
	return fmt.Errorf("document %d is at version %d: %w", id, version, store.ErrConflict)
}
