package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// EvidenceFile is the evidence certificate of a document.
type EvidenceFile struct {
	Document contract.DocumentID
	File     contract.File
	MadeAt   time.Time
}

// EvidenceFiles stores which file is the evidence certificate of which document.
type EvidenceFiles interface {
	EvidenceFile(ctx context.Context, id contract.DocumentID) (EvidenceFile, error) // ErrNotFound

	// AddEvidenceFile records the evidence certificate of a document, with the time of its timestamp, logs the event, and adds the file's size to
	// the storage of the organisation, in one transaction. It returns ErrExists, and changes nothing, if the document has one.
	AddEvidenceFile(ctx context.Context, v EvidenceFile, timestamp contract.TrustedTime, e contract.Event) error

	// ReplaceEvidenceFile replaces the evidence certificate former by v, in the same way, and orders the removal of the former file. It returns
	// ErrConflict, and changes nothing, if the document has another one.
	ReplaceEvidenceFile(ctx context.Context, former, v EvidenceFile, timestamp contract.TrustedTime, e contract.Event) error

	// EachEvidenceFile calls yield with each evidence certificate, by document, until yield returns false. No transaction is open while yield
	// runs.
	EachEvidenceFile(ctx context.Context, yield func(EvidenceFile) bool) error
}
