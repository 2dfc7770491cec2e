package formtest

import (
	"fmt"
	"maps"

	"segel/pdf"
)

var wide, tall = pdf.Rect{URX: 200, URY: 20}, pdf.Rect{URX: 200, URY: 48}

// Attacks lists manipulations that make a form show something that was not signed. All must be denied.
func Attacks() []Case {
	var all []Case
	for _, group := range [][]Case{sameValueAttacks(), preparedAttacks(), extraContentAttacks(), replacedTextAttacks(), fontAttacks(), glyphPlacementAttacks(), choiceAttacks(), buttonAttacks(), fieldAttacks()} {
		all = append(all, group...)
	}
	for i := range all {
		all[i].Want = Denied
	}
	return all
}

// sameValueAttacks change what a field shows and keep its value.
func sameValueAttacks() []Case {
	name := func(edit func(f *Filler, w pdf.Dict)) func(*Filler) {
		return func(f *Filler) { edit(f, f.Field("name")) }
	}
	return []Case{
		{Name: "replace", Fill: name(func(f *Filler, w pdf.Dict) { f.SetAppearance(w, lineContent(wide, "Penyerang")) })},
		{Name: "replace-in-place", Fill: name(func(f *Filler, w pdf.Dict) { fillPDFBox(f, w, "Penyerang") })},
		{Name: "replace-what-shows-no-value", Prepare: name(func(f *Filler, w pdf.Dict) { f.SetAppearance(w, lineContent(wide, "Organisasi Kesehatan Dunia")) }),
			Fill: name(func(f *Filler, w pdf.Dict) { f.SetAppearance(w, lineContent(wide, "Siti Rahayu")) })},
		{Name: "remove", Fill: name(func(_ *Filler, w pdf.Dict) { delete(w, "AP") })},
		{Name: "remove-normal", Fill: name(func(f *Filler, w pdf.Dict) {
			w["AP"] = pdf.Dict{"D": f.U.Add(newAppearance(wide, f.usualResources(), "")), "N": pdf.Null{}}
		})},
		{Name: "empty", Fill: name(func(f *Filler, w pdf.Dict) { f.SetAppearance(w, "") })},
		{Name: "under-the-mouse", Fill: name(func(f *Filler, w pdf.Dict) {
			looks, _ := f.D.Dict(w["AP"])
			w["AP"] = pdf.Dict{"N": looks["N"], "R": f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Penyerang")))}
		})},
		{Name: "larger-box", Fill: name(func(f *Filler, w pdf.Dict) {
			f.SetAppearance(w, lineContent(wide, "Siti Rahayu")).Dict["BBox"] = pdf.Rect{LLX: 20, URX: 220, URY: 20}.Array()
		})},
		{Name: "other-matrix", Fill: name(func(f *Filler, w pdf.Dict) {
			f.SetAppearance(w, lineContent(wide, "Siti Rahayu")).Dict["Matrix"] = pdf.Array{pdf.Integer(-1), pdf.Integer(0), pdf.Integer(0), pdf.Integer(1), pdf.Integer(200), pdf.Integer(0)}
		})},
		{Name: "shows-something-without-a-value", Fill: func(f *Filler) { f.SetAppearance(f.Field("city"), lineContent(wide, "Lunas")) }},
		{Name: "appears-without-a-value", Fill: func(f *Filler) { f.SetAppearance(f.Field("bare"), lineContent(wide, "Lunas")) }},
		{Name: "appears-with-another-text", Prepare: func(f *Filler) { f.Field("bare")["V"] = pdf.TextString("Seribu") },
			Fill: func(f *Filler) { f.SetAppearance(f.Field("bare"), lineContent(wide, "Sejuta")) }},
		{Name: "choice-appearance", Fill: func(f *Filler) { f.SetAppearance(f.Field("status"), lineContent(wide, "Cerai")) }},
		{Name: "rich-text-alone", Prepare: func(f *Filler) { f.Field("rich")["V"] = pdf.TextString("Seribu") },
			Fill: func(f *Filler) { f.Field("rich")["RV"] = pdf.TextString("<body><p>Sejuta</p></body>") }},
	}
}

// shadowCase is a case in which the author prepares an object and exchanges it after the form is signed. Prepare gets
// the field "name" and returns that object.
func shadowCase(name string, prepare func(f *Filler, w pdf.Dict) pdf.Ref, exchange func(f *Filler, part pdf.Ref)) Case {
	var part pdf.Ref
	return Case{
		Name:    name,
		Prepare: func(f *Filler) { part = prepare(f, f.Field("name")) },
		Fill:    func(f *Filler) { exchange(f, part) },
	}
}

// preparedAttacks change what an appearance is drawn with, as its author prepared it.
func preparedAttacks() []Case {
	twoStates := func(f *Filler) {
		w := f.Field("name")
		w["AP"] = pdf.Dict{"N": pdf.Dict{"A": f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Siti Rahayu"))), "B": f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Penyerang")))}}
		w["AS"] = pdf.Name("A")
	}
	return []Case{
		shadowCase("nested-form", func(f *Filler, w pdf.Dict) pdf.Ref {
			part := f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Siti Rahayu")))
			f.SetAppearanceIn(w, pdf.Dict{"XObject": pdf.Dict{"N": part}}, "/N Do")
			return part
		}, func(f *Filler, part pdf.Ref) {
			f.U.Set(part, newAppearance(wide, f.usualResources(), lineContent(wide, "Penyerang")))
		}),
		shadowCase("font-object", func(f *Filler, w pdf.Dict) pdf.Ref {
			part := f.U.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica")})
			f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"Helv": part}}, lineContent(wide, "Siti Rahayu"))
			return part
		}, func(f *Filler, part pdf.Ref) {
			f.U.Set(part, pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
		}),
		shadowCase("resources-object", func(f *Filler, w pdf.Dict) pdf.Ref {
			part := f.U.Add(f.usualResources())
			f.SetAppearance(w, lineContent(wide, "Siti Rahayu")).Dict["Resources"] = part
			return part
		}, func(f *Filler, part pdf.Ref) { f.U.Set(part, pdf.Dict{"Font": pdf.Dict{"Helv": f.Font("ZaDb")}}) }),
		shadowCase("appearance-dictionary", func(f *Filler, w pdf.Dict) pdf.Ref {
			part := f.U.Add(w["AP"])
			w["AP"] = part
			return part
		}, func(f *Filler, part pdf.Ref) {
			f.U.Set(part, pdf.Dict{"N": f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Penyerang")))})
		}),
		shadowCase("appearance-of-two-fields", func(f *Filler, w pdf.Dict) pdf.Ref {
			part := f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Sama")))
			for _, w := range []pdf.Dict{w, f.Field("city")} {
				w["V"], w["AP"] = pdf.TextString("Sama"), pdf.Dict{"N": part}
			}
			return part
		}, func(f *Filler, part pdf.Ref) {
			f.Field("name")["V"] = pdf.TextString("Lain")
			f.U.Set(part, newAppearance(wide, f.usualResources(), lineContent(wide, "Lain")))
		}),
		shadowCase("appearance-of-a-page", func(f *Filler, w pdf.Dict) pdf.Ref {
			part := f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "Siti Rahayu")))
			w["AP"] = pdf.Dict{"N": part}
			page, err := f.D.Page(1)
			if err != nil {
				f.Err = err
				return part
			}
			dict := f.Edit(page.Ref)
			dict["Resources"] = pdf.Dict{"XObject": pdf.Dict{"X": part}, "Font": pdf.Dict{"F1": f.Font("Helv")}}
			return part
		}, func(f *Filler, part pdf.Ref) {
			f.Field("name")["V"] = pdf.TextString("Lain")
			f.U.Set(part, newAppearance(wide, f.usualResources(), lineContent(wide, "Lain")))
		}),
		{Name: "state-of-a-text-field", Prepare: twoStates, Fill: func(f *Filler) { f.Field("name")["AS"] = pdf.Name("B") }},
		{Name: "state-with-the-value", Prepare: twoStates, Fill: func(f *Filler) {
			w := f.Field("name")
			w["V"], w["AS"] = pdf.TextString("Penyerang"), pdf.Name("B")
		}},
		{Name: "redrawn-by-readers-replace", Prepare: func(f *Filler) { f.Form()["NeedAppearances"] = pdf.Boolean(true) },
			Fill: func(f *Filler) { f.SetAppearance(f.Field("name"), lineContent(wide, "Penyerang")) }},
		{Name: "redrawn-by-readers-another", Prepare: func(f *Filler) { f.Form()["NeedAppearances"] = pdf.Boolean(true) },
			Fill: fillWith("name", "Agus", lineContent(wide, "Lunas"))},
	}
}

