package stamping

import (
	"context"
	"fmt"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/store"
)

// Restamp returns a failed document to processing, with the serials it has. If the owner wants a new serial instead of
// the refused one, the stamp office is asked first, so that a unit is spent twice only if there is no other way.
func (s *Stamping) Restamp(ctx context.Context, by contract.Actor, id contract.DocumentID, newSerial bool) (contract.Document, error) {
	var o contract.RestampOptions
	if newSerial {
		var err error
		if o.ReplaceSerial, err = s.unusedSerial(ctx, by, id); err != nil {
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

// unusedSerial returns the refused serial of a failed document, if the stamp office reports it as unused.
func (s *Stamping) unusedSerial(ctx context.Context, by contract.Actor, id contract.DocumentID) (string, error) {
	d, err := s.Detail(ctx, by, contract.OpRestamp, id)
	if err != nil {
		return "", err
	}
	i := d.RefusedStamp()
	switch {
	case d.State != contract.Failed:
		return "", contract.ErrNotFailed
	case i < 0:
		return "", contract.ErrNotRefused
	}
	serial := d.Stamps[i].Serial
	return serial, s.requireUnused(ctx, serial, contract.ErrSerialUsed)
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
