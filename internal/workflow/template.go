package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// TemplateRequest makes a template of a document.
type TemplateRequest struct {
	Title        string                       // empty: that of the document
	Placeholders map[contract.PersonID]string // names of the placeholders that take the place of people of the document
	Team         contract.TeamID              // of the caller, with which the template is shared; empty: none
}

// MakeTemplate saves a document as a template of the caller. The files are stored as by [Service.Copy]. A member whose account ended becomes a placeholder
// with their name.
func (s *Service) MakeTemplate(ctx context.Context, by contract.Actor, id contract.DocumentID, r TemplateRequest) (contract.Document, error) {
	d, err := s.LoadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	if err := d.CheckTemplatable(by); err != nil {
		return contract.Document{}, err
	}
	if _, err := by.RequireTeam(r.Team); err != nil {
		return contract.Document{}, err
	}
	replaced := map[contract.PersonID]PersonRequest{}
	for person, name := range r.Placeholders {
		if d.Participant(person) == nil {
			return contract.Document{}, contract.InvalidInput(contract.NewFieldError("placeholders", "participant.unknown"))
		}
		replaced[person] = PersonRequest{Name: name, Guest: true, Placeholder: true}
	}
	people, err := s.copyParticipants(ctx, by, &d, replaced)
	if err == nil {
		people, err = s.replaceFormerMembers(ctx, &d, people)
	}
	if err != nil {
		return contract.Document{}, err
	}
	return s.copyDocument(ctx, by, d, contract.CopiedFile{Participants: people, Team: r.Team}, func(f contract.CopiedFile, now time.Time) (contract.Change, error) {
		return contract.MakeTemplate(&d, f, r.Title, by, s.Limits, now)
	})
}

// UseRequest makes a draft from a template.
type UseRequest struct {
	Title string          // empty: that of the template
	Team  contract.TeamID // of the caller, with which the draft is shared; empty: none
	Fill  []PersonRequest // who takes the place of which placeholder; their role, number and group are those of the placeholder
}

// UseTemplate makes a draft of the caller from a template. The files are stored as by [Service.Copy]. A member whose account ended becomes a placeholder with
// their name.
func (s *Service) UseTemplate(ctx context.Context, by contract.Actor, id contract.DocumentID, r UseRequest) (contract.Document, error) {
	d, err := s.LoadDocumentFor(ctx, by, id)
	if err != nil {
		return contract.Document{}, err
	}
	if err := d.CheckUsable(by); err != nil {
		return contract.Document{}, err
	}
	if _, err := by.RequireTeam(r.Team); err != nil {
		return contract.Document{}, err
	}
	replaced, bad := s.checkFill(&d, r.Fill)
	if err := contract.InvalidInput(bad...); err != nil {
		return contract.Document{}, err
	}
	people, err := s.copyParticipants(ctx, by, &d, replaced)
	if err != nil {
		return contract.Document{}, err
	}
	f, fills, err := fillPeople(&d, people, r.Fill)
	f.Team = r.Team
	if err == nil {
		f.Participants, err = s.replaceFormerMembers(ctx, &d, f.Participants)
	}
	if err != nil {
		return contract.Document{}, err
	}
	return s.copyDocument(ctx, by, d, f, func(f contract.CopiedFile, now time.Time) (contract.Change, error) {
		return contract.UseTemplate(&d, f, fills, r.Title, by, s.Limits, now)
	})
}

// checkFill checks who is to take the place of placeholders before they are looked up, and returns them by placeholder.
func (s *Service) checkFill(d *contract.Document, fill []PersonRequest) (replaced map[contract.PersonID]PersonRequest, bad []contract.FieldError) {
	replaced = map[contract.PersonID]PersonRequest{}
	for i, r := range fill {
		refuse := func(member, code string) {
			bad = append(bad, contract.NewFieldError(fmt.Sprintf("fill[%d].%s", i, member), code))
		}
		switch p := d.Participant(r.Fills); {
		case p == nil || !p.Placeholder:
			refuse("placeholder", "placeholder.unknown")
			continue
		case replaced[r.Fills] != (PersonRequest{}):
			refuse("placeholder", "placeholder.filled")
			continue
		}
		if r.Guest = r.ID == ""; r.Guest {
			if !contract.HasVisibleText(r.Name) {
				refuse("name", "text.missing")
			}
			code := ""
			if r.Email != "" || !r.Channel.IsPhone() {
				code = "text.missing"
			}
			if r.Email != "" {
				r.Email, code = contract.ParseEmail(r.Email)
			}
			if code != "" {
				refuse("email", code)
			}
		}
		if r.Channel.IsPhone() {
			if _, code := contract.ParsePhone(r.Phone); code != "" {
				refuse("phone", code)
			}
			if !s.Delivers(r.Channel) {
				refuse("channel", "channel.not_configured")
			}
		}
		replaced[r.Fills] = r
	}
	return replaced, bad
}

