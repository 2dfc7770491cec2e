package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Administration reads what administrators look at, across the documents and people of an organisation. An empty
// Organisation is any.
type Administration interface {
	// Organisations lists all organisations, oldest first.
	Organisations(ctx context.Context) ([]Organisation, error)

	// Waiting reads one page of the documents that have made no progress since before though they wait for the service,
	// and of those that failed, oldest first.
	Waiting(ctx context.Context, q WaitingQuery) (List, error)

	// CertificateList reads one page of the embedded authority's ledger.
	CertificateList(ctx context.Context, q CertificateQuery) (CertificatePage, error)

	// AuditLog reads one page of the log, newest first. Events of documents that are gone, and those of no document,
	// belong to no organisation.
	AuditLog(ctx context.Context, q LogQuery) (LogPage, error)

	// Titles tells how documents are called; those that are gone are missing.
	Titles(ctx context.Context, ids []contract.DocumentID) (map[contract.DocumentID]Title, error)
	// SerialStates tells where serials stand in the register; those that are not in it are missing.
	SerialStates(ctx context.Context, serials []string) (map[string]contract.SerialState, error)

	// AddReconciliation adds a report and returns its number.
	AddReconciliation(ctx context.Context, r contract.Reconciliation) (int64, error)
	// LastReconciliation returns the newest report; ErrNotFound before the first.
	LastReconciliation(ctx context.Context) (contract.Reconciliation, error)
}

// WaitingQuery selects documents that wait.
type WaitingQuery struct {
	Organisation contract.OrganisationID
	Before       time.Time
	Offset       int
	Limit        int
}

// CertificateStatus is how certificates stand at a moment.
type CertificateStatus string

// The standings.
const (
	CertificateValid   CertificateStatus = "valid"
	CertificateEnded   CertificateStatus = "ended"
	CertificateRevoked CertificateStatus = "revoked"
)

// Status returns how the certificate stands at a moment.
func (c Certificate) Status(now time.Time) CertificateStatus {
	switch {
	case !c.RevokedAt.IsZero():
		return CertificateRevoked
	case !c.NotAfter.After(now):
		return CertificateEnded
	}
	return CertificateValid
}

// CertificateQuery selects certificates: those that end first come first, and of those that ended, the last.
type CertificateQuery struct {
	Organisation contract.OrganisationID // of whoever holds it: the organisation, its people and its documents' guests
	Status       CertificateStatus       // empty: any
	Now          time.Time
	Offset       int
	Limit        int
}

// CertificatePage is one page of certificates and how many there are in all.
type CertificatePage struct {
	Certificates []Certificate
	Total        int
}

// LogQuery selects events. What is zero selects any.
type LogQuery struct {
	Organisation contract.OrganisationID // whose documents they are about
	Document     contract.DocumentID
	Type         contract.EventType
	Offset       int
	Limit        int
}

// LogPage is one page of events and how many there are, counted up to SearchLimit where they are not of the whole log.
type LogPage struct {
	Events []Logged
	Total  int
}

// Logged is an event with its number in the log.
type Logged struct {
	contract.Event
	Leaf int64 // from 0
}

// Title is how a document is called.
type Title struct {
	Name, Title string
	Pages       map[int]int // page of the placement of each stamp, by its index into Stamps
}
