package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// erasureBatch is how many erasures, and people on documents, are read at a time.
const erasureBatch = 100

// EraseOwnAccount erases the data of the caller, as far as they are no evidence ([decision 0091]). They are logged out at once. Email is their own
// address, which they entered as a confirmation.
//
// [decision 0091]: docs/decisions/0091-erasure.md
func (s *Service) EraseOwnAccount(ctx context.Context, by contract.Actor, email string) error {
	if by.ID == "" || by.Guest != 0 || by.Embed != nil || by.Key != nil {
		return contract.ErrNotAllowed
	}
	if err := by.RequireRecentProof(); err != nil {
		return err
	}
	u, err := s.Store.User(ctx, by.ID)
	if err != nil {
		return fmt.Errorf("read user %s: %w", by.ID, err)
	}
	if !strings.EqualFold(strings.TrimSpace(email), u.Email) {
		return contract.InvalidInput(contract.NewFieldError("email", "erase.other_address"))
	}
	_, err = s.erasePerson(ctx, by, u)
	return err
}

// ErasePerson erases the data of a person whose account is disabled. An account that the caller does not administer is
// [contract.ErrNoPerson], as one that does not exist. Repeated, it goes on with what is left.
func (s *Service) ErasePerson(ctx context.Context, by contract.Actor, id contract.PersonID) (contract.Erasure, error) {
	u, err := s.loadAdministeredUser(ctx, by, contract.AdminErase, id)
	if err != nil {
		return contract.Erasure{}, err
	}
	if err := by.RequireOther(id); err != nil {
		return contract.Erasure{}, err
	}
	if u.DisabledAt.IsZero() {
		return contract.Erasure{}, contract.ErrNotDisabled
	}
	return s.erasePerson(ctx, by, u)
}

// erasePerson records that the data of a person are to be erased, and erases them.
//
// First durable: the erasure with its event, which name people by identifier only, and the end of the account. From then on, ContinueErasures
// goes on with what this call leaves.
func (s *Service) erasePerson(ctx context.Context, by contract.Actor, u store.User) (contract.Erasure, error) {
	now := s.Clock()
	x := contract.Erasure{Person: u.ID, Organisation: u.Organisation, By: by.ID, At: now}
	begun := contract.Event{Type: contract.EventErasureBegun, At: now, Details: map[string]string{"person": string(u.ID), "organisation": string(u.Organisation)}}
	if by.ID == u.ID {
		begun.Details["own"] = "true" // the log would keep their name and address for ever
	} else {
		begun = by.SignEvent(begun)
	}
	if err := s.Store.BeginErasure(ctx, x, begun); err != nil && !errors.Is(err, store.ErrConflict) {
		return x, err
	}
	x, err := s.Store.Erasure(ctx, u.ID)
	if err != nil {
		return x, err
	}
	if err := s.continueErasure(ctx, x); err != nil {
		return x, err
	}
	return s.Store.Erasure(ctx, u.ID)
}

// continueErasure erases what is left of a person: first what they never sent, templates too, then the person on the documents of others, then the rows of the account, of
// which the last need the address by which the others are found. Each step can be repeated.
func (s *Service) continueErasure(ctx context.Context, x contract.Erasure) error {
	for _, box := range ownersBoxes {
		if err := s.eraseUnsent(ctx, x, box); err != nil {
			return err
		}
	}
	if err := s.EraseParticipants(ctx); err != nil {
		return err
	}
	return s.Store.EraseRows(ctx, x.Person, contract.Event{Type: contract.EventPersonErased, At: s.Clock(), Details: map[string]string{
		"person": string(x.Person), "organisation": string(x.Organisation),
	}})
}

