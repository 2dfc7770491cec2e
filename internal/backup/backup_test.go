package backup

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/blob"
	"segel/internal/blob/blobtest"
	"segel/internal/blob/file"
	"segel/internal/contract"
)

// copied is an installation with files in a folder, and a destination beside it.
type copied struct {
	t      *testing.T
	dir    string
	files  blob.Volume
	named  []contract.File
	to     Destination
	commit func(context.Context) error
	again  bool          // compares files that are there
	ahead  time.Duration // of the clock of the next run
}

func newCopied(t *testing.T) *copied {
	c := &copied{t: t, dir: t.TempDir(), commit: func(context.Context) error { return nil }}
	open := func(name string) blob.Volume {
		v, err := file.Open(filepath.Join(c.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	c.files = open("installation")
	c.to = Destination{Files: open("files"), Parts: open("parts"), Manifests: open("backups")}
	return c
}

// add adds a file that the database names.
func (c *copied) add(content string) blob.Key {
	c.t.Helper()
	key := blobtest.Key(len(c.named) + 1)
	w, err := c.files.Create(c.t.Context(), key)
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.named = append(c.named, contract.File{Key: string(key), Size: int64(len(content)), Digest: sha256.Sum256([]byte(content))})
	return key
}

// overwrite changes a stored blob behind the back of its store.
func (c *copied) overwrite(store string, key blob.Key, content string) {
	c.t.Helper()
	name := filepath.Join(c.dir, store, string(key[:2]), string(key))
	if err := os.Remove(name); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o400); err != nil {
		c.t.Fatal(err)
	}
}

func (c *copied) run() (Manifest, Progress, error) {
	slices.SortFunc(c.named, func(a, b contract.File) int { return cmp.Compare(a.Key, b.Key) })
	s := Source{
		Mark: []byte("installation 1"), Stored: c.files, Decrypt: func(v blob.Volume) blob.Volume { return v },
		WriteDatabase: func(_ context.Context, to io.Writer, each func(contract.File) error) (Database, error) {
			if _, err := io.WriteString(to, "rows"); err != nil {
				return Database{}, err
			}
			for _, f := range c.named {
				if err := each(f); err != nil {
					return Database{}, err
				}
			}
			return Database{Kind: "sqlite"}, nil
		},
	}
	return Run(c.t.Context(), c.to, s, Manifest{Installation: "1"}, Options{Dir: c.t.TempDir(), Clock: func() time.Time { return time.Now().Add(c.ahead) }, Random: rand.Reader, Commit: c.commit, Compare: c.again})
}

// mustRun requires a backup with that many files copied, kept and damaged.
func (c *copied) mustRun(copied, kept, damaged int64) Manifest {
	c.t.Helper()
	m, p, err := c.run()
	if err != nil {
		c.t.Fatal(err)
	}
	if p.Copied != copied || p.Kept != kept || p.Damaged != damaged || len(m.Damaged) != int(damaged) {
		c.t.Errorf("%+v, want %d copied, %d kept, %d damaged", p, copied, kept, damaged)
	}
	return m
}

func (c *copied) verify(m Manifest, want ...blob.Key) {
	c.t.Helper()
	found, err := c.to.Verify(c.t.Context(), m, 2, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	var keys []blob.Key
	for _, d := range found {
		keys = append(keys, d.Key)
	}
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		c.t.Errorf("found %v, want %v", found, want)
	}
}

func TestEachFileIsCopiedOnceAndEveryBackupHasAll(t *testing.T) {
	t.Parallel()
	c := newCopied(t)
	for _, content := range []string{"a", "b", strings.Repeat("c", 100_000), ""} {
		c.add(content)
	}
	first := c.mustRun(4, 0, 0)
	c.add("d")
	second := c.mustRun(1, 4, 0)
	if all, err := c.to.List(t.Context()); err != nil || len(all) != 2 || all[0].ID != first.ID || all[1].ID != second.ID || all[1].Files != 5 {
		t.Errorf("%+v, %v", all, err)
	}
	c.verify(first)
	c.verify(second)
	into, err := file.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.to.CopyFiles(t.Context(), second, into, 2, nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.named {
		b, err := into.Open(t.Context(), blob.Key(f.Key))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
		if err != nil || sha256.Sum256(content) != f.Digest {
			t.Errorf("file %s: %v", f.Key, err)
		}
		b.Close()
	}
}

func TestARunThatLostItsHoldIsNoBackupAndTheNextOneGoesOnFromIt(t *testing.T) {
	t.Parallel()
	c := newCopied(t)
	c.add("a")
	lost := errors.New("lost")
	c.commit = func(context.Context) error { return lost }
	if _, _, err := c.run(); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	if _, err := c.to.Find(t.Context(), ""); !errors.Is(err, ErrNoBackup) {
		t.Error(err)
	}
	c.commit = func(context.Context) error { return nil }
	c.verify(c.mustRun(0, 1, 0))
}

func TestADamagedFileIsNamedAndTheRestIsCopied(t *testing.T) {
	t.Parallel()
	c := newCopied(t)
	gone, changed := c.add("a"), c.add("b")
	c.add("c")
	if err := c.files.Remove(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	c.overwrite("installation", changed, "B")
	m := c.mustRun(1, 0, 2)
	if m.Files != 2 {
		t.Errorf("%d files", m.Files)
	}
	c.verify(m) // it has what was there
	c.mustRun(0, 1, 2)
	c.overwrite("installation", changed, "b") // restored
	if m = c.mustRun(1, 1, 1); m.Damaged[0].Key != gone {
		t.Errorf("%+v", m.Damaged)
	}
}

func TestWhatChangedAtTheDestinationIsFoundAndCopiedAgain(t *testing.T) {
	t.Parallel()
	c := newCopied(t)
	key := c.add("a")
	c.add("b")
	m := c.mustRun(2, 0, 0)
	c.overwrite("files", key, "A")
	c.verify(m, key)
	into, err := file.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.to.CopyFiles(t.Context(), m, into, 1, nil); !errors.Is(err, ErrDifferent) {
		t.Errorf("copied from a changed backup: %v", err)
	}
	c.again = true
	c.verify(c.mustRun(1, 1, 0))
	c.overwrite("parts", m.Database.Key, "rovs")
	c.verify(m, m.Database.Key)
}

func TestTheNewestBackupIsTheLastOneAlsoAfterTheClockWasAhead(t *testing.T) {
	t.Parallel()
	c := newCopied(t)
	c.add("a")
	c.ahead = 10 * 365 * 24 * time.Hour
	c.mustRun(1, 0, 0)
	c.ahead = 0
	for range 2 {
		m := c.mustRun(0, 1, 0)
		if newest, err := c.to.Find(t.Context(), ""); err != nil || newest.ID != m.ID || newest.EndedAt.After(time.Now()) {
			t.Errorf("the newest is %s of %s, not %s: %v", newest.ID, newest.EndedAt, m.ID, err)
		}
		if _, err := c.to.Prune(t.Context(), []byte("installation 1"), 1); err != nil {
			t.Fatal(err)
		}
		c.verify(m)
	}
}

func TestPruningRemovesOnlyWhatNoBackupThatStaysHas(t *testing.T) {
	t.Parallel()
	c := newCopied(t)
	old := c.add("a")
	c.add("b")
	c.mustRun(2, 0, 0)
	c.named = slices.DeleteFunc(c.named, func(f contract.File) bool { return f.Key == string(old) })
	kept := blobtest.Key(3)
	w, err := c.files.Create(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	c.named = append(c.named, contract.File{Key: string(kept), Digest: sha256.Sum256(nil)})
	m := c.mustRun(1, 1, 0)
	if _, err := c.to.Prune(t.Context(), []byte("installation 2"), 1); !errors.Is(err, ErrForeign) {
		t.Errorf("pruned for another installation: %v", err)
	}
	if n, err := c.to.Prune(t.Context(), []byte("installation 1"), 1); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	c.verify(m)
	if _, err := c.to.Files.Open(t.Context(), old); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a file of the removed backup: %v", err)
	}
	parts := 0
	for _, err := range c.to.Parts.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		parts++
	}
	if parts != len(m.parts()) {
		t.Errorf("%d parts", parts)
	}
}
