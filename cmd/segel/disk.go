package main

import (
	"context"
	"time"

	"segel/internal/contract"
)

// findDiskSpace returns how much space is free for the data; without a state if that cannot be read, which /readyz reports.
func (a *app) findDiskSpace() contract.DiskFinding {
	f, _, err := a.diskSpace.Check()
	if err != nil {
		return contract.DiskFinding{}
	}
	return f
}

// diskLookEvery is how often the free space is looked at for the log.
const diskLookEvery = time.Minute

// watchDiskSpace logs when the free space becomes scarce, and when it is not any more, until ctx ends.
func (a *app) watchDiskSpace(ctx context.Context) {
	tick := time.NewTicker(diskLookEvery)
	defer tick.Stop()
	for last := contract.DiskFine; ; {
		last = a.logDiskSpace(ctx, last)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// logDiskSpace logs the free space if its state differs from the last one, and returns the state.
func (a *app) logDiskSpace(ctx context.Context, last contract.DiskState) contract.DiskState {
	f, found, err := a.diskSpace.Check()
	switch {
	case err != nil || f.State == last:
		return last // that it cannot be read is an outage, which requests and jobs log
	case f.State == contract.DiskFine:
		a.log.InfoContext(ctx, "there is enough free space again", "disk", found)
	case f.State == contract.DiskScarce:
		a.log.WarnContext(ctx, "free space is scarce; add some before new files are refused", "disk", found)
	default:
		a.log.ErrorContext(ctx, "free space has run out; new files are refused", "disk", found, "state", string(f.State))
	}
	return f.State
}
