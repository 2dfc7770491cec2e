package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func join(t *testing.T, dir string) *Folder {
	t.Helper()
	p, err := JoinFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Leave(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestANameIsTakenOverOnlyAfterItsProcessEnded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "places")
	a, b := join(t, dir), join(t, dir)
	if a.Name() == b.Name() {
		t.Fatalf("two living processes have the name %s", a.Name())
	}
	if err := a.Leave(); err != nil {
		t.Fatal(err)
	}
	if c := join(t, dir); c.Name() != a.Name() {
		t.Errorf("the next process has the name %s, want %s, whose process ended", c.Name(), a.Name())
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("%d files for two processes: %v", len(all), err)
	}
}

func TestOnlyAProcessThatEndedIsSaidToHaveEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := join(t, dir), join(t, dir)
	never := func() error { t.Error("do was called for a living process"); return nil }
	for _, name := range []string{a.Name(), b.Name(), "of-another-machine", "../" + b.Name(), ""} {
		if ended, err := a.IfEnded(t.Context(), name, never); ended || err != nil {
			t.Errorf("%q: %v, %v", name, ended, err)
		}
	}
	if err := b.Leave(); err != nil {
		t.Fatal(err)
	}
	trouble := errors.New("trouble")
	ended, err := a.IfEnded(t.Context(), b.Name(), func() error {
		if c := join(t, dir); c.Name() == b.Name() {
			t.Error("the name was taken while do ran")
		}
		return trouble
	})
	if !ended || !errors.Is(err, trouble) {
		t.Errorf("%v, %v", ended, err)
	}
	if c := join(t, dir); c.Name() != b.Name() {
		t.Error("the name is not free afterwards")
	}
}

func TestNameInAFolderThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	gone := filepath.Join(t.TempDir(), "gone")
	// Nil without an error would make Join try names without end.
	if p, err := lockName(gone, "name", os.O_CREATE); p != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := lockName(gone, "name", 0); p != nil || err != nil {
		t.Errorf("without O_CREATE: %v, %v", p, err)
	}
}
