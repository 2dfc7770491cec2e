package pades_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// pictureOf returns the normal appearance of a field.
func pictureOf(t *testing.T, p *testFile, name string) *pdf.Stream {
	t.Helper()
	d := p.Open(t)
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
		p := &testFile{Bytes: file}
		page := must[*pdf.Page](t)(p.Open(t).Page(n))
		spec, drawing := newVisibleField(t, p, "A") // laid out for page 1
		spec.Page, spec.Rect = n, page.ToUser(pdf.Rect{URX: spec.Rect.Width(), URY: spec.Rect.Height()})
		p.AddFields(t, spec)
		empty := pictureOf(t, p, "A")
		o := signtest.NewSigner(t, "A").Options(t, "A")
		o.Appearance = drawing
		p.Sign(t, o)
		filled := pictureOf(t, p, "A")
		for _, key := range []pdf.Name{"BBox", "Filter", "Type", "Subtype"} {
			if was, is := fmt.Sprint(empty.Dict[key]), fmt.Sprint(filled.Dict[key]); was != is {
				t.Errorf("page %d: /%s was %s and is %s", n, key, was, is)
			}
		}
		if b := must[[]byte](t)(p.Open(t).Decode(empty)); len(b) > 0 {
			t.Errorf("an empty field shows %q", b)
		}
	}
}

func TestEveryFieldOfPDFA1HasAPicture(t *testing.T) {
	t.Parallel()
	for part := 1; part <= 3; part++ {
		p := &testFile{Bytes: pdftest.PDFA(part)}
		p.AddFields(t, pades.FieldSpec{Name: "A"})
		p.Sign(t, signtest.NewSigner(t, "A").Options(t, "A"))
		p.Complete(t, signtest.Authority(t))
		for _, name := range []string{"A", "Timestamp1"} {
			if got := pictureOf(t, p, name) != nil; got != (part == 1) {
				t.Errorf("PDF/A-%d: field %s has a picture: %v", part, name, got)
			}
		}
	}
}

// newPDFAFile returns a PDF/A file of that part, with an output intent of that many components.
func newPDFAFile(t testing.TB, part, components int) *testFile {
	t.Helper()
	b := pdftest.PDFA(part)
	if components == 3 {
		return &testFile{Bytes: b}
	}
	return editFile(t, b, func(d *pdf.Document, u *pdf.Update) {
		root, _, err := d.Root()
		if err != nil {
			t.Fatal(err)
		}
		catalog := must[pdf.Dict](t)(u.Edit(root))
		if delete(catalog, "OutputIntents"); components > 0 {
			profile := u.Add(&pdf.Stream{Dict: pdf.Dict{"N": pdf.Integer(components)}, Data: make([]byte, 128)})
			catalog["OutputIntents"] = pdf.Array{pdf.Dict{"S": pdf.Name("GTS_PDFA1"), "DestOutputProfile": profile}}
		}
		contents := must[*pdf.Page](t)(d.Page(1)).Dict.Ref("Contents")
		u.Set(contents, &pdf.Stream{Data: []byte("q Q")}) // no device colours
	})
}

func TestPicturesInArchivesHaveNoMoreThanTheArchiveAllows(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "Budi Santoso")
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(drawSignature(t)))
	for _, c := range []struct {
		part, components   int
		opaque, calibrated bool
	}{{1, 3, true, false}, {2, 3, false, false}, {3, 3, false, false}, {1, 4, true, true}, {1, 0, true, true}, {2, 0, true, true}, {2, 4, false, true}} {
		p := newPDFAFile(t, c.part, c.components)
		p.AddFields(t, pades.FieldSpec{Name: "A", Page: 1, Rect: pdf.Rect{LLX: 50, LLY: 50, URX: 290, URY: 130}})
		o := who.Options(t, "A")
		drawing := appearance.Signature(appearance.SignatureText{Name: who.Name, Time: time.Now(), Specimen: specimen, QR: "https://segel.example/"}, 240, 80)
		drawing.Faded(0.5, func(d *appearance.Drawing) {
			d.Fill(appearance.Color{R: 255}, appearance.Rectangle(pdf.Rect{URX: 9, URY: 9}))
		})
		o.Appearance = drawing
		p.Sign(t, o)
		p.Complete(t, signtest.Authority(t))
		d := p.Open(t)
		form := pictureOf(t, p, "A")
		resources := must[pdf.Dict](t)(d.Dict(form.Dict["Resources"]))
		if (resources["ExtGState"] == nil) != c.opaque || (resources["ColorSpace"] != nil) != c.calibrated {
			t.Errorf("PDF/A-%d, %d components: resources %v", c.part, c.components, resources)
		}
		for _, o := range must[pdf.Dict](t)(d.Dict(resources["XObject"])) {
			image := must[*pdf.Stream](t)(d.Stream(o))
			if image.Dict["Subtype"] == pdf.Object(pdf.Name("Form")) { // the code: opaque squares in the colour of the form
				if bytes.ContainsAny(must[[]byte](t)(d.Decode(image)), "gG") {
					t.Errorf("PDF/A-%d, %d components: the code sets a colour", c.part, c.components)
				}
				continue
			}
			if (image.Dict["SMask"] == nil) != c.opaque || (image.Dict["ImageMask"] != nil) != c.opaque {
				t.Errorf("PDF/A-%d, %d components: picture %v", c.part, c.components, image.Dict)
			}
		}
		faded := bytes.Contains(must[[]byte](t)(d.Decode(form)), []byte("1 0.498 0.498 rg"))
		if faded != c.opaque {
			t.Errorf("PDF/A-%d: paler colour: %v", c.part, faded)
		}
	}
}
