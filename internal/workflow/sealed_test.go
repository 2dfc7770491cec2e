package workflow_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/store"
	"segel/internal/workflow"
	"segel/pades/validate"
	"segel/tsp"
)

// raised requires how often each alarm was raised so far.
func (h *harness) raised(name string, want map[documents.Alarm]int) {
	h.t.Helper()
	if !maps.Equal(h.alarms, want) {
		h.t.Errorf("%s: alarms %v, want %v", name, h.alarms, want)
	}
}

// spoilMidstate changes one bit of the newest revision's midstate.
func (h *harness) spoilMidstate(db *sql.DB, id contract.DocumentID) {
	h.t.Helper()
	d := h.read(id)
	changeRevision(h.t.(*testing.T), db, id, len(d.Revisions)-1, "midstate", flipped(d.Current().Midstate, 20))
}

// TestMidstateThatDoesNotFitIsRebuiltFromTheBytes changes the midstate before each step that continues from it: fields,
// signature, stamp, seal and renewal.
func TestMidstateThatDoesNotFitIsRebuiltFromTheBytes(t *testing.T) {
	onBothWithDatabase(t, func(t *testing.T, h *harness, db *sql.DB) {
		ctx := context.Background()
		id := h.draftOf(true, 2)
		want := map[documents.Alarm]int{}
		step := func(name string, do func() error) {
			t.Helper()
			h.spoilMidstate(db, id)
			if err := do(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want[documents.AlarmMidstate]++
			h.raised(name, want)
		}
		step("finalize", func() error {
			_, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{})
			return err
		})
		step("sign", func() error {
			_, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{})
			return err
		})
		taken := len(h.office.taken)
		step("stamp", func() error { return h.Stamp(ctx, id) })
		if n := len(h.office.taken) - taken; n != 2 {
			t.Errorf("%d serials were bought for two stamps", n)
		}
		step("seal", func() error { return h.Complete(ctx, id) })
		if d := h.read(id); d.State != contract.Completed {
			t.Fatalf("%s, %q", d.State, d.Reason)
		}
		h.valid(id)
		h.later(19*year + 30*24*time.Hour)
		h.another()
		want[documents.AlarmMidstate]++ // the renewal opens the file twice: its first timestamp shows that the authority is another one
		step("renew", func() error {
			renewed, err := h.Renew(ctx, id)
			if err == nil && !renewed {
				err = errors.New("not renewed")
			}
			return err
		})
		h.valid(id)
		h.even("in the end")
	})
}

// TestNothingIsSignedOverBytesThatAreNotThoseRecorded changes the recorded digest of the newest revision before each
// step, so that no bytes match it.
func TestNothingIsSignedOverBytesThatAreNotThoseRecorded(t *testing.T) {
	onBothWithDatabase(t, func(t *testing.T, h *harness, db *sql.DB) {
		ctx := context.Background()
		id := h.draft(true, 1)
		// refused requires that nothing was added, and restores the record.
		refused := func(name string, do func()) {
			t.Helper()
			d := h.read(id)
			last, before := len(d.Revisions)-1, d.Current()
			alarms, calls := h.alarms[documents.AlarmBytes], h.office.calls
			changeRevision(t, db, id, last, "digest", flipped(before.Digest[:], 3))
			do()
			after := h.read(id)
			if len(after.Revisions) != len(d.Revisions) || after.State != contract.Processing || h.office.calls != calls {
				t.Errorf("%s: %d more revisions, %s, %d calls", name, len(after.Revisions)-len(d.Revisions), after.State, h.office.calls-calls)
			}
			if h.alarms[documents.AlarmBytes] == alarms {
				t.Errorf("%s: no alarm", name)
			}
			changeRevision(t, db, id, last, "digest", before.Digest[:])
		}
		refused("sign", func() {
			_, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{})
			var refusal *contract.Error
			if !errors.As(err, &refusal) || refusal.Code != "document.file_changed" || refusal.Kind != contract.Unavailable {
				t.Error(err)
			}
		})
		h.signs(id)
		refused("stamp", func() {
			var later *contract.Later
			if err := h.Stamp(ctx, id); !errors.As(err, &later) {
				t.Error(err)
			}
			if d := h.read(id); d.Stamps[0].Problem != string(contract.ProblemStampFileChanged) {
				t.Errorf("%+v", d.Stamps[0])
			}
		})
		h.stamp(id)
		refused("seal", func() {
			if err := h.Complete(ctx, id); err == nil {
				t.Error("sealed")
			}
			if d := h.read(id); d.Reason != "closing.file_changed" {
				t.Error(d.Reason)
			}
		})
		h.work(id)
		h.valid(id)
		h.even("in the end")
	})
}

