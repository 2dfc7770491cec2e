package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/cms"
	"segel/pades"
	"segel/pades/validate/formfield/formtest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// buildWriterBases builds signed files to which later writers append.
func buildWriterBases(k *pki) (map[string]*testFile, error) {
	bases := map[string]*testFile{}
	commented, err := addFreeText(pdftest.Form())
	if err != nil {
		return nil, err
	}
	// The trailer leads to an object that does not exist.
	renumbered := bytes.Replace(pdftest.Table(2), []byte("/Info 4 0 R"), []byte("/Info 4 0 R /AdditionalStreams [/application#2Fvnd 60 0 R]"), 1)
	for name, b := range map[string][]byte{
		"table": pdftest.Table(2), "hybrid": pdftest.WordHybrid(2), "form": pdftest.Form(), "store": pdftest.Table(2), "comment": commented, "renumbered": renumbered,
	} {
		bases[name] = k.newFile(b).addFields(pades.FieldSpec{Name: "A", Page: 1, Rect: box}).signField("A", rsaPKCS1, withAppearance(box, nil, ""))
	}
	bases["store"].addValidationData().addTimestamp()
	return bases, nil
}

// addFreeText adds a comment without an appearance to page 1, drawn with a font that the form does not have.
func addFreeText(b []byte) ([]byte, error) {
	m := &mutation{b: b}
	addAnnotation(func(u *pdf.Update) pdf.Dict {
		d := buildOverlay(u, "FreeText")
		delete(d, "AP")
		d["DA"], d["Rect"] = pdf.TextString("/F5 24 Tf 0 g"), pdf.Rect{LLX: 72, LLY: 500, URX: 300, URY: 540}.Array()
		return d
	})(m)
	return m.b, m.err
}

// writeWriterFiles writes files to which later writers appended something unusual: harmless changes, and changes that
// mislead some readers.
func writeWriterFiles(k *pki, dir string) (harmless, harmful []item, err error) {
	good, bad := newItemWriter(dir), &itemWriter{dir: dir}
	bases, err := buildWriterBases(k)
	if err != nil {
		return nil, nil, err
	}
	for base, all := range map[string][2][]mutant{"table": tableWriters, "hybrid": hybridWriters, "form": formWriters, "store": storeWriters, "comment": commentWriters, "renumbered": renumberedWriters} {
		for _, change := range all[0] {
			good.addMutant(item{name: "writer-" + base + "-" + change.name + ".pdf"}, bases[base], change)
		}
		for _, change := range all[1] {
			bad.addMutant(item{name: "misleading-" + base + "-" + change.name + ".pdf"}, bases[base], change)
		}
	}
	for _, c := range oddCertificates {
		p := k.newFile(pdftest.Table(2)).addFields(pades.FieldSpec{Name: "A"}).addForm(cades, nil, func(s signedBytes) ([]byte, error) { return signWithOddCertificate(s, c.old, c.now) })
		good.addFile(item{name: "writer-certificate-" + c.name + ".pdf"}, p.b, p.err)
	}
	return good.items, bad.items, errors.Join(good.err, bad.err)
}

