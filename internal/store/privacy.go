package store

import (
	"context"

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
