package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
