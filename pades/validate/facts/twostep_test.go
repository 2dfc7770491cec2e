package facts_test

import (
	"testing"

	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
)

// TestFontThatCameLaterIsNoFontOfTheForm: a first revision adds a font to the resources of the form, which no field waited
// for, and a second one fills a field in with it. What draws its glyphs was not signed.
func TestFontThatCameLaterIsNoFontOfTheForm(t *testing.T) {
	t.Parallel()
	addFont := func(f *formtest.Filler) {
		_, form, err := f.D.Form()
		if err != nil {
			t.Fatal(err)
		}
		resources, err := f.D.Dict(form["DR"])
		if err != nil {
			t.Fatal(err)
		}
		fonts, err := f.D.Dict(resources["Font"])
		if err != nil {
			t.Fatal(err)
		}
		more, all := pdf.Dict{}, pdf.Dict{}
		for k, v := range fonts {
			more[k] = v
		}
		descriptor, _ := f.D.Dict(fonts["Emb"])
		liar := pdf.Dict{}
		for k, v := range descriptor {
			liar[k] = v
		}
		more["Liar"] = f.U.Add(liar)
		// A picture and a state of that name, which no appearance names.
		all["XObject"] = pdf.Dict{"Liar": f.U.Add(&pdf.Stream{Data: []byte("1 g 0 0 99 99 re f"), Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 99, URY: 99}.Array()}})}
		all["ExtGState"] = pdf.Dict{"Liar": f.U.Add(pdf.Dict{"ca": pdf.Integer(0)})}
		for k, v := range resources {
			all[k] = v
		}
		all["Font"] = more
		f.Form()["DR"] = all
	}
	fill := func(name, value string) func(*formtest.Filler) {
		return func(f *formtest.Filler) {
			w := f.Field(name)
			if value != "" {
				w["V"] = pdf.TextString(value)
			}
			f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"F": f.Font("Liar")}}, "BT /F 12 Tf 0 g 2 5 Td (1000) Tj ET")
		}
	}
	for name, c := range map[string]struct{ prepare, fill func(*formtest.Filler) }{
		"another value": {nil, fill("name", "1000")},
		"another value, in a font that its appearance does not have": {nil, func(f *formtest.Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("1000")
			f.SetAppearanceIn(w, pdf.Dict{}, "BT /Liar 12 Tf 0 g 2 5 Td (1000) Tj ET")
		}},
		"another value, below a picture that its appearance does not have": {nil, func(f *formtest.Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("1000")
			f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"Helv": f.Font("Helv")}}, "BT /Helv 12 Tf 0 g 2 5 Td (1000) Tj ET /Liar Do")
		}},
		"another value, with a state that its appearance does not have": {nil, func(f *formtest.Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("1000")
			f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"Helv": f.Font("Helv")}}, "/Liar gs BT /Helv 12 Tf 0 g 2 5 Td (1000) Tj ET")
		}},
		"a value that readers drew so far": {func(f *formtest.Filler) { f.Field("bare")["V"] = pdf.TextString("1000") }, fill("bare", "")},
	} {
		signed, added := signedCase(t, formtest.Case{Prepare: c.prepare, Fill: addFont})
		_ = signed
		if found := troubles(runSteps(t, added).Signatures[0]); len(found) > 0 {
			t.Errorf("%s: the font alone is denied: %v", name, found)
		}
		filled := must[[]byte](t)(formtest.Append(added, c.fill))
		if found := troubles(runSteps(t, filled).Signatures[0]); len(found) == 0 {
			t.Errorf("%s: a font that came later counts as one of the form", name)
		}
	}
}
