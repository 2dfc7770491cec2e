package contract

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// newGroupDraft returns a draft in whose first step any one of three people acts, and in whose second one person signs. The box of the
// group was placed for its second member.
func newGroupDraft(t *testing.T, as Capacity) *Document {
	t.Helper()
	var people []Participant
	for _, id := range []string{"first", "second", "viewer"} {
		p := newParticipant(id, Signer, 1)
		p.Capacity, p.Group = as, 1
		people = append(people, p)
	}
	d := newDraft(t, withPeople(append(people, newParticipant("user", Signer, 2))...))
	if as == Approver {
		return placeBoxes(t, d, signRequest("user"))
	}
	other := signRequest("user")
	other.Page = 1
	return placeBoxes(t, d, signRequest("second"), other)
}

func TestTheFirstSignatureOfAGroupEndsThePartOfTheOthers(t *testing.T) {
	t.Parallel()
	d := newGroupDraft(t, "")
	finalized, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	d = applyChange(t, finalized, err)
	if got := finalized.Quota; len(got) != 1 || got[0].Count != 2 {
		t.Errorf("quota %+v: a group takes one signature", got)
	}
	fields := map[PersonID]string{}
	for _, p := range d.Participants {
		fields[p.ID] = p.Field
		if in := p.ID != "user"; d.InTurn(p.ID) != in || len(d.GroupOf(p.ID)) != map[bool]int{true: 3, false: 1}[in] {
			t.Errorf("%s: in turn %v, with %d", p.ID, d.InTurn(p.ID), len(d.GroupOf(p.ID)))
		}
		if !d.FillsBox(p.ID, d.Placements[0]) == (p.ID != "user") {
			t.Errorf("%s: fills the box of the group: %v", p.ID, d.FillsBox(p.ID, d.Placements[0]))
		}
	}
	if fields["first"] == "" || fields["first"] != fields["second"] || fields["first"] != fields["viewer"] || fields["first"] == fields["user"] {
		t.Errorf("fields %v", fields)
	}
	if got := d.Counters().Used.Signatures; got != 2 {
		t.Errorf("%d signatures used", got)
	}

	after := signAs(t, d, second)
	after.Delivery.HideAddresses = true
	after.Participant("second").Name = second.Email
	if p := after.Participant("second"); p.Role != Signer || p.SignedAt.IsZero() || p.Field != fields["second"] || after.Placements[0].Person != "second" {
		t.Errorf("the signer is %+v, and the box is that of %s", p, after.Placements[0].Person)
	}
	for _, who := range []Actor{first, viewer} {
		p := after.Participant(who.ID)
		if p.Role != Viewer || p.ActsAs() != "viewer" || p.Field != "" || p.Group != 1 || !after.HasActed(*p) || after.HasSigned(*p) || !after.IsVisibleTo(who.ID) || after.FillsBox(who.ID, after.Placements[0]) {
			t.Errorf("%s became %+v", who.ID, p)
		}
		if by := after.ActedFor(who.ID); by == nil || by.ID != "second" {
			t.Errorf("%v acted for %s", by, who.ID)
		}
		_, signs := IntendSign(after, ShownPages{}, who, t0)
		_, declines := Reject(after, "Tidak setuju.", who, limits, t0)
		_, approves := Approve(after, ShownPages{}, Attestation{}, who, t0)
		for what, err := range map[string]error{"sign": signs, "decline": declines, "approve": approves, "delegate": after.CheckDelegate(who, t0)} {
			var refused *Error
			if !errors.As(err, &refused) || !errors.Is(err, ErrGroupSigned) || refused.Kind != Conflict || refused.Args["name"] != MaskAddress(second.Email) {
				t.Errorf("%s: %s: %v", who.ID, what, err)
			}
		}
	}
	if _, changed, err := View(after, first, t0); !changed || err != nil {
		t.Errorf("a member who need not sign any more reads the document: %v, %v", changed, err)
	}
	if got := after.Counters(); got.Used.Signatures != 2 || got.Success.Signatures != 1 {
		t.Errorf("counters %+v", got)
	}
	if !after.InTurn("user") || after.FullySigned() {
		t.Error("the next step has not begun")
	}
	if after = signAs(t, after, user); !after.FullySigned() {
		t.Error("the document waits for the other members")
	}
}

