package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"segel/internal/contract"
	proc "segel/internal/process"
	"segel/internal/store"
)

// officeLeases shares the slots and the purchases of the stamp office among nodes, by leases in the database that end with
// their node.
type officeLeases struct {
	store   store.Leases
	process func() proc.Process // nil until the process has joined
	log     *slog.Logger
}

// Times of leases. A waiting call asks again after leasePoll, and after leaseNextPoll when the next free one is its own; giving one back takes at most leaseRelease.
const (
	leasePoll     = 100 * time.Millisecond
	leaseNextPoll = 20 * time.Millisecond
	leaseRelease  = 5 * time.Second
)

// exclusive is the resource of which one exists while a process has all of another.
func exclusive(resource string) string { return resource + ", alone" }

// Take implements [peruri.Leases].
func (o officeLeases) Take(ctx context.Context, resource string, count int, organisation string) (release func(), err error) {
	r := store.LeaseRequest{Resource: resource, Count: count, Node: o.nodeOf(ctx), Organisation: contract.OrganisationID(organisation), Ticket: rand.Text()}
	for {
		l, place, err := o.store.TakeLease(ctx, r)
		if err == nil && place == 0 {
			return func() { o.releaseLease(ctx, l) }, nil
		}
		if err == nil {
			pause := leasePoll
			if place == 1 {
				pause = leaseNextPoll
			}
			err = wait(ctx, pause)
		}
		if err != nil {
			// The commit may stand although its answer was lost. The request must not stay in the line, because those behind it would wait until this node
			// ends; a lease that was taken and is not known ends with the node.
			o.giveBack(ctx, resource, func(within context.Context) error { return o.store.LeaveLine(within, resource, r.Ticket) })
			return nil, err
		}
	}
}

// TakeBeside implements [peruri.Leases]. Both sides first commit what they take and then look at the other, so at least one of them sees
// the other; this one gives way.
func (o officeLeases) TakeBeside(ctx context.Context, resource string, count int) (release func(), err error) {
	for {
		release, err := o.Take(ctx, resource, count, "")
		if err != nil {
			return nil, err
		}
		n, err := o.store.CountLeases(ctx, exclusive(resource))
		if n == 0 && err == nil {
			return release, nil
		}
		release()
		if err == nil {
			err = wait(ctx, leasePoll)
		}
		if err != nil {
			return nil, err
		}
	}
}

// TakeAlone implements [peruri.Leases].
func (o officeLeases) TakeAlone(ctx context.Context, resource string) (release func(), err error) {
	release, err = o.Take(ctx, exclusive(resource), 1, "")
	if err != nil {
		return nil, err
	}
	for {
		n, err := o.store.CountLeases(ctx, resource)
		if n == 0 && err == nil {
			return release, nil
		}
		if err == nil {
			err = wait(ctx, leasePoll)
		}
		if err != nil {
			release()
			return nil, err
		}
	}
}

// nodeOf returns the node that the work belongs to.
func (o officeLeases) nodeOf(ctx context.Context) string {
	if t := proc.Of(ctx); t != nil {
		return t.Name()
	}
	return o.process().Name()
}

// releaseLease releases a lease also if the work was cancelled. If it fails, the lease ends with the node; until then its part of the
// resource is missing.
func (o officeLeases) releaseLease(ctx context.Context, l store.NodeLease) {
	o.giveBack(ctx, l.Resource, func(within context.Context) error { return o.store.ReleaseLease(within, l) })
}

// giveBack tries to give back a lease, or a place in the line, until it succeeds or its time is over.
func (o officeLeases) giveBack(ctx context.Context, resource string, try func(context.Context) error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRelease)
	defer cancel()
	for {
		err := try(within)
		if err == nil || proc.Check(ctx) != nil { // after the end of the term it is free
			return
		}
		if wait(within, leasePoll) != nil {
			o.log.WarnContext(ctx, "a lease is not released", "resource", resource, "error", err)
			return
		}
	}
}

// wait waits, or returns the error of the context when it ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
