package main

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	verdicts "segel/internal/text/verdict"
)

// draft is a file under construction: its objects with their offsets, for the cross-reference table.
type draft struct {
	bytes.Buffer
	at []int
}

func newDraft() *draft {
	d := &draft{}
	d.WriteString("%PDF-1.7\n")
	return d
}

func (d *draft) object(format string, args ...any) {
	d.at = append(d.at, d.Len())
	fmt.Fprintf(d, "%d 0 obj\n", len(d.at))
	fmt.Fprintf(d, format, args...)
	d.WriteString("\nendobj\n")
}

func (d *draft) stream(dict string, data []byte) {
	d.object("<<%s /Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// end closes the file. More goes into its trailer.
func (d *draft) end(more string) []byte {
	from := d.Len()
	fmt.Fprintf(d, "xref\n0 %d\n0000000000 65535 f \n", len(d.at)+1)
	for _, at := range d.at {
		fmt.Fprintf(d, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(d, "trailer\n<</Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n", len(d.at)+1, more, from)
	return d.Bytes()
}

// onePage begins with a catalog and a page with additional members; the next object has number 4.
func onePage(catalog, page string) *draft {
	d := newDraft()
	d.object("<</Type /Catalog /Pages 2 0 R %s>>", catalog)
	d.object("<</Type /Pages /Count 1 /Kids [3 0 R]>>")
	d.object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] %s>>", page)
	return d
}

// zeros returns that many zeros, compressed to a thousandth.
func zeros(n int) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(make([]byte, n)) // memory does not fail
	_ = z.Close()
	return b.Bytes()
}

func repeated(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// hostile returns files that cost a careless reader more than their bytes.
func hostile() map[string][]byte {
	const signature = "<</Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 10 20 30] /Contents <%s>>>"
	files := map[string][]byte{}

	d := newDraft()
	d.object("<</Type /Catalog /Pages 2 0 R>>")
	d.object("<</Type /Pages /Count 0 /Kids []>>")
	from := d.Len()
	files["a table that states more than the file has"] = fmt.Appendf(d.Bytes(), "xref\n0 2000000000\n%s trailer\n<</Size 2000000000 /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", strings.Repeat("0000000009 00000 n \n", 1000), from)

	d = newDraft()
	d.object("<</Type /Catalog /Pages 2 0 R>>")
	from = d.Len()
	d.stream("/Type /XRef /Root 1 0 R /Size 2000000000 /Index [0 2000000000] /W [1 4 1] /Filter /FlateDecode", zeros(64<<20))
	files["a cross-reference stream that unfolds"] = fmt.Appendf(d.Bytes(), "startxref\n%d\n%%%%EOF\n", from)

	d = onePage("/DSS <</Certs [4 0 R 4 0 R] /OCSPs [4 0 R 5 0 R]>> /AcroForm <</SigFlags 3 /Fields [6 0 R]>>", "/Contents 4 0 R /Annots [6 0 R]")
	d.stream("/Filter /FlateDecode", zeros(64<<20))
	d.stream("/Filter [/FlateDecode /FlateDecode]", zeros(1<<20))
	d.object("<</FT /Sig /Subtype /Widget /T (A) /Rect [0 0 9 9] /V %s>>", fmt.Sprintf(signature, "00"))
	files["proof and content that unfold"] = d.end("")

	d = onePage("/AcroForm <</SigFlags 3 /Fields [5 0 R]>>", "/Annots [5 0 R]")
	d.object("%s1%s", strings.Repeat("[", 2_000_000), strings.Repeat("]", 2_000_000))
	d.object("<</FT /Sig /T (A) /V %s /Lock 4 0 R>>", fmt.Sprintf(signature, "00"))
	files["arrays two million deep"] = d.end("")

	d = newDraft()
	d.object("<</Type /Catalog /Pages 2 0 R>>")
	for i := range 100_000 {
		d.object("<</Type /Pages /Count 1 /Parent %d 0 R /Kids [%d 0 R]>>", i+1, i+3)
	}
	d.object("<</Type /Page /Parent 100001 0 R /MediaBox [0 0 9 9]>>")
	files["a page tree a hundred thousand deep"] = d.end("")

	d = onePage("/Names <</Dests 4 0 R>>", "")
	for i := range 50_000 {
		d.object("<</Kids [%d 0 R] /Limits [(a) (b)]>>", i+5)
	}
	d.object("<</Names [(a) 1]>>")
	files["a name tree fifty thousand deep"] = d.end("")

	d = onePage("/AcroForm <</SigFlags 3 /Fields [5004 0 R]>>", "/Contents 4 0 R /Resources <</XObject <</F 5 0 R>>>> /Annots [5004 0 R]")
	for i := range 5000 {
		d.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</F %d 0 R /G %d 0 R>>>>", i+5, i+5), []byte("/F Do /G Do"))
	}
	d.object("<</FT /Sig /Subtype /Widget /T (A) /Rect [0 0 9 9] /V %s>>", fmt.Sprintf(signature, "00"))
	files["forms within forms, twice each"] = d.end("")

	const many = 5000
	d = onePage("/AcroForm <</SigFlags 3 /Fields ["+repeated(many, func(i int) string { return fmt.Sprintf("%d 0 R ", i+4) })+"]>>", "")
	for i := range many {
		d.object("<</FT /Sig /T (S%d) /V %s>>", i, fmt.Sprintf(signature, strings.Repeat("30", 200)))
	}
	files["five thousand signatures"] = d.end("")

	// Nested elements only, each with an indefinite length.
	nested := strings.Repeat("3080", 1<<20)
	d = onePage("/AcroForm <</SigFlags 3 /Fields [4 0 R 5 0 R]>>", "")
	d.object("<</FT /Sig /T (A) /V %s>>", fmt.Sprintf(signature, nested))
	d.object("<</FT /Sig /T (B) /V %s>>", fmt.Sprintf(signature, "3082"+hex.EncodeToString([]byte{0xff, 0xff})+strings.Repeat("3000", 4<<20)))
	files["containers of megabytes"] = d.end("")

	d = newDraft()
	d.object("<</Type /Catalog /Pages 2 0 R /DSS 4 0 R /AcroForm <</SigFlags 3 /Fields [5 0 R]>>>>")
	d.object("<</Type /Pages /Count 1 /Kids [2 0 R 3 0 R] /Parent 2 0 R>>")
	d.object("<</Type /Page /Parent 3 0 R /MediaBox [0 0 595 842]>>")
	d.object("<</Certs 4 0 R /VRI 4 0 R /OCSPs [4 0 R 6 0 R] /CRLs 6 0 R /DSS 4 0 R>>")
	d.object("<</FT /Sig /T (A) /Parent 5 0 R /Kids [5 0 R] /V %s>>", fmt.Sprintf(signature, "00"))
	d.object("6 0 R")
	files["circles"] = d.end("")

	file := bytes.NewBuffer(onePage("", "").end(""))
	for i := range 5000 {
		last := bytes.LastIndex(file.Bytes(), []byte("\nxref")) + 1
		from := file.Len()
		fmt.Fprintf(file, "xref\n0 0\ntrailer\n<</Size 4 /Root 1 0 R /Prev %d /N %d>>\nstartxref\n%d\n%%%%EOF\n", last, i, from)
	}
	files["five thousand revisions"] = file.Bytes()
	return files
}

// files lists the contents of a folder.
func (s *service) files(t *testing.T) (list []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.conf.DataDir, "blobs"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return list
}

// mostSignatures is how many signatures of one file are validated.
const mostSignatures = 1000

// TestHostileFileCostsLittleToValidate sends files over HTTP, in both encodings. The limits of parsing and validation bound
// the work; the time limit makes a missing limit visible.
func TestHostileFileCostsLittleToValidate(t *testing.T) {
	// Not parallel: it counts goroutines of the program.
	s := starting{set: []string{"SEGEL_VERIFICATIONS_PER_MINUTE", "1000"}, idle: true}.start(t)
	anonymous := &client{service: s, t: t}
	verified(t, s, simple())
	http.DefaultClient.CloseIdleConnections()
	before, running := s.files(t), runtime.NumGoroutine()
	for what, file := range hostile() {
		for _, spelling := range []string{"JSON", "form"} {
			began := time.Now()
			var m0, m1 runtime.MemStats
			runtime.ReadMemStats(&m0)
			a := anonymous.ask(spelling, file)
			runtime.ReadMemStats(&m1)
			took := time.Since(began)
			var out struct{ Data verdicts.Report }
			switch {
			case a.status == http.StatusOK:
				if err := json.Unmarshal(a.body, &out); err != nil {
					t.Errorf("%s as %s: %v", what, spelling, err)
				}
				if out.Data.Passed() {
					t.Errorf("%s as %s: passed", what, spelling)
				}
			case a.status != http.StatusUnprocessableEntity:
				t.Errorf("%s as %s: %d %s", what, spelling, a.status, a.body)
			}
			if n := len(out.Data.Signatures); n > mostSignatures {
				t.Errorf("%s as %s: %d signatures", what, spelling, n)
			}
			// Most of it is the limit of decoded data, and copies of the body, including the client's.
			if all := m1.TotalAlloc - m0.TotalAlloc; all > 256<<20+uint64(16*len(file)) {
				t.Errorf("%s as %s: %d MiB allocated in all", what, spelling, all>>20)
			}
			if took > 20*time.Second {
				t.Errorf("%s as %s: it took %v", what, spelling, took)
			}
			t.Logf("%s as %s: %d bytes, %d, %d signatures, %.200s; %v, %d MiB allocated in all", what, spelling, len(file), a.status, len(out.Data.Signatures), out.Data.Summary.English, took.Round(time.Millisecond), (m1.TotalAlloc-m0.TotalAlloc)>>20)
		}
	}
	if diff := cmp.Diff(before, s.files(t)); diff != "" {
		t.Errorf("something is left: %s", diff)
	}
	http.DefaultClient.CloseIdleConnections()
	const periodic = 4 // work of the service that may have begun meanwhile; each file, if it left something, would leave two
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > running+periodic && time.Now().Before(end); {
		runtime.Gosched() // closed connections are released by their handlers
	}
	if now := runtime.NumGoroutine(); now > running+periodic {
		t.Errorf("%d goroutines before, %d after", running, now)
	}
}

// ask requests validation of a file in one of the two encodings.
func (c *client) ask(spelling string, file []byte) *answer {
	c.t.Helper()
	if spelling == "JSON" {
		return c.do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(file)})
	}
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	w, err := m.CreateFormFile("document", "a.pdf")
	if err == nil {
		_, err = w.Write(file)
	}
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return c.send("POST", "/v1/verify", &b, "Content-Type", m.FormDataContentType())
}
