package facts_test

import (
	"maps"
	"slices"
	"testing"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// The form has defaults that fields are drawn with (ISO 32000-2 §12.7.3): a look, an alignment and resources. Programs
// extend them when they sign. What is drawn by them must not become another.

// signedDefaults is a file with a text field, signed in field A. The form has a font under the name F0, and a picture
// under the name FRM in a dictionary of its own. The field has that look, if any, and that appearance.
func signedDefaults(t testing.TB, look, appearance string, resources pdf.Dict) []byte {
	t.Helper()
	p := on(t, pdftest.Form()).update(func(_ *pdf.Document, u *pdf.Update) {
		d := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: form}))
		d["DR"] = pdf.Dict{"Font": pdf.Dict{"F0": fontOf(u, "Courier")}, "XObject": u.Add(pdf.Dict{"FRM": pictureOf(u, "q Q")})}
		delete(d, "DA")
		f := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: nameField}))
		delete(f, "DA")
		if look != "" {
			f["DA"] = pdf.TextString(look)
		}
		st := &pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 100, URY: 40}.Array()}, Data: []byte(appearance)}
		if resources != nil {
			st.Dict["Resources"] = resources
		}
		f["AP"] = pdf.Dict{"N": u.Add(st)}
	})
	return p.fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown).b
}

func fontOf(u *pdf.Update, base string) pdf.Ref {
	return u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name(base)})
}

func pictureOf(u *pdf.Update, content string) pdf.Ref {
	return u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 9, URY: 9}.Array()}, Data: []byte(content)})
}

// defaults edits one kind of the form's resources, in an object of its own.
func defaults(kind pdf.Name, change func(u *pdf.Update, all pdf.Dict)) func(t *testing.T, b []byte) []byte {
	return revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
		f := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: form}))
		now := maps.Clone(must[pdf.Dict](t)(d.Dict(f["DR"])))
		all := maps.Clone(must[pdf.Dict](t)(d.Dict(now[kind])))
		if all == nil {
			all = pdf.Dict{}
		}
		change(u, all)
		now[kind] = u.Add(all)
		f["DR"] = now
	})
}

func defaultFont(name pdf.Name, base string) func(t *testing.T, b []byte) []byte {
	return defaults("Font", func(u *pdf.Update, all pdf.Dict) { all[name] = fontOf(u, base) })
}

func defaultPicture(name pdf.Name, content string) func(t *testing.T, b []byte) []byte {
	return defaults("XObject", func(u *pdf.Update, all pdf.Dict) { all[name] = pictureOf(u, content) })
}

func defaultColour(name pdf.Name, space string) func(t *testing.T, b []byte) []byte {
	return defaults("ColorSpace", func(u *pdf.Update, all pdf.Dict) { all[name] = u.Add(pdf.Array{pdf.Name(space)}) })
}

func then(first, second func(t *testing.T, b []byte) []byte) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte { return second(t, first(t, b)) }
}

// ownFonts are resources with fonts F0 and F9.
var ownFonts = pdf.Dict{"Font": pdf.Dict{"F0": pdf.Ref{Number: font}, "F9": pdf.Ref{Number: font}}}

func TestResourcesOfTheFormMayGrowWhereNothingIsDrawnByThem(t *testing.T) {
	t.Parallel()
	tamper(t, signedDefaults(t, "/F0 9 Tf 0 g", "BT /F9 9 Tf (Siti) Tj ET", ownFonts), []mutation{
		{"a font", "", defaultFont("F5", "ZapfDingbats")},
		{"a font under a name that the appearance has itself", "", defaultFont("F9", "ZapfDingbats")},
		{"a plain font where there was none", "", defaultFont("Helv", "Helvetica")},
		{"a colour space", "", defaultColour("C1", "DeviceGray")},
		{"a template", "", defaultPicture("FRM2", "0 g 0 0 9 9 re f")},
		{"another template", "", defaultPicture("FRM", "0 g 0 0 9 9 re f")},
		{"another template, within the object of their kind", "", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			f := must[pdf.Dict](t)(d.Dict(pdf.Ref{Number: form}))
			must[pdf.Dict](t)(u.Edit(must[pdf.Dict](t)(d.Dict(f["DR"])).Ref("XObject")))["FRM"] = pictureOf(u, "0 g 0 0 9 9 re f")
		})},
		{"the same font as another object", "", defaultFont("F0", "Courier")},
		{"a plain font spelled otherwise", "", then(defaultFont("Helv", "Helvetica"), defaults("Font", func(u *pdf.Update, all pdf.Dict) {
			all["Helv"] = u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica"), "Encoding": pdf.Name("WinAnsiEncoding")})
		}))},

		{"another font under the name of one", "form_changed", defaultFont("F0", "ZapfDingbats")},
		{"a plain name for another font", "form_changed", then(defaultFont("Helv", "Helvetica"), defaultFont("Helv", "ZapfDingbats"))},
		{"the font itself", "unexplained", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			f := must[pdf.Dict](t)(d.Dict(pdf.Ref{Number: form}))
			fonts := must[pdf.Dict](t)(d.Dict(must[pdf.Dict](t)(d.Dict(f["DR"]))["Font"]))
			must[pdf.Dict](t)(u.Edit(fonts.Ref("F0")))["BaseFont"] = pdf.Name("ZapfDingbats")
		})},
		{"a font removed", "form_changed", defaults("Font", func(_ *pdf.Update, all pdf.Dict) { delete(all, "F0") })},
		{"a font removed that nothing names", "form_changed", then(defaultFont("F5", "Courier"), defaults("Font", func(_ *pdf.Update, all pdf.Dict) { delete(all, "F5") }))},
		{"a template removed", "form_changed", defaults("XObject", func(_ *pdf.Update, all pdf.Dict) { delete(all, "FRM") })},
		{"all of them removed", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { delete(d, "DR") })},
		{"another colour space", "form_changed", then(defaultColour("C1", "DeviceGray"), defaultColour("C1", "DeviceRGB"))},
		{"what was there before for a kind of them", "unexplained", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			f := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: form}))
			now := maps.Clone(must[pdf.Dict](t)(d.Dict(f["DR"])))
			now["ExtGState"] = pdf.Ref{Number: info}
			f["DR"] = now
		})},
	})
}

