package contract

import (
	"testing"
	"time"
)

func TestErasedParticipantsLeaveOnlyActs(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC)
	erased, other := Person{ID: "erased", Name: "Siti Rahma", Email: "siti@example.test"}, Person{ID: "other", Name: "Budi", Email: "budi@example.test"}
	document := func(state State, with ...func(*Document)) *Document {
		d := &Document{ID: 7, Owner: Person{ID: "owner"}, State: state, Mode: Signing, FinalizedAt: now,
			Participants: []Participant{{Person: erased, Phone: "+628123", Role: Signer, Number: 1}, {Person: other, Role: Signer, Number: 2}},
			Placements:   []Placement{{Person: erased.ID}, {Person: other.ID}},
			Revisions:    []Revision{{Kind: RevisionBase}},
		}
		for _, w := range with {
			w(d)
		}
		return d
	}
	signed := func(d *Document) { d.Participants[1].SignedAt = now }
	for name, c := range map[string]struct {
		d             *Document
		erased, stays bool
	}{
		"a draft":                                {document(Draft), true, false},
		"canceled before anybody signed":         {document(Canceled), true, true},
		"expired before anybody signed":          {document(Expired), true, true},
		"declined":                               {document(Rejected), false, true},
		"in progress":                            {document(Processing), false, true},
		"failed, and may be tried again":         {document(Failed), false, true},
		"completed":                              {document(Completed, signed), false, true},
		"canceled after another person signed":   {document(Canceled, signed), false, true},
		"canceled after a signature was begun":   {document(Canceled, func(d *Document) { d.Participants[0].IntentAt = now }), false, true},
		"canceled after a part was passed on":    {document(Canceled, func(d *Document) { d.Delegations = []Delegation{{From: other.ID, To: "third"}} }), false, true},
		"canceled, with a signature in the file": {document(Canceled, func(d *Document) { d.Revisions = append(d.Revisions, Revision{Kind: RevisionSignature}) }), false, true},
	} {
		change, changed := EraseParticipant(c.d, erased.ID, now)
		if changed != c.erased {
			t.Errorf("%s: erased is %v", name, changed)
			continue
		}
		if !changed {
			continue
		}
		after := change.After
		p := after.Participant(erased.ID)
		switch {
		case c.stays && (p == nil || p.Name != ErasedName || p.Email != "" || p.Phone != "" || len(after.Placements) != 2):
			t.Errorf("%s: the person is %+v", name, p)
		case !c.stays && (p != nil || len(after.Placements) != 1):
			t.Errorf("%s: the draft still has %+v and %v", name, p, after.Placements)
		case after.Participant(other.ID).Name != other.Name:
			t.Errorf("%s: another person changed", name)
		case len(change.Events) != 1 || change.Events[0].Person != (Person{}) || change.Events[0].Details["person"] != string(erased.ID):
			t.Errorf("%s: events %+v", name, change.Events)
		}
		if _, again := EraseParticipant(&after, erased.ID, now); again {
			t.Errorf("%s: erased twice", name)
		}
	}
	grouped := document(Draft, func(d *Document) {
		d.Participants[0].Group, d.Participants[1].Group, d.Participants[1].Number, d.Placements = 1, 1, 1, []Placement{{Kind: PlaceSignature, Person: erased.ID}}
	})
	if c, changed := EraseParticipant(grouped, erased.ID, now); !changed || len(c.After.Placements) != 1 || c.After.Placements[0].Person != other.ID {
		t.Errorf("the box of a group is lost with the member who held it: %+v", c.After.Placements)
	}
	named := document(Canceled, func(d *Document) { d.Participants[0].Name = ErasedName })
	if c, changed := EraseParticipant(named, erased.ID, now); !changed || !c.After.Participant(erased.ID).IsErased() {
		t.Error("a person who was entered with the name of erased people is not erased")
	}
	for name, c := range map[string]struct {
		d    *Document
		want bool
	}{
		"a draft":           {document(Draft, func(d *Document) { d.FinalizedAt = time.Time{} }), true},
		"an expired draft":  {document(Expired, func(d *Document) { d.FinalizedAt = time.Time{} }), true},
		"one that was sent": {document(Canceled), false},
		"of another person": {document(Draft, func(d *Document) { d.FinalizedAt, d.Owner.ID = time.Time{}, "other" }), false},
	} {
		if change, changed := EraseDraft(c.d, "owner", now); changed != c.want || changed && !change.Delete {
			t.Errorf("%s of the erased person: deleted is %v", name, changed)
		}
	}
}
