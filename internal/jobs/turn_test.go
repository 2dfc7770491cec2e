package jobs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"segel/internal/contract"
	"segel/internal/jobs"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
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

// TestABatchDelaysAnotherOrganisationsStampByTheJobsAtWorkOnAllNodes runs two runners that share nothing but the database.
func TestABatchDelaysAnotherOrganisationsStampByTheJobsAtWorkOnAllNodes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	b := newBench(t, dsn)
	other, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Writing})
	b.must(err)
	defer other.Close() //nolint:errcheck // closed after its runner; nothing is lost
	h, goOn := b.handlers(), make(chan struct{})
	h.Stamp = func(_ context.Context, id contract.DocumentID) error {
		b.stamped <- id
		<-goOn
		return nil
	}
	b.order("a", 1000, 300)
	r := b.run(h, jobs.Options{Workers: 1})
	second, err := jobs.Start(t.Context(), other, h, jobs.Options{Workers: 1})
	b.must(err)
	next(t, b.stamped)
	next(t, b.stamped)
	b.order("b", 1, 1)
	goOn <- struct{}{} // of either runner
	if id := next(t, b.stamped); id != 1 {
		t.Errorf("after the first job of the batch came %d, want the other organisation's", id)
	}
	close(goOn)
	b.must(r.Stop(t.Context()))
	b.must(second.Stop(t.Context()))
}

func TestARunnerLeavesJobsThatAreNotItsTasksToOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		h, converted := b.handlers(), make(chan contract.DocumentID, 1)
		h.Convert = func(_ context.Context, id contract.DocumentID) error { converted <- id; return nil }
		b.order("a", 1, 1)
		b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobConvert, Document: 2}))
		r := b.run(h, jobs.Options{Tasks: jobs.Conversions})
		next(t, converted)
		b.must(r.Stop(t.Context()))
		select {
		case id := <-b.stamped:
			t.Errorf("document %d was stamped by a runner for conversions", id)
		default:
		}
		b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobConvert, Document: 3}))
		b.run(h, jobs.Options{Tasks: jobs.AllButConversions})
		next(t, b.stamped)
		select {
		case id := <-converted:
			t.Errorf("document %d was converted by a runner for other jobs", id)
		default:
		}
	})
}

func TestEvidenceCertificatesWaitForOrdersThatWait(t *testing.T) {
	onBoth(t, func(t *testing.T, b *bench) {
		b.order("a", 1, 2)
		b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobEvidence, Document: 7}))
		for _, step := range []struct {
			queue string
			want  int
			why   string
		}{
			{jobs.EvidenceQueue, 0, "while two orders wait"},
			{jobs.DefaultQueue, 1, "the first order"},
			{jobs.EvidenceQueue, 0, "while one order waits"},
			{jobs.DefaultQueue, 1, "the second order"},
			{jobs.EvidenceQueue, 1, "when no order waits"},
		} {
			n, err := jobs.FetchOne(t.Context(), b, step.queue)
			if b.must(err); n != step.want {
				t.Errorf("%s: fetched %d", step.why, n)
			}
		}
		b.order("a", 11, 1)
		b.must(b.Enqueue(t.Context(), contract.Job{Kind: contract.JobEvidence, Document: 8}))
		b.must(jobs.Backdate(t.Context(), b, jobs.EvidenceQueue))
		if n, err := jobs.FetchOne(t.Context(), b, jobs.EvidenceQueue); n != 1 || err != nil {
			t.Errorf("after a long wait: fetched %d, %v", n, err)
		}
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

func TestAJobThatATransactionHoldsDelaysNoOthers(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, sqlstore.Migrate)
	b := newBench(t, dsn)
	b.order("a", 1, 1)
	b.order("b", 11, 1)
	db, err := pgx.Connect(t.Context(), dsn)
	b.must(err)
	defer db.Close(context.Background()) //nolint:errcheck // nothing is written
	// A commit that orders the same job again holds its row, here for as long as its process hangs. It had its turn before.
	_, err = db.Exec(t.Context(), `UPDATE river_job SET priority = 1 WHERE args->>'document' = '1'`)
	b.must(err)
	held, err := db.Begin(t.Context())
	b.must(err)
	_, err = held.Exec(t.Context(), `SELECT id FROM river_job WHERE args->>'document' = '1' FOR UPDATE`)
	b.must(err)
	b.run(b.handlers(), jobs.Options{Workers: 2})
	select {
	case id := <-b.stamped:
		if id != 11 {
			t.Errorf("document %d, whose job is held", id)
		}
	case <-time.After(fetchWait):
		t.Error("nothing is worked off")
	}
	b.must(held.Rollback(t.Context()))
	next(t, b.stamped)
}

// fetchWait is below the limits after which a fetch that waits for a row is given up.
const fetchWait = 4 * time.Second
