package installation

import (
	"fmt"

	"segel/internal/store"
)

// Found is what a database, keys and a blob store say about their installation.
type Found struct {
	Recorded store.Installation // row in the database
	Empty    bool               // the database has no data

	Keys, Blobs  ID   // their marks; empty: no mark
	HasAuthority bool // the key folder has an authority
	HasMasterKey bool // the master key exists
	HasBlobs     bool // a blob store without a mark contains a blob

	InDatabase bool    // the keys are looked for in the database, not in a folder
	Elsewhere  Problem // why the keys that were looked for are not those that are used: KeysMoved, KeysInFolder or KeysFormer; empty: they are

	Names Names
}

// Names are the names of the parts in messages.
type Names struct {
	Data      string // data folder
	Database  string // file, or a description
	KeyDir    string // folder of the keys, or their table
	Authority string // file
	MasterKey string // file or setting
	BlobDir   string
}

// State is the progress of an installation.
type State int

// The states. Only in Complete all parts exist and belong together.
const (
	Absent   State = iota // nothing exists: an installation may be created
	Begun                 // the database names an installation whose creation is unfinished
	Unmarked              // the database is from a release before installation identities
	Complete
)

// Decide returns the state of the installation. If a part is missing or belongs to another installation, it returns an
// *Error.
func (f Found) Decide() (State, error) {
	id := ID(f.Recorded.ID)
	if f.Elsewhere != "" {
		return 0, &Error{Problem: f.Elsewhere, Installation: id, Path: f.Names.KeyDir}
	}
	if id == "" && f.Empty {
		return Absent, f.RequireNoKeysOrBlobs()
	}
	if id == "" {
		if err := f.requireKeyFiles(); err != nil {
			return 0, err
		}
		if f.Keys != "" && f.Blobs != "" && f.Keys != f.Blobs {
			return 0, &Error{Problem: BlobsOfAnother, Installation: f.Keys, Found: f.Blobs, Path: f.Names.BlobDir}
		}
		return Unmarked, nil
	}
	if f.Keys != "" && f.Keys != id {
		return 0, &Error{Problem: KeysOfAnother, Installation: id, Found: f.Keys, Path: f.Names.KeyDir}
	}
	if f.Blobs != "" && f.Blobs != id {
		return 0, &Error{Problem: BlobsOfAnother, Installation: id, Found: f.Blobs, Path: f.Names.BlobDir}
	}
	if f.Recorded.CompletedAt.IsZero() {
		// Nothing else is written to the database before the creation has finished, so nothing can be lost. The
		// authority is created after the master key, and recorded after its creation.
		if f.HasAuthority && !f.HasMasterKey || !f.HasAuthority && f.Recorded.Authority != [32]byte{} {
			return 0, f.requireKeyFiles()
		}
		return Begun, nil
	}
	if err := f.requireKeyFiles(); err != nil {
		return 0, err
	}
	if f.Keys == "" && f.InDatabase { // the mark is copied last
		return 0, &Error{Problem: KeysNotCopied, Installation: id}
	}
	if f.Keys == "" {
		return 0, &Error{Problem: KeysUnmarked, Installation: id, Path: f.Names.KeyDir}
	}
	if f.Blobs == "" {
		return 0, &Error{Problem: BlobsUnmarked, Installation: id, Path: f.Names.BlobDir}
	}
	return Complete, nil
}

// RequireNoKeysOrBlobs returns an error if keys or blobs of a missing or empty database exist.
func (f Found) RequireNoKeysOrBlobs() error {
	e := &Error{Problem: DatabaseMissing, Found: f.Keys, Path: f.Names.Database}
	switch {
	case f.Keys != "" || f.HasAuthority:
		e.Other = f.Names.KeyDir
	case f.Blobs != "" || f.HasBlobs:
		e.Found, e.Other = f.Blobs, f.Names.BlobDir
	default:
		return nil
	}
	return e
}

// requireKeyFiles returns an error if a file is missing without which nothing can be signed or read.
func (f Found) requireKeyFiles() error {
	switch {
	case !f.HasMasterKey:
		return &Error{Problem: KeyFileMissing, Installation: ID(f.Recorded.ID), Path: f.Names.MasterKey}
	case !f.HasAuthority && f.InDatabase:
		return &Error{Problem: KeysNotCopied, Installation: ID(f.Recorded.ID)}
	case !f.HasAuthority:
		return &Error{Problem: KeyFileMissing, Installation: ID(f.Recorded.ID), Path: f.Names.Authority}
	}
	return nil
}

// Refuse returns the error of a command that neither creates nor adopts, for a state other than Complete.
func (f Found) Refuse(s State) error {
	switch s {
	case Absent:
		return &Error{Problem: NothingThere, Path: f.Names.Data, Other: f.Names.Database}
	case Begun:
		return &Error{Problem: CreationUnfinished, Installation: ID(f.Recorded.ID)}
	}
	return &Error{Problem: NotAdopted, Path: f.Names.Data}
}

// Problem is the reason why the parts of an installation cannot be used together.
type Problem string

