package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestEveryCrossReferenceStyleOpens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file  []byte
		style pdf.XRefStyle
	}{
		"table":      {pdftest.Table(7), pdf.XRefTable},
		"stream":     {pdftest.Streams(7), pdf.XRefStream},
		"hybrid":     {pdftest.Hybrid(7), pdf.XRefHybrid},
		"linearized": {pdftest.Linearized(7), pdf.XRefTable},
	} {
		d := open(t, c.file)
		if n := must[int](t)(d.PageCount()); n != 7 {
			t.Errorf("%s: %d pages", name, n)
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s: check: %v", name, err)
		}
		f := d.Properties()
		if f.XRefStyle != c.style || len(f.Tolerated) != 0 || f.JunkAfter != 0 {
			t.Errorf("%s: facts %+v", name, f)
		}
		if r := must[[]pdf.Revision](t)(d.Revisions()); len(r) != 1 || r[0].End != d.Size() {
			t.Errorf("%s: revisions %+v of %d bytes", name, r, d.Size())
		}
	}
}

func TestHiddenObjectOfHybridFileIsFound(t *testing.T) {
	t.Parallel()
	d := open(t, pdftest.Hybrid(1))
	_, root, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	outlines := must[pdf.Dict](t)(d.Dict(root["Outlines"]))
	if outlines["Type"] != pdf.Name("Outlines") {
		t.Errorf("outlines are %v", outlines)
	}
}

func TestLinearizedFileIsKnownByItsLength(t *testing.T) {
	t.Parallel()
	file := pdftest.Linearized(2)
	if open(t, file).Properties().Linearized {
		t.Error("a file that is not as long as it says is called linearized")
	}
	exact := replace(t, file, fmt.Sprintf("/L %010d", len(file)+1), fmt.Sprintf("/L %010d", len(file)))
	if !open(t, exact).Properties().Linearized {
		t.Error("a linearized file is not known")
	}
}

func TestErrorsHaveKinds(t *testing.T) {
	t.Parallel()
	table := pdftest.Table(1)
	xref := bytes.LastIndex(table, []byte("xref\n0"))
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"empty":             {nil, pdf.ErrNotPDF},
		"text":              {[]byte("hello"), pdf.ErrNotPDF},
		"header alone":      {[]byte("%PDF-1.7\n"), pdf.ErrDamaged},
		"cut":               {table[:len(table)-100], pdf.ErrDamaged},
		"startxref away":    {replace(t, table, fmt.Sprintf("startxref\n%d", xref), fmt.Sprintf("startxref\n%03d", 100)), pdf.ErrDamaged},
		"loop":              {loopSections(table, xref), pdf.ErrDamaged},
		"catalog elsewhere": {replace(t, table, "1 0 obj", "9 0 obj"), pdf.ErrDamaged},
		"encrypted":         {bytes.Replace(table, []byte("/Root"), []byte("/Encrypt << /Filter /Odd /V 9 >> /Root"), 1), pdf.ErrEncrypted},
		"too many objects":  {bytes.Replace(table, []byte("xref\n0 7"), []byte("xref\n9999999 7"), 1), pdf.ErrTooLarge},
	} {
		if err := openErr(c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func loopSections(table []byte, xref int) []byte {
	return bytes.Replace(table, []byte("/Root"), fmt.Appendf(nil, "/Prev %d /Root", xref), 1)
}

func TestSmallErrorOfStartxrefIsToleratedAndNoted(t *testing.T) {
	t.Parallel()
	table := pdftest.Table(2)
	xref := bytes.LastIndex(table, []byte("xref\n0"))
	for _, off := range []int{-9, -1, 1, 3} {
		file := replace(t, table, fmt.Sprintf("startxref\n%d", xref), fmt.Sprintf("startxref\n%d", xref+off))
		d := open(t, file)
		if f := d.Properties(); len(f.Tolerated) != 1 && off != -1 {
			t.Errorf("off by %d: tolerated %v", off, f.Tolerated)
		}
		u := d.NewUpdate()
		u.Add(pdf.Integer(1))
		again := open(t, build(t, file, u))
		if f := again.Properties(); len(f.Tolerated) != 0 {
			t.Errorf("off by %d: the update did not heal it: %v", off, f.Tolerated)
		}
	}
}

func TestJunkBeforeHeaderIsReported(t *testing.T) {
	t.Parallel()
	junk := []byte("HTTP/1.1 200 OK\r\n\r\n")
	file := append(bytes.Clone(junk), pdftest.Table(2)...)
	d := open(t, file)
	if f := d.Properties(); f.HeaderOffset != int64(len(junk)) {
		t.Errorf("header at %d", f.HeaderOffset)
	}
	if n := must[int](t)(d.PageCount()); n != 2 {
		t.Errorf("%d pages", n)
	}
	// A tail counts its offsets from the same byte as the file.
	u := d.NewUpdate()
	u.Add(pdf.Integer(1))
	if err := open(t, build(t, file, u)).Check(); err != nil {
		t.Error(err)
	}
}

func TestJunkAfterEndIsReported(t *testing.T) {
	t.Parallel()
	d := open(t, append(pdftest.Table(2), "</html>"...))
	if f := d.Properties(); f.JunkAfter != 7 {
		t.Errorf("%d bytes of junk", f.JunkAfter)
	}
}

func TestNineteenByteEntriesAreRead(t *testing.T) {
	t.Parallel()
	file := bytes.ReplaceAll(pdftest.Table(3), []byte(" n \n"), []byte(" n\n"))
	if err := open(t, file).Check(); err != nil {
		t.Error(err)
	}
}

func TestLongChainOfUpdatesOpens(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	for i := range 200 {
		u := open(t, file).NewUpdate()
		u.Add(pdf.Integer(i))
		file = build(t, file, u)
	}
	d := open(t, file)
	if r := must[[]pdf.Revision](t)(d.Revisions()); len(r) != 201 {
		t.Errorf("%d revisions", len(r))
	}
	_, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Limits: pdf.Limits{Sections: 100}})
	if !errors.Is(err, pdf.ErrTooLarge) {
		t.Errorf("limit of sections: %v", err)
	}
}

