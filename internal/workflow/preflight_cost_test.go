package workflow_test

import (
	"errors"
	"fmt"
	"testing"

	"segel/internal/workflow"
)

// BenchmarkPreflight measures the preflight before the first serial of a document with one signature, and before the
// later ones.
func BenchmarkPreflight(b *testing.B) {
	h := newHarness(b)
	id := h.draft(true, 1)
	if _, err := h.Sign(b.Context(), h.signer, id, workflow.SignRequest{}); err != nil {
		b.Fatal(err)
	}
	d := h.read(id)
	for _, deep := range []bool{true, false} {
		b.Run(fmt.Sprintf("deep=%t", deep), func(b *testing.B) {
			for b.Loop() {
				f, err := h.OpenFile(b.Context(), d.Revisions)
				if err != nil {
					b.Fatal(err)
				}
				if err := errors.Join(h.PreflightStamps(b.Context(), &d, f, deep), f.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
