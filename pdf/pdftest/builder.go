// Package pdftest builds small real PDF files for tests, each a deterministic function of its arguments, and one file
// of any size that is never held in memory. Other readers accept the files without complaints.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// fileID is both elements of /ID in every file of this package.
const fileID = "[<5345474C303132333435363738394142> <5345474C303132333435363738394142>]"

// builder writes objects as text and records their offsets.
type builder struct {
	bytes.Buffer
	at     map[int]int    // offset of each plain object
	packed map[int][2]int // object stream and index of each packed one
	last   int            // highest object number
}

func newBuilder(version string) *builder {
	b := &builder{at: map[int]int{}, packed: map[int][2]int{}}
	fmt.Fprintf(b, "%%PDF-%s\n%%\xE2\xE3\xCF\xD3\n", version)
	return b
}

func (b *builder) recordOffset(n int) {
	b.at[n] = b.Len()
	b.last = max(b.last, n)
}

func (b *builder) writeObject(n int, body string) {
	b.recordOffset(n)
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", n, body)
}

// writeStream writes data unchanged; entries are those besides /Length.
func (b *builder) writeStream(n int, entries string, data []byte) {
	b.recordOffset(n)
	fmt.Fprintf(b, "%d 0 obj\n<< %s /Length %d >>\nstream\n", n, entries, len(data))
	b.Write(data)
	b.WriteString("\nendstream\nendobj\n")
}

// writeObjectStream writes an object stream n that contains objects by number, in order. More are further entries of its
// dictionary.
func (b *builder) writeObjectStream(n int, numbers []int, bodies []string, more ...string) {
	var directory, content strings.Builder
	for i, number := range numbers {
		fmt.Fprintf(&directory, "%d %d ", number, content.Len())
		content.WriteString(bodies[i] + "\n")
		b.packed[number] = [2]int{n, i}
		b.last = max(b.last, number)
	}
	data := deflate([]byte(directory.String() + content.String()))
	entries := fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", len(numbers), directory.Len())
	b.writeStream(n, strings.Join(append(more, entries), " "), data)
}

// finishWithTable ends the file with a cross-reference table of objects from 0 on. Numbers that were not written as
// plain objects are free.
func (b *builder) finishWithTable(extra string) []byte {
	at := b.Len()
	b.writeTable()
	b.writeTrailer(fmt.Sprintf("/Size %d /Root 1 0 R /ID %s %s", b.last+1, fileID, extra), at)
	return b.Bytes()
}

func (b *builder) writeTable() {
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", b.last+1)
	for n := 1; n <= b.last; n++ {
		if at, ok := b.at[n]; ok {
			fmt.Fprintf(b, "%010d 00000 n \n", at)
		} else {
			b.WriteString("0000000000 00000 f \n")
		}
	}
}

func (b *builder) writeTrailer(entries string, startXref int) {
	fmt.Fprintf(b, "trailer\n<< %s >>\nstartxref\n%d\n%%%%EOF\n", entries, startXref)
}

// writeXrefStream writes a cross-reference stream as object n; only lists its numbers, nil for all from 0 on.
func (b *builder) writeXrefStream(n int, extra string, only []int) int {
	at := b.Len()
	b.recordOffset(n)
	index := fmt.Sprintf("[0 %d]", b.last+1)
	if only == nil {
		for i := 0; i <= b.last; i++ {
			only = append(only, i)
		}
	} else {
		index = "["
		for _, i := range only {
			index += fmt.Sprintf("%d 1 ", i)
		}
		index += "]"
	}
	var data []byte
	for _, i := range only {
		data = append(data, b.encodeEntry(i)...)
	}
	entries := fmt.Sprintf("/Type /XRef /Size %d /W [1 4 2] /Index %s /Root 1 0 R /ID %s /Filter /FlateDecode %s",
		b.last+1, index, fileID, extra)
	b.writeStream(n, entries, deflate(data))
	return at
}

func (b *builder) encodeEntry(n int) []byte {
	if p, ok := b.packed[n]; ok {
		return []byte{2, byte(p[0] >> 24), byte(p[0] >> 16), byte(p[0] >> 8), byte(p[0]), byte(p[1] >> 8), byte(p[1])}
	}
	if at, ok := b.at[n]; ok {
		return []byte{1, byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at), 0, 0}
	}
	return []byte{0, 0, 0, 0, 0, 0xFF, 0xFF}
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data) // a bytes.Buffer takes all
	z.Close()
	return b.Bytes()
}
