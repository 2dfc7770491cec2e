package facts_test

import (
	"fmt"
	"testing"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// revise makes a mutation of an edit that is appended as a revision.
func revise(edit func(t *testing.T, d *pdf.Document, u *pdf.Update)) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		return on(t, b).update(func(d *pdf.Document, u *pdf.Update) { edit(t, d, u) }).b
	}
}

// dict makes a mutation of an edit of one dictionary.
func dict(number uint32, edit func(u *pdf.Update, d pdf.Dict)) func(t *testing.T, b []byte) []byte {
	return revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
		edit(u, must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: number})))
	})
}

func field(name string, edit func(u *pdf.Update, f pdf.Dict)) func(t *testing.T, b []byte) []byte {
	return revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
		for _, f := range must[[]*pdf.Field](t)(d.Fields()) {
			if f.Name == name {
				edit(u, must[pdf.Dict](t)(u.Edit(f.Ref)))
			}
		}
	})
}

func look(u *pdf.Update, text string) pdf.Ref {
	return u.Add(&pdf.Stream{
		Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 100, URY: 40}.Array(), "Resources": pdf.Dict{}},
		Data: []byte(text),
	})
}

// fillName fills in the field "name" of pdftest.Form, with an appearance that shows its value.
func fillName(value string) func(t *testing.T, b []byte) []byte {
	return field("name", func(u *pdf.Update, f pdf.Dict) {
		st := u.Add(&pdf.Stream{
			Dict: pdf.Dict{
				"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 200, URY: 20}.Array(),
				"Resources": pdf.Dict{"Font": pdf.Dict{"Helv": pdf.Ref{Number: font}}},
			},
			Data: fmt.Appendf(nil, "/Tx BMC q BT /Helv 12 Tf 0 g 2 6 Td (%s) Tj ET Q EMC", value),
		})
		f["V"], f["AP"] = pdf.TextString(value), pdf.Dict{"N": st}
	})
}

// checkBoxAgree checks the box "group.agree" of pdftest.Form.
func checkBoxAgree(t *testing.T, b []byte) []byte {
	return revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
		must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: checkField}))["V"] = pdf.Name("Yes")
		must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: checkBox}))["AS"] = pdf.Name("Yes")
	})(t, b)
}

func overlay(u *pdf.Update, subtype pdf.Name) pdf.Dict {
	return pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": subtype, "Rect": pdf.Rect{LLX: 50, LLY: 600, URX: 450, URY: 800}.Array(), "F": pdf.Integer(4),
		"Contents": pdf.TextString("Lunas"), "AP": pdf.Dict{"N": look(u, "1 g 0 0 400 400 re f")},
	}
}

// The numbers that pdftest gives its objects.
const (
	catalog, pages, font, info, paintedPage, contents                 = pdftest.CatalogNumber, pdftest.PagesNumber, pdftest.FontNumber, pdftest.InfoNumber, pdftest.FirstPageNumber, pdftest.FirstPageNumber + 1
	form, nameField, groupField, checkField, checkBox, annots, stream = 100, 101, 102, 103, 104, 105, 106
)

func words(text string) *pdf.Stream {
	return &pdf.Stream{Dict: pdf.Dict{}, Data: fmt.Appendf(nil, "BT /F1 24 Tf 72 720 Td (%s) Tj ET", text)}
}

