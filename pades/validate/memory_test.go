package validate_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/authority"
	"segel/pades/validate"
	"segel/pdf"
	"segel/pdf/pdftest"
)

// watcher records the peak of the live heap: it measures after each of many collections.
type watcher struct {
	peak atomic.Uint64
	done atomic.Bool
	was  int // percent
}

// watch begins. Until it ends the heap may grow by two fifths between two collections.
func watch() *watcher {
	runtime.GC()
	w := &watcher{was: debug.SetGCPercent(40)}
	w.arm()
	return w
}

// arm registers for the next collection.
func (w *watcher) arm() {
	runtime.SetFinalizer(new([1 << 10]byte), func(*[1 << 10]byte) {
		if w.look(); !w.done.Load() {
			w.arm()
		}
	})
}

func (w *watcher) look() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	for now := live[0].Value.Uint64(); ; {
		if known := w.peak.Load(); now <= known || w.peak.CompareAndSwap(known, now) {
			return
		}
	}
}

// end tells the most.
func (w *watcher) end() uint64 {
	runtime.GC()
	w.done.Store(true)
	debug.SetGCPercent(w.was)
	w.look()
	return w.peak.Load()
}

// packed is a file of one page and so many further objects, 200 in each object stream, with a cross-reference stream.
func packed(objects int) []byte {
	const each = 200
	var b bytes.Buffer
	rows := [][3]int{{0, 0, 0}} // kind, offset or stream, index
	plain := func(format string, args ...any) {
		rows = append(rows, [3]int{1, b.Len(), 0})
		fmt.Fprintf(&b, "%d 0 obj\n", len(rows)-1)
		fmt.Fprintf(&b, format+"\nendobj\n", args...)
	}
	b.WriteString("%PDF-1.7\n")
	streams := objects / each
	var all strings.Builder
	for i := range objects {
		fmt.Fprintf(&all, "%d 0 R ", 4+streams+i)
	}
	plain("<</Type /Catalog /Pages 2 0 R /Spare [%s]>>", all.String())
	plain("<</Type /Pages /Count 1 /Kids [3 0 R]>>")
	plain("<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>>")
	for n := range streams {
		var head, body strings.Builder
		for i := range each {
			fmt.Fprintf(&head, "%d %d ", 4+streams+n*each+i, body.Len())
			fmt.Fprintf(&body, "<</Row %d /Text (nomor %d)>> ", n, i)
		}
		plain("<</Type /ObjStm /N %d /First %d /Length %d>>\nstream\n%s%s\nendstream", each, head.Len(), head.Len()+body.Len(), head.String(), body.String())
	}
	for i := range objects {
		rows = append(rows, [3]int{2, 4 + i/each, i % each})
	}
	at := b.Len()
	rows = append(rows, [3]int{1, at, 0})
	fmt.Fprintf(&b, "%d 0 obj\n<</Type /XRef /Root 1 0 R /Size %d /W [1 4 1] /Length %d>>\nstream\n", len(rows)-1, len(rows), 6*len(rows))
	for _, r := range rows {
		b.Write([]byte{byte(r[0]), byte(r[1] >> 24), byte(r[1] >> 16), byte(r[1] >> 8), byte(r[1]), byte(r[2])})
	}
	fmt.Fprintf(&b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", at)
	return b.Bytes()
}

// onePlace is a file of so many pages, all of them in one object stream.
func onePlace(pages int) []byte {
	var head, body, kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&head, "%d %d ", 4+i, body.Len())
		fmt.Fprintf(&body, "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Row %d>> ", i)
		fmt.Fprintf(&kids, "%d 0 R ", 4+i)
	}
	var b, packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = io.WriteString(z, head.String()+body.String()) // memory does not fail
	_ = z.Close()
	var at [4]int
	b.WriteString("%PDF-1.7\n")
	for i, o := range []string{
		"<</Type /Catalog /Pages 2 0 R>>",
		fmt.Sprintf("<</Type /Pages /Count %d /Kids [%s]>>", pages, kids.String()),
		fmt.Sprintf("<</Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream", pages, head.Len(), packed.Len(), packed.String()),
	} {
		at[i+1] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	from := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type /XRef /Root 1 0 R /Size %d /W [1 4 4] /Length %d>>\nstream\n", 4+pages, 5+pages, 9*(5+pages))
	row := func(kind byte, place, index int) {
		b.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{kind}, uint32(place)), uint32(index)))
	}
	row(0, 0, 0)
	for _, place := range at[1:] {
		row(1, place, 0)
	}
	for i := range pages {
		row(2, 3, i)
	}
	row(1, from, 0)
	fmt.Fprintf(&b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", from)
	return b.Bytes()
}

