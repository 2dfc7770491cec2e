package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
	"segel/internal/workflow"
)

// settled requires a completed document with that many stamps, each with its own serial from the office, and that no
// more units were spent or serials bought.
func (h *harness) settled(name string, id contract.DocumentID, stamps int, spentBefore, takenBefore int) {
	h.t.Helper()
	d := h.read(id)
	if d.State != contract.Completed {
		h.t.Errorf("%s: the document is %s", name, d.State)
	}
	serials := d.Serials()
	seen := map[string]bool{}
	for _, s := range serials {
		if !h.office.taken[s] || seen[s] {
			h.t.Errorf("%s: serial %s was not taken for this stamp", name, s)
		}
		seen[s] = true
	}
	if len(serials) != stamps {
		h.t.Errorf("%s: %d serials, want %d", name, len(serials), stamps)
	}
	if n := len(h.office.taken) - takenBefore; n != stamps {
		h.t.Errorf("%s: the office gave out %d serials for %d stamps", name, n, stamps)
	}
	h.even(name)
	h.whole(name)
	q := h.quota()[contract.UnitStamp]
	if q.Spent-spentBefore != stamps || q.Reserved != 0 {
		h.t.Errorf("%s: %d units spent for %d stamps, %d still reserved", name, q.Spent-spentBefore, stamps, q.Reserved)
	}
}

