package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"segel/internal/emeterai"
)

// fetchStamped downloads the stamped file to a temporary one and returns the bytes that it adds.
func (d *Driver) fetchStamped(ctx context.Context, at *address, r emeterai.Request, where string) ([]byte, error) {
	from, err := d.resolveFileURL(at, where)
	if err != nil {
		return nil, &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeAnswer, Text: "address of the stamped file: " + d.redactText(err.Error()), After: configWait}
	}
	f, err := os.CreateTemp(d.o.Dir, "fetched-*.pdf")
	if err != nil {
		return nil, fileProblem(err)
	}
	defer func() { _ = errors.Join(f.Close(), os.Remove(f.Name())) }()
	_ = os.Remove(f.Name()) // if the system lets an open file lose its name, a kill leaves nothing behind
	var localErr error      // the file could not be written
	err = d.withToken(ctx, func(l accessToken) error {
		return d.roundTrip(ctx, call{
			name: "file", method: http.MethodGet, url: from, token: l.token, effect: true, // the serial is affixed by now
			breaker: at.breaker, timeout: d.o.StampTimeout,
		}, func(answer *http.Response) error {
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("status %d", answer.StatusCode)
			}
			limit := r.Source.Size + d.o.MaxTail + 1 // one more byte shows that it is too long
			_, err := io.Copy(f, io.LimitReader(answer.Body, limit))
			var disk *os.PathError
			if errors.As(err, &disk) {
				localErr, err = err, nil
			}
			return err
		})
	})
	switch {
	case err != nil:
		return nil, err
	case localErr != nil:
		return nil, localProblem(localErr)
	}
	return d.extractTail(ctx, r, f)
}

// extractTail returns the bytes that a stamped file adds to the source. A file that does not begin with the source is
// quarantined.
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
		return nil, d.quarantineFile(ctx, r, f, size, fmt.Sprintf("the stamped file does not begin with the source: it differs at byte %d", same))
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

// bufferPool are reused to copy or compare files.
var bufferPool = sync.Pool{New: func() any { return new([2][32 << 10]byte) }}

// commonLength returns how many of the first n bytes are equal to those of the source.
func commonLength(r emeterai.Request, f io.ReaderAt, n int64) (int64, error) {
	buf := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(buf)
	a, b := buf[0][:], buf[1][:]
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

// quarantineFile stores a file that is not what was ordered, and returns the problem.
func (d *Driver) quarantineFile(ctx context.Context, r emeterai.Request, f *os.File, size int64, why string) error {
	p := &emeterai.Problem{Class: emeterai.Quarantine, Code: emeterai.CodeReturn, Text: why}
	stored := min(size, r.Source.Size+2*d.o.MaxTail) // enough to see what it is
	path, open, err := d.records.storeEvidence(r.Serial, f, stored, d.o.Random)
	if err != nil {
		d.o.Log.ErrorContext(ctx, "returned file could not be stored", "serial", r.Serial, "error", err)
		p.Err = err
		return p
	}
	p.Evidence = &emeterai.Evidence{Size: stored, Path: path, Open: open}
	return p
}

// incompleteFile returns the problem of a stamped file that did not arrive complete: the serial may be affixed, and
// stamping again costs nothing.
func incompleteFile(text string, err error) error {
	return &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeReturn, Text: text, Err: err}
}
