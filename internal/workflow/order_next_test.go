package workflow_test

import (
	"context"
	"testing"

	"segel/internal/contract"
)

func TestStampBehindAnotherTakesTwoCommits(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for stamps, want := range map[int]int{1: 3, 2: 5, 4: 9} {
		id := h.draft(false, stamps)
		h.store.fail(0, false) // count commits from here
		if err := h.Stamp(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		d := h.read(id)
		if got := -h.store.in; got != want || d.NextStamp() >= 0 {
			t.Errorf("%d commits for %d stamps, want %d", got, stamps, want)
		}
	}
}

func TestFreeSerialsAreClaimedForEveryStampBeforeOneIsOrdered(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const free = 2
	var refused []contract.DocumentID
	for range free {
		refused = append(refused, h.refusedDocument())
	}
	for _, id := range refused { // afterwards, because the next document would claim a serial that the first one releases
		h.restamp(id, true)
	}
	taken := len(h.office.taken)
	id := h.draft(false, free+1)
	h.stamp(id)
	if d := h.read(id); d.NextStamp() >= 0 || len(h.office.taken) != taken+1 {
		t.Errorf("%d serials bought for %d stamps with %d free: %+v", len(h.office.taken)-taken, free+1, free, d.Stamps)
	}
	for i, s := range h.read(id).Stamps {
		if bought := s.Order != ""; bought != (i == free) {
			t.Errorf("stamp %d has order %q", i, s.Order)
		}
	}
}
