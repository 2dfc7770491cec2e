package pades_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"segel/internal/authority/signtest"
	"segel/pades"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// sparse is a file with a middle of zeros that no object references.
type sparse struct {
	front, back []byte
	size        int64
}

// stretchFile returns a file of that size made from a small one: its last lines are repeated at the end.
func stretchFile(t testing.TB, file []byte, size int64) *sparse {
	t.Helper()
	d := must[*pdf.Document](t)(pdf.Open(readerAt(file), int64(len(file)), pdf.Options{}))
	r := must[[]pdf.Revision](t)(d.Revisions())
	return &sparse{front: file, back: fmt.Appendf(nil, "\nstartxref\n%d\n%%%%EOF\n", r[len(r)-1].StartXref), size: size}
}

func (s *sparse) ReadAt(p []byte, at int64) (int, error) {
	n, behind := 0, s.size-int64(len(s.back))
	for n < len(p) && at+int64(n) < s.size {
		switch i := at + int64(n); {
		case i < int64(len(s.front)):
			n += copy(p[n:], s.front[i:])
		case i >= behind:
			n += copy(p[n:], s.back[i-behind:])
		default:
			zeros := p[n:min(int64(len(p)), int64(n)+behind-i)]
			clear(zeros)
			n += len(zeros)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// save writes the file sparsely, with the tails after it.
func (s *sparse) save(t testing.TB, tails []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "far.pdf")
	f := must[*os.File](t)(os.Create(path))
	defer f.Close()
	for at, b := range map[int64][]byte{0: s.front, s.size - int64(len(s.back)): s.back, s.size: tails} {
		if _, err := f.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestFilesBeyondTwoAndFourGiBAreSignedAndHold(t *testing.T) {
	t.Parallel()
	who := signtest.NewSigner(t, "A")
	for name, file := range map[string][]byte{"table": pdftest.Table(2), "streams": pdftest.Streams(2), "hybrid": pdftest.Hybrid(2)} {
		for _, size := range []int64{2<<30 - 100, 2<<30 + 1, 4<<30 - 3000, 4<<30 + 1, 9 << 30} {
			base := stretchFile(t, file, size)
			l := &layered{base: base, size: size}
			state := stateOf(t, size)
			for i := range 3 {
				o := who.Options(t, "")
				o.NewField = &pades.FieldSpec{Name: fmt.Sprintf("F%d", i), Page: 1, Rect: pdf.Rect{URX: 90, URY: 30}}
				src := l.source(state)
				r, err := pades.Sign(t.Context(), src, o)
				if err != nil {
					t.Fatalf("%s of %d bytes, signature %d: %v", name, size, i+1, err)
				}
				if err := pades.VerifyTail(src, r.Tail, r.Field, pades.Clock{}); err != nil {
					t.Error(err)
				}
				l.tails, state = append(l.tails, r.Tail...), r.Midstate
			}
			d := must[*pdf.Document](t)(pdf.Open(l, l.size+int64(len(l.tails)), pdf.Options{}))
			if s := must[[]*pdf.Signature](t)(d.Signatures()); len(s) != 3 {
				t.Errorf("%s of %d bytes: %d signatures", name, size, len(s))
			}
			if err := d.Check(); err != nil {
				t.Errorf("%s of %d bytes: %v", name, size, err)
			}
			if size > 4<<30 {
				runTool(t, "qpdf", "--check", base.save(t, l.tails))
			}
		}
	}
}

func readerAt(b []byte) io.ReaderAt { return bytes.NewReader(b) }
