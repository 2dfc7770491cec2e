package pdf_test

import (
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func FuzzOpen(f *testing.F) {
	for _, b := range [][]byte{
		pdftest.Table(1), pdftest.Streams(1), pdftest.Hybrid(1), pdftest.Linearized(1), pdftest.Form(), pdftest.Active(),
		nestedPages("2", "3"),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := pdf.Options{Limits: pdf.Limits{Decoded: 1 << 20, Objects: 100_000, Pages: 10_000, Fields: 10_000}}
		exerciseReader(b, o)
		o.Repair = true
		exerciseReader(b, o)
	})
}
