package facts_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segel/pades/validate/facts"
)

// corpus calls f with each PDF of the folder SEGEL_PDFS.
func corpus(t *testing.T, f func(t *testing.T, name string, b []byte)) {
	t.Helper()
	root := os.Getenv("SEGEL_PDFS")
	if root == "" {
		t.Skip("SEGEL_PDFS names no folder with files to try")
	}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f(t, strings.TrimPrefix(path, root+"/"), b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// summary is one line about each signature.
func summary(f *facts.File) string {
	var b strings.Builder
	for _, s := range f.Signatures {
		fmt.Fprintf(&b, "%s %s %s r%d %v", s.Field, s.Kind, s.Coverage.State, s.Revision, s.Integrity)
		for _, r := range s.Coverage.Reasons {
			fmt.Fprintf(&b, " !%s(%s)", r.Code, r.Detail)
		}
		for _, l := range s.Later {
			fmt.Fprintf(&b, "\n   r%d %v denied %d of %d", l.Revision, l.Level, len(l.Denied), len(l.Changes))
			for _, i := range l.Denied {
				c := l.Changes[i]
				fmt.Fprintf(&b, "\n      %v %s %s %s %v", c.Ref, c.What, c.Code, c.Detail, c.Paths)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestEveryFileOfTheCorpusIsRead(t *testing.T) {
	t.Parallel()
	corpus(t, func(t *testing.T, name string, b []byte) {
		f, err := facts.Read(t.Context(), bytes.NewReader(b), int64(len(b)), facts.Options{})
		if err != nil {
			t.Logf("%s: %v", name, err)
			return
		}
		if len(f.Signatures) > 0 {
			t.Logf("%s:\n%s", name, summary(f))
		}
	})
}
