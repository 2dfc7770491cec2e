package sqlstore

import (
	"slices"
	"sync"
	"testing"

	"segel/internal/contract"
	"segel/internal/store/storetest/pgtest"
)

func TestDocumentsOfSeveralProcessesAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, Migrate)
	first := storeWithDocuments(t, dsn, 1)
	second := openTest(t, dsn)
	upload := func(s *Store, want contract.DocumentID, roundTrips int64) {
		t.Helper()
		var d contract.Document
		got := s.roundTrips(t, func() error { d = s.uploadDocument(t, int(want)); return nil })
		if d.ID != want || got > roundTrips {
			t.Errorf("document %d takes %d round trips, want document %d and at most %d", d.ID, got, want, roundTrips)
		}
	}
	upload(first, 2, 2)
	upload(second, 3, 3)
	upload(first, 4, 5) // it expected 3, and is rolled back
	upload(first, 5, 3) // it expects no number for a while
	upload(second, 6, 5)
	c, err := uploading(7)
	if err != nil {
		t.Fatal(err)
	}
	c.Upload = "of no bytes" // refuses the transaction
	if _, err := first.Commit(t.Context(), c); err == nil {
		t.Fatal("a document was made of no upload")
	}
	for want := contract.DocumentID(7); first.numbers.wait > 0; want++ {
		upload(first, want, 3)
	}
	upload(first, first.numbers.last+1, 2)
}

func TestDocumentsThatAreAddedAtTheSameTimeAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	s := storeWithDocuments(t, pgtest.Database(t, Migrate), 1)
	var mu sync.Mutex
	ids := []contract.DocumentID{1}
	var adding sync.WaitGroup
	for i := range 8 {
		adding.Go(func() {
			for j := range 4 {
				c, err := uploading(100 + 4*i + j)
				if err != nil {
					t.Error(err)
					return
				}
				d, err := s.Commit(t.Context(), c)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ids = append(ids, d.ID)
				mu.Unlock()
			}
		})
	}
	adding.Wait()
	slices.Sort(ids)
	for i, id := range ids {
		if id != contract.DocumentID(i+1) {
			t.Fatalf("the documents have the numbers %v", ids)
		}
	}
	if s.numbers.adding != 0 {
		t.Errorf("%d commits are still counted", s.numbers.adding)
	}
}
