package contract

import (
	"fmt"
	"slices"
	"time"
)

// ErrNotEnded refuses to copy a document that has not ended: its owner changes the draft, or cancels it first.
var ErrNotEnded = Refuse(Conflict, "document.not_ended")

// CheckCopyable refuses to copy a document for an actor who is not its owner, and one that has not ended.
func (d *Document) CheckCopyable(by Actor) error {
	if err := d.Authorise(by, OpCopy); err != nil {
		return err
	}
	if !d.State.IsFinal() {
		return ErrNotEnded
	}
	return nil
}

// CopiedFile is the file of a copy, which was stored and examined like an upload.
type CopiedFile struct {
	Participants []Participant // those of the copied document in the same order; a guest has a new identifier, one who is left out has none
	// Personal is how those are reached who take the place of another participant of the copied document; see [FilledPlaceholder].
	Personal map[PersonID]PersonalDelivery
	Original Revision // the uploaded bytes, stored again
	Entropy  [16]byte // randomness of the document's name

	Team TeamID // of the actor, with which the draft or template is shared from the start; empty: none

	// PDF is the file that people sign, stored again, and what is known about it. It is nil for a Word document that was
	// not converted, which is converted now. For other Word documents it is the PDF of the former conversion, and for all
	// others Base is the Original.
	PDF *ExaminedPDF
}

// ExaminedPDF is a PDF that was examined like an upload.
type ExaminedPDF struct {
	Base     Revision
	Pages    int
	Findings []Finding
}

// people returns the participants of the copy.
func (f *CopiedFile) people() []Participant {
	return slices.DeleteFunc(slices.Clone(f.Participants), func(p Participant) bool { return p.ID == "" })
}

// Copy makes a draft of an ended document: the file as it was uploaded, without signatures, stamps or seal, its people
// and their boxes. Nothing that a person did is copied, and no serial of a stamp. A deadline that has passed is left out.
func Copy(d *Document, f CopiedFile, by Actor, l Limits, now time.Time) (Change, error) {
	if err := d.CheckCopyable(by); err != nil {
		return Change{}, err
	}
	c, err := d.copyAsDraft(f, d.Title, by, l, now)
	if err != nil {
		return Change{}, err
	}
	c.Events[0].Details["copy_of"] = fmt.Sprint(d.ID)
	if d.IsSharedWith(by) {
		c.After.Team = d.Team
	}
	if d.ExpiresAt.After(now) {
		c.After.ExpiresAt = d.ExpiresAt
	}
	return c, nil
}

// copyAsDraft makes a draft of the file, the settings, the people and the boxes of a document, without its deadline. It belongs to the actor.
func (d *Document) copyAsDraft(f CopiedFile, title string, by Actor, l Limits, now time.Time) (Change, error) {
	var bad fieldErrors
	stamps := 0
	for _, p := range d.Placements {
		if p.Kind == PlaceStamp {
			stamps++
		}
	}
	if len(d.Placements) > l.Placements {
		bad.add("signers", "placements.too_many", "limit", l.Placements)
	}
	if stamps > l.Stamps {
		bad.add("signers", "stamps.too_many", "limit", l.Stamps)
	}
	if err := bad.asError(); err != nil {
		return Change{}, err
	}
	u := Upload{
		Title: title, Filename: d.Filename, Parallel: d.Parallel, Participants: f.people(), Delivery: d.copyDelivery(f.Participants),
		Base: f.Original, Word: d.IsWord(), Entropy: f.Entropy, Team: f.Team, Test: d.Test, // what a test key made never gets value
	}
	for id, how := range f.Personal {
		u.Delivery.Languages[id], u.Delivery.Channels[id] = how.Language, how.Channel
	}
	if f.PDF != nil && !u.Word {
		u.Pages, u.Findings = f.PDF.Pages, f.PDF.Findings
	}
	c, err := Create(u, by, l, now)
	if err != nil {
		return Change{}, err
	}
	if f.PDF != nil && u.Word {
		converted, _, err := Convert(&c.After, f.PDF.Base, f.PDF.Pages, f.PDF.Findings, d.Conversion.Warnings, l, now)
		if err != nil {
			return Change{}, err
		}
		c.After, c.Events, c.Jobs = converted.After, append(c.Events, converted.Events...), nil
	}
	c.After.Placements = copyPlacements(d, f.Participants, &c.After)
	c.After.holdBoxes(&c.After)
	return c, nil
}

// copyPlacements returns the boxes of a document for its copy, whose participants are given in the order of the
// document's. A box that its person may no longer have is left out.
func copyPlacements(d *Document, participants []Participant, copied *Document) []Placement {
	people := map[PersonID]PersonID{d.Owner.ID: copied.Owner.ID}
	for i, p := range d.Participants {
		people[p.ID] = participants[i].ID
		if people[p.ID] != "" || p.Group == 0 {
			continue
		}
		// The others of the group have the box of a member who is left out.
		if other := slices.IndexFunc(participants, func(o Participant) bool { return o.ID != "" && o.Group == p.Group }); other >= 0 {
			people[p.ID] = participants[other].ID
		}
	}
	placements := slices.Clone(d.Placements)
	for i := range placements {
		placements[i].Person = people[placements[i].Person]
	}
	return slices.DeleteFunc(placements, func(p Placement) bool { return !p.isAllowedFor(copied, copied.Participant(p.Person)) })
}

// copyDelivery returns how the people of a copy are reached. They are in the same order as those of the document.
func (d *Document) copyDelivery(people []Participant) Delivery {
	to := d.Delivery
	to.Languages = map[PersonID]string{d.Owner.ID: d.Delivery.Languages[d.Owner.ID]}
	to.Channels = map[PersonID]Channel{}
	for i, p := range d.Participants[:min(len(d.Participants), len(people))] {
		if people[i].ID == "" || people[i].Placeholder {
			continue
		}
		to.Languages[people[i].ID] = d.Delivery.Languages[p.ID]
		to.Channels[people[i].ID] = d.Delivery.Channels[p.ID]
	}
	return to
}
