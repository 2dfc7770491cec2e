package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// TeamBox is the list of the documents of a team. It belongs to the team in place of a person.
const TeamBox Box = "team"

// Team is a team with its members.
type Team struct {
	contract.Team
	Organisation contract.OrganisationID
	CreatedAt    time.Time
	Members      []TeamMember // by name
}

// TeamMember is the account of a member.
type TeamMember struct {
	contract.Person
	Disabled bool
}

// Teams stores the teams of organisations. The reads of a user return the teams of the account, and those of a document its team.
type Teams interface {
	// AddTeam adds a team without members. ErrExists: the organisation has one of that name, in any case of letters; contract.ErrTeamLimit: it has
	// contract.MaxTeams.
	AddTeam(ctx context.Context, t Team, e contract.Event) error
	// RenameTeam returns ErrExists as AddTeam does, and ErrNotFound if the team does not exist.
	RenameTeam(ctx context.Context, id contract.TeamID, name string, e contract.Event) error
	// DeleteTeam removes a team, its members and its folders in one transaction. The documents keep its identifier, which gives no access. ErrNotFound:
	// the team does not exist.
	DeleteTeam(ctx context.Context, id contract.TeamID, e contract.Event) error
	// AddTeamMember adds an account of the organisation of the team. ErrExists: it is a member; ErrNotFound: the team does not exist; contract.ErrNoPerson:
	// no such account in its organisation; contract.ErrTeamFull.
	AddTeamMember(ctx context.Context, id contract.TeamID, person contract.PersonID, e contract.Event) error
	// RemoveTeamMember returns ErrNotFound if the account is not a member. Each request reads the teams of its caller, so none is answered as a
	// member's that begins afterwards.
	RemoveTeamMember(ctx context.Context, id contract.TeamID, person contract.PersonID, e contract.Event) error
	// Team returns a team with its members, or ErrNotFound.
	Team(ctx context.Context, id contract.TeamID) (Team, error)
	// ListTeams returns the teams of an organisation with their members, by name.
	ListTeams(ctx context.Context, of contract.OrganisationID) ([]Team, error)
}
