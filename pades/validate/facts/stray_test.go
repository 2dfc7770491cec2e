package facts_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// appended is a revision of one object written by hand and then misspelled, behind more bytes.
func appended(more, old, now string) func(t *testing.T, b []byte) []byte {
	return func(t *testing.T, b []byte) []byte {
		base := append(bytes.Clone(b), more...)
		full := section{of: b, objects: map[int]string{50: "1"}}.append(t, bytes.Clone(base))
		tail := string(full[len(base):])
		if !strings.Contains(tail, old) {
			t.Fatalf("no %q in %q", old, tail)
		}
		return append(base, strings.Replace(tail, old, now, 1)...)
	}
}

func TestReadersThatRebuildTheFileFindNothingElse(t *testing.T) {
	t.Parallel()
	hidden := fmt.Sprintf("%d 0 obj\n%s\nendobj\n", contents, stated("BT /F1 24 Tf 72 720 Td (Lunas) Tj ET"))
	xml := func(data string) func(t *testing.T, b []byte) []byte {
		return revise(func(t *testing.T, _ *pdf.Document, u *pdf.Update) {
			c := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: catalog}))
			c["Metadata"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("Metadata"), "Subtype": pdf.Name("XML")}, Data: []byte(data)})
		})
	}
	tamper(t, signedTable(t), []mutation{
		{"nothing but its object", "", appended("", "", "")},
		{"an object that it does not state", "ambiguous", appended(hidden, "", "")},
		{"an object that it states under another number", "ambiguous", func(t *testing.T, b []byte) []byte {
			at := len(b)
			return section{of: b, entries: map[int]string{70: fmt.Sprintf("%010d 00000 n", at)}, objects: map[int]string{50: "1"}}.append(t, append(b, hidden...))
		}},
		{"the same behind a comment", "ambiguous", appended("6 %\n0 %\nobj 5 endobj\n", "", "")},
		{"the same behind a long comment", "ambiguous", appended("6 %"+strings.Repeat("x", 500)+"\n0 obj 5 endobj\n", "", "")},
		{"the same behind a great deal of space", "ambiguous", appended("6 "+strings.Repeat(" ", 500)+" 0 obj 5 endobj\n", "", "")},
		{"the same and a word of its own", "ambiguous", appended("6 0 %"+strings.Repeat("x", 500)+"\nobj 5 endobj\n", "", "")},
		{"the same in metadata", "ambiguous", xml("<x>\n" + hidden + "\n</x>")},
		{"a word in metadata", "", xml("<x>5 objects, 2 obj.\nobjek</x>")},
		{"a second trailer", "ambiguous", appended("trailer\n<< /Root 1 0 R >>\n", "", "")},
		{"a word like it", "", appended("% see trailer\n", "", "")},
		{"comment in the table", "ambiguous", appended("", "xref\n", "xref\n%\n")},
		{"space before a number", "ambiguous", appended("", "50 1\n", "  50 1\n")},
		{"sign before a number", "ambiguous", appended("", "50 1\n", "+50 1\n")},
		{"comment behind startxref", "ambiguous", appended("", "startxref\n", "startxref %\n")},
		{"entries of nineteen bytes", "", appended("", " n \n", " n\n")},
		{"a number that is too large", "ambiguous", appended("", "50 1\n", "8388607 1\n")},
		{"a great deal of white space", "junk_behind", func(_ *testing.T, b []byte) []byte { return append(b, bytes.Repeat([]byte(" "), 1024)...) }},
		{"a spare catalog", "ambiguous", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Add(pdf.Dict{"Type": pdf.Name("Catalog"), "Pages": pdf.Ref{Number: pages}})
		})},
		{"a spare object stream", "ambiguous", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("ObjStm"), "N": pdf.Integer(1), "First": pdf.Integer(4)}, Data: []byte("6 0 (x)")})
		})},
		{"a spare cross-reference stream", "ambiguous", revise(func(_ *testing.T, _ *pdf.Document, u *pdf.Update) {
			u.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XRef"), "Size": pdf.Integer(9), "Root": pdf.Ref{Number: catalog}}, Data: nil})
		})},
	})
}

func TestObjectStreamHoldsNothingThatIsNotStated(t *testing.T) {
	t.Parallel()
	p := on(t, pdftest.Streams(2)).fields(pades.FieldSpec{Name: "A"}).sign("A")
	tamper(t, p.b, []mutation{
		{"all of it stated", "", func(t *testing.T, b []byte) []byte { return compressed(t, b, "90 0 91 2 1 2", 90, 91) }},
		{"one of it not", "ambiguous", func(t *testing.T, b []byte) []byte { return compressed(t, b, "90 0 6 2 1 2", 90) }},
		{"an entry of an unknown kind beside", "ambiguous", func(t *testing.T, b []byte) []byte {
			b = compressed(t, b, "90 0 91 2 1 2", 90, 91)
			at := bytes.LastIndex(b, []byte("\x02\x00\x00\x5f\x01"))
			b[at] = 3
			return b
		}},
		{"two of it, each at the index of the other", "unreadable", func(t *testing.T, b []byte) []byte { return compressed(t, b, "90 0 91 2 1 2", 91, 90) }},
		{"one of it twice", "ambiguous", func(t *testing.T, b []byte) []byte { return compressed(t, b, "90 0 90 2 1 2", 90) }},
	})
}

// compressed appends an object stream of two small objects, of which a cross-reference stream states some.
func compressed(t *testing.T, b []byte, held string, states ...int) []byte {
	t.Helper()
	d := on(t, b).open()
	stm, xref := 95, 96
	at := len(b)
	b = fmt.Appendf(b, "%d 0 obj\n<< /Type /ObjStm /N 2 /First %d /Length %d >>\nstream\n%s\nendstream\nendobj\n", stm, len(held)-3, len(held), held)
	end := len(b)
	var index strings.Builder
	var rows []byte
	for i, n := range states {
		fmt.Fprintf(&index, "%d 1 ", n)
		rows = append(rows, 2, 0, 0, byte(stm), byte(i))
	}
	fmt.Fprintf(&index, "%d 2", stm)
	rows = append(rows, 1, byte(at>>16), byte(at>>8), byte(at), 0, 1, byte(end>>16), byte(end>>8), byte(end), 0)
	revisions := must[[]pdf.Revision](t)(d.Revisions())
	id := d.Trailer()["ID"].(pdf.Array)[0].(pdf.String).Bytes
	b = fmt.Appendf(b, "%d 0 obj\n<< /Type /XRef /W [1 3 1] /Index [%s] /Size 97 /Root %s /Info %s /ID [<%x> <%x>] /Prev %d /Length %d >>\nstream\n", xref, index.String(),
		d.Trailer().Ref("Root"), d.Trailer().Ref("Info"), id, id, revisions[len(revisions)-1].StartXref, len(rows))
	b = append(b, rows...)
	return fmt.Appendf(b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", end)
}
