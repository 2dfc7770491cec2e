package stamping

import (
	"context"
	"errors"
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
		d, err := s.LoadAuthorised(ctx, by, contract.OpRestamp, id)
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
		if err := s.requireUnused(ctx, s.officeOf(&d), o.ReplaceSerial, contract.ErrSerialUsed); err != nil {
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
func (s *Stamping) requireUnused(ctx context.Context, office emeterai.Stamper, serial string, refusal *contract.Error) error {
	if a := office.Availability(); a.Down {
		return contract.ErrOfficeDown.WithCause(fmt.Errorf("%w: %s", errOfficePaused, a.Reason))
	}
	status, err := office.SerialStatus(ctx, serial)
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
		err = s.requireUnused(ctx, s.Office, serial, contract.ErrNotUnused)
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

// Evidence opens the last file that the stamp office returned for a quarantined serial. Callers who do not administer
// the serial's organisation get ErrNoEvidence.
func (s *Stamping) Evidence(ctx context.Context, by contract.Actor, serial string) (*documents.Content, error) {
	organisation, err := by.AuthoriseAdmin(contract.AdminEvidence, "")
	if err != nil {
		return nil, err
	}
	known, err := s.Store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return nil, contract.ErrNoEvidence
	}
	if err != nil {
		return nil, err
	}
	if f := known.Evidence; f.Key != "" && !f.IsRemoved() && (organisation == "" || organisation == known.Organisation) {
		last := contract.Revision{Tail: f, End: f.Size, Digest: f.Digest, At: known.ChangedAt}
		return s.OpenContent(ctx, contract.Document{Filename: serial + ".pdf"}, []contract.Revision{last})
	}
	return nil, contract.ErrNoEvidence
}
