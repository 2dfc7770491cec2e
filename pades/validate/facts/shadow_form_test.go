package facts_test

import (
	"testing"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// preparedForm is a form that its author prepared for what comes, signed.
func preparedForm(t *testing.T, prepare func(d *pdf.Document, u *pdf.Update)) []byte {
	t.Helper()
	p := on(t, pdftest.Form()).update(prepare)
	return p.fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B", Page: 1, Rect: boxB}).sign("A", shown).b
}

func TestFormsThatWerePreparedForAChangeAreDetected(t *testing.T) {
	t.Parallel()
	edit := func(number uint32, change func(d pdf.Dict)) func(_ *pdf.Document, u *pdf.Update) {
		return func(_ *pdf.Document, u *pdf.Update) { change(must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: number}))) }
	}
	const button, readOnly = 1 << 16, 1
	const resources = 107 // the number that comes next
	for _, c := range []struct {
		name    string
		prepare func(d *pdf.Document, u *pdf.Update)
		mutation
	}{
		{"picture of a button", func(_ *pdf.Document, u *pdf.Update) {
			b := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: nameField}))
			b["FT"], b["Ff"], b["AP"] = pdf.Name("Btn"), pdf.Integer(button), pdf.Dict{"N": look(u, "0.5 g 0 0 9 9 re f")}
			delete(b, "V")
		},
			mutation{"", "field_changed", field("name", func(u *pdf.Update, f pdf.Dict) { f["AP"] = whitened(u) })}},
		{"picture of a button that waits for one", edit(nameField, func(d pdf.Dict) { d["FT"], d["Ff"] = pdf.Name("Btn"), pdf.Integer(button|readOnly); delete(d, "V") }),
			mutation{"", "field_changed", field("name", func(u *pdf.Update, f pdf.Dict) { f["AP"] = whitened(u) })}},
		{"value that nobody may change", edit(nameField, func(d pdf.Dict) { d["Ff"] = pdf.Integer(readOnly) }),
			mutation{"", "field_changed", field("name", func(u *pdf.Update, f pdf.Dict) { f["V"], f["AP"] = pdf.TextString("Agus"), whitened(u) })}},
		{"box that nobody may check", edit(checkField, func(d pdf.Dict) { d["Ff"] = pdf.Integer(readOnly) }),
			mutation{"", "field_changed", dict(checkBox, func(_ *pdf.Update, d pdf.Dict) { d["AS"] = pdf.Name("Yes") })}},
		{"looks that nobody is to show", edit(form, func(d pdf.Dict) { d["NeedAppearances"] = pdf.Boolean(true) }),
			mutation{"", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { delete(d, "NeedAppearances") })}},
		{"default look that is missing", func(_ *pdf.Document, u *pdf.Update) {
			delete(must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: form})), "DA")
			delete(must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: nameField})), "DA")
		}, mutation{"", "form_changed", dict(form, func(_ *pdf.Update, d pdf.Dict) { d["DA"] = pdf.TextString("/Helv 0.1 Tf 1 g") })}},
		{"font that is missing", edit(nameField, func(d pdf.Dict) { d["DA"] = pdf.TextString("0 g /Segel 12 Tf") }),
			mutation{"", "form_changed", dict(form, func(u *pdf.Update, d pdf.Dict) {
				d["DR"].(pdf.Dict)["Font"].(pdf.Dict)["Segel"] = u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
			})}},
		{"font that nothing names", func(*pdf.Document, *pdf.Update) {},
			mutation{"", "", dict(form, func(u *pdf.Update, d pdf.Dict) {
				d["DR"].(pdf.Dict)["Font"].(pdf.Dict)["Segel"] = u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
			})}},
		{"resources of a stamp that are a field as well", func(_ *pdf.Document, u *pdf.Update) {
			u.Set(u.Reserve(), pdf.Dict{"FT": pdf.Name("Tx"), "T": pdf.TextString("x"), "V": look(u, "q Q")})
			stamp := overlay(u, "Stamp")
			st := look(u, "/V Do")
			o := must[pdf.Object](t)(u.Get(st)).(*pdf.Stream)
			o.Dict["Resources"] = pdf.Dict{"XObject": pdf.Ref{Number: resources}}
			u.Set(st, o)
			stamp["AP"] = pdf.Dict{"N": st}
			addTo(t, u, annots, u.Add(stamp))
			if err := u.Append(pdf.Ref{Number: form}, "Fields", pdf.Ref{Number: resources}); err != nil {
				t.Fatal(err)
			}
		}, mutation{"", "unexplained", dict(resources, func(u *pdf.Update, d pdf.Dict) { d["V"] = whitened(u)["N"] })}},
	} {
		c.mutation.name = c.name
		tamper(t, preparedForm(t, c.prepare), []mutation{c.mutation})
	}
}
