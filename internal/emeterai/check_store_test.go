package emeterai_test

import (
	"bytes"
	"context"
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// fileWithValidationData is a file with a security store: one certificate, one OCSP answer, and an entry that names both.
func fileWithValidationData(t *testing.T) []byte {
	t.Helper()
	file := pdftest.Table(2)
	d := openPDF(t, file)
	u := d.NewUpdate()
	cert, answer := u.Add(&pdf.Stream{Data: []byte("former certificate")}), u.Add(&pdf.Stream{Data: []byte("former answer")})
	root, _, err := d.Root()
	requireNoError(t, err)
	store, err := u.EditIn(root, "DSS")
	requireNoError(t, err)
	store["Certs"], store["OCSPs"] = pdf.Array{cert}, u.Add(pdf.Array{answer})
	store["VRI"] = pdf.Dict{"AB": pdf.Dict{"Cert": pdf.Array{cert}, "OCSP": pdf.Array{answer}}}
	return append(file, buildTail(t, u).Bytes...)
}

// changeStore makes a second increment that changes the security store.
func changeStore(change func(*pdf.Update, pdf.Dict)) func(testing.TB, *pdf.Document) func(*pdf.Update) {
	return func(t testing.TB, d *pdf.Document) func(*pdf.Update) {
		return func(u *pdf.Update) {
			root, _, err := d.Root()
			requireNoError(t, err)
			store, err := u.EditIn(root, "DSS")
			requireNoError(t, err)
			change(u, store)
		}
	}
}

func TestJudgeRefusesALossOfFormerProof(t *testing.T) {
	t.Parallel()
	file := fileWithValidationData(t)
	for name, change := range map[string]func(*pdf.Update, pdf.Dict){
		"all":                 func(_ *pdf.Update, d pdf.Dict) { clear(d) },
		"a list":              func(_ *pdf.Update, d pdf.Dict) { delete(d, "OCSPs") },
		"an item":             func(_ *pdf.Update, d pdf.Dict) { d["Certs"] = pdf.Array{} },
		"an item, replaced":   func(u *pdf.Update, d pdf.Dict) { d["Certs"] = pdf.Array{u.Add(&pdf.Stream{Data: []byte("another")})} },
		"an entry":            func(_ *pdf.Update, d pdf.Dict) { d["VRI"] = pdf.Dict{"CD": pdf.Dict{}} },
		"an entry, emptied":   func(_ *pdf.Update, d pdf.Dict) { d["VRI"] = pdf.Dict{"AB": pdf.Dict{}} },
		"all, for what is no": func(_ *pdf.Update, d pdf.Dict) { d["Certs"] = pdf.Integer(1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := honestStamp()
			f.after = changeStore(change)
			requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, "")
		})
	}
}

func TestJudgeAcceptsMoreProof(t *testing.T) {
	t.Parallel()
	file := fileWithValidationData(t)
	for name, change := range map[string]func(*pdf.Update, pdf.Dict){
		"added": func(u *pdf.Update, d pdf.Dict) {
			d["Certs"] = append(d["Certs"].(pdf.Array), u.Add(&pdf.Stream{Data: []byte("new certificate")}))
			d["VRI"].(pdf.Dict)["CD"] = pdf.Dict{}
		},
		"written anew": func(u *pdf.Update, d pdf.Dict) {
			d["Certs"] = pdf.Array{u.Add(&pdf.Stream{Data: []byte("new certificate")}), u.Add(&pdf.Stream{Data: []byte("former certificate")})}
		},
	} {
		f := honestStamp()
		f.after = changeStore(change)
		if _, err := emeterai.CheckStampedFile(context.Background(), emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, bytes.Clone(file))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
