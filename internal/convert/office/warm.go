package office

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// Documents of ours. A process opens the first at its start, which keeps it from ending after the first conversion,
// and converts both, which makes it load what it would load for the first stranger's: filters, layout, the usual
// fonts, and the defaults of documents that have no styles of their own.
var (
	warmDocument  = makeWarmDocument()
	plainDocument = makePlainDocument()
)

// letters are those of most contracts: what was drawn once is drawn faster.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 .,;:-/()%"

const wordNS = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

func makeWarmDocument() []byte {
	const para = `<w:p><w:pPr><w:jc w:val="both"/></w:pPr><w:r><w:t>Segel </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Segel</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t> Segel</w:t></w:r></w:p>`
	const list = `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Segel</w:t></w:r></w:p>`
	fonts := ""
	for _, name := range []string{"Times New Roman", "Arial", "Cambria", "Courier New", "Symbol"} {
		for _, style := range []string{"", "<w:b/>", "<w:i/>", "<w:b/><w:i/>"} {
			fonts += fmt.Sprintf(`<w:p><w:r><w:rPr><w:rFonts w:ascii="%[1]s" w:hAnsi="%[1]s"/>%[2]s</w:rPr><w:t>%[3]s</w:t></w:r></w:p>`, name, style, letters)
		}
	}
	cell := `<w:tc><w:tcPr><w:tcW w:w="4000" w:type="dxa"/></w:tcPr>` + para + `</w:tc>`
	body := para + list + fonts + `<w:tbl><w:tblGrid><w:gridCol w:w="4000"/><w:gridCol w:w="4000"/></w:tblGrid><w:tr>` + cell + cell + `</w:tr></w:tbl>` + strings.Repeat(para, 60) +
		`<w:sectPr><w:footerReference w:type="default" r:id="rId1"/></w:sectPr>`
	return mustPackage([][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			override("document", "document.main") + override("numbering", "numbering") + override("footer1", "footer") + override("styles", "styles") + `</Types>`},
		{"_rels/.rels", relations("officeDocument", "word/document.xml")},
		{"word/_rels/document.xml.rels", relations("footer", "footer1.xml", "numbering", "numbering.xml", "styles", "styles.xml")},
		{"word/document.xml", `<w:document ` + wordNS + ` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>` + body + `</w:body></w:document>`},
		{"word/footer1.xml", `<w:ftr ` + wordNS + `>` + para + `</w:ftr>`},
		{"word/styles.xml", `<w:styles ` + wordNS + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>`},
		{"word/numbering.xml", `<w:numbering ` + wordNS + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`},
	})
}

func makePlainDocument() []byte {
	return mustPackage([][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` + override("document", "document.main") + `</Types>`},
		{"_rels/.rels", relations("officeDocument", "word/document.xml")},
		{"word/document.xml", `<w:document ` + wordNS + `><w:body>` + strings.Repeat(`<w:p><w:r><w:t>`+letters+`</w:t></w:r></w:p>`, 60) + `</w:body></w:document>`},
	})
}

func override(part, kind string) string {
	return fmt.Sprintf(`<Override PartName="/word/%s.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.%s+xml"/>`, part, kind)
}

// relations lists kinds and targets in turn, numbered rId1 and up.
func relations(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, i/2+1, pairs[i], pairs[i+1])
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// mustPackage zips parts. It writes constants to memory, so it cannot fail but by a mistake of the program.
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
