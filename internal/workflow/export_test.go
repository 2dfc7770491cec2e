package workflow

import (
	"errors"
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
	var f opened
	if err := f.open(b.Context(), s, &d); err != nil {
		return err
	}
	return errors.Join(s.preflight(b.Context(), &d, &f, deep), f.close())
}
