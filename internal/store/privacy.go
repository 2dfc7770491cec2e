package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// PersonalRecord is a row that is about a person: its columns by name, as text, numbers, truth values, bytes and times in ISO 8601. A time that is
// not known is nil.
type PersonalRecord map[string]any

// PersonalData reads what is stored about people with accounts.
type PersonalData interface {
	// EachPersonalRecord calls yield with each row about a person until it returns false. Rows of a kind follow each other. Secrets and their
	// hashes are left out. Own adds what only the person may see: drafts, documents that name their mailbox as a guest's, and the pictures of
	// their signature and initials. No transaction is open while yield runs.
	EachPersonalRecord(ctx context.Context, id contract.PersonID, own bool, yield func(kind string, r PersonalRecord) bool) error
}

// Erasures erase the data of people, in steps that can be repeated (decision 0091).
type Erasures interface {
	// BeginErasure records that the data of a person are to be erased, disables the account as DisableUser does, and logs the event. ErrConflict
	// if it was asked before; ErrNotFound without the account; contract.ErrLastAdmin for the last admin of an organisation that is not closed;
	// contract.ErrOwnsDocuments while they own documents that were sent; contract.ErrHeld while a legal hold covers their organisation, or a document that they own.
	BeginErasure(ctx context.Context, x contract.Erasure, e contract.Event) error
	// Erasure returns the erasure of a person; ErrNotFound if none was asked.
	Erasure(ctx context.Context, id contract.PersonID) (contract.Erasure, error)
	// OpenErasures returns erasures that are not done, and those that were done at since or later: what requests in progress wrote meanwhile is left.
	OpenErasures(ctx context.Context, since time.Time, limit int) ([]contract.Erasure, error)
	// EraseRows erases the rows of a person whose erasure was begun, in batches, but those of documents. The last commit replaces name, address
	// and password of the account and logs the event; it is refused with contract.ErrOwnsDocuments while they own documents, and with contract.ErrHeld while a legal hold covers the organisation. It marks the person on the documents that they
	// read and that have not ended. Repeated, it erases what was added since, and logs no event again.
	EraseRows(ctx context.Context, id contract.PersonID, e contract.Event) error

	// EraseGuest marks the guests with an address, or if that is empty with a phone number in international form, on the documents of an organisation, erases
	// its invitations of the address, and logs the event that made returns for the number of these guests. A stored number is compared as contract.ParsePhone reads it. Marked guests are suggested to no owner.
	// contract.ErrHeld while a legal hold covers the organisation.
	EraseGuest(ctx context.Context, of contract.OrganisationID, who contract.GuestContact, at time.Time, made func(count int) contract.Event) error
	// ErasedGuests returns the people of a document who were marked, in no order.
	ErasedGuests(ctx context.Context, id contract.DocumentID) ([]contract.PersonID, error)
	// ErasableParticipants returns people of erasures, and marked guests, who are on documents from which contract.EraseParticipant removes them and that no legal hold covers. After is the last
	// that was returned before.
	ErasableParticipants(ctx context.Context, after ErasableParticipant, limit int) ([]ErasableParticipant, error)
	// ForgetParticipant erases the messages, links and codes that a person got about a document.
	ForgetParticipant(ctx context.Context, p ErasableParticipant) error
	// ForgetCodes erases the codes that marked guests got about documents that have ended, also about those on which the guests remain.
	ForgetCodes(ctx context.Context) error
}

// ErasableParticipant is a person on a document.
type ErasableParticipant struct {
	Document contract.DocumentID
	Person   contract.PersonID
}