// refillName sets the value of the field "name", with an appearance that does not show it.
func refillName(content string) func(*Filler) { return fillWith("name", "1000", content) }

// extraContentAttacks show the value and something else.
func extraContentAttacks() []Case {
	value := lineContent(wide, "1000")
	image := func(f *Filler) pdf.Ref {
		return f.U.Add(&pdf.Stream{Dict: pdf.Dict{"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Image"), "Width": pdf.Integer(1), "Height": pdf.Integer(1), "ColorSpace": pdf.Name("DeviceGray"), "BitsPerComponent": pdf.Integer(8)}, Data: []byte{0}})
	}
	in := func(resources func(*Filler) pdf.Dict, content string) func(*Filler) {
		return fillWithResources("name", "1000", func(f *Filler) pdf.Dict {
			all := f.usualResources()
			maps.Copy(all, resources(f))
			return all
		}, content)
	}
	return []Case{
		{Name: "and-a-paragraph", Fill: refillName("BT /Helv 8 Tf 2 12 Td (1000) Tj 0 -9 Td (dan segala harta saya) Tj ET")},
		{Name: "and-a-word", Fill: refillName(lineContent(wide, "1000 lunas"))},
		{Name: "twice", Fill: refillName(lineContent(wide, "1000 1000"))},
		{Name: "tiny-and-another", Fill: refillName("BT /Helv 0.1 Tf 2 5 Td (1000) Tj ET BT /Helv 12 Tf 10 5 Td (9000) Tj ET")},
		{Name: "small-and-another", Fill: refillName("BT /Helv 2 Tf 2 5 Td (1000) Tj ET BT /Helv 12 Tf 10 5 Td (9000) Tj ET")},
		{Name: "white-and-another", Fill: refillName("BT 1 g /Helv 12 Tf 2 5 Td (1000) Tj ET BT 0 g /Helv 12 Tf 2 5 Td (9000) Tj ET")},
		{Name: "invisible-and-another", Fill: refillName("BT 3 Tr /Helv 12 Tf 2 5 Td (1000) Tj ET BT 0 Tr /Helv 12 Tf 2 5 Td (9000) Tj ET")},
		{Name: "outside-and-another", Fill: refillName("BT /Helv 12 Tf 2 55 Td (1000) Tj ET BT /Helv 12 Tf 2 5 Td (9000) Tj ET")},
		{Name: "and-an-image", Fill: in(func(f *Filler) pdf.Dict { return pdf.Dict{"XObject": pdf.Dict{"I": image(f)}} }, value+"q 100 0 0 18 90 1 cm /I Do Q")},
		{Name: "and-an-inline-image", Fill: refillName(value + "q 100 0 0 18 90 1 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q")},
		{Name: "and-a-shading", Fill: in(func(*Filler) pdf.Dict {
			return pdf.Dict{"Shading": pdf.Dict{"S": pdf.Dict{"ShadingType": pdf.Integer(2), "ColorSpace": pdf.Name("DeviceGray"), "Coords": pdf.Rect{URX: 200}.Array(),
				"Function": pdf.Dict{"FunctionType": pdf.Integer(2), "Domain": pdf.Array{pdf.Integer(0), pdf.Integer(1)}, "N": pdf.Integer(1)}}}}
		}, "/S sh "+value)},
		{Name: "and-drawn-letters", Fill: refillName(value + "100 2 m 104 16 l 108 2 l 112 16 l 116 2 l 118 2 l 112 18 l 108 5 l 104 18 l 98 2 l f")},
		{Name: "and-letters-of-areas", Fill: refillName(value + "100 2 2 14 re 100 14 8 2 re 100 8 6 2 re f")},
		{Name: "and-letters-of-lines", Fill: refillName(value + "2 w 100 2 m 100 16 l 110 2 m 110 16 l 100 9 m 110 9 l S")},
		{Name: "through-a-clip-of-letters", Fill: refillName("q 100 2 m 104 16 l 108 2 l h W n 0 0 200 20 re f Q " + value)},
		{Name: "through-clipping-text", Fill: refillName("BT /Helv 12 Tf 7 Tr 2 5 Td (9000) Tj ET 0 0 200 20 re f")},
		{Name: "in-a-layer", Fill: in(func(f *Filler) pdf.Dict {
			return pdf.Dict{"Properties": pdf.Dict{"L": f.U.Add(pdf.Dict{"Type": pdf.Name("OCG"), "Name": pdf.TextString("L")})}}
		}, "/OC /L BDC "+value+"EMC")},
		{Name: "in-a-nested-form", Fill: in(func(f *Filler) pdf.Dict {
			return pdf.Dict{"XObject": pdf.Dict{"N": f.U.Add(newAppearance(wide, f.usualResources(), "BT /Helv 12 Tf 90 5 Td (lunas) Tj ET"))}}
		}, value+"/N Do")},
	}
}

