package workflow

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// TransferBatch is how many documents one call of [Service.TransferDocuments] transfers at most.
const TransferBatch = 100

// ownersBoxes are the lists that together have what a person owns.
var ownersBoxes = []store.Box{store.Outbox, store.TemplateBox}

// Transferred says how far a transfer got.
type Transferred struct {
	Moved int // documents and templates that this call transferred
	Left  int // documents that the person still owns; the same call goes on with them
}

// TransferDocuments gives documents and templates of a person, the newest documents first and at most [TransferBatch], to another person of their organisation. Both are
// loaded first: an account that the caller does not administer is [contract.ErrNoPerson], as one that does not exist.
//
// First durable: the event that names both people and how many documents there were. Then each document with its own event, see
// [contract.Transfer]. If the process dies between two documents, those before have the new owner and the others the former one; the next call goes on.
// The message to the new owner is durable with the last document. It is left out if that one is a draft that is deleted in this instant.
func (s *Service) TransferDocuments(ctx context.Context, by contract.Actor, from, to contract.PersonID) (Transferred, error) {
	former, err := s.loadAdministeredUser(ctx, by, contract.AdminTransfer, from)
	if err != nil {
		return Transferred{}, err
	}
	next, err := s.Store.User(ctx, to)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Transferred{}, contract.ErrNoSuccessor
	case err != nil:
		return Transferred{}, fmt.Errorf("read user %s: %w", to, err)
	case next.Organisation != former.Organisation || !next.DisabledAt.IsZero() || !next.Role().CanOwn() || to == from:
		return Transferred{}, contract.ErrNoSuccessor
	}
	var owned store.List
	for _, box := range ownersBoxes {
		l, err := s.Store.List(ctx, store.ListQuery{Person: from, Box: box, Limit: TransferBatch, Now: s.Clock()})
		if err != nil {
			return Transferred{}, err
		}
		owned.Total += l.Total
		owned.Documents = append(owned.Documents, l.Documents...)
	}
	if owned.Total == 0 {
		return Transferred{}, nil
	}
	owned.Documents = owned.Documents[:min(len(owned.Documents), TransferBatch)]
	err = s.Store.LogEvents(ctx, by.SignEvent(contract.Event{Type: contract.EventTransferBegun, At: s.Clock(), Details: map[string]string{
		"person": string(former.ID), "name": former.Name, "email": former.Email, "organisation": string(former.Organisation),
		"to": string(next.ID), "to_name": next.Name, "to_email": next.Email, "count": fmt.Sprint(owned.Total),
	}}))
	if err != nil {
		return Transferred{}, fmt.Errorf("log a transfer: %w", err)
	}
	done := Transferred{Left: owned.Total}
	for i := range owned.Documents {
		_, err := s.ApplyRuleTo(ctx, owned.Documents[i], func(d *contract.Document) (*contract.Change, error) {
			c, changed, err := contract.Transfer(d, from, next.Person, next.Teams, by, s.Clock())
			if changed && done.Left == 1 {
				c.AnnounceTransfer(by, s.Clock())
			}
			return documents.ChangeIf(c, changed, err)
		})
		switch {
		case errors.Is(err, contract.ErrNotFound): // a draft that its owner has deleted meanwhile
		case err != nil:
			return Transferred{}, err
		default:
			done.Moved++
		}
		done.Left--
	}
	return done, nil
}

// loadAdministeredUser loads the user whom an operation of administration names; [contract.ErrNoPerson] for one whom the caller does not administer.
func (s *Service) loadAdministeredUser(ctx context.Context, by contract.Actor, op contract.AdminOperation, id contract.PersonID) (store.User, error) {
	of, err := by.AuthoriseAdmin(op, "")
	if err != nil {
		return store.User{}, err
	}
	u, err := s.Store.User(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && of != "" && u.Organisation != of {
		return store.User{}, contract.ErrNoPerson
	}
	if err != nil {
		return store.User{}, fmt.Errorf("read user %s: %w", id, err)
	}
	return u, nil
}
