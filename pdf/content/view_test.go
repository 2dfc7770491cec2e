package content_test

import (
	"testing"

	"segel/pdf"
	"segel/pdf/content"
)

// layered makes a page of that content with the layers A, B and C, of the given usage and intent; config is the default
// configuration, whose lists name layers.
type layered struct {
	usage  map[string]pdf.Dict
	intent map[string]pdf.Object
	config func(l map[string]pdf.Ref) pdf.Dict
	change func(u *pdf.Update, page pdf.Dict, l map[string]pdf.Ref)
}

func (l layered) open(t *testing.T, operators string) (*pdf.Document, *pdf.Page) {
	t.Helper()
	return openPage(t, square, operators, func(u *pdf.Update, page pdf.Dict) {
		refs, properties, all := map[string]pdf.Ref{}, pdf.Dict{}, pdf.Array{}
		for _, name := range []string{"A", "B", "C"} {
			group := pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString(name)}
			if l.usage[name] != nil {
				group["Usage"] = l.usage[name]
			}
			if l.intent[name] != nil {
				group["Intent"] = l.intent[name]
			}
			refs[name] = u.Add(group)
			properties[pdf.Name(name)] = refs[name]
			all = append(all, refs[name])
		}
		catalog, err := u.Edit(pdf.Ref{Number: 1})
		if err != nil {
			t.Fatal(err)
		}
		config := pdf.Dict{}
		if l.config != nil {
			config = l.config(refs)
		}
		catalog["OCProperties"] = pdf.Dict{"OCGs": all, "D": config}
		page["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": pdf.Ref{Number: 3}}, "Properties": properties}
		if l.change != nil {
			l.change(u, page, refs)
		}
	})
}

// views returns in which views each word of the page is shown.
func (l layered) views(t *testing.T, operators string) map[string]content.Views {
	t.Helper()
	d, page := l.open(t, operators)
	marks, err := content.NewDeepReader(d, content.Limits{}).PageMarks(page)
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]content.Views{}
	for _, m := range marks {
		if m.Kind == content.Text {
			in[m.Text] |= m.Views
		}
	}
	return in
}

const everywhere = content.OnScreen | content.InPrint

// layerWord is content that shows a word in a layer.
func layerWord(layer, text string) string {
	return "/OC /" + layer + " BDC BT /F1 10 Tf 100 " + map[string]string{"A": "200", "B": "300", "C": "400"}[layer] + " Td (" + text + ") Tj ET EMC "
}

func states(category pdf.Name, state pdf.Name) pdf.Dict {
	return pdf.Dict{category: pdf.Dict{category + "State": state}}
}

func autoState(event pdf.Name, groups pdf.Array, categories ...pdf.Name) pdf.Dict {
	list := pdf.Array{}
	for _, c := range categories {
		list = append(list, c)
	}
	return pdf.Dict{"Event": event, "OCGs": groups, "Category": list}
}

