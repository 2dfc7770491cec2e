package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"segel/pades"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// mutant is a way of tampering with a signed file.
type mutant struct {
	name  string
	apply func(m *mutation)
}

// mutation is one file that is being tampered with. It keeps its first error.
type mutation struct {
	b         []byte
	signature *pdf.Signature // the first signature of the file
	err       error
}

// writeMutants writes signed files that were tampered with. No validator should find the first signature intact; the
// verdicts are compared.
func writeMutants(k *pki, dir string) ([]item, error) {
	w := newItemWriter(dir)
	one := func(b []byte) *testFile {
		return k.newFile(b).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}).signField("A", rsaPKCS1, withAppearance(box, nil, ""))
	}
	table := pdftest.Table(2)
	type base struct {
		name    string
		file    *testFile
		mutants []mutant
	}
	bases := []base{
		{"signed", one(table), slices.Concat(byteMutants, unsignedFieldMutants, shadowMutants, objectMutants)},
		{"streams", one(pdftest.Streams(2)), objectMutants},
		{"form", one(pdftest.Form()), formMutants},
		{"lta", one(table).addValidationData().addTimestamp(), storeMutants},
		{"certified", k.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}, pades.FieldSpec{Name: "B"}).
			signField("A", rsaPKCS1, withCertification(2), withAppearance(box, nil, "")), slices.Concat(unsignedFieldMutants, objectMutants)},
		{"commented", k.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}).
			signField("A", rsaPKCS1, withCertification(3), withAppearance(box, nil, "")), slices.Concat(evilMutants, objectMutants)},
	}
	shadow := k.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box})
	if shadow.err == nil {
		shadow.b, shadow.err = prepareShadow(shadow.b)
	}
	bases = append(bases, base{"shadow", shadow.signField("A", rsaPKCS1, withAppearance(box, nil, "")), hiddenMutants})
	w.addLargeMarks(k)
	for name, p := range map[string]*testFile{
		"signed":    one(table),
		"certified": k.newFile(table).addFields(pades.FieldSpec{Name: "A"}).signField("A", rsaPKCS1, withCertification(2)),
	} {
		signOverText(p)
		w.addFile(item{name: name + "-again-over-text.pdf"}, p.b, p.err)
	}
	for _, base := range bases {
		for _, change := range base.mutants {
			w.addMutant(item{name: base.name + "-" + change.name + ".pdf"}, base.file, change)
		}
	}
	return w.items, w.err
}

// addMutant tampers with a file and writes the result.
func (w *itemWriter) addMutant(it item, p *testFile, change mutant) {
	b, err := p.b, p.err
	if err == nil {
		b, err = applyMutation(b, change.apply)
	}
	w.addFile(it, b, err)
}

// signOverText adds a second signature whose appearance covers content that the first one signed (the sneaky signature
// attack, if the first one certifies). The field is added with it.
func signOverText(p *testFile) {
	over := pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760} // the position of the text on pdftest's pages
	if p.err == nil {
		m := &mutation{b: p.b}
		addUnsignedField(func(_ *pdf.Update, w pdf.Dict) { // without the library, which refuses it after a certification
			delete(w, "AP")
			w["Rect"] = over.Array()
		})(m)
		p.b, p.state, p.err = m.b, nil, m.err
	}
	p.signField("Kosong", ecP256, withAppearance(over, nil, ""))
}

func applyMutation(b []byte, change func(*mutation)) ([]byte, error) {
	d, err := openPDF(b)
	if err != nil {
		return nil, err
	}
	signatures, err := d.Signatures()
	if err != nil {
		return nil, err
	}
	m := &mutation{b: bytes.Clone(b), signature: signatures[0]}
	change(m)
	if m.err == nil && bytes.Equal(m.b, b) {
		m.err = fmt.Errorf("nothing was changed")
	}
	return m.b, m.err
}

