package formtest

import (
	"fmt"

	"segel/pdf"
)

// Want is the expected result of a case.
type Want uint8

const (
	Allowed Want = iota // a field was filled in
	Warned              // filled in, but whether it shows its value cannot be determined
	Denied              // signed content was changed
)

// Case is one way to change a form after a signature.
type Case struct {
	Name    string
	Want    Want
	Fill    func(*Filler)
	Prepare func(*Filler) // before signing; nil: nothing
}

// programStyles are the ways in which programs write text fields.
var programStyles = []struct {
	name  string
	style func(*Filler, pdf.Dict, string)
}{{"acrobat", fillAcrobat}, {"pdfjs", fillPDFJS}, {"pdfbox", fillPDFBox}, {"itext", fillIText}}

// Honest lists what programs do when they fill in forms.
func Honest() []Case {
	var all []Case
	for _, p := range programStyles {
		for _, c := range []struct{ name, field, value string }{
			{"empty", "city", "Jakarta Pusat"}, {"without-appearance", "bare", "Bandung"}, {"again", "name", "Agus (Salim)"}, {"framed", "framed", "Bingkai"},
			{"below-a-field", "group.part", "Sendiri"}, {"typed-choice", "bank", "Mandiri"},
		} {
			all = append(all, Case{Name: p.name + "-" + c.name, Fill: func(f *Filler) { f.fillText(c.field, c.value, p.style) }})
		}
	}
	return append(append(append(all, honestText()...), honestChoices()...), honestButtons()...)
}

