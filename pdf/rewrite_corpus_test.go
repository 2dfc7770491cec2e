package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"segel/pdf"
)

// TestRewrittenFilesAreSoundAndLookAlike rewrites every file that can be read, undamaged ones too, and checks the
// result with other programs.
func TestRewrittenFilesAreSoundAndLookAlike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n, repaired, refused := 0, 0, 0
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
		requireSound(t, name, file, b)
		to := filepath.Join(dir, strconv.Itoa(i)+".pdf")
		if err := os.WriteFile(to, b, 0o600); err != nil {
			t.Fatal(err)
		}
		was, is := countComplaints(t, path), countComplaints(t, to)
		if is > was {
			t.Errorf("%s: qpdf ended with %d and ends with %d", name, was, is)
		}
		if was > 0 {
			repaired++
		}
		if was > 0 || n%10 == 0 {
			sameFirstPage(t, name, path, to)
		}
		if err := os.Remove(to); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files rewritten, %d of them were damaged, %d refused", n, repaired, refused)
}

// requireSound requires that a rewritten file needs no repair and agrees with its source.
func requireSound(t *testing.T, name string, source, b []byte) {
	t.Helper()
	after, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err != nil {
		t.Errorf("%s: reopen: %v", name, err)
		return
	}
	if err := after.Check(); err != nil {
		t.Errorf("%s: check: %v", name, err)
	}
	if f := after.Properties(); f.HeaderOffset != 0 || f.JunkAfter != 0 || len(f.Tolerated) > 0 {
		t.Errorf("%s: facts %+v", name, f)
	}
	before, err := pdf.Open(bytes.NewReader(source), int64(len(source)), pdf.Options{Repair: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := pdf.RequireEquivalent(before, after); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if before.Check() == nil { // else the page tree may have been repaired
		_, was, err := before.Root()
		if err != nil {
			t.Fatal(err)
		}
		_, is, err := after.Root()
		if err != nil {
			t.Fatal(err)
		}
		g := &graphs{before: before, after: after, seen: map[pdf.Ref]pdf.Ref{}}
		if where := g.differ(was, is, 0); where != "" {
			t.Errorf("%s: catalog%s is not what it was", name, where)
		}
		if where := g.differ(before.Trailer()["Info"], after.Trailer()["Info"], 0); where != "" {
			t.Errorf("%s: info%s is not what it was", name, where)
		}
	}
	if revisions := must[[]pdf.Revision](t)(after.Revisions()); len(revisions) != 1 {
		t.Errorf("%s: %d revisions", name, len(revisions))
	}
}

// countComplaints is the result of qpdf --check, in rising order: 0 clean, 1 warnings, 2 errors. Without qpdf it is 0.
func countComplaints(t *testing.T, path string) int {
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

// sameFirstPage requires that mutool, if it is installed and can draw the source, draws the same.
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

// graphs compares all that can be reached in two files, down to the encoded bytes of streams.
type graphs struct {
	before, after *pdf.Document
	seen          map[pdf.Ref]pdf.Ref
}

// differ returns where two objects differ, or "".
func (g *graphs) differ(a, b pdf.Object, depth int) string {
	if ra, ok := a.(pdf.Ref); ok {
		rb, ok := b.(pdf.Ref)
		if !ok {
			if v, err := g.before.Resolve(ra); err != nil || v != pdf.Object(pdf.Null{}) || b != nil && b != pdf.Object(pdf.Null{}) {
				return " " + ra.String()
			}
			return ""
		}
		if was, ok := g.seen[ra]; ok {
			if was != rb {
				return " " + ra.String()
			}
			return ""
		}
		g.seen[ra] = rb
		va, err1 := g.before.Object(ra)
		vb, err2 := g.after.Object(rb)
		if err1 != nil || err2 != nil {
			return " " + ra.String()
		}
		return g.differ(va, vb, depth)
	}
	if depth > 5000 {
		return "" // deep enough
	}
	switch a := a.(type) {
	case pdf.Array:
		b, ok := b.(pdf.Array)
		if !ok || len(a) != len(b) {
			return "[]"
		}
		for i := range a {
			if where := g.differ(a[i], b[i], depth+1); where != "" {
				return "[" + strconv.Itoa(i) + "]" + where
			}
		}
		return ""
	case pdf.Dict:
		b, ok := b.(pdf.Dict)
		if !ok {
			return "<<>>"
		}
		for k := range a {
			if where := g.differ(a[k], b[k], depth+1); where != "" {
				return "/" + string(k) + where
			}
		}
		if len(b) > len(a) {
			return "<<>> has more"
		}
		return ""
	case *pdf.Stream:
		b, ok := b.(*pdf.Stream)
		if !ok {
			return " stream"
		}
		was, is := maps.Clone(a.Dict), maps.Clone(b.Dict)
		delete(was, "Length")
		delete(is, "Length")
		if where := g.differ(was, is, depth+1); where != "" {
			return where
		}
		x, err1 := g.before.Raw(a)
		y, err2 := g.after.Raw(b)
		if (err1 == nil) != (err2 == nil) || !bytes.Equal(x, y) {
			return " stream data"
		}
		return ""
	case pdf.String:
		b, ok := b.(pdf.String)
		if !ok || !bytes.Equal(a.Bytes, b.Bytes) {
			return " string"
		}
		return ""
	case pdf.Real:
		if n, ok := b.(pdf.Integer); ok && pdf.Real(n) == a {
			return "" // 1.0 is written as 1
		}
	case nil, pdf.Null:
		if b != nil && b != pdf.Object(pdf.Null{}) {
			return " null"
		}
		return ""
	}
	if a != b {
		return fmt.Sprintf(" %v became %v", a, b)
	}
	return ""
}