// even requires that the records agree when nothing is in progress: every serial from the office is in the register;
// the affixed ones are exactly those on the stamps; every attempt was answered; units are spent for affixed or lost
// serials, and reserved only for stamps that are still owed.
func (h *harness) even(name string) {
	h.t.Helper()
	ctx := context.Background()
	issued, err := h.office.ListSerials(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	used := map[contract.DocumentID][]string{}
	affixed, lost := 0, 0
	for _, s := range issued {
		known, err := h.store.Serial(ctx, s.Serial)
		if err != nil {
			h.t.Errorf("%s: the office gave %s: %v", name, s.Serial, err)
			continue
		}
		switch known.State {
		case contract.SerialAffixed:
			affixed++
			used[known.Document] = append(used[known.Document], s.Serial)
		case contract.SerialQuarantined:
			if known.Document == 0 {
				lost++
			}
		}
	}
	reserved := 0
	for id := contract.DocumentID(1); ; id++ {
		d, err := h.store.Document(ctx, id)
		if err != nil {
			break
		}
		got := d.Serials()
		slices.Sort(got)
		slices.Sort(used[id])
		if !slices.Equal(got, used[id]) {
			h.t.Errorf("%s: document %d has %v, the register says %v", name, id, got, used[id])
		}
		if !d.State.IsFinal() {
			reserved += len(d.Stamps) - len(got)
		}
	}
	if q := h.quota()[contract.UnitStamp]; q.Spent != affixed+lost || q.Reserved != reserved {
		h.t.Errorf("%s: %d units spent for %d affixed and %d lost, %d reserved for %d owed", name, q.Spent, affixed, lost, q.Reserved, reserved)
	}
	err = h.store.EachAttempt(ctx, store.AttemptQuery{Open: true}, func(a contract.Attempt) bool {
		h.t.Errorf("%s: attempt %d on document %d is open", name, a.Number, a.Document)
		return true
	})
	if err != nil {
		h.t.Error(err)
	}
}

// whole requires that every file is present and unchanged.
func (h *harness) whole(name string) {
	h.t.Helper()
	err := h.CheckFiles(context.Background(), workflow.FsckOptions{}, noLog{}, func(d store.Discrepancy) {
		if d.Severity == store.SeverityEvidence {
			h.t.Errorf("%s: %s", name, d)
		}
	})
	if err != nil {
		h.t.Error(err)
	}
}

func (h *harness) quota() map[contract.Unit]struct{ Reserved, Spent int } {
	h.t.Helper()
	q, err := h.store.Quota(context.Background(), h.owner.Organisation)
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[contract.Unit]struct{ Reserved, Spent int }{}
	for u, n := range q {
		out[u] = struct{ Reserved, Spent int }{n.Reserved, n.Spent}
	}
	return out
}

func TestCrashAtEveryCommitOfAStampingOrderSpendsOneSerialAStamp(t *testing.T) {
	if testing.Short() {
		t.Skip("long and sequential: not for the race detector")
	}
	t.Parallel()
	h := newHarness(t)
	const stamps, commits = 2, 6 // three for the first stamp, two for the next, and the completion
	for n := 1; n <= commits; n++ {
		for _, after := range []bool{false, true} {
			name := fmt.Sprintf("commit %d fails, durable %v", n, after)
			spent, taken := h.quota()[contract.UnitStamp].Spent, len(h.office.taken)
			id := h.draft(false, stamps)
			h.store.fail(n, after)
			h.work(id)
			h.settled(name, id, stamps, spent, taken)
		}
	}
	h.store.fail(0, false)
	if err := h.store.CheckLog(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestLostAnswerOfTheOfficeDoesNotBuyTwice(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for _, lose := range []*bool{&h.office.loseTake, &h.office.loseStamp} {
		spent, taken := h.quota()[contract.UnitStamp].Spent, len(h.office.taken)
		id := h.draft(false, 2)
		*lose = true
		err := h.Stamp(context.Background(), id)
		var later *contract.Later
		if !errors.As(err, &later) || later.After <= 0 {
			t.Errorf("a lost answer must ask for a retry: %v", err)
		}
		if d := h.read(id); d.State != contract.Processing {
			t.Errorf("after a lost answer the document is %s", d.State)
		}
		h.work(id)
		h.settled("lost answer", id, 2, spent, taken)
	}
}

func TestRefusalForGoodFailsTheDocumentAndRestampKeepsTheSerial(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(false, 1)
	h.office.refuse = &emeterai.Problem{Class: emeterai.Permanent, Code: "82", Text: "the file cannot be parsed"}
	if err := h.Stamp(context.Background(), id); err != nil {
		t.Fatalf("a final refusal must end the job: %v", err)
	}
	d := h.read(id)
	if d.State != contract.Failed || d.Reason != "stamp.office_refused: the file cannot be parsed" {
		t.Fatalf("%s: %s", d.State, d.Reason)
	}
	serial := d.Stamps[0].Serial
	h.office.refuse = nil
	if _, err := h.Restamp(context.Background(), h.owner, id, false); err != nil {
		t.Fatal(err)
	}
	h.work(id)
	h.settled("restamp", id, 1, 0, 0)
	if d = h.read(id); d.Serials()[0] != serial {
		t.Errorf("restamped with %s, was %s", d.Serials()[0], serial)
	}
}

func TestOfficeThatStaysDownIsAskedLessAndLessOften(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(false, 1)
	h.office.refuse = &emeterai.Problem{Class: emeterai.Transient, Code: "94", Text: "busy"}
	var last time.Duration
	for range 10 {
		var later *contract.Later
		if err := h.Stamp(context.Background(), id); !errors.As(err, &later) || later.After < last {
			t.Fatalf("after %s: %v", last, err)
		}
		last = later.After
	}
	if last != 5*time.Minute {
		t.Errorf("after ten failures the next call is in %s", last)
	}
	h.office.refuse = &emeterai.Problem{Class: emeterai.Transient, Code: "94", Text: "busy", After: time.Hour}
	var later *contract.Later
	if err := h.Stamp(context.Background(), id); !errors.As(err, &later) || later.After != time.Hour {
		t.Errorf("the office asked for an hour: %v", err)
	}
}

func TestSigningAgainRepairsACrashAtEitherCommitOfASignature(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	for n := 1; n <= 2; n++ {
		for _, after := range []bool{false, true} {
			id := h.draft(true, 0)
			h.store.fail(n, after)
			_, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{})
			if !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			_, err = h.Sign(ctx, h.signer, id, workflow.SignRequest{})
			if durable := n == 2 && after; durable != errors.Is(err, contract.ErrSigned) {
				t.Errorf("commit %d failed, durable %v: signing again answers %v", n, after, err)
			}
			h.work(id)
			d := h.read(id)
			signatures := 0
			for _, r := range d.Revisions {
				if r.Kind == contract.RevisionSignature {
					signatures++
				}
			}
			if d.State != contract.Completed || signatures != 1 {
				t.Errorf("commit %d failed, durable %v: %s with %d signatures", n, after, d.State, signatures)
			}
		}
	}
	if q := h.quota()[contract.UnitSignature]; q.Spent != 4 || q.Reserved != 0 {
		t.Errorf("four documents, %d signatures spent, %d reserved", q.Spent, q.Reserved)
	}
}

func TestWithoutTrustedTimeNothingIsSigned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(true, 0)
	before := h.read(id)
	h.clock.down = true
	_, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{})
	var refusal *contract.Error
	if !errors.As(err, &refusal) || refusal.Kind != contract.Unavailable || !refusal.Retryable {
		t.Fatalf("%v", err)
	}
	if d := h.read(id); len(d.Revisions) != len(before.Revisions) || d.InTurn(h.signer.ID) != true {
		t.Errorf("something was appended: %d revisions", len(d.Revisions))
	}
	h.clock.down = false
	if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
		t.Fatal(err)
	}
	h.clock.down = true
	if err := h.Complete(ctx, id); err == nil {
		t.Error("closed without trusted time")
	}
	if d := h.read(id); d.State != contract.Processing || d.Reason != "closing.timestamp" {
		t.Errorf("an outage left processing for %s, and says %q", d.State, d.Reason)
	}
	h.clock.down = false
	h.work(id)
	if d := h.read(id); d.State != contract.Completed || d.Reason != "" {
		t.Errorf("the document is %s %q", d.State, d.Reason)
	}
}

func TestRefusedCommitLeavesNoBytesBehindAndAnUncertainOneKeepsThem(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	blobs := func() (n int) {
		for _, err := range h.Blobs.List(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	id := h.draftOf(true, 0)
	before := blobs()
	h.store.refuse = contract.ErrQuota
	if _, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{}); !errors.Is(err, contract.ErrQuota) {
		t.Fatal(err)
	}
	if n := blobs(); n != before {
		t.Errorf("%d more blobs after a refusal", n-before)
	}
	h.store.refuse = nil
	h.store.fail(1, false)
	if _, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{}); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	if n := blobs(); n != before+1 {
		t.Errorf("%d more blobs after a commit with an unknown result", n-before)
	}
}
