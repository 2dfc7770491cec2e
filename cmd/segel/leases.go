package main

import (
	"context"
	"log/slog"
	"time"

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

// Times of leases. A waiting call asks again after leasePoll; releasing one takes at most leaseRelease.
const (
	leasePoll    = 100 * time.Millisecond
	leaseRelease = 5 * time.Second
)

// exclusive is the resource of which one exists while a process has all of another.
func exclusive(resource string) string { return resource + ", alone" }

// Take implements [peruri.Leases].
func (o officeLeases) Take(ctx context.Context, resource string, count int) (release func(), err error) {
	for {
		l, taken, err := o.store.TakeLease(ctx, resource, count, o.nodeOf(ctx))
		if err != nil {
			return nil, err
		}
		if taken {
			return func() { o.releaseLease(ctx, l) }, nil
		}
		if err := wait(ctx, leasePoll); err != nil {
			return nil, err
		}
	}
}

// TakeBeside implements [peruri.Leases]. Both sides first commit what they take and then look at the other, so at least one of them sees
// the other; this one gives way.
func (o officeLeases) TakeBeside(ctx context.Context, resource string, count int) (release func(), err error) {
	for {
		release, err := o.Take(ctx, resource, count)
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
	release, err = o.Take(ctx, exclusive(resource), 1)
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
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRelease)
	defer cancel()
	for {
		err := o.store.ReleaseLease(within, l)
		if err == nil || proc.Check(ctx) != nil { // after the end of the term it is free
			return
		}
		if wait(within, leasePoll) != nil {
			o.log.WarnContext(ctx, "a lease is not released", "resource", l.Resource, "error", err)
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