func TestChangesOfPagesAreDetected(t *testing.T) {
	t.Parallel()
	tamper(t, signedForm(t), []mutation{
		{"replaced stream", "content_changed", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) { u.Set(pdf.Ref{Number: contents}, words("Lunas")) })},
		{"other stream", "content_changed", dict(paintedPage, func(u *pdf.Update, d pdf.Dict) { d["Contents"] = u.Add(words("Lunas")) })},
		{"further stream", "content_changed", dict(paintedPage, func(u *pdf.Update, d pdf.Dict) { d["Contents"] = pdf.Array{d["Contents"], u.Add(words("Lunas"))} })},
		{"no content", "content_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) { delete(d, "Contents") })},
		{"replaced font", "content_changed", dict(font, func(_ *pdf.Update, d pdf.Dict) { d["BaseFont"] = pdf.Name("ZapfDingbats") })},
		{"encoding of a font", "content_changed", dict(font, func(_ *pdf.Update, d pdf.Dict) {
			d["Encoding"] = pdf.Dict{"Differences": pdf.Array{pdf.Integer(49), pdf.Name("nine")}}
		})},
		{"other resources", "content_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) { d["Resources"] = pdf.Dict{} })},
		{"turned", "page_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) { d["Rotate"] = pdf.Integer(180) })},
		{"cropped", "page_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) { d["CropBox"] = pdf.Rect{URX: 99, URY: 99}.Array() })},
		{"action of a page", "page_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) {
			d["AA"] = pdf.Dict{"O": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}}
		})},
		{"inherited box", "pages_changed", dict(pages, func(_ *pdf.Update, d pdf.Dict) { d["MediaBox"] = pdf.Rect{URX: 99, URY: 99}.Array() })},
		{"added page", "pages_changed", dict(pages, func(u *pdf.Update, d pdf.Dict) {
			more := u.Add(pdf.Dict{"Type": pdf.Name("Page"), "Parent": pdf.Ref{Number: pages}, "Contents": u.Add(words("Lunas")), "Resources": pdf.Dict{}})
			d["Kids"], d["Count"] = append(d["Kids"].(pdf.Array), more), pdf.Integer(2)
		})},
		{"removed page", "pages_changed", dict(pages, func(_ *pdf.Update, d pdf.Dict) { d["Kids"], d["Count"] = pdf.Array{}, pdf.Integer(0) })},
		{"other page tree", "catalog_changed", dict(catalog, func(u *pdf.Update, d pdf.Dict) {
			tree, kid := u.Reserve(), u.Reserve()
			u.Set(kid, pdf.Dict{"Type": pdf.Name("Page"), "Parent": tree, "MediaBox": pdf.Rect{URX: 9, URY: 9}.Array(), "Contents": u.Add(words("Lunas"))})
			u.Set(tree, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": pdf.Array{kid}, "Count": pdf.Integer(1)})
			d["Pages"] = tree
		})},
		{"indirect length", "content_changed", func(t *testing.T, _ []byte) []byte { return lengthened(t) }},
		{"metadata", "", dict(catalog, func(u *pdf.Update, d pdf.Dict) {
			d["Metadata"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("Metadata"), "Subtype": pdf.Name("XML")}, Data: []byte("<x/>")})
		})},
		{"information", "", dict(info, func(_ *pdf.Update, d pdf.Dict) { d["Title"] = pdf.TextString("Lain") })},
		{"written again", "", dict(paintedPage, func(*pdf.Update, pdf.Dict) {})},
		{"left unreferenced", "", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) { u.Add(words("Lunas")) })},
		{"metadata that is none", "catalog_changed", dict(catalog, func(u *pdf.Update, d pdf.Dict) {
			d["Metadata"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("Metadata"), "Subtype": pdf.Name("XML")}, Data: []byte("<x>Lunas")})
		})},
		{"time of a change", "page_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) { d["LastModified"] = pdf.TextString("D:2026") })},
	})
}

// lengthened is a signed file in which an object changed that says how long the content of a page is.
func lengthened(t *testing.T) []byte {
	t.Helper()
	b := pdftest.Table(1)
	p := on(t, section{objects: map[int]string{
		50: "24", contents: "<< /Length 50 0 R >>\nstream\nBT /F1 9 Tf (seribu) Tj \nendstream    \nendstream",
	}}.append(t, b)).fields(pades.FieldSpec{Name: "A"}).sign("A")
	return section{objects: map[int]string{50: "38"}}.append(t, p.b)
}

