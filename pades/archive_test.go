package pades_test

import (
	"fmt"
	"testing"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// pictureOf returns the normal appearance of a field.
func pictureOf(t *testing.T, p *paper, name string) *pdf.Stream {
	t.Helper()
	d := p.open(t)
	for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
		if f.Name == name {
			return must[*pdf.Stream](t)(d.Stream(must[pdf.Dict](t)(d.Dict(f.Dict["AP"]))["N"]))
		}
	}
	t.Fatalf("no field %q", name)
	return nil
}

func TestSigningFillsThePictureInTheShapeItHad(t *testing.T) {
	t.Parallel()
	file := pdftest.Rotated()
	for n := 1; n <= 4; n++ {
		p := &paper{b: file}
		page := must[*pdf.Page](t)(p.open(t).Page(n))
		spec, look := visible(t, p, "A") // laid out for page 1
		spec.Page, spec.Rect = n, page.ToUser(pdf.Rect{URX: spec.Rect.Width(), URY: spec.Rect.Height()})
		p.add(t, spec)
		empty := pictureOf(t, p, "A")
		o := newPerson(t, "A").options(t, "A")
		o.Appearance = look
		p.sign(t, o)
		filled := pictureOf(t, p, "A")
		for _, key := range []pdf.Name{"BBox", "Filter", "Type", "Subtype"} {
			if was, is := fmt.Sprint(empty.Dict[key]), fmt.Sprint(filled.Dict[key]); was != is {
				t.Errorf("page %d: /%s was %s and is %s", n, key, was, is)
			}
		}
		if b := must[[]byte](t)(p.open(t).Decode(empty)); len(b) > 0 {
			t.Errorf("an empty field shows %q", b)
		}
	}
}

func TestEveryFieldOfPDFA1HasAPicture(t *testing.T) {
	t.Parallel()
	for part := 1; part <= 3; part++ {
		p := &paper{b: pdftest.Archive(part)}
		p.add(t, pades.FieldSpec{Name: "A"})
		p.sign(t, newPerson(t, "A").options(t, "A"))
		p.complete(t)
		for _, name := range []string{"A", "Timestamp1"} {
			if got := pictureOf(t, p, name) != nil; got != (part == 1) {
				t.Errorf("PDF/A-%d: field %s has a picture: %v", part, name, got)
			}
		}
	}
}
