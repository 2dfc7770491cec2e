package appearance_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/content"
	"segel/pdf/pdftest"
)

// dense is a picture of strokes that cover as much of it as strokes may.
func dense(t *testing.T) *appearance.Strokes {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 600, 300))
	for y := range 300 {
		for x := range 600 {
			if x%20 < 8 {
				m.SetNRGBA(x, y, color.NRGBA{0, 0, 0, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	s := must[*appearance.Strokes](t)(appearance.ExtractStrokes(b.Bytes()))
	if s.Coverage < 0.35 {
		t.Fatalf("the picture covers %.2f", s.Coverage)
	}
	return s
}

func TestABoxWithAPictureLeavesSixtyPercentToBeRead(t *testing.T) {
	t.Parallel()
	strokes := dense(t)
	for _, size := range [][2]float64{{200, 70}, {60, 40}, {20, 12}, {12, 20}, {400, 30}, {30, 200}, {250, 250}} {
		box := pdf.Rect{LLX: 50, LLY: 50, URX: 50 + size[0], URY: 50 + size[1]}
		for name, d := range map[string]*appearance.Drawing{
			"initials":  appearance.Initials("Budi", strokes, size[0], size[1]),
			"signature": appearance.Signature(appearance.SignatureText{Name: "Budi Santoso", Time: moment, Reason: "Menyetujui", Specimen: strokes, QR: "https://segel.example/"}, size[0], size[1]),
		} {
			for _, opaque := range []bool{false, true} {
				if got := hiddenShare(t, d, box, opaque); got <= 0 || got > appearance.MaxCoverage {
					t.Errorf("%s of %v, as a stencil %v: %.2f of the box is hidden", name, size, opaque, got)
				}
			}
		}
	}
}

// hiddenShare tells how much of a box a drawing hides.
func hiddenShare(t *testing.T, d *appearance.Drawing, box pdf.Rect, opaque bool) float64 {
	t.Helper()
	file := pdftest.Table(1)
	open := func() *pdf.Document {
		return must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
	}
	u := open().NewUpdate()
	form := must[pdf.Ref](t)(d.Form(u, appearance.Frame{Width: box.Width(), Height: box.Height(), Opaque: opaque}))
	widget := u.Add(pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": box.Array(), "AP": pdf.Dict{"N": form}})
	file = append(file, must[*pdf.Tail](t)(u.Build()).Bytes...)
	doc := open()
	c, err := content.NewReader(doc, content.Limits{}).MeasureCoverage(must[*pdf.Page](t)(doc.Page(1)), []pdf.Ref{widget})
	if err != nil {
		t.Fatal(err)
	}
	return c.HiddenShare(box)
}

func TestStrokesAreOneColourWithAMaskOrAStencil(t *testing.T) {
	t.Parallel()
	s := dense(t)
	for _, opaque := range []bool{false, true} {
		file := pdftest.Table(1)
		doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
		u := doc.NewUpdate()
		ref := must[pdf.Ref](t)(appearance.Initials("Budi", s, 100, 50).Form(u, appearance.Frame{Width: 100, Height: 50, Opaque: opaque}))
		form := must[pdf.Object](t)(u.Get(ref)).(*pdf.Stream)
		picture := must[pdf.Object](t)(u.Get(form.Dict["Resources"].(pdf.Dict)["XObject"].(pdf.Dict).Ref("I0"))).(*pdf.Stream)
		stencil, masked := picture.Dict["ImageMask"] == pdf.Object(pdf.Boolean(true)), picture.Dict["SMask"] != nil
		if stencil != opaque || masked == opaque || opaque && picture.Dict["ColorSpace"] != nil {
			t.Errorf("opaque %v: %v", opaque, picture.Dict)
		}
	}
}
