package inspect_test

import (
	"slices"
	"testing"

	"segel/pdf"
	"segel/pdf/inspect"
	"segel/pdf/pdftest"
)

// twoLayers is a page with a layer S that is shown on a screen alone and a layer P that is printed alone.
func twoLayers(t testing.TB, content string, change func(u *pdf.Update, resources pdf.Dict)) []byte {
	t.Helper()
	return edited(t, content, func(u *pdf.Update, page pdf.Dict) {
		usage := func(screen, print string) pdf.Dict {
			return pdf.Dict{"View": pdf.Dict{"ViewState": pdf.Name(screen)}, "Print": pdf.Dict{"PrintState": pdf.Name(print)}}
		}
		s := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("S"), "Usage": usage("ON", "OFF")})
		p := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("P"), "Usage": usage("OFF", "ON")})
		catalog, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
		if err != nil {
			t.Fatal(err)
		}
		auto := func(event string) pdf.Dict {
			return pdf.Dict{"Event": pdf.Name(event), "OCGs": pdf.Array{s, p}, "Category": pdf.Array{pdf.Name(event)}}
		}
		catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{s, p}, "D": pdf.Dict{"AS": pdf.Array{auto("View"), auto("Print")}}}
		resources := pdf.Dict{"Properties": pdf.Dict{"S": s, "P": p}}
		if change != nil {
			change(u, resources)
		}
		page["Resources"] = resources
	})
}

// TestLayersThatLookDifferentAreNotTakenForTheSame although they paint the same kinds of marks in the same boxes.
func TestLayersThatLookDifferentAreNotTakenForTheSame(t *testing.T) {
	t.Parallel()
	fonts := func(u *pdf.Update, resources pdf.Dict) {
		glyphs := func(drawn string) pdf.Ref {
			return u.Add(pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type3"), "FontMatrix": pdf.Array{pdf.Real(.001), pdf.Integer(0), pdf.Integer(0), pdf.Real(.001), pdf.Integer(0), pdf.Integer(0)},
				"FontBBox": pdf.Rect{URX: 1000, URY: 1000}.Array(), "FirstChar": pdf.Integer(97), "LastChar": pdf.Integer(97), "Widths": pdf.Array{pdf.Integer(1000)},
				"Encoding":  pdf.Dict{"Differences": pdf.Array{pdf.Integer(97), pdf.Name("g1")}},
				"CharProcs": pdf.Dict{"g1": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("1000 0 0 0 1000 1000 d1 " + drawn)})},
			})
		}
		resources["Font"] = pdf.Dict{"A": glyphs("0 0 400 1000 re f"), "B": glyphs("0 0 m 1000 1000 l 0 1000 l f")}
	}
	patterns := func(u *pdf.Update, resources pdf.Dict) {
		tile := func(drawn string) pdf.Ref {
			return u.Add(&pdf.Stream{Data: []byte(drawn), Dict: pdf.Dict{
				"PatternType": pdf.Integer(1), "PaintType": pdf.Integer(1), "TilingType": pdf.Integer(1), "BBox": pdf.Rect{URX: 90, URY: 90}.Array(),
				"XStep": pdf.Integer(90), "YStep": pdf.Integer(90), "Resources": pdf.Dict{},
			}})
		}
		resources["Pattern"] = pdf.Dict{"A": tile("0 0 9 9 re f"), "B": tile("0 0 90 9 re f")}
	}
	image := func(u *pdf.Update, resources pdf.Dict) {
		resources["XObject"] = pdf.Dict{"I": u.Add(&pdf.Stream{Data: []byte{0, 85, 170, 255}, Dict: pdf.Dict{
			"Subtype": pdf.Name("Image"), "Width": pdf.Integer(2), "Height": pdf.Integer(2), "BitsPerComponent": pdf.Integer(8), "ColorSpace": pdf.Name("DeviceGray"),
		}})}
	}
	states := func(u *pdf.Update, resources pdf.Dict) {
		resources["ExtGState"] = pdf.Dict{"A": pdf.Dict{"ca": pdf.Real(.01)}, "B": pdf.Dict{"ca": pdf.Real(.8)}}
	}
	for name, c := range map[string]struct {
		screen, print string
		change        func(u *pdf.Update, resources pdf.Dict)
	}{
		"outlines":             {"72 500 m 172 500 l 172 600 l f", "72 500 m 172 600 l 72 600 l f", nil},
		"lines":                {"72 500 m 172 600 l S", "72 600 m 172 500 l S", nil},
		"clips":                {"q 72 500 m 172 500 l 172 600 l W n 72 500 100 100 re f Q", "q 72 500 m 172 600 l 72 600 l W n 72 500 100 100 re f Q", nil},
		"colours":              {".97 g 72 500 99 99 re f", "0 g 72 500 99 99 re f", nil},
		"inline images":        {"q 99 0 0 99 72 500 cm BI /W 1 /H 1 /BPC 8 /CS /G ID A EI Q", "q 99 0 0 99 72 500 cm BI /W 1 /H 1 /BPC 8 /CS /G ID Z EI Q", nil},
		"an image upside down": {"q 99 0 0 99 72 500 cm /I Do Q", "q -99 0 0 -99 171 599 cm /I Do Q", image},
		"glyphs":               {"BT /A 50 Tf 72 500 Td (a) Tj ET", "BT /B 50 Tf 72 500 Td (a) Tj ET", fonts},
		"patterns":             {"/Pattern cs /A scn 72 500 99 99 re f", "/Pattern cs /B scn 72 500 99 99 re f", patterns},
		"opacity":              {"/A gs 72 500 99 99 re f", "/B gs 72 500 99 99 re f", states},
	} {
		content := func(screen, print string) string {
			return "q /OC /S BDC " + screen + " EMC Q q /OC /P BDC " + print + " EMC Q"
		}
		if got := kindsOf(look(t, twoLayers(t, content(c.screen, c.print), c.change), inspect.Limits{})); !slices.Contains(got, "print_differs") {
			t.Errorf("%s: %q", name, got)
		}
		if got := kindsOf(look(t, twoLayers(t, content(c.screen, c.screen), c.change), inspect.Limits{})); slices.Contains(got, "print_differs") {
			t.Errorf("%s, the same: %q", name, got)
		}
	}
}
