package workflow

import (
	"errors"
	"testing"

	"segel/internal/contract"
)

// StillFor is after how long a document without progress stands still.
const StillFor = stuckAfter

// FoundFor is for how long a run takes it that bytes which were there are there.
const FoundFor = recheckAfter

// BoundNames is what of a large form a seal locks.
func BoundNames(names []string) []string { return boundNames(names) }

// Preflight lets benchmarks outside ask what is asked before a serial.
func (s *Service) Preflight(b *testing.B, d contract.Document, deep bool) error {
	var f openedFile
	if err := f.openDocument(b.Context(), s, &d); err != nil {
		return err
	}
	return errors.Join(s.preflightStamps(b.Context(), &d, &f, deep), f.close())
}
