package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
)

// manyEntries is a small file whose cross-reference stream has n entries that lead to one object.
func manyEntries(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at [4]int
	for i, body := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>"} {
		at[i+1] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	entry := func(kind byte, at int) []byte {
		return binary.BigEndian.AppendUint32([]byte{kind}, uint32(at))
	}
	var entries bytes.Buffer
	z := zlib.NewWriter(&entries)
	_, _ = z.Write(entry(0, 0))
	for i := 1; i <= n; i++ {
		_, _ = z.Write(entry(1, at[min(i, 3)]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	start := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/W[1 4 0]/Size %d/Root 1 0 R/Filter/FlateDecode/Length %d>>\nstream\n", n+1, n+1, entries.Len())
	b.Write(entries.Bytes())
	fmt.Fprintf(&b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

func TestMoreEntriesThanAFileHasSpaceForAreRefused(t *testing.T) {
	t.Parallel()
	f := manyEntries(t, 1_000_000)
	for _, repair := range []bool{false, true} {
		b := FileBudget(t.Context(), int64(len(f)))
		_, err := Open(bytes.NewReader(f), int64(len(f)), Options{Budget: b, Repair: repair})
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("repair %v: a file of %d bytes with a million entries: %v", repair, len(f), err)
		}
		if b.Used() > 16<<20 {
			t.Errorf("repair %v: it cost %d bytes of work", repair, b.Used())
		}
	}
	few := manyEntries(t, 3)
	if _, err := Open(bytes.NewReader(few), int64(len(few)), Options{}); err != nil {
		t.Errorf("three entries: %v", err)
	}
}

// fileWithObjectStream is a file with n objects in one object stream.
func fileWithObjectStream(t testing.TB, n int) []byte {
	t.Helper()
	var head, body bytes.Buffer
	for i := range n {
		fmt.Fprintf(&head, "%d %d ", i+4, body.Len())
		body.WriteString("7 ")
	}
	var stream, entries, b bytes.Buffer
	z := zlib.NewWriter(&stream)
	_, _ = z.Write(head.Bytes())
	_, _ = z.Write(body.Bytes())
	_ = z.Close()
	b.WriteString("%PDF-1.7\n")
	var at [4]int
	for i, object := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>"} {
		at[i+1] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	holder := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>\nstream\n", n+4, n, head.Len(), stream.Len())
	b.Write(stream.Bytes())
	b.WriteString("\nendstream\nendobj\n")
	entry := func(kind byte, second, third int) []byte {
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{kind}, uint32(second)), uint32(third))
	}
	z = zlib.NewWriter(&entries)
	_, _ = z.Write(entry(0, 0, 0))
	for i := 1; i <= 3; i++ {
		_, _ = z.Write(entry(1, at[i], 0))
	}
	for i := range n {
		_, _ = z.Write(entry(2, n+4, i))
	}
	_, _ = z.Write(entry(1, holder, 0))
	_ = z.Close()
	start := b.Len()
	fmt.Fprintf(&b, "%d 0 obj\n<</Type/XRef/W[1 4 4]/Size %d/Root 1 0 R/Filter/FlateDecode/Length %d>>\nstream\n", n+5, n+5, entries.Len())
	b.Write(entries.Bytes())
	fmt.Fprintf(&b, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// An object of two bytes costs more than two bytes.
func TestEveryObjectIsCountedHoweverShortItIs(t *testing.T) {
	t.Parallel()
	const n = 100_000
	f := fileWithObjectStream(t, n)
	d, err := Open(bytes.NewReader(f), int64(len(f)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := d.work
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	if spent := d.work - before; spent < n*objectWork {
		t.Errorf("%d objects were counted as %d bytes of work", n, spent)
	}
}

func TestDocumentsOfOneFileShareABudget(t *testing.T) {
	t.Parallel()
	f := fileWithObjectStream(t, 20_000)
	open := func(b *Budget) error {
		d, err := Open(bytes.NewReader(f), int64(len(f)), Options{Budget: b})
		if err == nil {
			err = d.Check()
		}
		return err
	}
	once := NewBudget(t.Context(), 1<<40)
	if err := open(once); err != nil {
		t.Fatal(err)
	}
	b := NewBudget(t.Context(), 3*once.Used()-1)
	for i := range 3 {
		if err := open(b); i < 2 && err != nil || i == 2 && !errors.Is(err, ErrTooLarge) {
			t.Errorf("document %d: %v", i+1, err)
		}
	}
}

// The work after the context has ended is counted, which is what a machine of any speed does.
func TestWorkEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := fileWithObjectStream(t, 200_000)
	ctx, cancel := context.WithCancel(t.Context())
	b := NewBudget(ctx, 1<<40)
	d, err := Open(bytes.NewReader(f), int64(len(f)), Options{Budget: b})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for name, step := range map[string]func() error{
		"check":      d.Check,
		"references": func() error { _, err := d.NextObject(); return err },
		"open":       func() error { _, err := Open(bytes.NewReader(f), int64(len(f)), Options{Budget: b}); return err },
		"repair": func() error {
			_, err := Open(bytes.NewReader(f[:len(f)-20]), int64(len(f)-20), Options{Budget: b, Repair: true})
			return err
		},
		"rewrite": func() error { _, err := d.Rewrite(io.Discard, RewriteOptions{}); return err },
	} {
		before := d.work
		if err := step(); !errors.Is(err, context.Canceled) || errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if more := d.work - before; more > 1<<20 {
			t.Errorf("%s: %d bytes of work after the end", name, more)
		}
	}
}
