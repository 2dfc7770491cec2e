package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Serials keeps the register of serials and the attempts on them. Commit writes both with the documents they are about;
// what happens to serials that no document has is MoveSerials'.
type Serials interface {
	// Serial reads one serial; ErrNotFound for one that was never heard of.
	Serial(ctx context.Context, serial string) (contract.StampSerial, error)

	// FreeSerial returns the serial of an organisation that has been free for longest and that this document did not
	// let go of; else ErrNotFound. Two may be told the same: the commit that claims it decides.
	FreeSerial(ctx context.Context, o contract.OrganisationID, claimant contract.DocumentID) (contract.StampSerial, error)

	// Serials reads one page of the register, those that changed last first.
	Serials(ctx context.Context, q SerialQuery) (SerialPage, error)

	// EachSerial calls yield with every serial that matches, by serial, until it returns false. Offset and Limit do
	// not count. No transaction is open while yield runs.
	EachSerial(ctx context.Context, q SerialQuery, yield func(contract.StampSerial) bool) error

	// MoveSerials applies moves of serials that no document has, all or none, with events that say so. ErrConflict
	// when one is not, or no longer, where it is to be moved from.
	MoveSerials(ctx context.Context, moves []contract.SerialMove, events ...contract.Event) error

	// Attempts reads one page of attempts, newest first.
	Attempts(ctx context.Context, q AttemptQuery) (AttemptPage, error)

	// EachAttempt calls yield with every attempt that matches, oldest first, until it returns false. Offset and Limit
	// do not count. No transaction is open while yield runs.
	EachAttempt(ctx context.Context, q AttemptQuery, yield func(contract.Attempt) bool) error

	// OrdersInDoubt returns the orders that may have bought a serial which is not in the register: those of stamps that are
	// requested, on documents that are not at their end.
	OrdersInDoubt(ctx context.Context) ([]OrderInDoubt, error)

	// DocumentWithOrder returns the document for which a serial was ordered under that identifier; else ErrNotFound.
	DocumentWithOrder(ctx context.Context, order string) (contract.DocumentID, error)
}

// SerialQuery selects serials. What is zero selects any.
type SerialQuery struct {
	Organisation contract.OrganisationID
	Unassigned   bool // those of no organisation; Organisation does not count then
	States       []contract.SerialState
	Document     contract.DocumentID // that has it, or let go of it last
	Offset       int
	Limit        int
}

// SerialPage is one page of serials and how many there are in all.
type SerialPage struct {
	Serials []contract.StampSerial
	Total   int
}

// AttemptQuery selects attempts. What is zero selects any.
type AttemptQuery struct {
	Organisation contract.OrganisationID
	Document     contract.DocumentID
	Serial       string
	From, Until  time.Time // made at From or later, and before Until
	Open         bool      // only those that are not answered
	Offset       int
	Limit        int
}

// AttemptPage is one page of attempts and how many there are in all.
type AttemptPage struct {
	Attempts []contract.Attempt
	Total    int
}

// OrderInDoubt is an order for a serial whose end is not known here.
type OrderInDoubt struct {
	Document     contract.DocumentID
	Organisation contract.OrganisationID
	Order        string
}
