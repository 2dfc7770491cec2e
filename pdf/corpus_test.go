package pdf_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// corpus lists the PDF files below SEGEL_PDFS, or none.
func corpus(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("SEGEL_PDFS")
	if root == "" {
		t.Log("SEGEL_PDFS is not set: only the files made here are tried")
		return nil
	}
	var files []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.EqualFold(filepath.Ext(path), ".pdf") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// samples writes the files of pdftest into a folder.
func samples(t testing.TB) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for name, b := range map[string][]byte{
		"table": pdftest.Table(3), "streams": pdftest.Streams(3), "hybrid": pdftest.Hybrid(3),
		"linearized": pdftest.Linearized(3), "rotated": pdftest.Rotated(), "form": pdftest.Form(), "active": pdftest.Active(),
	} {
		path := filepath.Join(dir, name+".pdf")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}

func TestOtherReadersAgree(t *testing.T) {
	t.Parallel()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Skip("qpdf is not installed")
	}
	healthy := 0
	for _, path := range append(samples(t), corpus(t)...) {
		if exec.Command(qpdf, "--check", path).Run() != nil {
			continue
		}
		file := must[[]byte](t)(os.ReadFile(path))
		name := filepath.Base(path)
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if errors.Is(err, pdf.ErrUnsupported) || errors.Is(err, pdf.ErrEncrypted) || errors.Is(err, pdf.ErrPasswordNeeded) {
			continue
		}
		if err != nil {
			t.Errorf("%s is healthy: %v", name, err)
			continue
		}
		healthy++
		out := must[[]byte](t)(exec.Command(qpdf, "--show-npages", path).Output())
		want := must[int](t)(strconv.Atoi(strings.TrimSpace(string(out))))
		if n, err := d.PageCount(); err != nil || n != want {
			t.Errorf("%s: %d pages, want %d (%v)", name, n, want, err)
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s is healthy: check: %v", name, err)
		}
		requireCleanTail(t, qpdf, name, file, d, want)
	}
	t.Logf("%d healthy files", healthy)
}

// requireCleanTail adds an annotation to every page and checks the result with qpdf.
func requireCleanTail(t *testing.T, qpdf, name string, file []byte, d *pdf.Document, pages int) {
	t.Helper()
	u := d.NewUpdate()
	root, _, err := d.Root()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	dict, err := u.Edit(root)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	dict["SegelTest"] = u.Add(&pdf.Stream{Data: bytes.Repeat([]byte("segel "), 50)})
	for n := 1; n <= pages; n++ {
		p, err := d.Page(n)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if p.Ref.IsZero() {
			continue // a direct page cannot be updated
		}
		note := u.Add(pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Text"), "Contents": pdf.TextString("catatan"),
			"Rect": p.ToUser(pdf.Rect{URX: 20, URY: 20}).Array(),
		})
		if err := u.Append(p.Ref, "Annots", note); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
	tail, err := u.Build()
	if err != nil {
		t.Errorf("%s: build: %v", name, err)
		return
	}
	path := filepath.Join(t.TempDir(), "updated.pdf")
	if err := os.WriteFile(path, append(file, tail.Bytes...), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(qpdf, "--check", path).CombinedOutput(); err != nil {
		t.Errorf("%s: with a tail: %s", name, out)
	}
	out, err := exec.Command(qpdf, "--show-npages", path).Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != strconv.Itoa(pages) {
		t.Errorf("%s: with a tail: %s pages, want %d", name, got, pages)
	}
}

// exerciseReader calls every reading function, which must return.
func exerciseReader(b []byte, o pdf.Options) {
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		return
	}
	n, _ := d.PageCount()
	for i := 1; i <= min(n, 5); i++ {
		_, _ = d.Page(i)
	}
	fields, _ := d.Fields()
	for _, f := range fields {
		_, _ = d.ReadPermissions(f)
	}
	_, _ = d.Signatures()
	revisions, _ := d.Revisions()
	for _, r := range revisions {
		_, _ = d.RevisionEntries(r)
	}
	_, _ = d.ActiveContent()
	_ = d.Properties()
	_ = d.Check()
	u := d.NewUpdate()
	if ref, _, err := d.Root(); err == nil {
		_, _ = u.EditIn(ref, "AcroForm")
		_, _ = u.Build()
	}
}

func TestBrokenFilesNeitherPanicNorHang(t *testing.T) {
	t.Parallel()
	for _, path := range append(samples(t), corpus(t)...) {
		b := must[[]byte](t)(os.ReadFile(path))
		if len(b) > 200_000 {
			continue
		}
		exerciseReader(b, pdf.Options{})
		exerciseReader(b, pdf.Options{Repair: true})
		for _, cut := range []int{1, 10, 100, len(b) / 2} {
			if cut < len(b) {
				exerciseReader(b[:len(b)-cut], pdf.Options{Repair: true})
			}
		}
	}
}
