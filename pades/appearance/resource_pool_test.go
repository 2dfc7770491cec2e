package appearance_test

import (
	"bytes"
	"testing"

	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// addAgain draws on a file that already has the same drawing, and returns how many bytes that adds.
func addAgain(t *testing.T, file []byte, first pdf.Object, d *appearance.Drawing) int {
	t.Helper()
	doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
	u := doc.NewUpdate()
	must[pdf.Ref](t)(d.Form(u, appearance.Frame{Width: 200, Height: 70, Pool: appearance.NewResourcePool(doc, first)}))
	return len(must[*pdf.Tail](t)(u.Build()).Bytes)
}

func TestDrawingsOfOneProcessEmbedTheSameFont(t *testing.T) {
	t.Parallel()
	var first []byte
	for range 3 {
		file := pdftest.Table(1)
		doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{Random: bytes.NewReader(make([]byte, 100))}))
		u := doc.NewUpdate()
		d := appearance.Signature(appearance.SignatureText{Name: "Budi", Time: moment}, 200, 70)
		must[pdf.Ref](t)(d.Form(u, appearance.Frame{Width: 200, Height: 70}))
		tail := must[*pdf.Tail](t)(u.Build()).Bytes
		if first == nil {
			first = tail
		}
		if !bytes.Equal(tail, first) {
			t.Errorf("the same drawing takes %d bytes, and %d when it is drawn again", len(first), len(tail))
		}
	}
}

func TestOnlyEqualResourcesAreShared(t *testing.T) {
	t.Parallel()
	specimen := must[*appearance.Strokes](t)(appearance.ExtractStrokes(picture(t, true, 400, 200)))
	d := appearance.Signature(appearance.SignatureText{Name: "Budi", Time: moment, Specimen: specimen}, 200, 70)
	file := pdftest.Table(1)
	doc := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
	u := doc.NewUpdate()
	form := must[pdf.Ref](t)(d.Form(u, appearance.Frame{Width: 200, Height: 70}))
	tail := must[*pdf.Tail](t)(u.Build())
	file = append(file, tail.Bytes...)
	if n := addAgain(t, file, form, d); n > 2000 {
		t.Errorf("the same again takes %d bytes, once took %d", n, len(tail.Bytes))
	}

	// A font of the same name that shows other letters must not be reused.
	doc = must[*pdf.Document](t)(pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}))
	u = doc.NewUpdate()
	resources := must[*pdf.Stream](t)(doc.Stream(form)).Dict["Resources"].(pdf.Dict)
	for _, o := range resources["Font"].(pdf.Dict) {
		font := must[pdf.Dict](t)(doc.Dict(o))
		descendants := must[pdf.Array](t)(doc.Array(font["DescendantFonts"]))
		descriptor := must[pdf.Dict](t)(doc.Dict(must[pdf.Dict](t)(doc.Dict(descendants[0]))["FontDescriptor"]))
		program := descriptor.Ref("FontFile2")
		data := bytes.Clone(must[[]byte](t)(doc.Decode(must[*pdf.Stream](t)(doc.Stream(program)))))
		data[len(data)/2] ^= 1
		u.Set(program, &pdf.Stream{Dict: pdf.Dict{"Length1": pdf.Integer(len(data))}, Data: data})
	}
	forged := append(bytes.Clone(file), must[*pdf.Tail](t)(u.Build()).Bytes...)
	if n := addAgain(t, forged, form, d); n < 10_000 {
		t.Errorf("forged fonts were shared: %d bytes", n)
	}
}
