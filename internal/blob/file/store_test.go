package file

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
)

// openStore opens a folder or fails.
func openStore(t testing.TB, root string) *Store {
	t.Helper()
	s, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// listUnfinished returns the names in the folder of unfinished files.
func listUnfinished(t *testing.T, root string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, tmpDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAFolderIsAStore(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB, string) *Store{"as the system can": openStore, "with temporary names": openNaming} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testStore(t, open)
		})
	}
}

// openNaming opens a folder as on a system that cannot make files without a name.
func openNaming(t testing.TB, root string) *Store {
	t.Helper()
	s := openStore(t, root)
	s.unnamed = false
	return s
}

func testStore(t *testing.T, open func(testing.TB, string) *Store) {
	blobtest.Run(t, func(t *testing.T) blobtest.Subject {
		root := filepath.Join(t.TempDir(), "made", "on", "the", "way")
		return blobtest.Subject{
			Open: func(t *testing.T) blob.Store { return open(t, root) },
			Crash: func(t *testing.T, _ blob.Store, writers ...blob.Writer) blob.Store {
				for _, w := range writers {
					killWriter(t, w)
				}
				s := open(t, root)
				if names := listUnfinished(t, root); len(names) != 0 {
					t.Errorf("not swept: %v", names)
				}
				return s
			},
		}
	})
}

// killWriter does what the kernel does to the open file of a dead process.
func killWriter(t *testing.T, w blob.Writer) {
	t.Helper()
	f := w.(*writer)
	if err := f.file.Close(); err != nil {
		t.Fatal(err)
	}
	f.file = nil
}

func TestASecondOpenSparesLivingWriters(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := openNaming(t, root)
	w, err := s.Create(t.Context(), blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	openStore(t, root)
	if _, err := w.Write([]byte("alive")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if names := listUnfinished(t, root); len(names) != 0 {
		t.Errorf("left after commit: %v", names)
	}
}

func TestACrashBetweenLinkAndUnlinkLeavesTheBlob(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	blobtest.CommitBlob(t, openStore(t, root), blobtest.Key(1), []byte("linked"))
	final := openStore(t, root).blobPath(blobtest.Key(1))
	if err := os.Link(final, filepath.Join(root, tmpDir, string(blobtest.Key(1))+".1")); err != nil {
		t.Fatal(err)
	}
	openStore(t, root)
	if names := listUnfinished(t, root); len(names) != 0 {
		t.Errorf("not swept: %v", names)
	}
	if b, err := os.ReadFile(final); err != nil || string(b) != "linked" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestSweepersAndWritersMeetWithoutLoss(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := openNaming(t, root)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 60 {
				if err := s.removeAbandoned(); err != nil {
					t.Errorf("sweep: %v", err)
				}
			}
		})
	}
	for i := range 60 {
		blobtest.CommitBlob(t, s, blobtest.Key(i), []byte("kept"))
	}
	wg.Wait()
}

func TestAFinalFileIsReadOnlyAndItsOwnersAlone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := openNaming(t, root)
	blobtest.CommitBlob(t, s, blobtest.Key(1), []byte("a"))
	info, err := os.Stat(s.blobPath(blobtest.Key(1)))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o400 {
		t.Errorf("mode %v", info.Mode())
	}
	if n := info.Sys().(*syscall.Stat_t).Nlink; n != 1 {
		t.Errorf("%d names", n)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == root {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileWithoutANameBecomesAFinalFileLikeOthers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := openStore(t, root)
	if !s.unnamed {
		t.Skip("the file system cannot make files without a name")
	}
	w, err := s.Create(t.Context(), blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if names := listUnfinished(t, root); len(names) != 0 {
		t.Errorf("while it is written: %v", names)
	}
	if _, err := w.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.blobPath(blobtest.Key(1)))
	if err != nil {
		t.Fatal(err)
	}
	if n := info.Sys().(*syscall.Stat_t).Nlink; info.Mode() != finalMode || n != 1 {
		t.Errorf("mode %v, %d names", info.Mode(), n)
	}
	again, err := s.Create(t.Context(), blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Abort()
	if err := again.Commit(); !errors.Is(err, blob.ErrExists) {
		t.Errorf("a second file of that name: %v", err)
	}
}

func TestOtherFilesInTheFolderAreNoBlobs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := openStore(t, root)
	key := blobtest.Key(1)
	home, elsewhere := filepath.Join(root, string(key[:2])), filepath.Join(root, "00")
	for _, path := range []string{
		filepath.Join(home, "notes.txt"), filepath.Join(home, string(key)+".bak"), filepath.Join(elsewhere, string(key)),
	} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, string(key)), 0o700); err != nil {
		t.Fatal(err)
	}
	for info, err := range s.List(t.Context()) {
		t.Errorf("listed %+v, %v", info, err)
	}
	if _, err := s.Open(t.Context(), key); err == nil {
		t.Error("a directory was opened as a blob")
	}
}

// BenchmarkDownload reads a verified document, and hashes as many bytes for comparison.
func BenchmarkDownload(b *testing.B) {
	s := openStore(b, b.TempDir())
	content := blobtest.Content(1, 64<<20)
	d := blobtest.CommitBlob(b, s, blobtest.Key(1), content)
	b.Run("verified", func(b *testing.B) {
		b.SetBytes(d.Size)
		b.ReportAllocs()
		for b.Loop() {
			st, err := blob.OpenStack(b.Context(), s, []blob.Segment{{Key: blobtest.Key(1), Size: d.Size, Sums: d.ChunkSums}})
			if err != nil {
				b.Fatal(err)
			}
			// As net/http copies it.
			if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, st.VerifiedReader(), make([]byte, 32<<10)); err != nil {
				b.Fatal(err)
			}
			st.Close()
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(d.Size)
		for b.Loop() {
			sha256.Sum256(content)
		}
	})
	b.Run("digester", func(b *testing.B) {
		b.SetBytes(d.Size)
		for b.Loop() {
			if _, err := io.CopyBuffer(blob.NewDigester(), struct{ io.Reader }{bytes.NewReader(content)}, make([]byte, 48<<10)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestAWriterThatIsTooOldCommitsNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir())
	w, err := s.Create(t.Context(), blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.(*writer).begun = time.Now().Add(-blob.WriterLife - time.Minute)
	if err := w.Commit(); !errors.Is(err, blob.ErrTooOld) {
		t.Errorf("commit: %v", err)
	}
	if _, err := s.Open(t.Context(), blobtest.Key(1)); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
}
