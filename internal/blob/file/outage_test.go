package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/outage"
)

func TestFolderThatHasGoneIsAnOutageAndNoLostBlob(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "blobs")
	s := openStore(t, root)
	kept, lost := blobtest.Key(1), blobtest.Key(2)
	blobtest.CommitBlob(t, s, kept, []byte("kept"))
	if _, err := s.Open(t.Context(), lost); !errors.Is(err, blob.ErrNotFound) || outage.Of(err) != nil {
		t.Errorf("a blob that is lost: %v", err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for name, away := range map[string]func() (back func() error){
		"the folder is missing": func() func() error {
			must(t, os.Rename(root, root+".away"))
			return func() error { return os.Rename(root+".away", root) }
		},
		"an empty folder is in its place": func() func() error {
			must(t, os.Rename(root, root+".away"))
			must(t, os.Mkdir(root, 0o700))
			return func() error { return errors.Join(os.Remove(root), os.Rename(root+".away", root)) }
		},
		"a file is in its place": func() func() error {
			must(t, os.Rename(root, root+".away"))
			must(t, os.WriteFile(root, nil, 0o600))
			return func() error { return errors.Join(os.Remove(root), os.Rename(root+".away", root)) }
		},
	} {
		back := away()
		_, opened := s.Open(t.Context(), kept)
		_, created := s.Create(t.Context(), blobtest.Key(3))
		_, scratch := s.Scratch()
		for what, err := range map[string]error{"open": opened, "create": created, "scratch": scratch, "remove": s.Remove(t.Context(), kept), "check": s.Check(t.Context())} {
			if e := outage.Of(err); e == nil || e.Part != outage.Blobs || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		must(t, back())
		b, err := s.Open(t.Context(), kept)
		must(t, err)
		must(t, b.Close())
	}
}

func TestWriterWhoseFolderGoesFailsWithAnOutage(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "blobs")
	s := openStore(t, root)
	w, err := s.Create(t.Context(), blobtest.Key(1))
	must(t, err)
	defer w.Abort()
	if _, err := w.Write([]byte("bytes")); err != nil {
		t.Fatal(err)
	}
	must(t, os.RemoveAll(root))
	if err := w.Commit(); outage.Of(err) == nil {
		t.Errorf("%v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
