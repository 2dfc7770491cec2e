package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// MailboxAccount is an account whose holder verified a mailbox when they created it.
type MailboxAccount struct {
	User     User
	Mailbox  string // in lower case
	ProvedAt time.Time
}

// MailboxAccounts stores the accounts that guests create. The reads of a user return the mailbox with it.
type MailboxAccounts interface {
	// CreateMailboxAccount adds an organisation and its only user, with the mailbox that they verified, and logs the event, in one
	// transaction. ErrExists if the mailbox has such an account already, or an identifier or the name of the organisation is taken.
	CreateMailboxAccount(ctx context.Context, o Organisation, a MailboxAccount, e contract.Event) error

	// HasMailboxAccount reports whether a mailbox, in lower case, has an account that its holder created.
	HasMailboxAccount(ctx context.Context, mailbox string) (bool, error)

	// DocumentNaming is [Documents.Document] for a document that was finalized and names a mailbox, in lower case, as a guest's; else
	// ErrNotFound. It reads no more of another person's document than of one that does not exist.
	DocumentNaming(ctx context.Context, id contract.DocumentID, mailbox string) (contract.Document, error)
}
