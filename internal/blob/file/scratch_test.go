package file

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestScratchFileHasNoNameThatAKillCouldLeaveBehind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"perjanjian ", "sewa"} {
		if _, err := io.WriteString(f, part); err != nil {
			t.Fatal(err)
		}
	}
	got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err != nil || string(got) != "perjanjian sewa" {
		t.Errorf("read %q, %v", got, err)
	}
	if left, err := os.ReadDir(filepath.Join(root, tmpDir)); err != nil || len(left) > 0 {
		t.Errorf("%v while it is open, %v", left, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(make([]byte, 1), 0); err == nil {
		t.Error("a closed file is read")
	}
}
