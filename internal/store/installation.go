package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Installation is the record of the installation that a database belongs to.
type Installation struct {
	ID          string    // 32 hexadecimal digits; empty: the database belongs to no installation
	Authority   [32]byte  // SHA-256 of the root certificate of the embedded authority; zero until that exists
	CreatedAt   time.Time // UTC
	CompletedAt time.Time // when the key folder and the blob store were marked too; zero until then
	StampOffice string    // the kind of stamp office that the service was last started with; empty: unknown
}

// Installations stores which installation the database belongs to.
type Installations interface {
	// Installation returns the zero value if the database belongs to no installation. Empty reports whether the database
	// has no organisation, user, document, certificate or event. Both come from one snapshot.
	Installation(ctx context.Context) (i Installation, empty bool, err error)

	// ReplaceInstallation replaces the record that was read with write; read is the zero value if there was none. It
	// returns ErrConflict if another process has written since.
	//
	// Durable on return. On error nothing was written.
	ReplaceInstallation(ctx context.Context, read, write Installation) error

	// Evidence returns data that shows whether keys and blobs belong to this database: the newest certificate that the
	// authority issued, and the files of up to the given number of documents, completed ones first, then the newest.
	Evidence(ctx context.Context, documents int) (Evidence, error)
}

// Evidence is a sample of what a database refers to outside of itself.
type Evidence struct {
	Documents   int             // the number of all documents
	Files       []contract.File // of a sample of them
	Certificate []byte          // DER, the certificate that the authority issued last; nil: none
}
