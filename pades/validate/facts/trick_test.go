package facts_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// signedTable is a file of two pages, signed in the visible field A.
func signedTable(t testing.TB) []byte {
	t.Helper()
	return on(t, pdftest.Table(2)).fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}, pades.FieldSpec{Name: "B", Page: 2, Rect: boxA}).sign("A", shown).b
}

func stated(object string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(object), object)
}

func TestTricksWithTheCrossReferenceAreDetected(t *testing.T) {
	t.Parallel()
	base := signedTable(t)
	lunas := stated("BT /F1 24 Tf 72 720 Td (Lunas) Tj ET")
	put := func(s section) func(t *testing.T, b []byte) []byte {
		return func(t *testing.T, b []byte) []byte { return s.append(t, b) }
	}
	tamper(t, base, []mutation{
		{"replaced by hand", "content_changed", put(section{objects: map[int]string{contents: lunas}})},
		{"another catalog", "catalog_changed", put(section{objects: map[int]string{90: "<< /Type /Catalog /Pages 91 0 R /AcroForm " + formOf(t, base) + " >>", 91: "<< /Type /Pages /Kids [] /Count 0 >>"}, root: "90 0 R"})},
		{"the same catalog under another number", "", put(section{objects: map[int]string{90: "<< /Type /Catalog /Pages 2 0 R /AcroForm " + formOf(t, base) + " >>"}, root: "90 0 R"})},
		{"freed content", "freed", put(section{entries: map[int]string{contents: "0000000000 00001 f"}})},
		{"freed signature", "freed", put(section{entries: map[int]string{200: "0000000000 00001 f", font: "0000000000 00001 f"}})},
		{"entry that leads to no object", "unreadable", func(t *testing.T, b []byte) []byte {
			// An object of the signed bytes is taken for the content of page 2.
			return section{entries: map[int]string{contents + 2: at(t, b, fmt.Sprintf("%d 0", contents+2))[:9] + "1 00000 n"}}.append(t, b)
		}},
		{"no /Prev", "byte_range_end", put(section{prev: -1, objects: map[int]string{50: "1"}, entries: all(t, base)})},
		{"cross-reference of the future", "ambiguous", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{50: "1"}, end: fmt.Sprintf("startxref\n%d\n%%%%EOF\n", len(b)+1)}.append(t, b)
		}},
		{"object stated twice", "ambiguous", func(t *testing.T, b []byte) []byte {
			b = section{objects: map[int]string{50: "1", 51: "2"}}.append(t, b)
			return bytes.Replace(b, []byte("\n51 1\n"), []byte("\n50 1\n"), 1)
		}},
		{"content stated twice", "unreadable", func(t *testing.T, b []byte) []byte {
			o := string(must[pdf.Object](t)(on(t, b).open().Object(pdf.Ref{Number: paintedPage})).(pdf.Dict)["Contents"].(pdf.Ref).String())
			return section{objects: map[int]string{51: lunas, paintedPage: "<< /Type /Page /Parent 2 0 R /Contents 51 0 R /Contents " + o + " /Resources << /Font << /F1 3 0 R >> >> " + annotsOf(t, b) + " >>"}}.append(t, b)
		}},
		{"catalog stated twice", "revision_unsound", put(section{objects: map[int]string{51: "1"}, root: "51 0 R /Root 1 0 R"})},
		{"second byte range", "key_twice", func(t *testing.T, b []byte) []byte {
			return swap("/Filter /Adobe.PPKLite", "/ByteRange [0 1 2 3]  ")(t, b)
		}},
		{"second /Contents under an escaped name", "key_twice", swap("/Filter /Adobe.PPKLite", "/Content#73 <30303030>")},
		{"junk behind the end", "junk_behind", func(_ *testing.T, b []byte) []byte { return append(b, "junk\n"...) }},
		{"another end behind the end", "junk_behind", func(_ *testing.T, b []byte) []byte { return append(b, "%%EOF\n"...) }},
		{"white space behind the end", "", func(_ *testing.T, b []byte) []byte { return append(b, "\r\n \n"...) }},
		{"trailer that shrinks the file", "ambiguous", func(t *testing.T, b []byte) []byte {
			return swap("/Size 51 ", "/Size 5  ")(t, section{objects: map[int]string{50: "1"}}.append(t, b))
		}},
		{"hybrid section", "ambiguous", hybridTrick},
		{"moved /Contents", "byte_range_gap", movedContents},
	})
}

