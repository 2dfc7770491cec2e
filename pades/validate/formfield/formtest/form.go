// Package formtest makes a form with fields of every kind, and the ways in which programs and attackers fill it in once it
// is signed. Its files are written by code; nothing of it is used outside of tests.
package formtest

import (
	"bytes"
	"fmt"
	"strings"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// Flags of fields (ISO 32000-2 §12.7.5).
const (
	readOnly    = 1 << 0
	multiline   = 1 << 12
	password    = 1 << 13
	noToggleOff = 1 << 14
	radio       = 1 << 15
	pushButton  = 1 << 16
	combo       = 1 << 17
	edit        = 1 << 18
	multiSelect = 1 << 21
	comb        = 1 << 24
	richText    = 1 << 25
)

// Form returns a file of one page with a form that is filled in as its author left it.
func Form() ([]byte, error) {
	b := &builder{}
	b.openFile(pdftest.Table(1))
	b.addFonts()
	b.textFields()
	b.addChoices()
	b.addButtons()
	return b.buildFile()
}

// builder lays out fields one below the other, in two columns. Its first error stays.
type builder struct {
	file   []byte
	u      *pdf.Update
	page   pdf.Ref
	helv   pdf.Ref
	zadb   pdf.Ref
	more   pdf.Dict // further fonts of the form, by name
	fields pdf.Array
	annots pdf.Array
	place  int
	err    error
}

func (b *builder) openFile(file []byte) {
	b.file = file
	d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), pdf.Options{})
	if err != nil {
		b.err = err
		return
	}
	page, err := d.Page(1)
	if err != nil {
		b.err = err
		return
	}
	b.u, b.page = d.NewUpdate(), page.Ref
}

// nextBox is where the next field stands.
func (b *builder) nextBox(height float64) pdf.Rect {
	column, row := b.place%2, b.place/2
	b.place++
	x, y := 60+250*float64(column), 690-30*float64(row)
	return pdf.Rect{LLX: x, LLY: y - height, URX: x + 200, URY: y}
}

func (b *builder) addFonts() {
	if b.err != nil {
		return
	}
	b.helv = b.u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("Helvetica"), "Name": pdf.Name("Helv"), "Encoding": pdf.Name("WinAnsiEncoding")})
	b.zadb = b.u.Add(pdf.Dict{"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type1"), "BaseFont": pdf.Name("ZapfDingbats"), "Name": pdf.Name("ZaDb")})
	b.more = pdf.Dict{"Emb": b.u.Add(embeddedFont(b.u, nil)), "Cid": b.u.Add(glyphNumberFont(b.u, false)), "CidMap": b.u.Add(glyphNumberFont(b.u, true)), "Odd": b.u.Add(drawnFont(b.u))}
}

// embeddedFont is a font whose glyphs are drawn by what the file brings along.
func embeddedFont(u *pdf.Update, more pdf.Dict) pdf.Dict {
	widths := pdf.Array{}
	for range 224 {
		widths = append(widths, pdf.Integer(500))
	}
	f := pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("TrueType"), "BaseFont": pdf.Name("SGLFNT+Segel"), "FirstChar": pdf.Integer(32), "LastChar": pdf.Integer(255), "Widths": widths,
		"Encoding": pdf.Name("WinAnsiEncoding"),
		"FontDescriptor": u.Add(pdf.Dict{
			"Type": pdf.Name("FontDescriptor"), "FontName": pdf.Name("SGLFNT+Segel"), "Flags": pdf.Integer(32), "FontBBox": pdf.Rect{LLY: -200, URX: 1000, URY: 800}.Array(),
			"ItalicAngle": pdf.Integer(0), "Ascent": pdf.Integer(800), "Descent": pdf.Integer(-200), "CapHeight": pdf.Integer(700), "StemV": pdf.Integer(80),
			"FontFile2": u.Add(&pdf.Stream{Dict: pdf.Dict{"Length1": pdf.Integer(4)}, Data: []byte{0, 1, 0, 0}}),
		}),
	}
	for k, v := range more {
		f[k] = v
	}
	return f
}

