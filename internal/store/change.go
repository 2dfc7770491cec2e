package store

import (
	"context"

	"segel/internal/contract"
)

// Changes reports which documents are changed, also by other processes.
type Changes interface {
	// ListenForChanges calls listening once, and then changed for each commit of a document that follows; version 0: the
	// document was deleted. It returns an error when ctx ends, when the connection is lost, after which commits may have
	// been missed, and at once, errors.ErrUnsupported, where the database reports no commits.
	ListenForChanges(ctx context.Context, listening func(), changed func(id contract.DocumentID, version int64)) error
}