// replacedTextAttacks show another text than the value, or hide it.
func replacedTextAttacks() []Case {
	with := func(category, name pdf.Name, value pdf.Object, content string) func(*Filler) {
		return fillWithResources("name", "1000", func(f *Filler) pdf.Dict {
			all := f.usualResources()
			all[category] = pdf.Dict{name: value}
			return all
		}, content)
	}
	gs := func(state pdf.Dict) func(*Filler) {
		return with("ExtGState", "G", state, "/G gs "+lineContent(wide, "1000"))
	}
	return []Case{
		{Name: "another-text", Fill: refillName(lineContent(wide, "9000"))},
		{Name: "nothing", Fill: refillName("/Tx BMC EMC")},
		{Name: "former-text", Fill: func(f *Filler) { f.Field("name")["V"] = pdf.TextString("1000") }},
		{Name: "former-text-of-a-value-removed", Fill: func(f *Filler) { delete(f.Field("name"), "V") }},
		{Name: "part-of-it", Fill: fillWith("name", "Saya tidak setuju", lineContent(wide, "Saya setuju"))},
		{Name: "beginning-alone", Fill: fillWith("name", "Setuju, tetapi tidak sekarang", lineContent(wide, "Setuju"))},
		{Name: "end-alone", Fill: fillWith("name", "Tidak setuju", "BT /Helv 12 Tf -32 5 Td (Tidak setuju) Tj ET")},
		{Name: "beginning-within-a-clip", Fill: fillWith("name", "Setuju tidak", "0 0 40 20 re W n BT /Helv 12 Tf 2 5 Td (Setuju tidak) Tj ET")},
		{Name: "first-lines-alone", Fill: fillWith("note", "Setuju\nsama sekali tidak", "0 34 200 14 re W n BT /Helv 10 Tf 2 36 Td (Setuju) Tj 0 -11.56 Td (sama sekali tidak) Tj ET")},
		{Name: "tiny", Fill: refillName("BT /Helv 1.5 Tf 2 5 Td (1000) Tj ET")},
		{Name: "white", Fill: refillName("BT 1 g /Helv 12 Tf 2 5 Td (1000) Tj ET")},
		{Name: "nearly-white", Fill: refillName("BT 0.93 g /Helv 12 Tf 2 5 Td (1000) Tj ET")},
		{Name: "black-on-black", Fill: refillName("0 g 0 0 200 20 re f BT 0 g /Helv 12 Tf 2 5 Td (1000) Tj ET")},
		{Name: "invisible", Fill: refillName("BT 3 Tr /Helv 12 Tf 2 5 Td (1000) Tj ET")},
		{Name: "outside", Fill: refillName("BT /Helv 12 Tf 2 55 Td (1000) Tj ET")},
		{Name: "painted-over", Fill: refillName(lineContent(wide, "1000") + "1 g 0 0 200 20 re f")},
		{Name: "transparent", Fill: gs(pdf.Dict{"ca": pdf.Integer(0)})},
		{Name: "masked", Fill: gs(pdf.Dict{"SMask": pdf.Dict{"S": pdf.Name("Alpha")}})},
		{Name: "transferred", Fill: gs(pdf.Dict{"TR": pdf.Dict{"FunctionType": pdf.Integer(2), "Domain": pdf.Array{pdf.Integer(0), pdf.Integer(1)}, "C0": pdf.Array{pdf.Integer(1)}, "C1": pdf.Array{pdf.Integer(1)}, "N": pdf.Integer(1)}})},
		{Name: "in-no-ink", Fill: with("ColorSpace", "P", pdf.Array{
			pdf.Name("Separation"), pdf.Name("None"), pdf.Name("DeviceGray"),
			pdf.Dict{"FunctionType": pdf.Integer(2), "Domain": pdf.Array{pdf.Integer(0), pdf.Integer(1)}, "N": pdf.Integer(1)},
		}, "/P cs 1 scn BT /Helv 12 Tf 2 5 Td (1000) Tj ET")},
		{Name: "comb-other-order", Fill: fillWith("nik", "1234", combContent(wide, "4321", 8))},
		{Name: "password-another", Fill: fillWith("pin", "rahasia", lineContent(wide, "lunas"))},
		{Name: "number-another", Fill: fillWith("amount", "1000", lineContent(wide, "Rp 9,000.00"))},
		{Name: "number-with-words", Fill: fillWith("amount", "1000", lineContent(wide, "Rp 1,000.00 lunas"))},
		{Name: "percent-another", Fill: fillWith("share", "0.1", lineContent(wide, "90,0%"))},
		{Name: "phone-another", Fill: fillWith("phone", "8123456789", lineContent(wide, "(812) 345-6780"))},
		{Name: "date-of-words", Fill: fillWith("date", "22/11/2026", lineContent(wide, "Tidak pernah"))},
		{Name: "own-script-with-a-picture", Fill: fillWith("code", "17", lineContent(wide, "No. 17")+"q 100 0 0 18 90 1 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q")},
		{Name: "under-the-mouse-another", Fill: func(f *Filler) {
			w := f.fillText("name", "1000", fillAcrobat)
			w["AP"].(pdf.Dict)["D"] = f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "9000")))
		}},
		{Name: "under-the-mouse-alone", Fill: func(f *Filler) {
			w := f.fillText("name", "1000", fillAcrobat)
			w["AP"] = pdf.Dict{"D": w["AP"].(pdf.Dict)["N"]}
		}},
	}
}

