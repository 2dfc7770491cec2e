package workflow_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"segel/internal/contract"
)

// countingQueue counts the jobs that are enqueued, by document.
type countingQueue struct {
	*failingStore
	jobs map[contract.DocumentID]int
}

func (q *countingQueue) Enqueue(ctx context.Context, all ...contract.Job) error {
	for _, j := range all {
		if j.Kind == contract.JobConvert {
			q.jobs[j.Document]++
		}
	}
	return q.failingStore.Enqueue(ctx, all...)
}

// TestEveryStuckDocumentIsResumed has more of them than are read at a time: those that wait longest do not hold up the others.
func TestEveryStuckDocumentIsResumed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ids := make([]contract.DocumentID, 101)
	for i := range ids {
		u := contract.Upload{Title: "Uji", Filename: "uji.docx", Word: true}
		binary.BigEndian.PutUint64(u.Entropy[:], uint64(i)+1)
		u.Base = contract.Revision{Tail: contract.File{Key: string(rune('a' + i)), Size: 1, Digest: [32]byte{1}}, End: 1}
		c, err := contract.Create(u, h.owner, contract.Limits{}.Defaults(), h.now())
		if err != nil {
			t.Fatal(err)
		}
		d, err := h.store.Commit(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = d.ID
	}
	q := &countingQueue{failingStore: h.store, jobs: map[contract.DocumentID]int{}}
	h.useStore(q)
	if err := h.Resume(t.Context()); err != nil || len(q.jobs) != 0 {
		t.Errorf("before they are overdue: %v, %v", q.jobs, err)
	}
	h.later(time.Hour)
	if err := h.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if q.jobs[id] != 1 {
			t.Errorf("document %d: %d jobs", id, q.jobs[id])
		}
	}
}
