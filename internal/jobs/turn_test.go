package jobs_test

import (
	"context"
	"slices"
	"testing"

	"segel/internal/contract"
	"segel/internal/jobs"
)

// order enqueues stamp jobs of n documents from first on for an organisation.
func (b *bench) order(organisation contract.OrganisationID, first contract.DocumentID, n int) {
	b.t.Helper()
	var all []contract.Job
	for i := range n {
		all = append(all, contract.Job{Kind: contract.JobStamp, Document: first + contract.DocumentID(i), Organisation: organisation})
	}
	b.must(b.Enqueue(b.t.Context(), all...))
}

func TestAnOrganisationWithManyJobsDelaysAnotherByThoseAtWork(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h, goOn := b.handlers(), make(chan struct{})
		h.Stamp = func(_ context.Context, id contract.DocumentID) error {
			b.stamped <- id
			<-goOn
			return nil
		}
		b.order("a", 1000, 300)
		r := b.run(h, jobs.Options{Workers: 1})
		next(t, b.stamped)
		b.order("b", 1, 1)
		b.order("c", 2, 2)
		var got []contract.DocumentID
		for range 5 {
			goOn <- struct{}{}
			got = append(got, next(t, b.stamped))
		}
		if want := []contract.DocumentID{1, 2, 1001, 3, 1002}; !slices.Equal(got, want) {
			t.Errorf("after the first job of the large organisation came %v, want %v", got, want)
		}
		close(goOn)
		b.must(r.Stop(t.Context()))
	})
}

func TestJobsThatWereOrderedByAnEarlierReleaseAreWorkedOff(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h := b.handlers()
		b.order("", 1, 3)
		b.order("a", 11, 3)
		b.run(h, jobs.Options{Workers: 1})
		seen := map[contract.DocumentID]bool{}
		for range 6 {
			seen[next(t, b.stamped)] = true
		}
		if len(seen) != 6 {
			t.Errorf("ran %v", seen)
		}
	})
}
