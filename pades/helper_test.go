package pades_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/authority/signtest"
	"segel/pdf"
)

func must[T any](t testing.TB) func(v T, err error) T { return signtest.Must[T](t) }

type (
	signer   = signtest.Signer
	testFile = signtest.File
)

// writeTemp writes the file to disk for other programs.
func writeTemp(t testing.TB, p *testFile) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, p.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runTool runs another program and returns its output. Without the program the test is skipped.
func runTool(t testing.TB, program string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// pdfsigVerdict is the result of pdfsig for one signature.
type pdfsigVerdict struct{ valid, total bool }

// runPdfsig returns the results of pdfsig by field. It does not list document timestamps.
func runPdfsig(t testing.TB, path string) map[string]pdfsigVerdict {
	t.Helper()
	all := map[string]pdfsigVerdict{}
	for block := range strings.SplitSeq(runTool(t, "pdfsig", "-nocert", path), "Signature #") {
		_, rest, ok := strings.Cut(block, "Signature Field Name: ")
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(rest, "\n")
		all[name] = pdfsigVerdict{strings.Contains(rest, "Signature is Valid"), strings.Contains(rest, "\n  - Total document signed") || strings.HasPrefix(rest, "  - Total document signed")}
	}
	return all
}

// wantValid checks with other programs: pdfsig calls each field valid and the last one total, and qpdf finds no fault.
func wantValid(t testing.TB, p *testFile, fields ...string) {
	t.Helper()
	path := writeTemp(t, p)
	runTool(t, "qpdf", "--check", path)
	got := runPdfsig(t, path)
	for _, f := range fields {
		if !got[f].valid {
			t.Errorf("pdfsig does not call %q valid: %+v", f, got)
		}
	}
	if len(fields) > 0 && !got[fields[len(fields)-1]].total {
		t.Errorf("pdfsig does not call %q total: %+v", fields[len(fields)-1], got)
	}
}

// failingTimestamper returns a fixed token or error.
type failingTimestamper struct {
	token []byte
	err   error
}

func (f failingTimestamper) Timestamp(context.Context, []byte) ([]byte, error) { return f.token, f.err }
func (f failingTimestamper) TokenSize() int                                    { return 0 }

// countingReader counts the bytes read through it.
type countingReader struct {
	io.ReaderAt
	bytes int64
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

// editField edits the field with that name, like another program.
func editField(t testing.TB, p *testFile, name string, edit func(pdf.Dict)) {
	t.Helper()
	p.Update(t, func(d *pdf.Document, u *pdf.Update) {
		for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
			if f.Name == name {
				edit(must[pdf.Dict](t)(u.Edit(f.Ref)))
			}
		}
	})
}
