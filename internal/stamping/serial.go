package stamping

import (
	"context"
	"errors"
	"fmt"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
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

// Restamp returns a failed document to processing, with the serials it has. If the owner wants a new serial instead of
// the refused one, the stamp office is asked first, so that a unit is spent twice only if there is no other way.
func (s *Stamping) Restamp(ctx context.Context, by contract.Actor, id contract.DocumentID, newSerial bool) (contract.Document, error) {
	var o contract.RestampOptions
	if newSerial {
		d, err := s.Detail(ctx, by, contract.OpRestamp, id)
		if err != nil {
			return contract.Document{}, err
		}
		i := d.RefusedStamp()
		switch {
		case d.State != contract.Failed:
			return contract.Document{}, contract.ErrNotFailed
		case i < 0:
			return contract.Document{}, contract.ErrNotRefused
		}
		o.ReplaceSerial = d.Stamps[i].Serial
		if err := s.requireUnused(ctx, o.ReplaceSerial, contract.ErrSerialUsed); err != nil {
			return contract.Document{}, err
		}
		if o.InDoubt, err = s.hasCallInDoubt(ctx, id, o.ReplaceSerial); err != nil {
			return contract.Document{}, err
		}
	}
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeOf(contract.Restamp(d, o, by, s.Clock()))
	})
}

// requireUnused asks the stamp office for the current status and returns the refusal unless the serial is unused.
func (s *Stamping) requireUnused(ctx context.Context, serial string, refusal *contract.Error) error {
	if a := s.Office.Availability(); a.Down {
		return contract.ErrOfficeDown.WithCause(fmt.Errorf("%w: %s", errOfficePaused, a.Reason))
	}
	status, err := s.Office.SerialStatus(ctx, serial)
	switch {
	case err != nil && emeterai.ClassOf(err).IsFinal():
		return refusal.With("serial", serial).WithCause(err)
	case err != nil:
		return contract.ErrOfficeDown.WithCause(err)
	case status != emeterai.Unused:
		return refusal.With("serial", serial)
	}
	return nil
}

// hasCallInDoubt reports whether the stamp office may still carry out a call to affix the serial on that document. If
// so, it would answer the next document with that serial with the file of this one.
func (s *Stamping) hasCallInDoubt(ctx context.Context, id contract.DocumentID, serial string) (doubt bool, err error) {
	q := store.AttemptQuery{Document: id, Serial: serial, From: s.Clock().Add(-s.InDoubtPeriod)}
	err = s.Store.EachAttempt(ctx, q, func(a contract.Attempt) bool {
		doubt = a.Call == contract.CallStamp && a.IsInDoubt(contract.Outcome(emeterai.Unknown))
		return !doubt
	})
	if err != nil {
		return false, fmt.Errorf("read the attempts on serial %s: %w", serial, err)
	}
	return doubt, nil
}

// GiveSerial assigns a serial that was found in the account and belongs to no organisation. A serial that the register
// lacks is entered if the stamp office reports it as unused now: if the office's lists have no file names and an order
// is in doubt, reconciliation does not enter such a serial, and the order cannot be settled while it may have bought
// this serial. A serial whose file name contains another organisation's order can only be assigned to that
// organisation.
func (s *Stamping) GiveSerial(ctx context.Context, by contract.Actor, serial string, to contract.OrganisationID) error {
	if _, err := s.AuthoriseAdmin(ctx, by, contract.AdminReconcile, to); err != nil {
		return err
	}
	k, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		k = contract.StampSerial{Serial: serial}
		err = s.requireUnused(ctx, serial, contract.ErrNotUnused)
	}
	if err != nil {
		return err
	}
	m, e, err := contract.AssignSerial(k, to, by, s.Clock())
	if err != nil {
		return err
	}
	// Its file name at the stamp office may contain an order of another organisation.
	listed, err := s.Office.ListSerials(ctx)
	if err != nil {
		return contract.ErrOfficeDown.WithCause(err)
	}
	for _, o := range listed {
		if o.Serial != serial {
			continue
		}
		document, organisation, err := s.findOrder(ctx, o.OrderID())
		if err != nil {
			return err
		}
		if organisation != "" && organisation != to {
			return contract.ErrOtherOrganisationsOrder.With("serial", serial).WithCause(fmt.Errorf("its file is %q, of document %d", o.File, document))
		}
	}
	err = s.Store.MoveSerials(ctx, []contract.SerialMove{m}, e)
	if errors.Is(err, store.ErrConflict) {
		return contract.ErrSerialNotUnassigned.With("serial", serial).WithCause(err) // another writer assigned or used it
	}
	return err
}
