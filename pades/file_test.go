package pades_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// newVisibleField returns a field at the lower left of page 1 and an appearance of its size.
func newVisibleField(t testing.TB, p *testFile, name string) (pades.FieldSpec, *appearance.Drawing) {
	t.Helper()
	page := must[*pdf.Page](t)(p.Open(t).Page(1))
	w, h := page.DisplayedSize()
	box := pdf.Rect{LLX: w * 0.1, LLY: h * 0.1, URX: w * 0.5, URY: h * 0.2}
	text := appearance.SignatureText{Name: "Budi Santoso", Time: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC), QR: "https://segel.example/verify"}
	return pades.FieldSpec{Name: name, Label: "Tanda tangan", Page: 1, Rect: page.ToUser(box)}, appearance.Signature(text, box.Width(), box.Height())
}

func TestFilesOfEveryShapeCanBeSigned(t *testing.T) {
	t.Parallel()
	budi := signtest.NewSigner(t, "Budi Santoso")
	for name, b := range map[string][]byte{
		"table": pdftest.Table(2), "streams": pdftest.Streams(2), "hybrid": pdftest.Hybrid(2), "linearized": pdftest.Linearized(2),
		"rotated": pdftest.Rotated(), "form": pdftest.Form(), "active": pdftest.Active(),
		"no line end": bytes.TrimRight(pdftest.Table(1), "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: b}
			before := len(must[[]*pdf.Field](t)(p.Open(t).Fields()))
			spec, drawing := newVisibleField(t, p, "Tampak")
			p.AddFields(t, spec, pades.FieldSpec{Name: "Segel"})
			o := budi.Options(t, "Tampak")
			o.Appearance = drawing
			p.Sign(t, o)
			p.Sign(t, budi.Options(t, "Segel"))
			wantValid(t, p, "Tampak", "Segel")
			o = budi.Options(t, "")
			o.NewField = &pades.FieldSpec{Name: "Emet1", Page: 1, Rect: pdf.Rect{LLX: 300, LLY: 100, URX: 354, URY: 154}}
			p.Sign(t, o)
			wantValid(t, p, "Tampak", "Segel", "Emet1")
			p.Complete(t, signtest.Authority(t))
			runTool(t, "qpdf", "--check", writeTemp(t, p))
			if after := len(must[[]*pdf.Field](t)(p.Open(t).Fields())); after != before+4 {
				t.Errorf("%d fields became %d", before, after)
			}
		})
	}
}

func TestFormKeepsItsFieldsAndDefaults(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Form()}
	_, before, err := p.Open(t).Form()
	if err != nil {
		t.Fatal(err)
	}
	p.AddFields(t, pades.FieldSpec{Name: "A"})
	p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
	_, after, err := p.Open(t).Form()
	if err != nil {
		t.Fatal(err)
	}
	for key, o := range before {
		was, is := formatObject(o), formatObject(after[key])
		if key != "Fields" && key != "SigFlags" && was != is {
			t.Errorf("/%s was %s and is %s", key, was, is)
		}
	}
	d := p.Open(t)
	old, now := must[pdf.Array](t)(d.Array(before["Fields"])), must[pdf.Array](t)(d.Array(after["Fields"]))
	if len(now) != len(old)+1 || fmt.Sprint(now[:len(old)]) != fmt.Sprint(old) {
		t.Errorf("/Fields was %v and is %v", old, now)
	}
	if flags := must[int64](t)(d.Integer(after["SigFlags"])); flags != 3 {
		t.Errorf("/SigFlags %d", flags)
	}
}

// formatObject formats an object without file positions.
func formatObject(o pdf.Object) string {
	if s, ok := o.(pdf.String); ok {
		return s.Text()
	}
	return fmt.Sprint(o)
}

func TestWidgetsAreAsReadersWantThem(t *testing.T) {
	t.Parallel()
	p := &testFile{Bytes: pdftest.Rotated()}
	spec, drawing := newVisibleField(t, p, "Tampak")
	p.AddFields(t, spec, pades.FieldSpec{Name: "Segel"})
	o := signtest.NewSigner(t, "A").Options(t, "Tampak")
	o.Appearance = drawing
	p.Sign(t, o)
	d := p.Open(t)
	annots := must[pdf.Array](t)(d.Array(must[*pdf.Page](t)(d.Page(1)).Dict["Annots"]))
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		if f.Dict["F"] != pdf.Object(pdf.Integer(132)) || f.Dict.Ref("P") != must[*pdf.Page](t)(d.Page(1)).Ref {
			t.Errorf("%s: /F %v /P %v", f.Name, f.Dict["F"], f.Dict["P"])
		}
		if !strings.Contains(fmt.Sprint(annots), fmt.Sprint(f.Ref)) {
			t.Errorf("%s is not among %v", f.Name, annots)
		}
		if rect := must[pdf.Rect](t)(d.Rect(f.Dict["Rect"])); rect.Empty() != (f.Name == "Segel") {
			t.Errorf("%s stands in %v", f.Name, rect)
		}
	}
}

