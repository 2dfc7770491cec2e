package main

import (
	"bytes"
	"fmt"
	"strings"

	"segel/pdf"
)

// prepareShadow is a file that its author made ready before anybody signed it, as the shadow attacks want it: page 1 has a
// cover over its text, in a layer; its content once was another; and there is a catalog with a page of its own that
// nothing leads to.
func prepareShadow(b []byte) ([]byte, error) {
	m := &mutation{b: bytes.Clone(b)}
	m.editPage(func(u *pdf.Update, p pdf.Dict) { u.Set(p.Ref("Contents"), buildContent("Lunas")) })
	m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
		ref, _, err := d.Root()
		if err != nil {
			return err
		}
		catalog, err := u.Edit(ref)
		if err != nil {
			return err
		}
		first, err := d.Page(1)
		if err != nil {
			return err
		}
		page, err := u.Edit(first.Ref)
		if err != nil {
			return err
		}
		resources, err := d.Dict(page["Resources"])
		if err != nil {
			return err
		}
		u.Set(page.Ref("Contents"), buildContent("Page 1"))
		layer := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("Sampul")})
		catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{layer}, "D": pdf.Dict{"ON": pdf.Array{layer}}}
		cover := u.Add(&pdf.Stream{
			Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 400, URY: 60}.Array(), "Resources": pdf.Dict{}},
			Data: []byte("1 g 0 0 400 60 re f"),
		})
		page["Resources"] = pdf.Dict{"Font": resources["Font"], "XObject": pdf.Dict{"Cover": cover}, "Properties": pdf.Dict{"L": layer}}
		shown := u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("/OC /L BDC q 1 0 0 1 60 700 cm /Cover Do Q EMC")})
		page["Contents"] = pdf.Array{page["Contents"], shown}
		tree, other := u.Reserve(), u.Reserve()
		u.Set(other, pdf.Dict{"Type": pdf.Name("Page"), "Parent": tree, "Contents": u.Add(buildContent("Lunas")), "Resources": pdf.Dict{"Font": resources["Font"]}, "MediaBox": pdf.Rect{URX: 595, URY: 842}.Array()})
		u.Set(tree, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": pdf.Array{other}, "Count": pdf.Integer(1)})
		u.Add(pdf.Dict{"Type": pdf.Name("Catalog"), "Pages": tree, "AcroForm": catalog["AcroForm"]})
		return nil
	})
	return m.b, m.err
}

// hiddenMutants uncover, behind the signature, what was hidden before it.
var hiddenMutants = []mutant{
	{"hide-cover", func(m *mutation) {
		m.editCover(func(u *pdf.Update, cover pdf.Ref) {
			u.Set(cover, &pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{}.Array()}})
		})
	}},
	{"hide-reference", func(m *mutation) {
		m.editPage(func(_ *pdf.Update, p pdf.Dict) { p["Contents"] = p["Contents"].(pdf.Array)[:1] })
	}},
	{"hide-layer", func(m *mutation) {
		m.editCatalog(func(_ *pdf.Document, _ *pdf.Update, c pdf.Dict) {
			layers := c["OCProperties"].(pdf.Dict)
			layers["D"] = pdf.Dict{"OFF": layers["OCGs"]}
		})
	}},
	{"hide-entry", func(m *mutation) {
		signed, number := m.b, uint32(0)
		m.editCover(func(_ *pdf.Update, cover pdf.Ref) { number = cover.Number })
		m.b = signed
		m.appendXref(fmt.Sprintf("%d 1\n0000000000 00001 f \n", number), "")
	}},
	{"replace-font", func(m *mutation) {
		m.editPage(func(u *pdf.Update, p pdf.Dict) {
			fonts := p["Resources"].(pdf.Dict)["Font"].(pdf.Dict)
			u.Set(fonts.Ref("F1"), pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		})
	}},
	{"hide-replace-catalog", func(m *mutation) {
		before := m.b[:bytes.LastIndex(m.b, []byte("/Type /Catalog"))]
		object := strings.Fields(string(before[:bytes.LastIndex(before, []byte(" 0 obj"))]))
		m.appendXref("0 0\n", "/Root "+object[len(object)-1]+" 0 R")
	}},
	{"hide-replace-content", func(m *mutation) {
		at := bytes.Index(m.b, []byte("(Lunas)"))
		at = bytes.LastIndex(m.b[:at], []byte(" 0 obj"))
		number := strings.Fields(string(m.b[:at]))
		n := number[len(number)-1]
		m.appendXref(fmt.Sprintf("%s 1\n%010d 00000 n \n", n, at-len(n)), "")
	}},
}

// editCover edits the form that hides the text of page 1.
func (m *mutation) editCover(edit func(u *pdf.Update, cover pdf.Ref)) {
	m.editPage(func(u *pdf.Update, p pdf.Dict) { edit(u, p["Resources"].(pdf.Dict)["XObject"].(pdf.Dict).Ref("Cover")) })
}

// appendXref appends a cross-reference section by hand: entries, and what its trailer states besides.
func (m *mutation) appendXref(entries, more string) {
	d, err := pdf.Open(bytes.NewReader(m.b), int64(len(m.b)), pdf.Options{})
	if err != nil {
		m.err = err
		return
	}
	root, _, err := d.Root()
	if err != nil {
		m.err = err
		return
	}
	if more == "" {
		more = "/Root " + root.String()
	}
	id := d.Trailer()["ID"].(pdf.Array)[0].(pdf.String).Bytes
	previous := strings.Fields(string(m.b[bytes.LastIndex(m.b, []byte("startxref")):]))[1]
	at := len(m.b)
	m.b = fmt.Appendf(m.b, "xref\n%strailer\n<< /Size %v %s /Info 4 0 R /ID [<%x> <%x>] /Prev %s >>\nstartxref\n%d\n%%%%EOF\n", entries, d.Trailer()["Size"], more, id, id, previous, at)
}
