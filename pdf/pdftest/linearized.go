package pdftest

import (
	"bytes"
	"fmt"
)

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
