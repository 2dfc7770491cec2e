// Package store is the contract of what has to be durable. One implementation, [segel/internal/store/sqlstore],
// serves SQLite and PostgreSQL; the suite in storetest says what both owe.
//
// Errors: what is not there is [ErrNotFound]; a lost compare-and-swap is [ErrConflict]; a quota that does not
// suffice is [contract.ErrQuota]. Anything else is the database's own and means that nothing was applied.
package store

import (
	"context"
	"errors"
	"time"

	"segel/internal/contract"
)

// Errors of every store.
var (
	ErrNotFound = errors.New("not in the store")
	ErrConflict = errors.New("somebody else was faster")
	ErrExists   = errors.New("already in the store")
)

// Documents keeps documents, the lists they stand in, their events and the work they imply.
type Documents interface {
	// Commit applies a change in one transaction: the document (compare-and-swap on Before.Version; a nil
	// Before creates it and gives it its number), lists and their counters, audit events with their leaves of
	// the Merkle log, quota moves, and jobs. It returns the document as stored, with the new version.
	//
	// ErrConflict when somebody else committed since Before was read, ErrNotFound when the document has gone,
	// contract.ErrQuota when a reservation does not fit, what contract.CheckStorage says when the change exceeds its
	// StorageLimit.
	//
	// With a context of [KeepAnswer], the answer to the request is kept in the same transaction; ErrClaimLost when another
	// request holds the key.
	//
	// Durable on return: all of it. On error: none of it, unless the connection was lost while the database
	// committed; the document's version tells then.
	Commit(ctx context.Context, c contract.Change) (contract.Document, error)

	// Document reads one document.
	Document(ctx context.Context, id contract.DocumentID) (contract.Document, error)

	// Involves reports whether a person is the owner of a document, or, once it was finalized, a participant. It is one
	// statement, which reads no more for a document that is another person's than for one that does not exist.
	Involves(ctx context.Context, id contract.DocumentID, person contract.PersonID) (bool, error)

	// Versions returns the versions of those of the documents that exist.
	Versions(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error)

	// DocumentWithSerial returns the document that a duty stamp's serial belongs to, affixed or about to be; else
	// ErrNotFound.
	DocumentWithSerial(ctx context.Context, serial string) (contract.DocumentID, error)

	// List reads one page of somebody's list, newest first. Totals come from counters kept by Commit; only a
	// search counts its matches, up to SearchLimit.
	List(ctx context.Context, q ListQuery) (List, error)

	// Events reads the audit events of a document, oldest first.
	Events(ctx context.Context, id contract.DocumentID) ([]contract.Event, error)

	// LogEvents appends events that change no document.
	LogEvents(ctx context.Context, events ...contract.Event) error

	// PastDeadline returns up to limit documents that may have to expire at that moment.
	PastDeadline(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error)

	// Stuck returns up to limit documents with work left that should have been done before that moment.
	Stuck(ctx context.Context, before time.Time, limit int) ([]contract.DocumentID, error)

	// DueForRenewal returns up to limit documents whose newest timestamp is to be renewed by now, see Change.Renewal.
	DueForRenewal(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error)

	// Enqueue adds work on its own, in a transaction of its own; what already waits is not added again.
	Enqueue(ctx context.Context, jobs ...contract.Job) error

	// EnqueueNow is Enqueue for work whose time may have come: what already waits for its next try is tried now.
	EnqueueNow(ctx context.Context, jobs ...contract.Job) error

	// Files calls yield with every file the store refers to, each once, until it returns false. No transaction
	// is open while yield runs.
	Files(ctx context.Context, yield func(contract.File) bool) error

	// EachDocument calls yield with every document, by number, until it returns false. With one whose rows cannot be read it is
	// called with its number and the error. No transaction is open while yield runs.
	EachDocument(ctx context.Context, yield func(contract.Document, error) bool) error

	// RefersToFile reports whether anything refers to the file with that key.
	RefersToFile(ctx context.Context, key string) (bool, error)
}

// SearchLimit bounds how many matches of a search are counted.
const SearchLimit = 10_000

// Box names one of a person's lists.
type Box string

// The lists: what others sent him, and what he made.
const (
	Inbox  Box = "in"
	Outbox Box = "out"
)

// Period bounds a list by the day a document was made, in Asia/Jakarta.
type Period string

// The periods: since midnight, or since midnight so many days ago.
const (
	PeriodAll   Period = "all"
	PeriodToday Period = "today"
	PeriodWeek  Period = "7d"
	PeriodMonth Period = "30d"
	PeriodYear  Period = "1y"
)

// ListQuery asks for one page of a list.
type ListQuery struct {
	Person contract.PersonID
	Box    Box
	State  contract.State // empty: any
	Period Period         // empty: all
	Search string         // part of the title, letters of any case; empty: any
	Offset int
	Limit  int
	Now    time.Time
}

// List is one page of documents and how many there are in all.
type List struct {
	Documents []contract.Document
	Total     int
}