// Writers by the file they append to: first the harmless ones, then the misleading ones.
var (
	tableWriters = [2][]mutant{{
		{"spare-stream", func(m *mutation) { m.appendSpareStream("1 0 R", nil) }},
		{"startxref-blank", func(m *mutation) { m.appendWrongStartxref(-1) }},
		{"other-id", func(m *mutation) { m.appendTable(rawTable{id: "[<00112233> <44556677>]"}) }},
		{"small-size", func(m *mutation) { m.appendTable(rawTable{size: 1}); m.appendTable(rawTable{}) }},
		{"renumbered-root", func(m *mutation) {
			m.appendTable(rawTable{objects: map[int]string{90: m.readObject("1 0 obj")}, root: "90 0 R"})
		}},
	}, {
		{"spare-stream-page", func(m *mutation) { m.appendSpareStream("1 0 R", map[int]string{pdftest.FirstPageNumber + 1: "q Q"}) }},
		{"spare-stream-root", func(m *mutation) { m.appendSpareStream("91 0 R", nil) }},
		{"startxref-elsewhere", func(m *mutation) { m.appendWrongStartxref(-len("90 0 obj\n1\nendobj\n")) }},
		{"small-size-hides", func(m *mutation) { m.appendTable(rawTable{size: pdftest.FirstPageNumber}) }},
		{"renumbered-root-acts", func(m *mutation) {
			root := strings.Replace(m.readObject("1 0 obj"), "<<", "<< /OpenAction << /S /Named /N /Print >> ", 1)
			m.appendTable(rawTable{objects: map[int]string{90: root}, root: "90 0 R"})
		}},
	}}
	hybridWriters = [2][]mutant{{
		{"stream-copied", func(m *mutation) {
			m.appendTable(rawTable{objects: map[int]string{90: "1"}, more: "/XRefStm " + m.findHybridStream()})
		}},
		{"stream-repeats", func(m *mutation) { m.appendHybridSection(nil) }},
	}, {
		{"stream-differs", func(m *mutation) { m.appendHybridSection(map[int]string{pdftest.FirstPageNumber + 1: "q Q"}) }},
	}}
	formWriters = [2][]mutant{{
		{"font-added", func(m *mutation) { m.addFormFont("Font", "F5", "ZapfDingbats") }},
		{"font-again", func(m *mutation) { m.addFormFont("Font", "Helv", "Helvetica") }},
	}, {
		{"font-changed", func(m *mutation) {
			m.addFormFont("Font", "Helv", "Helvetica")
			m.addFormFont("Font", "Helv", "ZapfDingbats")
		}},
	}}
	// Poppler draws a comment without an appearance with the fonts of the form.
	commentWriters = [2][]mutant{{
		{"other-font-added", func(m *mutation) { m.addFormFont("Font", "F6", "ZapfDingbats") }},
	}, {
		{"font-added", func(m *mutation) { m.addFormFont("Font", "F5", "ZapfDingbats") }},
	}}
	// PDFBox renumbers a trailer reference to a missing object and reuses the old number.
	renumberedWriters = [2][]mutant{{
		{"other-number", func(m *mutation) {
			m.appendTable(rawTable{objects: map[int]string{60: "<< /Type /Xyz >>"}, more: "/AdditionalStreams [/application#2Fvnd 61 0 R]"})
		}},
	}, {
		{"stream", func(m *mutation) {
			m.appendTable(rawTable{objects: map[int]string{60: "<< /Length 3 >>\nstream\nODT\nendstream"}, more: "/AdditionalStreams [/application#2Fvnd 61 0 R]"})
		}},
	}}
	storeWriters = [2][]mutant{{
		{"anew", func(m *mutation) { m.replaceStore(time.Now(), false) }},
	}, {
		{"garbage", func(m *mutation) { m.replaceStore(time.Now(), true) }},
		{"emptied", onCatalog(func(u *pdf.Update, c pdf.Dict) { c["DSS"] = u.Add(pdf.Dict{}) })},
	}}
)

// rawTable is a revision with a cross-reference table, built from text.
type rawTable struct {
	objects map[int]string // by number
	entries map[int]int    // offsets of objects that are written already
	size    int            // instead of the correct one
	root    string         // instead of 1 0 R
	id      string         // instead of the one before
	more    string         // additional trailer entries
	from    int            // length of the state before; 0: the whole file
}

func (m *mutation) appendTable(t rawTable) {
	former := m.b
	if t.from > 0 {
		former = m.b[:t.from]
	}
	d, err := openPDF(former)
	if err != nil {
		m.err = errors.Join(m.err, err)
		return
	}
	id := "/ID " + t.id
	if list, ok := d.Trailer()["ID"].(pdf.Array); ok && t.id == "" {
		id = fmt.Sprintf("/ID [<%x> <%x>]", list[0].(pdf.String).Bytes, list[1].(pdf.String).Bytes)
	}
	entries := map[int]int{}
	maps.Copy(entries, t.entries)
	for _, n := range slices.Sorted(maps.Keys(t.objects)) {
		entries[n] = len(m.b)
		m.b = fmt.Appendf(m.b, "%d 0 obj\n%s\nendobj\n", n, t.objects[n])
	}
	at := len(m.b)
	m.b = append(m.b, "xref\n0 1\n0000000000 65535 f \n"...)
	for _, n := range slices.Sorted(maps.Keys(entries)) {
		m.b = fmt.Appendf(m.b, "%d 1\n%010d 00000 n \n", n, entries[n])
	}
	if t.size == 0 {
		t.size = 100
	}
	if t.root == "" {
		t.root = "1 0 R"
	}
	prev := lastStartxref(former)
	m.b = fmt.Appendf(m.b, "trailer\n<< /Size %d /Root %s /Info 4 0 R %s /Prev %s %s >>\nstartxref\n%d\n%%%%EOF\n", t.size, t.root, id, prev, t.more, at)
}

