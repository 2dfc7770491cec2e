package emeterai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"segel/internal/emeterai"
	"segel/internal/emeterai/emeteraitest"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// What rules allow is not yet ordered.
func TestJudgeRefusesChangesThatOthersMayMake(t *testing.T) {
	t.Parallel()
	type change = func(testing.TB, *pdf.Document, *pdf.Update)
	catalog := pdf.Ref{Number: pdftest.CatalogNumber}
	for says, edit := range map[string]change{
		"form filling": func(t testing.TB, _ *pdf.Document, u *pdf.Update) {
			editableDict(t, u, pdf.Ref{Number: pdftest.FormNumber + 1})["V"] = pdf.TextString("Budi")
		},
		"catalog": func(t testing.TB, _ *pdf.Document, u *pdf.Update) {
			editableDict(t, u, catalog)["MarkInfo"] = pdf.Dict{"Marked": pdf.Boolean(true)}
		},
		"another field": func(t testing.TB, _ *pdf.Document, u *pdf.Update) {
			field := u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("Another")})
			form := editableDict(t, u, pdf.Ref{Number: pdftest.FormNumber})
			requireNoError(t, u.AppendTo(form, "Fields", field))
		},
		"comment": addAnnotation,
	} {
		for where, put := range map[string]func(*forgery){
			"with the stamp": func(f *forgery) { f.more = edit },
			"behind it": func(f *forgery) {
				f.after = func(t testing.TB, d *pdf.Document) func(*pdf.Update) { return func(u *pdf.Update) { edit(t, d, u) } }
			},
		} {
			t.Run(says+" "+where, func(t *testing.T) {
				t.Parallel()
				file := pdftest.Form()
				f := honestStamp()
				put(&f)
				requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, "")
			})
		}
	}
}

func TestJudgeRefusesATimestampBehindTheStamp(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	f := honestStamp()
	f.after = func(t testing.TB, d *pdf.Document) func(*pdf.Update) {
		return func(u *pdf.Update) {
			value := u.Add(pdf.Dict{"Type": pdf.Name("DocTimeStamp"), "SubFilter": pdf.Name("ETSI.RFC3161"), "ByteRange": pdf.Array{}, "Contents": pdf.String{}})
			form, err := u.EditIn(pdf.Ref{Number: pdftest.CatalogNumber}, "AcroForm")
			requireNoError(t, err)
			requireNoError(t, u.AppendTo(form, "Fields", u.Add(pdf.Dict{"FT": pdf.Name("Sig"), "T": pdf.TextString("Time"), "V": value, "Rect": pdf.Rect{}.Array()})))
		}
	}
	requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, "timestamp")
}

// The rules on structure and extensions let files change in what nobody sees. An office has no business there.
func TestJudgeRefusesMoreInTheStructureAndInExtensions(t *testing.T) {
	t.Parallel()
	root := pdf.Ref{Number: pdftest.CatalogNumber}
	file := pdftest.Table(2)
	u := openPDF(t, file).NewUpdate()
	tree, extensions := u.Add(pdf.Dict{"Type": pdf.Name("StructTreeRoot"), "K": pdf.Array{}}), u.Add(pdf.Dict{})
	catalog := editableDict(t, u, root)
	catalog["StructTreeRoot"], catalog["Extensions"] = tree, extensions
	file = append(file, buildTail(t, u).Bytes...)
	for says, edit := range map[string]func(testing.TB, *pdf.Document, *pdf.Update){
		"structure": func(t testing.TB, _ *pdf.Document, u *pdf.Update) {
			fields := editableDict(t, u, root)["AcroForm"].(pdf.Dict)["Fields"].(pdf.Array)
			reference := pdf.Dict{"Type": pdf.Name("OBJR"), "Obj": fields[len(fields)-1]}
			editableDict(t, u, tree)["K"] = pdf.Array{u.Add(pdf.Dict{"S": pdf.Name("Form"), "P": tree, "K": reference})}
		},
		"extensions": func(t testing.TB, _ *pdf.Document, u *pdf.Update) {
			editableDict(t, u, extensions)["ADBE"] = pdf.Dict{}
		},
	} {
		f := honestStamp()
		f.more = edit
		requireRefusal(t, emeteraitest.NewRequest(t, serial, file), f.affixStamp(t, file), emeterai.Quarantine, ", "+says)
	}
}

