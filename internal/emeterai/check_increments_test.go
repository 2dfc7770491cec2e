package emeterai_test

import (
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestJudgeRefusesASignedStateThatTheSecondIncrementHides(t *testing.T) {
	t.Parallel()
	page := pdf.Ref{Number: pdftest.FirstPageNumber}
	for says, c := range map[string]struct{ swap, restore func(testing.TB, *pdf.Update) }{
		"content_changed /Contents": {
			func(t testing.TB, u *pdf.Update) {
				editableDict(t, u, page)["Contents"] = u.Add(&pdf.Stream{Data: []byte("BT ET")})
			},
			func(t testing.TB, u *pdf.Update) {
				editableDict(t, u, page)["Contents"] = pdf.Ref{Number: pdftest.FirstPageNumber + 1}
			},
		},
		"/OpenAction of the catalog": {
			func(t testing.TB, u *pdf.Update) {
				editableDict(t, u, pdf.Ref{Number: pdftest.CatalogNumber})["OpenAction"] = pdf.Dict{"S": pdf.Name("Named")}
			},
			func(t testing.TB, u *pdf.Update) {
				delete(editableDict(t, u, pdf.Ref{Number: pdftest.CatalogNumber}), "OpenAction")
			},
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			f := honestStamp()
			f.more = func(t testing.TB, _ *pdf.Document, u *pdf.Update) { c.swap(t, u) }
			f.after = func(t testing.TB, _ *pdf.Document) func(*pdf.Update) {
				return func(u *pdf.Update) { c.restore(t, u) }
			}
			file := pdftest.Table(2)
			requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, says)
		})
	}
}

func TestJudgeRefusesASecondIncrementThatTouchesTheStamp(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(testing.TB, *pdf.Document, *pdf.Update, *pdf.Signature){
		"picture": func(t testing.TB, d *pdf.Document, u *pdf.Update, s *pdf.Signature) {
			ap, err := d.Dict(s.Field.Dict["AP"])
			requireNoError(t, err)
			u.Set(ap.Ref("N"), &pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 1, URY: 1}.Array()}})
		},
		"field": func(t testing.TB, _ *pdf.Document, u *pdf.Update, s *pdf.Signature) {
			editableDict(t, u, s.Field.Ref)["Contents"] = pdf.TextString("another")
		},
		"annotations": func(t testing.TB, d *pdf.Document, u *pdf.Update, _ *pdf.Signature) {
			addAnnotation(t, d, u)
		},
		"fields": func(t testing.TB, _ *pdf.Document, u *pdf.Update, _ *pdf.Signature) {
			field := u.Add(pdf.Dict{"FT": pdf.Name("Tx"), "T": pdf.TextString("more")})
			form, err := u.EditIn(pdf.Ref{Number: pdftest.CatalogNumber}, "AcroForm")
			requireNoError(t, err)
			requireNoError(t, u.AppendTo(form, "Fields", field))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := honestStamp()
			f.after = func(t testing.TB, d *pdf.Document) func(*pdf.Update) {
				return func(u *pdf.Update) {
					all, err := d.Signatures()
					requireNoError(t, err)
					change(t, d, u, all[0])
				}
			}
			file := pdftest.Table(2)
			requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, "second increment")
		})
	}
}

// editableDict returns a dictionary that will be written.
func editableDict(t testing.TB, u *pdf.Update, r pdf.Ref) pdf.Dict {
	t.Helper()
	d, err := u.Edit(r)
	requireNoError(t, err)
	return d
}