// fontAttacks show the value in a font that draws something else.
func fontAttacks() []Case {
	in := func(build func(*Filler) pdf.Object, show string) func(*Filler) {
		return fillWithResources("name", "1000", font("F", build), "BT /F 12 Tf 0 g 2 5 Td "+show+" Tj ET")
	}
	helvetica := func(more pdf.Dict) func(*Filler) pdf.Object {
		return func(f *Filler) pdf.Object {
			d := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica")}
			maps.Copy(d, more)
			return f.U.Add(d)
		}
	}
	unicode := func(f *Filler) pdf.Object {
		return f.U.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica"), "Encoding": pdf.Name("WinAnsiEncoding"),
			"ToUnicode": f.U.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <39> <0031> endbfchar")})})
	}
	return []Case{
		{Name: "font-embedded", Fill: in(func(f *Filler) pdf.Object { return f.U.Add(embeddedFont(f.U, nil)) }, "(1000)")},
		{Name: "font-drawn", Fill: in(func(f *Filler) pdf.Object {
			d := drawnFont(f.U)
			d["Encoding"] = pdf.Dict{"Type": pdf.Name("Encoding"), "Differences": pdf.Array{pdf.Integer('0'), pdf.Name("one"), pdf.Name("one")}}
			d["FirstChar"], d["Widths"] = pdf.Integer('0'), pdf.Array{pdf.Integer(500), pdf.Integer(500)}
			return f.U.Add(d)
		}, "(1000)")},
		{Name: "font-of-glyph-numbers", Fill: in(func(f *Filler) pdf.Object { return f.U.Add(glyphNumberFont(f.U, false)) }, "<0031003000300030>")},
		{Name: "font-with-other-letters", Fill: in(helvetica(pdf.Dict{"Encoding": pdf.Dict{"Type": pdf.Name("Encoding"), "Differences": pdf.Array{pdf.Integer('1'), pdf.Name("nine")}}}), "(1000)")},
		{Name: "font-that-says-otherwise", Fill: in(unicode, "(9000)")},
		{Name: "font-of-symbols", Fill: in(formFont("ZaDb"), "(1000)")},
		{Name: "font-not-at-hand", Fill: in(helvetica(pdf.Dict{"BaseFont": pdf.Name("Wingdings")}), "(1000)")},
		{Name: "font-without-widths-to-stand-in", Fill: in(helvetica(pdf.Dict{"FirstChar": pdf.Integer(48), "LastChar": pdf.Integer(49), "Widths": pdf.Array{pdf.Integer(0), pdf.Integer(0)}}), "(1000)")},
		{Name: "font-of-the-form-another-text", Fill: in(formFont("CidMap"), "<000100020003>")},
		{Name: "font-unread-and-another-text", Fill: in(formFont("Cid"), "<0001> Tj /F 12 Tf 1 0 0 1 30 5 Tm <00010002000300040005000600070008> Tj 1 0 0 1 150 5 Tm <0009>")},
		{Name: "font-of-the-form-drawn-and-another-text", Fill: fillWithResources("name", "1", func(f *Filler) pdf.Dict {
			return pdf.Dict{"Font": pdf.Dict{"O": f.Font("Odd"), "Helv": f.Font("Helv")}}
		}, "BT /O 12 Tf 2 5 Td (1) Tj /Helv 12 Tf (9) Tj ET")},
	}
}