func honestText() []Case {
	return []Case{
		{Name: "cleared", Fill: fillWith("name", "", lineContent(wide, ""))},
		{Name: "value-removed", Fill: func(f *Filler) {
			w := f.Field("name")
			delete(w, "V")
			f.SetAppearance(w, "/Tx BMC EMC")
		}},
		{Name: "left-to-readers", Fill: func(f *Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("Agus")
			delete(w, "AP")
		}},
		{Name: "letters-of-latin", Fill: fillWith("name", "Andrée – “5 €” d'Or", "/Tx BMC q BT /Helv 12 Tf 0 g 2 5 Td (Andr\\351e \\226 \\2235 \\200\\224 d'Or) Tj ET Q EMC")},
		{Name: "in-pieces", Fill: fillWith("name", "Agus Salim", "/Tx BMC q BT /Helv 12 Tf 0 g 2 5 Td [(A) 20 (gus) -278 (Sal)] TJ (im) Tj ET Q EMC")},
		{Name: "backwards", Fill: fillWith("name", "Agus Salim", "BT /Helv 12 Tf 35 5 Td (Salim) Tj -33 0 Td (Agus) Tj ET")},
		{Name: "several-lines", Fill: fillWith("note", "Baris satu yang panjang\nBaris dua", linesContent(tall, "Baris satu yang ", "panjang", "Baris dua"))},
		{Name: "broken-word", Fill: fillWith("note", "Supercalifragilistik", linesContent(tall, "Supercali", "fragilistik"))},
		{Name: "line-end-dropped", Fill: fillWith("name", "Agus\r\nSalim", lineContent(wide, "AgusSalim"))},
		{Name: "more-lines-than-fit", Fill: fillWith("note", "1\n2\n3\n4\n5\n6\n7", linesContent(tall, "1", "2", "3", "4", "5", "6", "7"))},
		{Name: "longer-than-the-field", Fill: fillWith("name", long, lineContent(wide, long))},
		{Name: "beginning-of-a-long-value", Fill: fillWith("name", long, lineContent(wide, long[:38])), Want: Warned},
		{Name: "comb", Fill: fillWith("nik", "12345678", combContent(wide, "12345678", 8))},
		{Name: "comb-cut", Fill: fillWith("nik", "1234567890", combContent(wide, "12345678", 8))},
		{Name: "comb-divided", Fill: fillWith("nik", "123", "0 G 0.5 0.5 199 19 re s 25 0 m 25 20 l 50 0 m 50 20 l 75 0 m 75 20 l s "+combContent(wide, "123", 8))},
		{Name: "password", Fill: fillWith("pin", "rahasia", lineContent(wide, "*******"))},
		{Name: "password-in-clear", Fill: fillWith("pin", "rahasia", lineContent(wide, "rahasia"))},
		{Name: "number", Fill: fillWith("amount", "1234567.5", lineContent(wide, "Rp 1,234,567.50"))},
		{Name: "number-negative", Fill: fillWith("amount", "-12", lineContent(wide, "Rp -12.00"))},
		{Name: "number-unformatted", Fill: fillWith("amount", "1234567.5", lineContent(wide, "1234567.5"))},
		{Name: "percent", Fill: fillWith("share", "0.125", lineContent(wide, "12,5%"))},
		{Name: "phone", Fill: fillWith("phone", "8123456789", lineContent(wide, "(812) 345-6789"))},
		{Name: "date", Fill: fillWith("date", "22/11/2026", lineContent(wide, "22 November 2026")), Want: Warned},
		{Name: "date-as-it-is-shown", Fill: fillWith("date", "22 November 2026", lineContent(wide, "22 November 2026"))},
		{Name: "time", Fill: fillWith("time", "9:05 am", lineContent(wide, "09:05")), Want: Warned},
		{Name: "own-script", Fill: fillWith("code", "17", lineContent(wide, "No. 17")), Want: Warned},
		{Name: "white-on-black", Fill: fillWith("dark", "Gelap", "0 g 0 0 200 20 re f BT /Helv 12 Tf 1 g 2 5 Td (Gelap) Tj ET")},
		{Name: "white-as-the-form-wants", Fill: fillWith("dark", "Gelap", "BT /Helv 12 Tf 1 g 2 5 Td (Gelap) Tj ET")},
		{Name: "black-on-black-without-a-color-of-the-form", Want: Warned, // as iText does
			Prepare: func(f *Filler) { f.Field("dark")["DA"] = pdf.TextString("/Helv 12 Tf") },
			Fill:    fillWith("dark", "Gelap", "0 g 0 0 200 20 re f BT /Helv 12 Tf 2 5 Td (Gelap) Tj ET")},
		{Name: "embedded-font-of-the-form", Fill: fillWithResources("own", "Sendiri", font("Emb", formFont("Emb")), "BT /Emb 12 Tf 0 g 2 5 Td (Sendiri) Tj ET")},
		{Name: "mapped-glyphs-of-the-form", Fill: fillWithResources("own", "ADA", font("C", formFont("CidMap")), "BT /C 12 Tf 0 g 2 5 Td <000100040001> Tj ET")},
		{Name: "unmapped-glyphs-of-the-form", Want: Warned, Fill: fillWithResources("own", "ADA", font("C", formFont("Cid")), "BT /C 12 Tf 0 g 2 5 Td <000100040001> Tj ET")},
		{Name: "font-of-the-appearance-before", Fill: func(f *Filler) { f.fillText("name", "Agus", fillPDFBox) }},
		{Name: "standard-font-of-its-own", Fill: func(f *Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("Agus")
			f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"F": f.U.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Times-Roman")})}}, "BT /F 12 Tf 2 5 Td (Agus) Tj ET")
		}},
		{Name: "arabic", Want: Warned, Fill: func(f *Filler) {
			w := f.Field("arab")
			w["V"] = pdf.TextString("سلام")
			font := pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "BaseFont": pdf.Name("sans-serif"), "Encoding": pdf.Name("Identity-H"), "ToUnicode": pdf.Name("Identity-H"),
				"DescendantFonts": pdf.Array{pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("CIDFontType0"), "BaseFont": pdf.Name("sans-serif")}}}
			f.SetAppearanceIn(w, pdf.Dict{"Font": pdf.Dict{"F": f.U.Add(font)}}, "BT /F 12 Tf 2 5 Td <FEE1FEFCFEB3> Tj ET")
		}},
		{Name: "nested", Fill: func(f *Filler) {
			w := f.Field("name")
			w["V"] = pdf.TextString("Agus")
			inner := f.U.Add(newAppearance(wide, f.usualResources(), "BT /Helv 12 Tf 2 5 Td (Agus) Tj ET"))
			f.SetAppearanceIn(w, pdf.Dict{"XObject": pdf.Dict{"N": inner}}, "q /N Do Q")
		}},
		{Name: "turned", Fill: func(f *Filler) { f.fillText("turned", "Putar", fillPDFJS) }},
		{Name: "two-widgets", Fill: fillTwice},
		{Name: "widget-on-no-page", Prepare: func(f *Filler) {
			field := f.Field("twice")
			field["Kids"] = append(field["Kids"].(pdf.Array), f.U.Add(pdf.Dict{"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "Parent": f.findField("twice").Ref, "Rect": wide.Array(), "F": pdf.Integer(4),
				"AP": pdf.Dict{"N": f.U.Add(newAppearance(wide, f.usualResources(), lineContent(wide, "A-1")))}}))
		}, Fill: fillTwice},
		{Name: "rich-text", Fill: func(f *Filler) {
			w := f.Field("rich")
			w["V"], w["RV"] = pdf.TextString("Teks tebal"), pdf.TextString(`<?xml version="1.0"?><body xmlns="http://www.w3.org/1999/xhtml"><p>Teks <b>tebal</b></p></body>`)
			fillAcrobat(f, w, "Teks tebal")
		}},
		{Name: "rich-text-left", Want: Warned, Prepare: func(f *Filler) {
			w := f.Field("rich")
			w["V"], w["RV"] = pdf.TextString("Seribu"), pdf.TextString("<body><p>Seribu</p></body>")
			fillAcrobat(f, w, "Seribu")
		}, Fill: func(f *Filler) {
			w := f.Field("rich")
			w["V"] = pdf.TextString("Sejuta")
			fillAcrobat(f, w, "Sejuta")
		}},
		{Name: "redrawn-by-readers", Want: Warned,
			Prepare: func(f *Filler) { f.Form()["NeedAppearances"] = pdf.Boolean(true) },
			Fill:    func(f *Filler) { f.Field("name")["V"] = pdf.TextString("Agus") }},
		{Name: "with-ornament-of-before", Fill: fillWith("name", "Agus", ornament+lineContent(wide, "Agus")), Prepare: func(f *Filler) { f.SetAppearance(f.Field("name"), ornament+lineContent(wide, "Siti Rahayu")) }},
		{Name: "barcode", Want: Warned, Prepare: func(f *Filler) {
			f.Field("code")["PMD"] = pdf.Dict{"Type": pdf.Name("PaperMetaData"), "Symbology": pdf.Name("QRCode")}
		},
			Fill: fillWith("code", "17", "0 0 5 5 re 9 3 5 5 re f")},
		{Name: "written-again", Fill: func(f *Filler) { f.SetAppearance(f.Field("name"), lineContent(wide, "Siti Rahayu")) }},
		{Name: "date-of-change", Fill: func(f *Filler) { f.Field("name")["M"] = pdf.TextString("D:20261122090000") }},
	}
}