func TestJudgeRefusesObjectsAboveTheSizeOfTheFile(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2)
	tail := honestStamp().affixStamp(t, file)
	small := bytes.Replace(tail, []byte("/Size 12"), []byte("/Size 10"), 1)
	if bytes.Equal(small, tail) {
		t.Fatal("another size")
	}
	requireRefusal(t, emeteraitest.NewRequest(t, serial, file), small, emeterai.Quarantine, "lies above")
}

func TestJudgeRefusesObjectsThatTheSourceWaitedFor(t *testing.T) {
	t.Parallel()
	second := pdf.Ref{Number: pdftest.FirstPageNumber + 2}
	file := pdftest.Table(2)
	u := openPDF(t, file).NewUpdate()
	contents := pdf.Ref{Number: second.Number + 1}
	editableDict(t, u, second)["Contents"] = pdf.Array{contents, contents}
	file = append(file, buildTail(t, u).Bytes...)
	tail := honestStamp().affixStamp(t, file)
	requireRefusal(t, emeteraitest.NewRequest(t, serial, bytes.Replace(file, []byte("8 0 R 8 0 R"), []byte("8 0 R 9 0 R"), 1)), tail, emeterai.Quarantine, "led to nothing")
}

// failing fails to read some bytes.
type failing struct {
	io.ReaderAt
	from, to int64
}

var errOut = errors.New("store is out of reach")

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at < f.to && at+int64(len(p)) > f.from {
		return 0, errOut
	}
	return f.ReaderAt.ReadAt(p, at)
}

func TestJudgeAsksAgainIfTheSourceCannotBeRead(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2000)
	tail := honestStamp().affixStamp(t, file)
	r := emeteraitest.NewRequest(t, serial, file)
	at := int64(bytes.Index(file, fmt.Appendf(nil, "\n%d 0 obj", pdftest.FirstPageNumber+2*1000)))
	r.Source.R = failing{r.Source.R, at, at + 100}
	if _, err := emeterai.CheckStampedFile(t.Context(), r, tail); !errors.Is(err, errOut) || emeterai.ClassOf(err) != emeterai.Unknown {
		t.Error(err)
	}
}

func TestJudgeThatIsStoppedHasNoOpinion(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(2000)
	tail := honestStamp().affixStamp(t, file)
	r := emeteraitest.NewRequest(t, serial, file)
	ctx, stop := context.WithCancel(t.Context())
	at := int64(bytes.Index(file, fmt.Appendf(nil, "\n%d 0 obj", pdftest.FirstPageNumber+2*1000)))
	r.Source.R = watched{r.Source.R, at, stop}
	if _, err := emeterai.CheckStampedFile(ctx, r, tail); err != context.Canceled {
		t.Error(err)
	}
}

// watched calls a function when a byte is read.
type watched struct {
	io.ReaderAt
	at   int64
	call func()
}

func (w watched) ReadAt(p []byte, at int64) (int, error) {
	if at <= w.at && at+int64(len(p)) > w.at {
		w.call()
	}
	return w.ReaderAt.ReadAt(p, at)
}

// BenchmarkJudge tells what judging a stamp costs by the number of pages.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{2, 20, 200, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := pdftest.Table(n)
			var tail []byte
			r := emeteraitest.NewRequest(b, serial, file)
			tail = honestStamp().affixStamp(b, file)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := emeterai.CheckStampedFile(b.Context(), r, tail); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
