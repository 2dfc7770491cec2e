package peruri

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Leases shares resources with the drivers of other processes on the account. Each method waits; the returned function gives
// back what was taken.
type Leases interface {
	// Take takes one of a resource of which there are count. Organisations that wait take turns; the empty one is for all that belongs to none.
	Take(ctx context.Context, resource string, count int, organisation string) (release func(), err error)
	// TakeShared is Take, and waits while a process has all of the resource by TakeExclusive.
	TakeShared(ctx context.Context, resource string, count int) (release func(), err error)
	// TakeExclusive returns when no process has anything of the resource by TakeShared; none gets any until it is released.
	TakeExclusive(ctx context.Context, resource string) (release func(), err error)
}

// purchaseResource is what a purchase is called among processes.
const purchaseResource = "purchase"

// lockPurchases excludes purchases of other processes: with exclusive, all of them; otherwise the exclusive ones. The caller has
// the lock of this process.
func (d *Driver) lockPurchases(ctx context.Context, exclusive bool) (release func(), err error) {
	switch {
	case d.o.Leases == nil:
		return func() {}, nil
	case exclusive:
		return d.o.Leases.TakeExclusive(ctx, purchaseResource)
	}
	return d.o.Leases.TakeShared(ctx, purchaseResource, maxPurchases)
}

// slotsResource is what the slots of an address are called among processes: by the account and by its position in the configuration. Each process may reach
// one adapter under another address, such as that of a proxy. Processes of one account list the adapters in the same order.
func slotsResource(o *Options, number int) string {
	account := strings.ToLower(strings.TrimSpace(o.User))
	if o.Form == Cloud {
		return "cloud of " + account
	}
	return fmt.Sprintf("adapter %d of %s", number, account)
}

// acquireSlot waits for the right to have a document of an organisation stamped, and returns the address. Organisations take turns. If other processes use the
// account, all calls of all processes wait in one line for each address: a call that waited for others of its process first would
// come too late for its turn.
func (d *Driver) acquireSlot(ctx context.Context, organisation string) (at *address, release func(), err error) {
	if d.o.Leases == nil {
		return d.addresses.waitForSlot(ctx, organisation)
	}
	at = d.addresses.choose(math.MaxInt)
	endLease, err := d.o.Leases.Take(ctx, at.slots, d.o.Slots, organisation)
	if err != nil {
		d.addresses.leave(at)
		return nil, nil, err
	}
	return at, func() { endLease(); d.addresses.leave(at) }, nil
}
