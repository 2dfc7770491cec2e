// Package converttest makes Word documents for tests: plain ones, one that shows what layout can go wrong, and many
// that try to make a converter do what it must not.
package converttest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
)

// Document is a DOCX to be made. The zero value is an empty one.
type Document struct {
	Body      string            // markup of paragraphs; P makes some
	Section   string            // markup of the last section
	Relations []Relation        // of the main part
	Parts     map[string]string // further ones, by name
	Types     string            // further entries of the list of parts
	MainType  string            // in the place of a document's
	Prolog    string            // before the root element of the main part
}

// Relation of a part to another, or to something outside.
type Relation struct {
	ID, Kind, Target string
	External         bool
}

const (
	head     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	types    = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	kinds    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	Spaces   = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`
	MainPart = "word/document.xml"
)

// Paragraphs makes a paragraph for each text.
func Paragraphs(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&b, `<w:p><w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>`, t)
	}
	return b.String()
}

// Bytes makes the file.
func (d Document) Bytes() []byte {
	parts := d.buildParts()
	names := slices.Sorted(maps.Keys(parts))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		addEntry(z, &zip.FileHeader{Name: name, Method: zip.Deflate}, parts[name])
	}
	panicOnError(z.Close())
	return b.Bytes()
}

func (d Document) buildParts() map[string]string {
	main := d.MainType
	if main == "" {
		main = types + "document.main+xml"
	}
	parts := map[string]string{
		"[Content_Types].xml": head + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="` + main + `"/>` + d.Types + `</Types>`,
		"_rels/.rels": Relations(Relation{ID: "rId1", Kind: "officeDocument", Target: MainPart}),
		MainPart:      head + d.Prolog + `<w:document ` + Spaces + `><w:body>` + d.Body + d.Section + `</w:body></w:document>`,
	}
	if len(d.Relations) > 0 {
		parts["word/_rels/document.xml.rels"] = Relations(d.Relations...)
	}
	maps.Copy(parts, d.Parts)
	return parts
}

// Type makes an entry of the list of parts for a part below word/.
func Type(part, kind string) string {
	return fmt.Sprintf(`<Override PartName="/word/%s" ContentType="%s%s+xml"/>`, part, types, kind)
}

// Relations makes a list of relations.
func Relations(all ...Relation) string {
	var b strings.Builder
	b.WriteString(head + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for _, r := range all {
		kind, mode := r.Kind, ""
		if !strings.Contains(kind, "://") {
			kind = kinds + kind
		}
		if r.External {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&b, `<Relationship Id="%s" Type="%s" Target="%s"%s/>`, r.ID, kind, r.Target, mode)
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// Picture makes the markup of a picture of that many millimetres, embedded or linked by the relation id.
func Picture(how, id string, width, height int) string {
	const perMM = 36000
	return fmt.Sprintf(`<w:p><w:r><w:drawing><wp:inline><wp:extent cx="%[3]d" cy="%[4]d"/><wp:docPr id="1" name="Gambar"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">`+
		`<pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="Gambar"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:%[1]s="%[2]s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[3]d" cy="%[4]d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
		how, id, width*perMM, height*perMM)
}

// Field makes a field whose code is split over runs.
func Field(code ...string) string {
	var b strings.Builder
	b.WriteString(`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>`)
	for _, c := range code {
		fmt.Fprintf(&b, `<w:r><w:instrText xml:space="preserve">%s</w:instrText></w:r>`, c)
	}
	b.WriteString(`<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>hasil</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`)
	return b.String()
}

func addEntry(z *zip.Writer, h *zip.FileHeader, content string) {
	w, err := z.CreateHeader(h)
	panicOnError(err)
	_, err = w.Write([]byte(content))
	panicOnError(err)
}

// addStored makes an entry as it stands, without being packed, from a raw header.
func addStored(z *zip.Writer, h zip.FileHeader, content string) {
	h.Method, h.CRC32 = zip.Store, crc32.ChecksumIEEE([]byte(content))
	h.CompressedSize64, h.UncompressedSize64 = uint64(len(content)), uint64(len(content))
	w, err := z.CreateRaw(&h)
	panicOnError(err)
	_, err = w.Write([]byte(content))
	panicOnError(err)
}

// panicOnError stops a test's preparation, which writes constants to memory.
func panicOnError(err error) {
	if err != nil {
		panic(err)
	}
}