// glyphPlacementAttacks place the glyphs of the value so that they read differently.
func glyphPlacementAttacks() []Case {
	return []Case{
		{Name: "other-order", Fill: refillName("BT /Helv 12 Tf 1 0 0 1 30 5 Tm (1) Tj 1 0 0 1 2 5 Tm (0) Tj 1 0 0 1 10 5 Tm (0) Tj 1 0 0 1 18 5 Tm (0) Tj ET")},
		{Name: "upside-down", Fill: fillWith("name", "66", "BT /Helv 12 Tf -1 0 0 -1 40 15 Tm (66) Tj ET")},
		{Name: "turned-by-its-matrix", Fill: func(f *Filler) {
			f.fillText("name", "66", func(f *Filler, w pdf.Dict, _ string) {
				f.SetAppearance(w, "BT /Helv 12 Tf 160 5 Td (66) Tj ET").Dict["Matrix"] = pdf.Array{pdf.Integer(-1), pdf.Integer(0), pdf.Integer(0), pdf.Integer(-1), pdf.Integer(200), pdf.Integer(20)}
			})
		}},
		{Name: "mirrored", Fill: refillName("BT /Helv 12 Tf -1 0 0 1 40 5 Tm (1000) Tj ET")},
		{Name: "apart", Fill: refillName("BT /Helv 12 Tf 2 5 Td (1) Tj 60 0 Td (000) Tj ET")},
		{Name: "on-one-another", Fill: refillName("BT /Helv 12 Tf 2 5 Td (1) Tj 0 0 Td (0) Tj 0 0 Td (0) Tj 0 0 Td (0) Tj ET")},
		{Name: "lines-exchanged", Fill: fillWith("note", "Tidak\nsetuju saja", "BT /Helv 10 Tf 2 14 Td (Tidak) Tj 0 20 Td (setuju saja) Tj ET")},
	}
}

