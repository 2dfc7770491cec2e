package pdf_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/pdf"
)

// TestSmallFilesCannotCostHours has files whose cost would be the square of their size, or worse, if some loop did not
// count its work. Each would take minutes to days of the processor.
func TestSmallFilesCannotCostHours(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"sections over one another": overlappingSections(8000, 2<<20),
		"trailers that do not end":  append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("trailer("), 200_000)...),
		"trailers, and no objects":  append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("trailer 1 "), 300_000)...),
		"objects in objects":        append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("1 0 obj ["), 200_000)...),
		"kids that are none": tableFile(
			"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids ["+strings.Repeat("3 0 R ", 60_000)+"]>>",
			"<</Type /Pages /Count 0 /Kids ["+strings.Repeat("null ", 60_000)+"]>>",
		)(""),
		"fields that are none": tableFile(
			"<</Type /Catalog /Pages 2 0 R /AcroForm <</Fields ["+strings.Repeat("4 0 R <</T (a) /Kids 5 0 R>> ", 30_000)+"]>>>>",
			"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>", "null", "["+strings.Repeat("7 ", 60_000)+"]",
		)(""),
		"names that grow": tableFile(
			"<</Type /Catalog /Pages 2 0 R /AcroForm <</Fields ["+strings.Repeat("<</T 4 0 R /Kids [<</T (a)>>]>> ", 30_000)+"]>>>>",
			"<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>", "("+strings.Repeat("x", 600_000)+")",
		)(""),
		"lengths that lead nowhere": []byte("%PDF-1.7\n" + strings.Repeat("2 0 obj 7 endobj\n", 64) + strings.Repeat("1 0 obj<</Length 2 0 R>>stream\nx ", 150_000)),
		"streams behind comments":   streamsBehindComments(2000, 3<<20),
		"objects in wrong places":   wrongIndexes(150_000),
	} {
		runtime.LockOSThread() // so that the time of the thread is the time of the file
		began := threadTime(t)
		o := pdf.Options{Repair: true, Limits: pdf.Limits{Work: 64 << 20}} // a fourth of the default
		exerciseReader(file, o)
		if d, err := pdf.Open(bytes.NewReader(file), int64(len(file)), o); err == nil {
			var b bytes.Buffer
			_, _ = d.Rewrite(&b, pdf.RewriteOptions{})
		}
		took := threadTime(t) - began
		runtime.UnlockOSThread()
		if took > 10*time.Second {
			t.Errorf("%s: %d bytes took %s", name, len(file), took)
		}
		t.Logf("%s: %d bytes, %s", name, len(file), took)
	}
}

// threadTime returns the processor time that this thread has used.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// overlappingSections chains n cross-reference streams, each of which contains all that follow it, and then as many
// bytes.
func overlappingSections(n, bytesBehind int) []byte {
	b := []byte("%PDF-1.7\n1 0 obj\n<</Type /Catalog>>\nendobj\n")
	const head = "%07d 0 obj<</Type /XRef /Root 1 0 R /Size 9 /W [1 1 1] /Index [10 %07d] /Prev %07d /Length %07d>>stream\n"
	each := len(fmt.Sprintf(head, 0, 0, 0, 0))
	end := len(b) + n*each + bytesBehind
	prev, at := 0, 0
	for i := range n {
		at = len(b)
		size := end - at - each
		b = fmt.Appendf(b, head, i+2, size/3, prev, size)
		prev = at
	}
	b = append(b, make([]byte, bytesBehind)...)
	return fmt.Appendf(b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", at)
}

// streamsBehindComments has n streams whose data are followed by one long comment.
func streamsBehindComments(n, comment int) []byte {
	objects := []string{"<</Type /Catalog /Pages 2 0 R>>", "<</Type /Pages /Count 1 /Kids [3 0 R]>>", "<</Type /Page /Parent 2 0 R>>"}
	for range n {
		objects = append(objects, "<</Length 0>>stream\n")
	}
	file := tableFile(objects...)("")
	return bytes.Replace(file, []byte("xref\n"), fmt.Appendf(nil, "%%%s\nxref\n", strings.Repeat("x", comment)), 1)
}

// wrongIndexes is an object stream whose objects all have a wrong index in the cross-reference.
func wrongIndexes(n int) []byte {
	b := []byte("%PDF-1.7\n1 0 obj\n<</Type /Catalog>>\nendobj\n")
	var directory, entries strings.Builder
	for i := range n {
		fmt.Fprintf(&directory, "%d 0 ", i+4)
		entries.WriteString("\x02\x00\x00\x00\x02\x00\x00\x00\x00")
	}
	data := directory.String()
	container := len(b)
	b = fmt.Appendf(b, "2 0 obj\n<</Type /ObjStm /N %d /First %d /Length %d>>stream\n%s7\nendstream\nendobj\n", n, len(data), len(data)+1, data)
	at := len(b)
	table := []byte{0, 0, 0, 0, 0, 0, 0, 255, 255, 1, 0, 0, 0, 9, 0, 0, 0, 0, 1, 0, 0, 0, byte(container), 0, 0, 0, 0, 1, 0, byte(at >> 16), byte(at >> 8), byte(at), 0, 0, 0, 0}
	table = append(table, entries.String()...)
	b = fmt.Appendf(b, "3 0 obj\n<</Type /XRef /Root 1 0 R /Size %d /W [1 4 4] /Length %d>>stream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", n+4, len(table), table, at)
	return b
}