// replaceText replaces the first or last occurrence of a text by one of the same length.
func (m *mutation) replaceText(old, now string, last bool) {
	at := bytes.Index(m.b, []byte(old))
	if last {
		at = bytes.LastIndex(m.b, []byte(old))
	}
	if at < 0 || len(old) != len(now) {
		m.err = fmt.Errorf("no %q to replace by %q", old, now)
		return
	}
	copy(m.b[at:], now)
}

func (m *mutation) appendRevision(edit func(f *formtest.Filler)) {
	b, err := formtest.Append(m.b, edit)
	if err != nil {
		m.err = err
		return
	}
	m.b = b
}

// onPage returns a mutation of the dictionary of page 1.
func onPage(edit func(u *pdf.Update, page pdf.Dict)) func(*mutation) {
	return func(m *mutation) { m.appendRevision(func(f *formtest.Filler) { edit(f.U, f.Page()) }) }
}

// onCatalog returns a mutation of the catalog.
func onCatalog(edit func(u *pdf.Update, catalog pdf.Dict)) func(*mutation) {
	return func(m *mutation) { m.appendRevision(func(f *formtest.Filler) { edit(f.U, f.Catalog()) }) }
}

// byteMutants change existing bytes, or append bytes that are not a revision.
var byteMutants = []mutant{
	{"flip-header", func(m *mutation) { m.b[7] = '6' }},
	{"flip-content", func(m *mutation) { m.replaceText("(Page 1)", "(Page 9)", false) }},
	{"flip-font", func(m *mutation) { m.replaceText("/Helvetica", "/HelvetiXX", false) }},
	{"flip-xref", func(m *mutation) { m.replaceText(" 00000 n \n", " 00000 n\r\n", false) }},
	{"flip-trailer", func(m *mutation) { m.replaceText("/Info 4 0 R", "/Info 3 0 R", false) }},
	{"flip-reason", func(m *mutation) { m.replaceText("Menyetujui", "Menolak   ", true) }},
	{"flip-time", func(m *mutation) { m.replaceText("/M (D:2", "/M (D:1", true) }},
	{"flip-certificate", func(m *mutation) { m.flipByte(200) }},
	{"flip-value", func(m *mutation) { m.flipByte(m.findSignatureValue() + 100) }},
	{"flip-attribute", func(m *mutation) { m.flipByte(m.findSignatureValue() - 30) }},
	{"flip-timestamp", func(m *mutation) { m.flipByte(m.findSignatureValue() + 900) }},
	{"flip-padding", func(m *mutation) { m.flipByte(len(m.signature.Contents) - 1) }},
	{"flip-last-byte", func(m *mutation) { m.b[len(m.b)-2] = 'E' }},
	{"cut-end", func(m *mutation) { m.b = m.b[:len(m.b)-20] }},
	{"junk-behind", func(m *mutation) { m.b = append(m.b, "junk behind the last revision\n"...) }},
	{"byte-behind", func(m *mutation) { m.b = append(m.b, 0) }},
	{"comment-behind", func(m *mutation) { m.b = append(m.b, "%%EOF\n"...) }},
	{"range-short", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[3] -= 10; return r }) }},
	{"range-late", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[0], r[1] = 9, r[1]-9; return r }) }},
	{"range-wide-gap", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[1] -= 30; return r }) }},
	{"range-two-numbers", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { return r[:2] }) }},
	{"range-six-numbers", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { return append(r, 0, 1) }) }},
	{"range-negative", func(m *mutation) { m.editByteRange(func(r []int64) []int64 { r[1] = -1; return r }) }},
	{"range-twice", func(m *mutation) { m.replaceText("/Filter /Adobe.PPKLite", "/ByteRange [0 1 2 3]  ", true) }},
	{"range-missing", func(m *mutation) { m.replaceText("/ByteRange", "/ByteRang_", true) }},
	{"contents-empty", func(m *mutation) { m.replaceText("/Contents <30", "/Contents <  ", true) }},
	{"contents-missing", func(m *mutation) { m.replaceText("/Contents <30", "/Content_ <30", true) }},
	{"moved-contents", moveContents},
	{"trailer-other-root", func(m *mutation) { m.appendSection("/Root 90 0 R", true) }},
	{"trailer-no-prev", func(m *mutation) { m.appendSection("/Root 90 0 R", false) }},
	{"trailer-loop", func(m *mutation) {
		m.b = fmt.Appendf(m.b, "xref\n0 0\ntrailer\n<< /Size 90 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", len(m.b), len(m.b))
	}},
}

