package main

import (
	"path/filepath"
	"testing"
)

func TestATrialOfAMissingProgramEndsWithAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := openTrial(t.Context(), options{binary: filepath.Join(dir, "missing"), nodes: 1}, dir); err == nil {
		t.Error("it was opened")
	}
}