func TestLayersAreShownInTheViewsThatTheConfigurationSays(t *testing.T) {
	t.Parallel()
	off := func(names ...string) func(map[string]pdf.Ref) pdf.Dict {
		return func(l map[string]pdf.Ref) pdf.Dict {
			list := pdf.Array{}
			for _, n := range names {
				list = append(list, l[n])
			}
			return pdf.Dict{"OFF": list}
		}
	}
	membership := func(policy pdf.Name, names ...string) func(*pdf.Update, pdf.Dict, map[string]pdf.Ref) {
		return func(u *pdf.Update, page pdf.Dict, l map[string]pdf.Ref) {
			list := pdf.Array{}
			for _, n := range names {
				list = append(list, l[n])
			}
			dict := pdf.Dict{"Type": pdf.Name("OCMD"), "OCGs": list}
			if policy != "" {
				dict["P"] = policy
			}
			page["Resources"].(pdf.Dict)["Properties"].(pdf.Dict)["A"] = u.Add(dict)
		}
	}
	expression := func(make func(l map[string]pdf.Ref) pdf.Array) func(*pdf.Update, pdf.Dict, map[string]pdf.Ref) {
		return func(u *pdf.Update, page pdf.Dict, l map[string]pdf.Ref) {
			page["Resources"].(pdf.Dict)["Properties"].(pdf.Dict)["A"] = u.Add(pdf.Dict{"Type": pdf.Name("OCMD"), "OCGs": l["C"], "VE": make(l)})
		}
	}
	const print, screen = content.InPrint, content.OnScreen
	for name, c := range map[string]struct {
		layered
		print, screen bool // whether the standard shows it there
		agree         bool // whether all readers agree
	}{
		"on":             {layered{}, true, true, true},
		"off":            {layered{config: off("A")}, false, false, true},
		"base state off": {layered{config: func(map[string]pdf.Ref) pdf.Dict { return pdf.Dict{"BaseState": pdf.Name("OFF")} }}, false, false, true},
		"base state off, but it is on": {layered{config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"BaseState": pdf.Name("OFF"), "ON": pdf.Array{l["A"]}}
		}}, true, true, true},
		"an automatic state for printing switches it off": {layered{usage: map[string]pdf.Dict{"A": states("Print", "OFF")}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("Print", pdf.Array{l["A"]}, "Print")}}
		}}, false, true, false},
		"an automatic state for printing switches it on": {layered{usage: map[string]pdf.Dict{"A": states("Print", "ON")}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"OFF": pdf.Array{l["A"]}, "AS": pdf.Array{autoState("Print", pdf.Array{l["A"]}, "Print")}}
		}}, true, false, false},
		"an automatic state for viewing switches it off": {layered{usage: map[string]pdf.Dict{"A": states("View", "OFF")}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("View", pdf.Array{l["A"]}, "View")}}
		}}, true, false, false},
		"an automatic state for another layer": {layered{usage: map[string]pdf.Dict{"A": states("Export", "OFF")}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("Print", pdf.Array{l["B"]}, "Print"), autoState("Export", pdf.Array{l["A"]}, "Export")}}
		}}, true, true, true},
		"a state for printing by the category of viewing": {layered{usage: map[string]pdf.Dict{"A": states("View", "OFF")}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("Print", pdf.Array{l["A"]}, "View")}}
		}}, false, true, false},
		"a usage that no automatic state applies": {layered{usage: map[string]pdf.Dict{"A": states("Print", "OFF")}}, true, true, false},
		"a magnification": {layered{usage: map[string]pdf.Dict{"A": {"Zoom": pdf.Dict{"min": pdf.Integer(4)}}}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("View", pdf.Array{l["A"]}, "Zoom")}}
		}}, true, true, false},
		"a language": {layered{usage: map[string]pdf.Dict{"A": {"Language": pdf.Dict{"Lang": pdf.TextString("id")}}}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("View", pdf.Array{l["A"]}, "Language")}}
		}}, true, true, false},
		"another intent, off":      {layered{intent: map[string]pdf.Object{"A": pdf.Name("Design")}, config: off("A")}, true, true, false},
		"both intents, off":        {layered{intent: map[string]pdf.Object{"A": pdf.Array{pdf.Name("View"), pdf.Name("Design")}}, config: off("A")}, false, false, true},
		"any of two, one off":      {layered{config: off("B"), change: membership("", "B", "C")}, true, true, true},
		"any of two, both off":     {layered{config: off("B", "C"), change: membership("AnyOn", "B", "C")}, false, false, true},
		"all of two, one off":      {layered{config: off("B"), change: membership("AllOn", "B", "C")}, false, false, true},
		"any off of two, none off": {layered{change: membership("AnyOff", "B", "C")}, false, false, true},
		"all off of two, none off": {layered{change: membership("AllOff", "B", "C")}, false, false, true},
		"all off of two, both off": {layered{config: off("B", "C"), change: membership("AllOff", "B", "C")}, true, true, true},
		"not a layer that is on":   {layered{change: expression(func(l map[string]pdf.Ref) pdf.Array { return pdf.Array{pdf.Name("Not"), l["B"]} })}, false, false, true},
		"not a layer that is off":  {layered{config: off("B"), change: expression(func(l map[string]pdf.Ref) pdf.Array { return pdf.Array{pdf.Name("Not"), l["B"]} })}, true, true, true},
		"one or not the other": {layered{config: off("B"), change: expression(func(l map[string]pdf.Ref) pdf.Array {
			return pdf.Array{pdf.Name("Or"), l["B"], pdf.Array{pdf.Name("Not"), l["C"]}}
		})}, false, false, true},
		"one and the other":          {layered{config: off("B"), change: expression(func(l map[string]pdf.Ref) pdf.Array { return pdf.Array{pdf.Name("And"), l["C"], l["B"]} })}, false, false, true},
		"an expression that is none": {layered{config: off("C"), change: expression(func(l map[string]pdf.Ref) pdf.Array { return pdf.Array{pdf.Name("Xor"), l["B"]} })}, false, false, true},
		"not a layer that is not printed": {layered{usage: map[string]pdf.Dict{"B": states("Print", "OFF")}, config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("Print", pdf.Array{l["B"]}, "Print")}}
		}, change: expression(func(l map[string]pdf.Ref) pdf.Array { return pdf.Array{pdf.Name("Not"), l["B"]} })}, true, false, false},
	} {
		in := c.views(t, layerWord("A", "Seribu"))["Seribu"]
		if got := in&content.Print != 0; got != c.print {
			t.Errorf("%s: in print %v", name, got)
		}
		if got := in&content.Screen != 0; got != c.screen {
			t.Errorf("%s: on a screen %v", name, got)
		}
		if agree := in == 0 || in == everywhere; agree != c.agree {
			t.Errorf("%s: shown in %09b", name, in)
		}
		if (in&screen == 0) != (in == 0 || in&^print == 0) {
			t.Errorf("%s: views overlap: %09b", name, in)
		}
	}
}