func TestRevisionsOpenAsPrefixes(t *testing.T) {
	t.Parallel()
	for name, base := range map[string][]byte{
		"table": pdftest.Table(1), "stream": pdftest.Streams(1), "hybrid": pdftest.Hybrid(1), "linearized": pdftest.Linearized(1),
	} {
		file := base
		ends := []int64{int64(len(base))}
		for range 3 {
			d := open(t, file)
			u := d.NewUpdate()
			ref, _, _ := d.Root()
			root := must[pdf.Dict](t)(u.Edit(ref))
			root["SegelTest"] = pdf.Integer(len(ends))
			file = build(t, file, u)
			ends = append(ends, int64(len(file)))
		}
		d := open(t, file)
		revisions := must[[]pdf.Revision](t)(d.Revisions())
		if len(revisions) != len(ends) {
			t.Fatalf("%s: %d revisions", name, len(revisions))
		}
		for i, r := range revisions {
			if r.End != ends[i] {
				t.Errorf("%s: revision %d ends at %d, want %d", name, i, r.End, ends[i])
			}
			_, root, err := open(t, file[:r.End]).Root()
			want := pdf.Object(pdf.Integer(i))
			if i == 0 {
				want = nil
			}
			if err != nil || root["SegelTest"] != want {
				t.Errorf("%s: revision %d has %v, %v", name, i, root["SegelTest"], err)
			}
			changed := must[[]pdf.Entry](t)(d.RevisionEntries(r))
			if i > 0 && len(changed) > 2 {
				t.Errorf("%s: revision %d changed %v", name, i, changed)
			}
		}
	}
}

func TestMissingAndFreedObjectsAreNull(t *testing.T) {
	t.Parallel()
	d := open(t, pdftest.Table(1))
	for _, ref := range []pdf.Ref{{Number: 0}, {Number: 999}, {Number: 1, Generation: 3}, {Number: 1 << 31}} {
		if o := must[pdf.Object](t)(d.Object(ref)); o != (pdf.Null{}) {
			t.Errorf("%v is %v", ref, o)
		}
	}
}

func TestStartxrefThatIsOffByAFewBytesIsFound(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"table": pdftest.Table(2), "stream": pdftest.Streams(2)} {
		at := must[[]pdf.Revision](t)(open(t, file).Revisions())[0].StartXref
		for _, off := range []int64{-20, -3, -1, 1, 2, 5, 30} {
			odd := replace(t, file, fmt.Sprintf("startxref\n%d\n", at), fmt.Sprintf("startxref\n%d\n", at+off))
			d := open(t, odd)
			if got := must[[]pdf.Revision](t)(d.Revisions())[0].StartXref; got != at {
				t.Errorf("%s, off by %d: found at %d, stands at %d", name, off, got, at)
			}
			if err := d.Check(); err != nil || !slices.Contains(d.Properties().Tolerated, "startxref is off") && off > 0 {
				t.Errorf("%s, off by %d: %v, tolerated %v", name, off, err, d.Properties().Tolerated)
			}
			u := d.NewUpdate()
			u.Add(pdf.Name("More"))
			if d := open(t, build(t, odd, u)); d.Check() != nil || len(must[[]pdf.Revision](t)(d.Revisions())) != 2 {
				t.Errorf("%s, off by %d: updated: %v", name, off, d.Check())
			}
		}
	}
}