func choiceAttacks() []Case {
	return []Case{
		{Name: "choice-of-another-label", Fill: fillWith("status", "B", lineContent(wide, "Cerai"))},
		{Name: "choice-options", Fill: func(f *Filler) {
			f.Field("status")["Opt"] = optionPairs("K", "Cerai", "B", "Belum kawin", "C", "Kawin")
		}},
		{Name: "choice-index-of-another", Fill: func(f *Filler) {
			w := f.fillText("status", "B", func(f *Filler, w pdf.Dict, _ string) { f.SetAppearance(w, lineContent(wide, "Belum kawin")) })
			w["I"] = pdf.Array{pdf.Integer(2)}
		}},
		{Name: "choice-index-alone", Fill: func(f *Filler) { f.Field("status")["I"] = pdf.Array{pdf.Integer(2)} }},
		{Name: "list-another-highlighted", Fill: chooseGoods(pdf.TextString("2"), nil, listContent(tall, 0, goods, 2))},
		{Name: "list-one-more-highlighted", Fill: chooseGoods(pdf.TextString("2"), nil, listContent(tall, 0, goods, 1, 3))},
		{Name: "list-one-less-highlighted", Fill: chooseGoods(pdf.Array{pdf.TextString("2"), pdf.TextString("4")}, nil, listContent(tall, 0, goods, 1))},
		{Name: "list-other-options", Fill: chooseGoods(pdf.TextString("2"), nil, listContent(tall, 0, []string{"Tanah", "Apartemen", "Mobil", "Kapal"}, 1))},
		{Name: "list-in-other-order", Fill: chooseGoods(pdf.TextString("2"), nil, listContent(tall, 0, []string{"Rumah", "Tanah", "Mobil", "Kapal"}, 1))},
		{Name: "list-without-what-is-chosen", Fill: chooseGoods(pdf.TextString("1"), nil, listContent(tall, 2, goods[2:]))},
		{Name: "list-index-of-another", Fill: chooseGoods(pdf.TextString("2"), pdf.Array{pdf.Integer(3)}, listContent(tall, 0, goods, 1))},
	}
}

