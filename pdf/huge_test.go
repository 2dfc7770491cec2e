package pdf_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"segel/pdf"
)

// sparseFile is a file of zeros except for some pieces, which are in order. It needs no memory for the zeros.
type sparseFile struct {
	pieces []piece
	size   int64
}

type piece struct {
	at int64
	b  []byte
}

func (s *sparseFile) ReadAt(p []byte, at int64) (int, error) {
	n := int(max(0, min(int64(len(p)), s.size-at)))
	clear(p[:n])
	for _, x := range s.pieces {
		if from, to := max(at, x.at), min(at+int64(n), x.at+int64(len(x.b))); from < to {
			copy(p[from-at:to-at], x.b[from-x.at:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

var zeros = make([]byte, 128<<10)

// Write appends to the file, without storing zeros.
func (s *sparseFile) Write(p []byte) (int, error) {
	if !bytes.Equal(p, zeros[:min(len(p), len(zeros))]) {
		s.pieces = append(s.pieces, piece{s.size, bytes.Clone(p)})
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *sparseFile) printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// huge is a file of one page whose contents are that many zeros, with objects on both sides of them.
func huge(contents int64, inStream bool) *sparseFile {
	s := &sparseFile{}
	at := []int64{0}
	object := func(body string) {
		at = append(at, s.size)
		s.printf("%d 0 obj\n%s\nendobj\n", len(at)-1, body)
	}
	s.printf("%%PDF-1.7\n")
	object("<</Type /Catalog /Pages 2 0 R>>")
	object("<</Type /Pages /Count 1 /Kids [5 0 R]>>")
	at = append(at, s.size)
	s.printf("3 0 obj\n<</Length %d>>\nstream\n", contents)
	s.size += contents
	s.printf("\nendstream\nendobj\n")
	object("(far)")
	object("<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 3 0 R /Far 4 0 R>>")
	section := s.size
	if inStream {
		var data []byte
		for _, a := range append(at, section) {
			data = append(data, 1, byte(a>>32), byte(a>>24), byte(a>>16), byte(a>>8), byte(a))
		}
		data[0] = 0
		s.printf("6 0 obj\n<</Type /XRef /Root 1 0 R /Size 7 /W [1 5 0] /Length %d>>\nstream\n%s\nendstream\nendobj\n", len(data), data)
	} else {
		s.printf("xref\n0 6\n0000000000 65535 f \n")
		for _, a := range at[1:] {
			s.printf("%010d 00000 n \n", a)
		}
		s.printf("trailer\n<</Root 1 0 R /Size 6>>\n")
	}
	s.printf("startxref\n%d\n%%%%EOF\n", section)
	return s
}

func TestFilesBeyondFourGiBAreReadUpdatedAndRewritten(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]*sparseFile{
		"table":                 huge(5<<30, false),
		"stream":                huge(5<<30, true),
		"table, ten digits":     huge(9_999_990_000, false),
		"stream, eleven digits": huge(40<<30, true),
	} {
		far := func(file *sparseFile) *pdf.Document {
			d, err := pdf.Open(file, file.size, pdf.Options{Random: fixedRandom(7)})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s := must[pdf.String](t)(d.String(must[*pdf.Page](t)(d.Page(1)).Dict["Far"])); string(s.Bytes) != "far" {
				t.Errorf("%s: far object reads %q", name, s.Bytes)
			}
			if err := d.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return d
		}
		u := far(file).NewUpdate()
		ref := u.Add(pdf.Name("Further"))
		tail := must[*pdf.Tail](t)(u.Build())
		must[int](t)(file.Write(tail.Bytes))
		d := far(file)
		if o := must[pdf.Object](t)(d.Object(ref)); o != pdf.Name("Further") {
			t.Errorf("%s: reads %v behind the update", name, o)
		}
		if name != "table" || testing.Short() {
			continue // five gigabytes take seconds to hash
		}
		out := &sparseFile{}
		must[pdf.Rewritten](t)(d.Rewrite(out, pdf.RewriteOptions{}))
		if d := far(out); d.Properties().XRefStyle != pdf.XRefStream {
			t.Errorf("%s: rewritten with a table that might not have been enough", name)
		}
	}
}
