package content_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"segel/pdf"
	"segel/pdf/content"
)

// TestNoPageTakesLong checks that the most expensive content within the limits stops within seconds, even on a busy
// machine. Each is a few kilobytes in the file.
func TestNoPageTakesLong(t *testing.T) {
	t.Parallel()
	layers := func(u *pdf.Update, page pdf.Dict) {
		form := u.Add(&pdf.Stream{Dict: pdf.Dict{"Subtype": pdf.Name("Form")}, Data: []byte(strings.Repeat(" ", 1<<20))})
		page["Resources"] = pdf.Dict{"XObject": pdf.Dict{"X": form}, "Font": pdf.Dict{"F1": pdf.Ref{Number: 3}}}
	}
	for name, operators := range map[string]string{
		"operators": strings.Repeat("q Q ", 4<<20),
		"spaces":    "BT /F1 9 Tf (" + strings.Repeat(" ", 16<<20) + ") Tj",
		"letters":   "BT /F1 9 Tf " + strings.Repeat("(perjanjian) Tj ", 1<<20),
		"lines":     strings.Repeat("1 1 m 2 2 l S ", 1<<20),
		"forms":     strings.Repeat("/X Do ", 1<<16),
	} {
		d, page := openPage(t, square, operators, layers)
		start := time.Now()
		_, err := content.NewReader(d, content.Limits{}).PageMarks(page)
		took := time.Since(start)
		t.Logf("%s: %v, %v", name, took.Round(time.Millisecond), err)
		if err == nil || took > time.Minute {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}

// TestAPieceThatUnpacksBeyondTheLimitIsTheLast has a page that names the same few kilobytes a thousand times, which
// decode to megabytes each. It runs alone, so that it measures its allocations only.
func TestAPieceThatUnpacksBeyondTheLimitIsTheLast(t *testing.T) {
	packed := compressStreams(t, bytes.Repeat([]byte(" "), 8<<20))
	d, page := openPage(t, square, "", func(u *pdf.Update, page pdf.Dict) {
		piece := u.Add(&pdf.Stream{Dict: pdf.Dict{"Filter": pdf.Name("FlateDecode")}, Data: packed})
		pieces := make(pdf.Array, 1000)
		for i := range pieces {
			pieces[i] = piece
		}
		page["Contents"] = pieces
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := content.NewReader(d, content.Limits{Bytes: 8 << 20}).PageMarks(page)
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || took > 128 {
		t.Errorf("%v, after %d MiB", err, took)
	}
}

// compressStreams returns compressed data.
func compressStreams(tb testing.TB, b []byte) []byte {
	tb.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := w.Write(b)
	if err = errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}