// glyphNumberFont is a composite font whose codes are numbers of glyphs. With a map, code 1 is A, 2 is B and so on.
func glyphNumberFont(u *pdf.Update, mapped bool) pdf.Dict {
	f := pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type0"), "BaseFont": pdf.Name("SGLFNT+SegelCID"), "Encoding": pdf.Name("Identity-H"),
		"DescendantFonts": pdf.Array{u.Add(pdf.Dict{
			"Type": pdf.Name("Font"), "Subtype": pdf.Name("CIDFontType2"), "BaseFont": pdf.Name("SGLFNT+SegelCID"), "CIDToGIDMap": pdf.Name("Identity"), "DW": pdf.Integer(500),
			"CIDSystemInfo": pdf.Dict{"Registry": pdf.TextString("Adobe"), "Ordering": pdf.TextString("Identity"), "Supplement": pdf.Integer(0)},
			"FontDescriptor": u.Add(pdf.Dict{
				"Type": pdf.Name("FontDescriptor"), "FontName": pdf.Name("SGLFNT+SegelCID"), "Flags": pdf.Integer(4), "FontBBox": pdf.Rect{LLY: -200, URX: 1000, URY: 800}.Array(),
				"ItalicAngle": pdf.Integer(0), "Ascent": pdf.Integer(800), "Descent": pdf.Integer(-200), "CapHeight": pdf.Integer(700), "StemV": pdf.Integer(80),
				"FontFile2": u.Add(&pdf.Stream{Dict: pdf.Dict{"Length1": pdf.Integer(4)}, Data: []byte{0, 1, 0, 0}}),
			}),
		})},
	}
	if mapped {
		f["ToUnicode"] = u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte(
			"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange " +
				"1 beginbfrange <0001> <001A> <0041> endbfrange endcmap end end")})
	}
	return f
}

// drawnFont is a font whose glyphs are drawn by operators: what it calls "one" looks like a nine.
func drawnFont(u *pdf.Update) pdf.Dict {
	glyph := u.Add(&pdf.Stream{Dict: pdf.Dict{}, Data: []byte("500 0 0 0 500 700 d1 50 0 400 700 re f")})
	return pdf.Dict{
		"Type": pdf.Name("Font"), "Subtype": pdf.Name("Type3"), "FontBBox": pdf.Rect{URX: 500, URY: 700}.Array(),
		"FontMatrix": pdf.Array{pdf.Real(.001), pdf.Integer(0), pdf.Integer(0), pdf.Real(.001), pdf.Integer(0), pdf.Integer(0)},
		"CharProcs":  pdf.Dict{"one": glyph}, "Encoding": pdf.Dict{"Type": pdf.Name("Encoding"), "Differences": pdf.Array{pdf.Integer('1'), pdf.Name("one")}},
		"FirstChar": pdf.Integer('1'), "LastChar": pdf.Integer('1'), "Widths": pdf.Array{pdf.Integer(500)}, "Resources": pdf.Dict{},
	}
}

func (b *builder) formResources() pdf.Dict {
	fonts := pdf.Dict{"Helv": b.helv, "ZaDb": b.zadb}
	for k, v := range b.more {
		fonts[k] = v
	}
	return pdf.Dict{"Font": fonts}
}

// addAppearance adds an appearance stream as large as a box.
func (b *builder) addAppearance(box pdf.Rect, content string) pdf.Ref {
	return b.u.Add(newAppearance(box, pdf.Dict{"Font": pdf.Dict{"Helv": b.helv, "ZaDb": b.zadb}}, content))
}

func newAppearance(box pdf.Rect, resources pdf.Dict, content string) *pdf.Stream {
	return &pdf.Stream{
		Dict: pdf.Dict{
			"Type": pdf.Name("XObject"), "Subtype": pdf.Name("Form"), "FormType": pdf.Integer(1), "BBox": pdf.Rect{URX: box.Width(), URY: box.Height()}.Array(), "Resources": resources,
		},
		Data: []byte(content),
	}
}

// escapeLiteral writes text as a string of a content stream.
func escapeLiteral(s string) string {
	return strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(s)
}

// lineContent is the appearance of a text field with one line, as Acrobat writes it.
func lineContent(box pdf.Rect, text string) string {
	return fmt.Sprintf("/Tx BMC \nq\n1 1 %g %g re\nW\nn\nBT\n/Helv 12 Tf\n0 g\n2 %g Td\n(%s) Tj\nET\nQ\nEMC\n", box.Width()-2, box.Height()-2, box.Height()/2-4.1, escapeLiteral(text))
}