// The problems.
const (
	NothingThere       Problem = "nothing_there"
	DatabaseMissing    Problem = "database_missing"
	KeyFileMissing     Problem = "key_file_missing"
	KeysUnmarked       Problem = "keys_unmarked"
	KeysOfAnother      Problem = "keys_of_another"
	KeysLocked         Problem = "keys_locked"
	KeysMoved          Problem = "keys_moved"     // to the database
	KeysInFolder       Problem = "keys_in_folder" // moved from the database
	KeysFormer         Problem = "keys_former"    // they were copied to the database, and from there to another folder
	KeysNotCopied      Problem = "keys_not_copied"
	MasterKeyNeeded    Problem = "master_key_needed"    // values are sealed under a master key that no setting gives
	MasterKeyTooEarly  Problem = "master_key_too_early" // another process does not have the new master key yet
	MasterKeyUnread    Problem = "master_key_unread"
	AuthorityOfAnother Problem = "authority_of_another"
	BlobsUnmarked      Problem = "blobs_unmarked"
	BlobsOfAnother     Problem = "blobs_of_another"
	NotAdopted         Problem = "not_adopted"
	CreationUnfinished Problem = "creation_unfinished"
)

// Error describes which part of an installation is missing or belongs to another one.
type Error struct {
	Problem      Problem
	Installation ID     // of the database; empty: unknown
	Found        ID     // of the part
	Path         string // of the part
	Other        string // path of the part that does not match
	Err          error  // cause; may be nil
}

func (e *Error) Unwrap() error { return e.Err }

// Error returns what is missing and what to do.
func (e *Error) Error() string {
	s := e.describeProblem()
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

func (e *Error) describeProblem() string {
	switch e.Problem {
	case NothingThere:
		return fmt.Sprintf("%s holds no installation: %s is missing or empty. Check the path; segel serve creates a new installation", e.Path, e.Other)
	case DatabaseMissing:
		owner := "an installation"
		if e.Found != "" {
			owner = "installation " + string(e.Found)
		}
		return fmt.Sprintf("the database %s is missing or empty, but %s belongs to %s: check that this is its database, or restore it from a backup", e.Path, e.Other, owner)
	case KeyFileMissing:
		return fmt.Sprintf("%s is missing, and the database is in use: restore it from a backup; without it contracts can be neither signed nor read", e.Path)
	case KeysUnmarked:
		return fmt.Sprintf("the key folder %s has no installation mark, and the database belongs to installation %s: is this its key folder? After a restore run segel adopt", e.Path, e.Installation)
	case KeysOfAnother:
		return fmt.Sprintf("the database belongs to installation %s, the keys in %s to %s", e.Installation, e.Path, e.Found)
	case KeysLocked:
		return fmt.Sprintf("the master key %s does not open the keys in %s: it is another installation's, or one of the two was changed", e.Path, e.Other)
	case KeysMoved:
		return fmt.Sprintf("the keys in %s were copied to the database, which is used since then: set SEGEL_STATE=database", e.Path)
	case KeysInFolder:
		return fmt.Sprintf("the keys in the %s were moved to a folder with segel state copy, which is used since then: set SEGEL_STATE=folder on the machine that has it, or copy them to the database again", e.Path)
	case KeysFormer:
		return fmt.Sprintf("the keys in %s are an earlier copy, or another folder than the one that is used: segel state copy moved the keys to that since. Use it, or restore it from a backup; if it is lost, accept this one with segel adopt", e.Path)
	case KeysNotCopied:
		return "SEGEL_STATE is database, and the database does not have all keys of this installation: if they are in the data folder, run segel state copy; otherwise run segel master-key restore with a key backup, or restore the database from a backup"
	case MasterKeyNeeded:
		return fmt.Sprintf("values are sealed under master key %s, which is not %s: give it with SEGEL_FORMER_MASTER_KEY, SEGEL_FORMER_MASTER_KEY_FILE or SEGEL_FORMER_MASTER_KEY_COMMAND until segel master-key rotate says that the exchange is complete", e.Other, e.Path)
	case MasterKeyTooEarly:
		return fmt.Sprintf("nothing may be sealed under the new master key %s yet: %s does not have it. Start every process with both keys first, the former one as SEGEL_MASTER_KEY and the new one as SEGEL_FORMER_MASTER_KEY", e.Path, e.Other)
	case MasterKeyUnread:
		return fmt.Sprintf("the master key cannot be read from %s", e.Path)
	case AuthorityOfAnother:
		return fmt.Sprintf("the certificate authority in %s is not the one of installation %s: restore that one from a backup, or accept this one with segel adopt", e.Path, e.Installation)
	case BlobsUnmarked:
		return fmt.Sprintf("the blob folder %s has no installation mark: is the volume mounted? The database belongs to installation %s. After a restore run segel adopt", e.Path, e.Installation)
	case BlobsOfAnother:
		return fmt.Sprintf("the database belongs to installation %s, the blob folder %s to %s", e.Installation, e.Path, e.Found)
	case NotAdopted:
		return fmt.Sprintf("the database of %s is of a release before installations had an identity: start segel serve once, or run segel adopt", e.Path)
	case CreationUnfinished:
		return fmt.Sprintf("installation %s has been begun and is not complete: start segel serve, which completes it", e.Installation)
	}
	return string(e.Problem)
}
