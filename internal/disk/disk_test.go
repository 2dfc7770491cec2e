package disk

import (
	"errors"
	"os"
	"testing"

	"segel/internal/outage"
)

const mib = 1 << 20

func TestWhatMayBeRefusedLeavesTheReserve(t *testing.T) {
	t.Parallel()
	free := map[string]int64{"data": 700 * mib, "blobs": 700 * mib}
	m := &Monitor{Folders: []string{"data", "blobs"}, Reserve: 512 * mib, Look: func(folder string) (Space, error) {
		return Space{Total: 100 << 30, Free: free[folder]}, nil
	}}
	if err := m.Require(188 * mib); err != nil {
		t.Errorf("all free space above the reserve: %v", err)
	}
	err := m.Require(188*mib + 1)
	if e := outage.Of(err); e == nil || e.Part != outage.Disk || !errors.Is(err, ErrReserve) {
		t.Errorf("one more byte: %v", err)
	}
	for _, c := range []struct {
		free int64
		want State
	}{{512 * mib, Fine}, {512*mib - 1, Low}, {4 * mib, Low}, {4*mib - 1, Full}} {
		free["blobs"] = c.free
		if state, found, err := m.Check(); state != c.want || found == "" || err != nil {
			t.Errorf("%d bytes are free: %s, %q, %v", c.free, state, found, err)
		}
	}
	if err := m.Require(0); outage.Of(err) == nil {
		t.Errorf("the worse of two disks was ignored: %v", err)
	}
}

func TestASmallDiskKeepsATenth(t *testing.T) {
	t.Parallel()
	m := &Monitor{Folders: []string{"data"}, Reserve: 512 * mib, Look: func(string) (Space, error) {
		return Space{Total: 200 * mib, Free: 25 * mib}, nil
	}}
	if err := m.Require(5 * mib); err != nil {
		t.Error(err)
	}
	if err := m.Require(5*mib + 1); outage.Of(err) == nil {
		t.Errorf("the reserve was used: %v", err)
	}
}

func TestAFolderThatHasGoneIsAnOutage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := &Monitor{Folders: []string{dir}}
	if err := m.Require(1); err != nil {
		t.Error(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if e := outage.Of(m.Require(1)); e == nil || e.Part != outage.Blobs {
		t.Errorf("%v", e)
	}
	if _, _, err := m.Check(); outage.Of(err) == nil {
		t.Errorf("checked: %v", err)
	}
}
