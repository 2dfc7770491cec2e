package authority

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"segel/internal/credential"
)

// filesOf returns the files of a folder with their modification times.
func filesOf(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	found := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil {
			found[file] = info.ModTime()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAnAuthorityThatIsMissingIsMadeByOpenAlone(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	sealer, err := credential.OpenSealer(filepath.Join(top, "key"))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{PublicURL: "http://test", Clock: time.Now, Sealer: sealer, Ledger: &MemoryLedger{}}
	dir := filepath.Join(top, "a")
	for name, open := range map[string]func(context.Context, Files, Options) (*Authority, error){"OpenExisting": OpenExisting, "Read": Read} {
		if _, err := open(t.Context(), Folder(dir), o); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s made the folder: %v", name, err)
		}
	}
	made, err := Open(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	read, err := Read(t.Context(), Folder(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	if !read.Root().Equal(made.Root()) || len(read.Issuers()) != 3 {
		t.Error("another authority was read")
	}
	for file, at := range filesOf(t, dir) {
		if !before[file].Equal(at) {
			t.Errorf("reading changed %s", file)
		}
	}

	// The issuer for guests is created by callers that may write; for readers it is missing.
	if err := os.Remove(filepath.Join(dir, parts[guestIssuer].file(1))); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), Folder(dir), o); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	if _, err := OpenExisting(t.Context(), Folder(dir), o); err != nil {
		t.Error(err)
	}
	if _, err := Read(t.Context(), Folder(dir), o); err != nil {
		t.Error(err)
	}

	// Reading does not create a successor of a time-stamp authority that is about to expire.
	o.Clock = func() time.Time { return time.Now().AddDate(partYears-1, 0, 0) }
	if _, err := Read(t.Context(), Folder(dir), o); err != nil {
		t.Error(err)
	}
	successor := filepath.Join(dir, parts[timeStamping].file(2))
	if _, err := os.Stat(successor); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made %s: %v", successor, err)
	}
	if _, err := OpenExisting(t.Context(), Folder(dir), o); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(successor); err != nil {
		t.Error(err)
	}
}