// addField adds a field that is merged with its widget.
func (b *builder) addField(name string, box pdf.Rect, entries pdf.Dict) pdf.Dict {
	w := pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "T": pdf.TextString(name), "Rect": box.Array(), "P": b.page, "F": pdf.Integer(4),
		"DA": pdf.TextString("/Helv 12 Tf 0 g"),
	}
	for k, v := range entries {
		w[k] = v
	}
	if b.err == nil {
		ref := b.u.Add(w)
		b.fields, b.annots = append(b.fields, ref), append(b.annots, ref)
	}
	return w
}

// addText adds a text field with a value and the appearance of it.
func (b *builder) addText(name, value string, entries pdf.Dict) {
	box := b.nextBox(20)
	all := pdf.Dict{"FT": pdf.Name("Tx")}
	if value != "" {
		all["V"] = pdf.TextString(value)
	}
	for k, v := range entries {
		all[k] = v
	}
	if b.err == nil && all["AP"] == nil {
		all["AP"] = pdf.Dict{"N": b.addAppearance(box, lineContent(box, value))}
	}
	if ap, ok := all["AP"].(pdf.Dict); ok && len(ap) == 0 {
		delete(all, "AP")
	}
	b.addField(name, box, all)
}

// javaScript is an action that formats a value.
func javaScript(source string) pdf.Dict {
	return pdf.Dict{"F": pdf.Dict{"S": pdf.Name("JavaScript"), "JS": pdf.TextString(source)}}
}

func (b *builder) textFields() {
	b.addText("name", "Siti Rahayu", nil)
	b.addText("city", "", nil)
	b.addText("bare", "", pdf.Dict{"AP": pdf.Dict{}}) // without an appearance
	b.addText("nik", "3171", pdf.Dict{"Ff": pdf.Integer(comb), "MaxLen": pdf.Integer(8)})
	b.addText("pin", "", pdf.Dict{"Ff": pdf.Integer(password)})
	b.addText("rich", "", pdf.Dict{"Ff": pdf.Integer(richText)})
	b.addText("amount", "", pdf.Dict{"AA": javaScript(`AFNumber_Format(2, 0, 0, 0, "Rp ", true);`)})
	b.addText("share", "", pdf.Dict{"AA": javaScript(`AFPercent_Format(1, 3);`)})
	b.addText("phone", "", pdf.Dict{"AA": javaScript(`AFSpecial_Format(2);`)})
	b.addText("date", "", pdf.Dict{"AA": javaScript(`AFDate_FormatEx("dd mmmm yyyy");`)})
	b.addText("time", "", pdf.Dict{"AA": javaScript(`AFTime_Format(0);`)})
	b.addText("code", "", pdf.Dict{"AA": javaScript(`event.value = "No. " + event.value;`)})
	b.addText("fixed", "Tetap", pdf.Dict{"Ff": pdf.Integer(readOnly)})
	b.addText("framed", "", pdf.Dict{"MK": pdf.Dict{"BG": pdf.Array{pdf.Real(.75293), pdf.Real(.86275), pdf.Integer(1)}, "BC": pdf.Array{pdf.Integer(0)}}})
	b.addText("dark", "", pdf.Dict{"DA": pdf.TextString("/Helv 12 Tf 1 g"), "MK": pdf.Dict{"BG": pdf.Array{pdf.Integer(0)}}})
	b.addText("own", "", pdf.Dict{"DA": pdf.TextString("/Emb 12 Tf 0 g")})
	b.addText("arab", "", nil)
	b.addRotatedField()
	b.addInheritedField()
	b.addTwoWidgetField()
	b.addMultilineField()
}

// addRotatedField is a field that is read from below.
func (b *builder) addRotatedField() {
	b.addField("turned", pdf.Rect{LLX: 540, LLY: 500, URX: 560, URY: 690}, pdf.Dict{"FT": pdf.Name("Tx"), "MK": pdf.Dict{"R": pdf.Integer(90)}})
}

