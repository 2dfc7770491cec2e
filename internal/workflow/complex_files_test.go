package workflow_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"

	"segel/pdf/pdftest"
)

// startxref is where the newest section of a file stands.
func startxref(b []byte) (at int) {
	_, _ = fmt.Sscan(string(b[bytes.LastIndex(b, []byte("startxref"))+len("startxref"):]), &at) // pdftest writes one
	return at
}

// manySections is a file with that many cross-reference sections more, of which none but the last ends a revision.
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

// manyRevisions is a file with that many empty revisions more.
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

// squeezed is compressed data.
func squeezed(parts ...[]byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	for _, p := range parts {
		_, _ = w.Write(p) // memory does not fail
	}
	_ = w.Close()
	return b.Bytes()
}

// streamed lays out objects with a cross-reference stream behind them. Objects in object streams are given by the number
// of the stream and the index in it.
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

// end writes the cross-reference with so many entries in all, and the end.
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

// pages writes a page tree of one page, whose resources have that many more objects.
func (s *streamed) pages(resources string) {
	s.object(1, "<</Type /Catalog /Pages 2 0 R>>")
	s.object(2, "<</Type /Pages /Kids [3 0 R] /Count 1>>")
	s.object(3, "<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources <<"+resources+">>>>")
}

// packed writes an object stream with one dictionary, and so many blanks behind it.
func (s *streamed) packed(stream, object, blanks int) {
	head := fmt.Sprintf("%d 0 ", object)
	s.stream(stream, fmt.Sprintf("/Type /ObjStm /N 1 /First %d", len(head)), squeezed([]byte(head+"<</A 1>>"), bytes.Repeat([]byte(" "), blanks)))
	s.at[object] = [3]int{2, stream, 0}
}

// largeObjectStream is a file with an object stream of that many bytes.
func largeObjectStream(n int) []byte {
	s := newStreamed()
	s.pages("/ExtGState <</G 5 0 R>>")
	s.packed(4, 5, n-100)
	return s.end(7)
}

// manyObjectStreams is a file with that many object streams of n bytes each.
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

// manyEntries is a file with a cross-reference of that many entries, most of them free.
func manyEntries(n int) []byte {
	s := newStreamed()
	s.pages("")
	return s.end(n)
}
