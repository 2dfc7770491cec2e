package workflow_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"

	"segel/pdf/pdftest"
)

// startxref returns the offset of the newest cross-reference section.
func startxref(b []byte) (at int) {
	_, _ = fmt.Sscan(string(b[bytes.LastIndex(b, []byte("startxref"))+len("startxref"):]), &at) // pdftest writes one
	return at
}

// manySections returns a file with n more cross-reference sections, of which only the last ends a revision.
func manySections(n int) []byte {
	b := pdftest.Table(1)
	at := startxref(b)
	for range n {
		next := len(b)
		b = fmt.Appendf(b, "xref\n0 0\ntrailer\n<</Size 7 /Root 1 0 R /Prev %d>>\n", at)
		at = next
	}
	return fmt.Appendf(b, "startxref\n%d\n%%%%EOF\n", at)
}

// manyRevisions returns a file with n more empty revisions.
func manyRevisions(n int) []byte {
	b := pdftest.Table(1)
	at := startxref(b)
	for range n {
		next := len(b)
		b = fmt.Appendf(b, "xref\n0 0\ntrailer\n<</Size 7 /Root 1 0 R /Prev %d>>\nstartxref\n%d\n%%%%EOF\n", at, next)
		at = next
	}
	return b
}

// squeezed compresses data.
func squeezed(parts ...[]byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for _, p := range parts {
		_, _ = w.Write(p) // memory does not fail
	}
	_ = w.Close()
	return b.Bytes()
}

// streamed builds a file with a cross-reference stream at the end. Objects in object streams are given by the number of
// the stream and their index.
type streamed struct {
	bytes.Buffer
	at map[int][3]int // type and two fields of an entry
}

func newStreamed() *streamed {
	s := &streamed{at: map[int][3]int{}}
	s.WriteString("%PDF-1.7\n")
	return s
}

func (s *streamed) object(n int, text string) {
	s.at[n] = [3]int{1, s.Len(), 0}
	fmt.Fprintf(s, "%d 0 obj\n%s\nendobj\n", n, text)
}

func (s *streamed) stream(n int, entries string, data []byte) {
	s.at[n] = [3]int{1, s.Len(), 0}
	fmt.Fprintf(s, "%d 0 obj\n<<%s /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream\nendobj\n", n, entries, len(data), data)
}

// end writes the cross-reference stream with that many entries, and the end of the file.
func (s *streamed) end(entries int) []byte {
	number, at := entries-1, s.Len()
	s.at[number] = [3]int{1, at, 0}
	table := make([]byte, 0, entries*7)
	for n := range entries {
		e := s.at[n]
		table = append(table, byte(e[0]))
		table = binary.BigEndian.AppendUint32(table, uint32(e[1]))
		table = binary.BigEndian.AppendUint16(table, uint16(e[2]))
	}
	s.stream(number, fmt.Sprintf("/Type /XRef /Root 1 0 R /W [1 4 2] /Size %d", entries), squeezed(table))
	fmt.Fprintf(s, "startxref\n%d\n%%%%EOF\n", at)
	return s.Bytes()
}

// pages writes a page tree with one page and the given resources.
func (s *streamed) pages(resources string) {
	s.object(1, "<</Type /Catalog /Pages 2 0 R>>")
	s.object(2, "<</Type /Pages /Kids [3 0 R] /Count 1>>")
	s.object(3, "<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources <<"+resources+">>>>")
}

// packed writes an object stream with one dictionary, followed by that many blanks.
func (s *streamed) packed(stream, object, blanks int) {
	head := fmt.Sprintf("%d 0 ", object)
	s.stream(stream, fmt.Sprintf("/Type /ObjStm /N 1 /First %d", len(head)), squeezed([]byte(head+"<</A 1>>"), bytes.Repeat([]byte(" "), blanks)))
	s.at[object] = [3]int{2, stream, 0}
}

// largeObjectStream returns a file with an object stream of n bytes.
func largeObjectStream(n int) []byte {
	s := newStreamed()
	s.pages("/ExtGState <</G 5 0 R>>")
	s.packed(4, 5, n-100)
	return s.end(7)
}

// manyObjectStreams returns a file with that many object streams of n bytes each.
func manyObjectStreams(streams, n int) []byte {
	s := newStreamed()
	var list strings.Builder
	for i := range streams {
		fmt.Fprintf(&list, "/G%d %d 0 R ", i, 5+2*i)
	}
	s.pages("/ExtGState <<" + list.String() + ">>")
	for i := range streams {
		s.packed(4+2*i, 5+2*i, n-100)
	}
	return s.end(4 + 2*streams + 1)
}

// manyEntries returns a file with n cross-reference entries, most of them free.
func manyEntries(n int) []byte {
	s := newStreamed()
	s.pages("")
	return s.end(n)
}
