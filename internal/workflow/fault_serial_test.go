package workflow_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/store"
)

var errRefused = &emeterai.Problem{Class: emeterai.Refused, Code: "82", Text: "the file cannot be parsed"}

// insist repeats an operation until it does not crash. An error of done means that the operation was already carried
// out.
func (h *harness) insist(do func() error, done ...error) {
	h.t.Helper()
	for range 5 {
		err := do()
		var later *contract.Later
		if errors.Is(err, errCrash) || errors.As(err, &later) {
			continue
		}
		for _, e := range done {
			if errors.Is(err, e) {
				return
			}
		}
		if err != nil {
			h.t.Fatal(err)
		}
		return
	}
	h.t.Fatal("the operation keeps crashing")
}

func (h *harness) stamp(id contract.DocumentID) {
	h.t.Helper()
	h.insist(func() error { return h.Stamp(context.Background(), id) })
}

func (h *harness) restamp(id contract.DocumentID, newSerial bool) {
	h.t.Helper()
	h.insist(func() error {
		_, err := h.Restamp(context.Background(), h.owner, id, newSerial)
		return err
	}, contract.ErrNotFailed)
}

// calmDraft returns a document with that many stamps, finalized without the planned crash.
func (h *harness) calmDraft(stamps int) contract.DocumentID {
	h.t.Helper()
	in := h.store.in
	h.store.in = 0
	defer func() { h.store.in = in }()
	return h.draft(false, stamps)
}

// refusedDocument returns a document whose only stamp the office refused finally.
func (h *harness) refusedDocument() contract.DocumentID {
	h.t.Helper()
	id := h.calmDraft(1)
	h.office.refuse = errRefused
	h.stamp(id)
	h.office.refuse = nil
	if d := h.read(id); d.State != contract.Failed {
		h.t.Fatal(d.State)
	}
	return id
}

// stories are courses that stamping may take. Each ends with completed documents, unless it says otherwise.
var stories = map[string]func(h *harness){
	"all goes well": func(h *harness) { h.work(h.calmDraft(2)) },
	"the answer to a purchase is lost": func(h *harness) {
		h.office.loseTake = true
		h.work(h.calmDraft(2))
	},
	"a stamp is lost on its way": func(h *harness) {
		h.office.loseStamp = true
		h.work(h.calmDraft(2))
	},
	"the office is busy twice": func(h *harness) {
		h.office.busy = 2
		h.work(h.calmDraft(1))
	},
	"refused, and stamped again": func(h *harness) {
		id := h.refusedDocument()
		h.restamp(id, false)
		h.work(id)
	},
	"refused, and stamped with another serial, while the first goes to another document": func(h *harness) {
		id := h.refusedDocument()
		h.restamp(id, true)
		h.work(id)
		h.work(h.calmDraft(1))
	},
	"another place than ordered, and stamped again": func(h *harness) {
		id := h.calmDraft(1)
		h.office.astray = 1
		h.stamp(id)
		if d := h.read(id); d.State == contract.Failed { // otherwise a crash made the office stamp again, and it did so as ordered
			h.restamp(id, false)
		}
		h.work(id)
	},
	"refused, and canceled": func(h *harness) {
		id := h.refusedDocument()
		h.insist(func() error {
			_, err := h.Cancel(context.Background(), h.owner, id, "")
			return err
		}, contract.ErrNotActive)
	},
}

