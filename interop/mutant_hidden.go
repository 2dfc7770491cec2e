package main

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"

	"segel/pades"
	"segel/pades/appearance"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// unsignedFieldMutants add a signature field without a signature that shows something.
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

// shadowMutants make readers that rebuild the cross-reference find another page.
var shadowMutants = []mutant{
	{"rebuilt-comment", func(m *mutation) { m.appendUnlisted("xref\n%\n50 1\n", "startxref\n") }},
	{"rebuilt-space", func(m *mutation) { m.appendUnlisted("xref\n 50 1\n", "startxref\n") }},
	{"rebuilt-startxref", func(m *mutation) { m.appendUnlisted("xref\n50 1\n", "startxref\n%\n") }},
}

func addUnsignedField(edit func(u *pdf.Update, w pdf.Dict)) func(*mutation) {
	return func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			page, err1 := f.D.Page(1)
			form, _, err2 := f.D.Form()
			if f.Err = errors.Join(err1, err2); f.Err != nil {
				return
			}
			w := buildOverlay(f.U, "Widget")
			delete(w, "Contents")
			w["FT"], w["T"], w["P"] = pdf.Name("Sig"), pdf.TextString("Kosong"), page.Ref
			edit(f.U, w)
			ref := f.U.Add(w)
			f.Fail(errors.Join(f.U.Append(page.Ref, "Annots", ref), f.U.Append(form, "Fields", ref)))
		})
	}
}

// appendUnlisted appends another content stream of page 1 that the cross-reference does not list, and a revision that
// some readers cannot use.
func (m *mutation) appendUnlisted(table, end string) {
	d, err := openPDF(m.b)
	if err != nil {
		m.err = err
		return
	}
	page, err := d.Page(1)
	if err != nil {
		m.err = err
		return
	}
	previous := lastStartxref(m.b)
	id := d.Trailer()["ID"].(pdf.Array)[0].(pdf.String).Bytes
	text := "BT /F1 24 Tf 72 720 Td (Lunas) Tj ET"
	m.b = fmt.Appendf(m.b, "%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", page.Dict.Ref("Contents").Number, len(text), text)
	object := len(m.b)
	m.b = append(m.b, "50 0 obj\n1\nendobj\n"...)
	at := len(m.b)
	m.b = fmt.Appendf(m.b, "%s%010d 00000 n \ntrailer\n<< /Size 90 /Root 1 0 R /Info 4 0 R /ID [<%x> <%x>] /Prev %s >>\n%s%d\n%%%%EOF\n", table, object, id, id, previous, end, at)
}

// prepareShadow prepares a file for the shadow attacks, as its author could before anyone signs: page 1 has a cover
// over its text, in a layer; an earlier revision had other content; and there is an unreferenced catalog with another
// page.
func prepareShadow(b []byte) ([]byte, error) {
	m := &mutation{b: bytes.Clone(b)}
	onPage(func(u *pdf.Update, p pdf.Dict) { u.Set(p.Ref("Contents"), buildContent("Lunas")) })(m)
	m.appendRevision(func(f *formtest.Filler) {
		u, catalog, page := f.U, f.Catalog(), f.Page()
		resources, err := f.D.Dict(page["Resources"])
		f.Fail(err)
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
	})
	return m.b, m.err
}

