package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Serials stores the register of serials and the attempts on them. Commit writes both with their documents;
// MoveSerials changes serials that no document uses.
type Serials interface {
	// Serial reads one serial; ErrNotFound if it is not in the register.
	Serial(ctx context.Context, serial string) (contract.StampSerial, error)

	// FreeSerial returns the serial of an organisation that has been free for longest and that this document did not
	// release; else ErrNotFound. Two callers may get the same serial: the commit that claims it decides.
	FreeSerial(ctx context.Context, o contract.OrganisationID, claimant contract.DocumentID) (contract.StampSerial, error)

	// Serials reads one page of the register, most recently changed first.
	Serials(ctx context.Context, q SerialQuery) (SerialPage, error)

	// EachSerial calls yield with each matching serial, by serial, until yield returns false. Offset and Limit are
	// ignored. No transaction is open while yield runs.
	EachSerial(ctx context.Context, q SerialQuery, yield func(contract.StampSerial) bool) error

	// MoveSerials applies moves of serials that no document uses, all or none, and logs the events. It returns
	// ErrConflict if one is not, or no longer, in the state that it is to be moved from.
	MoveSerials(ctx context.Context, moves []contract.SerialMove, events ...contract.Event) error

	// Attempts reads one page of attempts, newest first.
	Attempts(ctx context.Context, q AttemptQuery) (AttemptPage, error)

	// EachAttempt calls yield with each matching attempt, oldest first, until yield returns false. Offset and Limit
	// are ignored. No transaction is open while yield runs.
	EachAttempt(ctx context.Context, q AttemptQuery, yield func(contract.Attempt) bool) error

	// OrdersInDoubt returns the orders that may have bought a serial which is not in the register: those of requested
	// stamps on unfinished documents, except test documents.
	OrdersInDoubt(ctx context.Context) ([]OrderInDoubt, error)

	// DocumentWithOrder returns the document for which a serial was ordered under that identifier; else ErrNotFound.
	DocumentWithOrder(ctx context.Context, order string) (contract.DocumentID, error)
}

// SerialQuery selects serials. A zero member selects all. Serials of test documents are selected by their document or by themselves only.
type SerialQuery struct {
	Organisation contract.OrganisationID
	Unassigned   bool // those without an organisation; Organisation is ignored then
	States       []contract.SerialState
	Document     contract.DocumentID // that uses it, or was the last to release it
	Serial       string              // the one with that serial
	Offset       int
	Limit        int
}

// SerialPage is one page of serials and the number of all matching ones.
type SerialPage struct {
	Serials []contract.StampSerial
	Total   int
}

// AttemptQuery selects attempts. A zero member selects all. Attempts for test documents, which cost nothing, are selected by their document only.
type AttemptQuery struct {
	Organisation contract.OrganisationID
	Document     contract.DocumentID
	Serial       string
	From, Until  time.Time // made at From or later, and before Until
	Open         bool      // only those without an answer
	Offset       int
	Limit        int
}

// AttemptPage is one page of attempts and the number of all matching ones.
type AttemptPage struct {
	Attempts []contract.Attempt
	Total    int
}

// OrderInDoubt is an order for a serial whose outcome is unknown.
type OrderInDoubt struct {
	Document     contract.DocumentID
	Organisation contract.OrganisationID
	Order        string
}
