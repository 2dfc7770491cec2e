package contract

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func withCapacity(id string, c Capacity, number int) Participant {
	p := newParticipant(id, c.Role(), number)
	p.Capacity = c
	return p
}

func withPeople(people ...Participant) func(*Upload) {
	return func(u *Upload) { u.Participants = people }
}

func approveAs(t *testing.T, d *Document, by Actor) *Document {
	t.Helper()
	c, err := Approve(d, ShownPages{Digest: d.Current().Digest}, attestationOf(d, by), by, t0)
	return applyChange(t, c, err)
}

func TestAnApproverActsInTurnAndPutsNothingIntoTheFile(t *testing.T) {
	t.Parallel()
	d := newDraft(t, withPeople(withCapacity("first", Approver, 1), newParticipant("second", Signer, 2), withCapacity("user", Approver, 3)))
	d = placeBoxes(t, d, signRequest("second"))
	if _, _, err := Place(d, []PlaceRequest{signRequest("first")}, a4, owner, limits, t0); KindOf(err) != Invalid {
		t.Fatalf("a box of an approver: %v", err)
	}
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	d = applyChange(t, c, err)
	if len(c.Quota) != 1 || c.Quota[0].Count != 1 || d.Participant("first").Field != "" {
		t.Fatalf("an approver costs a signature or has a field: %+v %+v", c.Quota, d.Participants)
	}
	if d.MaySign("first") || !d.MayApprove("first") || d.InTurn("second") {
		t.Fatal("it is the first approver's turn to approve")
	}
	if _, err := IntendSign(d, ShownPages{}, first, t0); !errors.Is(err, ErrApprover) {
		t.Errorf("an approver signs: %v", err)
	}
	if _, err := Approve(d, ShownPages{Digest: d.Current().Digest}, attestationOf(d, second), second, t0); !errors.Is(err, ErrNotApprover) {
		t.Errorf("a signer approves: %v", err)
	}
	if _, err := Approve(d, ShownPages{}, attestationOf(d, first), first, t0); KindOf(err) != Invalid {
		t.Errorf("an approval of an unknown revision: %v", err)
	}
	if _, err := Approve(d, ShownPages{Digest: [32]byte{99}}, attestationOf(d, first), first, t0); !errors.Is(err, ErrStale) {
		t.Errorf("an approval of another revision: %v", err)
	}
	before := d.Current()
	d = approveAs(t, d, first)
	if d.Current().Digest != before.Digest || !d.InTurn("second") || d.HasSigned(*d.Participant("first")) || !d.HasActed(*d.Participant("first")) {
		t.Fatalf("after the approval: %+v", d.Participants)
	}
	if _, err := Approve(d, ShownPages{Digest: d.Current().Digest}, attestationOf(d, first), first, t0); !errors.Is(err, ErrApproved) {
		t.Errorf("a second approval: %v", err)
	}
	if _, err := Reject(d, "no", first, limits, t0); !errors.Is(err, ErrApproved) {
		t.Errorf("declining after the approval: %v", err)
	}
	d = signAs(t, d, second)
	if d.FullySigned() {
		t.Fatal("the last approval is owed")
	}
	c, err = Approve(d, ShownPages{Digest: d.Current().Digest}, attestationOf(d, user), user, t0)
	d = applyChange(t, c, err)
	if !d.FullySigned() || len(c.Jobs) == 0 || c.Jobs[0].Kind != JobComplete {
		t.Fatalf("the last approval orders the completion: %+v", c.Jobs)
	}
	if fields, _ := d.listOwnSignatures(); len(fields) != 2 { // the signer's and the seal's
		t.Errorf("expected signatures: %v", fields)
	}
	if got := d.Counters().Used.Signatures; got != 1 {
		t.Errorf("%d signatures are counted", got)
	}
}

func TestAnApproverDeclinesWithAReason(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t, withPeople(withCapacity("first", Approver, 1), newParticipant("second", Signer, 2))))
	c, err := Reject(d, "terlalu mahal", first, limits, t0)
	if d = applyChange(t, c, err); d.State != Rejected || d.Reason != "terlalu mahal" || d.Counters().Failed.Signatures != 1 {
		t.Fatalf("%s %q %+v", d.State, d.Reason, d.Counters())
	}
}