// fillTwice fills in the field with two widgets.
func fillTwice(f *Filler) {
	f.Field("twice")["V"] = pdf.TextString("B-2")
	for i := range 2 {
		fillAcrobat(f, f.Widget("twice", i), "B-2")
	}
}

const (
	long     = "Perseroan Terbatas Maju Mundur Cantik Sejahtera Abadi Nusantara Jaya"
	ornament = "0.5 g 10 1 m 20 4 5 8 9 12 c 3 3 l f\n"
)

var goods = []string{"Tanah", "Rumah", "Mobil", "Kapal"}

// chooseGoods returns a change of the list box "goods": its value, its indexes unless they are nil, and its appearance.
func chooseGoods(value, indexes pdf.Object, content string) func(*Filler) {
	return func(f *Filler) {
		w := f.Field("goods")
		w["V"] = value
		if indexes != nil {
			w["I"] = indexes
		}
		f.SetAppearance(w, content)
	}
}

func honestChoices() []Case {
	return []Case{
		{Name: "choice-label", Fill: fillWith("status", "B", lineContent(wide, "Belum kawin"))},
		{Name: "choice-export", Fill: fillWith("status", "B", lineContent(wide, "B"))},
		{Name: "choice-index", Fill: func(f *Filler) {
			w := f.fillText("status", "B", fillAcrobat)
			w["I"] = pdf.Array{pdf.Integer(1)}
			f.SetAppearance(w, lineContent(wide, "Belum kawin"))
		}},
		{Name: "list-acrobat", Fill: chooseGoods(pdf.TextString("2"), pdf.Array{pdf.Integer(1)}, listContent(tall, 0, goods, 1))},
		{Name: "list-several", Fill: chooseGoods(pdf.Array{pdf.TextString("2"), pdf.TextString("4")}, pdf.Array{pdf.Integer(1), pdf.Integer(3)}, listContent(tall, 0, goods, 1, 3))},
		{Name: "list-scrolled", Fill: func(f *Filler) {
			chooseGoods(pdf.TextString("4"), pdf.Array{pdf.Integer(3)}, listContent(tall, 2, goods[2:], 3))(f)
			f.Field("goods")["TI"] = pdf.Integer(2)
		}},
		{Name: "list-pdfjs", Fill: chooseGoods(pdf.Array{pdf.TextString("2")}, nil, fmt.Sprintf(
			"/Tx BMC q\n1 1 200 48 re W n\n0.600006 0.756866 0.854904 rg\n1 21 200 13.5 re f\nBT\n/Helv 10 Tf 0 g\n1 0 0 1 0 48 Tm\n2 -11.75 Td (%s) Tj\n0 -13.5 Td (%s) Tj\n0 -13.5 Td (%s) Tj\n0 -13.5 Td (%s) Tj\nET Q EMC",
			goods[0], goods[1], goods[2], goods[3]))},
		{Name: "list-pdfbox", Fill: chooseGoods(pdf.Array{pdf.TextString("2")}, pdf.Array{pdf.Integer(1)},
			"/Tx BMC\nq\n1 1 198 46 re\nW\nn\n0.6 0.7569 0.8431 rg\n1 25.88 198 11.56 re\nf\n0 g\nBT\n/Helv 10 Tf\n0 g\n2 38.82 Td\n(Tanah) Tj\nET\nBT\n2 27.26 Td\n(Rumah) Tj\nET\nBT\n2 15.7 Td\n(Mobil) Tj\nET\nBT\n2 4.14 Td\n(Kapal) Tj\nET\nQ\nEMC\n")},
		{Name: "list-itext", Want: Warned, Fill: chooseGoods(pdf.TextString("2"), nil,
			"/Tx BMC\nq\nn\nq\n-500000 0 1000000 48 re\nW\nn\nq\nBT\n/Helv 10 Tf\n1 38.38 Td\n(Tanah)Tj\nET\nQ\nq\nBT\n/Helv 10 Tf\n1 27.28 Td\n(Rumah)Tj\nET\nQ\nq\nBT\n/Helv 10 Tf\n1 16.18 Td\n(Mobil)Tj\nET\nQ\nq\nBT\n/Helv 10 Tf\n1 5.08 Td\n(Kapal)Tj\nET\nQ\nQ\nQ\nEMC\n")},
	}
}

