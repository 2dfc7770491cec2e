package main

import (
	"bytes"
	"fmt"
	"slices"

	"segel/pades"
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
	if err := resetDir(dir); err != nil {
		return nil, err
	}
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
	items, err := writeLargeMarks(k, dir)
	if err != nil {
		return nil, err
	}
	for name, p := range map[string]*testFile{
		"signed":    one(table),
		"certified": k.newFile(table).addFields(pades.FieldSpec{Name: "A"}).signField("A", rsaPKCS1, withCertification(2)),
	} {
		if err := signOverText(p); err != nil {
			return nil, err
		}
		if items, err = appendItem(items, dir, item{name: name + "-again-over-text.pdf"}, p.b); err != nil {
			return nil, err
		}
	}
	for _, base := range bases {
		if base.file.err != nil {
			return nil, fmt.Errorf("sign %s: %w", base.name, base.file.err)
		}
		for _, change := range base.mutants {
			b, err := applyMutation(base.file.b, change.apply)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", base.name, change.name, err)
			}
			if items, err = appendItem(items, dir, item{name: base.name + "-" + change.name + ".pdf"}, b); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
}

// signOverText adds a second signature whose appearance covers content that the first one signed (the sneaky signature
// attack, if the first one certifies). The field is added with it.
func signOverText(p *testFile) error {
	over := pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760} // the position of the text on pdftest's pages
	if p.err == nil {
		m := &mutation{b: p.b}
		addUnsignedField(func(_ *pdf.Update, w pdf.Dict) { // without the library, which refuses it after a certification
			delete(w, "AP")
			w["Rect"] = over.Array()
		})(m)
		p.b, p.state, p.err = m.b, nil, m.err
	}
	return p.signField("Kosong", ecP256, withAppearance(over, nil, "")).err
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

// appendRevision appends a revision.
func (m *mutation) appendRevision(edit func(d *pdf.Document, u *pdf.Update) error) {
	d, err := openPDF(m.b)
	if err != nil {
		m.err = err
		return
	}
	u := d.NewUpdate()
	if err := edit(d, u); err != nil {
		m.err = err
		return
	}
	tail, err := u.Build()
	if err != nil {
		m.err = err
		return
	}
	m.b = append(m.b, tail.Bytes...)
}

// editPage edits the dictionary of page 1.
func (m *mutation) editPage(edit func(u *pdf.Update, page pdf.Dict)) {
	m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
		p, err := d.Page(1)
		if err != nil {
			return err
		}
		page, err := u.Edit(p.Ref)
		if err == nil {
			edit(u, page)
		}
		return err
	})
}

// editCatalog edits the catalog.
func (m *mutation) editCatalog(edit func(d *pdf.Document, u *pdf.Update, catalog pdf.Dict)) {
	m.appendRevision(func(d *pdf.Document, u *pdf.Update) error {
		ref, _, err := d.Root()
		if err != nil {
			return err
		}
		catalog, err := u.Edit(ref)
		if err == nil {
			edit(d, u, catalog)
		}
		return err
	})
}

// onPage returns a mutation of the dictionary of page 1.
func onPage(edit func(u *pdf.Update, page pdf.Dict)) func(*mutation) {
	return func(m *mutation) { m.editPage(edit) }
}

// onCatalog returns a mutation of the catalog.
func onCatalog(edit func(d *pdf.Document, u *pdf.Update, catalog pdf.Dict)) func(*mutation) {
	return func(m *mutation) { m.editCatalog(edit) }
}
