package documents

import (
	"context"
	"math"
	"strconv"
	"sync"

	"segel/internal/admission"
	"segel/internal/contract"
)

// documentLocks serialise the builders of a document's next revision within this process, so that concurrent signers do
// not sign revisions that can no longer be committed. Correctness does not depend on them: the commit's
// compare-and-swap decides, also between processes. The zero value is ready to use.
type documentLocks struct {
	once  sync.Once
	queue *admission.Queue
}

// LockDocument waits until the caller alone builds the next revision of a document. The returned function releases it.
func (s *Documents) LockDocument(ctx context.Context, id contract.DocumentID) (release func(), err error) {
	s.locks.once.Do(func() {
		s.locks.queue = admission.NewQueue(admission.Limits{Slots: math.MaxInt, PerKey: 1, Waiting: math.MaxInt})
	})
	return s.locks.queue.Acquire(ctx, strconv.FormatInt(int64(id), 10))
}