func TestCrashAtEveryCommitOfEveryStoryLeavesTheBooksEven(t *testing.T) {
	if testing.Short() {
		t.Skip("long and sequential: not for the race detector")
	}
	t.Parallel()
	for story, tell := range stories {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			tell(h)
			h.even("without a crash")
			const enough = 100
			h.store.fail(enough, false)
			tell(h)
			commits := enough - h.store.in
			issued := len(h.office.taken)
			h.store.fail(0, false)
			tell(h)
			issued = len(h.office.taken) - issued
			for n := 1; n <= commits; n++ {
				for _, after := range []bool{false, true} {
					name := fmt.Sprintf("commit %d of %d fails, durable %v", n, commits, after)
					before := len(h.office.taken)
					h.store.fail(n, after)
					tell(h)
					h.store.fail(0, false)
					h.even(name)
					if got := len(h.office.taken) - before; got != issued {
						t.Errorf("%s: %d serials were bought, %d without the crash", name, got, issued)
					}
				}
			}
			h.whole("in the end")
			if err := h.store.CheckLog(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOneOfTwoWorkersGetsAFreeSerialAndTheOtherBuys(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	first := h.refusedDocument()
	serial := h.read(first).Stamps[0].Serial
	h.restamp(first, true)
	one, other := h.draft(false, 1), h.draft(false, 1)
	var all sync.WaitGroup
	for _, id := range []contract.DocumentID{one, other} {
		all.Go(func() {
			if err := h.Stamp(context.Background(), id); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	h.work(one)
	h.work(other)
	if a, b := h.serials(one)[0], h.serials(other)[0]; a == b || a != serial && b != serial {
		t.Errorf("%s is free; used were %s and %s", serial, a, b)
	}
	for s := range h.office.taken {
		if h.office.again[s] != (s == serial) {
			t.Errorf("serial %s, of which %s was used before: asked again %v", s, serial, h.office.again[s])
		}
	}
	if n := len(h.office.taken); n != 2 {
		t.Errorf("%d serials were bought for two stamps", n)
	}
	h.work(first)
	if got := h.serials(first)[0]; got == serial || len(h.office.taken) != 3 {
		t.Errorf("the document that released %s has %s", serial, got)
	}
	h.even("all three")
}

func TestDocumentThatLetGoOfASerialBuysAnotherAlthoughItIsFree(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.refusedDocument()
	serial := h.read(id).Stamps[0].Serial
	h.restamp(id, true)
	h.work(id)
	s, err := h.store.Serial(context.Background(), serial)
	if err != nil || s.State != contract.SerialFree || s.FormerDocument != id || h.serials(id)[0] == serial {
		t.Errorf("%+v, %v; the document has %v", s, err, h.serials(id))
	}
	h.even("restamped")
}

// TestASerialOnWhichACallMayStillBeUnderWayIsNotFreeAtOnce has a call end in doubt before the refusal: the office may
// still carry it out, on the file of the document that releases the serial.
func TestASerialOnWhichACallMayStillBeUnderWayIsNotFreeAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	h.InDoubtPeriod = time.Minute
	id := h.draft(false, 1)
	h.office.refuse = &emeterai.Problem{Class: emeterai.Unknown, Text: "no answer"}
	var later *contract.Later
	if err := h.Stamp(ctx, id); !errors.As(err, &later) {
		t.Fatal(err)
	}
	h.office.refuse = errRefused
	h.stamp(id)
	h.office.refuse = nil
	serial := h.read(id).Stamps[0].Serial
	h.restamp(id, true)
	next := h.draft(false, 1)
	h.work(next)
	s, err := h.store.Serial(ctx, serial)
	if err != nil || s.State != contract.SerialBought || s.FormerDocument != id || h.serials(next)[0] == serial {
		t.Errorf("%+v, %v; the next document has %v", s, err, h.serials(next))
	}
	h.later(2 * time.Minute)
	if r := h.reconciled(); r.Unexplained != 0 {
		t.Errorf("%+v", r)
	}
	if s, err = h.store.Serial(ctx, serial); err != nil || s.State != contract.SerialFree {
		t.Errorf("after the doubt has passed: %+v, %v", s, err)
	}
}

func TestFreeSerialThatTheOfficeDoesNotCallUnusedIsSetAside(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.refusedDocument()
	serial := h.read(id).Stamps[0].Serial
	h.restamp(id, true)
	h.office.status = map[string]emeterai.Status{serial: emeterai.Affixed}
	next := h.draft(false, 1)
	h.work(next)
	s, err := h.store.Serial(context.Background(), serial)
	if err != nil || s.State != contract.SerialQuarantined || s.Problem == "" || h.serials(next)[0] == serial {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestFreeSerialThatTheOfficeDoesNotFindIsNotGivenUp has an office that lags: a serial that it does not find today is
// in its list tomorrow. A serial that is quarantined without a document would be lost, with its unit.
func TestFreeSerialThatTheOfficeDoesNotFindIsNotGivenUp(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.refusedDocument()
	serial := h.read(id).Stamps[0].Serial
	h.restamp(id, true)
	next := h.draft(false, 1)
	h.office.statusErr = &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSerial, Text: "the office does not know it"}
	h.stamp(next)
	h.office.statusErr = nil
	s, err := h.store.Serial(ctx, serial)
	if err != nil || s.State != contract.SerialBought || s.Problem == "" || h.read(next).Stamps[0].Serial == serial {
		t.Errorf("%+v, %v", s, err)
	}
	h.later(time.Second)
	h.reconciled()
	if s, err = h.store.Serial(ctx, serial); err != nil || s.State != contract.SerialFree {
		t.Errorf("after the list has it: %+v, %v", s, err)
	}
}

func TestFreeSerialThatCannotBeAffixedFailsNoDocument(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.refusedDocument()
	serial := h.read(id).Stamps[0].Serial
	h.restamp(id, true)
	h.office.unready = &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodePicture, Text: "the picture was lost"}
	next := h.draft(false, 1)
	h.work(next)
	s, err := h.store.Serial(context.Background(), serial)
	if err != nil || s.State != contract.SerialBought || s.FormerDocument != id || s.Problem == "" || h.serials(next)[0] == serial {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestNewSerialIsRefusedUnlessTheOfficeCallsTheOldOneUnused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.refusedDocument()
	serial := h.read(id).Stamps[0].Serial
	for name, c := range map[string]struct {
		set  func()
		want error
	}{
		"affixed":  {func() { h.office.status = map[string]emeterai.Status{serial: emeterai.Affixed} }, contract.ErrSerialUsed},
		"unknown":  {func() { h.office.statusErr = &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSerial} }, contract.ErrSerialUsed},
		"no reply": {func() { h.office.statusErr = errCrash }, contract.ErrOfficeDown},
		"alone":    {func() { h.office.away = emeterai.Availability{Down: true} }, contract.ErrOfficeDown},
	} {
		c.set()
		if _, err := h.Restamp(ctx, h.owner, id, true); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		h.office.status, h.office.statusErr, h.office.away = nil, nil, emeterai.Availability{}
		if d := h.read(id); d.State != contract.Failed || d.Stamps[0].Serial != serial {
			t.Errorf("%s: %s with serial %s", name, d.State, d.Stamps[0].Serial)
		}
	}
	if _, err := h.Restamp(ctx, h.signer, id, true); !errors.Is(err, contract.ErrNotFound) {
		t.Errorf("the signer: %v", err)
	}
	waiting := h.draft(false, 1)
	if _, err := h.Restamp(ctx, h.owner, waiting, true); !errors.Is(err, contract.ErrNotFailed) {
		t.Errorf("a document that did not fail: %v", err)
	}
	h.restamp(id, true)
	h.work(id)
}

func TestQuarantineKeepsTheReturnedFileAsEvidence(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	blobs := &blobtest.Memory{Now: time.Now}
	h.Blobs = blobs
	id := h.draft(false, 1)
	h.office.astray = 2
	h.stamp(id)
	d := h.read(id)
	if d.State != contract.Failed || d.Reason == "" || d.Stamps[0].State != contract.StampQuarantined {
		t.Fatalf("%s %q: %+v", d.State, d.Reason, d.Stamps[0])
	}
	serial := d.Stamps[0].Serial
	known, err := h.store.Serial(ctx, serial)
	if err != nil || known.State != contract.SerialQuarantined || known.Evidence.Size <= d.Current().End || known.Problem != d.Reason {
		t.Fatalf("%+v, %v", known, err)
	}
	h.restamp(id, false) // and misplaced again: both files are stored
	h.stamp(id)
	h.later(48 * time.Hour)
	h.fsck(func(d store.Discrepancy) { t.Error(d) })
	kept := 0
	err = h.store.EachAttempt(ctx, store.AttemptQuery{Serial: serial}, func(a contract.Attempt) bool {
		if a.Evidence.Key != "" {
			kept++
		}
		return true
	})
	if err != nil || kept != 2 {
		t.Errorf("%d files are stored, %v", kept, err)
	}
	admin := h.owner
	admin.Admin = true
	f, err := h.Evidence(ctx, admin, serial)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil || sha256.Sum256(b) != f.Digest || string(b[:5]) != "%PDF-" {
		t.Errorf("%d bytes of evidence, %v", len(b), err)
	}
	otherAdmin := admin
	otherAdmin.Organisation = "another"
	if _, err := h.Evidence(ctx, otherAdmin, serial); !errors.Is(err, contract.ErrNoEvidence) {
		t.Errorf("an admin of another organisation: %v", err)
	}
	if _, err := h.Evidence(ctx, h.owner, serial); !errors.Is(err, contract.ErrNotAllowed) {
		t.Errorf("no admin: %v", err)
	}
	if _, err := h.Evidence(ctx, admin, "NEVER"); !errors.Is(err, contract.ErrNoEvidence) {
		t.Errorf("an unknown serial: %v", err)
	}
	// Affixing the same serial to the same bytes costs nothing, and may succeed.
	h.restamp(id, false)
	h.work(id)
	if got := h.serials(id)[0]; got != serial || len(h.office.taken) != 1 {
		t.Errorf("completed with %s, %d bought", got, len(h.office.taken))
	}
	h.even("in the end")
}

func TestUnitOfAQuarantinedSerialIsSpentWhenItsDocumentIsCanceled(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(false, 2)
	h.office.astray = 1
	h.stamp(id)
	if _, err := h.Cancel(context.Background(), h.owner, id, ""); err != nil {
		t.Fatal(err)
	}
	if q := h.quota()[contract.UnitStamp]; q.Spent != 1 || q.Reserved != 0 {
		t.Errorf("%d spent, %d reserved", q.Spent, q.Reserved)
	}
	h.even("canceled")
}

func TestOfficeThatIsLeftAloneIsNotAskedAndTheReasonIsSaidOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(false, 1)
	for _, state := range []contract.StampState{contract.StampOrdered, contract.StampBound} {
		calls, attempts, events := h.office.calls, h.read(id).Stamps[0].Attempts, h.events(id)
		h.office.away = emeterai.Availability{Down: true, Until: h.now().Add(time.Minute), Reason: "connection refused"}
		var version int64
		for i := range 3 {
			var later *contract.Later
			if err := h.Stamp(ctx, id); !errors.As(err, &later) || later.After < 30*time.Second || later.After > time.Minute {
				t.Fatalf("%v", err)
			}
			d := h.read(id)
			if d.Stamps[0].State != state || d.Stamps[0].Problem != string(contract.ProblemOfficeDown) || i > 0 && d.Version != version {
				t.Fatalf("version %d after %d: %+v", d.Version, version, d.Stamps[0])
			}
			version = d.Version
		}
		if d := h.read(id); h.office.calls != calls || d.Stamps[0].Attempts != attempts || h.events(id) != events || d.State != contract.Processing {
			t.Errorf("%d calls, %d attempts, %d events", h.office.calls-calls, d.Stamps[0].Attempts-attempts, h.events(id)-events)
		}
		h.office.away = emeterai.Availability{}
		h.office.busy = 1
		if state == contract.StampOrdered {
			_ = h.Stamp(ctx, id) // the office is busy, and the serial is bound
		}
	}
	h.work(id)
	h.even("in the end")
	if d := h.read(id); d.Stamps[0].Problem != "" {
		t.Errorf("the stamp still has problem %q", d.Stamps[0].Problem)
	}
}

func TestAttemptThatFindsTheOfficeLeftAloneSaysThatItWasNotAsked(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(false, 1)
	h.office.refuse = &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeNotCalled, Text: "left alone", After: time.Minute}
	var later *contract.Later
	if err := h.Stamp(ctx, id); !errors.As(err, &later) || later.After < 30*time.Second {
		t.Fatal(err)
	}
	var last contract.Attempt
	err := h.store.EachAttempt(ctx, store.AttemptQuery{Document: id}, func(a contract.Attempt) bool { last = a; return true })
	if d := h.read(id); err != nil || last.Outcome != contract.OutcomeNotCalled || d.Stamps[0].Problem != string(contract.ProblemOfficeDown) || d.Stamps[0].Failures != 0 {
		t.Errorf("%+v, %+v, %v", last, d.Stamps[0], err)
	}
	h.office.refuse = nil
	h.work(id)
	h.even("in the end")
}

func (h *harness) events(id contract.DocumentID) int {
	h.t.Helper()
	all, err := h.store.Events(context.Background(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return len(all)
}

func TestSerialOfAnotherDocumentIsNeverUsedTwice(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.work(h.draft(false, 1))
	for serial := range h.office.taken {
		h.office.give = serial
	}
	id := h.draft(false, 1)
	h.stamp(id)
	d := h.read(id)
	if d.State != contract.Failed || d.Reason == "" || d.Stamps[0].Serial != "" {
		t.Errorf("%s %q: %+v", d.State, d.Reason, d.Stamps[0])
	}
	h.even("failed")
	h.office.give = ""
	h.restamp(id, false)
	h.work(id)
	h.even("completed")
}

func (h *harness) serials(id contract.DocumentID) []string {
	h.t.Helper()
	d := h.read(id)
	return d.Serials()
}
