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

// orderOrClaim gives a stamp a serial that the organisation has and nobody uses, or else records that one is ordered.
// Again is true where a serial was claimed: the office may have been asked to affix it, for the document before.
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
	case err != nil: // it was in the list; should it never come back, every reconciliation tells that it is missing
		return false, s.retireSerial(ctx, free, contract.SuspendSerial, err.Error())
	case status != emeterai.Unused:
		return false, s.retireSerial(ctx, free, contract.QuarantineSerial, fmt.Sprintf("it was let go of as unused, and the office calls it %s", status))
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
	case !errors.Is(err, contract.ErrRace): // where another was faster, the next step looks again
		return false, err
	}
	return true, nil
}

// orderSerial records that a serial is ordered, under a new identifier.
func (s *Service) orderSerial(ctx context.Context, d *contract.Document, i int) error {
	order, err := blob.NewKey(s.Random)
	if err != nil {
		return err
	}
	return s.commitStampChange(ctx, d, i, func(d *contract.Document) (contract.Change, error) {
		return contract.OrderSerial(d, i, string(order), s.Clock())
	})
}

// orderNextSerial has the change that affixes a stamp record as well that a serial is ordered for the next one, since every
// commit waits for the disk. Where anything else is to be done before, or goes wrong, the next step sees to it: a free
// serial is to be claimed, the office is left alone, or would refuse the file.
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

// retireSerial moves a serial that turns out to be of no use. Another one is looked for.
func (s *Service) retireSerial(ctx context.Context, serial contract.StampSerial, rule func(contract.StampSerial, string, time.Time) (contract.SerialMove, contract.Event), why string) error {
	s.Log.WarnContext(ctx, "a free serial is of no use", "serial", serial.Serial, "problem", why)
	m, e := rule(serial, why, s.Clock())
	err := s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return nil // somebody else did, or uses it
	}
	return err
}
