package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"segel/internal/contract"
	"segel/internal/outage"
	proc "segel/internal/process"
	"segel/internal/store"
)

// officeLeases shares the slots and the purchases of the stamp office among nodes, by leases in the database that end with
// their node. It is safe for concurrent use. Call close when nothing is taken any more, before the process leaves the nodes.
type officeLeases struct {
	store   store.Leases
	process func() proc.Process // nil until the process has joined
	log     *slog.Logger

	over    context.Context // ends with close
	end     context.CancelFunc
	working sync.WaitGroup // of repeatReleases

	mu         sync.Mutex // guards the fields below
	unreleased []heldBack
	repeating  bool // repeatReleases runs
	shared     map[sharedKey]*sharedLease
}

// sharedLease is a lease of TakeShared that calls of this process have together. Those that begin within leaseSharing join it, so it costs two transactions for all of
// them. It does not take longer than that and the last call, so one that wants all of the resource gets it.
type sharedLease struct {
	release func()
	users   int
	ended   bool // no call joins it any more
}

// sharedKey names what can be shared: a lease ends with its term.
type sharedKey struct {
	resource string
	term     *proc.Term
}

// heldBack is what could not be given back: a lease, or the request for one.
type heldBack struct {
	resource string
	work     context.Context // carries the term of the work, and does not end
	term     *proc.Term      // with its end it is free; nil: there are no terms
	release  func(context.Context) error
}

// Times of leases. A waiting call asks again after leasePoll, and after leaseNextPoll when the next free one is its own; one try to give one back takes at most leaseRelease.
// Tries are repeated after leasePoll, later after leaseRetry. Calls join a lease of TakeShared for leaseSharing.
const (
	leaseSharing  = 2 * leasePoll
	leasePoll     = 100 * time.Millisecond
	leaseNextPoll = 20 * time.Millisecond
	leaseRelease  = 5 * time.Second
	leaseRetry    = time.Second
)

// maxUnreleased bounds what is tried again: more than calls can hold and wait for at the same time.
const maxUnreleased = 1 << 12

func newOfficeLeases(s store.Leases, process func() proc.Process, log *slog.Logger) *officeLeases {
	o := &officeLeases{store: s, process: process, log: log, shared: map[sharedKey]*sharedLease{}}
	o.over, o.end = context.WithCancel(context.Background())
	return o
}

// close ends the repeated releases. What is not released by then ends with the node.
func (o *officeLeases) close() {
	o.mu.Lock()
	var idle []*sharedLease
	for _, s := range o.shared {
		if s.ended = true; s.users == 0 {
			idle = append(idle, s)
		}
	}
	clear(o.shared)
	o.mu.Unlock()
	for _, s := range idle {
		s.release()
	}
	o.mu.Lock()
	o.end()
	o.mu.Unlock()
	o.working.Wait()
}

// exclusiveResource returns the name of the lease that a process has while it has all of a resource. Earlier releases use the same name.
func exclusiveResource(resource string) string { return resource + ", alone" }

// Take implements [peruri.Leases]. While the database does not answer it goes on with the same ticket until its context or its term ends: if the commit stands whose
// answer was lost, the next call gets the same lease.
func (o *officeLeases) Take(ctx context.Context, resource string, count int, organisation string) (release func(), err error) {
	r := store.LeaseRequest{Resource: resource, Count: count, Node: o.nodeOf(ctx), Organisation: contract.OrganisationID(organisation), Ticket: rand.Text()}
	for {
		var l store.NodeLease
		var place int
		err := persist(ctx, func() (err error) {
			l, place, err = o.store.TakeLease(ctx, r)
			return err
		})
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
			// The commit may stand although its answer was lost. Neither the request nor a lease that it got may stay, because all others would wait
			// for it until this node ends.
			o.giveUpLease(ctx, r)
			return nil, err
		}
	}
}

// TakeShared implements [peruri.Leases].
func (o *officeLeases) TakeShared(ctx context.Context, resource string, count int) (release func(), err error) {
	key := sharedKey{resource, proc.Of(ctx)}
	if leave := o.joinShared(key); leave != nil {
		return leave, nil
	}
	if release, err = o.takeShared(ctx, resource, count); err != nil {
		return nil, err
	}
	return o.beginSharing(key, release), nil
}