// annotsOf is /Annots of page 1 with its key.
func annotsOf(t testing.TB, b []byte) string {
	t.Helper()
	list := must[*pdf.Page](t)(on(t, b).open().Page(1)).Dict["Annots"].(pdf.Array)
	return "/Annots [" + list[0].(pdf.Ref).String() + "]"
}

// formOf is the reference of the form.
func formOf(t testing.TB, b []byte) string {
	t.Helper()
	ref, _, err := on(t, b).open().Form()
	if err != nil {
		t.Fatal(err)
	}
	return ref.String()
}

// all are the entries of all plain objects of a file.
func all(t testing.TB, b []byte) map[int]string {
	t.Helper()
	d := on(t, b).open()
	entries := map[int]string{}
	for _, r := range must[[]pdf.Revision](t)(d.Revisions()) {
		for _, e := range must[[]pdf.Entry](t)(d.RevisionEntries(r)) {
			if !e.Free {
				entries[int(e.Ref.Number)] = fmt.Sprintf("%010d 00000 n", e.Offset)
			}
		}
	}
	return entries
}

// hybridTrick adds an object that only readers of cross-reference streams know of: an empty page.
func hybridTrick(t *testing.T, b []byte) []byte {
	object := len(b)
	b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", contents, stated("q Q"))
	stream := len(b)
	entry := []byte{1, byte(object >> 16), byte(object >> 8), byte(object), 0}
	b = fmt.Appendf(b, "80 0 obj\n<< /Type /XRef /W [1 3 1] /Index [%d 1] /Size 81 /Root 1 0 R /Length 5 >>\nstream\n%s\nendstream\nendobj\n", contents, entry)
	return section{objects: map[int]string{81: "1"}, trailer: fmt.Sprintf("/XRefStm %d", stream)}.append(t, b)
}

// movedContents puts another dictionary behind the file that has the container, as signature wrapping does.
func movedContents(t *testing.T, b []byte) []byte {
	s := first(t, b)
	value := fmt.Sprintf("<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 %d %d %d] /Contents %s >>",
		s.ByteRange[1], s.ByteRange[2], s.ByteRange[3], b[s.ContentsAt:s.ContentsEnd])
	return section{objects: map[int]string{int(s.Ref.Number): value, contents: stated("q Q")}}.append(t, b)
}

func TestSignatureThatTheFileNoLongerLeadsToIsNotListed(t *testing.T) {
	t.Parallel()
	b := signedTable(t)
	revisions := must[[]pdf.Revision](t)(on(t, b).open().Revisions())
	for name, b := range map[string][]byte{
		"/Prev that skips its revision":   section{prev: revisions[0].StartXref, objects: map[int]string{50: "1"}}.append(t, b),
		"startxref to the first revision": fmt.Appendf(bytes.Clone(b), "startxref\n%d\n%%%%EOF\n", revisions[0].StartXref),
	} {
		f := runSteps(t, b)
		if len(f.Signatures) > 0 || !warned(f, facts.WarnSkipped) && !warned(f, facts.WarnJunkAfter) {
			t.Errorf("%s: %s%+v", name, summary(f), f.Warnings)
		}
	}
}

func warned(f *facts.File, code facts.WarningCode) bool {
	return slices.ContainsFunc(f.Warnings, func(w facts.Warning) bool { return w.Code == code })
}

