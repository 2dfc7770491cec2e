package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"segel/internal/blob"
)

// putBlob writes a blob and returns what the store lists of it.
func putBlob(t *testing.T, s *Store, random byte, content string) blob.Info {
	t.Helper()
	key, err := blob.NewKey(bytes.NewReader(bytes.Repeat([]byte{random}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for b, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if b.Key == key {
			return b
		}
	}
	t.Fatal("the blob is not listed")
	return blob.Info{}
}

func TestABlobThatIsMovedAsideIsInTheManifestAndCanBeMovedBack(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	kept, moved := putBlob(t, s, 1, "kept"), putBlob(t, s, 2, "moved")
	at := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	aside := s.NewAside(at)
	sum := sha256.Sum256([]byte("moved"))
	digest := hex.EncodeToString(sum[:])
	if err := aside.Move(t.Context(), moved, digest, at); err != nil {
		t.Fatal(err)
	}
	if err := aside.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), moved.Key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the blob is still in its place: %v", err)
	}
	listed := 0
	for b, err := range s.List(t.Context()) {
		if err != nil || b.Key != kept.Key {
			t.Errorf("%v is listed, %v", b.Key, err)
		}
		listed++
	}
	if listed != 1 {
		t.Errorf("%d blobs are listed", listed)
	}
	manifest, err := os.ReadFile(filepath.Join(aside.Dir(), manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var line blob.Moved
	if err := json.Unmarshal(manifest, &line); err != nil {
		t.Fatalf("%q: %v", manifest, err)
	}
	if line.Key != moved.Key || line.Size != 5 || line.SHA256 != digest || !line.MovedAt.Equal(at) || !line.Modified.Equal(moved.Modified) {
		t.Errorf("the manifest says %+v", line)
	}
	if err := os.Rename(filepath.Join(aside.Dir(), string(moved.Key)), s.blobPath(moved.Key)); err != nil {
		t.Fatal(err)
	}
	b, err := s.Open(t.Context(), moved.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if content, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size())); err != nil || string(content) != "moved" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestAnAsideOfNothingMakesNoFolder(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	aside := s.NewAside(time.Now())
	if err := aside.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.root, asideDir)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestPurgingRemovesOnlyWhatWasMovedAsideBefore(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	if n, err := s.PurgeAside(t.Context(), time.Now()); n != 0 || err != nil {
		t.Errorf("of nothing: %d, %v", n, err)
	}
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	old, young := s.NewAside(now.AddDate(0, 0, -8)), s.NewAside(now)
	for i, a := range []blob.Aside{old, young} {
		if err := a.Move(t.Context(), putBlob(t, s, byte(i+1), "x"), "", now); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	byHand := filepath.Join(s.root, asideDir, "by-hand")
	if err := os.Mkdir(byHand, 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PurgeAside(t.Context(), now.AddDate(0, 0, -7)); n != 1 || err != nil {
		t.Errorf("%d folders were removed, %v", n, err)
	}
	for dir, there := range map[string]bool{old.Dir(): false, young.Dir(): true, byHand: true} {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) == there {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
