package libreoffice

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// Our own documents. A process opens the first at its start, which keeps it from ending after the first conversion,
// and converts both, so that it loads what the first real document would make it load: filters, layout, the usual
// fonts, and the defaults of documents without styles.
var (
	warmDocument  = sync.OnceValue(makeWarmDocument)
	plainDocument = sync.OnceValue(makePlainDocument)
)

// commonLetters are the letters of most contracts: fonts draw cached letters faster.
const commonLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 .,;:-/()%"

// Namespaces, and what the types of parts begin with.
const (
	wordSpace      = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	officeSpace    = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	relationsSpace = `http://schemas.openxmlformats.org/package/2006/relationships`
	typesSpace     = `http://schemas.openxmlformats.org/package/2006/content-types`
	relationsType  = `application/vnd.openxmlformats-package.relationships+xml`
	wordType       = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
)

func makeWarmDocument() []byte {
	const (
		para = `<w:p><w:pPr><w:jc w:val="both"/></w:pPr><w:r><w:t>Segel </w:t></w:r>` +
			`<w:r><w:rPr><w:b/></w:rPr><w:t>Segel</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t> Segel</w:t></w:r></w:p>`
		list = `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Segel</w:t></w:r></w:p>`
		cell = `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>` + para + `</w:tc>`
		grid = `<w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid>`
		set  = `<w:p><w:r><w:rPr><w:rFonts w:ascii="%[1]s" w:hAnsi="%[1]s"/>%[2]s</w:rPr><w:t>%[3]s</w:t></w:r></w:p>`
	)
	fonts := ""
	for _, name := range []string{"Times New Roman", "Arial", "Cambria", "Courier New", "Symbol"} {
		for _, style := range []string{"", "<w:b/>", "<w:i/>", "<w:b/><w:i/>"} {
			fonts += fmt.Sprintf(set, name, style, commonLetters)
		}
	}
	body := para + list + fonts + `<w:tbl>` + grid + `<w:tr>` + cell + cell + `</w:tr></w:tbl>` + strings.Repeat(para, 60) +
		`<w:sectPr><w:footerReference w:type="default" r:id="rId1"/></w:sectPr>`
	return mustPackage([][2]string{
		{"[Content_Types].xml", contentTypes("document", "document.main", "numbering", "numbering", "footer1", "footer", "styles", "styles")},
		{"_rels/.rels", relationsXML("officeDocument", "word/document.xml")},
		{"word/_rels/document.xml.rels", relationsXML("footer", "footer1.xml", "numbering", "numbering.xml", "styles", "styles.xml")},
		{"word/document.xml", `<w:document ` + wordSpace + ` xmlns:r="` + officeSpace + `"><w:body>` + body + `</w:body></w:document>`},
		{"word/footer1.xml", `<w:ftr ` + wordSpace + `>` + para + `</w:ftr>`},
		{"word/styles.xml", `<w:styles ` + wordSpace + `><w:docDefaults><w:rPrDefault><w:rPr>` +
			`<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>`},
		{"word/numbering.xml", `<w:numbering ` + wordSpace + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>` +
			`<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>` +
			`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`},
	})
}

func makePlainDocument() []byte {
	text := strings.Repeat(`<w:p><w:r><w:t>`+commonLetters+`</w:t></w:r></w:p>`, 60)
	return mustPackage([][2]string{
		{"[Content_Types].xml", contentTypes("document", "document.main")},
		{"_rels/.rels", relationsXML("officeDocument", "word/document.xml")},
		{"word/document.xml", `<w:document ` + wordSpace + `><w:body>` + text + `</w:body></w:document>`},
	})
}

// contentTypes returns the content types of parts below word/. Pairs are names and kinds in turn.
func contentTypes(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Types xmlns="` + typesSpace + `"><Default Extension="rels" ContentType="` + relationsType + `"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>`)
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&b, `<Override PartName="/word/%s.xml" ContentType="%s%s+xml"/>`, pairs[i], wordType, pairs[i+1])
	}
	b.WriteString(`</Types>`)
	return b.String()
}

// relationsXML returns relations, numbered rId1 and up. Pairs are kinds and targets in turn.
func relationsXML(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="` + relationsSpace + `">`)
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/%s" Target="%s"/>`, i/2+1, officeSpace, pairs[i], pairs[i+1])
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// mustPackage zips parts. It writes constants to memory, so it can only fail by a mistake of the program.
func mustPackage(parts [][2]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		w, err := z.Create(p[0])
		if err == nil {
			_, err = w.Write([]byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + p[1]))
		}
		if err != nil {
			panic("zip a constant: " + err.Error())
		}
	}
	if err := z.Close(); err != nil {
		panic("zip a constant: " + err.Error())
	}
	return b.Bytes()
}
