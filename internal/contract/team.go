package contract

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// TeamID is the UUID of a team.
type TeamID string

// Team is people of an organisation who share documents.
type Team struct {
	ID   TeamID
	Name string
}

// Limits on teams. A person is in at most as many as their organisation has, and each request reads them.
const (
	MaxTeams       = 100  // of an organisation
	MaxTeamMembers = 1000 // of a team
)

// Errors of teams.
var (
	// ErrNoTeam refuses a team that does not exist, or with which the caller has nothing to do.
	ErrNoTeam = Refuse(NotFound, "team.not_found")
	// ErrTeamExists refuses a name that another team of the organisation has, in any case of letters.
	ErrTeamExists = Refuse(Conflict, "team.exists")
	// ErrTeamLimit refuses one more team, and ErrTeamFull one more member.
	ErrTeamLimit = Refuse(Conflict, "team.limit").With("limit", MaxTeams)
	ErrTeamFull  = Refuse(Conflict, "team.full").With("limit", MaxTeamMembers)
)

// teamReads are the operations of an owner that every member of the team of a document may use: they show it.
var teamReads = []Operation{OpAuditTrail, OpOriginal}

// teamManages are the operations of an owner that members of the team of a document may use if their role includes sending documents. What is missing stays
// with the owner: they alone decide whose the document is (OpShare) and delete the draft that they made, and what is handed to a person by
// name (OpGuestLink, OpEmbed) is handed to the one who answers for it.
var teamManages = []Operation{OpParticipants, OpDescribe, OpPlace, OpFinalize, OpCancel, OpRemind, OpRestamp, OpRetry, OpGuestRevoke, OpCorrectGuest, OpCopy, OpTemplate, OpUse, OpLabel}

// FindTeam returns the team of the actor with that identifier.
func (by Actor) FindTeam(id TeamID) (Team, bool) {
	i := slices.IndexFunc(by.Teams, func(t Team) bool { return t.ID == id })
	if i < 0 || id == "" {
		return Team{}, false
	}
	return by.Teams[i], true
}

// RequireTeam returns the team of the actor with that identifier, or none if it is empty; ErrNoTeam for one of others.
func (by Actor) RequireTeam(id TeamID) (Team, error) {
	team, isMember := by.FindTeam(id)
	if id != "" && !isMember {
		return Team{}, ErrNoTeam
	}
	return team, nil
}

// IsSharedWith reports whether the actor sees the document as a member of its team, in every state and whatever their part in it. Neither the guest of a
// document nor the person of an embedded page comes as a member.
func (d *Document) IsSharedWith(by Actor) bool {
	if by.Guest != 0 || by.Embed != nil || by.Organisation != d.Organisation {
		return false
	}
	_, isMember := by.FindTeam(d.Team.ID)
	return isMember
}

// IsOpenTo reports whether the actor may see the document, for their part in it or as a member of its team.
func (d *Document) IsOpenTo(by Actor) bool { return d.IsVisibleTo(by.ID) || d.IsSharedWith(by) }

// IsManagedBy reports whether the actor may act for the owner, as a member of the team of the document.
func (d *Document) IsManagedBy(by Actor) bool { return d.IsSharedWith(by) && by.requireSender() == nil }

// ShareWithTeam gives a document to a team of its owner, or takes it out of its team if the identifier is empty. It may be in any state. Changed is
// false if it is there already.
//
// Durable with the commit: the team, its list and that of the former one, and the event. Members of the former team have no access from their next
// request on.
func ShareWithTeam(d *Document, to TeamID, by Actor, now time.Time) (c Change, changed bool, err error) {
	if err := d.Authorise(by, OpShare); err != nil {
		return Change{}, false, err
	}
	team, err := by.RequireTeam(to)
	if err != nil || team.ID == d.Team.ID {
		return Change{}, false, err
	}
	c = newChange(d)
	c.setTeam(team, by, now)
	return c, true, nil
}

// setTeam gives the document to a team, or takes it out of its team if to is empty, and records that in its trail.
func (c *Change) setTeam(to Team, by Actor, now time.Time) {
	former := c.After.Team
	c.After.Team = to
	c.addEvent(EventTeamChanged, by, now, "team", string(to.ID), "team_name", to.Name, "former", string(former.ID), "former_name", former.Name)
}

// CheckTeamName returns a name for a team as it is stored.
func CheckTeamName(name string, l Limits) (string, error) {
	name = CleanText(name)
	switch limit := l.Defaults().Text; {
	case !HasVisibleText(name):
		return "", InvalidInput(NewFieldError("name", "value.required"))
	case utf8.RuneCountInString(name) > limit:
		return "", InvalidInput(NewFieldError("name", "text.too_long", "limit", limit))
	}
	return name, nil
}

// SortTeams sorts teams by name.
func SortTeams(teams []Team) {
	slices.SortFunc(teams, func(a, b Team) int {
		return strings.Compare(strings.ToLower(a.Name)+string(a.ID), strings.ToLower(b.Name)+string(b.ID))
	})
}
