package disk

import (
	"errors"
	"os"
	"testing"

	"segel/internal/contract"
	"segel/internal/outage"
)

const mib = 1 << 20

func TestWhatMayBeRefusedLeavesTheReserve(t *testing.T) {
	t.Parallel()
	free := map[string]int64{"data": 700 * mib, "blobs": 700 * mib}
	m := &Monitor{Folders: []string{"data", "blobs"}, Reserve: 512 * mib, Warning: 600 * mib, Look: func(folder string) (Space, error) {
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
		want contract.DiskState
	}{{600 * mib, contract.DiskFine}, {600*mib - 1, contract.DiskScarce}, {512 * mib, contract.DiskScarce}, {512*mib - 1, contract.DiskLow}, {4 * mib, contract.DiskLow}, {4*mib - 1, contract.DiskFull}} {
		free["blobs"] = c.free
		if f, found, err := m.Check(); f.State != c.want || f.Free != c.free || f.Reserved != 512*mib || found == "" || err != nil {
			t.Errorf("%d bytes are free: %+v, %q, %v", c.free, f, found, err)
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
