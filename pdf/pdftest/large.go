package pdftest

import (
	"bytes"
	"fmt"
	"io"
)

// Large is a file with a cross-reference table and objects beside its page
// that hold incompressible data, generated as it is read.
type Large struct {
	head    []byte
	tail    []byte
	objects int
	stride  int64 // bytes of one object
	data    int   // bytes of its data
	size    int64
}

// largeFirst is the number of the first object with data.
const largeFirst = FirstPageNumber + 2

// NewLarge lays out a file of one page and the given number of further
// objects, of about size bytes in all. Nothing is generated yet.
func NewLarge(size int64, objects int) *Large {
	b := newBuilder("1.7")
	for _, o := range documentBodies(make([]Page, 1), "") {
		b.writeBody(o)
	}
	l := &Large{objects: objects}
	perObject := (size-int64(b.Len()))/int64(objects) - entryLen
	frame := int64(len(l.objectFrame(0)))
	l.data = int(max(1, perObject-frame))
	l.stride = int64(len(l.objectFrame(0)) + l.data)
	l.head = bytes.Clone(b.Bytes())
	l.buildTail(b)
	l.size = int64(len(l.head)) + l.stride*int64(objects) + int64(len(l.tail))
	return l
}

const entryLen = 20

func (l *Large) buildTail(b *builder) {
	at := int64(len(l.head)) + l.stride*int64(l.objects)
	var t bytes.Buffer
	fmt.Fprintf(&t, "xref\n0 %d\n0000000000 65535 f \n", largeFirst+l.objects)
	for n := 1; n < largeFirst; n++ {
		fmt.Fprintf(&t, "%010d 00000 n \n", b.at[n])
	}
	for i := range l.objects {
		fmt.Fprintf(&t, "%010d 00000 n \n", int64(len(l.head))+l.stride*int64(i))
	}
	fmt.Fprintf(&t, "trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R /ID %s >>\nstartxref\n%d\n%%%%EOF\n",
		largeFirst+l.objects, fileID, at)
	l.tail = t.Bytes()
}

// objectFrame is the i-th object without its data, in fixed widths.
func (l *Large) objectFrame(i int) []byte {
	return fmt.Appendf(nil, "%08d 0 obj\n<< /Length %010d >>\nstream\n\nendstream\nendobj\n", largeFirst+i, l.data)
}

// behind is the length of what follows the data in an object.
const behind = len("\nendstream\nendobj\n")

// Size is the exact length of the file.
func (l *Large) Size() int64 { return l.size }

// ReadAt generates the bytes at an offset.
func (l *Large) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at >= l.size {
			return n, io.EOF
		}
		n += l.copyPiece(p[n:], at)
	}
	return n, nil
}

// copyPiece copies bytes from at on, up to the end of the part that at is in.
func (l *Large) copyPiece(p []byte, at int64) int {
	if at < int64(len(l.head)) {
		return copy(p, l.head[at:])
	}
	rel := at - int64(len(l.head))
	if i := rel / l.stride; i < int64(l.objects) {
		return l.copyObjectPiece(p, int(i), rel%l.stride)
	}
	return copy(p, l.tail[rel-l.stride*int64(l.objects):])
}

func (l *Large) copyObjectPiece(p []byte, i int, rel int64) int {
	frame := l.objectFrame(i)
	front := int64(len(frame) - behind)
	switch {
	case rel < front:
		return copy(p, frame[rel:front])
	case rel < front+int64(l.data):
		n := min(int64(len(p)), front+int64(l.data)-rel)
		fillNoise(p[:n], uint64(i)<<32+uint64(rel-front))
		return int(n)
	}
	return copy(p, frame[rel-int64(l.data):])
}

// fillNoise fills p with bytes that depend on their place alone.
func fillNoise(p []byte, place uint64) {
	for i := range p {
		x := (place + uint64(i)) / 8
		x *= 0x9E3779B97F4A7C15
		x ^= x >> 29
		x *= 0xBF58476D1CE4E5B9
		x ^= x >> 32
		p[i] = byte(x >> (8 * ((place + uint64(i)) % 8)))
	}
}

// WriteTo writes the whole file in pieces.
func (l *Large) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{io.NewSectionReader(l, 0, l.size)})
}