// selectButtons switches the buttons of a group; on are the states in order.
func (f *Filler) selectButtons(group, value string, on ...pdf.Name) {
	f.Field(group)["V"] = pdf.Name(value)
	for i, state := range on {
		f.Widget(group, i)["AS"] = state
	}
}

func honestButtons() []Case {
	box := pdf.Rect{URX: 20, URY: 20}
	return []Case{
		{Name: "checked", Fill: func(f *Filler) {
			w := f.Field("agree")
			w["V"], w["AS"] = pdf.Name("Yes"), pdf.Name("Yes")
		}},
		{Name: "checked-itext", Fill: func(f *Filler) {
			w := f.Field("agree")
			w["V"], w["AS"] = pdf.Name("Yes"), pdf.Name("Yes")
			dingbats := f.U.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats")})
			w["AP"] = pdf.Dict{"N": pdf.Dict{
				"Off": f.U.Add(newAppearance(box, pdf.Dict{"Font": pdf.Dict{"F1": f.Font("ZaDb")}}, "q\n0 0 20 20 re\nW\nn\nQ\n")),
				"Yes": f.U.Add(newAppearance(box, pdf.Dict{"Font": pdf.Dict{"F1": dingbats}}, "q\n0 0 20 20 re\nW\nn\nq\n0 0 0 rg\n1 0 0 1 0 0 cm\nBT\n/F1 15.31 Tf\n0 g\n1 0 0 1 3.53 4.6 Tm\n(4)Tj\nET\nQ\nQ\n")),
			}}
			delete(w, "DA")
		}},
		{Name: "checked-drawn", Fill: func(f *Filler) { // as iText does in files that bring their fonts along
			w := f.Field("agree")
			w["V"], w["AS"] = pdf.Name("Yes"), pdf.Name("Yes")
			w["AP"] = pdf.Dict{"N": pdf.Dict{
				"Off": f.U.Add(newAppearance(box, pdf.Dict{}, "q\n0 0 20 20 re\nW\nn\nQ\n")),
				"Yes": f.U.Add(newAppearance(box, pdf.Dict{}, "q\n0 0 20 20 re\nW\nn\nq\n3 10 m\n4 12 l\n8 7 l\n16 17 l\n17 16 l\n8 4 l\nh\nf\nQ\nQ\n")),
			}}
		}},
		{Name: "radio", Fill: func(f *Filler) { f.selectButtons("pay", "Cicil", "Off", "Cicil", "Off") }},
		{Name: "radio-cleared", Fill: func(f *Filler) { f.selectButtons("send", "Off", "Off", "Off") }},
		{Name: "radio-numbered", Fill: func(f *Filler) { f.selectButtons("send", "1", "Off", "1") }},
		{Name: "radio-by-export", Fill: func(f *Filler) {
			f.selectButtons("send", "", "Off", "1")
			f.Field("send")["V"] = pdf.TextString("Kurir")
		}},
		{Name: "boxes-together", Fill: func(f *Filler) { f.selectButtons("copy", "Off", "Off", "Off") }},
	}
}
