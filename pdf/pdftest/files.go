package pdftest

import (
	"fmt"
	"strings"
)

// Page describes one page of Pages.
type Page struct {
	MediaBox [4]float64 // zero is A4
	CropBox  [4]float64 // zero is left out
	Rotate   int
	Entries  string // more entries of the page dictionary, as PDF
}

// Object numbers that every file here has in common.
const (
	CatalogNumber = 1
	PagesNumber   = 2
	FontNumber    = 3
	InfoNumber    = 4
	// FirstPageNumber is page 1; page i has FirstPageNumber + 2(i-1), and its
	// contents the number behind that.
	FirstPageNumber = 5
)

// body is one object of a document to be laid out.
type body struct {
	number int
	text   string
	data   []byte // of a stream, whose entries are text
}

// documentBodies lists the objects of a document in order of number. More catalog
// entries are given as PDF.
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

// Hybrid is a file of n A4 pages with a cross-reference table whose trailer
// has /XRefStm. The /Outlines of its catalog, object FirstPageNumber+2n, are in
// an object stream that only that stream knows of: the table calls it free.
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

// Rotated is a file of four pages of 600 by 800 units turned by 0, 90, 180 and
// 270 degrees, showing a crop box of 400 by 700 at (100, 50).
func Rotated() []byte {
	pages := make([]Page, 4)
	for i := range pages {
		pages[i] = Page{MediaBox: [4]float64{0, 0, 600, 800}, CropBox: [4]float64{100, 50, 500, 750}, Rotate: 90 * i}
	}
	return Pages(pages...)
}

// FormNumber is the form dictionary of Form, the objects behind it its fields:
// FormNumber+1 a text field "name" merged with its widget, +2 a group "group"
// with +3 below it, a check box "group.agree" whose widget is +4, and +5 an
// array that is /Annots of page 1.
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

// Active is a file of one page that carries one of each kind of active
// content that a single dictionary can.
func Active() []byte {
	page := Page{Entries: "/AA << /O << /S /JavaScript /JS (app.alert\\(1\\)) >> >> /Annots [101 0 R 102 0 R]"}
	return withCatalog([]Page{page}, "/OpenAction << /S /Launch /F (calc.exe) >>",
		body{101, "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (file:///etc/passwd) >> >>", nil},
		body{102, "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoToR /F (other.pdf) /D [0 /Fit] >> >>", nil},
	)
}
