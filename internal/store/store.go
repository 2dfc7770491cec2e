// Package store is the contract of the durable storage. One implementation, [segel/internal/store/sqlstore],
// serves SQLite and PostgreSQL; the suite in storetest defines the behaviour of both.
//
// Errors: [ErrNotFound] if something does not exist; [ErrConflict] if a compare-and-swap is lost; [contract.ErrQuota] if
// a quota does not suffice. Any other error comes from the database and means that nothing was applied.
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
	ErrConflict = errors.New("changed by another writer")
	ErrExists   = errors.New("already in the store")

	// ErrFileCollected refuses a transaction that refers to a file which was collected, see [Documents.CollectFile]: too much time has passed since it was written.
	ErrFileCollected = errors.New("the file was collected before anything referred to it")
)

// Documents stores documents, the lists that contain them, their events and the jobs they imply.
type Documents interface {
	// Commit applies a change in one transaction: the document (compare-and-swap on Before.Version; a nil
	// Before creates it and assigns its number), lists and their counters, audit events with their leaves of
	// the Merkle log, quota moves, jobs, and the record of a certificate. It returns the document as stored, with the new
	// version.
	//
	// It returns ErrConflict if another writer committed since Before was read, ErrNotFound if the document no longer exists,
	// contract.ErrHeld if the change erases what a legal hold covers, contract.ErrQuota if a reservation exceeds the quota, the error of contract.CheckStorage if the change exceeds its
	// StorageLimit, and ErrExists if the serial of the certificate is recorded already.
	//
	// With a context of [WithFinalAnswer], the same transaction stores the answer to the request; ErrClaimLost if another
	// request holds the key.
	//
	// Durable on return: all of it. On error: none of it, unless the connection was lost while the database
	// committed; then the document's version shows whether it did.
	Commit(ctx context.Context, c contract.Change) (contract.Document, error)

	// Document reads one document.
	Document(ctx context.Context, id contract.DocumentID) (contract.Document, error)

	// DocumentFor is Document for a person who is the owner or, after it was finalized, a participant; else ErrNotFound. It
	// reads no more of another person's document than of one that does not exist.
	DocumentFor(ctx context.Context, id contract.DocumentID, person contract.PersonID) (contract.Document, error)

	// DocumentForAuditor is DocumentFor for a person who also reads the documents of an organisation that were finalized.
	DocumentForAuditor(ctx context.Context, id contract.DocumentID, person contract.PersonID, o contract.OrganisationID) (contract.Document, error)

	// DocumentOf is Document for an administrator of an organisation; ErrNotFound for a document of another one, of which it reads no more than
	// of one that does not exist.
	DocumentOf(ctx context.Context, id contract.DocumentID, o contract.OrganisationID) (contract.Document, error)

	// Versions returns the versions of those of the documents that exist.
	Versions(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]int64, error)

	// DocumentWithSerial returns the document on which a duty stamp with that serial is affixed or is to be; else
	// ErrNotFound.
	DocumentWithSerial(ctx context.Context, serial string) (contract.DocumentID, error)

	// List reads one page of a person's list, newest first. Totals come from counters that Commit updates; only a
	// search counts its matches, up to SearchLimit.
	//
	// Waiting, With and an Order other than OrderCreated consider up to SearchLimit matches too, the newest ones.
	List(ctx context.Context, q ListQuery) (List, error)

	// CountList counts the documents that List would list without State and Waiting, by state, and those that wait. Offset, Limit and
	// Order have no effect.
	CountList(ctx context.Context, q ListQuery) (ListCounts, error)

	// ListContacts returns the owners and participants of the newest documents in a person's lists, each address once in lower case with
	// the newest name, those of the newest documents first.
	ListContacts(ctx context.Context, person contract.PersonID) ([]Contact, error)

	// EnteredGuests returns the guests on the 500 newest documents that a person created, the newest first, at most 1000.
	EnteredGuests(ctx context.Context, owner contract.PersonID) ([]contract.GuestContact, error)

	// IndexTitles stores the titles of long lists together, for searches, as far as it gets in some seconds. It is called every
	// minute. A search finds the same before and after, but reads all documents of a list where that was not done.
	IndexTitles(ctx context.Context) error

	// Events reads the audit events of a document, oldest first.
	Events(ctx context.Context, id contract.DocumentID) ([]contract.Event, error)

	// LogEvents appends events that change no document.
	LogEvents(ctx context.Context, events ...contract.Event) error

	// RemindersDue returns up to limit documents of some organisations whose [contract.Document.NextReminder] is that moment or earlier.
	RemindersDue(ctx context.Context, now time.Time, limit int, of Among) ([]contract.DocumentID, error)
	// PastDeadline returns up to limit documents that may have to expire at that moment.
	PastDeadline(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error)

	// Stuck returns up to limit documents with outstanding work that should have been done before that moment: those that wait longest, or of those the
	// ones that follow after. A zero after precedes all.
	Stuck(ctx context.Context, before time.Time, after StuckDocument, limit int) ([]StuckDocument, error)

	// DueForRenewal returns up to limit documents whose newest timestamp is to be renewed by now, see Change.Renewal.
	DueForRenewal(ctx context.Context, now time.Time, limit int) ([]contract.DocumentID, error)

	// Enqueue adds jobs in a separate transaction; jobs that already wait are not added again.
	Enqueue(ctx context.Context, jobs ...contract.Job) error

	// EnqueueNow is Enqueue for jobs that may be due: those that wait for their next try are tried now.
	EnqueueNow(ctx context.Context, jobs ...contract.Job) error

	// Files calls yield with each file that the store refers to, once, until yield returns false. No transaction
	// is open while yield runs.
	Files(ctx context.Context, yield func(contract.File) bool) error

	// EachDocument calls yield with each document, by number, until yield returns false. If the rows of a document cannot be
	// read, yield gets its number and the error. No transaction is open while yield runs.
	EachDocument(ctx context.Context, yield func(contract.Document, error) bool) error

	// RefersToFile reports whether anything refers to the file with that key.
	RefersToFile(ctx context.Context, key string) (bool, error)

	// CollectFile decides that a file which nothing refers to may be taken away: from then on, transactions that would refer to it return ErrFileCollected. It reports
	// false, and decides nothing, if something refers to it. Of this and a transaction that refers to the file at the same moment, one succeeds. Repeating it changes nothing.
	//
	// Durable on return: the decision. The file is taken away after that; if the process dies in between, the file stays, and the next collection repeats both.
	CollectFile(ctx context.Context, key string, at time.Time) (collected bool, err error)

	// OrganisationOfFile returns the organisation whose document or upload refers to the file with that key; [ErrNotFound] if nothing refers to it.
	OrganisationOfFile(ctx context.Context, key string) (contract.OrganisationID, error)
}