// fillPeople returns the people of a draft from a template, of whom some take the place of placeholders, and how those are reached.
func fillPeople(d *contract.Document, people []contract.Participant, fill []PersonRequest) (f contract.CopiedFile, fills []contract.FilledPlaceholder, err error) {
	f = contract.CopiedFile{Participants: people, Personal: map[contract.PersonID]contract.PersonalDelivery{}}
	var bad []contract.FieldError
	at := map[contract.PersonID]int{}
	for i, p := range d.Participants {
		at[p.ID] = i
	}
	for i, r := range fill {
		p := people[at[r.Fills]]
		if p.ID == "" {
			bad = append(bad, contract.NewFieldError(fmt.Sprintf("fill[%d].id", i), "participant.unknown"))
			continue
		}
		for j, o := range people {
			if j != at[r.Fills] && o.ID == p.ID {
				bad = append(bad, contract.NewFieldError(fmt.Sprintf("fill[%d].email", i), "participant.twice"))
				break
			}
		}
		f.Personal[p.ID] = r.PersonalDelivery
		fills = append(fills, contract.FilledPlaceholder{Placeholder: r.Fills, Person: p.ID, Field: fmt.Sprintf("fill[%d].placeholder", i)})
	}
	return f, fills, contract.InvalidInput(bad...)
}

// replaceFormerMembers makes placeholders of members of a document whose account ended, so that another person takes their part. People are those of its copy, in
// the same order. Those whose data were erased are left out: no name of theirs comes back.
func (s *Service) replaceFormerMembers(ctx context.Context, d *contract.Document, people []contract.Participant) ([]contract.Participant, error) {
	names := map[string]bool{}
	for _, p := range people {
		if p.Placeholder {
			names[strings.ToLower(p.Name)] = true
		}
	}
	for i := range people {
		p := &people[i]
		if p.ID != "" || p.Guest || p.IsErased() || names[strings.ToLower(p.Name)] {
			continue
		}
		if _, err := s.Store.Erasure(ctx, d.Participants[i].ID); !errors.Is(err, store.ErrNotFound) {
			if err != nil {
				return nil, err
			}
			continue
		}
		r := PersonRequest{Name: p.Name, Guest: true, Placeholder: true}
		id, err := s.guestID(nil, r)
		if err != nil {
			return nil, err
		}
		p.Person, p.Phone, p.Guest, p.Placeholder = contract.Person{ID: id, Name: p.Name}, "", true, true
		names[strings.ToLower(p.Name)] = true
	}
	return people, nil
}

// TemplatesRequest selects one page of the caller's templates. Pages are numbered from 1. The members are those of [store.TemplateQuery].
type TemplatesRequest struct {
	Team   contract.TeamID // only those that are shared with this team; empty: all that the caller owns or a team of theirs has
	Search string
	Order  store.Order
	Page   int
	Limit  int
}

// Templates returns one page of the templates that the caller owns or that are shared with a team of theirs; [contract.ErrNoTeam] for another
// team. A page out of range is empty.
func (s *Service) Templates(ctx context.Context, by contract.Actor, r TemplatesRequest) (store.List, error) {
	if err := by.AuthoriseAccount(contract.AccountLists); err != nil {
		return store.List{}, err
	}
	q := store.TemplateQuery{Person: by.ID, Search: r.Search, Order: r.Order, Offset: (r.Page - 1) * r.Limit, Limit: r.Limit}
	for _, t := range by.Teams {
		q.Teams = append(q.Teams, t.ID)
	}
	if r.Team != "" {
		if _, isMember := by.FindTeam(r.Team); !isMember {
			return store.List{}, contract.ErrNoTeam
		}
		q.Person, q.Teams = "", []contract.TeamID{r.Team}
	}
	return s.Store.ListTemplates(ctx, q)
}