func TestMarkedContentWithinALayerIsShownWhereBothAre(t *testing.T) {
	t.Parallel()
	l := layered{usage: map[string]pdf.Dict{"A": states("Print", "OFF"), "B": states("View", "OFF")}, config: func(l map[string]pdf.Ref) pdf.Dict {
		return pdf.Dict{"AS": pdf.Array{autoState("Print", pdf.Array{l["A"]}, "Print"), autoState("View", pdf.Array{l["B"]}, "View")}}
	}}
	in := l.views(t, "/OC /A BDC "+layerWord("B", "Dalam")+layerWord("C", "Luar")+"EMC "+layerWord("C", "Sesudah"))
	if in["Dalam"]&(content.Screen|content.Print) != 0 || in["Luar"]&(content.Screen|content.Print) != content.Screen || in["Sesudah"] != everywhere {
		t.Errorf("%v", in)
	}
}

func TestAnnotationsAreShownInTheViewsThatTheirFlagsSay(t *testing.T) {
	t.Parallel()
	const hidden, print, noView = 2, 4, 32
	for flags, want := range map[pdf.Integer]content.Views{
		print: everywhere, 0: content.OnScreen, print | noView: content.InPrint, noView: 0, hidden: 0, hidden | print: 0, hidden | print | noView: 0,
	} {
		l := layered{change: func(u *pdf.Update, page pdf.Dict, _ map[string]pdf.Ref) {
			look := u.Add(&pdf.Stream{
				Dict: pdf.Dict{
					"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 100, URY: 20}.Array(), "Resources": pdf.Dict{"Font": pdf.Dict{"F1": pdf.Ref{Number: 3}}},
				},
				Data: []byte("BT /F1 10 Tf 2 2 Td (Sejuta) Tj ET"),
			})
			page["Annots"] = pdf.Array{u.Add(pdf.Dict{
				"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Stamp"), "Rect": pdf.Rect{LLX: 10, LLY: 10, URX: 110, URY: 30}.Array(), "F": flags, "AP": pdf.Dict{"N": look},
			})}
		}}
		if in := l.views(t, "")["Sejuta"]; in != want {
			t.Errorf("flags %d: %09b, want %09b", flags, in, want)
		}
	}
}

