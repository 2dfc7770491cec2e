package sqlstore

import (
	"context"
	"fmt"

	"segel/internal/contract"
)

// changeChannel is the channel of notifications about changed documents. A payload is the document's number and its version.
const changeChannel = "segel_document"

// ListenForChanges implements [store.Changes].
func (s *Store) ListenForChanges(ctx context.Context, listening func(), changed func(id contract.DocumentID, version int64)) error {
	err := s.db.listen(ctx, changeChannel, listening, func(payload string) {
		var id contract.DocumentID
		var version int64
		if _, err := fmt.Sscanf(payload, "%d %d", &id, &version); err == nil { // others may use the channel
			changed(id, version)
		}
	})
	return wrapf(err, "listen for changes")
}