func TestNoSignatureHoldsInAFileWhoseCrossReferencesLoop(t *testing.T) {
	t.Parallel()
	b := signedTable(t)
	b = section{objects: map[int]string{50: "1"}, prev: int64(len(b) + len("50 0 obj\n1\nendobj\n"))}.append(t, b)
	for _, s := range runSteps(t, b).Signatures {
		if len(troubles(s)) == 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestObjectPutBackToAnEarlierStateIsDetected(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Form())
	p.update(func(_ *pdf.Document, u *pdf.Update) { u.Set(pdf.Ref{Number: contents}, words("Disetujui")) })
	p.fields(pades.FieldSpec{Name: "A"}).sign("A")
	tamper(t, p.b, []mutation{
		{"content", "restored", func(t *testing.T, b []byte) []byte {
			return section{entries: map[int]string{contents: at(t, b, fmt.Sprintf("%d 0", contents))}}.append(t, b)
		}},
	})
}

func TestObjectStreamThatIsReplacedIsDetected(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Streams(2)).fields(pades.FieldSpec{Name: "A"}).sign("A")
	container := uint32(pdftest.FirstPageNumber + 4)
	tamper(t, p.b, []mutation{
		{"the same with an extra entry", "unexplained", dict(container, func(_ *pdf.Update, d pdf.Dict) { d["Extra"] = pdf.Integer(1) })},
		{"empty", "unreadable", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Set(pdf.Ref{Number: container}, &pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("ObjStm"), "N": pdf.Integer(0), "First": pdf.Integer(0)}})
		})},
	})
}

func TestReferenceToAMissingObjectMustNotGainOne(t *testing.T) {
	t.Parallel()
	b := bytes.Replace(pdftest.Form(), []byte("/BBox [0 0 200 20]"), []byte("/BBox [0 0 1 1]/A 90 0 R"), 1)
	b = bytes.Replace(b, []byte("/BBox [0 0 1 1]/A 90 0 R"), []byte("/Group 90 0 R     "), 1)
	p := on(t, bytes.Replace(b, []byte("/Group 90 0 R     "), []byte("/Group 900 0 R    "), 1)).fields(pades.FieldSpec{Name: "A"}).sign("A")
	tamper(t, p.b, []mutation{
		{"group of a look", "unexplained", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{900: "<< /S /Transparency >>"}}.append(t, b)
		}},
		{"another number", "", func(t *testing.T, b []byte) []byte {
			return section{objects: map[int]string{990: "<< /S /Transparency >>"}}.append(t, b)
		}},
	})
}

func TestSignedBytesMustNotWaitForWhatComesLater(t *testing.T) {
	t.Parallel()
	sign := func(b []byte) []byte { return on(t, b).fields(pades.FieldSpec{Name: "A"}).sign("A").b }
	pad := func(b []byte, to int) []byte {
		return append(append(b, '%'), append(bytes.Repeat([]byte("x"), to-len(b)-2), '\n')...)
	}
	const later = 60_000
	// The content of page 1 leads to a place that is not there yet.
	entry := sign(section{objects: map[int]string{50: "1"}, entries: map[int]string{contents: fmt.Sprintf("%010d 00000 n", later)}}.append(t, pdftest.Table(1)))
	// It begins in the signed bytes, and its data ends in what is appended.
	open := pdftest.Table(1)
	unfinished := sign(section{objects: map[int]string{contents: fmt.Sprintf("<< /Length %d >>\nstream\nBT ET\n%%", later-len(open)-len("6 0 obj\n<< /Length 12345 >>\nstream\n"))}}.append(t, open))
	for name, c := range map[string]struct {
		signed     []byte
		more, want string
	}{
		"entry":      {entry, fmt.Sprintf("%d 0 obj\n%s\nendobj\n", contents, stated("BT ET")), "revision_unsound"},
		"unfinished": {unfinished, "\nendstream\nendobj\n", "unreadable"},
	} {
		if before := runSteps(t, c.signed); name == "unfinished" && len(troubles(before.Signatures[0])) > 0 {
			t.Errorf("%s before: %s", name, summary(before))
		}
		f := runSteps(t, section{of: c.signed, objects: map[int]string{90: "1"}}.append(t, append(pad(bytes.Clone(c.signed), later), c.more...)))
		if len(f.Signatures) != 1 || !slices.Contains(troubles(f.Signatures[0]), c.want) {
			t.Errorf("%s, want %q: %s%+v", name, c.want, summary(f), f.Warnings)
		}
	}
}
