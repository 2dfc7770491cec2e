package pdf_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"segel/pdf"
	"segel/pdf/pdftest"
)

// tree is a file of that many pages in a page tree of nodes of ten, with filler objects up to the given number.
func tree(pages, objects int) []byte {
	bodies := []string{"<</Type /Catalog /Pages 2 0 R>>", ""}
	level := make([]string, 0, pages)
	parents := map[string]string{}
	for n := range pages {
		bodies = append(bodies, fmt.Sprintf("<</Type /Page /Parent PARENT /Contents null /Label (%d)>>", n+1))
		level = append(level, fmt.Sprintf("%d 0 R", len(bodies)))
	}
	counts := map[string]int{}
	for len(level) > 1 {
		var above []string
		for len(level) > 0 {
			group := level[:min(10, len(level))]
			level = level[len(group):]
			n := 0
			for _, kid := range group {
				n += max(1, counts[kid])
			}
			bodies = append(bodies, fmt.Sprintf("<</Type /Pages /Parent PARENT /MediaBox [0 0 300 400] /Count %d /Kids [%s]>>", n, strings.Join(group, " ")))
			ref := fmt.Sprintf("%d 0 R", len(bodies))
			counts[ref] = n
			for _, kid := range group {
				parents[kid] = ref
			}
			above = append(above, ref)
		}
		level = above
	}
	bodies[1] = fmt.Sprintf("<</Type /Pages /Count %d /Kids [%s]>>", pages, level[0])
	for i := range bodies {
		parent := parents[fmt.Sprintf("%d 0 R", i+1)]
		if parent == "" {
			parent = "2 0 R"
		}
		bodies[i] = strings.Replace(bodies[i], "PARENT", parent, 1)
	}
	for len(bodies) < objects {
		bodies = append(bodies, fmt.Sprintf("<</Filler %d /Next %d 0 R>>", len(bodies), len(bodies)))
	}
	bodies[0] = fmt.Sprintf("<</Type /Catalog /Pages 2 0 R /Last %d 0 R>>", len(bodies))
	return tableFile(bodies...)("")
}

func TestThousandPagesAmongTwentyThousandObjectsAreFoundWithoutReadingThemAll(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{"tree": tree(1000, 20_000), "flat": pdftest.Table(1000), "object streams": pdftest.Streams(1000)} {
		src := &countingReader{ReaderAt: bytes.NewReader(file)}
		d, err := pdf.Open(src, int64(len(file)), pdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		table := src.bytes
		if limit := int64(20*d.Properties().Objects + 64<<10); table > limit {
			t.Errorf("%s: opening read %d bytes of %d, want at most %d", name, table, len(file), limit)
		}
		for _, n := range []int{1000, 1, 500} {
			must[*pdf.Page](t)(d.Page(n))
		}
		if limit := int64(256 << 10); src.bytes-table > limit {
			t.Errorf("%s: three pages cost %d bytes, want at most %d", name, src.bytes-table, limit)
		}
		if name == "tree" {
			if s := must[*pdf.Page](t)(d.Page(777)).Dict["Label"].(pdf.String); string(s.Bytes) != "777" {
				t.Errorf("page 777 is labelled %s", s.Bytes)
			}
		}
		number := 0
		for p, err := range d.Pages() {
			if number++; err != nil || p.Number != number || name == "tree" && p.MediaBox.URY != 400 {
				t.Fatalf("%s: page %d: %+v, %v", name, number, p, err)
			}
		}
		if n := must[int](t)(d.PageCount()); n != 1000 || number != n {
			t.Errorf("%s: %d pages, %d were visited", name, n, number)
		}
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		requireSound(t, name, file, must[[]byte](t)(rewrite(t, file, pdf.RewriteOptions{})))
	}
}

// streams is a file of n streams of that many zeros, all of which can be reached.
func streams(n int, size int64) *sparseFile {
	var refs strings.Builder
	for i := range n {
		fmt.Fprintf(&refs, "%d 0 R ", 3+i)
	}
	file, at := &sparseFile{}, []int64{}
	object := func(body string, data int64, end string) {
		at = append(at, file.size)
		file.printf("%d 0 obj\n%s", len(at), body)
		file.size += data
		file.printf("%s\nendobj\n", end)
	}
	file.printf("%%PDF-1.7\n")
	object("<</Type /Catalog /Pages 2 0 R /All ["+refs.String()+"]>>", 0, "")
	object("<</Type /Pages /Count 0 /Kids []>>", 0, "")
	for range n {
		object(fmt.Sprintf("<</Length %d>>\nstream\n", size), size, "\nendstream")
	}
	section := file.size
	file.printf("xref\n1 %d\n", len(at))
	for _, a := range at {
		file.printf("%010d 00000 n \n", a)
	}
	file.printf("trailer\n<</Root 1 0 R /Size %d>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, section)
	return file
}

func TestRewritingTakesMemoryForObjectsAndNotForBytes(t *testing.T) {
	// Not parallel: it measures the memory of the whole program.
	const n, size = 300, 1 << 20
	file := streams(n, size)
	d, err := pdf.Open(file, file.size, pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := must[pdf.Rewritten](t)(d.Rewrite(io.Discard, pdf.RewriteOptions{}))
	runtime.ReadMemStats(&after)
	if done.Objects != n+2 || done.Size < n*size {
		t.Fatalf("wrote %+v", done)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("rewriting %d objects of %d bytes in all took %d bytes of memory", done.Objects, done.Size, used)
	}
}

// BenchmarkRewrite100MB rewrites 1,000 streams from memory to io.Discard, relative to hashing them.
func BenchmarkRewrite100MB(b *testing.B) {
	file := streams(1000, 100<<10)
	whole := make([]byte, file.size)
	if _, err := file.ReadAt(whole, 0); err != nil {
		b.Fatal(err)
	}
	floor := measureHashing(whole)
	b.ReportAllocs()
	for b.Loop() {
		d, err := pdf.Open(bytes.NewReader(whole), file.size, pdf.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.Rewrite(io.Discard, pdf.RewriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "sha256")
}
