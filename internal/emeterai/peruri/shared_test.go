package peruri

import (
	"os"
	"path/filepath"
	"testing"

	"segel/internal/emeterai/sandbox"
)

// TestStampsInTurnShareTheFilesThatTheAdapterReads holds the files behind one stamp against those behind the next.
func TestStampsInTurnShareTheFilesThatTheAdapterReads(t *testing.T) {
	t.Parallel()
	b := openTestOffice(t, t.TempDir(), 10, sandbox.Plan{})
	d := b.openDriver(b.driverOptions(Adapter))
	waiting := func() (all []os.FileInfo) {
		entries, err := os.ReadDir(filepath.Join(b.dir, "shared"))
		requireNoError(t, err)
		for _, e := range entries {
			info, err := e.Info()
			requireNoError(t, err)
			if info.Size() > 0 || info.Mode().Perm() != 0o600 {
				t.Errorf("%s of %d bytes, %v", info.Name(), info.Size(), info.Mode())
			}
			all = append(all, info)
		}
		return all
	}
	var before []os.FileInfo
	for _, id := range []string{"a", "b", "c"} {
		if problems, done := b.runOrder(d, id, false); !done {
			t.Fatal(problems)
		}
		now := waiting()
		if len(now) != 2 {
			t.Fatalf("%v wait for another try", now)
		}
		for _, old := range before {
			for _, info := range now {
				if old.Name() == info.Name() {
					t.Errorf("%s has the name it had", info.Name())
				}
			}
			if !os.SameFile(old, now[0]) && !os.SameFile(old, now[1]) {
				t.Errorf("%s was not used again", old.Name())
			}
		}
		before = now
	}
	requireNoError(t, os.Remove(filepath.Join(b.dir, "shared", before[0].Name()))) // as a sweep would
	if problems, done := b.runOrder(d, "d", false); !done || len(waiting()) != 2 {
		t.Errorf("without a file that waited: %v", problems)
	}
	requireNoError(t, d.Close())
	if left := waiting(); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
