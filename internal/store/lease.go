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
	Ticket       string                  // names a call that waits, among all nodes; empty: the call does not wait
}

// Leases stores what nodes have of resources that they share.
type Leases interface {
	// TakeLease takes one of a resource if one is free and no waiting request has an earlier turn. Then place is 0. Otherwise it is the
	// place of the request in the line, from 1, and a request with a ticket keeps its turn until it is granted by a later call, or LeaveLine is called,
	// or its node ends.
	//
	// Organisations take turns: a request of an organisation that has nothing of the resource and waits for nothing comes before the second one of all others
	// that wait.
	//
	// Durable on return: that the node has it, or waits.
	TakeLease(ctx context.Context, r LeaseRequest) (l NodeLease, place int, err error)

	// LeaveLine ends the wait of a request with a ticket, if it waits.
	LeaveLine(ctx context.Context, resource, ticket string) error

	// ReleaseLease gives a lease back, unless it was taken again meanwhile.
	ReleaseLease(ctx context.Context, l NodeLease) error

	// CountLeases returns how many of a resource nodes have that have not ended.
	CountLeases(ctx context.Context, resource string) (int, error)
}
