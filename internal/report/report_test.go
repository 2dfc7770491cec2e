package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/text"
	"segel/internal/text/verdict"
	"segel/pades/validate"
	"segel/pdf"
)

// newReport returns the report for a file with signatures.
func newReport(signatures, later int) *verdict.Report {
	r := &validate.Report{
		File:       validate.File{Name: "Perjanjian Sewa – 山田.pdf", Size: 1234567, SHA256: strings.Repeat("ab", 32), Revisions: 3, Pages: 12},
		Indication: validate.TotalPassed, Integrity: validate.Intact,
		Summary: validate.NewReason("file.passed", "count", fmt.Sprint(signatures), "kind", "signatures", "integrity", string(validate.Intact)),
	}
	for i := range signatures {
		s := validate.Signature{
			Field: fmt.Sprintf("A%d", i), Kind: validate.KindSignature, Form: "ETSI.CAdES.detached", Indication: validate.TotalPassed, Integrity: validate.Intact, Level: validate.LevelLTA, Page: 3,
			Summary: validate.NewReason("signature.passed", "signer", "Sari Wulandari", "sub", "", "time", "-", "integrity", string(validate.Intact)), Covers: validate.Cover{Whole: true, Length: 12345},
			Signer: &validate.Certificate{Name: "Sari Wulandari", Issuer: "CN=" + strings.Repeat("Penerbit Sertifikat ", 20)},
		}
		for n := range later {
			s.Later = append(s.Later, validate.Change{Revision: n + 2, Allowed: true, What: []validate.Reason{validate.NewReason("change.filled", "where", fmt.Sprintf("%q", fmt.Sprintf("Mark-%d", n)))}})
		}
		r.Signatures = append(r.Signatures, s)
	}
	return verdict.New(r, nil)
}

// writeReport returns the file of a report, which was opened without complaint, and its number of pages.
func writeReport(t *testing.T, r *verdict.Report, o Options) (file []byte, pages int) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	d, err := pdf.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range d.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		pages++
	}
	return b.Bytes(), pages
}

// readText returns the text that Poppler finds in a file, with single spaces.
func readText(t *testing.T, file []byte) string {
	t.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed")
	}
	path := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, path, "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

func TestTheFileHasEveryLineOfTheReportInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, language := range []text.Language{text.Indonesian, text.English} {
		t.Run(string(language), func(t *testing.T) {
			t.Parallel()
			r := newReport(3, 2)
			file, pages := writeReport(t, r, Options{Language: language, Address: "https://segel.contoh.id/verify"})
			if pages < 2 {
				t.Errorf("%d pages", pages)
			}
			shown := strings.ReplaceAll(readText(t, file), " ", "") // lines are broken anywhere in long words
			caption := verdict.CaptionIn(language)
			for _, want := range []string{caption.Heading, caption.Unsigned, caption.Repeat, "https://segel.contoh.id/verify", r.Summary.In(language), fmt.Sprintf("1 / %d", pages)} {
				if !strings.Contains(shown, strings.ReplaceAll(want, " ", "")) {
					t.Errorf("%q is missing", want)
				}
			}
			missing := 0
			for _, l := range r.Lines(language, math.MaxInt) {
				for _, word := range strings.Fields(l.Text) {
					if !strings.Contains(shown, word) {
						missing++
						t.Logf("%q of %q is missing", word, l.Text)
					}
				}
			}
			// A word that is broken at the end of a page has the page number within.
			if missing > pages {
				t.Errorf("%d words are missing", missing)
			}
		})
	}
}

func TestAReportOfLongLinesEnds(t *testing.T) {
	t.Parallel()
	r := newReport(200, 30)
	for i := range r.Signatures {
		for n := range r.Signatures[i].Later {
			what := &r.Signatures[i].Later[n].What
			for range 40 {
				*what = append(*what, verdict.Reason{Code: "change.overlaps_text", English: strings.Repeat("covers text ", 30)})
			}
		}
	}
	file, pages := writeReport(t, r, Options{Language: text.English})
	if len(file) > 10<<20 || pages > 200 {
		t.Errorf("%d bytes, %d pages", len(file), pages)
	}
	if shown := readText(t, file); !strings.Contains(shown, verdict.CaptionIn(text.English).Cut) {
		t.Error("it does not say that it was cut")
	}
}

func TestAReportOfAnyLengthEnds(t *testing.T) {
	t.Parallel()
	r := newReport(1000, 30)
	if n := len(r.Lines(text.English, math.MaxInt)); n < 10*maxLines/2 {
		t.Fatalf("only %d lines", n)
	}
	file, pages := writeReport(t, r, Options{Language: text.English})
	if len(file) > 10<<20 || pages > maxLines/20 {
		t.Errorf("%d bytes, %d pages", len(file), pages)
	}
	if shown := readText(t, file); !strings.Contains(shown, verdict.CaptionIn(text.English).Cut) {
		t.Error("it does not say that it was cut")
	}
}
