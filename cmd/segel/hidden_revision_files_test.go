package main

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// folded returns that many zeros, compressed twice: a gigabyte takes a few thousand bytes.
func folded(n int64) []byte {
	var b bytes.Buffer
	outer := zlib.NewWriter(&b)
	inner := zlib.NewWriter(outer)
	_, _ = io.CopyN(inner, zeroReader{}, n) // memory does not fail
	_, _ = inner.Close(), outer.Close()
	return b.Bytes()
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// bomb is shared: packing it takes seconds.
var bomb = sync.OnceValue(func() []byte { return folded(1 << 30) })

const twice = "/Filter [/FlateDecode /FlateDecode]"

// hostileBehind are revisions after a file with valid signatures, each of which costs a careless reader more than its
// bytes, or misleads it.
func hostileBehind(t *testing.T, signed []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	add := func(what string, make func(l *revision) []byte) { files[what] = make(behind(t, signed)) }
	bomb := bomb()

	add("a /Prev that leads to itself", func(l *revision) []byte {
		l.prev = int64(l.Len())
		return l.end("")
	})
	add("two /Prev that lead to one another", func(l *revision) []byte {
		const section = "xref\n0 0\ntrailer\n<</Size %d %s /Prev %010d>>\n"
		first := l.Len()
		second := first + len(fmt.Sprintf(section, l.next, l.trailer, 0))
		fmt.Fprintf(l, section, l.next, l.trailer, second)
		fmt.Fprintf(l, section+"startxref\n%d\n%%%%EOF\n", l.next, l.trailer, first, second)
		return l.Bytes()
	})
	add("a hundred thousand sections", func(l *revision) []byte {
		for range 100_000 {
			at := int64(l.Len())
			fmt.Fprintf(l, "xref\n0 0\ntrailer\n<</Size %d %s /Prev %d>>\n", l.next, l.trailer, l.prev)
			l.prev = at
		}
		return l.end("")
	})
	add("a hundred thousand revisions", func(l *revision) []byte {
		for range 100_000 {
			at := int64(l.Len())
			fmt.Fprintf(l, "xref\n0 0\ntrailer\n<</Size %d %s /Prev %d>>\nstartxref\n%d\n%%%%EOF\n", l.next, l.trailer, l.prev, at)
			l.prev = at
		}
		return l.Bytes()
	})
	add("two thousand revisions that change the same proof", func(l *revision) []byte {
		proof := l.stream(0, "", []byte("x"))
		for i := range 2000 {
			l.at = map[int]int{}
			l.stream(proof, "", fmt.Appendf(nil, "%d", i))
			l.store(fmt.Sprintf("%d 0 R", proof))
			at := int64(l.Len())
			l.end("")
			l.prev = at
		}
		return l.Bytes()
	})
	objects := func(l *revision, more string) (stream int, table []byte) {
		stream = l.stream(0, fmt.Sprintf("/Type /ObjStm /N 2 /First 12 %s %s", twice, more), bomb)
		return stream, []byte{0, 0, 0, 0}
	}
	add("an object stream that unfolds, by a cross-reference stream", func(l *revision) []byte {
		stream, _ := objects(l, "")
		return l.crossReference(map[int][2]int{int(l.page): {stream, 0}, l.rootNumber(): {stream, 1}})
	})
	add("an object stream that unfolds, in a hybrid file", func(l *revision) []byte {
		stream, _ := objects(l, "")
		from := l.Len()
		l.crossReference(map[int][2]int{int(l.page): {stream, 0}})
		return l.end(fmt.Sprintf("/XRefStm %d", from))
	})
	add("object streams within themselves", func(l *revision) []byte {
		stream, _ := objects(l, "")
		other := l.stream(0, fmt.Sprintf("/Type /ObjStm /N 1 /First 4 /Extends %d 0 R", stream), []byte("9 0 null"))
		delete(l.at, stream)
		delete(l.at, other)
		return l.crossReference(map[int][2]int{stream: {other, 0}, other: {stream, 0}, int(l.page): {other, 0}})
	})
	add("content that unfolds", func(l *revision) []byte {
		content := l.stream(0, twice, bomb)
		l.put(int(l.page), "<</Type /Page /MediaBox [0 0 595 842] /Contents [%s]>>", strings.Repeat(fmt.Sprintf("%d 0 R ", content), 1000))
		return l.end("")
	})
	add("proof that unfolds", func(l *revision) []byte {
		var list strings.Builder
		for range 200 {
			fmt.Fprintf(&list, "%d 0 R ", l.stream(0, twice, bomb))
		}
		l.store(list.String())
		return l.end("")
	})
	add("metadata that unfolds", func(l *revision) []byte {
		l.more("Metadata", "%d 0 R", l.stream(0, "/Type /Metadata /Subtype /XML "+twice, bomb))
		return l.end("")
	})
	add("a cross-reference stream that unfolds", func(l *revision) []byte {
		from := l.Len()
		l.stream(0, fmt.Sprintf("/Type /XRef %s /Size 2000000000 /Index [0 2000000000] /W [1 4 1] /Prev %d %s", l.trailer, l.prev, twice), bomb)
		fmt.Fprintf(l, "startxref\n%d\n%%%%EOF\n", from)
		return l.Bytes()
	})
	add("a table of two thousand million entries", func(l *revision) []byte {
		from := l.Len()
		fmt.Fprintf(l, "xref\n0 2000000000\n%strailer\n<</Size 2000000000 %s /Prev %d>>\nstartxref\n%d\n%%%%EOF\n", strings.Repeat("0000000009 00000 n \n", 1000), l.trailer, l.prev, from)
		return l.Bytes()
	})
	add("the last object number there is", func(l *revision) []byte {
		l.put(4294967295, "null")
		l.put(2147483647, "null")
		return l.end("")
	})
	add("arrays a million deep", func(l *revision) []byte {
		l.more("PieceInfo", "%s1%s", strings.Repeat("[", 1_000_000), strings.Repeat("]", 1_000_000))
		return l.end("")
	})
	add("dictionaries a million deep", func(l *revision) []byte {
		l.more("DSS", "%s1%s", strings.Repeat("<</A ", 1_000_000), strings.Repeat(">>", 1_000_000))
		return l.end("")
	})
	add("an array of two million references", func(l *revision) []byte {
		l.more("PieceInfo", "[%s]", strings.Repeat(l.root+" ", 2_000_000))
		return l.end("")
	})
	add("a field a million times", func(l *revision) []byte {
		field := l.put(0, "<</FT /Sig /T (Baru)>>")
		l.more("AcroForm", "<</SigFlags 3 /Fields [%s]>>", strings.Repeat(fmt.Sprintf("%d 0 R ", field), 1_000_000))
		return l.end("")
	})
	add("fields fifty thousand deep", func(l *revision) []byte {
		first := l.next
		for i := range 50_000 {
			l.put(0, "<</T (a) /Parent %d 0 R /Kids [%d 0 R]>>", first+i-1, first+i+1)
		}
		l.put(0, "<</FT /Sig /T (b) /Parent %d 0 R>>", l.next-1)
		l.more("AcroForm", "<</SigFlags 3 /Fields [%d 0 R]>>", first)
		return l.end("")
	})
	add("a page tree that leads to itself", func(l *revision) []byte {
		tree := l.put(0, "<</Type /Pages /Count 2000000000 /Kids [%d 0 R %d 0 R] /Parent %[1]d 0 R>>", l.next, l.page)
		l.put(int(l.page), "<</Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Annots %d 0 R>>", l.page, tree)
		l.more("Pages", "%d 0 R", tree)
		return l.end("")
	})
	add("a page tree that branches twice, forty times", func(l *revision) []byte {
		first := l.next
		for i := range 40 {
			l.put(0, "<</Type /Pages /Count 2 /Kids [%d 0 R %[1]d 0 R]>>", first+i+1)
		}
		l.put(0, "<</Type /Page /MediaBox [0 0 9 9]>>")
		l.more("Pages", "%d 0 R", first)
		return l.end("")
	})
	add("looks within looks, twice each", func(l *revision) []byte {
		first := l.next
		for i := range 5000 {
			l.stream(0, fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</F %d 0 R /G %[1]d 0 R>>>>", first+i+1), []byte("/F Do /G Do"))
		}
		l.stream(0, "/Type /XObject /Subtype /Form /BBox [0 0 9 9]", nil)
		field := l.put(0, "<</FT /Sig /Type /Annot /Subtype /Widget /T (Baru) /Rect [0 0 9 9] /P %d 0 R /AP <</N %d 0 R>>>>", l.page, first)
		l.put(int(l.page), "<</Type /Page /MediaBox [0 0 595 842] /Annots [%d 0 R]>>", field)
		return l.end("")
	})
	add("a hybrid section that leads to itself", func(l *revision) []byte {
		return l.end(fmt.Sprintf("/XRefStm %d", l.Len()))
	})
	add("a hybrid section that knows another page", func(l *revision) []byte {
		object := l.Len()
		l.put(int(l.page), "<</Type /Page /MediaBox [0 0 9 9]>>")
		delete(l.at, int(l.page))
		from := l.Len()
		l.stream(0, fmt.Sprintf("/Type /XRef %s /Size %d /Index [%d 1] /W [1 4 1]", l.trailer, l.next+1, l.page),
			[]byte{1, byte(object >> 24), byte(object >> 16), byte(object >> 8), byte(object), 0})
		l.put(0, "1")
		return l.end(fmt.Sprintf("/XRefStm %d", from))
	})
	add("a length that waits for itself", func(l *revision) []byte {
		n := l.next
		l.put(0, "<</Length %d 0 R>>\nstream\n%s\nendstream", n, strings.Repeat("x", 1<<20))
		l.more("Metadata", "%d 0 R", n)
		return l.end("")
	})
	add("three thousand signatures", func(l *revision) []byte {
		var fields strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&fields, "%d 0 R ", l.put(0, "<</FT /Sig /T (S%d) /V <</Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 10 20 30] /Contents <%s>>>>>", i, strings.Repeat("3080", 200)))
		}
		l.more("AcroForm", "<</SigFlags 3 /Fields [%s]>>", fields.String())
		return l.end("")
	})
	return files
}
