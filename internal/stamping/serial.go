package stamping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// orderSerial records the order of a serial under a new identifier, before the stamp office is called.
func (r run) orderSerial(ctx context.Context) (run, error) {
	order, err := blob.NewKey(r.Random)
	if err != nil {
		return r, err
	}
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		return contract.OrderSerial(d, r.i, string(order), r.Clock())
	})
}

// claimSerial assigns a serial of the organisation that is registered as free to the stamp, after the stamp office has
// confirmed that it can be affixed. A serial that cannot is retired, and the run looks for another one.
func (r run) claimSerial(ctx context.Context, free contract.StampSerial) (run, error) {
	status, err := r.Office.SerialStatus(ctx, free.Serial)
	switch {
	case err != nil && !emeterai.ClassOf(err).IsFinal():
		return r, r.recordProblem(ctx, err)
	case err != nil: // the serial was listed as free; if it never comes back, every reconciliation reports it as missing
		return r.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	case status != emeterai.Unused:
		return r.retireSerial(ctx, free, contract.QuarantineSerial, fmt.Sprintf("it was released as unused, but the stamp office reports it as %s", status))
	}
	if err := r.Office.CheckAffixable(ctx, free.Serial); emeterai.ClassOf(err).IsFinal() {
		return r.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	} else if err != nil {
		return r, r.recordProblem(ctx, err)
	}
	c, err := contract.ClaimSerial(&r.d, r.i, free, r.Office.IsSpecimen(), r.Clock())
	if err != nil {
		return r, err
	}
	after, err := r.CommitChange(ctx, c)
	if errors.Is(err, contract.ErrRace) { // changed by another writer: look again
		return r.load(ctx, r.d.ID)
	}
	if err != nil {
		return r, err
	}
	r = r.continueWith(after)
	r.call = claimed
	return r, nil
}

// needsOrder reports whether the commit that affixes a stamp, and leaves the document as given, can order the serial of
// the next one too: every commit waits for the disk. If a serial is free, the stamp office is unavailable or would
// refuse the file, the next pass handles it.
func (r *run) needsOrder(ctx context.Context, d *contract.Document) bool {
	if d.NextStamp() < 0 || r.Office.Availability().Down || r.PreflightStamps(ctx, d, r.file, false) != nil {
		return false
	}
	if r.Clock().Sub(r.noneFree) < RecheckAfter {
		return true
	}
	if _, err := r.Store.FreeSerial(ctx, d.Organisation, d.ID); !errors.Is(err, store.ErrNotFound) {
		return false
	}
	r.noneFree = r.Clock()
	return true
}

// retireSerial moves a serial that turned out to be unusable. The run looks for another one.
func (r run) retireSerial(ctx context.Context, serial contract.StampSerial, rule func(contract.StampSerial, string, time.Time) (contract.SerialMove, contract.Event), why string) (run, error) {
	r.Log.WarnContext(ctx, "a free serial cannot be used", "serial", serial.Serial, "problem", why)
	m, e := rule(serial, why, r.Clock())
	err := r.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if err != nil && !errors.Is(err, store.ErrConflict) { // in a conflict, another writer retired it or uses it
		return r, err
	}
	return r.load(ctx, r.d.ID)
}
