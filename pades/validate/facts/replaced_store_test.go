package facts_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"slices"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// prover makes validation data of an untrusted authority: a store is checked for what its items are, not for trust.
type prover struct {
	t    testing.TB
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newProver(t testing.TB, name string) prover {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCRLSign, SubjectKeyId: []byte(name)}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	return prover{t, key, must[*x509.Certificate](t)(x509.ParseCertificate(der))}
}

func (p prover) response(serial *big.Int, at time.Time) *pdf.Stream {
	p.t.Helper()
	der := must[[]byte](p.t)(ocsp.CreateResponse(p.cert, p.cert, ocsp.Response{SerialNumber: serial, ThisUpdate: at, NextUpdate: at.Add(time.Hour)}, p.key))
	return &pdf.Stream{Dict: pdf.Dict{}, Data: der}
}

func (p prover) list(at time.Time) *pdf.Stream {
	p.t.Helper()
	der := must[[]byte](p.t)(x509.CreateRevocationList(rand.Reader, &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: at, NextUpdate: at.Add(time.Hour)}, p.cert, p.key))
	return &pdf.Stream{Dict: pdf.Dict{}, Data: der}
}

func (p prover) certificate() *pdf.Stream { return &pdf.Stream{Dict: pdf.Dict{}, Data: p.cert.Raw} }

// dss is the store of a file, taken apart.
type dss struct {
	ref                pdf.Ref
	dict               pdf.Dict
	certs, ocsps, crls pdf.Array
	vri                pdf.Name
	serial             *big.Int // that the response is about
}

func storeOf(t testing.TB, b []byte) dss {
	t.Helper()
	d := on(t, b).open()
	_, root, err := d.Root()
	if err != nil {
		t.Fatal(err)
	}
	s := dss{ref: root.Ref("DSS"), dict: must[pdf.Dict](t)(d.Dict(root["DSS"]))}
	s.certs, s.ocsps, s.crls = must[pdf.Array](t)(d.Array(s.dict["Certs"])), must[pdf.Array](t)(d.Array(s.dict["OCSPs"])), must[pdf.Array](t)(d.Array(s.dict["CRLs"]))
	for k := range s.dict["VRI"].(pdf.Dict) {
		s.vri = k
	}
	der := must[[]byte](t)(d.Decode(must[*pdf.Stream](t)(d.Stream(s.ocsps[0]))))
	s.serial = must[*ocsp.Response](t)(ocsp.ParseResponse(der, nil)).SerialNumber
	return s
}

func provenFile(t testing.TB) []byte {
	t.Helper()
	return on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", timed(t), shown).addValidationData().addTimestamp().b
}

