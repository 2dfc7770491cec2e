package pdf

import (
	"bytes"
	"testing"
)

func FuzzLexer(f *testing.F) {
	f.Add([]byte("<< /Type /Page /Kids [1 0 R 2 0 R] /T (a\\(b) /H <4142> /R -1.5 >>"))
	f.Add([]byte("[[[<<>>]] null true (unfinished"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := Limits{Depth: 50, Values: 10_000}.withDefaults(0)
		whole := newParser(newBytesLexer(b, 0), l)
		parts := newParser(newLexer(bytes.NewReader(b), 0, int64(len(b))), l)
		for range 100 {
			o, err := whole.parseObject()
			_, err2 := parts.parseObject()
			if (err == nil) != (err2 == nil) {
				t.Fatalf("in memory: %v, by chunks: %v", err, err2)
			}
			if err != nil {
				return
			}
			// What was read can be written, and then reads again.
			w := &writer{}
			if err := w.writeObject(o); err != nil {
				t.Fatalf("write: %v", err)
			}
			if _, err := newParser(newBytesLexer(w.buf, 0), Limits{}.withDefaults(0)).parseObject(); err != nil {
				t.Fatalf("read %q again: %v", w.buf, err)
			}
		}
	})
}
