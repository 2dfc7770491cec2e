package facts_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// TestReferenceToAReferenceHidesNoChange has contents, a form and a list of annotations behind objects that are nothing
// but a reference. Readers follow it, so what is behind it must not change.
func TestReferenceToAReferenceHidesNoChange(t *testing.T) {
	t.Parallel()
	lunas := stated("BT /F1 24 Tf 72 720 Td (Lunas) Tj ET")
	b := section{objects: map[int]string{
		60: "61 0 R", 61: "62 0 R", 62: stated("BT /F1 24 Tf 72 720 Td (Setuju) Tj ET"),
		paintedPage: "<< /Type /Page /Parent 2 0 R /Contents 60 0 R /Resources 63 0 R >>",
		63:          "64 0 R", 64: "<< /Font << /F1 3 0 R >> >>",
	}}.append(t, pdftest.Table(2))
	b = on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A").b
	replaced := func(number int, by string) func(*testing.T, []byte) []byte {
		return func(t *testing.T, b []byte) []byte { return section{objects: map[int]string{number: by}}.append(t, b) }
	}
	tamper(t, b, []mutation{
		{"what the last reference leads to", "content_changed", replaced(62, lunas)},
		{"the reference itself", "content_changed", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{61: "70 0 R", 70: lunas}}.append(t, b)
		}},
		{"resources", "content_changed", replaced(64, "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >> >> >>")},
	})
}

// TestWhatIsAddedToOddFilesIsIntact signs, proves and timestamps files of odd structure that are sound enough to be
// signed, and wants no complaint.
func TestWhatIsAddedToOddFilesIsIntact(t *testing.T) {
	t.Parallel()
	signed := 0
	for _, odd := range pdftest.OddFiles() {
		if odd.Outcome == pdftest.Refused {
			continue
		}
		b, err := inOrder(odd.File)
		if err != nil {
			t.Errorf("%s: %v", odd.Name, err)
			continue
		}
		signed++
		t.Run(odd.Name, func(t *testing.T) {
			last := must[int](t)(on(t, b).open().PageCount())
			p := on(t, b).fields(pades.FieldSpec{Name: "Aku", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "Paraf", Page: last, Rect: boxA, Mark: true}, pades.FieldSpec{Name: "Kamu"})
			p.sign("Aku", shown, func(o *pades.Options) { o.Marks = map[string]pades.Appearance{"Paraf": plain{}} })
			p.sign("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "Meterai", Page: last, Rect: boxB} }, shown)
			p.addValidationData().sign("Kamu").addValidationData().addTimestamp()
			f := runSteps(t, p.b)
			wantIntact(t, f, "Aku", "Meterai", "Kamu", "Timestamp1")
		})
	}
	if signed < 100 {
		t.Errorf("%d files were signed", signed)
	}
}

// inOrder returns a file as the service signs it: rewritten if readers do not agree on it.
func inOrder(b []byte) ([]byte, error) {
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	if err == nil {
		if err = d.Check(); err == nil {
			return b, nil
		}
	}
	if d, err = pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Repair: true}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := d.Rewrite(&out, pdf.RewriteOptions{}); err != nil {
		return nil, fmt.Errorf("rewrite: %w", err)
	}
	return out.Bytes(), nil
}

// TestForbiddenRevisionCountsOnlyAgainstEarlierSignatures lets a revision that no rule allows give objects another use,
// and signs after it: later allowed changes are allowed.
func TestForbiddenRevisionCountsOnlyAgainstEarlierSignatures(t *testing.T) {
	t.Parallel()
	annots := func(b []byte) string {
		p := must[*pdf.Page](t)(on(t, b).open().Page(1))
		return p.Dict.Ref("Annots").String()
	}
	for name, forbidden := range map[string]func(b []byte) section{
		// The new page has the list of annotations of the one that is gone, so the list has had two owners.
		"page that is replaced": func(b []byte) section {
			return section{objects: map[int]string{
				2:  "<< /Type /Pages /Kids [60 0 R] /Count 1 /MediaBox [0 0 595.28 841.89] >>",
				60: "<< /Type /Page /Parent 2 0 R /Annots " + annots(b) + " /Resources << /Font << /F1 3 0 R >> >> >>",
			}}
		},
		// PDFBox numbers the references of an unknown entry of the trailer by guessing, and takes the numbers later.
		"trailer that refers to what is added": func(b []byte) section {
			root := must[pdf.Object](t)(on(t, b).open().Object(pdf.Ref{Number: 1})).(pdf.Dict)
			return section{
				objects: map[int]string{400: "<< /Type /DSS /Certs [] /Xyz 1 >>", 1: "<< /Type /Catalog /Pages 2 0 R /AcroForm " + root.Ref("AcroForm").String() + " /DSS 400 0 R >>"},
				trailer: "/AdditionalStreams [/application#2Fvnd 500 0 R]",
			}
		},
	} {
		b := bytes.Replace(pdftest.Form(), []byte("/Info 4 0 R"), []byte("/Info 4 0 R /AdditionalStreams [/application#2Fvnd 400 0 R]"), 1)
		p := on(t, b).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}, pades.FieldSpec{Name: "C"}).sign("A")
		p.b = forbidden(p.b).append(t, p.b)
		p.sign("B").addValidationData().sign("C").addValidationData().addTimestamp()
		for _, s := range runSteps(t, p.b).Signatures {
			if broken := len(troubles(s)) > 0; broken != (s.Field == "A") {
				t.Errorf("%s: %s: %v", name, s.Field, troubles(s))
			}
		}
	}
}

