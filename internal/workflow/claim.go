package workflow

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

// orderOrClaim assigns one of the organisation's unused serials to a stamp, or records that a serial is ordered. Again
// is true if a serial was claimed: the stamp office may already have been asked to affix it for the previous document.
func (s *Service) orderOrClaim(ctx context.Context, d *contract.Document, i int) (again bool, err error) {
	free, err := s.Store.FreeSerial(ctx, d.Organisation, d.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, s.orderSerial(ctx, d, i)
	}
	if err != nil {
		return false, err
	}
	status, err := s.Office.SerialStatus(ctx, free.Serial)
	switch {
	case err != nil && !emeterai.ClassOf(err).IsFinal():
		return false, s.recordStampProblem(ctx, d, i, err)
	case err != nil: // the serial was listed as free; if it never comes back, every reconciliation reports it as missing
		return false, s.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	case status != emeterai.Unused:
		return false, s.retireSerial(ctx, free, contract.QuarantineSerial, fmt.Sprintf("it was released as unused, but the stamp office reports it as %s", status))
	}
	if err := s.Office.CheckAffixable(ctx, free.Serial); emeterai.ClassOf(err).IsFinal() {
		return false, s.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	} else if err != nil {
		return false, s.recordStampProblem(ctx, d, i, err)
	}
	c, err := contract.ClaimSerial(d, i, free, s.Office.IsSpecimen(), s.Clock())
	if err != nil {
		return false, err
	}
	switch after, err := s.commitChange(ctx, c); {
	case err == nil:
		*d = after
	case !errors.Is(err, contract.ErrRace): // changed by another writer: the next step looks again
		return false, err
	}
	return true, nil
}

// orderSerial records the order of a serial under a new identifier, before the stamp office is called.
func (s *Service) orderSerial(ctx context.Context, d *contract.Document, i int) error {
	order, err := blob.NewKey(s.Random)
	if err != nil {
		return err
	}
	return s.commitStampChange(ctx, d, i, func(d *contract.Document) (contract.Change, error) {
		return contract.OrderSerial(d, i, string(order), s.Clock())
	})
}

// orderNextSerial adds the order of the next stamp's serial to the change that affixes a stamp, because every commit
// waits for the disk. If a serial is free, the stamp office is unavailable or would refuse the file, the next step
// handles it.
func (s *Service) orderNextSerial(ctx context.Context, c *contract.Change, t *stampRun) error {
	d := &c.After
	if d.NextStamp() < 0 || s.Office.Availability().Down || s.preflightStamps(ctx, d, &t.file, false) != nil {
		return nil
	}
	if s.Clock().Sub(t.noneFree) >= recheckAfter {
		if _, err := s.Store.FreeSerial(ctx, d.Organisation, d.ID); !errors.Is(err, store.ErrNotFound) {
			return nil
		}
		t.noneFree = s.Clock()
	}
	order, err := blob.NewKey(s.Random)
	if err == nil {
		c.OrderNextSerial(string(order), s.Clock())
	}
	return err
}

// retireSerial moves a serial that turned out to be unusable. The caller looks for another one.
func (s *Service) retireSerial(ctx context.Context, serial contract.StampSerial, rule func(contract.StampSerial, string, time.Time) (contract.SerialMove, contract.Event), why string) error {
	s.Log.WarnContext(ctx, "a free serial cannot be used", "serial", serial.Serial, "problem", why)
	m, e := rule(serial, why, s.Clock())
	err := s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return nil // another writer retired it or uses it
	}
	return err
}
