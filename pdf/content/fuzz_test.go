package content

import (
	"bytes"
	"fmt"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// FuzzPage follows any content on a page with a form that is itself, a composite font, a type 3 font and layers.
func FuzzPage(f *testing.F) {
	for _, s := range []string{
		"BT /F1 24 Tf 72 720 Td (Seribu) Tj ET",
		"q 1 0 0 1 5 5 cm /OC /L BDC 1 g 0 0 9 9 re f EMC Q",
		"BI /W 1 ID \xff EI 0 0 m 5 5 l S",
		"BT /F1 1 Tf [(a) -3 <62>] TJ 1 2 (x) \" T* (y) ' ET % x\n<</A (\\))>> BDC",
		"1e999 0 0 1 0 0 cm 0 0 9 9 re f",
		"99999999999999999999 0 0 9999999999999999999999 0 0 cm 9999999999999999999 0 m 1 1 l W S 0 0 1 1 re f",
		"<", "(", "/", "<<", "\\", "q q q q Q Q Q Q Q Q", "/X Do /X Do", "BT /F0 9 Tf <00410042> Tj /F3 2 Tf (ab) Tj ET",
		"/Pattern cs /P scn 0 0 99 99 re f /M gs /I Do BT /F3 9 Tf (ab) Tj ET /OC /V BDC 0 0 9 9 re f EMC",
		"BT 3 Tr /F1 9 Tf .7 .7 -.7 .7 9 9 Tm (miring) Tj -1 0 0 1 0 0 Tm (cermin) Tj ET",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file := newOddFile(b)
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Skip()
		}
		page, err := d.Page(1)
		if err != nil {
			t.Skip()
		}
		var marks []Mark
		l := Limits{Bytes: 1 << 20, Operators: 20_000, Marks: 2_000}
		deep := NewDeepReader(d, l)
		for _, r := range []*Reader{deep, NewReader(d, l)} {
			marks, err = r.PageMarks(page)
			if len(marks) > l.Marks {
				t.Errorf("%d marks", len(marks))
			}
			for _, m := range marks {
				if !isPlausible(m.Box) || m.Kind == 0 || m.Views&^allViews != 0 || m.Hidden == "" && m.Views&Screen == 0 {
					t.Errorf("%+v", m)
				}
			}
		}
		for _, f := range deep.UsedFonts() {
			if len(f.Pages) != 1 || f.Pages[0] != 1 || f.Dict == nil {
				t.Errorf("%+v", f)
			}
		}
		if c := (&contentLexer{b: b}); err == nil {
			for n := 0; c.nextOperator() != nil; n++ {
				if n > len(b) {
					t.Fatal("more operators than bytes")
				}
			}
		}
	})
}

