package pdf_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"testing"

	"segel/pdf"
)

// TestBrokenObjectStreamIsDecodedOnce requests a thousand objects of a stream that cannot be parsed.
func TestBrokenObjectStreamIsDecodedOnce(t *testing.T) {
	t.Parallel()
	const objects = 1000
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	must[int](t)(z.Write(make([]byte, 1<<20)))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := []byte("%PDF-1.7\n")
	var at [4]int
	for i, o := range []string{
		"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 0 /Kids []>>",
		fmt.Sprintf("<</Type /ObjStm /N %d /First 9999 /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream", objects, packed.Len(), packed.Bytes()),
	} {
		at[i+1] = len(b)
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	var entries []byte
	for _, n := range []int{1, 2, 3} {
		entries = append(entries, 1, byte(at[n]>>8), byte(at[n]), 0, 0)
	}
	for i := range objects {
		entries = append(entries, 2, 0, 3, byte(i>>8), byte(i))
	}
	start := len(b)
	b = fmt.Appendf(b, "5000 0 obj\n<</Type /XRef /Size 5001 /Root 1 0 R /W [1 2 2] /Index [1 %d] /Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", 3+objects, len(entries), entries, start)
	d := must[*pdf.Document](t)(pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Limits: pdf.Limits{Work: 8 << 20}}))
	for n := range uint32(objects) {
		if _, err := d.Object(pdf.Ref{Number: 4 + n}); !errors.Is(err, pdf.ErrDamaged) {
			t.Fatalf("object %d: %v", 4+n, err)
		}
	}
}
