package moving_test

import (
	"context"
	"errors"
	"fmt"
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
	"segel/internal/blob/moving"
)

const mark = "installation of the test"

// folder returns a store in a new folder.
func folder(t testing.TB, name string) (*file.Store, string) {
	t.Helper()
	root := filepath.Join(t.TempDir(), name)
	s, err := file.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s, root
}

// pair is a volume of two folders. The former one is marked.
type pair struct {
	to, from         *file.Store
	toRoot, fromRoot string
	*moving.Volume
}

func newPair(t testing.TB) *pair {
	t.Helper()
	p := &pair{}
	p.to, p.toRoot = folder(t, "to")
	p.from, p.fromRoot = folder(t, "from")
	if err := p.from.SetMark(t.Context(), []byte(mark)); err != nil {
		t.Fatal(err)
	}
	p.Volume = moving.New(p.to, p.from)
	return p
}

// prepared is newPair with the mark in both.
func prepared(t testing.TB) *pair {
	t.Helper()
	p := newPair(t)
	if err := moving.Prepare(t.Context(), p.to, p.from); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *pair) copyAll(t testing.TB, o moving.Options) moving.Progress {
	t.Helper()
	done, err := moving.Copy(t.Context(), p.to, p.from, o)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func read(t testing.TB, s blob.Store, key blob.Key) string {
	t.Helper()
	b, err := s.Open(t.Context(), key)
	if errors.Is(err, blob.ErrNotFound) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	content, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func keys(t testing.TB, s blob.Store) (all []blob.Key) {
	t.Helper()
	for b, err := range s.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Key)
	}
	return all
}

func TestTwoVolumesAreAStore(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blobtest.Subject {
		p := prepared(t)
		return blobtest.Subject{
			Marked: true,
			Open:   func(*testing.T) blob.Store { return p.Volume },
			Crash: func(t *testing.T, _ blob.Store, writers ...blob.Writer) blob.Store {
				for _, w := range writers {
					w.Abort()
				}
				return p.Volume
			},
		}
	})
}