// TestListOfPagesIsNoListOfAnnotations has one array for the kids of the page tree and for the annotations of a page, or
// for the fields of the form. A field that is added to it is a page as well.
func TestListOfPagesIsNoListOfAnnotations(t *testing.T) {
	t.Parallel()
	for name, base := range map[string]section{
		"annotations": {objects: map[int]string{
			60: "[5 0 R 7 0 R]", 2: "<< /Type /Pages /Kids 60 0 R /Count 2 /MediaBox [0 0 595 842] >>",
			paintedPage: "<< /Type /Page /Parent 2 0 R /Annots 60 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
		}},
		"fields": {objects: map[int]string{
			60: "[5 0 R 7 0 R]", 2: "<< /Type /Pages /Kids 60 0 R /Count 2 /MediaBox [0 0 595 842] >>",
			1: "<< /Type /Catalog /Pages 2 0 R /AcroForm 61 0 R >>", 61: "<< /Fields 60 0 R >>",
		}},
	} {
		p := on(t, base.append(t, pdftest.Table(2))).fields(pades.FieldSpec{Name: "A"}).sign("A")
		p.sign("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "B", Page: 1, Rect: boxA} }, shown)
		if found := troubles(runSteps(t, p.b).Signatures[0]); !slices.Contains(found, "pages_changed") {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestFileWithoutPagesNeverPasses signs a file that shows nothing.
func TestFileWithoutPagesNeverPasses(t *testing.T) {
	t.Parallel()
	for name, pages := range map[string]string{
		"no kids": "<< /Type /Pages /Kids [] /Count 0 >>", "kids that do not exist": "<< /Type /Pages /Kids [900 0 R] /Count 1 >>", "a circle": "<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
	} {
		p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).sign("A")
		p.b = section{objects: map[int]string{2: pages}}.append(t, p.b)
		for _, s := range runSteps(t, p.sign("B").b).Signatures {
			if !slices.Contains(troubles(s), "no_pages") {
				t.Errorf("%s: %s: %v", name, s.Field, troubles(s))
			}
		}
	}
}

// TestSectionThatLeavesOutEarlierOnesHidesNoSignature appends to a signed file what some readers take for all of it.
func TestSectionThatLeavesOutEarlierOnesHidesNoSignature(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A"}, pades.FieldSpec{Name: "B"}).sign("A").sign("B")
	d := p.open()
	form, _, err := d.Form()
	if err != nil {
		t.Fatal(err)
	}
	catalog := "<< /Type /Catalog /Pages 2 0 R /AcroForm " + form.String() + " >>"
	for name, s := range map[string]section{
		"catalog":           {objects: map[int]string{1: catalog}},
		"catalog and form":  {objects: map[int]string{1: catalog, int(form.Number): "<< /Fields [] >>"}},
		"catalog and pages": {objects: map[int]string{1: catalog, 2: "<< /Type /Pages /Kids [5 0 R] /Count 1 /MediaBox [0 0 595 842] >>"}},
		"everything":        {objects: map[int]string{1: "<< /Type /Catalog /Pages 2 0 R >>", 2: "<< /Type /Pages /Kids [5 0 R] /Count 1 >>", 5: "<< /Type /Page /Parent 2 0 R >>"}},
	} {
		s.prev = -1
		s.trailer = "/Prev 0"
		f := runSteps(t, s.append(t, p.b))
		if f.Pages != 1 || !f.Repaired {
			t.Errorf("%s: %d pages, repaired %v", name, f.Pages, f.Repaired)
		}
		if strings.Contains(s.objects[1], "AcroForm") && len(s.objects[int(form.Number)]) == 0 && len(f.Signatures) != 2 {
			t.Errorf("%s: %d signatures", name, len(f.Signatures))
		}
		for _, g := range f.Signatures {
			if g.Coverage.State != facts.Broken {
				t.Errorf("%s: %s covers %s", name, g.Field, g.Coverage.State)
			}
		}
	}
}
