package main

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// fsck requires that number of findings about evidence or derived data. It runs while the service runs.
func fsck(t *testing.T, s *service, want int) {
	t.Helper()
	var out bytes.Buffer
	r := &fsckReport{out: &out, found: map[store.Severity]int{}, started: time.Now(), progress: func(string, ...any) {}}
	err := fsckCommand{PurgeAside: -1, Scratch: t.TempDir()}.runChecks(t.Context(), s.app, r)
	if status := exitStatus(0); err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	if found := r.found[store.SeverityEvidence] + r.found[store.SeverityDerived]; found != want || r.found[store.SeverityUnrecorded] > 0 {
		t.Errorf("%d findings, want %d:\n%s", found, want, &out)
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

// blobFile returns the path of a blob.
func blobFile(s *service, key string) string {
	return filepath.Join(s.conf.DataDir, "blobs", key[:2], key)
}

// blobs lists the stored files, and those that are being written.
func blobs(t *testing.T, s *service) (final, unfinished []string) {
	t.Helper()
	root := filepath.Join(s.conf.DataDir, "blobs")
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since its folder was read
			return nil
		case err != nil || e.IsDir():
			return err
		case filepath.Dir(file) == root: // the mark
		case strings.HasPrefix(file, filepath.Join(root, "aside")):
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