// flipByte changes one byte of the container.
func (m *mutation) flipByte(at int) {
	i := int(m.signature.ByteRange[1]) + 2 + 2*at // the second digit of the byte
	if m.b[i] == '7' {
		m.b[i] = '3'
	} else {
		m.b[i] = '7'
	}
}

// findSignatureValue returns the offset of the signature value in the container: the only OCTET STRING of 256 bytes,
// because only the signer's key is RSA. The signed attributes end shortly before it; the timestamp follows.
func (m *mutation) findSignatureValue() int {
	return bytes.Index(m.signature.Contents, []byte{0x04, 0x82, 0x01, 0x00}) + 4
}

// editByteRange rewrites /ByteRange within its space.
func (m *mutation) editByteRange(edit func([]int64) []int64) {
	at := bytes.LastIndex(m.b, []byte("/ByteRange"))
	open := at + bytes.IndexByte(m.b[at:], '[')
	end := open + bytes.IndexByte(m.b[open:], ']')
	length := end + 1 - open
	for m.b[open+length] == ' ' {
		length++
	}
	var numbers []string
	for _, n := range edit(slices.Clone(m.signature.ByteRange)) {
		numbers = append(numbers, strconv.FormatInt(n, 10))
	}
	s := "[" + strings.Join(numbers, " ") + "]"
	if len(s) > length {
		m.err = fmt.Errorf("no space for %s", s)
		return
	}
	copy(m.b[open:], s+strings.Repeat(" ", length-len(s)))
}

// moveContents is the signature wrapping attack: the signed bytes after the container move to the end, and the gap
// takes other objects.
func moveContents(m *mutation) {
	r := m.signature.ByteRange
	behind := bytes.Clone(m.b[r[2] : r[2]+r[3]])
	evil := "\n5 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Rotate 180 >>\nendobj\n"
	grown := append(bytes.Clone(m.b[:r[2]]), evil...)
	m.b = append(append(grown, bytes.Repeat([]byte(" "), 16)...), behind...)
	m.editByteRange(func(r []int64) []int64 { r[2] = int64(len(m.b)) - r[3]; return r })
}

// appendSection appends another catalog with its own page, and a trailer that references it.
func (m *mutation) appendSection(root string, chained bool) {
	var at []int
	for _, o := range []string{
		"90 0 obj\n<< /Type /Catalog /Pages 91 0 R >>\nendobj\n",
		"91 0 obj\n<< /Type /Pages /Kids [92 0 R] /Count 1 >>\nendobj\n",
		"92 0 obj\n<< /Type /Page /Parent 91 0 R /MediaBox [0 0 595 842] /Resources << >> >>\nendobj\n",
	} {
		at = append(at, len(m.b))
		m.b = append(m.b, o...)
	}
	prev := "/Prev " + lastStartxref(m.b)
	if !chained {
		prev = ""
	}
	start := len(m.b)
	m.b = append(m.b, "xref\n90 3\n"...)
	for _, offset := range at {
		m.b = fmt.Appendf(m.b, "%010d 00000 n \n", offset)
	}
	m.b = fmt.Appendf(m.b, "trailer\n<< /Size 93 %s %s >>\nstartxref\n%d\n%%%%EOF\n", root, prev, start)
}

