package facts_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"testing"
	"time"

	"segel/pades"
	"segel/pades/validate/facts"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// joined is a large file with tails behind it.
type joined struct {
	base *pdftest.Large
	size int64
	tail []byte
}

func (j *joined) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < j.size {
		var err error
		n, err = j.base.ReadAt(p[:min(int64(len(p)), j.size-at)], at)
		if err != nil && err != io.EOF || at+int64(n) < j.size {
			return n, err
		}
	}
	if n < len(p) {
		m := copy(p[n:], j.tail[min(int64(len(j.tail)), at+int64(n)-j.size):])
		n += m
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// many is a file of that size with n signatures, each visible, and its size after signing.
func many(t testing.TB, size int64, n int) (*joined, int64) {
	t.Helper()
	base := pdftest.NewLarge(size, 20)
	j := &joined{base: base, size: base.Size()}
	total := func() int64 { return j.size + int64(len(j.tail)) }
	open := func() *pdf.Document { return must[*pdf.Document](t)(pdf.Open(j, total(), pdf.Options{})) }
	var fields []pades.FieldSpec
	for i := range n {
		fields = append(fields, pades.FieldSpec{Name: fmt.Sprintf("S%d", i), Page: 1, Rect: boxA})
	}
	j.tail = append(j.tail, must[*pdf.Tail](t)(pades.AddFields(open(), fields)).Bytes...)
	p := on(t, nil)
	var state []byte
	for i := range n {
		r := must[*pades.Result](t)(pades.Sign(t.Context(), pades.Source{R: j, Size: total(), Midstate: state}, p.options(fmt.Sprintf("S%d", i), shown)))
		j.tail, state = append(j.tail, r.Tail...), r.Midstate
	}
	return j, total()
}

func TestFiftySignaturesOnASmallFileAreReadWithoutAFinding(t *testing.T) {
	j, size := many(t, 100<<10, 50)
	f := must[*facts.File](t)(facts.Read(t.Context(), j, size, facts.Options{}))
	for _, s := range f.Signatures {
		if len(troubles(s)) > 0 {
			t.Fatalf("%q: %v", s.Field, troubles(s))
		}
	}
	if len(f.Signatures) != 50 {
		t.Errorf("%d signatures", len(f.Signatures))
	}
}

// counted counts what is read.
type counted struct {
	io.ReaderAt
	bytes int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

func TestTwentySignaturesReadTheFileOnceAndKeepLittleOfIt(t *testing.T) {
	j, size := many(t, 40<<20, 20)
	c := &counted{ReaderAt: j}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f := must[*facts.File](t)(facts.Read(t.Context(), c, size, facts.Options{}))
	runtime.ReadMemStats(&after)
	if len(f.Signatures) != 20 || len(troubles(f.Signatures[0])) > 0 {
		t.Fatal(summary(f))
	}
	if c.bytes > size+size/20+8<<20 {
		t.Errorf("read %d bytes of a file of %d", c.bytes, size)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 32<<20 {
		t.Errorf("allocated %d bytes in all", got)
	}
}

// BenchmarkRead reports what reading costs against hashing the file once and verifying each signature once: in
// processor time, which other programs on the machine do not change much.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		size       int64
		signatures int
	}{{100 << 10, 1}, {100 << 10, 50}, {100 << 20, 1}, {100 << 20, 50}} {
		b.Run(fmt.Sprintf("%dKiB/%d", c.size>>10, c.signatures), func(b *testing.B) {
			j, size := many(b, c.size, c.signatures)
			whole := make([]byte, size)
			if _, err := j.ReadAt(whole, 0); err != nil && err != io.EOF {
				b.Fatal(err)
			}
			r := bytes.NewReader(whole)
			digest := sha256.Sum256(whole)
			value := must[[]byte](b)(ecdsa.SignASN1(rand.Reader, sari(), digest[:]))
			var floor, took time.Duration
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				begun := processor(b)
				sha256.Sum256(whole)
				for range c.signatures {
					if !ecdsa.VerifyASN1(&sari().PublicKey, digest[:], value) {
						b.Fatal("not verified")
					}
				}
				middle := processor(b)
				if _, err := facts.Read(b.Context(), r, size, facts.Options{}); err != nil {
					b.Fatal(err)
				}
				floor += middle - begun
				took += processor(b) - middle
			}
			b.ReportMetric(float64(took)/float64(floor), "x-floor")
			b.ReportMetric(float64(took.Microseconds())/float64(b.N)/1000, "cpu-ms")
		})
	}
}

// processor is the processor time of this process so far.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
