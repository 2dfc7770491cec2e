package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
)

// ShareWithTeam gives a document to a team of its owner, or takes it out of its team if there is none.
func (s *Service) ShareWithTeam(ctx context.Context, by contract.Actor, id contract.DocumentID, to contract.TeamID) (contract.Document, error) {
	return s.ApplyRuleAs(documents.WithDocumentAnswer(ctx), by, id, func(d *contract.Document) (*contract.Change, error) {
		return documents.ChangeIf(contract.ShareWithTeam(d, to, by, s.Clock()))
	})
}

// Teams returns the teams of an organisation with their members. An empty identifier means the caller's own.
func (s *Service) Teams(ctx context.Context, by contract.Actor, of contract.OrganisationID) ([]store.Team, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminTeams, of)
	if err != nil {
		return nil, err
	}
	return s.Store.ListTeams(ctx, o.ID)
}

// AddTeam creates a team of an organisation, without members.
func (s *Service) AddTeam(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string) (store.Team, error) {
	o, err := store.LoadAdministered(ctx, s.Store, by, contract.AdminSetTeam, of)
	if err != nil {
		return store.Team{}, err
	}
	if name, err = contract.CheckTeamName(name, s.Limits); err != nil {
		return store.Team{}, err
	}
	id, err := uuid.NewRandomFromReader(s.Random)
	if err != nil {
		return store.Team{}, fmt.Errorf("draw a UUID: %w", err)
	}
	t := store.Team{Team: contract.Team{ID: contract.TeamID(id.String()), Name: name}, Organisation: o.ID, CreatedAt: s.Clock()}
	effectCtx := store.WithFinalAnswer(ctx, func(t store.Team) any { return t })
	// Durable with this commit: the team, who created it, and the answer to a request with a key.
	if err := s.Store.AddTeam(effectCtx, t, s.teamEvent(by, contract.EventTeamAdded, t)); err != nil {
		return store.Team{}, teamRefusal(err)
	}
	return t, nil
}

// RenameTeam changes the name of a team. What was logged keeps the former one. Repeating a request changes nothing more.
func (s *Service) RenameTeam(ctx context.Context, by contract.Actor, id contract.TeamID, name string) (store.Team, error) {
	t, err := s.administeredTeam(ctx, by, id)
	if err != nil {
		return store.Team{}, err
	}
	if name, err = contract.CheckTeamName(name, s.Limits); err != nil || name == t.Name {
		return t, err
	}
	// Durable with this commit: the name, and who changed it.
	if err := s.Store.RenameTeam(ctx, id, name, s.teamEvent(by, contract.EventTeamRenamed, t, "new_name", name)); err != nil {
		return store.Team{}, teamRefusal(err)
	}
	t.Name = name
	return t, nil
}

// DeleteTeam deletes a team. Its documents stay with their owners, and no person sees them as its member from the next request on.
func (s *Service) DeleteTeam(ctx context.Context, by contract.Actor, id contract.TeamID) (store.Team, error) {
	t, err := s.administeredTeam(ctx, by, id)
	if err != nil {
		return store.Team{}, err
	}
	// Durable with this commit: the team has no members and no name any more. Its documents are not written: they name a team that gives no access.
	if err := s.Store.DeleteTeam(ctx, id, s.teamEvent(by, contract.EventTeamDeleted, t)); err != nil {
		return store.Team{}, teamRefusal(err)
	}
	t.Members = nil
	return t, nil
}

// AddTeamMember adds an account to a team of its organisation. Repeating a request changes nothing more.
func (s *Service) AddTeamMember(ctx context.Context, by contract.Actor, id contract.TeamID, person contract.PersonID) (store.Team, error) {
	return s.changeMember(ctx, by, id, person, contract.EventTeamJoined, s.Store.AddTeamMember, store.ErrExists)
}

// RemoveTeamMember removes an account from a team. Its requests that begin afterwards do not see the documents of the team. Documents of the person
// stay in the team until their owner takes them out. Repeating a request changes nothing more.
func (s *Service) RemoveTeamMember(ctx context.Context, by contract.Actor, id contract.TeamID, person contract.PersonID) (store.Team, error) {
	return s.changeMember(ctx, by, id, person, contract.EventTeamLeft, s.Store.RemoveTeamMember, store.ErrNotFound)
}

// changeMember adds or removes a member. Done is the error of a change that was made before.
func (s *Service) changeMember(ctx context.Context, by contract.Actor, id contract.TeamID, person contract.PersonID, what contract.EventType,
	change func(context.Context, contract.TeamID, contract.PersonID, contract.Event) error, done error) (store.Team, error) {
	t, err := s.administeredTeam(ctx, by, id)
	if err != nil {
		return store.Team{}, err
	}
	u, err := s.Store.User(ctx, person)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.Organisation != t.Organisation {
		return store.Team{}, contract.ErrNoPerson
	}
	if err != nil {
		return store.Team{}, fmt.Errorf("read user %s: %w", person, err)
	}
	// Durable with this commit: whether the account is a member, and who decided it. Each request reads the teams with its token.
	err = change(ctx, id, person, s.teamEvent(by, what, t, "person", string(u.ID), "name", u.Name, "email", u.Email))
	if err != nil && !errors.Is(err, done) {
		return store.Team{}, teamRefusal(err)
	}
	t, err = s.Store.Team(ctx, id)
	return t, teamRefusal(err)
}

// administeredTeam returns a team that the caller administers; [contract.ErrNoTeam] for that of another organisation, as for one that does not exist.
func (s *Service) administeredTeam(ctx context.Context, by contract.Actor, id contract.TeamID) (store.Team, error) {
	of, err := by.AuthoriseAdmin(contract.AdminSetTeam, "")
	if err != nil {
		return store.Team{}, err
	}
	t, err := s.Store.Team(ctx, id)
	if err == nil && of != "" && t.Organisation != of {
		return store.Team{}, contract.ErrNoTeam
	}
	return t, teamRefusal(err)
}

// teamRefusal returns the refusal of an error of the store.
func teamRefusal(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return contract.ErrNoTeam
	case errors.Is(err, store.ErrExists):
		return contract.ErrTeamExists
	}
	return documents.KeyRefusal(err)
}

// teamEvent returns an event about a team. Details are names and values in turn.
func (s *Service) teamEvent(by contract.Actor, what contract.EventType, t store.Team, details ...string) contract.Event {
	e := contract.Event{Type: what, At: s.Clock(), Details: map[string]string{"organisation": string(t.Organisation), "team": string(t.ID), "team_name": t.Name}}
	for i := 0; i+1 < len(details); i += 2 {
		e.Details[details[i]] = details[i+1]
	}
	return withoutEmptyDetails(by.SignEvent(e))
}
