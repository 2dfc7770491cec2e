package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"segel/internal/contract"
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

// referred returns the file of a blob that a document refers to.
func referred(t *testing.T, s *service) string {
	t.Helper()
	var key string
	err := s.store.Files(t.Context(), func(f contract.File) bool { key = f.Key; return false })
	if err != nil || key == "" {
		t.Fatal("no document has a file", err)
	}
	return blobFile(s, key)
}

// blobFile is where a blob is.
func blobFile(s *service, key string) string {
	return filepath.Join(s.conf.DataDir, "blobs", key[:2], key)
}

// blobs lists the files in place, and those that are being written.
func blobs(t *testing.T, s *service) (final, unfinished []string) {
	t.Helper()
	root := filepath.Join(s.conf.DataDir, "blobs")
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since its folder was read
			return nil
		case err != nil || e.IsDir():
			return err
		case filepath.Dir(file) == root: // the mark
		case filepath.Base(filepath.Dir(file)) == "tmp":
			unfinished = append(unfinished, e.Name())
		default:
			final = append(final, e.Name())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return final, unfinished
}
