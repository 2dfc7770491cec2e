package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// DueRemoval is a completed document whose files are due to be removed, or will be.
type DueRemoval struct {
	Document    contract.DocumentID
	Name, Title string
	Owner       contract.Person
	CompletedAt time.Time
	AnnouncedAt time.Time // when its owner was told; zero: not yet
	Held        bool
}

// RemovalQuery selects completed documents of one organisation whose files are there, oldest completion first.
type RemovalQuery struct {
	Organisation contract.OrganisationID
	CompletedBy  time.Time // and not later
	AnnouncedBy  time.Time // only those whose present owner was told at that moment or earlier, and that no hold covers; zero: all
	After        DueRemoval
	Offset       int
	Limit        int
}

// Announcement is what one owner is told of.
type Announcement struct {
	Owner     contract.PersonID
	Documents int
	Last      time.Time // the latest completion among them
}

// Retentions stores for how long organisations keep completed documents, their legal holds, and what was removed (decision 0102).
type Retentions interface {
	// Retention returns that of an organisation; the zero value keeps for ever.
	Retention(ctx context.Context, o contract.OrganisationID) (contract.Retention, error)
	// Retentions returns those that are not zero, by organisation.
	Retentions(ctx context.Context) (map[contract.OrganisationID]contract.Retention, error)
	// SetRetention replaces that of an organisation, forgets what owners were told under the former one, and logs e, in one transaction.
	SetRetention(ctx context.Context, o contract.OrganisationID, r contract.Retention, e contract.Event) error

	// AddHold stores a hold and logs e. A deletion that commits afterwards finds it. It returns contract.ErrNotFound if the document is not one of the organisation, and contract.ErrManyHolds.
	AddHold(ctx context.Context, h contract.Hold, e contract.Event) error
	// LiftHold ends a hold of an organisation, of any if none is named, and logs the event that made returns; ErrNotFound if it does not last.
	LiftHold(ctx context.Context, o contract.OrganisationID, id contract.HoldID, at time.Time, made func(contract.Hold) contract.Event) error
	// Holds returns the holds of an organisation that last, the newest first, and how many there are.
	Holds(ctx context.Context, o contract.OrganisationID, offset, limit int) ([]contract.Hold, int, error)

	// DueRemovals returns documents and, without AnnouncedBy, how many there are in all, up to SearchLimit.
	DueRemovals(ctx context.Context, q RemovalQuery) ([]DueRemoval, int, error)
	// OwnersToTell returns up to limit people who own documents of an organisation that were completed by a moment, that no hold covers and of which they were not told, and who were told
	// of none since.
	OwnersToTell(ctx context.Context, o contract.OrganisationID, completedBy, since time.Time, limit int) ([]contract.PersonID, error)
	// AnnounceRemovals records that an owner is told of these documents now, up to limit, the oldest completion first, with the message and the event that made returns. It does nothing
	// if there are none by now.
	AnnounceRemovals(ctx context.Context, o contract.OrganisationID, owner contract.PersonID, completedBy, now time.Time, limit int, made func(Announcement) (contract.Notice, contract.Event)) error

	// Removal returns when and why the files of a document were removed; ErrNotFound if they were not.
	Removal(ctx context.Context, id contract.DocumentID) (contract.Removal, error)
	// RemovalByDigest returns the removal of a document of which the file with that SHA-256 was a state after something was signed or sealed; ErrNotFound if there is none.
	RemovalByDigest(ctx context.Context, digest [32]byte) (contract.Removal, error)
}