func TestResourceThatSomethingWaitedForMustNotCome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		look, appearance string
		resources        pdf.Dict
		all              []mutation
	}{
		"a look that names it": {"/F5 9 Tf 0 g", "q Q", ownFonts, []mutation{
			{"font", "form_changed", defaultFont("F5", "ZapfDingbats")}, {"font under an escaped name", "", defaultFont("F6", "ZapfDingbats")},
		}},
		"a look that spells it otherwise": {"/#465 9 Tf 0 g", "q Q", ownFonts, []mutation{{"font", "form_changed", defaultFont("F5", "ZapfDingbats")}}},
		"an appearance without resources": {"/F0 9 Tf", "BT /F5 9 Tf (Siti) Tj ET q /FRM Do Q", nil, []mutation{
			{"font", "form_changed", defaultFont("F5", "ZapfDingbats")}, {"template", "form_changed", defaultPicture("FRM", "0 g 0 0 9 9 re f")}, {"another font", "", defaultFont("F6", "ZapfDingbats")},
		}},
		"an appearance that spells it otherwise": {"/F0 9 Tf", "q /F#52M Do Q", nil, []mutation{{"template", "form_changed", defaultPicture("FRM", "0 g 0 0 9 9 re f")}}},
		"an appearance with other resources": {"/F0 9 Tf", "BT /F5 9 Tf (Siti) Tj ET q /FRM Do Q", ownFonts, []mutation{
			{"font", "form_changed", defaultFont("F5", "ZapfDingbats")}, {"template", "form_changed", defaultPicture("FRM", "0 g 0 0 9 9 re f")},
		}},
		"an appearance with resources that nobody can read": {"/F0 9 Tf", "q Q", pdf.Dict{"XObject": pdf.Integer(1)}, []mutation{{"template", "form_changed", defaultPicture("FRM", "0 g 0 0 9 9 re f")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tamper(t, signedDefaults(t, c.look, c.appearance, c.resources), c.all)
		})
	}
	// A picture within an appearance may lack what it names, too.
	p := on(t, signedDefaultsWithin(t)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown)
	tamper(t, p.b, []mutation{
		{"template of a picture within", "form_changed", defaultPicture("FRM", "0 g 0 0 9 9 re f")},
		{"a template more", "", defaultPicture("FRM2", "0 g 0 0 9 9 re f")},
	})
}

// signedDefaultsWithin is a form whose field has an appearance with a picture that names a template without having it.
func signedDefaultsWithin(t testing.TB) []byte {
	t.Helper()
	return on(t, pdftest.Form()).update(func(_ *pdf.Document, u *pdf.Update) {
		d := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: form}))
		d["DR"] = pdf.Dict{"XObject": pdf.Dict{"FRM": pictureOf(u, "q Q")}}
		f := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: nameField}))
		f["AP"] = pdf.Dict{"N": u.Add(&pdf.Stream{Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 100, URY: 40}.Array(),
			"Resources": pdf.Dict{"XObject": pdf.Dict{"P": pictureOf(u, "/FRM Do")}},
		}, Data: []byte("/P Do")})}
	}).b
}

func TestDefaultLookAndAlignmentMayChangeWhereEveryFieldHasItsOwn(t *testing.T) {
	t.Parallel()
	da := func(look string) func(t *testing.T, b []byte) []byte {
		return dict(form, func(_ *pdf.Update, d pdf.Dict) { d["DA"] = pdf.TextString(look) })
	}
	q := func(align int) func(t *testing.T, b []byte) []byte {
		return dict(form, func(_ *pdf.Update, d pdf.Dict) { d["Q"] = pdf.Integer(align) })
	}
	with := func(fields ...uint32) []byte {
		p := on(t, pdftest.Form()).update(func(_ *pdf.Document, u *pdf.Update) {
			must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: form}))["DA"] = pdf.TextString("/Helv 9 Tf 0 g")
			for _, n := range []uint32{nameField, groupField} {
				f := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: n}))
				delete(f, "DA")
				if slices.Contains(fields, n) {
					f["DA"], f["Q"] = pdf.TextString("/Helv 9 Tf 0 g"), pdf.Integer(1)
				}
			}
		})
		return p.fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown).b
	}
	tamper(t, with(nameField, groupField), []mutation{
		{"look of the form, where all fields have one", "", da("/Helv 0 Tf 1 0 0 rg")},
		{"no look of the form, where all fields have one", "", dict(form, func(_ *pdf.Update, d pdf.Dict) { delete(d, "DA") })},
		{"alignment of the form, where all fields have one", "", q(2)},
	})
	tamper(t, with(groupField), []mutation{
		{"look of the form, where a field has none", "form_changed", da("/Helv 0 Tf 1 0 0 rg")},
		{"no look of the form, where a field has none", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { delete(d, "DA") })},
		{"the same look with other spaces", "", da(" /Helv  9 Tf 0 g\n")},
		{"the same look in another order", "form_changed", da("0 g /Helv 9 Tf")},
		{"alignment of the form, where a field has none", "form_changed", q(2)},
	})
}
