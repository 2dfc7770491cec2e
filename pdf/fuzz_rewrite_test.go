package pdf_test

import (
	"bytes"
	"errors"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// FuzzRewrite rewrites whatever opens, by repair if need be. What comes out must open without repair, be sound to
// the last entry, and agree with what it was made from; and rewriting it again changes nothing but its /ID.
func FuzzRewrite(f *testing.F) {
	for _, b := range [][]byte{
		pdftest.Table(1), pdftest.Streams(2), pdftest.Hybrid(1), pdftest.Linearized(2), pdftest.Form(), pdftest.Active(),
		cutOff(pdftest.Table(2)), append([]byte("junk\n"), pdftest.Streams(1)...),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		limits := pdf.Limits{Decoded: 1 << 20, Objects: 100_000, Pages: 10_000, Fields: 10_000, Work: 64 << 20}
		before, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Limits: limits, Repair: true, Random: fixedRandom(7)})
		if err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := before.Rewrite(&out, pdf.RewriteOptions{}); err != nil {
			var typed *pdf.Error
			if !errors.As(err, &typed) {
				t.Fatalf("refused without a kind: %v", err)
			}
			return
		}
		after, err := pdf.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), pdf.Options{Limits: limits, Random: fixedRandom(7)})
		if err != nil {
			t.Fatalf("reopen: %v\n%q", err, out.Bytes())
		}
		if err := after.Check(); err != nil {
			t.Fatalf("check: %v\n%q", err, out.Bytes())
		}
		if err := pdf.RequireEquivalent(before, after); err != nil && !errors.Is(err, pdf.ErrTooLarge) && isReadable(before) {
			t.Fatalf("%v\n%q", err, out.Bytes())
		}
		var again bytes.Buffer
		if done, err := after.Rewrite(&again, pdf.RewriteOptions{}); err != nil || done.Dropped != 0 || again.Len() != out.Len() {
			t.Fatalf("rewrite again: %+v, %v\n%q\n%q", done, err, out.Bytes(), again.Bytes())
		}
	})
}

// isReadable reports whether the form can be read at all, which no rewriting can bring about either.
func isReadable(d *pdf.Document) bool {
	_, err := d.Fields()
	return err == nil
}