func TestOverlaysAreDetected(t *testing.T) {
	t.Parallel()
	tamper(t, signedForm(t), []mutation{
		{"widget over the text", "annotation_changed", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Set(pdf.Ref{Number: annots}, append(must[pdf.Object](t)(u.Get(pdf.Ref{Number: annots})).(pdf.Array), u.Add(overlay(u, "Widget"))))
		})},
		{"comment over the text", "comment", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Set(pdf.Ref{Number: annots}, append(must[pdf.Object](t)(u.Get(pdf.Ref{Number: annots})).(pdf.Array), u.Add(overlay(u, "FreeText"))))
		})},
		{"direct annotation", "annotation_changed", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Set(pdf.Ref{Number: annots}, append(must[pdf.Object](t)(u.Get(pdf.Ref{Number: annots})).(pdf.Array), overlay(u, "Stamp")))
		})},
		{"no annotations", "annotation_changed", dict(paintedPage, func(_ *pdf.Update, d pdf.Dict) { delete(d, "Annots") })},
		{"annotations in another order", "annotation_changed", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			a := must[pdf.Object](t)(u.Get(pdf.Ref{Number: annots})).(pdf.Array)
			a[0], a[1] = a[1], a[0]
			u.Set(pdf.Ref{Number: annots}, a)
		})},
		{"look of the signature", "signed_field_changed", field("A", func(u *pdf.Update, f pdf.Dict) { f["AP"] = pdf.Dict{"N": look(u, "0 g 0 0 99 99 re f")} })},
		{"stream of its look", "signed_field_changed", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			f := must[[]*pdf.Signature](t)(d.Signatures())[0].Field
			u.Set(f.Dict["AP"].(pdf.Dict).Ref("N"), words("Lunas"))
		})},
		{"place of the signature", "signed_field_changed", field("A", func(_ *pdf.Update, f pdf.Dict) { f["Rect"] = boxB.Array() })},
		{"hidden signature", "signed_field_changed", field("A", func(_ *pdf.Update, f pdf.Dict) { f["F"] = pdf.Integer(2) })},
		{"look that stands in another file", "field_changed", field("name", func(u *pdf.Update, f pdf.Dict) {
			ref := look(u, "q Q")
			o, err := u.Get(ref)
			if err != nil {
				panic(err) // it was just added
			}
			st := o.(*pdf.Stream)
			st.Dict["F"] = pdf.TextString("https://jahat.test/look")
			u.Set(ref, st)
			f["AP"] = pdf.Dict{"N": ref}
		})},
		{"look that is shared with a page", "appearance_shared", field("name", func(_ *pdf.Update, f pdf.Dict) { f["AP"] = pdf.Dict{"N": pdf.Ref{Number: contents}} })},
	})
}

