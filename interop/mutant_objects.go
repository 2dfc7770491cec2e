package main

import (
	"bytes"
	"fmt"

	"segel/pdf"
)

// buildOverlay is an annotation that covers most of the page.
func buildOverlay(u *pdf.Update, subtype pdf.Name) pdf.Dict {
	look := u.Add(&pdf.Stream{
		Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 400, URY: 400}.Array(), "Resources": pdf.Dict{}},
		Data: []byte("1 1 1 rg 0 0 400 400 re f"),
	})
	return pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": subtype, "Rect": pdf.Rect{LLX: 50, LLY: 350, URX: 450, URY: 750}.Array(), "F": pdf.Integer(4),
		"Contents": pdf.TextString("Lunas"), "DA": pdf.TextString("/Helv 12 Tf 0 g"), "AP": pdf.Dict{"N": look},
	}
}

func buildContent(text string) *pdf.Stream {
	return &pdf.Stream{Dict: pdf.Dict{}, Data: fmt.Appendf(nil, "BT /F1 24 Tf 72 720 Td (%s) Tj ET", text)}
}

// objectMutants append a revision that no signature permits.
var objectMutants = []mutant{
	{"replaced-content", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { u.Set(p.Ref("Contents"), buildContent("Lunas")) })
	}},
	{"other-content", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { p["Contents"] = u.Add(buildContent("Lunas")) })
	}},
	{"more-content", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) {
			p["Contents"] = pdf.Array{p["Contents"], u.Add(buildContent("dan lunas"))}
		})
	}},
	{"no-content", func(m *mutation) { m.editPage(func(_ *pdf.Update, p pdf.Dict) { delete(p, "Contents") }) }},
	{"other-font", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) {
			font := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
			p["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
		})
	}},
	{"turned-page", func(m *mutation) { m.editPage(func(_ *pdf.Update, p pdf.Dict) { p["Rotate"] = pdf.Integer(180) }) }},
	{"cropped-page", func(m *mutation) {
		m.editPage(func(_ *pdf.Update, p pdf.Dict) { p["CropBox"] = pdf.Rect{URX: 300, URY: 300}.Array() })
	}},
	{"no-annotations", func(m *mutation) { m.editPage(func(_ *pdf.Update, p pdf.Dict) { delete(p, "Annots") }) }},
	{"page-action", func(m *mutation) {
		m.editPage(func(_ *pdf.Update, p pdf.Dict) {
			p["AA"] = pdf.Dict{"O": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}}
		})
	}},
	{"overlay-widget", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { addAnnotation(m, u, p, buildOverlay(u, "Widget")) })
	}},
	{"overlay-stamp", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { addAnnotation(m, u, p, buildOverlay(u, "Stamp")) })
	}},
	{"swapped-appearance", func(m *mutation) {
		m.appendRevision(func(_ *pdf.Document, u *pdf.Update) error {
			w, err := u.Edit(m.signature.Field.Widgets[0].Ref)
			if err == nil {
				w["AP"] = buildOverlay(u, "Stamp")["AP"]
			}
			return err
		})
	}},
	{"moved-widget", func(m *mutation) {
		m.appendRevision(func(_ *pdf.Document, u *pdf.Update) error {
			w, err := u.Edit(m.signature.Field.Widgets[0].Ref)
			if err == nil {
				w["Rect"] = pdf.Rect{LLX: 72, LLY: 600, URX: 300, URY: 700}.Array()
			}
			return err
		})
	}},
	{"other-name", func(m *mutation) {
		m.appendRevision(func(_ *pdf.Document, u *pdf.Update) error {
			s, err := u.Edit(m.signature.Ref)
			if err == nil {
				s["Name"] = pdf.TextString("Orang lain")
			}
			return err
		})
	}},
	{"added-page", addPage},
	{"removed-page", func(m *mutation) {
		m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
			p, err := d.Page(1)
			if err != nil {
				return err
			}
			tree, err := u.Edit(p.Dict.Ref("Parent"))
			if err == nil {
				tree["Kids"], tree["Count"] = pdf.Array{p.Ref}, pdf.Integer(1)
			}
			return err
		})
	}},
	{"open-action", func(m *mutation) {
		m.editCatalog(func(_ *pdf.Document, _ *pdf.Update, c pdf.Dict) {
			c["OpenAction"] = pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}
		})
	}},
	{"named-script", func(m *mutation) {
		m.editCatalog(func(_ *pdf.Document, _ *pdf.Update, c pdf.Dict) {
			script := pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}
			c["Names"] = pdf.Dict{"JavaScript": pdf.Dict{"Names": pdf.Array{pdf.TextString("a"), script}}}
		})
	}},
	{"layers", func(m *mutation) {
		m.editCatalog(func(_ *pdf.Document, u *pdf.Update, c pdf.Dict) {
			layer := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L")})
			c["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{layer}, "D": pdf.Dict{"OFF": pdf.Array{layer}}}
		})
	}},
	{"other-pages", func(m *mutation) {
		m.editCatalog(func(d *pdf.Document, u *pdf.Update, c pdf.Dict) {
			tree, page := u.Reserve(), u.Reserve()
			u.Set(page, pdf.Dict{"Type": pdf.Name("Page"), "Parent": tree, "Contents": u.Add(buildContent("Lunas")), "Resources": pdf.Dict{}, "MediaBox": pdf.Rect{URX: 595, URY: 842}.Array()})
			u.Set(tree, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": pdf.Array{page}, "Count": pdf.Integer(1)})
			c["Pages"] = tree
		})
	}},
	{"form-emptied", func(m *mutation) {
		m.editCatalog(func(_ *pdf.Document, _ *pdf.Update, c pdf.Dict) { c["AcroForm"] = pdf.Dict{"Fields": pdf.Array{}} })
	}},
	{"xfa", func(m *mutation) {
		m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
			ref, _, err := d.Root()
			if err != nil {
				return err
			}
			form, err := u.EditIn(ref, "AcroForm")
			if err == nil {
				form["XFA"] = u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("<xdp:xdp xmlns:xdp=\"http://ns.adobe.com/xdp/\"/>")})
			}
			return err
		})
	}},
}

