package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// OrganisationQuery selects organisations by a part of their name.
type OrganisationQuery struct {
	Search string
	Offset int
	Limit  int
}

// OrganisationPage is one page of organisations.
type OrganisationPage = Page[store.Organisation]

// OrganisationList returns one page of organisations, by name. Only operators may read it.
func (s *Service) OrganisationList(ctx context.Context, by contract.Actor, q OrganisationQuery) (OrganisationPage, error) {
	scope, err := s.AuthoriseAdmin(ctx, by, contract.AdminOrganisations, "")
	if err != nil {
		return OrganisationPage{}, err
	}
	var found []store.Organisation
	for _, o := range scope.Organisations {
		if strings.Contains(strings.ToLower(o.Name), strings.ToLower(q.Search)) {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b store.Organisation) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	from := min(q.Offset, len(found))
	return OrganisationPage{Lines: found[from:min(from+q.Limit, len(found))], Total: len(found)}, nil
}

// AddOrganisation creates an organisation without people and without quota. Only operators may. A name that another one has is
// [contract.ErrOrganisationExists].
func (s *Service) AddOrganisation(ctx context.Context, by contract.Actor, name string) (store.Organisation, error) {
	if _, err := by.AuthoriseAdmin(contract.AdminAddOrganisation, ""); err != nil {
		return store.Organisation{}, err
	}
	name, err := s.checkOrganisationName(name)
	if err != nil {
		return store.Organisation{}, err
	}
	id, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return store.Organisation{}, fmt.Errorf("draw a UUID: %w", err)
	}
	o := store.Organisation{ID: contract.OrganisationID(id.String()), Name: name, CreatedAt: s.Clock()}
	effectCtx := store.WithFinalAnswer(ctx, func(o store.Organisation) any { return o })
	// Durable with this commit: the organisation, who created it, and the answer to a request with a key.
	err = s.Store.CreateOrganisation(effectCtx, o, by.SignEvent(contract.Event{Type: contract.EventOrganisationAdded, At: o.CreatedAt, Details: map[string]string{
		"organisation": string(o.ID), "name": o.Name,
	}}))
	if errors.Is(err, store.ErrExists) {
		return store.Organisation{}, contract.ErrOrganisationExists
	}
	if err != nil {
		return store.Organisation{}, documents.KeyRefusal(fmt.Errorf("create organisation %q: %w", name, err))
	}
	return o, nil
}

// checkOrganisationName returns a name for an organisation as it is stored.
func (s *Service) checkOrganisationName(name string) (string, error) {
	name = contract.CleanText(name)
	switch limit := s.Limits.Defaults().Text; {
	case !contract.HasVisibleText(name):
		return "", contract.InvalidInput(contract.NewFieldError("name", "value.required"))
	case utf8.RuneCountInString(name) > limit:
		return "", contract.InvalidInput(contract.NewFieldError("name", "text.too_long", "limit", limit))
	}
	return name, nil
}

// RenameOrganisation changes the name of an organisation. What was signed, sealed and logged keeps the former name; the next certificate of the
// seal has the new one. Repeating a request changes nothing more.
func (s *Service) RenameOrganisation(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string) (store.Organisation, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminRenameOrganisation, of)
	if err != nil {
		return o, err
	}
	if name, err = s.checkOrganisationName(name); err != nil {
		return o, err
	}
	switch {
	case name == o.Name:
		return o, nil
	case o.State == contract.OrganisationClosed:
		return o, contract.ErrOrganisationEnded
	}
	// Durable with this commit: the name, and who changed it. Other processes show the former one for some seconds.
	err = s.Store.RenameOrganisation(ctx, o.ID, name, by.SignEvent(contract.Event{Type: contract.EventOrganisationRenamed, At: s.Clock(), Details: map[string]string{
		"organisation": string(o.ID), "name": o.Name, "new_name": name,
	}}))
	if errors.Is(err, store.ErrExists) {
		return o, contract.ErrOrganisationExists
	}
	if err != nil {
		return o, fmt.Errorf("rename organisation %s: %w", o.ID, err)
	}
	s.organisations.forget(o.ID)
	o.Name = name
	return o, nil
}

// SuspendOrganisation stops the people of an organisation, their API keys and the guests of its documents, from their next request on. What was
// ordered before is finished: documents are closed and stamped. Repeating a request changes nothing more.
func (s *Service) SuspendOrganisation(ctx context.Context, by contract.Actor, of contract.OrganisationID, reason string) (store.Organisation, error) {
	return s.setOrganisationState(ctx, by, of, contract.OrganisationSuspended, reason, nil)
}

// ResumeOrganisation ends what SuspendOrganisation did. Sessions and links that have not expired meanwhile work again.
func (s *Service) ResumeOrganisation(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, error) {
	return s.setOrganisationState(ctx, by, of, contract.OrganisationActive, "", nil)
}

// CloseOrganisation is SuspendOrganisation for ever. Its documents, evidence and log stay. The caller repeats the name of the organisation,
// so that no other one is closed by mistake.
func (s *Service) CloseOrganisation(ctx context.Context, by contract.Actor, of contract.OrganisationID, name, reason string) (store.Organisation, error) {
	return s.setOrganisationState(ctx, by, of, contract.OrganisationClosed, reason, func(o store.Organisation) error {
		if contract.CleanText(name) != o.Name {
			return contract.InvalidInput(contract.NewFieldError("name", "organisation.other_name"))
		}
		return nil
	})
}

var stateEvents = map[contract.OrganisationState]contract.EventType{
	contract.OrganisationActive: contract.EventOrganisationResumed, contract.OrganisationSuspended: contract.EventOrganisationSuspended, contract.OrganisationClosed: contract.EventOrganisationClosed,
}

func (s *Service) setOrganisationState(ctx context.Context, by contract.Actor, of contract.OrganisationID, to contract.OrganisationState, reason string, check func(store.Organisation) error) (store.Organisation, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetOrganisationState, of)
	if err != nil {
		return o, err
	}
	reason = contract.CleanText(reason)
	if limit := s.Limits.Defaults().Text; utf8.RuneCountInString(reason) > limit {
		return o, contract.InvalidInput(contract.NewFieldError("reason", "text.too_long", "limit", limit))
	}
	if check != nil {
		if err := check(o); err != nil {
			return o, err
		}
	}
	first, err := s.Store.FirstOrganisation(ctx)
	if err != nil {
		return o, fmt.Errorf("read the first organisation: %w", err)
	}
	if first.ID == o.ID { // the operators themselves
		return o, contract.ErrFirstOrganisation
	}
	now := s.Clock()
	e := withoutEmptyDetails(by.SignEvent(contract.Event{Type: stateEvents[to], At: now, Details: map[string]string{"organisation": string(o.ID), "name": o.Name, "reason": reason}}))
	// Durable with this commit: the state, and who set it. Each request reads it with its token, so no process lets anyone act after it.
	err = s.Store.SetOrganisationState(ctx, o.ID, to, reason, e)
	if errors.Is(err, contract.ErrSameState) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	s.organisations.forget(o.ID)
	return s.Store.Organisation(ctx, o.ID)
}
