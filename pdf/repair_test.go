package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestDamagedFilesAreReadOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"no cross-reference":        pdftest.Table(5)[:bytes.Index(pdftest.Table(5), []byte("xref\n"))],
		"no cross-reference stream": pdftest.Streams(5)[:len(pdftest.Streams(5))-300],
		"entries lead elsewhere":    bytes.Replace(pdftest.Table(5), []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%shifted by an editor that knows no offsets, and far at that...................\n"), 1),
		"wrong length":              bytes.Replace(cutOff(pdftest.Table(5)), []byte("/Length 4"), []byte("/Length 9"), -1),
		"hybrid":                    cutOff(pdftest.Hybrid(5)),
	} {
		if err := openErr(file); !errors.Is(err, pdf.ErrDamaged) {
			t.Errorf("%s: %v without repair", name, err)
		}
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Repair: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n, err := d.PageCount(); n != 5 || !d.Properties().Repaired {
			t.Errorf("%s: %d pages, %v", name, n, err)
		}
		page := must[*pdf.Page](t)(d.Page(5))
		contents := must[*pdf.Stream](t)(d.Stream(page.Dict["Contents"]))
		if b := must[[]byte](t)(d.Decode(contents)); !strings.HasSuffix(string(b), "(Page 5) Tj ET") {
			t.Errorf("%s: contents %q", name, b)
		}
		u := d.NewUpdate()
		u.Add(pdf.Null{})
		if _, err := u.Build(); !errors.Is(err, pdf.ErrMisuse) {
			t.Errorf("%s: update of a repaired file: %v", name, err)
		}
	}
}

// cutOff removes the end of a file, with startxref.
func cutOff(file []byte) []byte { return file[:bytes.LastIndex(file, []byte("startxref"))] }

func TestOverlappingObjectsCostNoMoreThanTheirLimit(t *testing.T) {
	t.Parallel()
	file := []byte("%PDF-1.7\n" + strings.Repeat("1 0 obj (", 200_000))
	o := pdf.Options{Repair: true, Limits: pdf.Limits{Work: 50 << 20}}
	start := time.Now()
	_, err := pdf.Open(bytes.NewReader(file), int64(len(file)), o)
	if !errors.Is(err, pdf.ErrTooLarge) {
		t.Errorf("open: %v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestEmbeddedFileOfADamagedFileStaysEmbedded(t *testing.T) {
	t.Parallel()
	inner := pdftest.Table(3)
	for name, objects := range map[string][]string{
		"length behind": {"<</Type /Catalog /Pages 2 0 R /Inner 4 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>",
			"<</Length 5 0 R>>\nstream\n" + string(inner) + "\nendstream", fmt.Sprint(len(inner))},
		"length before": {"<</Type /Catalog /Pages 2 0 R /Inner 5 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>",
			fmt.Sprint(len(inner)), "<</Length 4 0 R>>\nstream\n" + string(inner) + "\nendstream"},
	} {
		file := append([]byte("junk\n"), cutOff(tableFile(objects...)(""))...)
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Repair: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n, err := d.PageCount(); err != nil || n != 1 {
			t.Errorf("%s: %d pages, want the outer file's only one (%v)", name, n, err)
		}
		_, root, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		if b := must[[]byte](t)(d.Decode(must[*pdf.Stream](t)(d.Stream(root["Inner"])))); !bytes.Equal(b, inner) {
			t.Errorf("%s: the inner file has %d bytes, want %d", name, len(b), len(inner))
		}
	}
}
