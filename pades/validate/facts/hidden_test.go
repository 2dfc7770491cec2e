package facts_test

import (
	"fmt"
	"testing"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// prepared is a file of one page with that content, further objects and entries, signed.
func prepared(t *testing.T, content string, edit func(u *pdf.Update, catalog, page pdf.Dict)) *facts.File {
	t.Helper()
	p := on(t, pdftest.Table(1)).update(func(_ *pdf.Document, u *pdf.Update) {
		u.Set(pdf.Ref{Number: contents}, &pdf.Stream{Dict: pdf.Dict{}, Data: []byte(content)})
		if edit != nil {
			edit(u, must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: catalog})), must[pdf.Dict](t)(u.Edit(pdf.Ref{Number: paintedPage})))
		}
	})
	f := runSteps(t, p.fields(pades.FieldSpec{Name: "A", Page: 1, Rect: boxA}).sign("A", shown).b)
	wantIntact(t, f, "A")
	return f
}

func TestHiddenContentIsWarnedOf(t *testing.T) {
	t.Parallel()
	const text = "BT /F1 24 Tf 72 720 Td (Seribu rupiah) Tj ET "
	layer := func(off bool) func(u *pdf.Update, catalog, page pdf.Dict) {
		return func(u *pdf.Update, catalog, page pdf.Dict) {
			group := u.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("Rahasia")})
			config := pdf.Dict{}
			if off {
				config["OFF"] = pdf.Array{group}
			}
			catalog["OCProperties"] = pdf.Dict{"OCGs": pdf.Array{group}, "D": config}
			page["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": pdf.Ref{Number: font}}, "Properties": pdf.Dict{"L": group}}
		}
	}
	picture := func(opaque bool) func(u *pdf.Update, _, page pdf.Dict) {
		return func(u *pdf.Update, _, page pdf.Dict) {
			d := pdf.Dict{
				"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1),
				"ColorSpace": pdf.Name("DeviceGray"), "BitsPerComponent": pdf.Integer(8),
			}
			if !opaque {
				d["SMask"] = u.Add(&pdf.Stream{Dict: pdf.Clone(d).(pdf.Dict), Data: []byte{0}})
			}
			page["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": pdf.Ref{Number: font}}, "XObject": pdf.Dict{"I": u.Add(&pdf.Stream{Dict: d, Data: []byte{255}})}}
		}
	}
	clear := func(u *pdf.Update, _, page pdf.Dict) {
		page["Resources"] = pdf.Dict{"Font": pdf.Dict{"F1": pdf.Ref{Number: font}}, "ExtGState": pdf.Dict{"N": pdf.Dict{"ca": pdf.Integer(0)}, "H": pdf.Dict{"ca": pdf.Real(.5)}}}
	}
	over := func(kind pdf.Name, look string, flags pdf.Integer) func(u *pdf.Update, _, page pdf.Dict) {
		return func(u *pdf.Update, _, page pdf.Dict) {
			page["Annots"] = pdf.Array{u.Add(pdf.Dict{
				"Type": pdf.Name("Annot"), "Subtype": kind, "Rect": pdf.Rect{LLX: 60, LLY: 700, URX: 400, URY: 760}.Array(), "F": flags,
				"AP": pdf.Dict{"N": u.Add(&pdf.Stream{
					Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "BBox": pdf.Rect{URX: 10, URY: 10}.Array()}, Data: []byte(look),
				})},
			})}
		}
	}
	for _, c := range []struct {
		name, content string
		edit          func(u *pdf.Update, catalog, page pdf.Dict)
		want          facts.WarningCode // empty: none of these
	}{
		{"plain", text, nil, ""},
		{"under a white area", text + "1 g 60 700 400 60 re f", nil, facts.WarnCoveredText},
		{"over a white area", "1 g 60 700 400 60 re f 0 g " + text, nil, ""},
		{"beside an area", text + "1 g 60 100 400 60 re f", nil, ""},
		{"under a picture", text + "q 400 0 0 60 60 700 cm /I Do Q", picture(true), facts.WarnCoveredText},
		{"under a picture that can be seen through", text + "q 400 0 0 60 60 700 cm /I Do Q", picture(false), ""},
		{"under an inline picture", text + "q 400 0 0 60 60 700 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q", nil, facts.WarnCoveredText},
		{"under a stamp", text, over("Stamp", "1 g 0 0 10 10 re f", 4), facts.WarnCoveredText},
		{"under an empty stamp", text, over("Stamp", "q Q", 4), ""},
		{"under a stamp that is printed and not viewed", text, over("Stamp", "1 g 0 0 10 10 re f", 4|32), facts.WarnCoveredText},
		{"under a stamp that is hidden", text, over("Stamp", "1 g 0 0 10 10 re f", 2|4), ""},
		{"in a stamp, white", text, over("Stamp", "1 g BT /F1 5 Tf 1 1 Td (Sejuta) Tj ET", 4), facts.WarnInvisibleText},
		{"in a stamp that is hidden, white", text, over("Stamp", "1 g BT /F1 5 Tf 1 1 Td (Sejuta) Tj ET", 2), ""},
		{"white on white", "1 g 60 700 400 60 re f " + text, nil, facts.WarnInvisibleText},
		{"white, outside of the page", "1 g BT /F1 24 Tf 72 -100 Td (Seribu) Tj ET", nil, ""},
		{"invisible, outside of the page", "BT 3 Tr /F1 24 Tf 72 -100 Td (Seribu) Tj ET", nil, facts.WarnInvisibleText},
		{"under the signature", "BT /F1 6 Tf " + fmt.Sprint(boxA.LLX+5, " ", boxA.LLY+5) + " Td (A) Tj ET", nil, ""},
		{"in what cannot be decoded", "", func(u *pdf.Update, _, page pdf.Dict) {
			page["Contents"] = u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("CCITTFaxDecode")}, Data: []byte("x")})
		}, facts.WarnNotExamined},
		{"in a font that is not there", "BT /F9 24 Tf 72 720 Td (Seribu) Tj ET", nil, ""},
		{"without opacity", "/N gs " + text, clear, facts.WarnInvisibleText},
		{"under an area that is seen through", text + "/H gs 1 g 60 700 400 60 re f", clear, ""},
		{"under a frame", text + "60 700 400 60 re S", nil, ""},
		{"under an area that is clipped to elsewhere", text + "60 100 400 60 re W n 1 g 60 700 400 60 re f", nil, ""},
		{"without colorants", "0 0 0 0 k " + text, nil, facts.WarnInvisibleText},
		{"drawn in white lines", "1 G 1 Tr " + text, nil, facts.WarnInvisibleText},
		{"invisible", "BT 3 Tr /F1 24 Tf 72 720 Td (Seribu) Tj ET", nil, facts.WarnInvisibleText},
		{"without size", "BT /F1 0.1 Tf 72 720 Td (Seribu) Tj ET", nil, facts.WarnInvisibleText},
		{"white", "1 1 1 rg " + text, nil, facts.WarnInvisibleText},
		{"white on black", "0 g 60 700 400 60 re f 1 1 1 rg " + text, nil, ""},
		{"in a layer that is off", "/OC /L BDC " + text + "EMC", layer(true), facts.WarnHiddenLayer},
		{"in a layer that is on", "/OC /L BDC " + text + "EMC", layer(false), ""},
		{"a spare page", text, func(u *pdf.Update, _, _ pdf.Dict) {
			u.Add(pdf.Dict{"Type": pdf.Name("Page"), "Parent": pdf.Ref{Number: pages}, "Contents": u.Add(words("Sejuta"))})
		}, facts.WarnSpareContent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := prepared(t, c.content, c.edit)
			if c.want == "" && len(f.Warnings) > 0 || c.want != "" && !warned(f, c.want) {
				t.Errorf("warnings %+v, want %q", f.Warnings, c.want)
			}
		})
	}
}

