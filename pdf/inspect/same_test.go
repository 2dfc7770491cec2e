package inspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/inspect"
	"segel/pdf/pdftest"
)

// twoLayers is a page with a layer S that is shown on a screen alone and a layer P that is printed alone.
func twoLayers(t testing.TB, content string, change func(u *pdf.Update, resources pdf.Dict)) []byte {
	t.Helper()
	return newEditedFile(t, content, func(u *pdf.Update, page pdf.Dict) {
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
		if got := kindsOf(inspectFile(t, twoLayers(t, content(c.screen, c.print), c.change), inspect.Limits{})); !slices.Contains(got, "print_differs") {
			t.Errorf("%s: %q", name, got)
		}
		if got := kindsOf(inspectFile(t, twoLayers(t, content(c.screen, c.screen), c.change), inspect.Limits{})); slices.Contains(got, "print_differs") {
			t.Errorf("%s, the same: %q", name, got)
		}
	}
}

// TestLimitsOnLayersHideNoPrint: what decides whether content is printed may lie behind each limit.
func TestLimitsOnLayersHideNoPrint(t *testing.T) {
	t.Parallel()
	layer := func(u *pdf.Update, usage pdf.Dict) pdf.Ref {
		return u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L"), "Usage": usage})
	}
	off := pdf.Dict{"Print": pdf.Dict{"PrintState": pdf.Name("OFF")}}
	auto := func(groups ...pdf.Object) pdf.Dict {
		return pdf.Dict{"Event": pdf.Name("Print"), "OCGs": pdf.Array(groups), "Category": pdf.Array{pdf.Name("Print")}}
	}
	repeat := func(o pdf.Object, n int) pdf.Array {
		list := make(pdf.Array, n)
		for i := range list {
			list[i] = o
		}
		return list
	}
	const content = "/OC /L BDC BT /F1 24 Tf 72 500 Td (9) Tj ET EMC"
	for name, make := range map[string]func(u *pdf.Update, catalog, page pdf.Dict){
		"many layers": func(u *pdf.Update, catalog, page pdf.Dict) {
			other, l := layer(u, nil), layer(u, off)
			catalog["OCProperties"] = pdf.Dict{"OCGs": append(repeat(other, 10_000), l), "D": pdf.Dict{"AS": pdf.Array{auto(l)}}}
			page["Resources"] = pdf.Dict{"Properties": pdf.Dict{"L": l}}
		},
		"many layers of a state": func(u *pdf.Update, catalog, page pdf.Dict) {
			other, l := layer(u, nil), layer(u, nil)
			catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{other, l}, "D": pdf.Dict{"BaseState": pdf.Name("OFF"), "ON": append(repeat(other, 10_000), l)}}
			page["Resources"] = pdf.Dict{"Properties": pdf.Dict{"L": l}}
		},
		"many automatic states": func(u *pdf.Update, catalog, page pdf.Dict) {
			// Without a state of its own the usage would be found as one that some readers apply by themselves.
			other, l := layer(u, nil), layer(u, pdf.Dict{"Export": pdf.Dict{"ExportState": pdf.Name("OFF")}})
			last := auto(l)
			last["Category"] = pdf.Array{pdf.Name("Export")}
			catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{other, l}, "D": pdf.Dict{"AS": append(repeat(auto(other), 100), last)}}
			page["Resources"] = pdf.Dict{"Properties": pdf.Dict{"L": l}}
		},
		"many layers of a membership": func(u *pdf.Update, catalog, page pdf.Dict) {
			other, l := layer(u, nil), layer(u, off)
			catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{other, l}, "D": pdf.Dict{"AS": pdf.Array{auto(l)}}}
			page["Resources"] = pdf.Dict{"Properties": pdf.Dict{"L": u.Add(pdf.Dict{"Type": pdf.Name("OCMD"), "P": pdf.Name("AllOn"), "OCGs": append(repeat(other, 10_000), l)})}}
		},
		"a deep expression": func(u *pdf.Update, catalog, page pdf.Dict) {
			l := layer(u, off)
			catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{l}, "D": pdf.Dict{"AS": pdf.Array{auto(l)}}}
			expression := pdf.Array{pdf.Name("And"), l}
			for range 40 {
				expression = pdf.Array{pdf.Name("And"), expression}
			}
			page["Resources"] = pdf.Dict{"Properties": pdf.Dict{"L": u.Add(pdf.Dict{"Type": pdf.Name("OCMD"), "VE": expression})}}
		},
	} {
		file := newEditedFile(t, content, func(u *pdf.Update, page pdf.Dict) {
			catalog, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
			if err != nil {
				t.Fatal(err)
			}
			make(u, catalog, page)
		})
		if got := kindsOf(inspectFile(t, file, inspect.Limits{})); !slices.Contains(got, "print_differs") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestManyGlyphsHideNoPrint: more glyphs of type 3 fonts than are looked into stand before the one that has a layer.
func TestManyGlyphsHideNoPrint(t *testing.T) {
	t.Parallel()

	var content strings.Builder
	all := newEditedFile(t, "", func(u *pdf.Update, page pdf.Dict) {
		off := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L"), "Usage": pdf.Dict{"Print": pdf.Dict{"PrintState": pdf.Name("OFF")}}})
		catalog, err := u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
		if err != nil {
			t.Fatal(err)
		}
		catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{off}, "D": pdf.Dict{}}
		glyph := u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("1000 0 d0 0 0 9 9 re f")})
		layered := u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("1000 0 d0 /OC /L BDC 0 0 900 900 re f EMC")})
		fonts := pdf.Dict{}
		var codes strings.Builder
		for c := range 256 {
			codes.WriteString(fmt.Sprintf("%02x", c))
		}
		for i := range 41 {
			name := pdf.Name(fmt.Sprintf("F%d", i))
			procs, differences := pdf.Dict{}, pdf.Array{pdf.Integer(0)}
			for c := range 256 {
				of := glyph
				if i == 40 && c == 255 {
					of = layered
				}
				procs[pdf.Name(fmt.Sprintf("g%d", c))] = of
				differences = append(differences, pdf.Name(fmt.Sprintf("g%d", c)))
			}
			widths := make(pdf.Array, 256)
			for c := range widths {
				widths[c] = pdf.Integer(1000)
			}
			fonts[name] = u.Add(pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type3"), "FontMatrix": pdf.Array{pdf.Real(.001), pdf.Integer(0), pdf.Integer(0), pdf.Real(.001), pdf.Integer(0), pdf.Integer(0)},
				"FontBBox": pdf.Rect{URX: 1000, URY: 1000}.Array(), "FirstChar": pdf.Integer(0), "LastChar": pdf.Integer(255), "Widths": widths,
				"Encoding": pdf.Dict{"Differences": differences}, "CharProcs": procs, "Resources": pdf.Dict{"Properties": pdf.Dict{"L": off}},
			})
			fmt.Fprintf(&content, "BT /%s 1 Tf 72 500 Td <%s> Tj ET ", name, codes.String())
		}
		page["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte(content.String())})
		page["Resources"] = pdf.Dict{"Font": fonts}
	})
	if got := kindsOf(inspectFile(t, all, inspect.Limits{})); !slices.Contains(got, "print_differs") {
		t.Errorf("%q", got)
	}
}

