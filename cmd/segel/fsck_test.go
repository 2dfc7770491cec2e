package main

import (
	"io/fs"
	"path/filepath"
	"testing"

	"segel/internal/workflow"
)

// fsck demands that many grave findings.
func fsck(t *testing.T, s *service, grave int) {
	t.Helper()
	found := 0
	err := s.workflow.Fsck(t.Context(), false, func(f workflow.Finding) {
		if f.Grave {
			found++
			t.Log(f.Text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if found != grave {
		t.Errorf("%d grave findings, want %d", found, grave)
	}
}

// firstBlob returns the file of a blob that some document refers to.
func firstBlob(t *testing.T, s *service) string {
	t.Helper()
	var found string
	err := filepath.WalkDir(filepath.Join(s.conf.DataDir, "blobs"), func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := e.Info(); err == nil && !e.IsDir() && info.Size() > 100 && found == "" {
			found = file
		}
		return nil
	})
	if err != nil || found == "" {
		t.Fatal("no blob", err)
	}
	return found
}
