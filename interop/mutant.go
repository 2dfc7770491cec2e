package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// mutant is a signed file that was tampered with.
type mutant struct {
	name  string
	apply func(m *mutation)
}

// mutation is the tampering with one file. Its first error stays.
type mutation struct {
	b         []byte
	signature *pdf.Signature // the first one
	err       error
}

// writeMutants writes files that we signed and then tampered with. Of the first signature of each the judges must not think
// that it is in order; what they do think is compared.
func writeMutants(h *pki, dir string) ([]item, error) {
	if err := resetDir(dir); err != nil {
		return nil, err
	}
	one := func(b []byte) *testFile {
		return h.newFile(b).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}).signField("A", rsaPKCS1, withAppearance(box, nil, ""))
	}
	table := pdftest.Table(2)
	type base struct {
		name    string
		paper   *testFile
		mutants []mutant
	}
	bases := []base{
		{"signed", one(table), slices.Concat(byteMutants, unsignedFieldMutants, shadowMutants, objectMutants)},
		{"streams", one(pdftest.Streams(2)), objectMutants},
		{"form", one(pdftest.Form()), formMutants},
		{"lta", one(table).addValidationData().addTimestamp(), storeMutants},
		{"certified", h.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}, pades.FieldSpec{Name: "B"}).
			signField("A", rsaPKCS1, withCertification(2), withAppearance(box, nil, "")), slices.Concat(unsignedFieldMutants, objectMutants)},
		{"commented", h.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}).
			signField("A", rsaPKCS1, withCertification(3), withAppearance(box, nil, "")), slices.Concat(evilMutants, objectMutants)},
	}
	shadow := h.newFile(table).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box})
	if shadow.err == nil {
		shadow.b, shadow.err = prepareShadow(shadow.b)
	}
	bases = append(bases, base{"shadow", shadow.signField("A", rsaPKCS1, withAppearance(box, nil, "")), hiddenMutants})
	items, err := writeLargeMarks(h, dir)
	if err != nil {
		return nil, err
	}
	for name, p := range map[string]*testFile{
		"signed":    one(table),
		"certified": h.newFile(table).addFields(pades.FieldSpec{Name: "A"}).signField("A", rsaPKCS1, withCertification(2)),
	} {
		it, err := writeCovered(p, filepath.Join(dir, name+"-again-over-text.pdf"))
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	for _, base := range bases {
		if base.paper.err != nil {
			return nil, fmt.Errorf("sign %s: %w", base.name, base.paper.err)
		}
		for _, change := range base.mutants {
			b, err := applyMutation(base.paper.b, change.apply)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", base.name, change.name, err)
			}
			name := base.name + "-" + change.name + ".pdf"
			it := item{name: name, path: filepath.Join(dir, name)}
			if err := os.WriteFile(it.path, b, 0o600); err != nil {
				return nil, err
			}
			items = append(items, it)
		}
	}
	return items, nil
}

// writeCovered is a file that is signed again by a signature whose picture covers what the first one signed (the sneaky
// signature attack, where that one certifies). Its field comes with it.
func writeCovered(p *testFile, path string) (item, error) {
	over := pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760} // where the text of pdftest's pages stands
	if p.err == nil {
		m := &mutation{b: p.b}
		addUnsignedField(func(_ *pdf.Update, w pdf.Dict) { // by hand, as our library adds none behind a certification
			delete(w, "AP")
			w["Rect"] = over.Array()
		})(m)
		p.b, p.state, p.err = m.b, nil, m.err
	}
	if p.signField("Kosong", ecP256, withAppearance(over, nil, "")); p.err != nil {
		return item{}, p.err
	}
	return item{name: filepath.Base(path), path: path}, os.WriteFile(path, p.b, 0o600)
}

func applyMutation(b []byte, change func(*mutation)) ([]byte, error) {
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
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

// replaceText puts one text in the place of another of the same length, at its first or last occurrence.
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
	d, err := pdf.Open(bytes.NewReader(m.b), int64(len(m.b)), pdf.Options{})
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
