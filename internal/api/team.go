package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
)

// teamOut names a team.
type teamOut struct {
	ID   contract.TeamID `json:"id" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
	Name string          `json:"name" example:"Legal"`
}

func teamOutOf(t contract.Team) teamOut { return teamOut(t) }

// teamShown returns the team of a document for its owner and the members of the team; nil for others, who do not learn of it.
func (c *call) teamShown(d *contract.Document) *teamOut {
	if d.Team.Name == "" || c.by.ID != d.Owner.ID && !d.IsSharedWith(c.by) {
		return nil
	}
	return new(teamOutOf(d.Team))
}

// teamIn is the body of team-docs.
type teamIn struct {
	DocumentID integer `json:"document_id" required:"true"`
	Team       phrase  `json:"team" required:"false" doc:"UUID of a team of the caller; missing or empty: none" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
}

func (c *call) shareWithTeam(in *teamIn) (done[verbData], error) {
	var bad problems
	id, team := parseDocumentID(in.DocumentID, &bad), parseTeamID(in.Team.checkedValue("team", &bad))
	return runDocumentOperation(c, id, bad, "done.team", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.ShareWithTeam(ctx, c.by, id, team)
	})
}

// parseTeamID returns the identifier of a team as it is stored.
func parseTeamID(text string) contract.TeamID { return contract.TeamID(parsePersonID(text)) }

// adminTeam is a team as administrators see it.
type adminTeam struct {
	ID        contract.TeamID `json:"id" example:"3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"`
	Name      string          `json:"name" example:"Legal"`
	CreatedAt string          `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	Members   []teamMember    `json:"members" doc:"by name"`
}

type teamMember struct {
	ID       contract.PersonID `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name     string            `json:"name" example:"Siti Rahma"`
	Email    string            `json:"email" example:"siti@contoh.id"`
	Disabled bool              `json:"disabled" doc:"the account is disabled"`
}

func adminTeamOf(t store.Team) adminTeam {
	return adminTeam{t.ID, t.Name, formatISO(t.CreatedAt), convertAll(t.Members, func(m store.TeamMember) teamMember {
		return teamMember{m.ID, m.Name, m.Email, m.Disabled}
	})}
}

type adminTeams struct {
	Teams []adminTeam `json:"teams" doc:"by name"`
}

func (c *call) listTeams() (adminTeams, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	if err := q.bad.asError(); err != nil {
		return adminTeams{}, err
	}
	all, err := c.Workflow.Teams(c.r.Context(), c.by, of)
	return adminTeams{convertAll(all, adminTeamOf)}, err
}

// teamChanged is a team after a change.
type teamChanged struct {
	Team adminTeam `json:"team"`
}

type newTeamIn struct {
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Name         phrase `json:"name" required:"true" example:"Legal"`
}

type teamNameIn struct {
	Name phrase `json:"name" required:"true" example:"Legal"`
}

func teamParam() *huma.Param {
	return &huma.Param{Name: "team_id", In: "path", Required: true, Description: "UUID of a team.", Schema: textSchema(), Example: "3b0f6a52-4f0e-4d35-9f0b-0e7f6d3c2b1a"}
}

func (c *call) pathTeamID() contract.TeamID { return parseTeamID(c.r.PathValue("team_id")) }

func (c *call) addTeam(in *newTeamIn) (done[teamChanged], error) {
	var bad problems
	of, name := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad))), in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return done[teamChanged]{}, err
	}
	return runOperation(c, func(ctx context.Context) (store.Team, error) {
		return c.Workflow.AddTeam(ctx, c.by, of, name)
	}, func(t store.Team) done[teamChanged] {
		return doneAnswer(c, "done.team_added", teamChanged{adminTeamOf(t)})
	})
}

// changedTeam answers a change of a team.
func (c *call) changedTeam(msg string, t store.Team, err error) (done[teamChanged], error) {
	if err != nil {
		return done[teamChanged]{}, err
	}
	return doneAnswer(c, msg, teamChanged{adminTeamOf(t)}), nil
}

func (c *call) renameTeam(in *teamNameIn) (done[teamChanged], error) {
	var bad problems
	name := in.Name.checkedValue("name", &bad)
	if err := bad.asError(); err != nil {
		return done[teamChanged]{}, err
	}
	t, err := c.Workflow.RenameTeam(c.r.Context(), c.by, c.pathTeamID(), name)
	return c.changedTeam("done.team_renamed", t, err)
}

func (c *call) deleteTeam() (done[teamChanged], error) {
	t, err := c.Workflow.DeleteTeam(c.r.Context(), c.by, c.pathTeamID())
	return c.changedTeam("done.team_deleted", t, err)
}

func (c *call) addTeamMember() (done[teamChanged], error) {
	t, err := c.Workflow.AddTeamMember(c.r.Context(), c.by, c.pathTeamID(), c.pathPerson())
	return c.changedTeam("done.team_member_added", t, err)
}

func (c *call) removeTeamMember() (done[teamChanged], error) {
	t, err := c.Workflow.RemoveTeamMember(c.r.Context(), c.by, c.pathTeamID(), c.pathPerson())
	return c.changedTeam("done.team_member_removed", t, err)
}
