package workflow_test

import (
	"context"
	"database/sql"
	"slices"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/workflow"
)

// busyStore calls meanwhile after it has listed all documents.
type busyStore struct {
	*failingStore
	meanwhile func()
}

func (b *busyStore) EachDocument(ctx context.Context, yield func(contract.Document, error) bool) error {
	err := b.failingStore.EachDocument(ctx, yield)
	b.meanwhile()
	return err
}

// noLog is a log without files.
type noLog struct{}

func (noLog) LoggedFile(context.Context, string, string) (live, named bool, err error) {
	return false, false, nil
}

// fsck checks all files and removes those that nothing refers to.
func (h *harness) fsck(report func(store.Discrepancy)) {
	h.t.Helper()
	o := workflow.FsckOptions{SetAside: func(ctx context.Context, b blob.Info, _ string) (bool, error) {
		return true, h.Blobs.Remove(ctx, b.Key)
	}}
	if err := h.CheckFiles(context.Background(), o, noLog{}, report); err != nil {
		h.t.Fatal(err)
	}
}

func TestFsckThatTakesHoursLeavesWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Blobs = &blobtest.Memory{Now: time.Now}
	h.draft(false, 1)
	var id contract.DocumentID
	h.Service.Store = &busyStore{h.store, func() {
		id = h.draft(false, 1)
		h.Clock = func() time.Time { return time.Now().Add(3 * time.Hour) }
	}}
	h.fsck(func(d store.Discrepancy) { t.Error(d) })
	f, err := h.Preview(context.Background(), h.owner, id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
}

// corruptStore is a store whose blobs are all changed.
type corruptStore struct{ blob.Store }

func (c corruptStore) Open(_ context.Context, key blob.Key) (blob.Blob, error) {
	return nil, &blob.CorruptError{Key: key}
}

func TestFsckReportsAChangedFileThatNothingRefersToAndLeavesIt(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	blobs := &blobtest.Memory{Now: time.Now}
	blobtest.CommitBlob(t, blobs, blobtest.Key(1), []byte("left by a crash"))
	h.Blobs = corruptStore{blobs}
	h.Clock = func() time.Time { return time.Now().Add(3 * time.Hour) }
	var found []store.Discrepancy
	h.fsck(func(d store.Discrepancy) { found = append(found, d) })
	if len(found) != 1 || found[0].Severity != store.SeverityLeftover || found[0].About != "file "+string(blobtest.Key(1)) {
		t.Errorf("%+v", found)
	}
	if _, err := blobs.Open(t.Context(), blobtest.Key(1)); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

func TestTheJobOfTheLastStampIsWhatACompletionWaitsFor(t *testing.T) {
	onBothWithDatabase(t, func(t *testing.T, h *harness, db *sql.DB) {
		id := h.draft(true, 1)
		h.signs(id)
		h.insist(func() error { return h.Stamp(context.Background(), id) })
		if d := h.read(id); d.NextJob() != contract.JobComplete {
			t.Fatalf("the document waits for %q", d.NextJob())
		}
		check := func(want ...string) {
			t.Helper()
			var found []string
			c, err := h.store.NewChecker(t.Context(), t.TempDir(), func(d store.Discrepancy) { found = append(found, d.Text) })
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.CheckQueue(t.Context()); err != nil || !slices.Equal(found, want) {
				t.Errorf("%v, %v, want %v", found, err, want)
			}
		}
		check()
		if _, err := db.ExecContext(t.Context(), `DELETE FROM river_job`); err != nil {
			t.Fatal(err)
		}
		check("it waits for the job complete, but the queue has none")
	})
}
