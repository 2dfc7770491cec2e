package facts_test

import (
	"fmt"
	"testing"

	"segel/pades"
	"segel/pades/validate/diff"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// TestChangedContentIsLocatedOnItsPage replaces parts of the second of three pages. What several pages use, or another object
// may refer to, is on no page: naming one of them would hide the others.
func TestChangedContentIsLocatedOnItsPage(t *testing.T) {
	t.Parallel()
	const second, third = pdftest.FirstPageNumber + 2, pdftest.FirstPageNumber + 4
	base := on(t, pdftest.Table(3)).update(func(_ *pdf.Document, u *pdf.Update) {
		must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: second}))["Contents"] = pdf.Array{pdf.Ref{Number: second + 1}, u.Add(words("Pasal 2"))}
	}).fields(pades.FieldSpec{Name: "A"}).sign("A").b
	shared := on(t, pdftest.Table(3)).update(func(_ *pdf.Document, u *pdf.Update) {
		must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: third}))["Contents"] = pdf.Ref{Number: second + 1}
	}).fields(pades.FieldSpec{Name: "A"}).sign("A").b
	replace := func(number uint32) func(*pdf.Update) {
		return func(u *pdf.Update) { u.Set(pdf.Ref{Number: number}, words("Lunas")) }
	}
	for _, c := range []struct {
		name   string
		file   []byte
		change func(*pdf.Update)
		page   int
	}{
		{"first of two streams", base, replace(second + 1), 2},
		{"new stream", base, func(u *pdf.Update) {
			must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: second}))["Contents"] = u.Add(words("Lunas"))
		}, 2},
		{"stream of two pages", shared, replace(second + 1), 0},
		{"font of all pages", base, func(u *pdf.Update) {
			must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: font}))["BaseFont"] = pdf.Name("ZapfDingbats")
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := runSteps(t, on(t, c.file).update(func(_ *pdf.Document, u *pdf.Update) { c.change(u) }).b)
			found := ""
			for _, l := range f.Signatures[0].Later {
				for _, x := range l.Denied {
					if ch := l.Changes[x]; ch.Code == diff.CodeContent {
						found += fmt.Sprint(ch.Page, " ")
						if ch.Page != c.page {
							t.Errorf("%v is on page %d, want %d", ch.Paths, ch.Page, c.page)
						}
					}
				}
			}
			if found == "" {
				t.Error("no changed content was found")
			}
		})
	}
}
