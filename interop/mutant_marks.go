package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"

	"segel/pades"
	"segel/pades/appearance"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// rawAppearance is an appearance of 100 by 100 units with that content, the image I of white pixels, and the graphics state G.
type rawAppearance struct {
	content string
	mask    byte // its soft mask, all over; 0: none
	state   pdf.Dict
}

// Form has the box and the filter of the empty appearance whose place it takes, as what our library makes.
func (l rawAppearance) Form(u *pdf.Update, f appearance.Frame) (pdf.Ref, error) {
	image := pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(10), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8),
		"ColorSpace": pdf.Name("DeviceRGB"),
	}
	if l.mask > 0 {
		image["SMask"] = u.Add(&pdf.Stream{Data: bytes.Repeat([]byte{l.mask}, 100), Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(10), "Height": pdf.Integer(10), "BitsPerComponent": pdf.Integer(8),
			"ColorSpace": pdf.Name("DeviceGray"),
		}})
	}
	var content bytes.Buffer
	z := zlib.NewWriter(&content)
	if _, err := fmt.Fprintf(z, "%g 0 0 %g 0 0 cm %s", f.Width/100, f.Height/100, l.content); err != nil {
		return pdf.Ref{}, err
	}
	if err := z.Close(); err != nil {
		return pdf.Ref{}, err
	}
	return u.Add(&pdf.Stream{Data: content.Bytes(), Dict: pdf.Dict{
		"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: f.Width, URY: f.Height}.Array(), "Filter": pdf.Name("FlateDecode"),
		"Resources": pdf.Dict{
			"XObject":   pdf.Dict{"I": u.Add(&pdf.Stream{Data: bytes.Repeat([]byte{255}, 300), Dict: image})},
			"ExtGState": pdf.Dict{"G": l.state},
		},
	}}), nil
}

// writeLargeMarks are files whose last signer laid something over what the first one signed, in fields that waited for it.
func writeLargeMarks(h *pki, dir string) ([]item, error) {
	page := pdf.Rect{URX: 595, URY: 842}
	const picture = "100 0 0 100 0 0 cm /I Do"
	with := func(fields []pades.FieldSpec, marks map[string]pades.Appearance, own pades.Appearance) *testFile {
		p := h.newFile(pdftest.Table(2)).addFields(append(fields, pades.FieldSpec{Name: "A", Page: 1, Rect: box})...).signField("A", rsaPKCS1, withAppearance(box, nil, ""))
		return p.signField("B", ecP256, func(o *pades.Options) { o.Appearance, o.Marks = own, marks })
	}
	signature := func(r pdf.Rect, l rawAppearance) *testFile {
		return with([]pades.FieldSpec{{Name: "B", Page: 1, Rect: r}}, nil, l)
	}
	tiles, marks := []pades.FieldSpec{{Name: "B"}}, map[string]pades.Appearance{}
	for i := range 10 {
		name := fmt.Sprintf("Mark%d", i)
		tiles = append(tiles, pades.FieldSpec{Name: name, Page: 1, Mark: true, Rect: pdf.Rect{LLY: float64(i) * 84, URX: 595, URY: float64(i+1) * 84}})
		marks[name] = rawAppearance{content: "1 g 0 0 100 100 re f"}
	}
	var items []item
	for name, p := range map[string]*testFile{
		"marks-picture.pdf":      signature(page, rawAppearance{content: picture}),
		"marks-masked.pdf":       signature(page, rawAppearance{content: picture, mask: 255}),
		"marks-path.pdf":         signature(page, rawAppearance{content: "1 g 0 0 m 100 0 l 100 100 l 0 100 l f"}),
		"marks-screen.pdf":       signature(page, rawAppearance{content: "/G gs 1 g 0 0 100 100 re f", state: pdf.Dict{"BM": pdf.Name("Screen")}}),
		"marks-tiles.pdf":        with(tiles, marks, nil),
		"marks-small.pdf":        signature(pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760}, rawAppearance{content: picture}), // over text, within the limit
		"marks-seen-through.pdf": signature(page, rawAppearance{content: picture, mask: 20}),
	} {
		if p.err != nil {
			return nil, fmt.Errorf("make %s: %w", name, p.err)
		}
		it := item{name: name, path: filepath.Join(dir, name)}
		if err := os.WriteFile(it.path, p.b, 0o600); err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}
