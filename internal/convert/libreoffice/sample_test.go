package libreoffice

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"segel/internal/convert"
	"segel/internal/convert/converttest"
	"segel/internal/convert/sniff"
)

var pictures = flag.String("pictures", "", "folder in which to put pictures of the sample's pages; docs/pictures has those of the last look")

// runTool runs a program of poppler on a PDF and returns its output.
func runTool(t *testing.T, pdf []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}

func TestASampleOfAllThatGoesWrongKeepsItsTextAndItsPages(t *testing.T) {
	t.Parallel()
	o := openConverter(t, Options{Spare: 1})
	var pdf bytes.Buffer
	if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(converttest.Sample()), &pdf); err != nil {
		t.Fatal(err)
	}
	defer checkSample(t, pdf.Bytes())
	if *pictures != "" {
		if err := os.MkdirAll(*pictures, 0o755); err != nil {
			t.Fatal(err)
		}
		runTool(t, pdf.Bytes(), "pdftoppm", "-r", "50", "-png", "-", filepath.Join(*pictures, "word-sample"))
	}
}

// checkSample checks that a PDF has the content of the sample.
func checkSample(t *testing.T, pdf []byte) {
	t.Helper()
	text := runTool(t, pdf, "pdftotext", "-layout", "-", "-")
	pages := strings.Split(strings.TrimSuffix(text, "\f"), "\f")
	if len(pages) != converttest.SamplePages {
		t.Fatalf("%d pages, not %d", len(pages), converttest.SamplePages)
	}
	for i, page := range pages {
		if !strings.Contains(page, "No. 017/PSR/X/2024") {
			t.Errorf("page %d has no header", i+1)
		}
		if want := "Halaman " + string(rune('1'+i)) + " dari " + string(rune('0'+converttest.SamplePages)); !strings.Contains(page, want) {
			t.Errorf("page %d has no footer %q", i+1, want)
		}
	}
	for _, want := range []string{
		"PERJANJIAN SEWA RUANG USAHA", "diwakili oleh Siti Rahma", "1.1", "(a)", "Pengadilan Negeri Jakarta Utara", "本合同由以下双方", "é", "ü ñ ikut diuji",
		"5 (lima)", "10 (sepuluh)", "Termin", "10-06-2027", "meterai dan tanda tangan",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text %q is missing", want)
		}
	}
	if !strings.ContainsAny(text, "اﺍ") {
		t.Error("there is no Arabic")
	}
	sizes := runTool(t, pdf, "pdfinfo", "-f", "1", "-l", "9", "-")
	if !strings.Contains(sizes, "841.8") || strings.Count(sizes, "size:") == 0 || !strings.Contains(sizes, "Page    1 size:  595") {
		t.Errorf("the pages are %s", sizes)
	}
	if images := runTool(t, pdf, "pdfimages", "-list", "-"); !strings.Contains(images, " 240   120 ") {
		t.Errorf("the picture is missing: %s", images)
	}
	for line := range strings.Lines(runTool(t, pdf, "pdffonts", "-")) {
		if f := strings.Fields(line); len(f) > 5 && strings.HasPrefix(f[len(f)-5], "no") {
			t.Errorf("a font is not embedded: %s", line)
		}
	}
}

// asDOC has LibreOffice write a binary document. Like [Converter.Convert], it tries again with another process if the first one ends by itself.
func asDOC(t *testing.T, o *Converter, docx []byte) []byte {
	t.Helper()
	doc, err := convertToDOC(t, o, docx)
	if errors.Is(err, errNoAnswer) {
		t.Log(err)
		doc, err = convertToDOC(t, o, docx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func convertToDOC(t *testing.T, o *Converter, docx []byte) ([]byte, error) {
	t.Helper()
	p, err := o.acquireProcess(t.Context())
	if err != nil {
		return nil, err
	}
	defer o.replaceProcess(p)
	if _, err := p.job.writeInput("kontrak.docx", bytes.NewReader(docx)); err != nil {
		return nil, err
	}
	c, err := connectPipe(t.Context(), p.job.pipeFolder, pipeName(p.job.profileURL), p.done)
	if err != nil {
		return nil, err
	}
	args := []string{"--headless", "--convert-to", "doc:MS Word 97", "--outdir", p.job.processPath(p.job.run, outName), p.job.processPath(p.job.in, "kontrak.docx")}
	if err := runCommandLine(t.Context(), c, args); err != nil {
		return nil, fmt.Errorf("%w; its output: %s", err, p.output.String())
	}
	return os.ReadFile(filepath.Join(p.job.folder, p.job.run, outName, "kontrak.doc"))
}

func TestABinaryDocumentIsConvertedToo(t *testing.T) {
	t.Parallel()
	o := openConverter(t, Options{Spare: 2})
	doc := asDOC(t, o, converttest.Sample())
	found, err := sniff.CheckDocument(t.Context(), bytes.NewReader(doc), int64(len(doc)), sniff.Limits{})
	if err != nil || found.Kind != convert.DOC || !strings.Contains(strings.Join(found.Fonts, ","), "Fonta Yang Tidak Ada") {
		t.Fatalf("%+v, %v", found, err)
	}
	var pdf bytes.Buffer
	if err := o.Convert(t.Context(), convert.DOC, bytes.NewReader(doc), &pdf); err != nil {
		t.Fatal(err)
	}
	if text := runTool(t, pdf.Bytes(), "pdftotext", "-", "-"); !strings.Contains(text, "PERJANJIAN SEWA RUANG USAHA") || !strings.Contains(text, "Halaman 1 dari") {
		t.Errorf("the text is %.300s", text)
	}
	// The other import filter does not accept it.
	if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(doc), &bytes.Buffer{}); err == nil {
		t.Error("a binary document is read as a package")
	}
}

func TestPDFAOnRequest(t *testing.T) {
	t.Parallel()
	o := openConverter(t, Options{Spare: 1, PDFA: true})
	var pdf bytes.Buffer
	if err := o.Convert(t.Context(), convert.DOCX, bytes.NewReader(converttest.Sample()), &pdf); err != nil {
		t.Fatal(err)
	}
	meta := runTool(t, pdf.Bytes(), "pdfinfo", "-meta", "-")
	if !strings.Contains(meta, "<pdfaid:part>2</pdfaid:part>") || !strings.Contains(meta, "<pdfaid:conformance>B</pdfaid:conformance>") {
		t.Errorf("it does not say that it is PDF/A-2b: %s", meta)
	}
}
