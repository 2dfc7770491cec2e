package workflow

import (
	"errors"
	"testing"

	"segel/internal/contract"
)

// StillFor is how long a document makes no progress before it counts as stuck.
const StillFor = stuckAfter

// FoundFor is how long a run relies on bytes that were present.
const FoundFor = recheckAfter

// BoundNames returns the names that a seal of a large form locks.
func BoundNames(names []string) []string { return boundNames(names) }

// Preflight runs the preflight before a serial, for benchmarks of other packages.
func (s *Service) Preflight(b *testing.B, d contract.Document, deep bool) error {
	var f openedFile
	if err := f.openDocument(b.Context(), s, &d); err != nil {
		return err
	}
	return errors.Join(s.preflightStamps(b.Context(), &d, &f, deep), f.close())
}