// buildOverlay returns an annotation that covers most of the page.
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
	{"replaced-content", onPage(func(u *pdf.Update, p pdf.Dict) { u.Set(p.Ref("Contents"), buildContent("Lunas")) })},
	{"other-content", onPage(func(u *pdf.Update, p pdf.Dict) { p["Contents"] = u.Add(buildContent("Lunas")) })},
	{"more-content", onPage(func(u *pdf.Update, p pdf.Dict) {
		p["Contents"] = pdf.Array{p["Contents"], u.Add(buildContent("dan lunas"))}
	})},
	{"no-content", onPage(func(_ *pdf.Update, p pdf.Dict) { delete(p, "Contents") })},
	{"other-font", onPage(func(u *pdf.Update, p pdf.Dict) {
		font := u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		p["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
	})},
	{"turned-page", onPage(func(_ *pdf.Update, p pdf.Dict) { p["Rotate"] = pdf.Integer(180) })},
	{"cropped-page", onPage(func(_ *pdf.Update, p pdf.Dict) { p["CropBox"] = pdf.Rect{URX: 300, URY: 300}.Array() })},
	{"no-annotations", onPage(func(_ *pdf.Update, p pdf.Dict) { delete(p, "Annots") })},
	{"page-action", onPage(func(_ *pdf.Update, p pdf.Dict) {
		p["AA"] = pdf.Dict{"O": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}}
	})},
	{"overlay-widget", addOverlay("Widget")},
	{"overlay-stamp", addOverlay("Stamp")},
	{"swapped-appearance", func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			f.Edit(m.signature.Field.Widgets[0].Ref)["AP"] = buildOverlay(f.U, "Stamp")["AP"]
		})
	}},
	{"moved-widget", func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			f.Edit(m.signature.Field.Widgets[0].Ref)["Rect"] = pdf.Rect{LLX: 72, LLY: 600, URX: 300, URY: 700}.Array()
		})
	}},
	{"other-name", func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) { f.Edit(m.signature.Ref)["Name"] = pdf.TextString("Orang lain") })
	}},
	{"added-page", onPageTree(func(f *formtest.Filler, first *pdf.Page, tree pdf.Dict) {
		page := pdf.Dict{"Type": pdf.Name("Page"), "Parent": first.Dict["Parent"], "Contents": f.U.Add(buildContent("Lampiran")), "Resources": pdf.Dict{}}
		tree["Count"] = pdf.Integer(3)
		f.Fail(f.U.AppendTo(tree, "Kids", f.U.Add(page)))
	})},
	{"removed-page", onPageTree(func(_ *formtest.Filler, first *pdf.Page, tree pdf.Dict) {
		tree["Kids"], tree["Count"] = pdf.Array{first.Ref}, pdf.Integer(1)
	})},
	{"open-action", onCatalog(func(_ *pdf.Update, c pdf.Dict) {
		c["OpenAction"] = pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}
	})},
	{"named-script", onCatalog(func(_ *pdf.Update, c pdf.Dict) {
		script := pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}
		c["Names"] = pdf.Dict{"JavaScript": pdf.Dict{"Names": pdf.Array{pdf.TextString("a"), script}}}
	})},
	{"layers", onCatalog(func(u *pdf.Update, c pdf.Dict) {
		layer := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L")})
		c["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{layer}, "D": pdf.Dict{"OFF": pdf.Array{layer}}}
	})},
	{"other-pages", onCatalog(func(u *pdf.Update, c pdf.Dict) {
		tree, page := u.Reserve(), u.Reserve()
		u.Set(page, pdf.Dict{"Type": pdf.Name("Page"), "Parent": tree, "Contents": u.Add(buildContent("Lunas")), "Resources": pdf.Dict{}, "MediaBox": pdf.Rect{URX: 595, URY: 842}.Array()})
		u.Set(tree, pdf.Dict{"Type": pdf.Name("Pages"), "Kids": pdf.Array{page}, "Count": pdf.Integer(1)})
		c["Pages"] = tree
	})},
	{"form-emptied", onCatalog(func(_ *pdf.Update, c pdf.Dict) { c["AcroForm"] = pdf.Dict{"Fields": pdf.Array{}} })},
	{"xfa", func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			ref, _, err := f.D.Root()
			if err != nil {
				f.Err = err
				return
			}
			form, err := f.U.EditIn(ref, "AcroForm")
			if f.Err = err; err == nil {
				form["XFA"] = f.U.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("<xdp:xdp xmlns:xdp=\"http://ns.adobe.com/xdp/\"/>")})
			}
		})
	}},
}

