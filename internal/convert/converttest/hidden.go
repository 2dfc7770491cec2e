package converttest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"segel/internal/convert"
)

// disguisedContent say one thing to a reader that looks at them in a hurry, and another to LibreOffice.
func disguisedContent(t Targets) []Attack {
	docx := func(name, reason string, d Document) Attack { return Attack{name, reason, convert.DOCX, d.Bytes()} }
	mark := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(s string) string { return `<w:r><w:instrText xml:space="preserve">` + s + `</w:instrText></w:r>` }
	show := `INCLUDEPICTURE "` + t.URL + `hidden.png" \d`
	field := func(pieces ...string) Document {
		return Document{Body: "<w:p>" + mark("begin") + strings.Join(pieces, "") + mark("separate") + "<w:r><w:t>x</w:t></w:r>" + mark("end") + "</w:p>"}
	}
	ignored := func(s string) string {
		return `<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:n="urn:none"><mc:Choice Requires="n">` + s + `</mc:Choice><mc:Fallback/></mc:AlternateContent></w:r>`
	}
	linked := []Relation{{"rId9", "hyperlink", t.URL + "hyper.png", true}}
	return []Attack{
		docx("picture linked by the relation of a hyperlink", "links", Document{Body: Paragraphs("x") + Picture("link", "rId9", 40, 20), Relations: linked}),
		docx("VML picture linked by the relation of a hyperlink", "links", Document{Relations: linked,
			Body: `<w:p><w:r><w:pict><v:shape style="width:100pt;height:50pt"><v:imagedata r:href="rId9"/></v:shape></w:pict></w:r></w:p>`}),
		docx("relation that says its type twice", "damaged", Document{Body: Paragraphs("x") + Picture("link", "rId9", 40, 20), Parts: map[string]string{
			"word/_rels/document.xml.rels": head + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships" xmlns:x="urn:x"><Relationship Id="rId9" x:Type="` + kinds + `hyperlink" Type="` + kinds + `image" Target="` + t.URL + `twice.png" TargetMode="External"/></Relationships>`,
		}}),
		docx("field code behind much white space", "fields", field(code(strings.Repeat(" ", 2000)+show))),
		docx("field code behind much of another", "damaged", field(ignored(`<w:instrText>`+strings.Repeat("x", 2000)+`</w:instrText>`), code(show))),
		docx("field code in two, in a piece that nobody reads", "damaged", field(code("INCLU"), ignored(`<w:instrText>X</w:instrText>`), code(show[5:]))),
		docx("end of a field code that nobody reads", "damaged", field(code("INCLU"), ignored(`<w:fldChar w:fldCharType="separate"/>`), code(show[5:]))),
		docx("end of a field code in another space", "damaged", field(code("INCLU"), `<w:r><x:fldChar xmlns:x="urn:x" w:fldCharType="separate"/></w:r>`, code(show[5:]))),
		docx("mark of a field that says two things", "damaged", field(code("INCLU"), `<w:r><w:fldChar xmlns:x="urn:x" x:fldCharType="separate" w:fldCharType="none"/></w:r>`, code(show[5:]))),
		docx("field code without a space behind its name", "fields", field(code(`INCLUDEPICTURE\d "`+t.URL+`glued.png"`))),
		docx("hyperlink behind a switch that runs a macro", "macros", field(code(`HYPERLINK \h "vnd.sun.star.script:x$y?language=Basic"`))),
		docx("markup in UTF-7", "damaged", Document{Relations: []Relation{{"rId9", "header", "header1.xml", false}}, Section: `<w:sectPr><w:headerReference w:type="default" r:id="rId9"/></w:sectPr>`, Body: Paragraphs("x"), Types: Type("header1.xml", "header"), Parts: map[string]string{
			"word/header1.xml": `<?xml version="1.0" encoding ="UTF-7"?>` + `<w:hdr ` + Spaces + `><w:p><w:r><w:t>sebelum</w:t></w:r>` + encodeUTF7(field(code(show)).Body[5:len(field(code(show)).Body)-6]) + `</w:p></w:hdr>`,
		}}),
		docx("SVG in the address of a picture in SVG", "links", svgPart("word/media/image1.svg", "image/svg+xml", svgOf("data:image/svg+xml;base64,"+base64.StdEncoding.EncodeToString([]byte(svgOf(t.URL+"nested.png")))))),
		docx("SVG that calls itself PNG in the address of a picture", "links", svgPart("word/media/image1.svg", "image/svg+xml", svgOf("data:image/png;base64,"+base64.StdEncoding.EncodeToString([]byte(svgOf(t.URL+"nested.png")))))),
		docx("packed SVG", "links", svgPart("word/media/image1.svgz", "image/svg+xml", gzipString(svgOf(t.URL+"packed.png")))),
		docx("SVG with another base", "links", svgPart("word/media/image1.svg", "image/svg+xml", strings.Replace(svgOf("base.png"), "<svg ", `<svg xml:base="`+t.URL+`" `, 1))),
		{"relations under another name in the archive", "damaged", convert.DOCX, relationsUnderTwoNames(t)},
		{"part that the directory does not list", "damaged", convert.DOCX, unlistedPart()},
		docx("header in EBCDIC", "damaged", Document{Relations: []Relation{{"rId9", "header", "header1.bin", false}}, Section: `<w:sectPr><w:headerReference w:type="default" r:id="rId9"/></w:sectPr>`, Body: Paragraphs("x"), Parts: map[string]string{
			"word/header1.bin": encodeEBCDIC(`<?xml version="1.0" encoding="IBM037"?><w:hdr ` + Spaces + `><w:p>` + field(code(show)).Body[5:len(field(code(show)).Body)-6] + `</w:p></w:hdr>`),
		}}),
		docx("element with a million attributes", "complex", Document{Body: `<w:p ` + strings.Repeat(`a="" `, 1<<20) + `/>`}),
		docx("text of 20 MB in one piece", "complex", Document{Body: Paragraphs(strings.Repeat("a", 20<<20))}),
	}
}