func TestStoreMayBeReplacedOnlyBySoundValidationData(t *testing.T) {
	t.Parallel()
	base := provenFile(t)
	had := storeOf(t, base)
	lain := newProver(t, "Lain")
	later, earlier := time.Now().Add(time.Hour), time.Now().Add(-24*365*time.Hour)
	// anew writes a store that takes the place of the former one.
	anew := func(make func(u *pdf.Update) pdf.Dict) func(t *testing.T, b []byte) []byte {
		return dict(catalog, func(u *pdf.Update, d pdf.Dict) { d["DSS"] = u.Add(make(u)) })
	}
	edit := func(change func(u *pdf.Update, d pdf.Dict)) func(t *testing.T, b []byte) []byte {
		return dict(had.ref.Number, change)
	}
	full := func(u *pdf.Update) pdf.Dict {
		return pdf.Dict{"Certs": pdf.Array{u.Add(lain.certificate())}, "OCSPs": pdf.Array{u.Add(lain.response(big.NewInt(9), later))}, "CRLs": pdf.Array{u.Add(lain.list(later))}}
	}
	with := func(key pdf.Name, o func(u *pdf.Update) pdf.Object) func(u *pdf.Update) pdf.Dict {
		return func(u *pdf.Update) pdf.Dict {
			d := full(u)
			if d[key] = o(u); d[key] == nil {
				delete(d, key)
			}
			return d
		}
	}
	list := func(s ...*pdf.Stream) func(u *pdf.Update) pdf.Object {
		return func(u *pdf.Update) pdf.Object {
			var a pdf.Array
			for _, one := range s {
				a = append(a, u.Add(one))
			}
			return a
		}
	}
	none := func(*pdf.Update) pdf.Object { return nil }
	tamper(t, base, []mutation{
		{"by one about another signature", "", anew(full)},
		{"with entries of its own", "", anew(func(u *pdf.Update) pdf.Dict {
			d := full(u)
			d["VRI"] = u.Add(pdf.Dict{"ABCD": u.Add(pdf.Dict{"Cert": d["Certs"], "OCSP": u.Add(d["OCSPs"]), "TU": pdf.TextString("D:20260101")})})
			return d
		})},
		{"within the catalog", "", dict(catalog, func(u *pdf.Update, d pdf.Dict) { d["DSS"] = full(u) })},
		{"with lists as objects", "", anew(with("Certs", func(u *pdf.Update) pdf.Object { return u.Add(list(lain.certificate())(u)) }))},
		{"with its type left out", "", edit(func(_ *pdf.Update, d pdf.Dict) { delete(d, "Type") })},
		{"with responses in the place of lists", "", anew(with("CRLs", none))},
		{"with lists in the place of responses", "", anew(with("OCSPs", none))},
		{"in place, item by item", "", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Set(had.ocsps[0].(pdf.Ref), lain.response(had.serial, later))
			u.Set(had.crls[0].(pdf.Ref), lain.list(later))
			u.Set(had.certs[0].(pdf.Ref), lain.certificate())
		})},
		{"a response by a newer one, kept beside it for a while", "", func(t *testing.T, b []byte) []byte {
			var newer pdf.Ref
			b = dict(had.ref.Number, func(u *pdf.Update, d pdf.Dict) {
				newer = u.Add(lain.response(had.serial, later))
				d["OCSPs"] = append(slices.Clone(had.ocsps), newer)
			})(t, b)
			return edit(func(_ *pdf.Update, d pdf.Dict) { d["OCSPs"] = pdf.Array{newer}; delete(d, "VRI") })(t, b)
		}},
		{"entries merged into the lists", "", edit(func(_ *pdf.Update, d pdf.Dict) { delete(d, "VRI") })},
		{"entry of a signature renewed", "", edit(func(u *pdf.Update, d pdf.Dict) {
			newer := u.Add(lain.response(had.serial, later))
			d["OCSPs"] = append(slices.Clone(had.ocsps), newer)
			d["VRI"] = pdf.Dict{had.vri: pdf.Dict{"Cert": had.certs, "OCSP": pdf.Array{newer}, "CRL": had.crls}}
		})},
		{"what it left behind is freed", "", func(t *testing.T, b []byte) []byte {
			b = anew(full)(t, b)
			return section{entries: map[int]string{int(had.ocsps[0].(pdf.Ref).Number): "0000000000 00001 f"}}.append(t, b)
		}},

		{"by nothing", "store_changed", anew(func(*pdf.Update) pdf.Dict { return pdf.Dict{} })},
		{"by an empty list", "store_changed", anew(with("Certs", func(*pdf.Update) pdf.Object { return pdf.Array{} }))},
		{"without certificates", "store_changed", anew(with("Certs", none))},
		{"without revocation data", "store_changed", anew(func(u *pdf.Update) pdf.Dict { return pdf.Dict{"Certs": pdf.Array{u.Add(lain.certificate())}} })},
		{"by text", "store_changed", anew(with("OCSPs", list(words("Lunas"))))},
		{"by validation data and text", "store_changed", anew(with("OCSPs", list(lain.response(big.NewInt(9), later), words("Lunas"))))},
		{"by a certificate for a response", "store_changed", anew(with("OCSPs", list(lain.certificate())))},
		{"by a response for a certificate", "store_changed", anew(with("Certs", list(lain.response(big.NewInt(9), later))))},
		{"by a list that is cut off", "store_changed", anew(with("CRLs", func(u *pdf.Update) pdf.Object {
			s := lain.list(later)
			s.Data = s.Data[:len(s.Data)-1]
			return pdf.Array{u.Add(s)}
		}))},
		{"by what cannot be decoded", "unreadable", anew(with("OCSPs", func(u *pdf.Update) pdf.Object {
			return pdf.Array{u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: []byte("no deflate")})}
		}))},
		{"by a reference to nothing", "store_changed", anew(with("OCSPs", func(u *pdf.Update) pdf.Object { return pdf.Array{pdf.Ref{Number: 900}} }))},
		{"by a page", "store_changed", anew(with("OCSPs", func(*pdf.Update) pdf.Object { return pdf.Array{pdf.Ref{Number: paintedPage}} }))},
		{"by what stands in the store itself", "store_changed", anew(with("OCSPs", func(u *pdf.Update) pdf.Object {
			return pdf.Array{pdf.String{Bytes: []byte("0")}}
		}))},
		{"by the form", "store_changed", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["DSS"] = d["AcroForm"] })},
		{"by a number", "unreadable", dict(catalog, func(_ *pdf.Update, d pdf.Dict) { d["DSS"] = pdf.Integer(1) })},
		{"by one of another type", "store_changed", edit(func(_ *pdf.Update, d pdf.Dict) { d["Type"] = pdf.Name("DSX") })},
		{"by one with a script", "store_changed", anew(with("JS", func(u *pdf.Update) pdf.Object { return u.Add(words("app.alert(1)")) }))},
		{"an item in place, by text", "store_changed", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) { u.Set(had.ocsps[0].(pdf.Ref), words("Lunas")) })},
		{"an item in place, by a dictionary", "store_changed", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) { u.Set(had.ocsps[0].(pdf.Ref), pdf.Dict{}) })},
		{"a response dropped", "store_changed", edit(func(_ *pdf.Update, d pdf.Dict) { delete(d, "OCSPs"); delete(d, "CRLs"); delete(d, "VRI") })},
		{"a response by an older one that was there", "store_changed", func(t *testing.T, b []byte) []byte {
			var older pdf.Ref
			b = dict(had.ref.Number, func(u *pdf.Update, d pdf.Dict) {
				older = u.Add(lain.response(had.serial, earlier))
				d["OCSPs"] = append(slices.Clone(had.ocsps), older)
			})(t, b)
			return edit(func(_ *pdf.Update, d pdf.Dict) { d["OCSPs"] = pdf.Array{older}; delete(d, "VRI") })(t, b)
		}},
		{"a response by one about another certificate that was there", "store_changed", func(t *testing.T, b []byte) []byte {
			var other pdf.Ref
			b = dict(had.ref.Number, func(u *pdf.Update, d pdf.Dict) {
				other = u.Add(lain.response(big.NewInt(9), later))
				d["OCSPs"] = append(slices.Clone(had.ocsps), other)
			})(t, b)
			return edit(func(_ *pdf.Update, d pdf.Dict) { d["OCSPs"] = pdf.Array{other}; delete(d, "VRI") })(t, b)
		}},
		{"entry of a signature emptied", "store_changed", edit(func(_ *pdf.Update, d pdf.Dict) { d["VRI"] = pdf.Dict{had.vri: pdf.Dict{"Cert": had.certs}} })},
		{"entry of a signature with something else", "store_changed", edit(func(_ *pdf.Update, d pdf.Dict) {
			d["VRI"] = pdf.Dict{had.vri: pdf.Dict{"Cert": had.certs, "OCSP": had.ocsps, "CRL": had.crls, "JS": pdf.TextString("x")}}
		})},
		{"an item freed that is still listed", "store_changed", func(t *testing.T, b []byte) []byte {
			return section{entries: map[int]string{int(had.ocsps[0].(pdf.Ref).Number): "0000000000 00001 f"}}.append(t, b)
		}},
		{"a store that is freed", "store_changed", func(t *testing.T, b []byte) []byte {
			return section{entries: map[int]string{int(had.ref.Number): "0000000000 00001 f"}}.append(t, b)
		}},
	})
}

