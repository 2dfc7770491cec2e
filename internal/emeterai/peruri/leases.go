package peruri

import "context"

// Leases shares resources with the drivers of other processes on the account. Each method waits; the returned function gives
// back what was taken.
type Leases interface {
	// Take takes one of a resource of which there are count.
	Take(ctx context.Context, resource string, count int) (release func(), err error)
	// TakeBeside is Take, and waits while a process has all of the resource by TakeAlone.
	TakeBeside(ctx context.Context, resource string, count int) (release func(), err error)
	// TakeAlone returns when no process has anything of the resource by TakeBeside; none gets any until it is released.
	TakeAlone(ctx context.Context, resource string) (release func(), err error)
}

// purchaseResource is what a purchase is called among processes.
const purchaseResource = "purchase"

// lockPurchases excludes purchases of other processes: alone, of all; otherwise only of one that is alone. The caller has
// the lock of this process.
func (d *Driver) lockPurchases(ctx context.Context, alone bool) (release func(), err error) {
	switch {
	case d.o.Leases == nil:
		return func() {}, nil
	case alone:
		return d.o.Leases.TakeAlone(ctx, purchaseResource)
	}
	return d.o.Leases.TakeBeside(ctx, purchaseResource, maxPurchases)
}

// lockSlot takes a slot of an address among all processes. The caller has one of this process.
func (d *Driver) lockSlot(ctx context.Context, at slot) (release func(), err error) {
	if d.o.Leases == nil {
		return func() {}, nil
	}
	return d.o.Leases.Take(ctx, "adapter "+at.url, d.o.Slots)
}
