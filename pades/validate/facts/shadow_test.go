package facts_test

import (
	"bytes"
	"slices"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// addField adds a signature field with a widget over the text of page 1. It is not signed.
func addField(edit func(u *pdf.Update, w pdf.Dict)) func(t *testing.T, b []byte) []byte {
	return revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
		w := pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "T": pdf.TextString("baru"), "P": pdf.Ref{Number: paintedPage},
			"Rect": pdf.Rect{LLX: 50, LLY: 600, URX: 450, URY: 800}.Array(), "F": pdf.Integer(4),
		}
		edit(u, w)
		ref := u.Add(w)
		if err := u.Append(pdf.Ref{Number: form}, "Fields", ref); err != nil {
			t.Fatal(err)
		}
		addTo(t, u, annots, ref)
	})
}

// whitened is an appearance that hides what is below it.
func whitened(u *pdf.Update) pdf.Dict { return pdf.Dict{"N": look(u, "1 g 0 0 400 400 re f")} }

func TestUnsignedFieldShowsNothingInAnyWay(t *testing.T) {
	t.Parallel()
	const print, noView, toggleNoView, noZoom, noRotate = 1 << 2, 1 << 5, 1 << 8, 1 << 3, 1 << 4
	flags := func(f pdf.Integer) func(t *testing.T, b []byte) []byte {
		return addField(func(u *pdf.Update, w pdf.Dict) { w["F"], w["AP"] = f, whitened(u) })
	}
	tamper(t, signedForm(t), []mutation{
		{"hidden", "", flags(1 << 1)},
		{"neither seen nor printed", "", flags(noView)},
		{"invisible if it were of an unknown kind", "signature_field", flags(print | 1)},
		{"to be seen in print", "signature_field", flags(print | noView)},
		{"to be seen under the mouse", "field_added", flags(noView | toggleNoView)},
		{"turned with the page, or not", "field_added", flags(print | noRotate)},
		{"as large as the screen", "field_added", flags(print | noZoom)},
		{"an appearance under the mouse", "signature_field", addField(func(u *pdf.Update, w pdf.Dict) { w["AP"] = pdf.Dict{"R": whitened(u)["N"]} })},
		{"a background", "signature_field", addField(func(_ *pdf.Update, w pdf.Dict) { w["MK"] = pdf.Dict{"BG": pdf.Array{pdf.Integer(1)}} })},
		{"a border", "signature_field", addField(func(_ *pdf.Update, w pdf.Dict) {
			w["BS"], w["MK"] = pdf.Dict{"W": pdf.Integer(90)}, pdf.Dict{"BC": pdf.Array{pdf.Integer(1)}}
		})},
		{"no colour", "", addField(func(_ *pdf.Update, w pdf.Dict) { w["MK"] = pdf.Dict{"BG": pdf.Array{}} })},
		{"a box of three numbers", "field_added", addField(func(u *pdf.Update, w pdf.Dict) { w["Rect"], w["AP"] = w["Rect"].(pdf.Array)[:3], whitened(u) })},
	})
}

func TestAppearanceOfABrokenSignatureIsDenied(t *testing.T) {
	t.Parallel()
	for shows, want := range map[bool]bool{true: false, false: true} {
		p := on(t, pdftest.Table(1)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown)
		spec, look := pades.FieldSpec{Name: "B"}, func(*pades.Options) {}
		if shows {
			spec, look = pades.FieldSpec{Name: "B", Page: 1, Rect: boxB}, shown
		}
		p.sign("", func(o *pades.Options) { o.NewField = &spec }, look)
		whole := runSteps(t, p.b)
		wantIntact(t, whole, "A", "B")
		b := bytes.Clone(p.b)
		b[bytes.LastIndex(b, []byte("Menyetujui"))] ^= 1
		f := runSteps(t, b)
		if !isErr(f.Signatures[1].Integrity, facts.ErrDigest) {
			t.Fatal(summary(f))
		}
		if intact := !slices.Contains(troubles(f.Signatures[0]), "unanswered"); intact != want {
			t.Errorf("shows %v: %s", shows, summary(f))
		}
	}
}