// addPicture adds an image.
func addPicture(u *pdf.Update, entries pdf.Dict) pdf.Ref {
	d := pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1),
		"ColorSpace": pdf.Name("DeviceGray"), "BitsPerComponent": pdf.Integer(8),
	}
	for k, v := range entries {
		d[k] = v
	}
	return u.Add(&pdf.Stream{Dict: d, Data: []byte{128}})
}

func TestAlternateImagesTakeThePlaceOfTheImageInTheirViews(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alternates      func(own, other pdf.Ref) pdf.Array
		entries, others func(l map[string]pdf.Ref) pdf.Dict
		own, other      content.Views
	}{
		"for printing": {
			alternates: func(_, other pdf.Ref) pdf.Array {
				return pdf.Array{pdf.Dict{"Image": other, "DefaultForPrinting": pdf.Boolean(true)}}
			},
			own: content.OnScreen, other: content.InPrint,
		},
		"for other purposes": {
			alternates: func(_, other pdf.Ref) pdf.Array { return pdf.Array{pdf.Dict{"Image": other}} },
			own:        everywhere,
		},
		"where the image is off": {
			alternates: func(_, other pdf.Ref) pdf.Array { return pdf.Array{pdf.Dict{"Image": other}} },
			entries:    func(l map[string]pdf.Ref) pdf.Dict { return pdf.Dict{"OC": l["B"]} },
			others:     func(l map[string]pdf.Ref) pdf.Dict { return pdf.Dict{"OC": l["C"]} },
			other:      everywhere,
		},
	} {
		var own, other pdf.Ref
		d, page := layered{
			config: func(l map[string]pdf.Ref) pdf.Dict { return pdf.Dict{"OFF": pdf.Array{l["B"]}} },
			change: func(u *pdf.Update, page pdf.Dict, l map[string]pdf.Ref) {
				entries, others := pdf.Dict{}, pdf.Dict{}
				if c.entries != nil {
					entries = c.entries(l)
				}
				if c.others != nil {
					others = c.others(l)
				}
				other = addPicture(u, others)
				entries["Alternates"] = c.alternates(own, other)
				own = addPicture(u, entries)
				page["Resources"].(pdf.Dict)["XObject"] = pdf.Dict{"I": own}
			},
		}.open(t, "q 100 0 0 100 0 0 cm /I Do Q")
		marks, err := content.NewReader(d, content.Limits{}).PageMarks(page)
		if err != nil {
			t.Fatal(err)
		}
		in := map[pdf.Ref]content.Views{}
		for _, m := range marks {
			in[m.Image] |= m.Views
		}
		if in[own] != c.own || in[other] != c.other {
			t.Errorf("%s: the image in %09b, the other in %09b", name, in[own], in[other])
		}
	}
}

