package emeterai_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"segel/cms"
	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

const serial = "00A1B2C3D4E5F6G7H8I9J0"

// forgery is an office that makes any stamp, one page and one signature at a time.
type forgery struct {
	name     string // of the field
	reason   string
	page     int
	rect     pdf.Rect
	contents func([]byte) []byte                                   // changes the container
	sig      func(pdf.Dict)                                        // changes the signature dictionary
	field    func(pdf.Dict)                                        // changes field and widget
	more     func(t testing.TB, d *pdf.Document, u *pdf.Update)    // changes the update
	after    func(t testing.TB, d *pdf.Document) func(*pdf.Update) // makes a second increment
}

func honestStamp() forgery {
	return forgery{name: "Emet" + serial, reason: "[" + serial + "] Perjanjian", page: 1, rect: pdf.Rect{LLX: 400, LLY: 100, URX: 454, URY: 154}}
}

// affixStamp returns the tail.
func (f forgery) affixStamp(t testing.TB, file []byte) []byte {
	t.Helper()
	d := openPDF(t, file)
	u := d.NewUpdate()
	contents, byteRange := f.fillSignature(t, d, u)
	if f.more != nil {
		f.more(t, d, u)
	}
	tail := buildTail(t, u)
	signIn(t, file, tail, contents, byteRange, f.contents)
	out := tail.Bytes
	if f.after != nil {
		d := openPDF(t, append(bytes.Clone(file), out...))
		u := d.NewUpdate()
		f.after(t, d)(u)
		out = append(out, buildTail(t, u).Bytes...)
	}
	return out
}

// fillSignature adds field and signature to an update and returns the signature's holes.
func (f forgery) fillSignature(t testing.TB, d *pdf.Document, u *pdf.Update) (contents, byteRange *pdf.Hole) {
	t.Helper()
	contents, byteRange = &pdf.Hole{Len: 6002, Hex: true}, &pdf.Hole{Len: 60}
	sig := pdf.Dict{"Type": pdf.Name("Sig"), "Filter": pdf.Name("Adobe.PPKLite"), "SubFilter": pdf.Name("ETSI.CAdES.detached"),
		"Contents": contents, "ByteRange": byteRange, "Reason": pdf.TextString(f.reason)}
	if f.sig != nil {
		f.sig(sig)
	}
	page, err := d.Page(f.page)
	if err != nil {
		t.Fatal(err)
	}
	picture := u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 54, URY: 54}.Array()}})
	field := pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.TextString(f.name), "F": pdf.Integer(132),
		"Rect": f.rect.Array(), "P": page.Ref, "V": u.Add(sig), "AP": pdf.Dict{"N": picture}}
	if f.field != nil {
		f.field(field)
	}
	ref := u.Add(field)
	root, catalog, err := d.Root()
	requireNoError(t, err)
	if _, ok := catalog["AcroForm"]; !ok {
		c, err := u.Edit(root)
		requireNoError(t, err)
		c["AcroForm"] = pdf.Dict{"Fields": pdf.Array{ref}, "SigFlags": pdf.Integer(3)}
	} else {
		form, err := u.EditIn(root, "AcroForm")
		requireNoError(t, err)
		form["SigFlags"] = pdf.Integer(3)
		requireNoError(t, u.AppendTo(form, "Fields", ref))
	}
	requireNoError(t, u.Append(page.Ref, "Annots", ref))
	return contents, byteRange
}

func buildTail(t testing.TB, u *pdf.Update) *pdf.Tail {
	t.Helper()
	tail, err := u.Build()
	requireNoError(t, err)
	return tail
}

func signIn(t testing.TB, file []byte, tail *pdf.Tail, contents, byteRange *pdf.Hole, change func([]byte) []byte) {
	t.Helper()
	at, n, err := tail.Hole(contents)
	requireNoError(t, err)
	end := tail.At + int64(len(tail.Bytes))
	requireNoError(t, tail.Fill(byteRange, fmt.Appendf(nil, "[0 %d %d %d]", at, at+int64(n), end-at-int64(n))))
	h := sha256.New()
	h.Write(file)
	h.Write(tail.Bytes[:at-tail.At])
	h.Write(tail.Bytes[at-tail.At+int64(n):])
	container := signContainer(t, h.Sum(nil))
	if change != nil {
		container = change(container)
	}
	requireNoError(t, tail.Fill(contents, container))
}

func signContainer(t testing.TB, digest []byte) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	requireNoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "SPESIMEN"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	requireNoError(t, err)
	cert, err := x509.ParseCertificate(der)
	requireNoError(t, err)
	s, err := cms.NewSignature(digest, []*x509.Certificate{cert}, cms.Options{})
	requireNoError(t, err)
	value, err := s.Sign(rand.Reader, key)
	requireNoError(t, err)
	out, err := s.Finish(value)
	requireNoError(t, err)
	return out
}

func openPDF(t testing.TB, file []byte) *pdf.Document {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	requireNoError(t, err)
	return d
}

func requireNoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addSecurityStore adds a security store in a second increment.
func addSecurityStore(t testing.TB, d *pdf.Document) func(*pdf.Update) {
	return func(u *pdf.Update) {
		root, _, err := d.Root()
		requireNoError(t, err)
		store, err := u.EditIn(root, "DSS")
		requireNoError(t, err)
		store["Certs"] = pdf.Array{u.Add(&pdf.Stream{Data: []byte("certificate")})}
	}
}

func TestStampCheckAcceptsWhatWasOrdered(t *testing.T) {
	t.Parallel()
	plain := honestStamp()
	secured := honestStamp()
	secured.after = addSecurityStore
	informed := honestStamp()
	informed.more = func(t testing.TB, d *pdf.Document, u *pdf.Update) {
		info, err := u.Edit(d.Trailer().Ref("Info"))
		requireNoError(t, err)
		info["ModDate"] = pdf.TextString("D:20260701000000Z")
	}
	for name, f := range map[string]forgery{"plain": plain, "secured": secured, "informed": informed} {
		for _, file := range [][]byte{pdftest.Table(2), pdftest.Streams(2), pdftest.Form(), pdftest.Hybrid(2)} {
			if name == "informed" && openPDF(t, file).Trailer().Ref("Info").IsZero() {
				continue
			}
			r := emeteraitest.NewRequest(t, serial, file)
			tail := f.affixStamp(t, file)
			if _, err := emeterai.CheckStampedFile(context.Background(), r, tail); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			r.Source.Midstate = nil
			if _, err := emeterai.CheckStampedFile(context.Background(), r, tail); err != nil {
				t.Errorf("%s without midstate: %v", name, err)
			}
		}
	}
}

func TestStampCheckRefusesEveryWrongReturn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*forgery)
		says   string
	}{
		"page":             {func(f *forgery) { f.page = 2 }, "not on page"},
		"box":              {func(f *forgery) { f.rect.URX++ }, "stands in"},
		"serial":           {func(f *forgery) { f.name = "Emet00A1B2C3D4E5F6G7H8I9J1" }, "no signature in field"},
		"reason":           {func(f *forgery) { f.reason = "[00A1B2C3D4E5F6G7H8I9J1] Perjanjian" }, "reason"},
		"no reason":        {func(f *forgery) { f.sig = func(d pdf.Dict) { delete(d, "Reason") } }, "reason"},
		"certification":    {func(f *forgery) { f.sig = func(d pdf.Dict) { d["Reference"] = pdf.Array{} } }, "/Reference"},
		"timestamp":        {func(f *forgery) { f.sig = func(d pdf.Dict) { d["Type"] = pdf.Name("DocTimeStamp") } }, "type"},
		"hidden":           {func(f *forgery) { f.field = func(d pdf.Dict) { d["F"] = pdf.Integer(2 | 4) } }, "not visible"},
		"no picture":       {func(f *forgery) { f.field = func(d pdf.Dict) { delete(d, "AP") } }, "picture"},
		"action":           {func(f *forgery) { f.field = func(d pdf.Dict) { d["AA"] = pdf.Dict{} } }, "/AA"},
		"lock":             {func(f *forgery) { f.field = func(d pdf.Dict) { d["Lock"] = pdf.Dict{"Action": pdf.Name("All")} } }, "/Lock"},
		"other container":  {func(f *forgery) { f.contents = func([]byte) []byte { return signContainer(t, make([]byte, 32)) } }, "verify"},
		"no container":     {func(f *forgery) { f.contents = func([]byte) []byte { return []byte{} } }, "CMS"},
		"signature twice":  {func(f *forgery) { f.after = addSignature }, "second increment: Root"},
		"changed contents": {func(f *forgery) { f.more = changeObject(pdftest.FirstPageNumber + 1) }, "Root/Pages/Kids[0]/Contents: replaced"},
		"changed page 2":   {func(f *forgery) { f.more = changeObject(pdftest.FirstPageNumber + 2) }, "Root/Pages/Kids[1]: replaced"},
		"changed page":     {func(f *forgery) { f.more = changeObject(pdftest.FirstPageNumber) }, "page"},
		"changed catalog":  {func(f *forgery) { f.more = changeObject(pdftest.CatalogNumber) }, "catalog"},
		"changed after":    {func(f *forgery) { f.after = changeLater(pdftest.FontNumber) }, "second increment: Root/Pages/Kids[0]/Resources/Font/F1"},
		"more annotations": {func(f *forgery) { f.more = addAnnotation }, "comment"},
		"other form":       {func(f *forgery) { f.more = changeForm }, "NeedAppearances"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := pdftest.Table(2)
			f := honestStamp()
			c.change(&f)
			requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, c.says)
		})
	}
}