// evilMutants put something on a page that a certification of level 3 seems to permit (the evil annotation attack).
var evilMutants = []mutant{
	{"evil-freetext", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { addAnnotation(m, u, p, buildOverlay(u, "FreeText")) })
	}},
	{"evil-redact", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { addAnnotation(m, u, p, buildOverlay(u, "Redact")) })
	}},
}

// formMutants fill in and change fields of a form behind a signature.
var formMutants = []mutant{
	{"field-default", editField(func(f pdf.Dict) { f["DV"] = pdf.TextString("Lunas") })},
	{"field-moved", editField(func(f pdf.Dict) { f["Rect"] = pdf.Rect{LLX: 1, LLY: 1, URX: 500, URY: 500}.Array() })},
	{"field-renamed", editField(func(f pdf.Dict) { f["T"] = pdf.TextString("lain") })},
	{"field-script", editField(func(f pdf.Dict) {
		f["AA"] = pdf.Dict{"K": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}}
	})},
	{"field-filled-alone", editField(func(f pdf.Dict) { f["V"] = pdf.TextString("Agus") })},
}

func editField(edit func(pdf.Dict)) func(*mutation) {
	return func(m *mutation) {
		m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
			fields, err := d.Fields()
			if err != nil {
				return err
			}
			f, err := u.Edit(fields[0].Ref)
			if err == nil {
				edit(f)
			}
			return err
		})
	}
}

// storeMutants change what stands behind the signature in a file of level B-LTA.
var storeMutants = []mutant{
	{"no-store", func(m *mutation) {
		m.editCatalog(func(_ *pdf.Document, _ *pdf.Update, c pdf.Dict) { delete(c, "DSS") })
	}},
	{"old-revision", func(m *mutation) {
		// A later revision that is an earlier state again: the catalog as it was before the store.
		m.editCatalog(func(_ *pdf.Document, _ *pdf.Update, c pdf.Dict) { delete(c, "DSS"); delete(c, "Extensions") })
	}},
	{"rolled-back", func(m *mutation) {
		// The end of the file leads to the state before the store.
		d, err := pdf.Open(bytes.NewReader(m.b), int64(len(m.b)), pdf.Options{})
		if err != nil {
			m.err = err
			return
		}
		all, err := d.Revisions()
		if err != nil {
			m.err = err
			return
		}
		m.b = fmt.Appendf(m.b, "startxref\n%d\n%%%%EOF\n", all[len(all)-3].StartXref)
	}},
	{"flip-store", func(m *mutation) {
		at := bytes.Index(m.b[m.signature.ByteRange[2]+m.signature.ByteRange[3]:], []byte("stream\n")) + int(m.signature.ByteRange[2]+m.signature.ByteRange[3])
		m.b[at+40] ^= 1
	}},
	{"cut-timestamp", func(m *mutation) {
		at := bytes.LastIndex(m.b, []byte("/Contents <30"))
		copy(m.b[at+len("/Contents <"):], "00")
	}},
	{"stamp-behind", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) { addAnnotation(m, u, p, buildOverlay(u, "Stamp")) })
	}},
}

func addAnnotation(m *mutation, u *pdf.Update, page, annotation pdf.Dict) {
	if err := u.AppendTo(page, "Annots", u.Add(annotation)); err != nil {
		m.err = err
	}
}

func addPage(m *mutation) {
	m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
		p, err := d.Page(1)
		if err != nil {
			return err
		}
		parent := p.Dict.Ref("Parent")
		tree, err := u.Edit(parent)
		if err != nil {
			return err
		}
		page := u.Add(pdf.Dict{"Type": pdf.Name("Page"), "Parent": parent, "Contents": u.Add(buildContent("Lampiran")), "Resources": pdf.Dict{}})
		tree["Count"] = pdf.Integer(3)
		return u.AppendTo(tree, "Kids", page)
	})
}
