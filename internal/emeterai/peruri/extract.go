package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"segel/internal/emeterai"
)

// extractTail returns what a stamped file adds to the source. A file that is not the source and more is set aside.
func (d *Driver) extractTail(ctx context.Context, r emeterai.Request, f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, localProblem(err)
	}
	size := info.Size()
	same, err := commonLength(r, f, min(size, r.Source.Size))
	switch {
	case err != nil:
		return nil, localProblem(err)
	case same < min(size, r.Source.Size):
		return nil, d.quarantineFile(ctx, r, f, size, fmt.Sprintf("the stamped file is not ours and more: it differs at byte %d", same))
	case size <= r.Source.Size:
		return nil, incompleteFile(fmt.Sprintf("the stamped file has %d bytes, ours %d", size, r.Source.Size), nil)
	case size-r.Source.Size > d.o.MaxTail:
		return nil, d.quarantineFile(ctx, r, f, size, fmt.Sprintf("the stamp added %d bytes", size-r.Source.Size))
	}
	tail := make([]byte, size-r.Source.Size)
	n, err := f.ReadAt(tail, r.Source.Size)
	switch {
	case n == len(tail):
		return tail, nil
	case errors.Is(err, io.EOF):
		return nil, incompleteFile(fmt.Sprintf("the stamped file had %d bytes, and %d when it was read", size, r.Source.Size+int64(n)), nil)
	}
	return nil, localProblem(err)
}

// bufferPool are lent to whoever copies or compares files.
var bufferPool = sync.Pool{New: func() any { return new([2][32 << 10]byte) }}

// commonLength returns how many of the first n bytes are those of the source.
func commonLength(r emeterai.Request, f io.ReaderAt, n int64) (int64, error) {
	lent := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(lent)
	a, b := lent[0][:], lent[1][:]
	for at := int64(0); at < n; {
		step := min(n-at, int64(len(a)))
		if k, err := r.Source.R.ReadAt(a[:step], at); int64(k) < step {
			return 0, fmt.Errorf("read the source: %w", err)
		}
		if k, err := f.ReadAt(b[:step], at); int64(k) < step {
			return 0, fmt.Errorf("read the stamped file: %w", err)
		}
		if !bytes.Equal(a[:step], b[:step]) {
			for i := range step {
				if a[i] != b[i] {
					return at + i, nil
				}
			}
		}
		at += step
	}
	return n, nil
}

// quarantineFile keeps a file that is not what was ordered.
func (d *Driver) quarantineFile(ctx context.Context, r emeterai.Request, f *os.File, size int64, why string) error {
	p := &emeterai.Problem{Class: emeterai.Quarantine, Code: emeterai.CodeReturn, Text: why}
	kept := min(size, r.Source.Size+2*d.o.MaxTail) // enough to see what it is
	name, err := d.records.storeEvidence(r.Serial, f, kept, d.o.Random)
	if err != nil {
		d.o.Log.ErrorContext(ctx, "returned file cannot be set aside", "serial", r.Serial, "error", err)
		p.Err = err
		return p
	}
	p.Evidence = &emeterai.Evidence{Size: kept, Path: filepath.Join(d.o.Dir, "quarantine", name), Open: func() (io.ReadCloser, error) {
		return d.records.evidence.Open(name)
	}}
	return p
}

// incompleteFile is a stamp whose file did not come whole: the serial may be affixed, and stamping again costs nothing.
func incompleteFile(text string, err error) error {
	return &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeReturn, Text: text, Err: err}
}
