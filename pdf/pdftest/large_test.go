package pdftest

import (
	"bytes"
	"crypto/sha256"
	"io"
	"testing"
)

func TestLargeFileReadsTheSameInAnyPieces(t *testing.T) {
	t.Parallel()
	l := NewLarge(300_000, 50)
	var whole bytes.Buffer
	if n, err := l.WriteTo(&whole); err != nil || n != l.Size() {
		t.Fatalf("wrote %d of %d: %v", n, l.Size(), err)
	}
	if l.Size() < 290_000 || l.Size() > 310_000 {
		t.Errorf("size %d", l.Size())
	}
	for _, step := range []int64{1, 7, 100, 4096} {
		h := sha256.New()
		p := make([]byte, step)
		for at := int64(0); at < l.Size(); at += step {
			n, err := l.ReadAt(p, at)
			if err != nil && err != io.EOF {
				t.Fatal(err)
			}
			h.Write(p[:n])
		}
		if want := sha256.Sum256(whole.Bytes()); !bytes.Equal(h.Sum(nil), want[:]) {
			t.Errorf("pieces of %d bytes differ", step)
		}
	}
}

func TestSamplesAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	for name, sample := range map[string]func() []byte{
		"table": func() []byte { return Table(3) }, "streams": func() []byte { return Streams(3) },
		"hybrid": func() []byte { return Hybrid(3) }, "linearized": func() []byte { return Linearized(3) },
		"rotated": Rotated, "form": Form, "active": Active,
	} {
		if !bytes.Equal(sample(), sample()) {
			t.Errorf("%s differs", name)
		}
	}
}