// hiddenMutants reveal, after the signature, what was hidden before it.
var hiddenMutants = []mutant{
	{"hide-cover", onCover(func(u *pdf.Update, cover pdf.Ref) {
		u.Set(cover, &pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{}.Array()}})
	})},
	{"hide-reference", onPage(func(_ *pdf.Update, p pdf.Dict) { p["Contents"] = p["Contents"].(pdf.Array)[:1] })},
	{"hide-layer", onCatalog(func(_ *pdf.Update, c pdf.Dict) {
		layers := c["OCProperties"].(pdf.Dict)
		layers["D"] = pdf.Dict{"OFF": layers["OCGs"]}
	})},
	{"hide-entry", func(m *mutation) {
		signed, number := m.b, uint32(0)
		onCover(func(_ *pdf.Update, cover pdf.Ref) { number = cover.Number })(m)
		m.b = signed
		m.appendXref(fmt.Sprintf("%d 1\n0000000000 00001 f \n", number), "")
	}},
	{"replace-font", onPage(func(u *pdf.Update, p pdf.Dict) {
		fonts := p["Resources"].(pdf.Dict)["Font"].(pdf.Dict)
		u.Set(fonts.Ref("F1"), pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
	})},
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

// onCover returns a mutation of the form XObject that covers the text of page 1.
func onCover(edit func(u *pdf.Update, cover pdf.Ref)) func(*mutation) {
	return onPage(func(u *pdf.Update, p pdf.Dict) { edit(u, p["Resources"].(pdf.Dict)["XObject"].(pdf.Dict).Ref("Cover")) })
}

// appendXref appends a cross-reference section with the given entries and additional trailer entries.
func (m *mutation) appendXref(entries, more string) {
	d, err := openPDF(m.b)
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
	previous := lastStartxref(m.b)
	at := len(m.b)
	m.b = fmt.Appendf(m.b, "xref\n%strailer\n<< /Size %v %s /Info 4 0 R /ID [<%x> <%x>] /Prev %s >>\nstartxref\n%d\n%%%%EOF\n", entries, d.Trailer()["Size"], more, id, id, previous, at)
}

// rawAppearance is an appearance of 100 by 100 units with any content, the image I of white pixels, and the graphics
// state G.
type rawAppearance struct {
	content string
	mask    byte // constant soft mask; 0: none
	state   pdf.Dict
}

// Form has the /BBox and /Filter of the empty appearance that it replaces, like those of our library.
func (l rawAppearance) Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error) {
	image := pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(10), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8),
		"ColorSpace": pdf.Name("DeviceRGB"),
	}
	if l.mask > 0 {
		image["SMask"] = u.Add(&pdf.Stream{Data: bytes.Repeat([]byte{l.mask}, 100), Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(10), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8),
			"ColorSpace": pdf.Name("DeviceGray"),
		}})
	}
	var content bytes.Buffer
	z := zlib.NewWriter(&content)
	if _, err := fmt.Fprintf(z, "%g 0 0 %g 0 0 cm %s", f.Width/100, f.Height/100, l.content); err != nil {
		return pdf.Ref{}, err
	}
	if err := z.Close(); err != nil {
		return pdf.Ref{}, err
	}
	return u.Add(&pdf.Stream{Data: content.Bytes(), Dict: pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: f.Width, URY: f.Height}.Array(), "Filter": pdf.Name("FlateDecode"),
		"Resources": pdf.Dict{
			"XObject":   pdf.Dict{"I": u.Add(&pdf.Stream{Data: bytes.Repeat([]byte{255}, 300), Dict: image})},
			"ExtGState": pdf.Dict{"G": l.state},
		},
	}}), nil
}

// addLargeMarks writes files whose last signer covers content that the first one signed, in fields that existed
// before.
func (w *itemWriter) addLargeMarks(k *pki) {
	page := pdf.Rect{URX: 595, URY: 842}
	const picture = "100 0 0 100 0 0 cm /I Do"
	with := func(fields []pades.FieldSpec, marks map[string]pades.Appearance, own pades.Appearance) *testFile {
		p := k.newFile(pdftest.Table(2)).addFields(append(fields, pades.FieldSpec{Name: "A", Page: 1, Rect: box})...).signField("A", rsaPKCS1, withAppearance(box, nil, ""))
		return p.signField("B", ecP256, func(o *pades.Options) { o.Appearance, o.Marks = own, marks })
	}
	signature := func(r pdf.Rect, l rawAppearance) *testFile {
		return with([]pades.FieldSpec{{Name: "B", Page: 1, Rect: r}}, nil, l)
	}
	tiles, marks := []pades.FieldSpec{{Name: "B"}}, map[string]pades.Appearance{}
	for i := range 10 {
		name := fmt.Sprintf("Mark%d", i)
		tiles = append(tiles, pades.FieldSpec{Name: name, Page: 1, Mark: true, Rect: pdf.Rect{LLY: float64(i) * 84, URX: 595, URY: float64(i+1) * 84}})
		marks[name] = rawAppearance{content: "1 g 0 0 100 100 re f"}
	}
	for name, p := range map[string]*testFile{
		"marks-picture.pdf":      signature(page, rawAppearance{content: picture}),
		"marks-masked.pdf":       signature(page, rawAppearance{content: picture, mask: 255}),
		"marks-path.pdf":         signature(page, rawAppearance{content: "1 g 0 0 m 100 0 l 100 100 l 0 100 l f"}),
		"marks-screen.pdf":       signature(page, rawAppearance{content: "/G gs 1 g 0 0 100 100 re f", state: pdf.Dict{"BM": pdf.Name("Screen")}}),
		"marks-tiles.pdf":        with(tiles, marks, nil),
		"marks-small.pdf":        signature(pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760}, rawAppearance{content: picture}), // over text, but within the limit
		"marks-seen-through.pdf": signature(page, rawAppearance{content: picture, mask: 20}),
	} {
		w.addFile(item{name: name}, p.b, p.err)
	}
}
