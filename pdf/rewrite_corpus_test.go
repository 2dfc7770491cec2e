package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"segel/pdf"
)

// TestRewrittenFilesAreSoundAndLookAlike rewrites every file that can be read, healthy ones too, and asks programs
// of others about the result.
func TestRewrittenFilesAreSoundAndLookAlike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n, mended, refused := 0, 0, 0
	for i, path := range append(samples(t), corpus(t)...) {
		name := filepath.Base(path)
		file := must[[]byte](t)(os.ReadFile(path))
		b, err := rewrite(t, file, pdf.RewriteOptions{})
		if err != nil {
			var typed *pdf.Error
			if !errors.As(err, &typed) {
				t.Errorf("%s: refused without a kind: %v", name, err)
			}
			refused++
			continue
		}
		n++
		opensSoundly(t, name, file, b)
		to := filepath.Join(dir, strconv.Itoa(i)+".pdf")
		if err := os.WriteFile(to, b, 0o600); err != nil {
			t.Fatal(err)
		}
		was, is := complaints(t, path), complaints(t, to)
		if is > was {
			t.Errorf("%s: qpdf ended with %d and ends with %d", name, was, is)
		}
		if was > 0 {
			mended++
		}
		if was > 0 || n%10 == 0 {
			sameFirstPage(t, name, path, to)
		}
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files rewritten, %d of them were damaged, %d refused", n, mended, refused)
}

// opensSoundly demands that a rewritten file needs no mending and agrees with its source.
func opensSoundly(t *testing.T, name string, source, b []byte) {
	t.Helper()
	after, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err != nil {
		t.Errorf("%s: reopen: %v", name, err)
		return
	}
	if err := after.Check(); err != nil {
		t.Errorf("%s: check: %v", name, err)
	}
	if f := after.Facts(); f.HeaderOffset != 0 || f.JunkAfter != 0 || len(f.Tolerated) > 0 {
		t.Errorf("%s: facts %+v", name, f)
	}
	before, err := pdf.Open(bytes.NewReader(source), int64(len(source)), pdf.Options{Repair: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := pdf.Agree(before, after); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if revisions := must[[]pdf.Revision](t)(after.Revisions()); len(revisions) != 1 {
		t.Errorf("%s: %d revisions", name, len(revisions))
	}
}

// complaints is how qpdf --check ends, in rising order: 0 clean, 1 warnings, 2 errors. Without qpdf it is 0.
func complaints(t *testing.T, path string) int {
	t.Helper()
	err := exec.Command("qpdf", "--check", path).Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound), err == nil:
		return 0
	case errors.As(err, &exit):
		return map[int]int{3: 1, 2: 2}[exit.ExitCode()]
	}
	t.Fatal(err)
	return 0
}

// sameFirstPage demands that mutool, where it is installed and can draw the source, draws the same.
func sameFirstPage(t *testing.T, name, before, after string) {
	t.Helper()
	draw := func(path string) string {
		out, err := exec.Command("mutool", "draw", "-q", "-F", "png", "-r", "40", "-o", "-", path, "1").Output()
		if err != nil {
			return ""
		}
		return string(out)
	}
	if was := draw(before); was != "" && was != draw(after) {
		t.Errorf("%s: page 1 looks different", name)
	}
	pages := func(path string) string {
		out, _ := exec.Command("qpdf", "--show-npages", path).Output()
		return strings.TrimSpace(string(out))
	}
	if was, is := pages(before), pages(after); was != "" && was != is {
		t.Errorf("%s: qpdf counted %s pages and counts %s", name, was, is)
	}
}
