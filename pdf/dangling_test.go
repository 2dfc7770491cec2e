package pdf_test

import (
	"fmt"
	"regexp"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// TestNewObjectTakesNoNumberThatTheFileRefersTo lets catalog and trailer refer to nothing, and wants it to stay nothing.
func TestNewObjectTakesNoNumberThatTheFileRefersTo(t *testing.T) {
	t.Parallel()
	for name, sample := range styles {
		plain := sample(1)
		next := open(t, plain).NewUpdate().Reserve().Number
		u := open(t, plain).NewUpdate()
		root := must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: 1}))
		dangling := pdf.Array{}
		for _, n := range []uint32{1, 2, 4, 6} {
			dangling = append(dangling, pdf.Ref{Number: next + n})
		}
		root["Dangling"] = dangling
		file := build(t, plain, u)
		u = open(t, file).NewUpdate()
		for range 3 {
			u.Add(pdf.Dict{"Marker": pdf.Boolean(true)})
		}
		again := open(t, build(t, file, u))
		for _, o := range dangling {
			if v := must[pdf.Object](t)(again.Resolve(o)); v != pdf.Object(pdf.Null{}) {
				t.Errorf("%s: the reference %v to nothing came to mean %v", name, o, v)
			}
		}
		if err := again.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewObjectIsNotTheMissingInfo(t *testing.T) {
	t.Parallel()
	file := pdftest.Table(1)
	next := open(t, file).NewUpdate().Reserve()
	file = regexp.MustCompile(`/Info \d+ 0 R`).ReplaceAll(file, fmt.Appendf(nil, "/Info %d 0 R", next.Number))
	u := open(t, file).NewUpdate()
	u.Add(pdf.Dict{"Title": pdf.TextString("x")})
	again := open(t, build(t, file, u))
	if info := must[pdf.Dict](t)(again.Dict(again.Trailer()["Info"])); info != nil {
		t.Errorf("missing /Info came to be %v", info)
	}
}

// TestPageThatBecomesAnObjectIsNotWhatNothingWas rewrites a tree whose page is no object of its own.
func TestPageThatBecomesAnObjectIsNotWhatNothingWas(t *testing.T) {
	t.Parallel()
	file := plain("<</Type /Catalog /Pages 2 0 R /Dangling 3 0 R>>", "<</Type /Pages /Count 1 /Kids [<</Type /Page /MediaBox [0 0 9 9]>>]>>")("")
	b := must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{}))
	again := open(t, b)
	_, root, err := again.Root()
	if err != nil {
		t.Fatal(err)
	}
	if v := must[pdf.Object](t)(again.Resolve(root["Dangling"])); v != pdf.Object(pdf.Null{}) {
		t.Errorf("a reference to nothing came to mean %v", v)
	}
	if n := must[int](t)(again.PageCount()); n != 1 {
		t.Errorf("%d pages", n)
	}
}
