package workflow

import (
	"testing"

	"segel/internal/contract"
)

// Preflight lets benchmarks outside ask what is asked before a serial.
func (s *Service) Preflight(b *testing.B, d contract.Document, deep bool) error {
	return s.preflight(b.Context(), &d, deep)
}