func TestAMemberWhoIsStillReachedGetsNoInvitationAndSeesTheEnd(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newGroupDraft(t, ""))
	d.Delivery.Reminders = Reminders{After: 1}
	c, err := IntendSign(d, ShownPages{}, first, t0)
	d = applyChange(t, c, err)
	c, err = Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, first), first, t0)
	if err != nil {
		t.Fatal(err)
	}
	if e := c.Events[0]; e.Details["group"] != "Name of first, Name of second, Name of viewer" {
		t.Errorf("event %+v", e)
	}
	for _, n := range c.Notices {
		if n.Person != "user" {
			t.Errorf("%s is sent to %s", n.Kind, n.Person)
		}
	}
	if c.After.Needs(Notice{Kind: NoticeReminder, Person: "second"}) || c.After.Needs(Notice{Kind: NoticeInviteSigner, Person: "second"}) {
		t.Error("an invitation to a member who need not sign any more still has a purpose")
	}
	ended, err := Cancel(&c.After, "", owner, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	told := map[PersonID]bool{}
	for _, n := range ended.Notices {
		told[n.Person] = n.Kind == NoticeCanceled
	}
	if !told["first"] || !told["second"] || !told["viewer"] || !told["user"] {
		t.Errorf("told of the end: %v", told)
	}
	if ended.Quota[len(ended.Quota)-1].Count != 1 {
		t.Errorf("quota %+v", ended.Quota)
	}
}

func TestAMemberWhoBeganToSignLosesToTheFirst(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newGroupDraft(t, ""))
	begun, err := IntendSign(d, ShownPages{}, second, t0)
	if err != nil {
		t.Fatal(err)
	}
	after := signAs(t, &begun.After, first)
	if !after.Participant("second").IntentAt.IsZero() {
		t.Error("the intention remains")
	}
	if _, err := Sign(after, nextRevision(after, 10), ShownPages{}, attestationOf(after, second), second, t0); !errors.Is(err, ErrGroupSigned) {
		t.Errorf("the second signature: %v", err)
	}
}

func TestAMemberDeclinesForTheGroup(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newGroupDraft(t, ""))
	c, err := Reject(d, "Tidak setuju.", second, limits, t0)
	if err != nil || c.After.State != Rejected || c.Quota[0].Op != QuotaRelease || c.Quota[0].Count != 2 {
		t.Fatalf("%v, %+v", err, c.Quota)
	}
	if _, err := IntendSign(&c.After, ShownPages{}, first, t0); !errors.Is(err, ErrNotActive) {
		t.Errorf("another member signs: %v", err)
	}
}

func TestTheFirstApprovalOfAGroupEndsThePartOfTheOthers(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newGroupDraft(t, Approver))
	if got := d.Counters().Used.Signatures; got != 1 {
		t.Errorf("%d signatures used", got)
	}
	c, err := Approve(d, ShownPages{Digest: d.Current().Digest}, attestationOf(d, first), first, t0)
	d = applyChange(t, c, err)
	if d.Participant("second").ActsAs() != "viewer" || c.Events[0].Details["group"] == "" || !d.InTurn("user") {
		t.Errorf("%+v", d.Participants)
	}
	_, err = Approve(d, ShownPages{Digest: d.Current().Digest}, Attestation{}, second, t0)
	var refused *Error
	if !errors.As(err, &refused) || !errors.Is(err, ErrGroupApproved) || refused.Args["name"] != "Name of first" {
		t.Errorf("the second approval: %v", err)
	}
}