// TestSealedFileThatIsInvalidIsNotCommittedAndSealingAloneIsRepeated makes the sealed file invalid with an untrusted
// time-stamp authority.
func TestSealedFileThatIsInvalidIsNotCommittedAndSealingAloneIsRepeated(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(true, 1)
	h.signs(id)
	h.stamp(id)
	before, taken, blobs := h.read(id), len(h.office.taken), h.blobs()
	trusted := h.clock.Timestamper
	h.untrusted()
	for try := 1; try <= 2; try++ {
		if err := h.Complete(ctx, id); err == nil || !strings.Contains(err.Error(), "signature_not_passed") {
			t.Fatalf("try %d: %v", try, err)
		}
		d := h.read(id)
		if d.State != contract.Processing || len(d.Revisions) != len(before.Revisions) || h.blobs() != blobs {
			t.Errorf("try %d: %s with %d revisions, %d more blobs", try, d.State, len(d.Revisions), h.blobs()-blobs)
		}
		if p := contract.ParseProblem(d.Reason); p.Code != contract.ProblemInvalid || !strings.Contains(p.Detail, "signature_not_passed ") || !strings.Contains(p.Detail, "NO_CERTIFICATE_CHAIN_FOUND") {
			t.Errorf("try %d: %s", try, d.Reason)
		}
		h.raised("invalid", map[documents.Alarm]int{documents.AlarmInvalid: try})
	}
	h.later(workflow.StillFor)
	admin := h.owner
	admin.Admin = true
	waiting, err := h.Waiting(ctx, admin, store.WaitingQuery{Limit: 10})
	if err != nil || len(waiting.Lines) != 1 || waiting.Lines[0].Document.Reason != h.read(id).Reason {
		t.Errorf("%+v are stuck, %v", waiting.Lines, err)
	}
	h.clock.Timestamper = trusted
	if err := h.Complete(ctx, id); err != nil {
		t.Fatal(err)
	}
	if d := h.read(id); d.State != contract.Completed || d.Reason != "" || len(h.office.taken) != taken {
		t.Errorf("%s, %q, %d more serials", d.State, d.Reason, len(h.office.taken)-taken)
	}
	h.valid(id)
	h.even("in the end")
}

// inTurn is a time-stamp authority that is replaced by the next one after each answer.
type inTurn struct {
	tsp.Timestamper
	next []tsp.Timestamper
}

func (c *inTurn) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	der, err := c.Timestamper.Timestamp(ctx, digest)
	if len(c.next) > 0 {
		c.Timestamper, c.next = c.next[0], c.next[1:]
	}
	return der, err
}

// TestDocumentTimestampMayBeOfAnotherAuthorityThanTheSeals covers a file without revocation data about that authority:
// its responder is asked.
func TestDocumentTimestampMayBeOfAnotherAuthorityThanTheSeals(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.draft(true, 0)
	h.signs(id)
	seals := h.clock.Timestamper
	h.another()
	h.clock.Timestamper = &inTurn{seals, []tsp.Timestamper{h.clock.Timestamper}}
	h.work(id)
	if d := h.read(id); d.State != contract.Completed {
		t.Fatalf("%s, %q", d.State, d.Reason)
	}
	h.valid(id)
	h.raised("in the end", map[documents.Alarm]int{})
}

func TestRenewalThatWouldBeInvalidIsNotCommitted(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	id := h.closed()
	h.later(19*year + 30*24*time.Hour)
	next := h.untrusted()
	n, blobs := len(h.read(id).Revisions), h.blobs()
	h.renewDue(workflow.Renewed{PutOff: 1})
	if got := len(h.read(id).Revisions); got != n || h.blobs() != blobs {
		t.Errorf("%d revisions and %d blobs were added", got-n, h.blobs()-blobs)
	}
	h.raised("renew", map[documents.Alarm]int{documents.AlarmInvalid: 1})
	h.valid(id)
	h.Trust.Add(validate.ForTime, "next", next.Root())
	h.later(25 * time.Hour)
	h.renewDue(workflow.Renewed{Renewed: 1})
	h.valid(id)
}

// TestChangedBytesAreNotSealed changes one byte of each blob of a document in turn.
func TestChangedBytesAreNotSealed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(true, 1)
	h.signs(id)
	h.stamp(id)
	d := h.read(id)
	for i, r := range d.Revisions {
		spoil := func() { h.Blobs.(*blobtest.Memory).CorruptByte(blob.Key(r.Tail.Key), r.Tail.Size/2) }
		spoil()
		if err := h.Complete(ctx, id); err == nil {
			t.Errorf("revision %d: sealed", i)
		}
		if d := h.read(id); d.State != contract.Processing || d.Reason == "" {
			t.Errorf("revision %d: %s, %q", i, d.State, d.Reason)
		}
		spoil() // undo the change
	}
	h.work(id)
	h.valid(id)
}