func TestBlobsOfBothVolumesAreReadListedAndRemoved(t *testing.T) {
	t.Parallel()
	p := prepared(t)
	for i := range 6 {
		if i%3 != 0 {
			blobtest.CommitBlob(t, p.from, blobtest.Key(i), []byte(fmt.Sprint("former ", i)))
		}
		if i%3 != 1 {
			blobtest.CommitBlob(t, p.to, blobtest.Key(i), []byte(fmt.Sprint("new ", i)))
		}
	}
	var all []blob.Key
	for i := range 6 {
		all = append(all, blobtest.Key(i))
		want := fmt.Sprint("new ", i)
		if i%3 == 1 {
			want = fmt.Sprint("former ", i)
		}
		if got := read(t, p, blobtest.Key(i)); got != want {
			t.Errorf("blob %d: %q", i, got)
		}
	}
	slices.Sort(all)
	if got := keys(t, p); !slices.Equal(got, all) {
		t.Errorf("listed %v", got)
	}
	w, err := p.Create(t.Context(), blobtest.Key(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); !errors.Is(err, blob.ErrExists) {
		t.Errorf("a key of the former volume: %v", err)
	}
	for i := range 3 {
		if err := p.Remove(t.Context(), blobtest.Key(i)); err != nil {
			t.Fatal(err)
		}
	}
	// What is moved aside, is so where it is.
	at := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	place := p.NewAside(at)
	for i := 3; i < 6; i++ {
		if err := place.Move(t.Context(), blob.Info{Key: blobtest.Key(i)}, "", at); err != nil {
			t.Fatal(err)
		}
	}
	if err := place.Close(); err != nil {
		t.Fatal(err)
	}
	if left := slices.Concat(keys(t, p.to), keys(t, p.from)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for _, c := range []struct {
		root string
		want int
	}{{p.toRoot, 2}, {p.fromRoot, 2}} {
		moved, err := filepath.Glob(filepath.Join(c.root, "aside", "*", "*[0-9a-f]"))
		if err != nil || len(moved) != c.want {
			t.Errorf("aside in %s: %v, %v", c.root, moved, err)
		}
	}
	if n, err := p.PurgeAside(t.Context(), at.Add(time.Hour)); n != 2 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	if err := p.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProcessesThatAreRestartedOneAfterTheOtherReadWhatEachWrites(t *testing.T) {
	t.Parallel()
	p := prepared(t)
	written := 0
	// Each step runs beside the one before.
	steps := []blob.Volume{p.from, moving.NewReading(p.to, p.from), moving.New(p.to, p.from), p.to}
	for i := range steps[1:] {
		if i == 2 {
			p.copyAll(t, moving.Options{}) // when no process writes to the former volume any more
		}
		for j := range 4 {
			blobtest.CommitBlob(t, steps[i+j%2], blobtest.Key(written), []byte("contract"))
			written++
		}
		for n := range written {
			for _, v := range steps[i : i+2] {
				if got := read(t, v, blobtest.Key(n)); got != "contract" {
					t.Errorf("restart %d: blob %d is %q", i+1, n, got)
				}
			}
		}
	}
	w, err := steps[1].Create(t.Context(), blobtest.Key(written-1)) // it is in the new volume alone
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); !errors.Is(err, blob.ErrExists) {
		t.Errorf("a key of the new volume: %v", err)
	}
}

func TestEveryBlobIsCopiedAndComparedAndRepeatingCopiesNothing(t *testing.T) {
	t.Parallel()
	p := prepared(t)
	var bytes int64
	for i := range 30 {
		content := blobtest.Content(byte(i), i*1000)
		blobtest.CommitBlob(t, p.from, blobtest.Key(i), content)
		bytes += int64(len(content))
	}
	blobtest.CommitBlob(t, p.Volume, blobtest.Key(30), []byte("written while the files move"))
	done := p.copyAll(t, moving.Options{})
	if done.Copied != 30 || done.CopiedBytes != bytes || done.New != 1 || done.Compared != 0 || done.Different != nil {
		t.Errorf("first: %+v", done)
	}
	for i := range 30 {
		if read(t, p.to, blobtest.Key(i)) != string(blobtest.Content(byte(i), i*1000)) {
			t.Errorf("blob %d differs", i)
		}
	}
	if done := p.copyAll(t, moving.Options{}); done.Copied != 0 || done.Compared != 30 || done.ComparedBytes != bytes || done.New != 1 {
		t.Errorf("again: %+v", done)
	}
	if done := p.copyAll(t, moving.Options{OnlyMissing: true}); done.Kept != 30 || done.Compared != 0 {
		t.Errorf("only what is missing: %+v", done)
	}
}

func TestACopyThatDiffersIsFoundAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	p := prepared(t)
	for i := range 3 {
		blobtest.CommitBlob(t, p.from, blobtest.Key(i), []byte("contract"))
	}
	blobtest.CommitBlob(t, p.to, blobtest.Key(1), []byte("contrast"))
	blobtest.CommitBlob(t, p.to, blobtest.Key(2), []byte("short"))
	done := p.copyAll(t, moving.Options{})
	slices.Sort(done.Different)
	if want := slices.Sorted(slices.Values([]blob.Key{blobtest.Key(1), blobtest.Key(2)})); !slices.Equal(done.Different, want) || done.Copied != 1 {
		t.Errorf("%+v", done)
	}
	if done := p.copyAll(t, moving.Options{OnlyMissing: true}); len(done.Different) != 1 {
		t.Errorf("another size is seen without reading: %+v", done)
	}
	if read(t, p.to, blobtest.Key(1)) != "contrast" {
		t.Error("it was replaced")
	}
}

// removing is a volume whose blobs a service removes after they were listed, or whose first blob is opened when that ends the run.
type removing struct {
	blob.Volume
	onOpen func(blob.Key) error
}

func (r removing) Open(ctx context.Context, key blob.Key) (blob.Blob, error) {
	if err := r.onOpen(key); err != nil {
		return nil, err
	}
	return r.Volume.Open(ctx, key)
}

func TestABlobThatIsRemovedMeanwhileIsNoError(t *testing.T) {
	t.Parallel()
	p := prepared(t)
	for i := range 3 {
		blobtest.CommitBlob(t, p.from, blobtest.Key(i), []byte("contract"))
	}
	from := removing{p.from, func(key blob.Key) error {
		if key == blobtest.Key(1) {
			return p.Remove(t.Context(), key)
		}
		return nil
	}}
	done, err := moving.Copy(t.Context(), p.to, from, moving.Options{Workers: 1})
	if err != nil || done.Copied != 2 || done.Removed != 1 || len(keys(t, p.to)) != 2 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestARunThatFailsIsRepeatedAndCopiesTheRest(t *testing.T) {
	t.Parallel()
	p := prepared(t)
	for i := range 20 {
		blobtest.CommitBlob(t, p.from, blobtest.Key(i), []byte("contract"))
	}
	down, opened := errors.New("the disk has gone"), 0
	from := removing{p.from, func(blob.Key) error {
		if opened++; opened > 7 {
			return down
		}
		return nil
	}}
	done, err := moving.Copy(t.Context(), p.to, from, moving.Options{Workers: 1})
	if !errors.Is(err, down) || done.Copied != 7 {
		t.Errorf("%+v, %v", done, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := moving.Copy(ctx, p.to, p.from, moving.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if done := p.copyAll(t, moving.Options{}); done.Copied != 13 || done.Compared != 7 {
		t.Errorf("the rest: %+v", done)
	}
}

func TestOnlyVolumesOfOneInstallationAreUsedTogether(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	if _, err := p.Mark(t.Context()); !errors.Is(err, moving.ErrUnprepared) {
		t.Errorf("without a mark: %v", err)
	}
	if err := p.SetMark(t.Context(), []byte("another")); !errors.Is(err, moving.ErrUnprepared) {
		t.Errorf("a mark from elsewhere: %v", err)
	}
	for range 2 { // the second time it is there
		if err := moving.Prepare(t.Context(), p.to, p.from); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := p.Mark(t.Context()); string(got) != mark || err != nil {
		t.Errorf("mark %q, %v", got, err)
	}
	other, _ := folder(t, "other")
	if err := moving.Prepare(t.Context(), p.to, other); !errors.Is(err, blob.ErrNoMark) {
		t.Errorf("from a volume without a mark: %v", err)
	}
	if err := other.SetMark(t.Context(), []byte("another")); err != nil {
		t.Fatal(err)
	}
	if err := moving.Prepare(t.Context(), other, p.from); !errors.Is(err, moving.ErrDifferentMarks) {
		t.Errorf("to a volume of another installation: %v", err)
	}
	if _, err := moving.New(other, p.from).Mark(t.Context()); !errors.Is(err, moving.ErrDifferentMarks) {
		t.Errorf("marks of two installations: %v", err)
	}
	used, root := folder(t, "used")
	blobtest.CommitBlob(t, used, blobtest.Key(1), nil)
	if err := moving.Prepare(t.Context(), used, p.from); err == nil || !strings.Contains(err.Error(), string(blobtest.Key(1))) {
		t.Errorf("to a volume with blobs: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "installation")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was marked: %v", err)
	}
}
