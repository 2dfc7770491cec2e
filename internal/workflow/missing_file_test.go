package workflow_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
	"segel/internal/store/storetest/pgtest"
	"segel/internal/workflow"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// onBoth runs a test in a harness on both databases.
func onBoth(t *testing.T, test func(*testing.T, *harness)) {
	t.Parallel()
	for name, dsn := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { return storetest.SQLite(t, sqlstore.Migrate) },
		"PostgreSQL": func(t testing.TB) string { return pgtest.Database(t, sqlstore.Migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newHarnessOn(t, dsn(t)))
		})
	}
}

// lose removes a blob from the store and returns a function that restores it.
func (h *harness) lose(key string) (restore func()) {
	h.t.Helper()
	ctx := context.Background()
	b, err := h.Blobs.Open(ctx, blob.Key(key))
	if err != nil {
		h.t.Fatal(err)
	}
	defer b.Close()
	content, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.Blobs.Remove(ctx, blob.Key(key)); err != nil {
		h.t.Fatal(err)
	}
	return func() {
		h.t.Helper()
		blobtest.CommitBlob(h.t, h.Blobs, blob.Key(key), content)
	}
}

// attempts returns the attempts of a document from the store.
func (h *harness) attempts(id contract.DocumentID) (all []contract.Attempt) {
	h.t.Helper()
	if err := h.store.EachAttempt(context.Background(), store.AttemptQuery{Document: id}, func(a contract.Attempt) bool {
		all = append(all, a)
		return true
	}); err != nil {
		h.t.Fatal(err)
	}
	return all
}

// TestStampWaitsForALostFileSaysSoOnceAndGoesOnWhenItIsBack removes the base or the last tail of a document, before a
// serial is ordered or after one is bound.
func TestStampWaitsForALostFileSaysSoOnceAndGoesOnWhenItIsBack(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		admin := h.owner
		admin.Admin = true
		for _, bound := range []bool{false, true} {
			for _, last := range []bool{false, true} {
				id := h.draft(false, 1)
				if bound {
					h.office.busy = 1
					_ = h.Stamp(ctx, id)
				}
				d := h.read(id)
				lost := d.Revisions[0]
				if last {
					lost = d.Current()
				}
				restore := h.lose(lost.Tail.Key)
				calls, events, attempts := h.office.calls, h.events(id), len(h.attempts(id))
				var version int64
				for i := range 3 {
					var later *contract.Later
					if err := h.Stamp(ctx, id); !errors.As(err, &later) {
						t.Fatalf("bound %v, last %v: %v", bound, last, err)
					}
					d := h.read(id)
					if d.State != contract.Processing || d.Stamps[0].Problem != string(contract.ProblemStampFileMissing) || !d.Stamps[0].AttemptedAt.IsZero() || i > 0 && d.Version != version {
						t.Errorf("bound %v, last %v, version %d after %d: %s, %+v", bound, last, d.Version, version, d.State, d.Stamps[0])
					}
					version = d.Version
				}
				if c, e, a := h.office.calls-calls, h.events(id)-events, len(h.attempts(id))-attempts; c+e+a != 0 {
					t.Errorf("bound %v, last %v: %d more calls, %d more events, %d more attempts", bound, last, c, e, a)
				}
				h.later(workflow.StillFor)
				waiting, err := h.Waiting(ctx, admin, store.WaitingQuery{Limit: 10})
				if err != nil || len(waiting.Lines) != 1 || waiting.Lines[0].Document.ID != id {
					t.Errorf("bound %v, last %v: %+v are stuck, %v", bound, last, waiting.Lines, err)
				}
				restore()
				if _, err := h.Retry(ctx, admin, id); err != nil {
					t.Error(err)
				}
				h.work(id)
				if d := h.read(id); d.State != contract.Completed || d.Stamps[0].Problem != "" {
					t.Errorf("bound %v, last %v: %s, %+v", bound, last, d.State, d.Stamps[0])
				}
			}
		}
		h.even("in the end")
	})
}

// TestAttemptThatFindsItsFileLostIsClosedAsWhatItIs checks the outcome of such an attempt: one that this run opened was
// not made; the result of one that an earlier run left open is unknown.
func TestAttemptThatFindsItsFileLostIsClosedAsWhatItIs(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		for _, crash := range []bool{false, true} {
			id := h.draft(false, 1)
			var restore func()
			lose := func() {
				h.store.committed = nil
				restore = h.lose(h.read(id).Revisions[0].Tail.Key)
				h.later(time.Minute) // the run checks the file again
			}
			if crash {
				h.store.fail(2, false) // the commit that binds the serial
				if err := h.Stamp(ctx, id); !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				lose()
			} else {
				h.store.committed = lose // the order
			}
			var later *contract.Later
			if err := h.Stamp(ctx, id); !errors.As(err, &later) {
				t.Fatal(err)
			}
			want := contract.OutcomeNotCalled
			if crash {
				want = contract.OutcomeUnanswered
			}
			all := h.attempts(id)
			if last := all[len(all)-1]; last.Outcome != want || last.AnsweredAt.IsZero() {
				t.Errorf("after a crash %v: %+v", crash, last)
			}
			restore()
			h.work(id)
		}
		h.even("in the end")
	})
}

func TestClosingThatWaitsForALostFileSaysSo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	id := h.draft(false, 1)
	h.stamp(id)
	d := h.read(id)
	for _, r := range d.Revisions {
		restore := h.lose(r.Tail.Key)
		if err := h.Complete(ctx, id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("without the tail at %d: %v", r.Begin, err)
		}
		if d := h.read(id); d.State != contract.Processing || d.Reason != "closing.file_missing" {
			t.Errorf("without the tail at %d: %s, %q", r.Begin, d.State, d.Reason)
		}
		restore()
	}
	h.work(id)
	if d := h.read(id); d.State != contract.Completed || d.Reason != "" {
		t.Errorf("%s, %q", d.State, d.Reason)
	}
}