// deepLayered has a layer that is not printed within a tiling pattern and within a glyph of a type 3 font.
func deepLayered() layered {
	return layered{
		usage: map[string]pdf.Dict{"A": states("Print", "OFF")},
		config: func(l map[string]pdf.Ref) pdf.Dict {
			return pdf.Dict{"AS": pdf.Array{autoState("Print", pdf.Array{l["A"]}, "Print")}}
		},
		change: func(u *pdf.Update, page pdf.Dict, l map[string]pdf.Ref) {
			resources := page["Resources"].(pdf.Dict)
			resources["Pattern"] = pdf.Dict{"P": u.Add(&pdf.Stream{
				Dict: pdf.Dict{
					"PatternType": pdf.Integer(1), "PaintType": pdf.Integer(1), "TilingType": pdf.Integer(1), "BBox": pdf.Rect{URX: 50, URY: 50}.Array(),
					"XStep": pdf.Integer(50), "YStep": pdf.Integer(50), "Resources": pdf.Clone(resources),
				},
				Data: []byte("0 0 10 10 re f " + layerWord("A", "Ubin")),
			})}
			resources["Font"].(pdf.Dict)["T"] = u.Add(pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type3"), "FontMatrix": pdf.Array{pdf.Real(.001), pdf.Integer(0), pdf.Integer(0), pdf.Real(.001), pdf.Integer(0), pdf.Integer(0)},
				"FontBBox": pdf.Rect{URX: 1000, URY: 1000}.Array(), "FirstChar": pdf.Integer(49), "LastChar": pdf.Integer(49), "Widths": pdf.Array{pdf.Integer(1000)},
				"Encoding":  pdf.Dict{"Differences": pdf.Array{pdf.Integer(49), pdf.Name("one")}},
				"CharProcs": pdf.Dict{"one": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("1000 0 d0 /OC /A BDC 0 0 500 500 re f EMC 500 500 400 400 re f")})},
				"Resources": pdf.Clone(resources),
			})
		},
	}
}

func TestDeepReaderFindsLayersWithinPatternsAndGlyphs(t *testing.T) {
	t.Parallel()
	for operators, want := range map[string]bool{
		"/Pattern cs /P scn 100 100 200 200 re f":                      true,
		"/Pattern CS /P SCN 100 100 200 200 re S":                      true,
		"BT /F1 20 Tf /Pattern cs /P scn 100 100 Td (Seribu) Tj ET":    true,
		"BT /T 20 Tf 100 100 Td (1) Tj ET":                             true,
		"/Pattern cs /P scn 0 g 100 100 200 200 re f":                  false,
		"BT /F1 20 Tf 100 100 Td (1) Tj ET":                            false,
		"/Pattern cs /P scn 900 900 1 1 re f 100 100 20 20 re f":       true,
		"1 0 0 1 900 0 cm /Pattern cs /P scn -800 100 200 200 re f":    true,
		"/Pattern cs /P scn 100 100 200 200 re f 100 400 200 200 re f": true,
	} {
		for _, deep := range []bool{true, false} {
			d, page := deepLayered().open(t, operators)
			r := content.NewReader(d, content.Limits{})
			if deep {
				r = content.NewDeepReader(d, content.Limits{})
			}
			marks, err := r.PageMarks(page)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, m := range marks {
				if m.Views&content.Screen != 0 && m.Views&content.Print == 0 {
					found++
				}
			}
			if (found > 0) != (want && deep) || found > 2 {
				t.Errorf("%s, deep %v: %d marks that are not printed", operators, deep, found)
			}
		}
	}
}

func TestDeepReaderRecordsShownGlyphsOfEachFont(t *testing.T) {
	t.Parallel()
	d, page := deepLayered().open(t, "BT /F1 20 Tf (ba) Tj (a) Tj 3 Tr (z) Tj 0 Tr /T 20 Tf (1) Tj ET")
	r := content.NewDeepReader(d, content.Limits{})
	if _, err := r.PageMarks(page); err != nil {
		t.Fatal(err)
	}
	fonts := r.UsedFonts()
	if len(fonts) != 2 || len(fonts[0].Codes) != 2 || fonts[0].Codes[0].Code != 'a' || fonts[0].Codes[1].Code != 'b' {
		t.Fatalf("%+v", fonts)
	}
	if c := fonts[1].Codes; len(c) != 1 || c[0].Name != "one" || c[0].Proc == nil || len(fonts[1].Pages) != 1 || fonts[1].Pages[0] != 1 {
		t.Errorf("%+v", fonts[1])
	}
}
