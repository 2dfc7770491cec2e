package content_test

import (
	"testing"

	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/pdftest"
)

// painting adds colour spaces, graphics states and pictures to a page.
func painting(u *pdf.Update, page pdf.Dict) {
	image := func(more pdf.Dict) pdf.Ref {
		d := pdf.Dict{"Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1), "ColorSpace": pdf.Name("DeviceGray"), "BitsPerComponent": pdf.Integer(8)}
		for k, v := range more {
			d[k] = v
		}
		return u.Add(&pdf.Stream{Dict: d, Data: []byte{255}})
	}
	inks := u.Add(&pdf.Stream{Dict: pdf.Dict{"N": pdf.Integer(4)}})
	page["Resources"] = pdf.Dict{
		"Font": pdf.Dict{"F1": pdf.Ref{Number: pdftest.FontNumber}},
		"ColorSpace": pdf.Dict{
			"Spot": pdf.Array{pdf.Name("Separation"), pdf.Name("Gold"), pdf.Name("DeviceGray"), pdf.Dict{}},
			"Inks": pdf.Array{pdf.Name("ICCBased"), inks},
			"Few":  pdf.Array{pdf.Name("Indexed"), pdf.Name("DeviceRGB"), pdf.Integer(1), pdf.String{}},
		},
		"ExtGState": pdf.Dict{
			"Faint":  pdf.Dict{"ca": pdf.Real(.3)},
			"Dense":  pdf.Dict{"ca": pdf.Integer(1)},
			"Mixed":  pdf.Dict{"BM": pdf.Name("Multiply")},
			"Plain":  pdf.Dict{"BM": pdf.Name("Normal"), "SMask": pdf.Name("None")},
			"Masked": pdf.Dict{"SMask": pdf.Dict{}},
		},
		"XObject": pdf.Dict{"I": image(nil), "S": image(pdf.Dict{"SMask": image(nil)}), "M": image(pdf.Dict{"Mask": pdf.Array{pdf.Integer(0), pdf.Integer(0)}})},
	}
}

func TestWhiteMarksAreReported(t *testing.T) {
	t.Parallel()
	const text, area = "BT /F1 12 Tf 100 200 Td (A) Tj ET", "100 200 50 50 re f"
	for operators, want := range map[string]bool{
		text: false, area: false, "1 g " + text: true, "1 g " + area: true, ".99 1 1 rg " + text: true, "1 1 .5 rg " + text: false,
		"0 0 0 0 k " + area: true, "1 1 1 1 k " + area: false,
		"q 1 g Q " + text: false, "/DeviceRGB cs 1 1 1 sc " + text: true, "1 g /DeviceRGB cs " + text: false,
		"/Spot cs 1 scn " + text: false, "/Spot cs 0 scn " + text: true, "/Inks cs 0 0 0 0 scn " + text: true, "/Inks cs 1 1 1 1 scn " + text: false,
		"/Few cs 1 sc " + text: false, "/Pattern cs /P scn " + area: false,
		"1 G " + text: false, "1 G 1 Tr " + text: true, "1 g 2 Tr " + text: false, "1 g 1 G 2 Tr " + text: true,
		"1 G 100 200 50 50 re S": true, "1 g 100 200 50 50 re B": false,
	} {
		marks := marksOf(t, pdftest.Page{}, operators, painting)
		if len(marks) != 1 || marks[0].White != want {
			t.Errorf("%s: %+v", operators, marks)
		}
	}
}

func TestOpaqueMarksAreReported(t *testing.T) {
	t.Parallel()
	const area = "100 200 50 50 re f"
	for operators, want := range map[string]bool{
		area: true, "1 g " + area: true, "100 200 50 50 re B": true, "100 200 50 50 re S": false, "100 200 m 150 200 l 125 250 l f": false,
		"100 200 50 50 re 10 10 l f": false,
		"/Faint gs " + area:          false, "/Faint gs /Dense gs " + area: true, "/Mixed gs " + area: false, "/Masked gs " + area: false, "/Mixed gs /Plain gs " + area: true,
		"q /Mixed gs Q " + area: true, "/Mixed gs /Dense gs " + area: false,
		"q 50 0 0 50 100 200 cm /I Do Q": true, "q 50 0 0 50 100 200 cm /S Do Q": false, "q 50 0 0 50 100 200 cm /M Do Q": false,
		"/Faint gs q 50 0 0 50 100 200 cm /I Do Q": false, "q 50 0 0 50 100 200 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q": true,
		"BT /F1 12 Tf 100 200 Td (A) Tj ET": false,
	} {
		marks := marksOf(t, pdftest.Page{}, operators, painting)
		if len(marks) != 1 || marks[0].Opaque() != want {
			t.Errorf("%s: %+v", operators, marks)
		}
	}
	if m := marksOf(t, pdftest.Page{}, "100 200 50 50 re S 100 200 50 50 re f", nil); len(m) != 2 || !m[0].StrokeOnly || m[1].StrokeOnly {
		t.Errorf("lines: %+v", m)
	}
}

func TestContentLeavesAnnotationsOut(t *testing.T) {
	t.Parallel()
	d, page := openPage(t, pdftest.Page{}, "100 200 50 50 re f", func(u *pdf.Update, page pdf.Dict) {
		page["Annots"] = pdf.Array{u.Add(pdf.Dict{"Subtype": pdf.Name("Square"), "Rect": pdf.Rect{URX: 9, URY: 9}.Array()})}
	})
	r := content.NewReader(d, content.Limits{})
	all, err := r.PageMarks(page)
	if err != nil || len(all) != 2 {
		t.Errorf("%+v %v", all, err)
	}
	own, err := r.ContentMarks(page)
	if err != nil || len(own) != 1 || own[0].Kind != content.Drawing || r.IsExhausted() {
		t.Errorf("%+v %v", own, err)
	}
	small := content.NewReader(d, content.Limits{Operators: 1})
	if _, err := small.ContentMarks(page); err == nil || !small.IsExhausted() {
		t.Errorf("%v", err)
	}
}