func TestKeyThatTheSignedFileStatesTwiceIsWarnedOf(t *testing.T) {
	t.Parallel()
	sign := func(entries string) *facts.File {
		b := section{objects: map[int]string{
			paintedPage: "<< /Type /Page /Parent 2 0 R /Contents 6 0 R " + entries + " >>", 60: stated("q Q"),
		}}.append(t, pdftest.Table(2))
		return runSteps(t, on(t, b).fields(pades.FieldSpec{Name: "A", Page: 2, Rect: boxA}).sign("A").b)
	}
	if f := sign("/Contents 60 0 R"); !warned(f, facts.WarnTwofold) {
		t.Errorf("%s%+v", summary(f), f.Warnings)
	}
	if f := sign(""); warned(f, facts.WarnTwofold) {
		t.Errorf("%s%+v", summary(f), f.Warnings)
	}
}

func TestSignatureThatWasTakenOutOfItsFieldIsWarnedOf(t *testing.T) {
	t.Parallel()
	b := field("A", func(_ *pdf.Update, f pdf.Dict) { delete(f, "V") })(t, signedTable(t))
	f := runSteps(t, b)
	if len(f.Signatures) > 0 || !warned(f, facts.WarnLooseSignature) {
		t.Errorf("%s%+v", summary(f), f.Warnings)
	}
}
