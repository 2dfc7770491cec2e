package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/credential"
	proc "segel/internal/process"
)

// readiness checks whether the parts that the service depends on respond. However many probes arrive, each part is checked at
// most once a second, and a part that hangs is not checked again before it has responded.
type readiness struct {
	checks   []readinessCheck
	clock    func(context.Context) (contract.ClockFinding, error)
	stopping <-chan struct{} // closed when the service is told to stop
	every    time.Duration   // the shortest interval between checks of a part

	mu      sync.Mutex // guards the fields below
	found   api.Readiness
	at      time.Time
	running chan struct{} // closed when the check in progress is done; nil: none is in progress
}

// readinessCheck checks one part. The result is the worst of what it found; an error is a failed check.
type readinessCheck struct {
	name  string
	check func(context.Context) (api.CheckState, string, error)
	busy  chan struct{} // holds one element during the check
}

// Bounds of the checks.
const (
	checkTimeout  = 3 * time.Second
	checkInterval = time.Second
)

func (a *app) newReadiness(stopping <-chan struct{}) *readiness {
	r := &readiness{clock: a.workflow.ClockFinding, stopping: stopping, every: checkInterval}
	add := func(name string, ask func(context.Context) (api.CheckState, string, error)) {
		r.checks = append(r.checks, readinessCheck{name, ask, make(chan struct{}, 1)})
	}
	add("database", func(ctx context.Context) (api.CheckState, string, error) {
		if err := a.store.CheckWriter(ctx); err != nil {
			return "", "", err
		}
		_, err := a.store.FirstOrganisation(ctx)
		return api.CheckOK, "", err
	})
	if process, ok := a.process.(*proc.Node); ok {
		add("node", func(ctx context.Context) (api.CheckState, string, error) {
			ended := process.Term().Check()
			nodes, err := a.describeNodes(ctx)
			if clock := process.CheckClock(); clock != nil && err == nil && nodes == "" {
				return api.CheckDegraded, clock.Error(), nil // there is no other node to serve readers
			}
			if ended != nil {
				return "", "", ended
			}
			return api.CheckOK, "this is " + process.Name() + "; there are " + nodes, err
		})
	}
	add("installation", func(ctx context.Context) (api.CheckState, string, error) {
		return api.CheckOK, "", a.checkInstallation(ctx)
	})
	add("keys", func(ctx context.Context) (api.CheckState, string, error) {
		file, ok := masterKeyOf(a.conf).(credential.KeyFile)
		if !ok { // it was read at the start, and a command must not run with each check
			return api.CheckOK, "", nil
		}
		_, err := file.Read(ctx)
		return api.CheckOK, "", err
	})
	add("blobs", func(ctx context.Context) (api.CheckState, string, error) {
		return api.CheckOK, "", a.blobs.Check(ctx)
	})
	add("disk", func(context.Context) (api.CheckState, string, error) {
		f, found, err := a.diskSpace.Check()
		return map[contract.DiskState]api.CheckState{
			contract.DiskFine: api.CheckOK, contract.DiskScarce: api.CheckOK, contract.DiskLow: api.CheckDegraded, contract.DiskFull: api.CheckFailed,
		}[f.State], found, err
	})
	return r
}

// currentReadiness returns the result of the last second, or runs the checks. Of concurrent probes one runs them; the others wait.
func (r *readiness) currentReadiness(ctx context.Context) api.Readiness {
	r.mu.Lock()
	if r.running == nil && time.Since(r.at) >= r.every {
		r.running = make(chan struct{})
		// The checks serve all waiting probes, so they continue if the probe that started them is cancelled.
		go r.runChecks(context.WithoutCancel(ctx))
	}
	asking := r.running
	r.mu.Unlock()
	if asking != nil {
		select {
		case <-asking:
		case <-ctx.Done():
			return api.Readiness{Checks: []api.ReadinessCheck{{Name: "readiness", State: api.CheckFailed, Detail: "the checks take too long"}}}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.found
	select {
	case <-r.stopping:
		found.Stopping = true
	default:
	}
	return found
}

// runChecks checks all parts concurrently, and stores the results.
func (r *readiness) runChecks(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	found := api.Readiness{Checks: make([]api.ReadinessCheck, len(r.checks)+1)}
	var all sync.WaitGroup
	for i := range r.checks {
		all.Go(func() { found.Checks[i] = r.checks[i].runCheck(ctx) })
	}
	all.Go(func() { found.Clock, found.Checks[len(r.checks)] = r.checkClock(ctx) })
	all.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found, r.at = found, time.Now()
	close(r.running)
	r.running = nil
}

// checkClock never fails: a clock in doubt is no reason to stop serving readers, and the operator needs the service most
// then.
func (r *readiness) checkClock(ctx context.Context) (contract.ClockState, api.ReadinessCheck) {
	f, err := r.clock(ctx)
	switch {
	case err != nil:
		return "", api.ReadinessCheck{Name: "clock", State: api.CheckDegraded, Detail: err.Error()}
	case f.State != contract.ClockFine:
		return f.State, api.ReadinessCheck{Name: "clock", State: api.CheckDegraded, Detail: f.Error()}
	}
	return f.State, api.ReadinessCheck{Name: "clock", State: api.CheckOK}
}

var errNoAnswer = errors.New("the previous check has not finished yet")

// runCheck runs the check. File reads cannot be interrupted, so after the timeout the check is left running.
func (c readinessCheck) runCheck(ctx context.Context) api.ReadinessCheck {
	fail := func(err error) api.ReadinessCheck {
		return api.ReadinessCheck{Name: c.name, State: api.CheckFailed, Detail: err.Error()}
	}
	select {
	case c.busy <- struct{}{}:
	default:
		return fail(errNoAnswer)
	}
	answered := make(chan api.ReadinessCheck, 1)
	go func() {
		defer func() { <-c.busy }()
		state, detail, err := c.check(ctx)
		if err != nil {
			answered <- fail(err)
			return
		}
		answered <- api.ReadinessCheck{Name: c.name, State: state, Detail: detail}
	}()
	select {
	case found := <-answered:
		return found
	case <-ctx.Done():
		return fail(fmt.Errorf("no answer within %v", checkTimeout))
	}
}

// requireWorking returns an error unless work can continue, for jobs that wait for the end of an outage.
func (r *readiness) requireWorking(ctx context.Context) error {
	for _, c := range r.currentReadiness(ctx).Checks {
		if c.State == api.CheckFailed {
			return fmt.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	return ctx.Err()
}
