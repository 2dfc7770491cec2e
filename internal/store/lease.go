package store

import "context"

// NodeLease is the right of a node to something that nodes share. It ends when it is released, or with the node.
type NodeLease struct {
	Resource string
	Number   int   // from 0
	Fence    int64 // rises each time the resource with this number is taken
}

// Leases stores what nodes have of resources that they share.
type Leases interface {
	// TakeLease takes one of a resource of which there are count. It returns false if none is free.
	//
	// Durable on return: that the node has it.
	TakeLease(ctx context.Context, resource string, count int, node string) (NodeLease, bool, error)

	// ReleaseLease gives a lease back, unless it was taken again meanwhile.
	ReleaseLease(ctx context.Context, l NodeLease) error

	// CountLeases returns how many of a resource nodes have that have not ended.
	CountLeases(ctx context.Context, resource string) (int, error)
}