func TestChangesOfTheFormAreDetected(t *testing.T) {
	t.Parallel()
	extend := func(t *testing.T, u *pdf.Update, add pdf.Dict) {
		ref := u.Add(add)
		if err := u.Append(pdf.Ref{Number: form}, "Fields", ref); err != nil {
			t.Fatal(err)
		}
	}
	tamper(t, signedForm(t), []mutation{
		{"filled in", "", fillName("Agus")},
		{"filled in without a trace", "appearance_differs", field("name", func(u *pdf.Update, f pdf.Dict) {
			f["V"], f["AP"] = pdf.TextString("Agus"), pdf.Dict{"N": look(u, "q Q")}
		})},
		{"checked", "", checkBoxAgree},
		{"checked without a trace", "appearance_differs", field("group.agree", func(_ *pdf.Update, f pdf.Dict) { f["V"] = pdf.Name("Yes") })},
		{"script of a field", "field_changed", field("name", func(_ *pdf.Update, f pdf.Dict) {
			f["AA"] = pdf.Dict{"K": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}}
		})},
		{"default value", "field_changed", field("name", func(_ *pdf.Update, f pdf.Dict) { f["DV"] = pdf.TextString("Lunas") })},
		{"default look", "field_changed", field("name", func(_ *pdf.Update, f pdf.Dict) { f["DA"] = pdf.TextString("/Helv 0.1 Tf 1 g") })},
		{"place of a field", "field_changed", field("name", func(_ *pdf.Update, f pdf.Dict) { f["Rect"] = boxB.Array() })},
		{"name of a field", "field_changed", field("name", func(_ *pdf.Update, f pdf.Dict) { f["T"] = pdf.TextString("lain") })},
		{"another kind of field", "field_changed", field("name", func(_ *pdf.Update, f pdf.Dict) { f["FT"] = pdf.Name("Btn") })},
		{"name of the signed field", "field_changed", field("A", func(_ *pdf.Update, f pdf.Dict) { f["T"] = pdf.TextString("Q") })},
		{"default look of the form", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["DA"] = pdf.TextString("1 g") })},
		{"font of the form", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["DR"] = pdf.Dict{"Font": pdf.Dict{"Helv": pdf.Ref{Number: info}}} })},
		{"XFA", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["XFA"] = pdf.TextString("<xdp/>") })},
		{"order of calculation", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["CO"] = pdf.Array{pdf.Ref{Number: nameField}} })},
		{"appearances to be made anew", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["NeedAppearances"] = pdf.Boolean(true) })},
		{"field removed", "field_removed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["Fields"] = d["Fields"].(pdf.Array)[1:] })},
		{"text field added", "field_added", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			extend(t, u, pdf.Dict{"FT": pdf.Name("Tx"), "T": pdf.TextString("baru"), "V": pdf.TextString("Lunas")})
		})},
		{"signature field with a name that is taken", "field_added", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			extend(t, u, pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("A")})
		})},
		{"signature field with an action", "field_added", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			extend(t, u, pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("baru"), "AA": pdf.Dict{}, "A": pdf.Dict{"S": pdf.Name("Named")}})
		})},
		{"signature field", "", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			extend(t, u, pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("baru")})
		})},
		{"signature field that shows something and is not signed", "signature_field", revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			w := overlay(u, "Widget")
			delete(w, "Contents")
			w["FT"], w["T"], w["P"] = pdf.Name("Sig"), pdf.TextString("baru"), pdf.Ref{Number: paintedPage}
			ref := u.Add(w)
			if err := u.Append(pdf.Ref{Number: form}, "Fields", ref); err != nil {
				t.Fatal(err)
			}
			addTo(t, u, annots, ref)
		})},
		{"field below a field", "field_changed", dict(groupField, func(u *pdf.Update, d pdf.Dict) {
			d["Kids"] = append(d["Kids"].(pdf.Array), u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("baru"), "Parent": pdf.Ref{Number: groupField}}))
		})},
		{"another field with the same signature", "field_shared", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			extend(t, u, pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("baru"), "V": must[[]*pdf.Signature](t)(d.Signatures())[0].Ref})
		})},
		{"field listed twice", "field_added", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			if err := u.Append(pdf.Ref{Number: form}, "Fields", must[[]*pdf.Signature](t)(d.Signatures())[0].Field.Ref); err != nil {
				t.Fatal(err)
			}
		})},
		{"signature dictionary", "byte_range_gap", revise(func(t *testing.T, d *pdf.Document, u *pdf.Update) {
			must[pdf.Dict](t)(u.Edit(must[[]*pdf.Signature](t)(d.Signatures())[0].Ref))["Reason"] = pdf.TextString("Menolak")
		})},
		{"value of an unsigned field", "signature_changed", field("B", func(_ *pdf.Update, f pdf.Dict) { f["V"] = pdf.Ref{Number: info} })},
		{"look of an unsigned field", "field_changed", field("B", func(u *pdf.Update, f pdf.Dict) { f["AP"] = pdf.Dict{"N": look(u, "0 g 0 0 99 99 re f")} })},
	})
}

func TestChangesOfTheCatalogAreDetected(t *testing.T) {
	t.Parallel()
	script := pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}
	tamper(t, signedForm(t), []mutation{
		{"action at opening", "catalog_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["OpenAction"] = script })},
		{"further actions", "catalog_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["AA"] = pdf.Dict{"WC": script} })},
		{"script by name", "catalog_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) {
			d["Names"] = pdf.Dict{"JavaScript": pdf.Dict{"Names": pdf.Array{pdf.TextString("a"), script}}}
		})},
		{"layers", "catalog_changed", dict(catalog, func(u *pdf.Update, d pdf.Dict) {
			layer := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L")})
			d["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{layer}, "D": pdf.Dict{"OFF": pdf.Array{layer}}}
		})},
		{"permissions", "catalog_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["Perms"] = pdf.Dict{} })},
		{"language", "catalog_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["Lang"] = pdf.TextString("id") })},
		{"form emptied", "form_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["AcroForm"] = pdf.Dict{"Fields": pdf.Array{pdf.Ref{Number: 107}}} })},
		{"version", "", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["Version"] = pdf.Name("2.0") })},
		{"extensions", "", dict(catalog, func(_ *pdf.Update, d pdf.Dict) {
			d["Extensions"] = pdf.Dict{"ADBE": pdf.Dict{"BaseVersion": pdf.Name("1.7"), "ExtensionLevel": pdf.Integer(8)}}
		})},
	})
}