func TestStampCheckRefusesReturnsForAnotherSource(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	// A file of the same length and structure with other content.
	other := bytes.Clone(file)
	i := bytes.Index(other, []byte("Tj"))
	if i < 0 {
		i = bytes.Index(other, []byte("%PDF-1.")) + len("%PDF-1.")
		other[i] ^= 1
	} else {
		other[i-3] ^= 1
	}
	tail := honestStamp().affixStamp(t, other)
	r := emeteraitest.NewRequest(t, serial, file)
	requireRefusal(t, r, tail, emeterai.Quarantine, "verify")
	r.Source.Midstate = nil
	requireRefusal(t, r, tail, emeterai.Quarantine, "verify")
	if _, err := emeterai.CheckStampedFile(context.Background(), r, honestStamp().affixStamp(t, pdftest.Table(1))); err == nil {
		t.Error("accepted a tail for a shorter file")
	}
}

func TestStampCheckRefusesThreeIncrements(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	f := honestStamp()
	f.after = addSecurityStore
	tail := f.affixStamp(t, file)
	d := openPDF(t, append(bytes.Clone(file), tail...))
	u := d.NewUpdate()
	addSecurityStore(t, d)(u)
	requireRefusal(t, emeteraitest.NewRequest(t, serial, file), append(tail, buildTail(t, u).Bytes...), emeterai.Quarantine, "3 increments")
}

func TestStampCheckRefusesACutTailAndAsksAgain(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	tail := honestStamp().affixStamp(t, file)
	r := emeteraitest.NewRequest(t, serial, file)
	for n := range len(tail) - 1 {
		if n%97 != 0 && n < len(tail)-200 {
			continue
		}
		if _, err := emeterai.CheckStampedFile(context.Background(), r, tail[:n]); err == nil {
			t.Errorf("accepted %d of %d bytes", n, len(tail))
		}
	}
	requireRefusal(t, r, tail[:len(tail)/2], emeterai.Unknown, "")
	requireRefusal(t, r, append(bytes.Clone(tail), "more"...), emeterai.Unknown, "after the end")
}

func TestStampCheckRefusesAChangedByte(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	f := honestStamp()
	tail := f.affixStamp(t, file)
	r := emeteraitest.NewRequest(t, serial, file)
	signatures, err := openPDF(t, append(bytes.Clone(file), tail...)).Signatures()
	requireNoError(t, err)
	from, to := signatures[0].ContentsAt-int64(len(file)), signatures[0].ContentsEnd-int64(len(file))
	for i := 0; i < len(tail); i += 13 {
		if int64(i) >= from && int64(i) < to {
			continue // the container vouches for itself, except what pads it
		}
		changed := bytes.Clone(tail)
		changed[i] ^= 0x04
		if _, err := emeterai.CheckStampedFile(context.Background(), r, changed); err == nil {
			t.Errorf("accepted another byte %d near %q", i, tail[max(0, i-10):min(len(tail), i+10)])
		}
	}
}

func requireRefusal(t testing.TB, r emeterai.Request, tail []byte, class emeterai.Class, says string) {
	t.Helper()
	_, err := emeterai.CheckStampedFile(context.Background(), r, tail)
	if err == nil {
		t.Fatal("accepted")
	}
	if emeterai.ClassOf(err) != class || !strings.Contains(err.Error(), says) {
		t.Errorf("%v", err)
	}
}

// changeObject changes an object in the signature's increment.
func changeObject(number uint32) func(testing.TB, *pdf.Document, *pdf.Update) {
	return func(t testing.TB, _ *pdf.Document, u *pdf.Update) {
		d, err := u.Edit(pdf.Ref{Number: number})
		requireNoError(t, err)
		d["Extra"] = pdf.Integer(1)
	}
}

// changeLater changes an object in an increment after the signature's.
func changeLater(number uint32) func(testing.TB, *pdf.Document) func(*pdf.Update) {
	return func(t testing.TB, d *pdf.Document) func(*pdf.Update) {
		return func(u *pdf.Update) { changeObject(number)(t, d, u) }
	}
}

// addSignature signs a second time.
func addSignature(t testing.TB, d *pdf.Document) func(*pdf.Update) {
	return func(u *pdf.Update) {
		f := honestStamp()
		f.name = "Emet2"
		f.sig = func(d pdf.Dict) {
			d["Contents"], d["ByteRange"] = pdf.String{Bytes: []byte{0}, Hex: true}, pdf.Array{pdf.Integer(0), pdf.Integer(1), pdf.Integer(2), pdf.Integer(3)}
		}
		f.fillSignature(t, d, u)
	}
}

func addAnnotation(t testing.TB, d *pdf.Document, u *pdf.Update) {
	page, err := d.Page(1)
	requireNoError(t, err)
	requireNoError(t, u.Append(page.Ref, "Annots", u.Add(pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Square")})))
}

func changeForm(t testing.TB, d *pdf.Document, u *pdf.Update) {
	root, _, err := d.Root()
	requireNoError(t, err)
	f, err := u.EditIn(root, "AcroForm")
	requireNoError(t, err)
	f["NeedAppearances"] = pdf.Boolean(true)
}