// eraseUnsent deletes the documents of one list of a person that they never sent.
func (s *Service) eraseUnsent(ctx context.Context, x contract.Erasure, box store.Box) error {
	for offset := 0; ; {
		// What was sent meanwhile stays in the list, before what is looked at next.
		owned, err := s.Store.List(ctx, store.ListQuery{Person: x.Person, Box: box, Offset: offset, Limit: erasureBatch, Now: s.Clock()})
		if err != nil {
			return err
		}
		for i := range owned.Documents {
			deleted := false
			_, err := s.ApplyRuleTo(ctx, owned.Documents[i], func(d *contract.Document) (*contract.Change, error) {
				var c contract.Change
				c, deleted = contract.EraseDraft(d, x.Person, s.Clock())
				return documents.ChangeIf(c, deleted, nil)
			})
			held := errors.Is(err, contract.ErrHeld) // it is transferred, or deleted once the hold is lifted
			if err != nil && !held && !errors.Is(err, contract.ErrNotFound) {
				return fmt.Errorf("delete a draft of %s: %w", x.Person, err)
			}
			if held || err == nil && !deleted {
				offset++
			}
		}
		if len(owned.Documents) == 0 {
			return nil
		}
	}
}

// EraseParticipants removes people whose data are erased from the documents that prove nothing about them, also from those that ended since. The codes of guests are erased
// from all that have ended.
func (s *Service) EraseParticipants(ctx context.Context) error {
	if err := s.Store.ForgetCodes(ctx); err != nil {
		return err
	}
	for after := (store.ErasableParticipant{}); ; {
		found, err := s.Store.ErasableParticipants(ctx, after, erasureBatch)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, p := range found {
			// First what hangs on the document, so that a crash in between leaves a person who is found again.
			switch err := s.Store.ForgetParticipant(ctx, p); {
			case errors.Is(err, contract.ErrHeld), errors.Is(err, store.ErrNotFound): // held until then, or deleted since it was found
				continue
			case err != nil:
				return err
			}
			_, err := s.ApplyRule(ctx, p.Document, func(d *contract.Document) (*contract.Change, error) {
				c, changed := contract.EraseParticipant(d, p.Person, s.Clock())
				return documents.ChangeIf(c, changed, nil)
			})
			if err != nil && !errors.Is(err, contract.ErrNotFound) && !errors.Is(err, contract.ErrHeld) {
				return fmt.Errorf("erase a person from document %d: %w", p.Document, err)
			}
		}
		after = found[len(found)-1]
	}
}

// ContinueErasures goes on with erasures that a crash or an outage interrupted. An erasure whose person owns documents again, which were sent
// while it began, waits until an admin transfers them. One that a legal hold covers waits until it is lifted.
func (s *Service) ContinueErasures(ctx context.Context) error {
	return s.continueErasures(ctx, s.Clock().Add(time.Hour)) // none of those that are done
}

// FinishErasures erases what requests in progress wrote about people whose data were just erased, and people on documents that ended since. It runs once an hour.
func (s *Service) FinishErasures(ctx context.Context) error {
	return errors.Join(s.EraseParticipants(ctx), s.continueErasures(ctx, s.Clock().Add(-2*time.Hour)))
}

func (s *Service) continueErasures(ctx context.Context, since time.Time) error {
	open, err := s.Store.OpenErasures(ctx, since, erasureBatch)
	if err != nil {
		return err
	}
	var failed []error
	for _, x := range open {
		if err := s.continueErasure(ctx, x); err != nil && !errors.Is(err, contract.ErrOwnsDocuments) && !errors.Is(err, contract.ErrHeld) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// EraseGuest erases what an organisation, the caller's own if none is named, stores about a person without an account, by their address, or by their phone number as [contract.ParseErasedGuest] reads it: the guests on drafts and on
// documents that ended without a signature, and invitations of the address. Documents that were signed, or that are in progress, keep them; none of them is
// suggested again. Whether the address or number was known is not answered.
//
// First durable: the marks of these guests, with the event, which states their number. EraseParticipants goes on with what this call leaves.
func (s *Service) EraseGuest(ctx context.Context, by contract.Actor, of contract.OrganisationID, who contract.GuestContact) error {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminEraseGuest, of)
	if err != nil {
		return err
	}
	if who, err = contract.ParseErasedGuest(who); err != nil {
		return err
	}
	now := s.Clock()
	err = s.Store.EraseGuest(ctx, o.ID, who, now, func(count int) contract.Event {
		return by.SignEvent(contract.Event{Type: contract.EventGuestErased, At: now, Details: map[string]string{"organisation": string(o.ID), "count": fmt.Sprint(count)}})
	})
	if err != nil {
		return err
	}
	return s.EraseParticipants(ctx)
}
