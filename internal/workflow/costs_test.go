package workflow_test

import (
	"context"
	"fmt"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// TestADocumentCostsFewStatementsAndRoundTrips holds what a document with one guest costs, without the job queue's own statements,
// once the seal has its credential. More is a loss for everyone who waits for a database behind a network.
func TestADocumentCostsFewStatementsAndRoundTrips(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		s := h.store.Store
		var d contract.Document
		steps := []struct {
			name               string
			run                func() error
			statements         int64 // at most, on SQLite
			onPostgreSQL       int64 // the same on PostgreSQL, with those that begin and end transactions
			roundTrips         int64 // at most, on PostgreSQL
			reading, committed int64 // transactions
		}{
			{"upload", func() error {
				st, err := h.Stage(ctx, "")
				if err != nil {
					return err
				}
				defer st.Abort()
				if _, err := st.Write(pdftest.Table(1)); err != nil {
					return err
				}
				d, err = h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st, People: []workflow.PersonRequest{
					{Role: contract.Signer, Number: 1, Guest: true, Name: "Budi", Email: "tamu@example.test"},
				}})
				return err
			}, 13, 17, 3, 1, 1}, // each step makes sure that its files were not collected (decision 0089)
			{"finalize", func() error { _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); return err }, 16, 23, 3, 1, 1}, // one of them orders notices (decision 0051), and on PostgreSQL each commit notifies other nodes (decision 0095)
			{"sign", func() error {
				_, err := h.Sign(ctx, contract.Actor{Person: d.Participants[0].Person, Guest: d.ID}, d.ID, workflow.SignRequest{})
				return err
			}, 19, 28, 5, 1, 2},
			{"complete", func() error { return h.Complete(ctx, d.ID) }, 14, 21, 4, 2, 1}, // one of them orders notices
		}
		for _, first := range []bool{true, false} { // the first makes the credential of the seal
			for _, step := range steps {
				before := s.Counts()
				if err := step.run(); err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}
				after := s.Counts()
				statements, trips := after.Statements-before.Statements, after.RoundTrips-before.RoundTrips
				reads, writes := after.Reads-before.Reads, after.Writes-before.Writes
				t.Logf("%s: %d statements, %d round trips, %d transactions that read, %d that write", step.name, statements, trips, reads, writes)
				if first {
					continue
				}
				most := step.onPostgreSQL
				if trips == 0 {
					most = step.statements
				}
				if statements > most || trips > step.roundTrips || reads > step.reading || writes > step.committed {
					t.Errorf("%s: %d statements, %d round trips, %d transactions that read, %d that write; want at most %d, %d, %d, %d", step.name,
						statements, trips, reads, writes, most, step.roundTrips, step.reading, step.committed)
				}
			}
		}
	})
}

// TestMorePeopleCostNoMoreStatements compares a document of one guest with one of several, with a signature of each on the page.
func TestMorePeopleCostNoMoreStatements(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		statements := func(people int) (counts [3]int64) {
			st, err := h.Stage(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			defer st.Abort()
			if _, err := st.Write(pdftest.Table(1)); err != nil {
				t.Fatal(err)
			}
			r := workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st, Parallel: true}
			for i := range people {
				r.People = append(r.People, workflow.PersonRequest{Role: contract.Signer, Number: 1, Guest: true, Name: "Budi", Email: fmt.Sprintf("tamu-%d@example.test", i)})
			}
			var d contract.Document
			for i, step := range []func() error{
				func() (err error) { d, err = h.Upload(ctx, h.owner, r); return err },
				func() error {
					var places []contract.PlaceRequest
					for i, p := range d.Participants {
						x := float64(50 + 60*i)
						places = append(places, contract.PlaceRequest{Kind: contract.PlaceSignature, Page: 1, Person: p.ID, Sign: &contract.Box{LLX: x, LLY: 50, URX: x + 50, URY: 90}})
					}
					_, err := h.Place(ctx, h.owner, d.ID, 0, places)
					return err
				},
				func() error { _, err := h.Finalize(ctx, h.owner, d.ID, contract.FinalizeOptions{}); return err },
			} {
				before := h.store.Counts().Statements
				if err := step(); err != nil {
					t.Fatalf("%d people, step %d: %v", people, i, err)
				}
				counts[i] = h.store.Counts().Statements - before
			}
			return counts
		}
		statements(1) // fills the caches
		one, several := statements(1), statements(5)
		t.Logf("upload, places, finalize: %d statements for one guest, %d for five", one, several)
		if several != one {
			t.Errorf("upload, places, finalize: %d statements for five guests, want %d as for one", several, one)
		}
	})
}

// TestSigningManyDocumentsCostsNoMoreThanSigningEach compares statements and round trips, without the job queue's own.
func TestSigningManyDocumentsCostsNoMoreThanSigningEach(t *testing.T) {
	onBoth(t, func(t *testing.T, h *harness) {
		ctx := context.Background()
		const documents = 4
		sign := func(id contract.DocumentID) {
			if _, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{}); err != nil {
				t.Fatal(err)
			}
		}
		sign(h.draft(true, 0)) // makes the credential of the signer
		var each, many []contract.DocumentID
		for range documents {
			each, many = append(each, h.draft(true, 0)), append(many, h.draft(true, 0))
		}
		before := h.store.Counts()
		for _, id := range each {
			sign(id)
		}
		between := h.store.Counts()
		r := workflow.SignManyRequest{}
		for _, id := range many {
			d := h.read(id)
			item := contract.ConsentItem{Document: id, Digest: d.Current().Digest}
			r.Documents, r.Consented = append(r.Documents, workflow.DocumentToSign{ConsentItem: item}), append(r.Consented, item)
		}
		started := h.store.Counts()
		results, err := h.SignMany(ctx, h.signer, r)
		after := h.store.Counts()
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range results {
			if result.Err != nil {
				t.Error(result.Err)
			}
		}
		statements, trips := between.Statements-before.Statements, between.RoundTrips-before.RoundTrips
		t.Logf("%d documents: %d statements and %d round trips by sign-docs, %d and %d by sign-many-docs", documents, statements, trips,
			after.Statements-started.Statements, after.RoundTrips-started.RoundTrips)
		if after.Statements-started.Statements > statements || after.RoundTrips-started.RoundTrips > trips {
			t.Error("signing them together costs more")
		}
	})
}
