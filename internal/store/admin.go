package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Administration reads what administrators look at, across the documents and people of an organisation. An empty
// Organisation selects all of them.
type Administration interface {
	// Organisations lists all organisations, oldest first.
	Organisations(ctx context.Context) ([]Organisation, error)

	// Waiting reads one page of the documents that wait for the service and have made no progress since before, and of
	// those that failed, oldest first.
	Waiting(ctx context.Context, q WaitingQuery) (List, error)

	// SentDocuments reads one page of the documents of an organisation that were finalized, newest first. The count stops at SearchLimit.
	SentDocuments(ctx context.Context, q DocumentQuery) (List, error)

	// CertificateList reads one page of the certificates that the embedded authority issued.
	CertificateList(ctx context.Context, q CertificateQuery) (CertificatePage, error)

	// AuditLog reads one page of the log, newest first. An organisation has the events of its documents, and those of
	// contract.OrganisationEventTypes about its accounts. Events of deleted documents, and all others without a document, belong to no
	// organisation.
	AuditLog(ctx context.Context, q LogQuery) (LogPage, error)
	// EachEvent calls yield with each matching event, oldest first, until yield returns false. Offset and Limit are ignored. No
	// transaction is open while yield runs.
	EachEvent(ctx context.Context, q LogQuery, yield func(Logged) bool) error

	// Titles returns the titles of documents, and whether a person has them in their lists or those of their teams; deleted documents are missing from
	// the map.
	Titles(ctx context.Context, reader contract.PersonID, ids []contract.DocumentID) (map[contract.DocumentID]Title, error)
	// SerialStates returns the states of serials; serials that are not in the register are missing from the map.
	SerialStates(ctx context.Context, serials []string) (map[string]contract.SerialState, error)

	// AddReconciliation adds a report, logs the events, and returns its number.
	AddReconciliation(ctx context.Context, r contract.Reconciliation, events ...contract.Event) (int64, error)
	// LastReconciliation returns the newest report; ErrNotFound before the first.
	LastReconciliation(ctx context.Context) (contract.Reconciliation, error)
}

// WaitingQuery selects documents that wait. A zero filter selects all.
type WaitingQuery struct {
	Organisation contract.OrganisationID
	Failed       bool // only those that failed
	Step         contract.WaitingStep
	Search       string // part of the title, ignoring letter case
	Owner        string // e-mail address, in any case of ASCII letters
	Before       time.Time
	Offset       int
	Limit        int
}

// DocumentQuery selects documents that were finalized. A zero member selects all.
type DocumentQuery struct {
	Organisation contract.OrganisationID
	State        contract.State
	Search       string // part of the title, ignoring letter case
	Owner        string // e-mail address, in any case of ASCII letters
	Offset       int
	Limit        int
}

// CertificateQuery selects certificates: valid ones by expiry, soonest first; expired ones latest first.
type CertificateQuery struct {
	Organisation contract.OrganisationID    // of the holder: the organisation, its users and the guests of its documents
	Status       contract.CertificateStatus // empty: all
	Serial       string                     // the one with that serial; empty: all
	Now          time.Time
	Offset       int
	Limit        int
}

// CertificatePage is one page of certificates and how many there are in all.
type CertificatePage struct {
	Certificates []contract.Certificate
	Total        int
}

// LogQuery selects events. A zero member selects all.
type LogQuery struct {
	Organisation contract.OrganisationID // whose documents the events are about
	Document     contract.DocumentID
	Type         contract.EventType
	Person       contract.PersonID // who did it
	Email        string            // of who did it, in any case of ASCII letters
	From, Until  time.Time         // at From or later, and before Until
	Offset       int
	Limit        int
}

// LogPage is one page of events and their count. The count stops at SearchLimit unless the page is of the whole log.
type LogPage struct {
	Events []Logged
	Total  int
}

// Logged is an event with its number in the log.
type Logged struct {
	contract.Event
	Leaf int64 // from 0
}

// Title is the title of a document with what is needed to describe its stamps.
type Title struct {
	Name, Title string
	Listed      bool        // the reader has the document in a list, so they may open it
	Pages       map[int]int // page number of each stamp's placement, by the stamp's index in Stamps
}