func TestValidationDataThatALaterWriterLeftOutIsStillKnown(t *testing.T) {
	t.Parallel()
	base := provenFile(t)
	before := runSteps(t, base).DSS
	lain := newProver(t, "Lain")
	p := on(t, base).update(func(_ *pdf.Document, u *pdf.Update) {
		must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: catalog}))["DSS"] = u.Add(pdf.Dict{
			"Certs": pdf.Array{u.Add(lain.certificate())}, "OCSPs": pdf.Array{u.Add(lain.response(big.NewInt(9), time.Now()))}, "CRLs": pdf.Array{u.Add(lain.list(time.Now()))},
		})
	})
	f := runSteps(t, p.b)
	wantIntact(t, f, "A", "Timestamp1")
	if len(f.DSS.Certs) != 1 || len(f.DSS.OCSPs) != 1 || len(f.DSS.CRLs) != 1 || len(f.DSS.VRI) != 0 {
		t.Errorf("the store has %d certificates, %d responses, %d lists", len(f.DSS.Certs), len(f.DSS.OCSPs), len(f.DSS.CRLs))
	}
	for what, c := range map[string]struct{ were, are []facts.StoreItem }{
		"certificates": {before.Certs, f.Earlier.Certs}, "responses": {before.OCSPs, f.Earlier.OCSPs}, "lists": {before.CRLs, f.Earlier.CRLs},
	} {
		same := func(a, b facts.StoreItem) bool {
			return bytes.Equal(a.DER, b.DER) && a.Ref == b.Ref && a.Revision == b.Revision
		}
		if !slices.EqualFunc(c.were, c.are, same) {
			t.Errorf("%s: %d were there, %d are known", what, len(c.were), len(c.are))
		}
	}
	var codes []diff.Code
	for _, c := range f.Revisions[len(f.Revisions)-1].Changes {
		codes = append(codes, c.Code)
	}
	if !slices.Contains(codes, diff.CodeStoreReplaced) || f.Signatures[0].Later[len(f.Signatures[0].Later)-1].Level != diff.LTA {
		t.Errorf("told as %v", codes)
	}
	// Replaced in place, item by item, it is known all the same; and again where the store comes back.
	had := storeOf(t, base)
	q := on(t, base).update(func(_ *pdf.Document, u *pdf.Update) {
		u.Set(had.ocsps[0].(pdf.Ref), lain.response(had.serial, time.Now()))
	})
	if f := runSteps(t, q.b); len(f.Earlier.OCSPs) != 1 || !bytes.Equal(f.Earlier.OCSPs[0].DER, before.OCSPs[0].DER) || len(f.Earlier.Certs)+len(f.Earlier.CRLs) != 0 {
		t.Errorf("replaced in place: %d responses", len(f.Earlier.OCSPs))
	}
	if f := runSteps(t, base); len(f.Earlier.Certs)+len(f.Earlier.OCSPs)+len(f.Earlier.CRLs) != 0 {
		t.Errorf("of a store that only grew, something is told to be gone: %+v", f.Earlier)
	}
	// Written again with the same content, in place or under other numbers, it is as old as it was.
	for where, change := range map[string]func(d *pdf.Document, u *pdf.Update){
		"in place": func(_ *pdf.Document, u *pdf.Update) {
			u.Set(had.ocsps[0].(pdf.Ref), &pdf.Stream{Dict: pdf.Dict{}, Data: before.OCSPs[0].DER})
		},
		"anew": func(_ *pdf.Document, u *pdf.Update) {
			list := pdf.Array{}
			for _, item := range before.OCSPs {
				list = append(list, u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: item.DER}))
			}
			must[pdf.Dict](t)(u.Edit(had.ref))["OCSPs"] = list
		},
	} {
		f := runSteps(t, on(t, base).update(change).b)
		if len(f.DSS.OCSPs) != len(before.OCSPs) || f.DSS.OCSPs[0].Revision != before.OCSPs[0].Revision || len(f.Earlier.OCSPs) != 0 {
			t.Errorf("written again %s: %d responses, the first of revision %d, %d earlier ones", where, len(f.DSS.OCSPs), f.DSS.OCSPs[0].Revision, len(f.Earlier.OCSPs))
		}
	}
	// A file that has no store any more had one.
	r := on(t, base).update(func(_ *pdf.Document, u *pdf.Update) {
		delete(must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: catalog})), "DSS")
	})
	if f := runSteps(t, r.b); f.DSS != nil || len(f.Earlier.Certs) != len(before.Certs) || len(troubles(f.Signatures[0])) == 0 {
		t.Errorf("without a store: %d certificates, %s", len(f.Earlier.Certs), summary(f))
	}
}
