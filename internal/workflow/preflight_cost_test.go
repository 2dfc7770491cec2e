package workflow_test

import (
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
				if err := h.Preflight(b, d, deep); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
