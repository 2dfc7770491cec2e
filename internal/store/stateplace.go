package store

import (
	"context"
	"time"
)

// Names of the two rows among the key files that say whether the database or a folder is used. There is at most one of them.
const (
	KeyMarkFile   = "installation" // the database is used
	KeyFolderFile = "folder"       // a folder is used that has a file with the same name and content
)

// StatePlace says where the keys and the records of the stamp office are used. Without either, they are in a folder and were never moved back to
// one, or the installation is being created.
type StatePlace struct {
	Mark   []byte // of the installation: the database is used; nil: it is not
	Folder []byte // identifies the folder that is used since MoveStateToFolder; nil: no folder is named
}

// StateFiles is what a database has of the keys and of the records of the stamp office.
type StateFiles interface {
	KeyFiles
	OfficeRecords
}

// StatePlaces moves the keys and the records of the stamp office between the database and a folder.
type StatePlaces interface {
	// StatePlace returns where they are used, as of one moment.
	StatePlace(ctx context.Context) (StatePlace, error)

	// UnusedState returns what the database has, for a copy of a folder that is used: it never returns ErrInFolder.
	UnusedState() StateFiles

	// KeyFileNames returns the names of all key files of the database in order, without KeyMarkFile and KeyFolderFile. A later release may have added some that this
	// program does not use.
	KeyFileNames(ctx context.Context) ([]string, error)

	// StateDigest returns a SHA-256 of what the database has.
	StateDigest(ctx context.Context) ([32]byte, error)

	// EachOfficeRecord calls yield with each record of the stamp office; retiredAt is zero if it was not retired. No transaction is open while
	// yield runs. The error of yield ends it and is returned.
	EachOfficeRecord(ctx context.Context, yield func(serial string, content []byte, retiredAt time.Time) error) error

	// UseStateInDatabase adds the mark, and removes the name of the folder; nil: no folder is named. ErrConflict if another one is.
	//
	// Durable on return: both. On error neither.
	UseStateInDatabase(ctx context.Context, mark, folder []byte, at time.Time) error

	// MoveStateToFolder removes what the database has, with the mark, and records which folder is used. ErrConflict if it is not what digest says, or is not
	// used; ErrNodesRun if a node has not ended.
	//
	// Durable on return: all of it. On error nothing. From then on those who use the database cannot add to it: see ErrInFolder.
	MoveStateToFolder(ctx context.Context, digest [32]byte, folder []byte, at time.Time) error

	// ReplaceAuthority replaces all key files but the mark, and the record of the installation that was read. ErrConflict if the database does not have what digest
	// says, is not used, or has another record; ErrNodesRun if a node has not ended.
	//
	// Durable on return: all of it. On error nothing.
	ReplaceAuthority(ctx context.Context, digest [32]byte, files map[string][]byte, read, write Installation, at time.Time) error
}