// evilMutants add annotations that a certification of level 3 seems to permit (the evil annotation attack).
var evilMutants = []mutant{
	{"evil-freetext", addOverlay("FreeText")},
	{"evil-redact", addOverlay("Redact")},
}

// formMutants fill in or change form fields after a signature.
var formMutants = []mutant{
	{"field-default", editField(func(f pdf.Dict) { f["DV"] = pdf.TextString("Lunas") })},
	{"field-moved", editField(func(f pdf.Dict) { f["Rect"] = pdf.Rect{LLX: 1, LLY: 1, URX: 500, URY: 500}.Array() })},
	{"field-renamed", editField(func(f pdf.Dict) { f["T"] = pdf.TextString("lain") })},
	{"field-script", editField(func(f pdf.Dict) {
		f["AA"] = pdf.Dict{"K": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString("app.alert(1)")}}
	})},
	{"field-filled-alone", editField(func(f pdf.Dict) { f["V"] = pdf.TextString("Agus") })},
}

// editField returns a mutation of the first field of the form.
func editField(edit func(pdf.Dict)) func(*mutation) {
	return func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			fields, err := f.D.Fields()
			if f.Err = err; err == nil {
				edit(f.Edit(fields[0].Ref))
			}
		})
	}
}

// storeMutants change what follows the signature in a B-LTA file.
var storeMutants = []mutant{
	{"no-store", onCatalog(func(_ *pdf.Update, c pdf.Dict) { delete(c, "DSS") })},
	// A later revision that restores an earlier state: the catalog before the store.
	{"old-revision", onCatalog(func(_ *pdf.Update, c pdf.Dict) { delete(c, "DSS"); delete(c, "Extensions") })},
	{"rolled-back", func(m *mutation) {
		// The end of the file points to the state before the store.
		d, err := openPDF(m.b)
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
	{"undecodable-store", func(m *mutation) { // the dictionary of its first stream grows by a filter, and its data lose as many bytes
		from := int(m.signature.ByteRange[2] + m.signature.ByteRange[3])
		keyword := from + bytes.Index(m.b[from:], []byte("stream\n"))
		dict := bytes.LastIndex(m.b[:keyword], []byte("<<"))
		length, err := strconv.Atoi(string(regexp.MustCompile(`/Length (\d+)`).FindSubmatch(m.b[dict:keyword])[1]))
		if err != nil {
			panic(err) // it is a number
		}
		const filter = "/Filter/FlateDecode"
		changed := fmt.Sprintf("<<%s/Length %d>>", filter, length-len(filter))
		changed += strings.Repeat(" ", keyword-dict+len(filter)-len(changed)) + "stream\n"
		copy(m.b[dict+len(changed):], m.b[keyword+len("stream\n")+len(filter):keyword+len("stream\n")+length])
		copy(m.b[dict:], changed)
	}},
	{"cut-timestamp", func(m *mutation) {
		at := bytes.LastIndex(m.b, []byte("/Contents <30"))
		copy(m.b[at+len("/Contents <"):], "00")
	}},
	{"stamp-behind", addOverlay("Stamp")},
}

// addOverlay adds an overlay of that subtype to page 1.
func addOverlay(subtype pdf.Name) func(*mutation) {
	return addAnnotation(func(u *pdf.Update) pdf.Dict { return buildOverlay(u, subtype) })
}

// addAnnotation adds an annotation to page 1.
func addAnnotation(build func(u *pdf.Update) pdf.Dict) func(*mutation) {
	return func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) { f.Fail(f.U.AppendTo(f.Page(), "Annots", f.U.Add(build(f.U)))) })
	}
}

// onPageTree returns a mutation of the node of the page tree above page 1.
func onPageTree(edit func(f *formtest.Filler, first *pdf.Page, tree pdf.Dict)) func(*mutation) {
	return func(m *mutation) {
		m.appendRevision(func(f *formtest.Filler) {
			first, err := f.D.Page(1)
			if f.Err = err; err == nil {
				edit(f, first, f.Edit(first.Dict.Ref("Parent")))
			}
		})
	}
}
