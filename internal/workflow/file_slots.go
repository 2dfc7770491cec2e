package workflow

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"segel/internal/admission"
	"segel/internal/contract"
)

// fileSlots bounds how many files are examined at a time for requests. Limits bound the memory of one examination; the
// slots bound the sum. More slots than processors would not be faster. Organisations take turns, and there is one slot
// more than one organisation may hold, so a file never waits for all files of another organisation. The zero value is
// ready to use.
type fileSlots struct {
	once  sync.Once
	queue *admission.Queue
}

// Bounds on requests that wait for a slot, of all organisations and of one.
const (
	waitingForSlot       = 512
	waitingForSlotPerKey = 128
)

// errBusy refuses a request because too many others wait for a slot.
var errBusy = contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry()

// acquire waits for a slot until the context ends.
func (f *fileSlots) acquire(ctx context.Context, organisation contract.OrganisationID) (release func(), err error) {
	f.once.Do(func() {
		own := max(2, runtime.GOMAXPROCS(0))
		f.queue = admission.NewQueue(admission.Limits{Slots: own + 1, PerKey: own, Waiting: waitingForSlot, WaitingPerKey: waitingForSlotPerKey})
	})
	release, err = f.queue.Acquire(ctx, string(organisation))
	if errors.Is(err, admission.ErrFull) {
		return nil, errBusy.WithCause(err)
	}
	return release, err
}