func TestADelegateTakesThePlaceOfAMember(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newGroupDraft(t, ""))
	d.Delivery.Delegation = true
	c, err := Delegate(d, Participant{Person: Person{ID: "delegate", Name: "Wakil", Email: "wakil@example.test"}, Guest: true}, "", "", first, limits, t0)
	if err != nil {
		t.Fatal(err)
	}
	d = &c.After
	if d.Participant("first").Group != 0 || d.ActedFor("first") != nil || len(d.GroupOf("second")) != 3 || !d.FillsBox("delegate", d.Placements[0]) || d.FillsBox("first", d.Placements[0]) {
		t.Errorf("%+v", d.Participants)
	}
	d = signAs(t, d, second)
	if p := d.Participant("delegate"); p.Role != Viewer || !d.IsVisibleTo("delegate") {
		t.Errorf("the delegate is %+v", p)
	}
	if _, err := IntendSign(d, ShownPages{}, first, t0); !errors.Is(err, ErrNotSigner) {
		t.Errorf("the person who passed their part on signs: %v", err)
	}
}

func TestMembersOfAGroupShareRoleNumberAndBoxes(t *testing.T) {
	t.Parallel()
	for code, people := range map[string][]Participant{
		"group.differs":      {{Person: first.Person, Role: Signer, Number: 1, Group: 1}, {Person: second.Person, Role: Signer, Number: 2, Group: 1}},
		"group.differs ":     {{Person: first.Person, Role: Signer, Number: 1, Group: 1}, {Person: second.Person, Role: Signer, Capacity: Witness, Number: 1, Group: 1}},
		"group.viewer":       {{Person: first.Person, Role: Viewer, Number: 1, Group: 1}},
		"group.out_of_range": {{Person: first.Person, Role: Signer, Number: 1, Group: limits.Participants + 1}},
	} {
		_, err := SetParticipants(newDraft(t), people, nil, nil, owner, limits, t0)
		var refused *Error
		if want := strings.TrimSpace(code); !errors.As(err, &refused) || len(refused.Fields) != 1 || refused.Fields[0].Code != want || refused.Fields[0].Field != map[bool]string{true: "signer[1].group", false: "signer[0].group"}[len(people) == 2] {
			t.Errorf("%s: %v", code, err)
		}
	}
	d := newGroupDraft(t, "")
	if got := d.Placements[0].Person; got != "first" {
		t.Errorf("the box is that of %s", got)
	}
	without := slices.DeleteFunc(slices.Clone(d.Participants), func(p Participant) bool { return p.ID == "first" })
	c, err := SetParticipants(d, without, nil, nil, owner, limits, t0)
	if err != nil || len(c.After.Placements) != 2 || c.After.Placements[0].Person != "second" {
		t.Errorf("%v: the boxes are %+v", err, c.After.Placements)
	}
	half := limits.BoxArea * 6 / 10
	side := func(id PersonID, x float64) PlaceRequest {
		return PlaceRequest{Kind: PlaceSignature, Page: 1, Person: id, Sign: &Box{x, 10, x + 280, 10 + 842*float64(half)/100*595/280}}
	}
	_, _, err = Place(d, []PlaceRequest{side("first", 10), side("second", 300)}, a4, owner, limits, t0)
	var refused *Error
	if !errors.As(err, &refused) || refused.Fields[0].Code != "placement.too_large" {
		t.Errorf("the boxes of a group may cover as much as those of several people: %v", err)
	}
}

func TestACopyHasTheWholeGroupAgain(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newGroupDraft(t, ""))
	d = signAs(t, signAs(t, d, second), user)
	d.State = Completed
	people := make([]Participant, len(d.Participants))
	for i, p := range d.Participants {
		people[i] = Participant{Person: p.Person, Role: Signer, Number: p.Number, Group: p.Group}
	}
	people[1].ID = "" // the account of the member who signed has ended
	c, err := Copy(d, CopiedFile{Participants: people, Original: d.Revisions[0], PDF: &ExaminedPDF{Base: d.Revisions[0], Pages: 1}}, owner, limits, t0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.After.GroupOf("first")) != 2 || len(c.After.Placements) != 2 || c.After.Placements[0].Person != "first" {
		t.Errorf("people %+v, boxes %+v", c.After.Participants, c.After.Placements)
	}
}
