package workflow_test

import (
	"context"
	"testing"
	"time"

	"segel/internal/blob/blobtest"
	"segel/internal/contract"
	"segel/internal/workflow"
)

// busyStore lets something happen when all files it knew were told.
type busyStore struct {
	*failingStore
	meanwhile func()
}

func (b *busyStore) Files(ctx context.Context, yield func(contract.File) bool) error {
	err := b.failingStore.Files(ctx, yield)
	b.meanwhile()
	return err
}

func TestFsckThatTakesHoursLeavesWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Blobs = &blobtest.Memory{Now: time.Now}
	h.draft(false, 1)
	var id contract.DocumentID
	h.Service.Store = &busyStore{h.store, func() {
		id = h.draft(false, 1)
		h.Clock = func() time.Time { return time.Now().Add(3 * time.Hour) }
	}}
	err := h.Fsck(context.Background(), true, func(f workflow.Finding) { t.Error(f.Text) })
	if err != nil {
		t.Fatal(err)
	}
	f, err := h.Preview(context.Background(), h.owner, id)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
}
