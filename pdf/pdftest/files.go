package pdftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Page describes one page of Pages.
type Page struct {
	MediaBox [4]float64 // zero is A4
	CropBox  [4]float64 // zero is left out
	Rotate   int
	Entries  string // more entries of the page dictionary, as PDF
}

// Object numbers that all files of this package have in common.
const (
	CatalogNumber = 1
	PagesNumber   = 2
	FontNumber    = 3
	InfoNumber    = 4
	// FirstPageNumber is page 1; page i has FirstPageNumber + 2(i-1), and its contents the next number.
	FirstPageNumber = 5
)

// body is one object of a document.
type body struct {
	number int
	text   string
	data   []byte // of a stream, whose entries are text
}

// documentBodies lists the objects of a document in order of number. catalog has further catalog entries, as PDF.
func documentBodies(pages []Page, catalog string) []body {
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", FirstPageNumber+2*i)
	}
	all := []body{
		{CatalogNumber, fmt.Sprintf("<< /Type /Catalog /Pages 2 0 R %s >>", catalog), nil},
		{PagesNumber, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 595.28 841.89] >>", kids.String(), len(pages)), nil},
		{FontNumber, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", nil},
		{InfoNumber, "<< /Title (A sample) /Producer (Segel) >>", nil},
	}
	for i, p := range pages {
		n := FirstPageNumber + 2*i
		all = append(all,
			body{n, p.dictText(n + 1), nil},
			body{n + 1, "", fmt.Appendf(nil, "BT /F1 24 Tf 72 720 Td (Page %d) Tj ET", i+1)})
	}
	return all
}

func (p Page) dictText(contents int) string {
	s := fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >>", contents)
	if p.MediaBox != [4]float64{} {
		s += fmt.Sprintf(" /MediaBox %v", p.MediaBox)
	}
	if p.CropBox != [4]float64{} {
		s += fmt.Sprintf(" /CropBox %v", p.CropBox)
	}
	if p.Rotate != 0 {
		s += fmt.Sprintf(" /Rotate %d", p.Rotate)
	}
	return s + " " + p.Entries + " >>"
}

func (b *builder) writeBody(o body) {
	if o.data != nil {
		b.writeStream(o.number, o.text, o.data)
		return
	}
	b.writeObject(o.number, o.text)
}

// Pages is a file of the given pages with a cross-reference table.
func Pages(pages ...Page) []byte { return withCatalog(pages, "") }

func withCatalog(pages []Page, catalog string, more ...body) []byte {
	b := newBuilder("1.7")
	for _, o := range append(documentBodies(pages, catalog), more...) {
		b.writeBody(o)
	}
	return b.finishWithTable("/Info 4 0 R")
}

// Table is a file of n A4 pages with a cross-reference table.
func Table(n int) []byte { return Pages(make([]Page, n)...) }

