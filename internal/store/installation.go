package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Installation is what a database says of the installation that it belongs to.
type Installation struct {
	ID          string    // 32 hexadecimal digits; empty: the database belongs to none
	Authority   [32]byte  // SHA-256 of the root certificate of the embedded authority; zero until that is made
	CreatedAt   time.Time // UTC
	CompletedAt time.Time // when key folder and blob store were marked too; zero until then
	StampOffice string    // the kind of stamp office that the service was started with last; empty: not known
}

// Installations keeps which installation the database belongs to.
type Installations interface {
	// Installation returns the zero value where the database belongs to none. Empty reports whether the database has
	// nothing of its own: no organisation, user, document, certificate or event. Both are of one snapshot.
	Installation(ctx context.Context) (i Installation, empty bool, err error)

	// ReplaceInstallation writes an installation in the place of the one that was read; the zero value was read where
	// there was none. ErrConflict where another process has written since.
	//
	// Durable on return. On error nothing was written.
	ReplaceInstallation(ctx context.Context, read, write Installation) error

	// Evidence returns what tells whether keys and blobs are those of this database: the newest certificate in the
	// ledger, and files of up to so many of the newest documents, completed ones first.
	Evidence(ctx context.Context, documents int) (Evidence, error)
}

// Evidence is a sample of what a database refers to outside itself.
type Evidence struct {
	Documents   int             // how many documents there are in all
	Files       []contract.File // of a sample of them
	Certificate []byte          // DER, the certificate that the authority issued last; nil: it issued none
}
