package pdf_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// revised appends n revisions to a file of a table, each with one new value of the same object.
func revised(n int) []byte {
	b := pdftest.Table(1)
	prev := bytes.LastIndex(b, []byte("\nxref")) + 1
	for i := range n {
		at := len(b)
		b = fmt.Appendf(b, "4000 0 obj\n%d\nendobj\n", i+1)
		section := len(b)
		b = fmt.Appendf(b, "xref\n4000 1\n%010d 00000 n \ntrailer\n<</Root 1 0 R /Size 4001 /Prev %d>>\nstartxref\n%d\n%%%%EOF\n", at, prev, section)
		prev = section
	}
	return b
}

// revisedInStreams does the same with cross-reference streams.
func revisedInStreams(t *testing.T, n int) []byte {
	t.Helper()
	b := pdftest.Streams(1)
	prev := must[[]pdf.Revision](t)(open(t, b).Revisions())[0].StartXref
	for i := range n {
		at := len(b)
		b = fmt.Appendf(b, "4000 0 obj\n%d\nendobj\n", i+1)
		section := int64(len(b))
		b = fmt.Appendf(b, "4001 0 obj\n<</Type /XRef /Root 1 0 R /Size 4002 /Prev %d /Index [4000 1] /W [1 4 1] /Length 6>>stream\n", prev)
		b = append(b, 1, byte(at>>24), byte(at>>16), byte(at>>8), byte(at), 0)
		b = fmt.Appendf(b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", section)
		prev = section
	}
	return b
}

func TestTenThousandRevisionsOpenQuickly(t *testing.T) {
	t.Parallel()
	const n = 10_000
	for name, file := range map[string][]byte{"tables": revised(n), "streams": revisedInStreams(t, n)} {
		began := time.Now()
		d := open(t, file)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: opened after %s", name, took)
		}
		if v := must[int64](t)(d.Integer(pdf.Ref{Number: 4000})); v != n {
			t.Errorf("%s: the newest value is %d", name, v)
		}
		revisions := must[[]pdf.Revision](t)(d.Revisions())
		if len(revisions) != n+1 {
			t.Fatalf("%s: %d revisions", name, len(revisions))
		}
		middle := file[:revisions[n/2].End]
		if v := must[int64](t)(open(t, middle).Integer(pdf.Ref{Number: 4000})); v != n/2 {
			t.Errorf("%s: revision %d says %d", name, n/2, v)
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		requireSound(t, name, file, must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{})))
	}
}