// Streams is a file of n A4 pages whose dictionaries are in an object stream,
// with a cross-reference stream.
func Streams(n int) []byte {
	b := newBuilder("1.7")
	var numbers []int
	var texts []string
	for _, o := range documentBodies(make([]Page, n), "") {
		if o.data != nil {
			b.writeBody(o)
			continue
		}
		numbers = append(numbers, o.number)
		texts = append(texts, o.text)
	}
	container := FirstPageNumber + 2*n
	b.writeObjectStream(container, numbers, texts)
	at := b.writeXrefStream(container+1, "/Info 4 0 R", nil)
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

// Hybrid is a file of n A4 pages with a cross-reference table whose trailer has /XRefStm. The /Outlines of its catalog,
// object FirstPageNumber+2n, are in an object stream that is only in that stream: the table marks it as free.
func Hybrid(n int) []byte {
	hidden := FirstPageNumber + 2*n
	b := newBuilder("1.5")
	for _, o := range documentBodies(make([]Page, n), fmt.Sprintf("/Outlines %d 0 R", hidden)) {
		b.writeBody(o)
	}
	b.writeObjectStream(hidden+1, []int{hidden}, []string{"<< /Type /Outlines /Count 0 >>"})
	stream := b.writeXrefStream(hidden+2, "", []int{hidden, hidden + 1})
	return b.finishWithTable(fmt.Sprintf("/Info 4 0 R /XRefStm %d", stream))
}

// WordHybrid is a file of n A4 pages with a cross-reference as Word writes it: a table, in which the /Outlines of the
// catalog, object FirstPageNumber+2n, are free; and behind it a section without entries, whose /XRefStm has them. The
// stream of Word has all other objects, too.
func WordHybrid(n int) []byte {
	hidden := FirstPageNumber + 2*n
	b := newBuilder("1.7")
	for _, o := range documentBodies(make([]Page, n), fmt.Sprintf("/Outlines %d 0 R", hidden)) {
		b.writeBody(o)
	}
	b.writeObjectStream(hidden+1, []int{hidden}, []string{"<< /Type /Outlines /Count 0 >>"})
	stream := b.writeXrefStream(hidden+2, "/Info 4 0 R", []int{hidden, hidden + 1, hidden + 2})
	table := b.Len()
	b.finishWithTable("/Info 4 0 R")
	at := b.Len()
	b.WriteString("xref\n0 0\n")
	b.writeTrailer(fmt.Sprintf("/Size %d /Root 1 0 R /ID %s /Info 4 0 R /Prev %d /XRefStm %d", b.last+1, fileID, table, stream), at)
	return b.Bytes()
}

// Rotated is a file of four pages of 600 by 800 units, rotated by 0, 90, 180 and 270 degrees, with a crop box of 400 by
// 700 at (100, 50).
func Rotated() []byte {
	pages := make([]Page, 4)
	for i := range pages {
		pages[i] = Page{MediaBox: [4]float64{0, 0, 600, 800}, CropBox: [4]float64{100, 50, 500, 750}, Rotate: 90 * i}
	}
	return Pages(pages...)
}

// FormNumber is the form dictionary of Form, followed by its fields: FormNumber+1 a text field "name" merged with its
// widget, +2 a group "group" with +3 below it, a check box "group.agree" whose widget is +4, and +5 an array that is
// /Annots of page 1.
const FormNumber = 100

// Form is a file of one page with a form in an indirect dictionary, which has
// /DR, /DA and /NeedAppearances, and an indirect /Annots.
func Form() []byte {
	page := Page{Entries: fmt.Sprintf("/Annots %d 0 R", FormNumber+5)}
	f := func(i int) int { return FormNumber + i }
	return withCatalog([]Page{page}, fmt.Sprintf("/AcroForm %d 0 R", FormNumber),
		body{f(0), fmt.Sprintf("<< /Fields [%d 0 R %d 0 R] /DR << /Font << /Helv 3 0 R >> >> /DA (/Helv 0 Tf 0 g) >>", f(1), f(2)), nil},
		body{f(1), fmt.Sprintf("<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Siti) /Rect [72 600 272 620] /P 5 0 R /F 4 /DA (/Helv 12 Tf 0 g) /AP << /N %d 0 R >> >>", f(6)), nil},
		body{f(2), fmt.Sprintf("<< /T (group) /Kids [%d 0 R] >>", f(3)), nil},
		body{f(3), fmt.Sprintf("<< /T (agree) /FT /Btn /V /Off /Parent %d 0 R /Kids [%d 0 R] >>", f(2), f(4)), nil},
		body{f(4), fmt.Sprintf("<< /Type /Annot /Subtype /Widget /Rect [72 560 92 580] /P 5 0 R /F 4 /AS /Off /Parent %d 0 R /AP << /N << /Yes %d 0 R /Off %d 0 R >> >> >>", f(3), f(6), f(6)), nil},
		body{f(5), fmt.Sprintf("[%d 0 R %d 0 R]", f(1), f(4)), nil},
		body{f(6), "/Type /XObject /Subtype /Form /BBox [0 0 200 20]", []byte("q Q")},
	)
}

// Active is a file of one page with one of each kind of active content that a single dictionary can have.
func Active() []byte {
	page := Page{Entries: "/AA << /O << /S /JavaScript /JS (app.alert\\(1\\)) >> >> /Annots [101 0 R 102 0 R]"}
	return withCatalog([]Page{page}, "/OpenAction << /S /Launch /F (calc.exe) >>",
		body{101, "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (file:///etc/passwd) >> >>", nil},
		body{102, "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoToR /F (other.pdf) /D [0 /Fit] >> >>", nil},
	)
}

// ActiveStreams is a file of one page with active content in two object streams that have two numbers in common. The entry of object 101 leads to the second
// stream, where it has a launch action; in the first it has JavaScript, which nothing leads to. Object 102 is twice in the second stream: first with
// JavaScript, which its entry does not lead to either, and then with a remote destination.
func ActiveStreams() []byte {
	b := newBuilder("1.7")
	for _, o := range documentBodies([]Page{{Entries: "/Annots [101 0 R 102 0 R]"}}, "") {
		b.writeBody(o)
	}
	annotation := func(action string) string {
		return "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A " + action + " >>"
	}
	script := annotation("<< /S /JavaScript /JS (app.alert\\(1\\)) >>")
	b.writeObjectStream(110, []int{101}, []string{script})
	b.writeObjectStream(111, []int{101, 102, 102}, []string{annotation("<< /S /Launch /F (calc.exe) >>"), script, annotation("<< /S /GoToR /F (other.pdf) /D [0 /Fit] >>")})
	at := b.writeXrefStream(112, "/Info 4 0 R", nil)
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

// Linearized is a file of n A4 pages laid out as linearized files are: the
// first-page section comes first and names the main one, which is near the
// end, as /Prev; startxref at the end leads to the front. It has no hint
// tables, and its /L is one too long, so that readers which could use those
// take it for a linearized file that was updated.
func Linearized(n int) []byte {
	all := documentBodies(make([]Page, n), "")
	// Front part: the linearization dictionary, its section, the catalog.
	const lead = 400
	first := FirstPageNumber + 2*n // number of the linearization dictionary
	front := func(length, mainXref, catalogAt int) []byte {
		var b bytes.Buffer
		b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
		dictAt := b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n<< /Linearized 1 /L %010d /H [0 0] /O 5 /E %010d /N %d /T %010d >>\nendobj\n", first, length, mainXref, n, mainXref)
		xref := b.Len()
		fmt.Fprintf(&b, "xref\n1 1\n%010d 00000 n \n%d 1\n%010d 00000 n \n", catalogAt, first, dictAt)
		fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R /ID %s /Prev %010d >>\nstartxref\n0\n%%%%EOF\n", first+1, fileID, mainXref)
		fmt.Fprintf(&b, "%% %*d\n", lead, xref)
		return b.Bytes()
	}
	size := len(front(0, 0, 0))
	b := &builder{at: map[int]int{}, packed: map[int][2]int{}}
	b.Write(make([]byte, size))
	for _, o := range all {
		b.writeBody(o)
	}
	mainXref := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", first)
	for i := 1; i < first; i++ {
		fmt.Fprintf(b, "%010d 00000 n \n", b.at[i])
	}
	frontXref := bytes.Index(front(0, 0, 0), []byte("xref\n1 1"))
	b.writeTrailer(fmt.Sprintf("/Size %d /Root 1 0 R /ID %s", first, fileID), frontXref)
	out := b.Bytes()
	copy(out, front(len(out)+1, mainXref, b.at[CatalogNumber]))
	return out
}

// PDFA is a file of one A4 page that conforms to PDF/A-1b, -2b or -3b by its part. Part 1 has a cross-reference table
// and the version it requires, 1.4; the others have an object stream. The page is a coloured box, as text would need an
// embedded font.
func PDFA(part int) []byte {
	version := "1.4"
	if part > 1 {
		version = "1.7"
	}
	b := newBuilder(version)
	numbers := []int{1, 2, 3}
	bodies := []string{
		"<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R /OutputIntents [<< /Type /OutputIntent /S /GTS_PDFA1" +
			" /OutputConditionIdentifier (sRGB) /Info (sRGB) /DestOutputProfile 6 0 R >>] >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << >> >>",
	}
	if part == 1 {
		for i, n := range numbers {
			b.writeObject(n, bodies[i])
		}
	} else {
		b.writeObjectStream(7, numbers, bodies)
	}
	b.writeStream(4, "", []byte("0.2 0.3 0.6 rg 72 600 451 120 re f"))
	b.writeStream(5, "/Type /Metadata /Subtype /XML", []byte(pdfaMetadata(part)))
	b.writeStream(6, "/N 3", srgbProfile())
	if part == 1 {
		return b.finishWithTable("")
	}
	at := b.writeXrefStream(8, "", nil)
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

// pdfaMetadata claims conformance in XMP.
func pdfaMetadata(part int) string {
	return "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		"<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">" +
		"<rdf:Description rdf:about=\"\" xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\">" +
		fmt.Sprintf("<pdfaid:part>%d</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>", part) +
		"</rdf:Description></rdf:RDF></x:xmpmeta>\n" + strings.Repeat(" ", 100) + "\n<?xpacket end=\"w\"?>"
}

// srgbProfile is an ICC profile of a display with the primaries of sRGB and a gamma of 2.2, version 2.
func srgbProfile() []byte {
	be := binary.BigEndian
	xyz := func(x, y, z float64) []byte {
		b := append([]byte("XYZ "), 0, 0, 0, 0)
		for _, v := range []float64{x, y, z} {
			b = be.AppendUint32(b, uint32(math.Round(v*65536)))
		}
		return b
	}
	name := "sRGB"
	description := append([]byte("desc\x00\x00\x00\x00"), be.AppendUint32(nil, uint32(len(name)+1))...)
	description = append(append(description, name...), make([]byte, 1+4+4+2+1+67)...) // no Unicode, no script code
	gamma := append([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), 0x02, 0x33)
	tags := []struct {
		name string
		data []byte
	}{
		{"desc", description},
		{"cprt", []byte("text\x00\x00\x00\x00None\x00")},
		{"wtpt", xyz(0.9642, 1, 0.8249)},
		{"rXYZ", xyz(0.4361, 0.2225, 0.0139)},
		{"gXYZ", xyz(0.3851, 0.7169, 0.0971)},
		{"bXYZ", xyz(0.1431, 0.0606, 0.7141)},
		{"rTRC", gamma}, {"gTRC", gamma}, {"bTRC", gamma},
	}
	table := be.AppendUint32(nil, uint32(len(tags)))
	var data bytes.Buffer
	for _, t := range tags {
		at := 128 + 4 + 12*len(tags) + data.Len()
		table = be.AppendUint32(be.AppendUint32(append(table, t.name...), uint32(at)), uint32(len(t.data)))
		data.Write(t.data)
		data.Write(make([]byte, (4-len(t.data)%4)%4))
	}
	header := make([]byte, 128)
	be.PutUint32(header, uint32(128+len(table)+data.Len()))
	be.PutUint32(header[8:], 0x02100000)
	copy(header[12:], "mntrRGB XYZ ")
	for i, v := range []uint16{2026, 1, 1} {
		be.PutUint16(header[24+2*i:], v)
	}
	copy(header[36:], "acsp")
	copy(header[68:], xyz(0.9642, 1, 0.8249)[8:])
	return append(append(header, table...), data.Bytes()...)
}