func svgOf(href string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="50"><image xlink:href="` + href + `" width="100" height="50"/></svg>`
}

func svgPart(name, kind, content string) Document {
	ext := name[strings.LastIndex(name, ".")+1:]
	return Document{
		Body: Paragraphs("x") + Picture("embed", "rId9", 40, 20), Relations: []Relation{{"rId9", "image", strings.TrimPrefix(name, "word/"), false}},
		Types: `<Default Extension="` + ext + `" ContentType="` + kind + `"/>`, Parts: map[string]string{name: content},
	}
}

func gzipString(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(s))
	panicOnError(err)
	panicOnError(z.Close())
	return b.String()
}

// encodeUTF7 writes what is markup in UTF-7.
func encodeUTF7(s string) string {
	return strings.NewReplacer("<", "+ADw-", ">", "+AD4-", `"`, "+ACI-", "&", "+ACY-", "+", "+-").Replace(s)
}

// encodeEBCDIC writes ASCII in code page 37.
func encodeEBCDIC(s string) string {
	const of = "\x40\x5A\x7F\x7B\x5B\x6C\x50\x7D\x4D\x5D\x5C\x4E\x6B\x60\x4B\x61\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x5E\x4C\x7E\x6E\x6F" +
		"\x7C\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\xD1\xD2\xD3\xD4\xD5\xD6\xD7\xD8\xD9\xE2\xE3\xE4\xE5\xE6\xE7\xE8\xE9\xBA\xE0\xBB\xB0\x6D" +
		"\x79\x81\x82\x83\x84\x85\x86\x87\x88\x89\x91\x92\x93\x94\x95\x96\x97\x98\x99\xA2\xA3\xA4\xA5\xA6\xA7\xA8\xA9\xC0\x4F\xD0\xA1"
	b := []byte(s)
	for i, c := range b {
		b[i] = of[c-' ']
	}
	return string(b)
}

// relationsUnderTwoNames is an archive in which the relations of the main part have another name for a reader of old archives.
func relationsUnderTwoNames(t Targets) []byte {
	const seen, meant = "word/media/rels.xml", "word/_rels/document.xml.rels"
	extra := binary.LittleEndian.AppendUint16(nil, 0x7075)
	extra = binary.LittleEndian.AppendUint16(extra, uint16(5+len(meant)))
	extra = append(extra, 1)
	extra = binary.LittleEndian.AppendUint32(extra, crc32.ChecksumIEEE([]byte(seen)))
	extra = append(extra, meant...)
	d := Document{Body: Paragraphs("x") + Picture("link", "rId9", 40, 20)}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range d.buildParts() {
		addStored(z, zip.FileHeader{Name: name}, content)
	}
	addStored(z, zip.FileHeader{Name: seen, Extra: extra}, Relations(Relation{"rId9", "image", t.URL + "names.png", true}))
	panicOnError(z.Close())
	return b.Bytes()
}

// unlistedPart is an archive that begins with a part which its directory does not know.
func unlistedPart() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	addStored(z, zip.FileHeader{Name: "word/document.xml"}, "<other/>")
	panicOnError(z.Flush())
	n := int64(b.Len())
	rest := zip.NewWriter(&b)
	rest.SetOffset(n)
	for name, content := range (Document{Body: Paragraphs("x")}).buildParts() {
		addStored(rest, zip.FileHeader{Name: name}, content)
	}
	panicOnError(rest.Close())
	return b.Bytes()
}
