package pdf

import (
	"bytes"
	"testing"
)

func FuzzObjectStream(f *testing.F) {
	f.Add([]byte("7 0 8 3 9 9 (a)[1 2]<</K 7 0 R>>"), int64(3), int64(12))
	f.Add([]byte("1 0 1 0 null"), int64(2), int64(8))
	f.Fuzz(func(t *testing.T, b []byte, n, first int64) {
		c, err := parseObjectStream(b, n, first)
		if err != nil {
			return
		}
		l := Limits{Depth: 50, Values: 10_000}.withDefaults(0)
		for i, number := range c.numbers {
			start, ok := c.findOffset(number, i)
			if !ok || start != int(c.starts[i]) {
				t.Fatalf("object %d at index %d is found at %d (%v), stands at %d", number, i, start, ok, c.starts[i])
			}
			if _, ok := c.findOffset(number, len(c.numbers)); !ok {
				t.Fatalf("object %d is not found without its index", number)
			}
			if _, err := newParser(newBytesLexer(b[start:], 0), l).parseObject(); isReadError(err) {
				t.Fatal(err)
			}
		}
	})
}

// FuzzSection reads a cross-reference section, by position and entry by entry: both have to say the same.
func FuzzSection(f *testing.F) {
	f.Add([]byte("xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Size 2>>\n"))
	f.Add([]byte("xref\n0 2\n0000000000 65535 f\n0000000009 00000 n\n3 1\n0000000009 00002 n\r\ntrailer <</Size 2 /Prev 0>>"))
	f.Add([]byte("4 0 obj\n<</Type /XRef /Size 3 /W [1 2 1] /Length 12>>\nstream\n\x01\x00\x09\x00\x02\x00\x01\x00\x00\x00\x00\x00\nendstream\nendobj\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		type entry struct {
			n uint32
			s slot
		}
		read := func(b []byte) (all []entry, err error) {
			d := &Document{src: bytes.NewReader(b), size: int64(len(b)), limits: Limits{Objects: 10_000, Decoded: 1 << 20}.withDefaults(int64(len(b)))}
			d.objects, d.objectStreams = newCache[uint32, Object](1<<20), newCache[uint32, *objectStream](1<<20)
			_, err = d.readSection(0, func(n uint32, s slot) error {
				if int64(n) > int64(d.limits.Objects) {
					t.Fatalf("object number %d", n)
				}
				all = append(all, entry{n, s})
				return nil
			})
			return all, err
		}
		once, err := read(b)
		if isReadError(err) {
			t.Fatal(err)
		}
		// White space before a table moves every entry, and changes none.
		if bytes.HasPrefix(b, []byte("xref")) {
			twice, err2 := read(append([]byte("     "), b...))
			if (err == nil) != (err2 == nil) || err == nil && len(once) != len(twice) {
				t.Fatalf("%d entries, %v; moved: %d, %v", len(once), err, len(twice), err2)
			}
		}
	})
}