// bomb adds items that decompress to a hundred times their size, beyond all limits.
func bomb(d *pdf.Document) (*pdf.Tail, error) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(make([]byte, 11<<20))
	if err = errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	u := d.NewUpdate()
	var list pdf.Array
	for range 40 {
		list = append(list, u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: packed.Bytes()}))
	}
	root, _, err := d.Root()
	if err != nil {
		return nil, err
	}
	catalog, err := u.Edit(root)
	if err != nil {
		return nil, err
	}
	catalog["DSS"] = pdf.Dict{"Certs": list, "OCSPs": list, "CRLs": list}
	return u.Build()
}

func TestVerdictTakesLittleMemoryHoweverLargeTheFile(t *testing.T) {
	// Not parallel: it measures the memory of the whole program.
	a, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var trust validate.Trust
	trust.Add(validate.ForAll, "office", a.Root())
	large := pdftest.NewLarge(20<<20, 200_000)
	table, err := io.ReadAll(io.NewSectionReader(large, 0, large.Size()))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		file    func() []byte
		hostile bool
	}{
		{"50 signatures on 32 MB", func() []byte { return crowded(t, a, 50, 32<<20) }, false},
		{"200,000 objects in a table", func() []byte { return sealed(t, a, table, 3) }, false},
		{"200,000 objects in streams", func() []byte { return sealed(t, a, packed(200_000), 3) }, false},
		{"100,000 pages in one object stream", func() []byte { return sealed(t, a, onePlace(100_000), 3) }, false},
		{"proof that unfolds", func() []byte { return grown(t, sealed(t, a, pdftest.Table(1), 2), bomb) }, true},
	} {
		file := c.file()
		// A collection counts what is allocated while it marks, which on a busy machine takes long. So the least of three counts.
		const most, tries = 32 << 20, 3
		growth := int64(math.MaxInt64)
		for try := 0; try < tries && growth > most; try++ {
			g, allocated, took := measureVerdict(t, c.name, file, c.hostile, &trust)
			t.Logf("%s: %.1f MiB at most, %.1f MiB allocated in all, %v", c.name, float64(g)/(1<<20), float64(allocated)/(1<<20), took.Round(time.Millisecond))
			growth = min(growth, g)
		}
		if growth > most {
			t.Errorf("%s: the heap grew by %d bytes", c.name, growth)
		}
	}
}

// measureVerdict validates a file and returns by how much the live heap grew, what was allocated, and how long it took.
func measureVerdict(t *testing.T, name string, file []byte, hostile bool, trust *validate.Trust) (growth int64, allocated uint64, took time.Duration) {
	t.Helper()
	runtime.GC() // twice, since pools give up what they have at the second
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := watch()
	began := time.Now()
	r, err := validate.Validate(t.Context(), bytes.NewReader(file), int64(len(file)), validate.Options{At: time.Now(), Trust: trust})
	took = time.Since(began)
	peak := w.end()
	runtime.ReadMemStats(&after)
	if err != nil && !(hostile && errors.Is(err, validate.ErrUnreadable)) {
		t.Fatalf("%s: %v", name, err)
	}
	if err == nil && r.Passed() == hostile {
		t.Errorf("%s: %s %s, %s", name, r.Indication, r.SubIndication, r.Integrity)
	}
	runtime.KeepAlive(file)
	return int64(peak) - int64(before.HeapAlloc), after.TotalAlloc - before.TotalAlloc, took
}

// leaver cancels after so many readings, and counts those that follow.
type leaver struct {
	io.ReaderAt
	left   int
	leave  func()
	beyond int
}

func (l *leaver) ReadAt(p []byte, at int64) (int, error) {
	if l.left--; l.left == 0 {
		l.leave()
	}
	if l.left < 0 {
		l.beyond++
	}
	return l.ReaderAt.ReadAt(p, at)
}

func TestVerdictStopsReadingOnceItIsCanceled(t *testing.T) {
	t.Parallel()
	a, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	file := sealed(t, a, packed(30_000), 3)
	validateFile := func(after int) (*leaver, error) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		l := &leaver{ReaderAt: bytes.NewReader(file), left: after, leave: leave}
		_, err := validate.Validate(ctx, l, int64(len(file)), validate.Options{At: time.Now()})
		return l, err
	}
	const many = 1 << 30
	whole, err := validateFile(many)
	if err != nil {
		t.Fatal(err)
	}
	all, most := many-whole.left, 0
	for part := range 10 {
		l, err := validateFile(all*part/10 + 1)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d tenths of %d readings: %v", part, all, err)
		}
		most = max(most, l.beyond)
	}
	t.Logf("%d readings, at most %d after it was given up", all, most)
	if most > 0 {
		t.Errorf("%d of %d readings after it was given up", most, all)
	}
}