// lastStartxref returns the offset of the newest cross-reference section.
func lastStartxref(b []byte) string {
	return strings.Fields(string(b[bytes.LastIndex(b, []byte("startxref")):]))[1]
}

// readObject returns the text of an object as last written.
func (m *mutation) readObject(header string) string {
	at := bytes.LastIndex(m.b, []byte("\n"+header))
	end := bytes.Index(m.b[max(0, at):], []byte("endobj"))
	if at < 0 || end < 0 {
		m.err = errors.Join(m.err, fmt.Errorf("no %q", header))
		return ""
	}
	return strings.TrimSpace(string(m.b[at+1+len(header) : at+end]))
}

// appendWrongStartxref appends a revision whose startxref is wrong, followed by one that references the correct offset.
func (m *mutation) appendWrongStartxref(by int) {
	from := len(m.b)
	m.appendTable(rawTable{objects: map[int]string{90: "1"}})
	at := bytes.LastIndex(m.b, []byte("xref\n0 1\n"))
	prev := lastStartxref(m.b[:from])
	m.b = bytes.Replace(m.b, fmt.Appendf(nil, "startxref\n%d\n", at), fmt.Appendf(nil, "startxref\n%d\n", at+by), 1)
	end := len(m.b)
	m.appendTable(rawTable{from: from})
	m.b = append(m.b[:end], bytes.Replace(m.b[end:], []byte("/Prev "+prev+" "), fmt.Appendf(nil, "/Prev %d ", at), 1)...)
}

// appendXrefStream appends a cross-reference stream with the given entries.
func (m *mutation) appendXrefStream(number int, entries map[int]int, root, prev string) {
	var index, data []byte
	for _, n := range slices.Sorted(maps.Keys(entries)) {
		at := entries[n]
		index = fmt.Appendf(index, " %d 1", n)
		data = append(data, 1, byte(at>>16), byte(at>>8), byte(at), 0)
	}
	m.b = fmt.Appendf(m.b, "%d 0 obj\n<< /Type /XRef /W [1 3 1] /Index [%s] /Size 100 /Root %s /Prev %s /Length %d >>\nstream\n%s\nendstream\nendobj\n", number, index, root, prev, len(data), data)
}

// appendSpareStream appends a revision with a cross-reference stream beside its table. The stream has the same entry
// for object 90, and entries for others that the table does not have.
func (m *mutation) appendSpareStream(root string, others map[int]string) {
	from := len(m.b)
	prev := lastStartxref(m.b)
	entries := map[int]int{90: len(m.b)}
	m.b = append(m.b, "90 0 obj\n1\nendobj\n"...)
	stated := maps.Clone(entries)
	for n, text := range others {
		stated[n] = len(m.b)
		entries[92] = len(m.b) // under another number, which is not referenced
		m.b = fmt.Appendf(m.b, "92 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", len(text), text)
	}
	entries[93] = len(m.b)
	m.appendXrefStream(93, stated, root, prev)
	m.appendTable(rawTable{entries: entries, from: from})
}

// findHybridStream returns the offset of the first hybrid section's stream.
func (m *mutation) findHybridStream() string {
	_, after, ok := bytes.Cut(m.b, []byte("/XRefStm "))
	if !ok {
		m.err = errors.Join(m.err, errors.New("the file is not hybrid"))
		return ""
	}
	return strings.Trim(strings.Fields(string(after[:16]))[0], ">")
}