// takeShared takes a lease. Both sides first commit what they take and then look at the other, so at least one of them sees
// the other; this one gives way. The other one waits until the lease is released, so calls that join it need not look.
func (o *officeLeases) takeShared(ctx context.Context, resource string, count int) (release func(), err error) {
	for {
		release, err := o.Take(ctx, resource, count, "")
		if err != nil {
			return nil, err
		}
		n, err := o.countLeases(ctx, exclusiveResource(resource))
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

// joinShared joins the lease of other calls, and returns how to leave it; nil: there is none.
func (o *officeLeases) joinShared(key sharedKey) (leave func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.shared[key]
	if s == nil || key.term != nil && key.term.Check() != nil {
		return nil
	}
	s.users++
	return func() { o.leaveShared(s) }
}

// beginSharing lets other calls join a lease that the caller has, and returns how the caller leaves it.
func (o *officeLeases) beginSharing(key sharedKey, release func()) (leave func()) {
	s := &sharedLease{release: release, users: 1}
	o.mu.Lock()
	o.shared[key] = s // in place of one that began at the same time, whose time ends too
	o.mu.Unlock()
	time.AfterFunc(leaseSharing, func() { o.endSharing(key, s) })
	return func() { o.leaveShared(s) }
}

func (o *officeLeases) leaveShared(s *sharedLease) {
	o.mu.Lock()
	s.users--
	last := s.ended && s.users == 0
	o.mu.Unlock()
	if last {
		s.release()
	}
}

// endSharing lets no further call join a lease, and releases it if none has it any more.
func (o *officeLeases) endSharing(key sharedKey, s *sharedLease) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.ended || o.over.Err() != nil {
		return
	}
	s.ended = true
	if o.shared[key] == s {
		delete(o.shared, key)
	}
	if s.users == 0 {
		o.working.Go(s.release)
	}
}

// endSharingOf is endSharing for all leases of a resource.
func (o *officeLeases) endSharingOf(resource string) {
	o.mu.Lock()
	all := maps.Clone(o.shared)
	o.mu.Unlock()
	for key, s := range all {
		if key.resource == resource {
			o.endSharing(key, s)
		}
	}
}

// TakeExclusive implements [peruri.Leases].
func (o *officeLeases) TakeExclusive(ctx context.Context, resource string) (release func(), err error) {
	release, err = o.Take(ctx, exclusiveResource(resource), 1, "")
	if err != nil {
		return nil, err
	}
	o.endSharingOf(resource)
	for {
		n, err := o.countLeases(ctx, resource)
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

func (o *officeLeases) countLeases(ctx context.Context, resource string) (n int, err error) {
	err = persist(ctx, func() (err error) {
		n, err = o.store.CountLeases(ctx, resource)
		return err
	})
	return n, err
}

// persist repeats a call while the database does not answer, until ctx or the term of the work ends.
func persist(ctx context.Context, try func() error) error {
	for {
		err := try()
		if away := outage.Of(err); away == nil || away.Part != outage.Database || proc.Check(ctx) != nil || wait(ctx, leasePoll) != nil {
			return err
		}
	}
}

// nodeOf returns the node that the work belongs to.
func (o *officeLeases) nodeOf(ctx context.Context) string {
	if t := proc.Of(ctx); t != nil {
		return t.Name()
	}
	return o.process().Name()
}

// releaseLease releases a lease also if the work was cancelled.
func (o *officeLeases) releaseLease(ctx context.Context, l store.NodeLease) {
	o.giveBack(ctx, l.Resource, func(within context.Context) error { return o.store.ReleaseLease(within, l) })
}

// giveUpLease gives up a request whose outcome may be unknown, also if the work was cancelled.
func (o *officeLeases) giveUpLease(ctx context.Context, r store.LeaseRequest) {
	o.giveBack(ctx, r.Resource, func(within context.Context) error { return o.store.GiveUpLease(within, r.Resource, r.Ticket) })
}

// giveBack tries once to give something back. If that fails, it is tried again beside the work until it succeeds, or the term or this process ends: then
// it is free in any case.
func (o *officeLeases) giveBack(ctx context.Context, resource string, release func(context.Context) error) {
	h := heldBack{resource, context.WithoutCancel(ctx), proc.Of(ctx), release}
	if h.term == nil {
		if p := o.process(); p != nil {
			h.term = p.Term()
		}
	}
	err := o.tryRelease(h)
	if err == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over.Err() != nil || len(o.unreleased) >= maxUnreleased {
		o.log.WarnContext(ctx, "a lease is not released and ends with this node", "resource", resource, "error", err)
		return
	}
	o.log.WarnContext(ctx, "a lease is not released yet", "resource", resource, "error", err)
	o.unreleased = append(o.unreleased, h)
	if !o.repeating {
		o.repeating = true
		o.working.Go(o.repeatReleases)
	}
}

// repeatReleases gives back what is held back, and returns when nothing is.
func (o *officeLeases) repeatReleases() {
	for pause := leasePoll; wait(o.over, pause) == nil; pause = min(2*pause, leaseRetry) {
		o.mu.Lock()
		all := o.unreleased
		o.mu.Unlock()
		var left []heldBack
		for _, h := range all {
			if o.tryRelease(h) != nil {
				left = append(left, h)
			}
		}
		o.mu.Lock()
		o.unreleased = append(left, o.unreleased[len(all):]...)
		o.repeating = len(o.unreleased) > 0
		done := !o.repeating
		o.mu.Unlock()
		if done {
			return
		}
	}
}

// tryRelease tries to give something back, and returns nil if it is free.
func (o *officeLeases) tryRelease(h heldBack) error {
	if h.term != nil && h.term.Check() != nil {
		return nil
	}
	within, cancel := context.WithTimeout(h.work, leaseRelease)
	defer cancel()
	stop := context.AfterFunc(o.over, cancel)
	defer stop()
	if err := h.release(within); !errors.Is(err, store.ErrNodeEnded) {
		return err
	}
	return nil
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
