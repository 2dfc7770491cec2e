package store

import (
	"context"

	"segel/internal/contract"
)

// NodeLease is the right of a node to something that nodes share. It ends when it is released, or with the node.
type NodeLease struct {
	Resource string
	Number   int   // from 0
	Fence    int64 // rises each time the resource with this number is taken
}

// LeaseRequest asks for one of a resource.
type LeaseRequest struct {
	Resource     string
	Count        int // how many of the resource there are
	Node         string
	Organisation contract.OrganisationID // which takes turns with others; empty: all without one take turns as if they were one
	Ticket       string                  // names the call among those of all nodes; empty: it has no name, and does not wait
	NoWait       bool                    // the call does not wait, although it has a ticket
}

// Leases stores what nodes have of resources that they share.
type Leases interface {
	// TakeLease takes one of a resource if one is free and no waiting request has an earlier turn. Then place is 0. Otherwise it is the
	// place of the request in the line, from 1, and a request that waits keeps its turn until it is granted by a later call, or GiveUpLease is called,
	// or its node ends.
	//
	// A request whose ticket has a lease gets that lease again. So a call whose answer was lost is repeated with the same ticket, or given up by
	// GiveUpLease: otherwise the lease that it may have got ends only with the node.
	//
	// Organisations take turns: a request of an organisation that has nothing of the resource and waits for nothing comes before the second one of all others
	// that wait.
	//
	// Durable on return: that the node has it, or waits.
	TakeLease(ctx context.Context, r LeaseRequest) (l NodeLease, place int, err error)

	// GiveUpLease ends the wait of a request with a ticket, if it waits, and gives back the lease that was granted to it, if it has one. A transaction of
	// the request that may still be committed is waited for.
	GiveUpLease(ctx context.Context, resource, ticket string) error

	// ReleaseLease gives a lease back, unless it was taken again meanwhile.
	ReleaseLease(ctx context.Context, l NodeLease) error

	// CountLeases returns how many of a resource nodes have that have not ended.
	CountLeases(ctx context.Context, resource string) (int, error)
}