// appendHybridSection appends a hybrid section whose stream repeats its table and adds entries for others.
func (m *mutation) appendHybridSection(others map[int]string) {
	from := len(m.b)
	prev := lastStartxref(m.b)
	stated := map[int]int{}
	for n, text := range others {
		stated[n] = len(m.b)
		m.b = fmt.Appendf(m.b, "%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", n, len(text), text)
	}
	entries := map[int]int{90: len(m.b)}
	m.b = append(m.b, "90 0 obj\n1\nendobj\n"...)
	maps.Copy(stated, entries)
	at := len(m.b)
	entries[93] = at
	m.appendXrefStream(93, stated, "1 0 R", prev)
	m.appendTable(rawTable{entries: entries, from: from, more: fmt.Sprintf("/XRefStm %d", at)})
}

// addFormFont adds a font to the resources of the form.
func (m *mutation) addFormFont(kind, name, base pdf.Name) {
	m.appendRevision(func(f *formtest.Filler) {
		form := f.Form()
		resources, err1 := f.D.Dict(form["DR"])
		fonts, err2 := f.D.Dict(resources[kind])
		f.Fail(errors.Join(err1, err2))
		now, all := pdf.Dict{}, pdf.Dict{}
		maps.Copy(now, resources)
		maps.Copy(all, fonts)
		all[name] = f.U.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": base})
		now[kind], form["DR"] = f.U.Add(all), now
	})
}

// replaceStore replaces the document security store by data of another authority, or by garbage.
func (m *mutation) replaceStore(at time.Time, garbage bool) {
	key, cert, err := newAuthority("Lain")
	if err != nil {
		m.err = errors.Join(m.err, err)
		return
	}
	response, err1 := ocsp.CreateResponse(cert, cert, ocsp.Response{SerialNumber: big.NewInt(7), ThisUpdate: at, NextUpdate: at.Add(time.Hour)}, key)
	list, err2 := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: at, NextUpdate: at.Add(time.Hour)}, cert, key)
	m.err = errors.Join(m.err, err1, err2)
	onCatalog(func(u *pdf.Update, c pdf.Dict) {
		put := func(der []byte) pdf.Array {
			if garbage {
				der = []byte("Lunas")
			}
			return pdf.Array{u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: der})}
		}
		c["DSS"] = u.Add(pdf.Dict{"Type": pdf.Name("DSS"), "Certs": put(cert.Raw), "OCSPs": put(response), "CRLs": put(list)})
	})(m)
}

// newAuthority returns a self-signed authority that no program trusts.
func newAuthority(name string) (*ecdsa.PrivateKey, *x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(0x12345678), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(9, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCRLSign, SubjectKeyId: []byte(name),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return key, cert, err
}

// oddCertificates change bytes of a certificate so that crypto/x509 refuses it.
var oddCertificates = []struct {
	name     string
	old, now []byte
}{
	{"negative-serial", []byte{2, 4, 0x12, 0x34, 0x56, 0x78}, []byte{2, 4, 0x92, 0x34, 0x56, 0x78}},
	{"odd-string", []byte{0x13, 4, 'G', 'a', 'n', 'j'}, []byte{0x13, 4, 'G', '@', 'n', 'j'}},
}

// signWithOddCertificate signs with a self-signed certificate that was changed in that way.
func signWithOddCertificate(s signedBytes, old, now []byte) ([]byte, error) {
	key, cert, err := newAuthority("Ganj")
	if err != nil {
		return nil, err
	}
	var outer struct {
		TBS       asn1.RawValue
		Algorithm asn1.RawValue
		Value     asn1.BitString
	}
	if _, err := asn1.Unmarshal(cert.Raw, &outer); err != nil {
		return nil, err
	}
	tbs := bytes.ReplaceAll(outer.TBS.FullBytes, old, now)
	if bytes.Equal(tbs, outer.TBS.FullBytes) {
		return nil, fmt.Errorf("no %x in the certificate", old)
	}
	sum := sha256.Sum256(tbs)
	value, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		return nil, err
	}
	outer.TBS, outer.Value = asn1.RawValue{FullBytes: tbs}, asn1.BitString{Bytes: value, BitLength: 8 * len(value)}
	der, err := asn1.Marshal(outer)
	if err != nil {
		return nil, err
	}
	odd, err := cms.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return cms.Sign(rand.Reader, s.computeDigest(crypto.SHA256), key, []*x509.Certificate{odd}, cms.Options{})
}
