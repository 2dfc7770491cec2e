package main

import (
	"context"
	"time"

	"segel/internal/authority"
)

// logCreated logs a certificate that this process added to the authority, at its start or while it runs.
func (a *app) logCreated(c authority.OwnCertificate) {
	a.log.Info("the authority has a new certificate", "role", c.Role, "subject", c.Certificate.Subject.String(), "serial", c.Certificate.SerialNumber.Text(16), "until", c.Certificate.NotAfter)
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
