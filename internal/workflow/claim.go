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
// MaybeSent is true where a serial was claimed: the office may have been asked to affix it, for the document before.
func (s *Service) orderOrClaim(ctx context.Context, d *contract.Document, i int) (again bool, err error) {
	free, err := s.Store.FreeSerial(ctx, d.Organisation, d.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, s.order(ctx, d, i)
	}
	if err != nil {
		return false, err
	}
	status, err := s.Office.SerialStatus(ctx, free.Serial)
	switch {
	case err != nil && !emeterai.ClassOf(err).IsFinal():
		return false, s.problem(ctx, d, i, err)
	case err != nil: // it was in the list; should it never come back, every reconciliation tells that it is missing
		return false, s.outOfUse(ctx, free, contract.SuspendSerial, err.Error())
	case status != emeterai.Unused:
		return false, s.outOfUse(ctx, free, contract.QuarantineSerial, fmt.Sprintf("it was let go of as unused, and the office calls it %s", status))
	}
	if err := s.Office.CheckAffixable(ctx, free.Serial); emeterai.ClassOf(err).IsFinal() {
		return false, s.outOfUse(ctx, free, contract.SuspendSerial, err.Error())
	} else if err != nil {
		return false, s.problem(ctx, d, i, err)
	}
	c, err := contract.ClaimSerial(d, i, free, s.Office.IsSpecimen(), s.Clock())
	if err != nil {
		return false, err
	}
	switch after, err := s.commit(ctx, c); {
	case err == nil:
		*d = after
	case !errors.Is(err, contract.ErrRace): // where another was faster, the next step looks again
		return false, err
	}
	return true, nil
}

// order records that a serial is ordered, under a new identifier.
func (s *Service) order(ctx context.Context, d *contract.Document, i int) error {
	order, err := blob.NewKey(s.Random)
	if err != nil {
		return err
	}
	return s.ruled(ctx, d, i, func(d *contract.Document) (contract.Change, error) {
		return contract.OrderSerial(d, i, string(order), s.Clock())
	})
}

// orderNext has the change that affixes a stamp record as well that a serial is ordered for the next one, since every
// commit waits for the disk. Where anything else is to be done before, or goes wrong, the next step sees to it: a free
// serial is to be claimed, the office is left alone, or would refuse the file.
func (s *Service) orderNext(ctx context.Context, c *contract.Change, t *run) error {
	d := &c.After
	if d.NextStamp() < 0 || s.Office.Availability().Down || s.preflight(ctx, d, &t.file, false) != nil {
		return nil
	}
	if s.Clock().Sub(t.noneFree) >= foundFor {
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

// outOfUse moves a serial that turns out to be of no use. Another one is looked for.
func (s *Service) outOfUse(ctx context.Context, serial contract.StampSerial, rule func(contract.StampSerial, string, time.Time) (contract.SerialMove, contract.Event), why string) error {
	s.Log.WarnContext(ctx, "a free serial is of no use", "serial", serial.Serial, "problem", why)
	m, e := rule(serial, why, s.Clock())
	err := s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return nil // somebody else did, or uses it
	}
	return err
}
