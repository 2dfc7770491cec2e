package pdf_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"segel/pdf"
)

// fixedRandom is a source of fixed "random" bytes.
type fixedRandom byte

func (s fixedRandom) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

func open(t testing.TB, b []byte) *pdf.Document {
	t.Helper()
	d, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{Random: fixedRandom(7)})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return d
}

func openErr(b []byte) error {
	_, err := pdf.Open(bytes.NewReader(b), int64(len(b)), pdf.Options{})
	return err
}

// build appends the tail of u to the file it was made from.
func build(t testing.TB, file []byte, u *pdf.Update) []byte {
	t.Helper()
	tail, err := u.Build()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	if tail.At != int64(len(file)) {
		t.Fatalf("tail begins at %d, file ends at %d", tail.At, len(file))
	}
	return append(bytes.Clone(file), tail.Bytes...)
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// countingReader counts the bytes read through it.
type countingReader struct {
	io.ReaderAt
	bytes int64
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

// replace swaps one text for another of the same length.
func replace(t testing.TB, file []byte, old, with string) []byte {
	t.Helper()
	if len(old) != len(with) || bytes.Count(file, []byte(old)) == 0 {
		t.Fatalf("cannot replace %q by %q", old, with)
	}
	return []byte(strings.Replace(string(file), old, with, 1))
}
