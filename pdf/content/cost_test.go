package content_test

import (
	"errors"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/pdftest"
)

// TestWhatOperatorsShareCountsTowardsTheLimits has pages with a few operators of which each needs a large object of the file, or the rest of
// the content. Without that they are far within the limits.
func TestWhatOperatorsShareCountsTowardsTheLimits(t *testing.T) {
	t.Parallel()
	repeat := func(n int, o pdf.Object) pdf.Array {
		a := make(pdf.Array, n)
		for i := range a {
			a[i] = o
		}
		return a
	}
	resources := func(category pdf.Name, o func(u *pdf.Update) pdf.Object) func(u *pdf.Update, page pdf.Dict) {
		return func(u *pdf.Update, page pdf.Dict) {
			page["Resources"] = pdf.Dict{category: pdf.Dict{"R": o(u)}}
		}
	}
	image := pdf.Dict{"Subtype": pdf.Name("Image")}
	group := pdf.Dict{"Type": pdf.Name("OCG"), "Usage": pdf.Dict{"View": pdf.Dict{"ViewState": pdf.Name("ON")}}}
	for name, c := range map[string]struct {
		operators string
		change    func(u *pdf.Update, page pdf.Dict)
	}{
		"blend modes": {"/R gs", resources("ExtGState", func(*pdf.Update) pdf.Object {
			return pdf.Dict{"BM": repeat(1000, pdf.Name("Unknown"))}
		})},
		"a soft mask": {"/R gs", resources("ExtGState", func(*pdf.Update) pdf.Object {
			return pdf.Dict{"SMask": pdf.Dict{"Odd": repeat(200_000, pdf.Integer(1))}}
		})},
		"a colour space": {"/R cs", resources("ColorSpace", func(*pdf.Update) pdf.Object {
			return pdf.Array{pdf.Name("Indexed"), pdf.Name("DeviceRGB"), pdf.String{Bytes: make([]byte, 200_000)}}
		})},
		"a pattern": {"/Pattern cs " + strings.Repeat("/R scn ", 200), resources("Pattern", func(*pdf.Update) pdf.Object {
			return pdf.Dict{"PatternType": pdf.Integer(2), "Odd": repeat(1000, pdf.Integer(1))}
		})},
		"a shading": {strings.Repeat("/R sh ", 200), resources("Shading", func(*pdf.Update) pdf.Object {
			return pdf.Dict{"ShadingType": pdf.Integer(1), "Odd": repeat(1000, pdf.Integer(1))}
		})},
		"a visibility expression": {strings.Repeat("/OC /R BDC EMC ", 200), resources("Properties", func(u *pdf.Update) pdf.Object {
			return pdf.Dict{"VE": append(pdf.Array{pdf.Name("Or")}, repeat(999, u.Add(group))...)}
		})},
		"alternates of an image": {"1e30 0 0 1e30 0 0 cm " + strings.Repeat("/R Do ", 200), resources("XObject", func(u *pdf.Update) pdf.Object {
			other := u.Add(pdf.Dict{"Image": u.Add(&pdf.Stream{Dict: image})})
			return u.Add(&pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Image"), "Alternates": repeat(100, other)}})
		})},
		"states of layers": {"", func(u *pdf.Update, _ pdf.Dict) {
			root, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
			if err != nil {
				t.Fatal(err)
			}
			layer := u.Add(group)
			state := pdf.Dict{"Event": pdf.Name("View"), "OCGs": u.Add(repeat(100, layer)), "Category": repeat(100, pdf.Name("View"))}
			root["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{layer}, "D": pdf.Dict{"AS": repeat(10, u.Add(state))}}
		}},
		"hexadecimal images without an end": {strings.Repeat("BI /F /AHx ID a EI ", 200), nil},
		"run lengths without an end":        {strings.Repeat("BI /F /RL ID a EI ", 200), nil},
		"annotations": {"", func(u *pdf.Update, page pdf.Dict) {
			page["Annots"] = repeat(4000, u.Add(pdf.Dict{"Subtype": pdf.Name("Link"), "Rect": pdf.Rect{URX: 1, URY: 1}.Array()}))
		}},
	} {
		d, page := openPage(t, square, c.operators, c.change)
		_, err := content.NewDeepReader(d, content.Limits{Bytes: 100_000, Operators: 10_000}).PageMarks(page)
		var incomplete *content.IncompleteError
		if !errors.As(err, &incomplete) || incomplete.Reason != content.Limit {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInlineImagesThatAreNotSearchedCostOnlyTheirContent(t *testing.T) {
	t.Parallel()
	for name, image := range map[string]string{
		"fax": "BI /F /CCF ID a EI ", "JPEG": "BI /F /DCT ID a EI ", "LZW": "BI /F [/LZW] ID a EI ", "damaged, compressed": "BI /F /Fl ID a EI ",
	} {
		d, page := openPage(t, square, strings.Repeat(image, 200), nil)
		marks, err := content.NewDeepReader(d, content.Limits{Bytes: 20_000, Operators: 10_000}).PageMarks(page)
		if err != nil {
			t.Errorf("%s: %d marks, %v", name, len(marks), err)
		}
	}
}
