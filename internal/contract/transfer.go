package contract

import (
	"slices"
	"time"
)

// ErrNoSuccessor refuses a person to whom documents cannot be transferred: one without an account in the organisation of their owner, whose account is
// disabled, whose role does not include sending documents, or who is the owner.
var ErrNoSuccessor = Refuse(Conflict, "transfer.no_successor")

// Transfer gives a document to another person of its organisation, as an admin decided. It may be in any state. From is the owner from whom it is
// taken; changed is false if it belongs to another person already, so that the transfer of many documents can be repeated after a crash.
//
// What people are asked for does not change: turns, boxes, links and deadlines stay. The former owner keeps their part if they are a participant,
// and loses the document otherwise. A request of the former owner that was begun before is refused by the version of the document.
//
// The document stays in its team only if the next owner is a member. Teams are those of the next owner.
//
// Durable with the commit: the new owner, the lists of both, and the event that names them. The embedded pages of the former owner end with it.
func Transfer(d *Document, from PersonID, to Person, teams []Team, by Actor, now time.Time) (c Change, changed bool, err error) {
	if _, err := by.AuthoriseAdmin(AdminTransfer, d.Organisation); err != nil {
		return Change{}, false, err
	}
	if d.Owner.ID != from {
		return Change{}, false, nil
	}
	if to.ID == from {
		return Change{}, false, ErrNoSuccessor
	}
	c = newChange(d)
	after := &c.After
	after.Owner = to
	if after.Participant(from) == nil {
		// The box of a duty stamp may be the owner's. All other boxes belong to participants.
		for i := range after.Placements {
			if p := &after.Placements[i]; p.Person == from {
				p.Person = to.ID
			}
		}
	}
	after.Delivery.Languages = after.keepLanguages(after.Delivery.Languages)
	former := Team{}
	if d.Team.ID != "" && !slices.ContainsFunc(teams, func(t Team) bool { return t.ID == d.Team.ID }) {
		former, after.Team = d.Team, Team{}
	}
	template := ""
	if d.Template {
		template = "true"
	}
	c.addEvent(EventTransferred, by, now, detailTemplate, template, "from", string(from), "from_name", d.Owner.Name, "from_email", d.Owner.Email,
		"to", string(to.ID), "to_name", to.Name, "to_email", to.Email, "former_team", string(former.ID), "former_team_name", former.Name)
	return c, true, nil
}

// AnnounceTransfer orders the message to the next owner that the documents of another person are theirs. It belongs to the change that transfers the last of
// them: a transfer that is interrupted orders none, and a transfer that goes on or is repeated one in all. An admin who takes the documents
// themselves is not told.
func (c *Change) AnnounceTransfer(by Actor, now time.Time) {
	if c.After.Owner.ID == by.ID {
		return
	}
	name := by.Name
	if by.IsSystem() { // the name of a command
		name = ""
	}
	c.AccountNotices = append(c.AccountNotices, Notice{
		Organisation: c.After.Organisation, Person: c.After.Owner.ID, Kind: NoticeTransferred, By: name, State: NoticeOrdered, OrderedAt: now, DueAt: now,
		Account: AccountFacts{Reference: string(c.Before.Owner.ID)},
	})
}

// CanOwn reports whether documents of an organisation can be transferred to the holder of an account with that role.
func (r AccountRole) CanOwn() bool { return slices.Contains([]AccountRole{RoleSender, RoleAdmin}, r) }
