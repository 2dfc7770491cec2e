package content_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/pdftest"
)

// newBook is a file of so many pages of text, each compressed, as word processors and typesetters write them: in a font
// with widths, with kerning, in lines of their own, beneath a line and beside a grey area. A composite font has two bytes
// for each letter.
func newBook(tb testing.TB, pages int, composite bool) []byte {
	tb.Helper()
	file := pdftest.Table(pages)
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	u := d.NewUpdate()
	widths := make(pdf.Array, 95)
	for i := range widths {
		widths[i] = pdf.Integer(300 + i*37%500)
	}
	font := u.Add(pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("TrueType"), "BaseFont": pdf.Name("ABCDEF+Serif"), "Encoding": pdf.Name("WinAnsiEncoding"),
		"FirstChar": pdf.Integer(32), "Widths": widths,
	})
	open, end, spelled := "(", ")", "%c"
	if composite {
		font = u.Add(pdf.Dict{
			"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "BaseFont": pdf.Name("ABCDEF+Serif"), "Encoding": pdf.Name("Identity-H"),
			"DescendantFonts": pdf.Array{pdf.Dict{"Subtype": pdf.Name("CIDFontType2"), "W": pdf.Array{pdf.Integer(32), widths}}},
			"ToUnicode":       u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0020> <007e> <0020> endbfrange")}),
		})
		open, end, spelled = "<", ">", "%04x"
	}
	random := rand.New(rand.NewPCG(1, 2))
	for page, err := range d.Pages() {
		if err != nil {
			tb.Fatal(err)
		}
		var b strings.Builder
		b.WriteString("0.9 g 72 770 450 20 re f 0 g 0.5 w 72 765 m 522 765 l S BT /F1 10 Tf 1 0 0 1 72 750 Tm 12 TL ")
		for range 55 {
			b.WriteString("[" + open)
			for range 11 {
				for n := 2 + random.IntN(9); n > 0; n-- {
					fmt.Fprintf(&b, spelled, 'a'+random.IntN(26))
					if random.IntN(8) == 0 {
						fmt.Fprintf(&b, "%s%d%s", end, random.IntN(60)-30, open)
					}
				}
				fmt.Fprintf(&b, spelled, ' ')
			}
			b.WriteString(end + "] TJ T*\n")
		}
		b.WriteString("ET")
		dict, err := u.Edit(page.Ref)
		if err != nil {
			tb.Fatal(err)
		}
		dict["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": font}}
		dict["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: compressStreams(tb, []byte(b.String()))})
	}
	tail, err := u.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return append(file, tail.Bytes...)
}

// BenchmarkBook goes through a hundred pages of text.
func BenchmarkBook(b *testing.B) {
	for name, composite := range map[string]bool{"simple": false, "composite": true} {
		b.Run(name, func(b *testing.B) {
			file := newBook(b, 100, composite)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			began := processorTime(b)
			for b.Loop() {
				if words := wordsOf(b, file); words < 50_000 {
					b.Fatal(words)
				}
			}
			b.ReportMetric(float64(processorTime(b)-began)/float64(b.N)/1e6, "cpu-ms")
		})
	}
}

func wordsOf(b *testing.B, file []byte) (words int) {
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := content.NewReader(d, content.Limits{})
	for page, err := range d.Pages() {
		if err != nil {
			b.Fatal(err)
		}
		marks, err := r.PageMarks(page)
		if err != nil {
			b.Fatal(err)
		}
		words += len(marks)
	}
	return words
}

// processorTime is the processor time of this process so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
