package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// SigningQuery selects what a [Signing] has.
type SigningQuery struct {
	Document contract.DocumentID
	// Person signs the document, and owns it or takes part in it as [Documents.DocumentFor] requires. Empty: its organisation
	// seals it.
	Person contract.PersonID
	// Begun and Until bound the validity of an organisation's credential, see [Credentials.Credential].
	Begun, Until time.Time
}

// Signing is what a signature or a seal needs, as it was at one moment.
type Signing struct {
	Document     contract.Document
	Clock        contract.ClockReading // as [Clocks.Times] returns it
	Organisation Organisation          // of the document
	// Credential is that of the organisation, as [Credentials.Credential] returns it. Without an ID there is none, or a person
	// signs: their credential is read after the commit of their intention.
	Credential SealedCredential
}

// Signings reads what signatures need.
type Signings interface {
	// ReadSigning reads it in one query: ErrNotFound if there is no such document, or if the person has no part in it. It reads no
	// more of another person's document than of one that does not exist.
	ReadSigning(ctx context.Context, q SigningQuery) (Signing, error)
}
