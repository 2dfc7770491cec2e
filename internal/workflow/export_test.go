package workflow

import (
	"testing"

	"segel/internal/contract"
)

// StillFor is after how long a document without progress stands still.
const StillFor = stillFor

// FoundFor is for how long a run takes it that bytes which were there are there.
const FoundFor = foundFor

// BoundNames is what of a large form a seal locks.
func BoundNames(names []string) []string { return boundNames(names) }

// Preflight lets benchmarks outside ask what is asked before a serial.
func (s *Service) Preflight(b *testing.B, d contract.Document, deep bool) error {
	return s.preflight(b.Context(), &d, deep)
}