// FuzzCover covers a page with an appearance of any content, which has an image with any samples and masks.
func FuzzCover(f *testing.F) {
	for _, s := range []string{
		"1 g 0 0 300 300 re f", "/G gs 0 0 m 9 9 l 300 0 l h f*", "300 0 0 300 0 0 cm /I Do", "/J Do", "1e30 w 0 0 m 1e300 5 l S",
		"2 Tr 30 w BT /F1 200 Tf (x) Tj ET", "0 0 0 0 0 0 cm /I Do 0 0 1 1 re f", "9 9 9 9 9 9 c 1 2 3 4 v 5 6 7 8 y h B*",
	} {
		f.Add([]byte(s), []byte{0, 255, 7, 80}, uint8(2), uint8(2), uint8(8), uint8(1))
	}
	f.Fuzz(func(t *testing.T, b, samples []byte, width, height, bits, mask uint8) {
		image := &pdf.Stream{Data: samples, Dict: pdf.Dict{
			"Subtype": pdf.Name("Image"), "Width": pdf.Integer(width), "Height": pdf.Integer(height), "BitsPerComponent": pdf.Integer(bits), "ColorSpace": pdf.Name("DeviceGray"),
		}}
		switch copied := *image; mask % 5 {
		case 1:
			image.Dict["ImageMask"] = pdf.Boolean(true)
		case 2:
			copied.Dict = pdf.Dict{"Width": pdf.Integer(height), "Height": pdf.Integer(width), "BitsPerComponent": pdf.Integer(bits), "Decode": pdf.Array{pdf.Integer(1), pdf.Integer(0)}}
			image.Dict["SMask"] = &copied
		case 3:
			image.Dict["Mask"] = pdf.Array{pdf.Integer(mask), pdf.Integer(255)}
		case 4:
			image.Dict["Filter"] = pdf.Name("DCTDecode")
		}
		file := newOddFile(b)
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Skip()
		}
		page, err := d.Page(1)
		if err != nil {
			t.Skip()
		}
		u := d.NewUpdate()
		if mask, ok := image.Dict["SMask"].(*pdf.Stream); ok {
			image.Dict["SMask"] = u.Add(mask)
		}
		form := u.Add(&pdf.Stream{Data: b, Dict: pdf.Dict{
			"Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 300, URY: 300}.Array(),
			"Resources": pdf.Dict{"XObject": pdf.Dict{"I": u.Add(image)}, "ExtGState": pdf.Dict{"G": pdf.Dict{"ca": pdf.Real(.5), "BM": pdf.Name("Multiply")}}},
		}})
		widget := u.Add(pdf.Dict{"Subtype": pdf.Name("Widget"), "Rect": pdf.Rect{URX: 600, URY: 800}.Array(), "AP": pdf.Dict{"N": form}})
		tail, err := u.Build()
		if err != nil {
			t.Skip()
		}
		file = append(file, tail.Bytes...)
		if d, err = pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{}); err != nil {
			t.Skip()
		}
		c, err := NewReader(d, Limits{Bytes: 1 << 20, Operators: 20_000, Marks: 2_000}).MeasureCoverage(page, []pdf.Ref{widget})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range c.opaque {
			if !(v >= 0 && v <= 1.001) {
				t.Fatalf("cell %d is covered by %g", i, v)
			}
		}
		if share := c.HiddenShare(pdf.Rect{URX: 500, URY: 700}); !(share >= 0 && share <= 1) {
			t.Errorf("%g of the page", share)
		}
	})
}

// FuzzCMap reads any character map.
func FuzzCMap(f *testing.F) {
	for _, s := range []string{
		"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <0041> endbfchar",
		"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0000> <ffff> <0000> endbfrange",
		"1 beginbfrange <01> <03> [<0041> <0042> <d83d>] endbfrange", "1 begincidrange <00> <ffffffff> 16777215 endcidrange /WMode 1 def", "[[[ endbfrange",
	} {
		f.Add([]byte(s), []byte("AB\x00\x01"))
	}
	f.Fuzz(func(t *testing.T, b, s []byte) {
		m := parseCMap(b)
		for len(s) > 0 {
			c, n := m.nextCode(s)
			if n < 1 || n > len(s) {
				t.Fatalf("%d bytes of %d", n, len(s))
			}
			m.cidOf(c)
			m.textOf(c)
			s = s[n:]
		}
	})
}