// TestInlineImageDoesNotSwallowAPrintedLayer: its data has what looks like its end, followed by the beginning of a string
// that ends behind the layer. Readers that work out how long the data is see the layer.
func TestInlineImageDoesNotSwallowAPrintedLayer(t *testing.T) {
	t.Parallel()
	const swallowed = "AAAA EI q (AAAAAAAAAAAAAAAAAAAAAAAAAAAAA" // 40 bytes
	for name, image := range map[string]string{
		"plain":              "/W 40 /H 1 /BPC 8 /CS /G ID " + swallowed,
		"a mask":             "/IM true /W 320 /H 1 ID " + swallowed,
		"indexed":            "/W 40 /H 1 /BPC 8 /CS [/I /RGB 1 <000000ffffff>] ID " + swallowed,
		"hexadecimal":        "/W 1 /H 1 /BPC 8 /CS /G /F /AHx ID " + swallowed + ">",
		"run lengths":        "/W 40 /H 1 /BPC 8 /CS /G /F [/RL] ID " + "\x27" + swallowed + "\x80",
		"another filter":     "/W 1 /H 1 /BPC 8 /CS /G /F /LZW ID " + swallowed,
		"a width twice":      "/W 1 /Width 40 /H 1 /BPC 8 /CS /G ID " + swallowed,
		"parameters":         "/DP << /K -1 /Columns 9 >> /W 40 /H 1 /BPC 8 /CS /G ID " + swallowed,
		"an end that agrees": "/W 4 /H 1 /BPC 8 /CS /G ID AAAA",
	} {
		file := twoLayers(t, "q 9 0 0 9 72 700 cm BI "+image+" EI Q /OC /P BDC BT /F1 24 Tf 72 500 Td <39> Tj ET EMC %)\n", nil)
		if got := kindsOf(inspectFile(t, file, inspect.Limits{})); !slices.Contains(got, "print_differs") {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, content := range map[string]string{
		"plain":       "BI /W 4 /H 1 /BPC 8 /CS /G ID AAAA\nEI",
		"no space":    "BI /W 4 /H 1 /BPC 8 /CS /G ID AAAA EI",
		"hexadecimal": "BI /W 1 /H 1 /BPC 8 /CS /G /F /AHx ID 4> EI",
		"a mask":      "BI /IM true /W 8 /H 2 ID AA EI",
	} {
		same := "q 9 0 0 9 72 700 cm " + content + " Q "
		if got := kindsOf(inspectFile(t, twoLayers(t, "/OC /S BDC "+same+"EMC /OC /P BDC "+same+"EMC", nil), inspect.Limits{})); slices.Contains(got, "print_differs") || slices.Contains(got, "not_examined") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDamagedContentHidesNoPrint(t *testing.T) {
	t.Parallel()
	file := twoLayers(t, "<41 /OC /P BDC BT /F1 24 Tf 72 500 Td (9) Tj ET EMC", nil)
	if got := kindsOf(inspectFile(t, file, inspect.Limits{})); !slices.Contains(got, "print_differs") {
		t.Errorf("%q", got)
	}
}
