package pdf_test

import (
	"crypto/sha256"
	"io"
	"testing"
	"time"

	"segel/pdf"
	"segel/pdf/pdftest"
)

func TestSigningALargeFileReadsOnlyItsCrossReference(t *testing.T) {
	t.Parallel()
	l := pdftest.NewLarge(100<<20, 23_000)
	before, err := pdf.Open(l, l.Size(), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := &countingReader{ReaderAt: l}
	d, err := pdf.Open(src, l.Size(), pdf.Options{NextObject: must[uint32](t)(before.NextObject())})
	if err != nil {
		t.Fatal(err)
	}
	page := must[*pdf.Page](t)(d.Page(1))
	u := d.NewUpdate()
	if err := u.Append(page.Ref, "Annots", u.Add(pdf.Dict{"Type": pdf.Name("Annot")})); err != nil {
		t.Fatal(err)
	}
	must[*pdf.Tail](t)(u.Build())
	if limit := int64(23_000*20 + 64<<10); src.bytes > limit {
		t.Errorf("read %d bytes, want at most %d", src.bytes, limit)
	}
}

func TestOffsetsBeyondFourGiBAreReadAndWritten(t *testing.T) {
	t.Parallel()
	l := pdftest.NewLarge(5<<30, 1000)
	d, err := pdf.Open(l, l.Size(), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := d.NewUpdate()
	ref := u.Add(pdf.Name("Far"))
	tail := must[*pdf.Tail](t)(u.Build())
	both := &joined{l, tail.Bytes}
	d, err = pdf.Open(both, l.Size()+int64(len(tail.Bytes)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if o := must[pdf.Object](t)(d.Object(ref)); o != pdf.Name("Far") {
		t.Errorf("far object is %v", o)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}

// joined is a large file with a tail.
type joined struct {
	base *pdftest.Large
	tail []byte
}

func (j *joined) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < j.base.Size() {
		n, _ = j.base.ReadAt(p, at)
	}
	if n < len(p) {
		n += copy(p[n:], j.tail[at+int64(n)-j.base.Size():])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// measureHashing tells how long SHA-256 of all bytes takes, at best of three.
func measureHashing(whole []byte) time.Duration {
	best := time.Hour
	for range 3 {
		began := time.Now()
		sha256.Sum256(whole)
		best = min(best, time.Since(began))
	}
	return best
}

// BenchmarkOpen100MB reports what opening costs as a share of hashing the file, which every upload has to do: the
// target is 0.25, and 16 MiB.
func BenchmarkOpen100MB(b *testing.B) {
	l := pdftest.NewLarge(100<<20, 23_000)
	whole := make([]byte, l.Size())
	if _, err := l.ReadAt(whole, 0); err != nil {
		b.Fatal(err)
	}
	floor := measureHashing(whole)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pdf.Open(l, l.Size(), pdf.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "sha256")
}

func BenchmarkCheck100MB(b *testing.B) {
	l := pdftest.NewLarge(100<<20, 23_000)
	for b.Loop() {
		d, err := pdf.Open(l, l.Size(), pdf.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Check(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkActiveContent100MB(b *testing.B) {
	l := pdftest.NewLarge(100<<20, 23_000)
	for b.Loop() {
		d, err := pdf.Open(l, l.Size(), pdf.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.ActiveContent(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenSmall(b *testing.B) {
	file := pdftest.Streams(3)
	b.ReportAllocs()
	for b.Loop() {
		d := open(b, file)
		if _, err := d.Page(2); err != nil {
			b.Fatal(err)
		}
	}
}