func TestWidgetThatNamesNoPageStandsUpright(t *testing.T) {
	t.Parallel()
	file := pdftest.Rotated()
	for n := 1; n <= 4; n++ {
		p := &testFile{Bytes: bytes.Clone(file)}
		page := must[*pdf.Page](t)(p.Open(t).Page(n))
		_, drawing := newVisibleField(t, p, "A")
		p.AddFields(t, pades.FieldSpec{Name: "A", Page: n, Rect: page.ToUser(pdf.Rect{LLX: 50, LLY: 50, URX: 250, URY: 110})})
		var with, without string
		for _, named := range []bool{true, false} {
			q := &testFile{Bytes: bytes.Clone(p.Bytes)}
			if !named {
				editField(t, q, "A", func(f pdf.Dict) { delete(f, "P") })
			}
			o := signtest.NewSigner(t, "A").Options(t, "A")
			o.Appearance = drawing
			q.Sign(t, o)
			wantValid(t, q, "A")
			d := q.Open(t)
			ap := must[pdf.Dict](t)(d.Dict(must[[]*pdf.Field](t)(d.Fields())[0].Dict["AP"]))
			m := fmt.Sprint(must[*pdf.Stream](t)(d.Stream(ap["N"])).Dict["Matrix"])
			if named {
				with = m
			} else {
				without = m
			}
		}
		if with != without {
			t.Errorf("page %d turned %d: /Matrix %s without /P, %s with", n, page.Rotate, without, with)
		}
	}
}

// listCorpus returns the PDF files below SEGEL_PDFS, if it is set; with -short every fifth of them.
func listCorpus(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("SEGEL_PDFS")
	if root == "" {
		t.Skip("SEGEL_PDFS is not set: only the files made here are tried")
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
	if !testing.Short() {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += 5 {
		some = append(some, files[i])
	}
	return some
}

// isHealthy reports whether qpdf finds no fault in a file.
func isHealthy(t testing.TB, path string) bool {
	t.Helper()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Skip("qpdf is not installed")
	}
	return exec.CommandContext(t.Context(), qpdf, "--check", path).Run() == nil
}

func TestEveryHealthyFileOfTheCorpusCanBeSigned(t *testing.T) {
	t.Parallel()
	budi := signtest.NewSigner(t, "Budi Santoso")
	signed := 0
	for _, path := range listCorpus(t) {
		name := filepath.Base(path)
		p := &testFile{Bytes: must[[]byte](t)(os.ReadFile(path))}
		d, err := pdf.Open(bytes.NewReader(p.Bytes), int64(len(p.Bytes)), pdf.Options{})
		if err != nil || d.Properties().Encrypted || d.Properties().DocMDP == 1 || d.Properties().DocMDP == 2 || !isHealthy(t, path) {
			continue
		}
		if _, err := d.Page(1); err != nil {
			continue // there is no page for a widget
		}
		if _, err := d.Fields(); err != nil {
			continue // qpdf does not read this form
		}
		var before map[string]pdfsigVerdict
		if s, err := d.Signatures(); err == nil && len(s) > 0 {
			before = runPdfsig(t, path)
		}
		spec, drawing := newVisibleField(t, p, "TampakUji")
		tail, err := pades.AddFields(d, []pades.FieldSpec{spec, {Name: "SegelUji"}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Bytes = append(p.Bytes, tail.Bytes...)
		o := budi.Options(t, "TampakUji")
		o.Appearance = drawing
		r, err := pades.Sign(t.Context(), p.Source(), o)
		if errors.Is(err, pades.ErrFieldLocked) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p.Bytes = append(p.Bytes, r.Tail...)
		out := writeTemp(t, p)
		after := runPdfsig(t, out)
		if v := after["TampakUji"]; !v.valid || !v.total {
			t.Errorf("%s: pdfsig says %+v", name, v)
		}
		for field, v := range before {
			if v.valid && !after[field].valid {
				t.Errorf("%s: the signature in %q was valid before", name, field)
			}
		}
		if !isHealthy(t, out) {
			t.Errorf("%s: qpdf finds fault", name)
		}
		signed++
	}
	t.Logf("%d files signed", signed)
}
