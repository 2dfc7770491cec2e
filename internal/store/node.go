package store

import (
	"context"
	"errors"
	"time"
)

// ErrNodeEnded means that a node is not known or has ended: other nodes continue its work. Nothing was applied.
var ErrNodeEnded = errors.New("the node has ended")

// ErrNodesRun means that a node has not ended.
var ErrNodesRun = errors.New("a node has not ended")

// Node is a process among those that share a database server.
type Node struct {
	Name       string // never used again
	Host       string
	Release    string
	Roles      []string
	MasterKeys []string // identifiers of the master keys that it has, that which seals first; empty: it is of a release that has one only
	StartedAt  time.Time
	ExpiresAt  time.Time // end of its lease
	EndedAt    time.Time // zero: it is not marked as ended, but its lease may be overdue
}

// Runs reports whether a node has neither ended nor lost its lease, as one does that was killed, at a moment by the database's clock.
func (n Node) Runs(now time.Time) bool { return n.EndedAt.IsZero() && n.ExpiresAt.After(now) }

// OtherNodes is what a node learns about the others when it renews its lease.
type OtherNodes struct {
	Overdue []string      // nodes whose lease has ended, and which are not marked as ended
	Next    time.Duration // until the next lease of another node ends, unless it is renewed; 0: there is none
	Now     time.Time     // by the database's clock
}

// Nodes stores the processes that share the database. All times are by the database's clock.
//
// The work of a node is its jobs, the messages and deliveries to webhooks that it is sending, its leadership of the job queue and its claims on idempotency keys. A transaction whose
// context belongs to a fenced term (package process) is applied only while the row of the node has not ended; otherwise
// it returns ErrNodeEnded.
type Nodes interface {
	// AddNode adds a node with a lease. It ignores the times of the node.
	AddNode(ctx context.Context, n Node, lease time.Duration) error

	// RenewNode restarts the lease of a node, and reports on the others. It returns ErrNodeEnded if the lease has ended.
	RenewNode(ctx context.Context, name string, lease time.Duration) (OtherNodes, error)

	// EndNode marks a node as ended, and puts its work back, also if the node has ended before: what it began before it
	// noticed. Only the node itself calls it.
	//
	// Durable on return: both.
	EndNode(ctx context.Context, name string) error

	// EndOverdueNode is EndNode for a node whose lease has ended. Of several callers one ends it. It reports whether the node
	// has ended, by this call or before. A node that is not known has not. On a server it first terminates the connections of that process, which
	// may hold locks, and never those of a node that lives. It returns an error after a few seconds if locks of others are in the way.
	// A process ends one node at a time: several calls that wait would take the connection by which the lease is renewed.
	EndOverdueNode(ctx context.Context, name string) (ended bool, err error)

	// ListNodes returns the nodes that have not been purged, the newest first, and the time by the database's clock.
	ListNodes(ctx context.Context) (all []Node, now time.Time, err error)

	// PurgeNodes deletes nodes that ended longer ago than that.
	PurgeNodes(ctx context.Context, after time.Duration) error
}
