package appearance_test

import (
	"bytes"
	"fmt"
	"log"

	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// A custom "paid" stamp, added to a page as an annotation.
func Example() {
	d := appearance.New(120, 40)
	d.Stroke(appearance.Color{R: 160}, 2, appearance.Rounded(appearance.Inset(d.Bounds(), 1), 6))
	d.Rotated(4, 60, 20, func(d *appearance.Drawing) {
		d.Text(appearance.Inset(d.Bounds(), 6), appearance.TextOptions{MaxSize: 18, Horizontal: appearance.Middle, Vertical: appearance.Middle},
			appearance.Line{Text: "LUNAS", Bold: true, Color: appearance.Color{R: 160}})
	})

	file := pdftest.Table(1)
	document, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	page, err := document.Page(1)
	if err != nil {
		log.Fatal(err)
	}
	rect := page.ToUser(pdf.Rect{LLX: 400, LLY: 700, URX: 520, URY: 740})
	u := document.NewUpdate()
	form, err := d.Form(u, appearance.Frame{Width: rect.Width(), Height: rect.Height(), Rotate: page.Rotate})
	if err != nil {
		log.Fatal(err)
	}
	stamp := u.Add(pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Stamp"), "F": pdf.Integer(4), "Rect": rect.Array(), "AP": pdf.Dict{"N": form},
	})
	if err := u.Append(page.Ref, "Annots", stamp); err != nil {
		log.Fatal(err)
	}
	tail, err := u.Build()
	if err != nil {
		log.Fatal(err)
	}
	file = append(file, tail.Bytes...)

	document, err = pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	shown, err := document.Stream(form)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shown.Dict["BBox"])
	// Output: [0 0 120 40]
}