func TestADocumentOfApproversAlonePutsSomethingIntoItsFileOrIsRefused(t *testing.T) {
	t.Parallel()
	d := newDraft(t, withPeople(withCapacity("first", Approver, 1)))
	if _, _, err := Finalize(d, FinalizeOptions{}, owner, t0); !errors.Is(err, ErrNothingToDo) {
		t.Errorf("approvals alone: %v", err)
	}
	d = placeBoxes(t, d, stampRequest("owner"))
	if _, _, err := Finalize(d, FinalizeOptions{StampOnly: true}, owner, t0); !errors.Is(err, ErrStampOnlyApprovers) {
		t.Errorf("stamps that do not wait for the approver: %v", err)
	}
	d = finalizeDraft(t, d)
	if d.Mode != Signing || d.FullySigned() {
		t.Fatalf("a stamp waits for the approval: %s", d.Mode)
	}
	if d = approveAs(t, d, first); !d.FullySigned() || d.NextStamp() != 0 {
		t.Fatal("the stamp follows the approval")
	}
	own := placeBoxes(t, newDraft(t, withPeople(withCapacity("owner", Approver, 1))), stampRequest("owner"))
	if own = finalizeDraft(t, own); own.Mode != Signing {
		t.Error("an owner who is an approver is asked too")
	}
}

func TestAWitnessSignsAfterTheSignersInParallelToo(t *testing.T) {
	t.Parallel()
	people := withPeople(newParticipant("first", Signer, 1), withCapacity("second", Witness, 2))
	for _, with := range [][]func(*Upload){{people}, {people, inParallel}} {
		d := finalizeDraft(t, newDraft(t, with...))
		if d.InTurn("second") || !d.IsVisibleTo("second") {
			t.Fatal("a witness reads and waits")
		}
		if d = signAs(t, d, first); !d.MaySign("second") {
			t.Fatal("a witness signs after the signer")
		}
		c, err := IntendSign(d, ShownPages{}, second, t0)
		d = applyChange(t, c, err)
		c, err = Sign(d, nextRevision(d, 10), ShownPages{}, attestationOf(d, second), second, t0)
		d = applyChange(t, c, err)
		if c.Events[0].Details["capacity"] != "witness" || !d.FullySigned() {
			t.Errorf("the event: %+v", c.Events[0])
		}
	}
	for _, alone := range [][]Participant{
		{withCapacity("second", Witness, 1)}, {newParticipant("first", Signer, 2), withCapacity("second", Witness, 2)},
		{withCapacity("first", Approver, 1), withCapacity("second", Witness, 2)},
	} {
		if _, _, err := Finalize(newDraft(t, withPeople(alone...)), FinalizeOptions{}, owner, t0); !errors.Is(err, ErrWitnessAlone) {
			t.Errorf("a witness of no signature: %v", err)
		}
	}
}

func TestTheRecipientOfACopySeesNothingBeforeTheCompletion(t *testing.T) {
	t.Parallel()
	d := newDraft(t, withPeople(newParticipant("first", Signer, 1), withCapacity("viewer", Recipient, 1)))
	invited := func(c Change) bool {
		return slices.ContainsFunc(c.Notices, func(n Notice) bool { return n.Person == "viewer" })
	}
	c, _, err := Finalize(d, FinalizeOptions{}, owner, t0)
	if d = applyChange(t, c, err); invited(c) {
		t.Error("invited at the beginning")
	}
	canceled, err := Cancel(d, "", owner, limits, t0)
	if applyChange(t, canceled, err); invited(canceled) {
		t.Error("told of the end of a document that they never saw")
	}
	hidden := func() {
		t.Helper()
		for _, op := range Operations {
			if err := d.Authorise(viewer, op); err != ErrNotFound {
				t.Errorf("%s: %v", op, err)
			}
		}
	}
	hidden()
	d = signAs(t, d, first)
	hidden()
	c, err = Complete(d, []Revision{{Kind: RevisionSeal, Tail: File{Key: "seal", Size: 10}, Begin: d.Current().End, End: d.Current().End + 10, Digest: [32]byte{77}}}, t0.Add(time.Minute))
	if d = applyChange(t, c, err); !invited(c) || d.Authorise(viewer, OpDownload) != nil {
		t.Error("the completed document is sent to them")
	}
}

func TestACapacityBelongsToItsRoleAndMovesWithADelegation(t *testing.T) {
	t.Parallel()
	wrong := newParticipant("first", Viewer, 1)
	wrong.Capacity = Approver
	if _, err := Create(Upload{
		Title: "A", Filename: "a.pdf", Pages: 1, Base: Revision{Kind: RevisionBase, Tail: File{Key: "base", Size: 1}, End: 1, Digest: [32]byte{1}}, Participants: []Participant{wrong},
	}, owner, limits, t0); KindOf(err) != Invalid {
		t.Errorf("a viewer who approves: %v", err)
	}
	d := newDraft(t, withPeople(withCapacity("first", Approver, 1), newParticipant("second", Signer, 2)))
	d.Delivery.Delegation = true
	d = finalizeDraft(t, d)
	c, err := Delegate(d, Participant{Person: newPerson("user")}, "", "", first, limits, t0)
	d = applyChange(t, c, err)
	if !d.MayApprove("user") || d.Participant("first").Capacity != "" || d.Participant("first").Role != Viewer {
		t.Fatalf("%+v", d.Participants)
	}
	approveAs(t, d, user)
}
