package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

func TestWriteNewWritesWholeFilesAndReplacesNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	if err := WriteNew(file, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(file, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file: %v", err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "first" {
		t.Errorf("the file has %q, %v", b, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if err := WriteNew(filepath.Join(dir, "missing", "key"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

// TestAFileIsNamedWithoutLinks names files as on a stick with a file system of another system.
func TestAFileIsNamedWithoutLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux renames without replacing")
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, why := range []syscall.Errno{syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS} {
		refuse := func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: why} }
		if err := errors.Join(os.WriteFile(from, []byte(why.Error()), 0o600), renameNew(from, to, refuse)); err != nil {
			t.Fatalf("%v: %v", why, err)
		}
		if b, err := os.ReadFile(to); err != nil || string(b) != why.Error() {
			t.Errorf("%v: the file has %q, %v", why, b, err)
		}
		if err := os.WriteFile(from, []byte("second"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := renameNew(from, to, refuse); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v: a second file: %v", why, err)
		}
		if b, err := os.ReadFile(to); err != nil || string(b) != why.Error() {
			t.Errorf("%v: the file was replaced by %q, %v", why, b, err)
		}
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
	}
	full := func(string, string) error { return syscall.ENOSPC }
	if err := renameNew(from, to, full); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
}

func TestLockBelongsToOneOpenFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *os.File {
		f, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if locked, err := Lock(first); !locked || err != nil {
		t.Fatal(locked, err)
	}
	if locked, err := Lock(second); locked || err != nil {
		t.Errorf("a second lock: %v, %v", locked, err)
	}
	if err := Unlock(first); err != nil {
		t.Fatal(err)
	}
	if locked, err := Lock(second); !locked || err != nil {
		t.Errorf("after the first was released: %v, %v", locked, err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(second); err == nil {
		t.Error("a closed file was locked")
	}
}
