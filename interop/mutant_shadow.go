package main

import (
	"bytes"
	"fmt"
	"strings"

	"segel/pdf"
)

// unsignedFieldMutants add a signature field that nobody signs and that shows something all the same.
var unsignedFieldMutants = []mutant{
	{"field-over-text", addUnsignedField(func(*pdf.Update, pdf.Dict) {})},
	{"field-invisible", addUnsignedField(func(u *pdf.Update, w pdf.Dict) { w["F"] = pdf.Integer(4 | 1) })},
	{"field-in-print", addUnsignedField(func(u *pdf.Update, w pdf.Dict) { w["F"] = pdf.Integer(4 | 32) })},
	{"field-under-mouse", addUnsignedField(func(u *pdf.Update, w pdf.Dict) {
		w["AP"] = pdf.Dict{"R": w["AP"].(pdf.Dict)["N"]}
	})},
	{"field-background", addUnsignedField(func(u *pdf.Update, w pdf.Dict) {
		delete(w, "AP")
		w["MK"] = pdf.Dict{"BG": pdf.Array{pdf.Integer(1)}}
	})},
}

// shadowMutants let readers that rebuild the cross-reference find another page.
var shadowMutants = []mutant{
	{"rebuilt-comment", func(m *mutation) { m.appendUnlisted("xref\n%\n50 1\n", "startxref\n") }},
	{"rebuilt-space", func(m *mutation) { m.appendUnlisted("xref\n 50 1\n", "startxref\n") }},
	{"rebuilt-startxref", func(m *mutation) { m.appendUnlisted("xref\n50 1\n", "startxref\n%\n") }},
}

func addUnsignedField(edit func(u *pdf.Update, w pdf.Dict)) func(*mutation) {
	return func(m *mutation) {
		m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
			page, err := d.Page(1)
			if err != nil {
				return err
			}
			form, _, err := d.Form()
			if err != nil {
				return err
			}
			w := buildOverlay(u, "Widget")
			delete(w, "Contents")
			w["FT"], w["T"], w["P"] = pdf.Name("Sig"), pdf.TextString("Kosong"), page.Ref
			edit(u, w)
			ref := u.Add(w)
			if err := u.Append(page.Ref, "Annots", ref); err != nil {
				return err
			}
			return u.Append(form, "Fields", ref)
		})
	}
}

// appendUnlisted appends the content of page 1 once more, as an object that the cross-reference behind it does not state, and
// a revision that some readers cannot use.
func (m *mutation) appendUnlisted(table, end string) {
	d, err := pdf.Open(bytes.NewReader(m.b), int64(len(m.b)), pdf.Options{})
	if err != nil {
		m.err = err
		return
	}
	page, err := d.Page(1)
	if err != nil {
		m.err = err
		return
	}
	previous := strings.Fields(string(m.b[bytes.LastIndex(m.b, []byte("startxref")):]))[1]
	id := d.Trailer()["ID"].(pdf.Array)[0].(pdf.String).Bytes
	text := "BT /F1 24 Tf 72 720 Td (Lunas) Tj ET"
	m.b = fmt.Appendf(m.b, "%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", page.Dict.Ref("Contents").Number, len(text), text)
	object := len(m.b)
	m.b = append(m.b, "50 0 obj\n1\nendobj\n"...)
	at := len(m.b)
	m.b = fmt.Appendf(m.b, "%s%010d 00000 n \ntrailer\n<< /Size 90 /Root 1 0 R /Info 4 0 R /ID [<%x> <%x>] /Prev %s >>\n%s%d\n%%%%EOF\n", table, object, id, id, previous, end, at)
}
