package contract

import (
	"slices"
	"strings"
	"time"
)

// A group is some signers or approvers of one document of whom any one acts for all. They share their number, their capacity, and the
// boxes and the signature field of any of them. The first who acts keeps the part, and the others become viewers with the same
// commit, so that everything which asks for signers finds the one who acted.

// Refusals of members of a group for whom another member acted.
var (
	// ErrGroupSigned refuses a member because another one signed for the group.
	ErrGroupSigned = Refuse(Conflict, "document.group_signed")
	// ErrGroupApproved refuses a member because another one approved for the group.
	ErrGroupApproved = Refuse(Conflict, "document.group_approved")
)

// checkGroup refuses a member of a group who cannot share its part. First is the first member; nil: the participant is the first.
func (p Participant) checkGroup(first *Participant, l Limits, where string, bad *fieldErrors) {
	switch {
	case p.Group == 0:
	case p.Group < 0 || p.Group > l.Participants:
		bad.add(where, "group.out_of_range", "limit", l.Participants)
	case p.Role != Signer:
		bad.add(where, "group.viewer")
	case first != nil && (first.Number != p.Number || first.Capacity != p.Capacity):
		bad.add(where, "group.differs")
	}
}

// isReleased reports whether another member acted for the participant's group.
func (p Participant) isReleased() bool { return p.Group != 0 && p.Role == Viewer }

// ActedFor returns the member who acted for the group of a person who did not act and need not any more; nil: there is none.
func (d *Document) ActedFor(id PersonID) *Participant {
	p := d.Participant(id)
	if p == nil || !p.isReleased() {
		return nil
	}
	i := slices.IndexFunc(d.Participants, func(o Participant) bool { return o.Group == p.Group && o.Role == Signer })
	if i < 0 {
		return nil
	}
	return &d.Participants[i]
}

// requireGroupWaits refuses an act of a member for whose group another one acted, and names that one as the member may see them.
func (d *Document) requireGroupWaits(by Actor) error {
	p := d.AsShownTo(by).ActedFor(by.ID)
	switch {
	case p == nil:
		return nil
	case p.MustApprove():
		return ErrGroupApproved.With("name", p.DisplayName())
	}
	return ErrGroupSigned.With("name", p.DisplayName())
}

// GroupOf returns those who have the part of a signer together, in their order: the open members of their group, or the person alone.
// It is empty for a person who has no part.
func (d *Document) GroupOf(id PersonID) []Participant {
	p := d.Participant(id)
	if p == nil || p.Role != Signer {
		return nil
	}
	if p.Group == 0 {
		return []Participant{*p}
	}
	return slices.DeleteFunc(d.Signers(), func(o Participant) bool { return o.Group != p.Group })
}

// Parts returns the signers and approvers by number, and of each group only the one who acted or the first member: one participant for
// each signature or approval that the document needs.
func (d *Document) Parts() []Participant {
	seen := map[int]bool{}
	return slices.DeleteFunc(d.Signers(), func(p Participant) bool {
		again := p.Group != 0 && seen[p.Group]
		seen[p.Group] = true
		return again
	})
}

// signatureParts returns those of the parts that are signatures.
func (d *Document) signatureParts() []Participant {
	return slices.DeleteFunc(d.Parts(), func(p Participant) bool { return !p.MustSign() })
}

// FillsBox reports whether a box for a signature or initials is filled when that person signs: it is theirs, or their group's.
func (d *Document) FillsBox(id PersonID, box Placement) bool {
	return box.Kind != PlaceStamp && slices.ContainsFunc(d.GroupOf(id), func(p Participant) bool { return p.ID == box.Person })
}

// holdBoxes gives the boxes of each group to its first member. Before has the people who had the boxes until now: a box of a member who
// is no longer in the group stays with it.
func (d *Document) holdBoxes(before *Document) {
	holders := map[int]PersonID{}
	for _, p := range d.Parts() {
		if p.Group != 0 {
			holders[p.Group] = p.ID
		}
	}
	for i := range d.Placements {
		at := &d.Placements[i]
		p := d.Participant(at.Person)
		if p == nil || p.Group == 0 {
			if p = before.Participant(at.Person); p == nil || d.Participant(at.Person) != nil {
				continue
			}
		}
		if holder := holders[p.Group]; p.Group != 0 && at.Kind != PlaceStamp && holder != "" {
			at.Person = holder
		}
	}
}

// releaseGroup makes the other members of the group of a person who has just acted viewers, and gives that person the group's boxes. It
// returns the members as details of the event; nil: the person is in no group.
func (c *Change) releaseGroup(id PersonID) []string {
	d := &c.After
	members := d.GroupOf(id)
	if len(members) < 2 {
		return nil
	}
	for i := range d.Placements {
		if d.FillsBox(id, d.Placements[i]) {
			d.Placements[i].Person = id
		}
	}
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.DisplayName()
		if o := d.Participant(m.ID); m.ID != id {
			o.Role, o.Capacity, o.Field, o.IntentAt = Viewer, "", "", time.Time{} // a signature that they began is refused when it is committed
		}
	}
	return []string{"group", strings.Join(names, ", ")}
}
