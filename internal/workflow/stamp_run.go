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

// stampRun is what the steps of one run of [Service.Stamp] have in common.
type stampRun struct {
	first bool // step: the attempt on the call it makes is still to be opened
	again bool // the office may have been asked before for what the next step does
	known bool // the document is as the last step committed it
	file  openedFile
	payer store.Organisation // once an order was made for it

	noneFree time.Time // when no serial was free that could be claimed instead of ordering one
}

// openedFile is the file of a document that stays open while stamps are added to it, so that it is opened, and its
// cross-reference read, once for a stamp: by the judge, who reads it with the stamp on it.
type openedFile struct {
	stack     *blob.Stack   // nil: not open
	revisions int           // of the document that it has
	last      string        // key of the last
	checkedAt time.Time     // when all of it was there
	reader    *cachedReader // of the stack
	doc       *pdf.Document
}

// recheckAfter is for how long a run takes it that bytes which were there are there, and that no serial has become free. An
// office that answers at once is asked for several stamps meanwhile, one that takes its time for one.
const recheckAfter = 10 * time.Second

// openDocument opens a document's file as it stands, unless it is open; errFileMissing if bytes of it are not there.
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

// isCurrent reports whether it is the document's file as it stands.
func (f *openedFile) isCurrent(d *contract.Document) bool {
	return f.stack != nil && f.revisions == len(d.Revisions) && f.last == d.Current().Tail.Key
}

// appendRevision adds a revision whose bytes are stored, and the document with it. Should the revision not be committed, the next
// look finds that it is not the document's file.
func (f *openedFile) appendRevision(r contract.Revision, doc *pdf.Document) error {
	if err := f.stack.AppendSegment(fileSegment(r.Tail)); err != nil {
		return err
	}
	f.revisions, f.last, f.doc = f.revisions+1, r.Tail.Key, doc
	return nil
}

// pdfDocument returns the file as it was parsed, by whoever was first to ask.
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

// padesSource is the file as it stands, for the office.
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

// loadPayer returns who pays for a document. His name is read once in a run: a change meanwhile shows with the next.
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

// loadRegistered returns what the register has of a serial that the office gave. For the first call of an order it is not
// read before the commit, which finds out: a serial that is there is a conflict, and looked up for the next try.
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
