package main

import (
	"context"
	"time"
)

// createSuccessors creates the successors of keys of the authority whose certificates are about to expire. Of several processes the first
// creates one, and all use it.
func (a *app) createSuccessors(ctx context.Context) error {
	created, err := a.authority.Succeed(ctx)
	for _, c := range created {
		a.log.InfoContext(ctx, "the authority has a new certificate", "role", c.Role, "subject", c.Certificate.Subject.String(), "until", c.Certificate.NotAfter)
	}
	return err
}

// followEvery is how often each process looks for successors that another one created. A request that concerns one does not wait for it:
// the authority looks then.
const followEvery = time.Hour

// followSuccessors reads the successors that other processes create, until ctx ends.
func (a *app) followSuccessors(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := a.authority.Refresh(ctx); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "the successors of the authority's keys cannot be read", "error", err)
			}
		}
	}
}