// newOddFile is a file of one page with that content, and with everything around it that content could use.
func newOddFile(operators []byte) []byte {
	file := pdftest.Pages(pdftest.Page{CropBox: [4]float64{10, 20, 500, 700}, Rotate: 90})
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		return nil
	}
	u := d.NewUpdate()
	page, err := d.Page(1)
	if err != nil {
		return nil
	}
	dict, err := u.Edit(page.Ref)
	if err != nil {
		return nil
	}
	form, pattern, picture := u.Reserve(), u.Reserve(), u.Reserve()
	layer := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L")})
	printed := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("P"), "Usage": pdf.Dict{"Print": pdf.Dict{"PrintState": pdf.Name("OFF")}}})
	names := func(n ...pdf.Object) pdf.Array { return n }
	resources := pdf.Dict{
		"XObject":    pdf.Dict{"X": form, "I": picture},
		"Pattern":    pdf.Dict{"P": pattern},
		"Properties": pdf.Dict{"L": layer, "V": pdf.Dict{"VE": names(pdf.Name("Or"), layer, names(pdf.Name("Not"), printed))}},
		"ExtGState": pdf.Dict{
			"G": pdf.Dict{"ca": pdf.Integer(0), "LW": pdf.Integer(3)}, "M": pdf.Dict{"SMask": pdf.Dict{"S": pdf.Name("Luminosity"), "G": form}},
		},
		"Font": pdf.Dict{
			"F1": pdf.Ref{Number: pdftest.FontNumber},
			"F0": pdf.Dict{
				"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "Encoding": pdf.Name("Identity-V"),
				"DescendantFonts": names(pdf.Dict{"W": names(pdf.Integer(65), names(pdf.Integer(500)), pdf.Integer(70), pdf.Integer(90), pdf.Integer(700))}),
			},
			"F3": pdf.Dict{
				"Subtype": pdf.Name("Type3"), "FontMatrix": names(pdf.Real(.01), pdf.Integer(0), pdf.Integer(0), pdf.Real(.01), pdf.Integer(0), pdf.Integer(0)),
				"FontBBox": names(pdf.Integer(0), pdf.Integer(0), pdf.Integer(0), pdf.Integer(0)), "FirstChar": pdf.Integer(97), "Widths": names(pdf.Integer(80)),
				"Encoding":  pdf.Dict{"Differences": names(pdf.Integer(97), pdf.Name("a"), pdf.Name("b"))},
				"CharProcs": pdf.Dict{"a": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("80 0 0 -10 70 90 d1 0 0 70 90 re f")}), "b": u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: operators})},
			},
		},
	}
	stream := &pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 300, URY: 300}.Array(), "Resources": resources}, Data: operators}
	u.Set(form, stream)
	u.Set(pattern, &pdf.Stream{Dict: pdf.Dict{"PatternType": pdf.Integer(1), "Resources": resources}, Data: operators})
	u.Set(picture, &pdf.Stream{
		Dict: pdf.Dict{"Subtype": pdf.Name("Image"), "OC": layer, "Alternates": names(pdf.Dict{"Image": form, "DefaultForPrinting": pdf.Boolean(true)})}, Data: operators,
	})
	dict["Contents"], dict["Resources"] = form, resources
	dict["Annots"] = names(u.Add(pdf.Dict{
		"Subtype": pdf.Name("Widget"), "FT": pdf.Name("Sig"), "Rect": pdf.Rect{LLX: 50, LLY: 50, URX: 100, URY: 100}.Array(), "AP": pdf.Dict{"N": form},
	}))
	root, _, err := d.Root()
	if err != nil {
		return nil
	}
	catalog, err := u.Edit(root)
	if err != nil {
		return nil
	}
	catalog["OCProperties"] = pdf.Dict{"OCGs": names(layer, printed), "D": pdf.Dict{"OFF": names(layer)}}
	tail, err := u.Build()
	if err != nil {
		panic(fmt.Sprintf("the fuzz file cannot be built: %v", err)) // of objects that are all written above
	}
	return append(file, tail.Bytes...)
}

// FuzzAppearance reads any content as the appearance of a widget.
func FuzzAppearance(f *testing.F) {
	for _, s := range []string{
		"/Tx BMC q 1 1 98 18 re W n BT /F1 12 Tf 0 g 2 5 Td (Seribu) Tj ET Q EMC", "BT /F0 9 Tf <00410042> Tj /F3 2 Tf (ab) Tj /F9 1 Tf (x) Tj ET",
		"/P cs /X scn 0 0 m 9 9 l 5 5 5 5 5 5 c h W n /G gs 0 0 1 1 re B", "/X Do 7 Tr BT (a) Tj", "1e30 0 0 1e30 0 0 cm BT /F1 1e30 Tf (a) Tj",
		"-1 0 0 -1 0 0 cm BT /F1 9 Tf -100 Tz (a) Tj ET", "0 0 0 0 0 0 cm 0 0 m 1 1 l S", "BI ID x EI /S sh",
	} {
		f.Add([]byte(s), 90)
	}
	f.Fuzz(func(t *testing.T, b []byte, turn int) {
		file := newOddFile(b)
		d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
		if err != nil {
			t.Skip()
		}
		page, err := d.Page(1)
		if err != nil {
			t.Skip()
		}
		st, err := d.Stream(page.Dict["Contents"])
		if err != nil {
			t.Skip()
		}
		l := Limits{Bytes: 1 << 20, Operators: 20_000, Marks: 2_000}
		a, err := NewReader(d, l).ReadAppearance(st, pdf.Rect{LLX: 50, LLY: 50, URX: 100, URY: 100}, turn)
		if a == nil || len(a.Glyphs) > l.Marks || len(a.Paths) > l.Marks {
			t.Fatalf("%+v, %v", a, err)
		}
		for _, g := range a.Glyphs {
			if !isPlausible(g.Box) || g.Font >= len(a.Fonts) || !(g.VisibleShare >= 0 && g.VisibleShare < 1.01) {
				t.Errorf("%+v", g)
			}
		}
	})
}
