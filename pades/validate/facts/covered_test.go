package facts_test

import (
	"slices"
	"strings"
	"testing"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// notes are the remarks on all that followed the first signature.
func notes(f *facts.File) (all []diff.Note) {
	for _, l := range f.Signatures[0].Later {
		for _, c := range l.Changes {
			all = append(all, c.Notes...)
		}
	}
	return all
}

func TestWhatALaterSignatureCoversIsReported(t *testing.T) {
	t.Parallel()
	const long = "BT /F1 12 Tf 72 720 Td (Harga seluruhnya seribu rupiah, yang dibayar dalam tiga kali, tanpa bunga, paling lambat akhir tahun) Tj ET"
	word := pdf.Rect{LLX: 150, LLY: 718, URX: 175, URY: 732}
	beside := pdf.Rect{LLX: 177, LLY: 718, URX: 190, URY: 732}
	signNew := func(t *testing.T, b []byte, box pdf.Rect, number int) []byte {
		p := on(t, b).sign("A", shown)
		return p.sign("", func(o *pades.Options) { o.NewField = &pades.FieldSpec{Name: "B", Page: number, Rect: box} }, shown).b
	}
	with := func(content string, edit func(u *pdf.Update, page pdf.Dict)) []byte {
		return on(t, pdftest.Table(2)).update(func(_ *pdf.Document, u *pdf.Update) {
			u.Set(pdf.Ref{Number: contents}, &pdf.Stream{Dict: pdf.Dict{}, Data: []byte(content)})
			if edit != nil {
				edit(u, must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: paintedPage})))
			}
		}).fields(pades.FieldSpec{Name: "A", Page: 2, Rect: boxA}, pades.FieldSpec{Name: "W", Page: 1, Rect: word}).b
	}
	scan := func(u *pdf.Update, page pdf.Dict) {
		page["Resources"] = pdf.Dict{"XObject": pdf.Dict{"I": u.Add(&pdf.Stream{Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1),
			"ColorSpace": pdf.Name("DeviceGray"), "BitsPerComponent": pdf.Integer(8),
		}, Data: []byte{255}})}}
	}
	for _, c := range []struct {
		name string
		b    []byte
		want diff.Note // empty: none
	}{
		{"beside the text", signNew(t, with(long, nil), boxB, 1), ""},
		{"over a word of a line", signNew(t, with(long, nil), word, 1), diff.OverlapsText},
		{"behind the last narrow letter", signNew(t, with("BT /F1 12 Tf 72 720 Td (iiiiiiiiiiiiiiiiiiii) Tj ET", nil), beside, 1), ""},
		{"over a word of a page that is turned and cropped", signNew(t, with(long, func(_ *pdf.Update, page pdf.Dict) {
			page["Rotate"], page["CropBox"] = pdf.Integer(90), pdf.Rect{LLX: 30, LLY: 60, URX: 560, URY: 800}.Array()
		}), word, 1), diff.OverlapsText},
		{"beside the text of a page that is turned", signNew(t, with(long, func(_ *pdf.Update, page pdf.Dict) { page["Rotate"] = pdf.Integer(90) }), boxB, 1), ""},
		{"over the line of a frame", signNew(t, with("170 715 30 30 re S", nil), beside, 1), ""},
		{"on a background", signNew(t, with(".9 g 0 0 600 800 re f", nil), beside, 1), ""},
		{"over most of a small area", signNew(t, with("178 720 9 9 re f", nil), beside, 1), diff.OverlapsPicture},
		{"over a scan", signNew(t, with("q 600 0 0 800 0 0 cm /I Do Q", scan), boxB, 1), diff.OverlapsPicture},
		{"over letters that are drawn", signNew(t, with("150 718 m 155 732 l 160 718 l 165 732 l 170 718 l f", nil), word, 1), diff.OverlapsPicture},
		{"over the end of a great many areas", signNew(t, with(strings.Repeat("0 0 1 1 re f ", 50_001)+long, nil), word, 1), diff.OverlapsPicture},
		{"over what cannot be decoded", signNew(t, with("", func(u *pdf.Update, page pdf.Dict) {
			page["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("CCITTFaxDecode")}, Data: []byte("x")})
		}), word, 1), diff.OverlapsPicture},
		{"in a field that waited over a word", on(t, with(long, nil)).sign("A", shown).sign("W", shown).b, diff.OverlapsText},
		{"on a page behind one that stands there twice", signNew(t, with(long, func(u *pdf.Update, _ pdf.Dict) {
			tree := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: pages}))
			tree["Kids"] = append(pdf.Array{pdf.Ref{Number: paintedPage + 2}, pdf.Ref{Number: paintedPage + 2}}, pdf.Ref{Number: paintedPage})
			tree["Count"] = pdf.Integer(3)
		}), word, 3), diff.OverlapsText},
	} {
		f := runSteps(t, c.b)
		if len(troubles(f.Signatures[0])) > 0 {
			t.Errorf("%s: %s", c.name, summary(f))
		}
		all := notes(f)
		if c.want != "" && !slices.Contains(all, c.want) || c.want == "" && slices.ContainsFunc(all, func(n diff.Note) bool { return slices.Contains(diff.Covering, n) }) {
			t.Errorf("%s: noted %v, want %q", c.name, all, c.want)
		}
	}
}

func TestFieldThatNamesNoPageIsOnThePageThatListsIt(t *testing.T) {
	t.Parallel()
	b := addField(func(_ *pdf.Update, w pdf.Dict) {
		delete(w, "P")
		w["Rect"] = pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760}.Array()
	})(t, signedForm(t))
	if all := notes(runSteps(t, b)); !slices.Contains(all, diff.OverlapsText) {
		t.Errorf("noted %v", all)
	}
}
