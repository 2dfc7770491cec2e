package pdftest

import "fmt"

// TwofoldFiles are files without signatures that are not damaged and that readers show differently, by name: in one
// reading the page says "Lunas", in the other not.
func TwofoldFiles() map[string][]byte {
	other := streamBody(50, "", "BT /F1 24 Tf 72 720 Td (Lunas) Tj ET")
	return map[string][]byte{
		"page that states its contents twice":      withCatalog([]Page{{Entries: "/Contents 50 0 R"}}, "", other),
		"annotation hidden in a hybrid file":       hiddenAnnotation(),
		"object stream with another page there":    packedPages([]int{FirstPageNumber, 51}, map[int]int{FirstPageNumber: 1, 51: 0}, other),
		"object stream that has a page twice":      packedPages([]int{FirstPageNumber, FirstPageNumber}, nil, other),
		"object stream with two counts":            packedPages([]int{FirstPageNumber, 51}, nil, other, "/N 1"),
		"section that states a page's place twice": statedTwice(other),
	}
}

// hiddenAnnotation is a hybrid file whose page lists an annotation that its table has free and its stream in use.
func hiddenAnnotation() []byte {
	b := newBuilder("1.7")
	for _, o := range documentBodies([]Page{{Entries: "/Annots [50 0 R]"}}, "") {
		b.writeBody(o)
	}
	b.writeBody(formBody(52, ""))
	b.writeObjectStream(51, []int{50}, []string{"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [72 600 372 630] /AP << /N 52 0 R >> >>"})
	stream := b.writeXrefStream(53, "", []int{50, 51})
	return b.finishWithTable(fmt.Sprintf("/Info 4 0 R /XRefStm %d", stream))
}

// packedPages is a file whose page and another are in an object stream, under the numbers of its directory. At are the
// indexes that the cross-reference states, if they are others. More are entries of the object stream's dictionary.
func packedPages(directory []int, at map[int]int, other body, more ...string) []byte {
	b := newBuilder("1.7")
	var page string
	for _, o := range documentBodies(make([]Page, 1), "") {
		if o.number == FirstPageNumber {
			page = o.text
			continue
		}
		b.writeBody(o)
	}
	b.writeBody(other)
	b.writeObjectStream(60, directory, []string{page, Page{}.dictText(other.number)}, more...)
	for n, i := range at {
		b.packed[n] = [2]int{60, i}
	}
	start := b.writeXrefStream(61, "/Info 4 0 R", nil)
	fmt.Fprintf(b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// statedTwice is a file whose table states two places of the page.
func statedTwice(other body) []byte {
	b := newBuilder("1.7")
	bodies := documentBodies(make([]Page, 1), "")
	for _, o := range append(bodies, other) {
		b.writeBody(o)
	}
	second := b.Len()
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", FirstPageNumber, Page{}.dictText(other.number))
	at := b.Len()
	b.writeTable()
	fmt.Fprintf(b, "%d 1\n%010d 00000 n \n", FirstPageNumber, second)
	b.writeTrailer(fmt.Sprintf("/Size %d /Root 1 0 R /ID %s /Info 4 0 R", b.last+1, fileID), at)
	return b.Bytes()
}