// addInheritedField are fields whose kind and value stand in the field above them.
func (b *builder) addInheritedField() {
	if b.err != nil {
		return
	}
	group := b.u.Reserve()
	box := b.nextBox(20)
	kid := b.u.Add(pdf.Dict{
		"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "T": pdf.TextString("part"), "Rect": box.Array(), "P": b.page, "F": pdf.Integer(4), "Parent": group,
		"DA": pdf.TextString("/Helv 12 Tf 0 g"), "AP": pdf.Dict{"N": b.addAppearance(box, lineContent(box, "Bersama"))},
	})
	b.u.Set(group, pdf.Dict{"T": pdf.TextString("group"), "FT": pdf.Name("Tx"), "V": pdf.TextString("Bersama"), "Kids": pdf.Array{kid}})
	b.fields, b.annots = append(b.fields, group), append(b.annots, kid)
}

// addTwoWidgetField is a field with two widgets.
func (b *builder) addTwoWidgetField() {
	if b.err != nil {
		return
	}
	field := b.u.Reserve()
	var kids pdf.Array
	for range 2 {
		box := b.nextBox(20)
		kids = append(kids, b.u.Add(pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "Rect": box.Array(), "P": b.page, "F": pdf.Integer(4), "Parent": field,
			"AP": pdf.Dict{"N": b.addAppearance(box, lineContent(box, "A-1"))},
		}))
	}
	b.u.Set(field, pdf.Dict{"T": pdf.TextString("twice"), "FT": pdf.Name("Tx"), "V": pdf.TextString("A-1"), "DA": pdf.TextString("/Helv 12 Tf 0 g"), "Kids": kids})
	b.fields, b.annots = append(b.fields, field), append(b.annots, kids...)
}

// addMultilineField is a field of several lines.
func (b *builder) addMultilineField() {
	box := b.nextBox(24)
	box.LLY -= 24
	b.place += 2
	b.addField("note", box, pdf.Dict{"FT": pdf.Name("Tx"), "Ff": pdf.Integer(multiline), "DA": pdf.TextString("/Helv 10 Tf 0 g")})
}

func optionPairs(all ...string) pdf.Array {
	var list pdf.Array
	for i := 0; i+1 < len(all); i += 2 {
		list = append(list, pdf.Array{pdf.TextString(all[i]), pdf.TextString(all[i+1])})
	}
	return list
}

func (b *builder) addChoices() {
	box := b.nextBox(20)
	b.addField("status", box, pdf.Dict{"FT": pdf.Name("Ch"), "Ff": pdf.Integer(combo), "Opt": optionPairs("K", "Kawin", "B", "Belum kawin", "C", "Cerai"), "V": pdf.TextString("K"),
		"AP": pdf.Dict{"N": b.tryAddAppearance(box, lineContent(box, "Kawin"))}})
	box = b.nextBox(20)
	b.addField("bank", box, pdf.Dict{"FT": pdf.Name("Ch"), "Ff": pdf.Integer(combo | edit), "Opt": pdf.Array{pdf.TextString("BCA"), pdf.TextString("BRI")}, "AP": pdf.Dict{"N": b.tryAddAppearance(box, lineContent(box, ""))}})
	box = b.nextBox(24)
	box.LLY -= 24
	b.place++
	b.addField("goods", box, pdf.Dict{"FT": pdf.Name("Ch"), "Ff": pdf.Integer(multiSelect), "Opt": optionPairs("1", "Tanah", "2", "Rumah", "3", "Mobil", "4", "Kapal"), "DA": pdf.TextString("/Helv 10 Tf 0 g"),
		"AP": pdf.Dict{"N": b.tryAddAppearance(box, listContent(box, 0, []string{"Tanah", "Rumah", "Mobil", "Kapal"}))}})
	b.place++
}

func (b *builder) tryAddAppearance(box pdf.Rect, content string) pdf.Object {
	if b.err != nil {
		return nil
	}
	return b.addAppearance(box, content)
}

// listContent is the appearance of a list box with some lines highlighted, as Acrobat writes it.
func listContent(box pdf.Rect, from int, labels []string, chosen ...int) string {
	const leading = 11.56
	var s strings.Builder
	fmt.Fprintf(&s, "/Tx BMC \nq\n1 1 %g %g re\nW\nn\n", box.Width()-2, box.Height()-2)
	top := box.Height() - 1
	for _, i := range chosen {
		fmt.Fprintf(&s, "0.60001 0.75687 0.8549 rg\n1 %g %g %g re\nf\n", top-float64(i-from+1)*leading, box.Width()-2, leading)
	}
	s.WriteString("BT\n/Helv 10 Tf\n0 g\n")
	for i, label := range labels {
		if i == 0 {
			fmt.Fprintf(&s, "2 %g Td\n", top-9)
		} else {
			fmt.Fprintf(&s, "0 %g Td\n", -leading)
		}
		fmt.Fprintf(&s, "(%s) Tj\n", escapeLiteral(label))
	}
	s.WriteString("ET\nQ\nEMC\n")
	return s.String()
}

