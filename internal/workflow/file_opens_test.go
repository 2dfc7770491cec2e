package workflow_test

import (
	"context"
	"testing"

	"segel/internal/contract"
	"segel/internal/workflow"
	"segel/pdf/pdftest"
)

// TestEachOperationOpensAndParsesTheFileOnce counts how often an operation opens blobs, and how often it reads from them.
// Parsing a file that is opened again reads its end and its cross-reference again. Complete opens each blob twice: the
// check of the sealed file shares nothing with the steps that made it.
func TestEachOperationOpensAndParsesTheFileOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHarness(t)
	blobs := &countingBlobs{Store: h.Blobs}
	h.Blobs = blobs
	var id contract.DocumentID
	for _, step := range []struct {
		name         string
		do           func() error
		opens, reads int // the most that are allowed
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
			d, err := h.Upload(ctx, h.owner, workflow.UploadRequest{Title: "Uji", Filename: "uji.pdf", File: st,
				People: []workflow.PersonRequest{{ID: h.signer.ID, Role: contract.Signer, Number: 1}}})
			id = d.ID
			return err
		}, 1, 2},
		{"place", func() error {
			_, err := h.Place(ctx, h.owner, id, 0, []contract.PlaceRequest{
				{Kind: contract.PlaceStamp, Page: 1, Person: h.owner.ID, Emet: &contract.Box{LLX: 50, LLY: 50, URX: 110, URY: 110}},
			})
			return err
		}, 1, 2},
		{"finalize", func() error {
			_, err := h.Finalize(ctx, h.owner, id, contract.FinalizeOptions{})
			return err
		}, 1, 2},
		{"sign", func() error {
			_, err := h.Sign(ctx, h.signer, id, workflow.SignRequest{})
			return err
		}, 2, 4},
		{"stamp", func() error { return h.Stamp(ctx, id) }, 3, 8},
		{"complete", func() error { return h.Complete(ctx, id) }, 13, 80},
	} {
		opens, reads := blobs.opens, blobs.reads
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if opens, reads := blobs.opens-opens, blobs.reads-reads; opens > step.opens || reads > step.reads {
			t.Errorf("%s: %d opens and %d reads, want at most %d and %d", step.name, opens, reads, step.opens, step.reads)
		}
	}
}