// StuckDocument is a document with outstanding work.
type StuckDocument struct {
	ID    contract.DocumentID
	Since time.Time // the last progress or try
}

// SearchLimit bounds how many matches of a search are counted.
const SearchLimit = 10_000

// Box names one of a person's lists.
type Box string

// The lists: received documents, and own documents.
const (
	Inbox  Box = "in"
	Outbox Box = "out"
)

// Period limits a list by the day a document was created, in Asia/Jakarta.
type Period string

// The periods: since midnight today, or since midnight that many days ago.
const (
	PeriodAll   Period = "all"
	PeriodToday Period = "today"
	PeriodWeek  Period = "7d"
	PeriodMonth Period = "30d"
	PeriodYear  Period = "1y"
)

// Order is the order of a list.
type Order string

// The orders: the newest first, the one with the next deadline first and those without one last, or by title.
const (
	OrderCreated  Order = "created"
	OrderDeadline Order = "deadline"
	OrderTitle    Order = "title"
)

// ListQuery selects one page of a list.
type ListQuery struct {
	Person  contract.PersonID
	Box     Box
	Team    contract.TeamID   // the documents of a team, which the person is a member of, instead of Box; empty: those of Box
	State   contract.State    // empty: all
	Without contract.State    // documents in this state are left out; empty: none
	Waiting bool              // only documents that the person can sign now
	Mailbox string            // of the person, in lower case: the inbox has the documents that name it as a guest's, too; empty: none
	With    string            // e-mail address of a person who owns the document or takes part in it, in any letter case; empty: all
	Label   contract.LabelID  // only documents with this label of View.Organisation; empty: all
	Folder  contract.FolderID // only documents in this folder of View.Space; empty: all
	View    FilingView        // what List tells of where the documents are filed
	Summary bool              // List reads only what a list shows of the documents, and what says who sees it and whose turn it is; see storetest.Summarise
	Period  Period            // empty: all
	Search  string            // part of the title, ignoring letter case; empty: all
	Order   Order             // empty: OrderCreated
	Offset  int
	Limit   int
	Now     time.Time
}

// List is one page of documents and the number of all matching ones.
type List struct {
	Documents []contract.Document           // complete, unless ListQuery.Summary is true
	Filed     map[contract.DocumentID]Filed // as ListQuery.View sees it
	Total     int
	Limited   bool // there may be more than Total: more matches than are counted, or more documents than are searched
}

// ListCounts is how many documents a list has.
type ListCounts struct {
	Total   int
	Waiting int // that the person can sign now
	States  map[contract.State]int
	Limited bool // there may be more of any of them
}

// Contact is a person who owns a document in another person's lists, or takes part in it.
type Contact struct {
	Name  string
	Email string // in lower case
}
