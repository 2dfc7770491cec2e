// Package converttest builds Word documents for tests: plain ones, one with everything that layout can get wrong, and
// many that attack a converter.
package converttest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
	"strings"
)

// Document is a DOCX to be built. The zero value is an empty document.
type Document struct {
	Body      string            // markup of paragraphs; see Paragraphs
	Section   string            // markup of the last section
	Relations []Relation        // of the main part
	Parts     map[string]string // further parts, by name
	Types     string            // further entries of the list of parts
	MainType  string            // instead of a document's
	Prolog    string            // before the root element of the main part
}

// Relation is a relation of a part to another part, or to something outside.
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

// Paragraphs returns a paragraph for each text.
func Paragraphs(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&b, `<w:p><w:r><w:t xml:space="preserve">%s</w:t></w:r></w:p>`, t)
	}
	return b.String()
}

// Bytes returns the file.
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

// Type returns the content type entry of a part below word/.
func Type(part, kind string) string {
	return fmt.Sprintf(`<Override PartName="/word/%s" ContentType="%s%s+xml"/>`, part, types, kind)
}

// Relations returns a list of relations.
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

// Picture returns the markup of a picture of that size in millimetres, embedded or linked by the relation id.
func Picture(how, id string, width, height int) string {
	const perMM = 36000
	return fmt.Sprintf(`<w:p><w:r><w:drawing><wp:inline><wp:extent cx="%[3]d" cy="%[4]d"/><wp:docPr id="1" name="Gambar"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture">`+
		`<pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="Gambar"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:%[1]s="%[2]s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[3]d" cy="%[4]d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
		how, id, width*perMM, height*perMM)
}

// Field returns a field whose code is split over runs.
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

// addStored adds an uncompressed entry with a raw header.
func addStored(z *zip.Writer, h zip.FileHeader, content string) {
	h.Method, h.CRC32 = zip.Store, crc32.ChecksumIEEE([]byte(content))
	h.CompressedSize64, h.UncompressedSize64 = uint64(len(content)), uint64(len(content))
	w, err := z.CreateRaw(&h)
	panicOnError(err)
	_, err = w.Write([]byte(content))
	panicOnError(err)
}

// panicOnError stops the preparation of a test, which only writes constants to memory.
func panicOnError(err error) {
	if err != nil {
		panic(err)
	}
}

// SamplePages is the number of pages that [Sample] states.
const SamplePages = 4

// Sample returns a contract with everything that conversions are known to get wrong: tables with joined cells, header
// and footer with page numbers, a picture, footnotes, text from right to left and in Chinese, tracked changes,
// numbered articles, styles based on styles, missing fonts, and a section in landscape.
func Sample() []byte {
	const section = `<w:headerReference w:type="default" r:id="rIdH"/><w:footerReference w:type="default" r:id="rIdF"/>`
	portrait := `<w:sectPr>` + section + `<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1701" w:right="1134" w:bottom="1134" w:left="1701" w:header="709" w:footer="709"/></w:sectPr>`
	landscape := `<w:sectPr>` + section + `<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:pgMar w:top="1701" w:right="1134" w:bottom="1134" w:left="1134" w:header="709" w:footer="709"/></w:sectPr>`
	break_ := func(s string) string { return `<w:p><w:pPr>` + s + `</w:pPr></w:p>` }
	body := styledParagraph("Heading1", "PERJANJIAN SEWA RUANG USAHA") + styledParagraph("Normal", "Perjanjian ini dibuat di Jakarta pada tanggal 14 Oktober 2024 oleh dan antara para pihak berikut:") +
		partiesTable() + styledParagraph("Heading2", "Pasal 1 — Objek") + numberedArticles() + footnoteParagraph() + Picture("embed", "rIdP", 60, 30) +
		styledParagraph("Heading2", "Pasal 2 — Bahasa") + otherScripts() + styledParagraph("Heading2", "Pasal 3 — Perubahan") + trackedChanges() +
		fontParagraph("Fonta Yang Tidak Ada", "Paragraf ini memakai fonta yang tidak terpasang di mana pun.") +
		break_(portrait) + styledParagraph("Heading1", "LAMPIRAN — JADWAL PEMBAYARAN") + scheduleTable() + break_(landscape) +
		styledParagraph("Heading1", "TANDA TANGAN") + signatureTable()
	return Document{
		Body: body, Section: portrait,
		Relations: []Relation{
			{"rIdS", "styles", "styles.xml", false}, {"rIdN", "numbering", "numbering.xml", false}, {"rIdT", "footnotes", "footnotes.xml", false},
			{"rIdH", "header", "header1.xml", false}, {"rIdF", "footer", "footer1.xml", false}, {"rIdP", "image", "media/image1.png", false}, {"rIdM", "theme", "theme/theme1.xml", false},
			{"rIdL", "hyperlink", "https://contoh.id/syarat", true},
		},
		Types: Type("styles.xml", "styles") + Type("numbering.xml", "numbering") + Type("footnotes.xml", "footnotes") + Type("header1.xml", "header") + Type("footer1.xml", "footer") +
			`<Override PartName="/docProps/app.xml" ContentType="application/vnd.openxmlformats-officedocument.extended-properties+xml"/>`,
		Parts: map[string]string{
			"word/styles.xml": sampleStyles, "word/numbering.xml": sampleNumbering, "word/footnotes.xml": sampleFootnotes,
			"word/header1.xml":      head + `<w:hdr ` + Spaces + `><w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="1F4E79"/></w:pBdr><w:tabs><w:tab w:val="right" w:pos="9070"/></w:tabs></w:pPr><w:r><w:t>PT Layar Nusantara</w:t></w:r><w:r><w:tab/><w:t>No. 017/PSR/X/2024</w:t></w:r></w:p></w:hdr>`,
			"word/footer1.xml":      head + `<w:ftr ` + Spaces + `><w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t xml:space="preserve">Halaman </w:t></w:r>` + pageField("PAGE") + `<w:r><w:t xml:space="preserve"> dari </w:t></w:r>` + pageField("NUMPAGES") + `</w:p></w:ftr>`,
			"word/media/image1.png": samplePicture(),
			"word/theme/theme1.xml": head + `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="x"><a:themeElements><a:fontScheme name="x"><a:majorFont><a:latin typeface="Cambria"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme></a:themeElements></a:theme>`,
			"docProps/app.xml":      head + fmt.Sprintf(`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Template>Normal.dotm</Template><Pages>%d</Pages></Properties>`, SamplePages),
			"_rels/.rels": Relations(Relation{ID: "rId1", Kind: "officeDocument", Target: MainPart},
				Relation{ID: "rId2", Kind: "extended-properties", Target: "docProps/app.xml"}),
		},
	}.Bytes()
}

func styledParagraph(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func fontParagraph(font, text string) string {
	return fmt.Sprintf(`<w:p><w:r><w:rPr><w:rFonts w:ascii="%[1]s" w:hAnsi="%[1]s"/></w:rPr><w:t>%[2]s</w:t></w:r></w:p>`, font, text)
}

func pageField(code string) string {
	return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ` + code + ` </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

const borders = `<w:tblBorders><w:top w:val="single" w:sz="4"/><w:left w:val="single" w:sz="4"/><w:bottom w:val="single" w:sz="4"/><w:right w:val="single" w:sz="4"/><w:insideH w:val="single" w:sz="4"/><w:insideV w:val="single" w:sz="4"/></w:tblBorders>`

// buildTable returns a table of rows of cells; properties of a cell may come before a bar.
func buildTable(widths []int, rows ...[]string) string {
	var b strings.Builder
	b.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/>` + borders + `</w:tblPr><w:tblGrid>`)
	for _, w := range widths {
		fmt.Fprintf(&b, `<w:gridCol w:w="%d"/>`, w)
	}
	b.WriteString(`</w:tblGrid>`)
	for _, row := range rows {
		b.WriteString(`<w:tr>`)
		for i, cell := range row {
			properties, text, found := strings.Cut(cell, "|")
			if !found {
				properties, text = "", cell
			}
			fmt.Fprintf(&b, `<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/>%s</w:tcPr>%s</w:tc>`, widths[min(i, len(widths)-1)], properties, Paragraphs(text))
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl>` + Paragraphs(""))
	return b.String()
}

func partiesTable() string {
	const shade = `<w:shd w:val="clear" w:fill="D9E2F3"/>`
	return buildTable([]int{1800, 3600, 3600},
		[]string{shade + `|Pihak`, shade + `|Nama`, shade + `|Alamat`},
		[]string{`<w:vMerge w:val="restart"/>|Pertama`, `PT Layar Nusantara`, `Jl. Pelabuhan 7, Jakarta Utara`},
		[]string{`<w:vMerge/>|`, `<w:gridSpan w:val="2"/>|diwakili oleh Siti Rahma, Direktur`},
		[]string{`Kedua`, `CV Angin Timur`, `Jl. Kenanga 12, Surabaya`},
	)
}

func numberedArticles() string {
	var b strings.Builder
	for i, t := range []string{
		"Pihak Pertama menyewakan kepada Pihak Kedua ruang usaha seluas 120 m² di lantai dasar gedung sebagaimana ditunjukkan pada gambar di bawah.",
		"Jangka waktu sewa adalah 24 (dua puluh empat) bulan terhitung sejak tanggal perjanjian ini ditandatangani oleh para pihak.",
		"Harga sewa sebesar Rp 15.000.000,00 (lima belas juta rupiah) per bulan, dibayar di muka sesuai jadwal dalam lampiran.",
	} {
		fmt.Fprintf(&b, `<w:p><w:pPr><w:pStyle w:val="Normal"/><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="1"/></w:numPr><w:jc w:val="both"/></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, i/2, t)
	}
	return b.String()
}

func footnoteParagraph() string {
	return `<w:p><w:r><w:t>Segala sengketa diselesaikan secara musyawarah</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve">, lihat </w:t></w:r><w:hyperlink r:id="rIdL"><w:r><w:rPr><w:color w:val="0563C1"/><w:u w:val="single"/></w:rPr><w:t>syarat umum</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>`
}

func otherScripts() string {
	return `<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rFonts w:cs="Arial"/><w:rtl/><w:lang w:bidi="ar-SA"/></w:rPr><w:t>حررت هذه الاتفاقية بين الطرفين الموقعين أدناه في جاكرتا (١٤ أكتوبر ٢٠٢٤).</w:t></w:r></w:p>` +
		`<w:p><w:r><w:rPr><w:rFonts w:eastAsia="SimSun"/><w:lang w:eastAsia="zh-CN"/></w:rPr><w:t>本合同由以下双方于二〇二四年十月十四日在雅加达签订。</w:t></w:r></w:p>` +
		Paragraphs("Naskah asli perjanjian ini dibuat dalam bahasa Indonesia; tanda baca “kutip”, – garis, … dan aksara é ü ñ ikut diuji.")
}

func trackedChanges() string {
	const who = ` w:author="Andi Wijaya" w:date="2024-10-14T06:06:00Z"`
	return `<w:p><w:r><w:t xml:space="preserve">Pembayaran dilakukan paling lambat tanggal </w:t></w:r><w:del w:id="90"` + who + `><w:r><w:delText>5 (lima)</w:delText></w:r></w:del><w:ins w:id="91"` + who + `><w:r><w:t>10 (sepuluh)</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> setiap bulan.</w:t></w:r></w:p>`
}

func scheduleTable() string {
	rows := [][]string{{"Termin", "Jatuh tempo", "Jumlah", "Rekening", "Keterangan", "Denda per hari", "Status"}}
	for i := range 30 {
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprintf("10-%02d-%d", i%12+1, 2025+i/12), "Rp 15.000.000,00", "123-456-7890", "Sewa bulan berjalan", "0,1 %", "Belum"})
	}
	return buildTable([]int{1000, 1800, 2400, 2200, 3200, 1800, 1400}, rows...)
}

func signatureTable() string {
	return buildTable([]int{4500, 4500}, []string{"Pihak Pertama", "Pihak Kedua"}, []string{"meterai dan tanda tangan", "tanda tangan"}, []string{"Siti Rahma", "Budi Santoso"})
}

// samplePicture returns a picture: coloured areas in a frame.
func samplePicture() string {
	m := image.NewRGBA(image.Rect(0, 0, 240, 120))
	for y := range 120 {
		for x := range 240 {
			c := color.RGBA{uint8(60 + x/2), uint8(200 - y), uint8(160 + (x/40%2)*60), 255}
			if x < 4 || y < 4 || x > 235 || y > 115 {
				c = color.RGBA{20, 40, 80, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	panicOnError(png.Encode(&b, m))
	return b.String()
}

const (
	sampleStyles = head + `<w:styles ` + Spaces + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:asciiTheme="minorHAnsi" w:hAnsiTheme="minorHAnsi"/><w:sz w:val="22"/><w:lang w:val="id-ID" w:eastAsia="zh-CN" w:bidi="ar-SA"/></w:rPr></w:rPrDefault>` +
		`<w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="259" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Judul"><w:name w:val="Judul"/><w:basedOn w:val="Normal"/><w:rPr><w:rFonts w:asciiTheme="majorHAnsi" w:hAnsiTheme="majorHAnsi"/><w:color w:val="1F4E79"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Judul"/><w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Judul"/><w:rPr><w:b/><w:sz w:val="26"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Lain"><w:name w:val="Lain"/><w:rPr><w:rFonts w:ascii="Fonta Gaya Yang Tidak Dipakai"/></w:rPr></w:style></w:styles>`
	sampleNumbering = head + `<w:numbering ` + Spaces + `><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="1.%1"/><w:pPr><w:ind w:left="720" w:hanging="720"/></w:pPr></w:lvl>` +
		`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/><w:pPr><w:ind w:left="1276" w:hanging="556"/></w:pPr></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
	sampleFootnotes = head + `<w:footnotes ` + Spaces + `><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:type="continuationSeparator" w:id="1"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>` +
		`<w:footnote w:id="2"><w:p><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Apabila tidak tercapai mufakat, melalui Pengadilan Negeri Jakarta Utara.</w:t></w:r></w:p></w:footnote></w:footnotes>`
)