func buttonAttacks() []Case {
	square := pdf.Rect{URX: 20, URY: 20}
	return []Case{
		{Name: "state-alone", Fill: func(f *Filler) { f.Field("agree")["AS"] = pdf.Name("Yes") }},
		{Name: "value-alone", Fill: func(f *Filler) { f.Field("agree")["V"] = pdf.Name("Yes") }},
		{Name: "state-that-is-not-there", Fill: func(f *Filler) {
			w := f.Field("agree")
			w["V"], w["AS"] = pdf.Name("Ya"), pdf.Name("Ya")
		}},
		{Name: "state-that-is-new", Fill: func(f *Filler) {
			w := f.Field("agree")
			looks, _ := f.D.Dict(w["AP"].(pdf.Dict)["N"])
			w["V"], w["AS"], w["AP"] = pdf.Name("Ya"), pdf.Name("Ya"), pdf.Dict{"N": pdf.Dict{"Yes": looks["Yes"], "Off": looks["Off"], "Ya": f.U.Add(newAppearance(square, f.usualResources(), checkMark))}}
		}},
		{Name: "state-drawn-blank", Fill: func(f *Filler) {
			w := f.Field("agree")
			looks, _ := f.D.Dict(w["AP"].(pdf.Dict)["N"])
			w["V"], w["AS"], w["AP"] = pdf.Name("Yes"), pdf.Name("Yes"), pdf.Dict{"N": pdf.Dict{"Yes": f.U.Add(newAppearance(square, f.usualResources(), "q Q")), "Off": looks["Off"]}}
		}},
		{Name: "state-off-drawn-checked", Fill: func(f *Filler) {
			w := f.Field("agree")
			looks, _ := f.D.Dict(w["AP"].(pdf.Dict)["N"])
			w["AP"] = pdf.Dict{"N": pdf.Dict{"Yes": looks["Yes"], "Off": looks["Yes"]}}
		}},
		{Name: "state-drawn-with-words", Fill: func(f *Filler) {
			w := f.Field("agree")
			looks, _ := f.D.Dict(w["AP"].(pdf.Dict)["N"])
			w["V"], w["AS"], w["AP"] = pdf.Name("Yes"), pdf.Name("Yes"), pdf.Dict{"N": pdf.Dict{"Yes": f.U.Add(newAppearance(square, f.usualResources(), "BT /Helv 4 Tf 1 8 Td (batal) Tj ET")), "Off": looks["Off"]}}
		}},
		{Name: "state-in-place", Fill: func(f *Filler) {
			looks, _ := f.D.Dict(f.findField("agree").Dict["AP"].(pdf.Dict)["N"])
			f.U.Set(looks.Ref("Off"), newAppearance(square, f.usualResources(), checkMark))
		}},
		{Name: "radio-another-state", Fill: func(f *Filler) { f.selectButtons("pay", "Cicil", "Off", "Off", "Giro") }},
		{Name: "radio-two-states", Fill: func(f *Filler) { f.selectButtons("pay", "Cicil", "Tunai", "Cicil", "Off") }},
		{Name: "radio-no-state", Fill: func(f *Filler) { f.selectButtons("pay", "Cicil", "Off", "Off", "Off") }},
		{Name: "radio-former-state", Fill: func(f *Filler) { f.Field("pay")["V"] = pdf.Name("Giro") }},
		{Name: "radio-state-alone", Fill: func(f *Filler) {
			f.Widget("pay", 0)["AS"], f.Widget("pay", 1)["AS"] = pdf.Name("Off"), pdf.Name("Cicil")
		}},
		{Name: "radio-another-number", Fill: func(f *Filler) {
			f.selectButtons("send", "", "0", "Off")
			f.Field("send")["V"] = pdf.TextString("Kurir")
		}},
		{Name: "boxes-one-left", Fill: func(f *Filler) { f.selectButtons("copy", "Off", "Off", "Ya") }},
		{Name: "button-caption", Fill: func(f *Filler) { f.Field("print")["MK"] = pdf.Dict{"CA": pdf.TextString("Setuju")} }},
		{Name: "button-icon", Fill: func(f *Filler) {
			f.Field("print")["MK"] = pdf.Dict{"CA": pdf.TextString("Cetak"), "I": f.U.Add(newAppearance(square, pdf.Dict{}, "0 0 20 20 re f"))}
		}},
		{Name: "button-picture", Fill: func(f *Filler) { f.SetAppearance(f.Field("print"), "BT /Helv 6 Tf (Setuju) Tj ET") }},
		{Name: "check-mark-of-another-kind", Fill: func(f *Filler) { f.Field("agree")["MK"] = pdf.Dict{"CA": pdf.TextString("8")} }},
	}
}

