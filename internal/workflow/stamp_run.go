package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/pades"
	"segel/pdf"
)

// stampRun is the shared state of the steps of one run of [Service.Stamp].
type stampRun struct {
	first bool // the step has to open the attempt for its call
	again bool // the call of the next step may already have been made
	known bool // the document is as the last step committed it
	file  openedFile
	payer store.Organisation // set when an order was made for it

	noneFree time.Time // when no free serial was found last
}

// openedFile is a document's file, kept open while stamps are added to it. The file is opened and its cross-reference
// read once per stamp: the check of the stamped file parses it.
type openedFile struct {
	stack     *blob.Stack   // nil: not open
	revisions int           // number of the document's revisions in the stack
	last      string        // key of the last revision
	checkedAt time.Time     // when all bytes were last found present
	reader    *cachedReader // over the stack
	doc       *pdf.Document
}

// recheckAfter is how long a run relies on the check that all bytes are present and that no serial is free. A fast
// stamp office affixes several stamps in this time, a slow one one.
const recheckAfter = 10 * time.Second

// openDocument opens the current file of a document, unless it is open. It returns errFileMissing if bytes are missing.
func (f *openedFile) openDocument(ctx context.Context, s *Service, d *contract.Document) error {
	if f.isCurrent(d) && s.Clock().Sub(f.checkedAt) < recheckAfter {
		return nil
	}
	if err := f.close(); err != nil {
		return err
	}
	stack, err := s.openPresent(ctx, d.Revisions)
	if err != nil {
		return err
	}
	*f = openedFile{stack: stack, reader: &cachedReader{r: stack}, revisions: len(d.Revisions), last: d.Current().Tail.Key, checkedAt: s.Clock()}
	return nil
}

// isCurrent reports whether the open file is the current file of the document.
func (f *openedFile) isCurrent(d *contract.Document) bool {
	return f.stack != nil && f.revisions == len(d.Revisions) && f.last == d.Current().Tail.Key
}

// appendRevision adds a stored revision and the parsed document with it. If the revision is not committed, the next
// isCurrent returns false.
func (f *openedFile) appendRevision(r contract.Revision, doc *pdf.Document) error {
	if err := f.stack.AppendSegment(fileSegment(r.Tail)); err != nil {
		return err
	}
	f.revisions, f.last, f.doc = f.revisions+1, r.Tail.Key, doc
	return nil
}

// pdfDocument returns the parsed file. It is parsed once.
func (f *openedFile) pdfDocument() (*pdf.Document, error) {
	if f.doc != nil {
		return f.doc, nil
	}
	doc, err := pdf.Open(f.reader, f.stack.Size(), pdf.Options{})
	if err == nil {
		f.doc = doc
	}
	return doc, err
}

// padesSource returns the file as the source for the stamp office.
func (f *openedFile) padesSource(d *contract.Document) pades.Source {
	return sourceOf(d, f.reader, f.stack.Size())
}

func (f *openedFile) close() error {
	if f.stack == nil {
		return nil
	}
	err := f.stack.Close()
	*f = openedFile{}
	return err
}

// loadPayer returns the organisation that pays for a document. It is read once per run: a renaming shows in the next
// run.
func (r *stampRun) loadPayer(ctx context.Context, s *Service, d *contract.Document) (store.Organisation, error) {
	if r.payer.ID == d.Organisation {
		return r.payer, nil
	}
	o, err := s.Store.Organisation(ctx, d.Organisation)
	if err != nil {
		return o, fmt.Errorf("read organisation: %w", err)
	}
	r.payer = o
	return o, nil
}

// loadRegistered returns the register's entry for a serial from the stamp office. For the first call of an order the
// entry is not read: if it exists, the commit conflicts, and the next try reads it.
func (s *Service) loadRegistered(ctx context.Context, serial string, look bool) (contract.StampSerial, error) {
	fresh := contract.StampSerial{Serial: serial}
	if !look {
		return fresh, nil
	}
	known, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return fresh, nil
	}
	return known, err
}