// checkMark is the appearance of a check box that is on, and circle of a radio button.
const (
	checkMark = "q\n0 0 1 rg\nBT\n/ZaDb 16 Tf\n2.8 4.4 Td\n(4) Tj\nET\nQ\n"
	circle    = "q\nBT\n/ZaDb 16 Tf\n2.8 4.4 Td\n(l) Tj\nET\nQ\n"
)

// buttonStates are the normal appearances of a button.
func (b *builder) buttonStates(box pdf.Rect, on pdf.Name, mark string) pdf.Dict {
	if b.err != nil {
		return nil
	}
	return pdf.Dict{"N": pdf.Dict{on: b.addAppearance(box, mark), "Off": b.addAppearance(box, "0.9 g\n0 0 20 20 re\nf\n")}}
}

func (b *builder) buttonBox() pdf.Rect {
	box := b.nextBox(20)
	box.URX = box.LLX + 20
	return box
}

func (b *builder) addButtons() {
	box := b.buttonBox()
	b.addField("agree", box, pdf.Dict{"FT": pdf.Name("Btn"), "V": pdf.Name("Off"), "AS": pdf.Name("Off"), "AP": b.buttonStates(box, "Yes", checkMark), "MK": pdf.Dict{"CA": pdf.TextString("4")}, "DA": pdf.TextString("/ZaDb 0 Tf 0 g")})
	box = b.buttonBox()
	b.addField("print", box, pdf.Dict{"FT": pdf.Name("Btn"), "Ff": pdf.Integer(pushButton), "MK": pdf.Dict{"CA": pdf.TextString("Cetak")}, "AP": pdf.Dict{"N": b.tryAddAppearance(box, "0.75 g 0 0 20 20 re f")}})
	b.addButtonGroup("pay", radio|noToggleOff, []string{"Tunai", "Cicil", "Giro"}, nil)
	b.addButtonGroup("send", radio, []string{"0", "1"}, pdf.Array{pdf.TextString("Pos"), pdf.TextString("Kurir")})
	b.addButtonGroup("copy", 0, []string{"Ya", "Ya"}, nil)
}

// addButtonGroup is a field of several buttons, of which the first is on.
func (b *builder) addButtonGroup(name string, flags int, states []string, options pdf.Array) {
	if b.err != nil {
		return
	}
	field := b.u.Reserve()
	var kids pdf.Array
	for i, s := range states {
		box := b.buttonBox()
		state := pdf.Name("Off")
		if i == 0 || s == states[0] {
			state = pdf.Name(s)
		}
		kids = append(kids, b.u.Add(pdf.Dict{
			"Type": pdf.Name("Annot"), "Subtype": pdf.Name("Widget"), "Rect": box.Array(), "P": b.page, "F": pdf.Integer(4), "Parent": field, "AS": state,
			"AP": b.buttonStates(box, pdf.Name(s), circle), "MK": pdf.Dict{"CA": pdf.TextString("l")},
		}))
	}
	dict := pdf.Dict{"T": pdf.TextString(name), "FT": pdf.Name("Btn"), "Ff": pdf.Integer(flags), "V": pdf.Name(states[0]), "Kids": kids}
	if options != nil {
		dict["Opt"] = options
	}
	b.u.Set(field, dict)
	b.fields, b.annots = append(b.fields, field), append(b.annots, kids...)
}

func (b *builder) buildFile() ([]byte, error) {
	if b.err != nil {
		return nil, b.err
	}
	catalog, err := b.u.Edit(pdf.Ref{Number: pdftest.CatalogNumber})
	if err != nil {
		return nil, err
	}
	catalog["AcroForm"] = b.u.Add(pdf.Dict{"Fields": b.fields, "DA": pdf.TextString("/Helv 0 Tf 0 g"), "DR": b.formResources()})
	page, err := b.u.Edit(b.page)
	if err != nil {
		return nil, err
	}
	page["Annots"] = b.u.Add(b.annots)
	tail, err := b.u.Build()
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(b.file), tail.Bytes...), nil
}