func fieldAttacks() []Case {
	set := func(field string, k pdf.Name, v pdf.Object) func(*Filler) {
		return func(f *Filler) { f.Field(field)[k] = v }
	}
	var part pdf.Ref
	return []Case{
		{Name: "one-of-two-widgets", Fill: func(f *Filler) {
			f.Field("twice")["V"] = pdf.TextString("B-2")
			fillAcrobat(f, f.Widget("twice", 0), "B-2")
			fillAcrobat(f, f.Widget("twice", 1), "C-3")
		}},
		{Name: "one-of-two-widgets-left", Fill: func(f *Filler) {
			f.Field("twice")["V"] = pdf.TextString("B-2")
			fillAcrobat(f, f.Widget("twice", 0), "B-2")
		}},
		{Name: "value-of-a-widget", Fill: func(f *Filler) {
			w := f.Widget("twice", 1)
			w["V"] = pdf.TextString("C-3")
			fillAcrobat(f, w, "C-3")
		}},
		{Name: "value-of-a-widget-alone", Fill: func(f *Filler) { f.Widget("twice", 1)["V"] = pdf.TextString("C-3") }},
		{Name: "widget-that-is-not-listed", Prepare: func(f *Filler) {
			field := f.findField("twice")
			page, err := f.D.Page(1)
			if err != nil {
				f.Err = err
				return
			}
			box := pdf.Rect{LLX: 60, LLY: 60, URX: 260, URY: 80}
			part = f.U.Add(pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "Parent": field.Ref, "Rect": box.Array(), "P": page.Ref, "F": pdf.Integer(4),
				"AP": pdf.Dict{"N": f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "A-1")))}})
			if err := f.U.Append(page.Ref, "Annots", part); err != nil {
				f.Err = err
			}
		}, Fill: func(f *Filler) {
			fillTwice(f)
			fillAcrobat(f, f.Edit(part), "C-3")
		}},
		{Name: "value-above", Prepare: func(f *Filler) { delete(f.Field("group.part"), "V") },
			Fill: func(f *Filler) { f.Edit(f.findField("group.part").Parent)["V"] = pdf.TextString("Lain") }},
		{Name: "value-above-with-appearance", Prepare: func(f *Filler) { delete(f.Field("group.part"), "V") },
			Fill: func(f *Filler) {
				f.Edit(f.findField("group.part").Parent)["V"] = pdf.TextString("Lain")
				fillAcrobat(f, f.Field("group.part"), "Bukan")
			}},
		{Name: "default-value", Fill: set("name", "DV", pdf.TextString("Penyerang"))},
		{Name: "longest-text", Fill: set("nik", "MaxLen", pdf.Integer(4))},
		{Name: "kind-of-text", Fill: set("nik", "Ff", pdf.Integer(multiline))},
		{Name: "alignment", Fill: set("name", "Q", pdf.Integer(2))},
		{Name: "style", Fill: set("name", "DA", pdf.TextString("/Helv 12 Tf 1 g"))},
		{Name: "style-smaller", Fill: set("name", "DA", pdf.TextString("/Helv 1 Tf 0 g"))},
		{Name: "background", Fill: set("name", "MK", pdf.Dict{"BG": pdf.Array{pdf.Integer(0)}})},
		{Name: "turn", Fill: set("name", "MK", pdf.Dict{"R": pdf.Integer(180)})},
		{Name: "rich-text-another", Fill: func(f *Filler) {
			w := f.Field("rich")
			w["V"], w["RV"] = pdf.TextString("Seribu"), pdf.TextString("<body><p>Sejuta</p></body>")
			fillAcrobat(f, w, "Seribu")
		}},
		{Name: "xfa", Prepare: func(f *Filler) {
			f.Form()["XFA"] = f.U.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("<xdp:xdp xmlns:xdp=\"http://ns.adobe.com/xdp/\"/>")})
		}, Fill: func(f *Filler) { f.fillText("name", "Agus", fillAcrobat) }},
		{Name: "read-only", Fill: func(f *Filler) { f.fillText("fixed", "Berubah", fillAcrobat) }},
		{Name: "resources-of-the-form", Fill: func(f *Filler) {
			font := f.Edit(f.Font("Helv").(pdf.Ref))
			font["Encoding"] = pdf.Dict{"Type": pdf.Name("Encoding"), "Differences": pdf.Array{pdf.Integer('1'), pdf.Name("nine")}}
		}},
		{Name: "two-readings-of-a-value", Fill: func(f *Filler) {
			f.fillText("name", "1000", fillAcrobat)["V"] = pdf.Array{pdf.TextString("1000")}
		}},
	}
}

// File returns a file name for the case, with a prefix.
func (c Case) File(prefix string) string { return fmt.Sprintf("%s-%s.pdf", prefix, c.Name) }
