package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"segel/internal/emeterai"
)

// fetchStamped downloads the stamped file and returns the bytes that it adds.
func (d *Driver) fetchStamped(ctx context.Context, at slot, r emeterai.Request, where string) ([]byte, error) {
	from, err := d.resolveFileURL(at, where)
	if err != nil {
		return nil, &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeAnswer, Text: "address of the stamped file: " + d.redactText(err.Error()), After: configWait}
	}
	a := &stampedDownload{d: d, r: r}
	defer a.discardFile()
	err = d.withToken(ctx, func(l accessToken) error {
		a.discardFile()
		return d.roundTrip(ctx, call{
			name: "file", method: http.MethodGet, url: from, token: l.token, effect: true, // the serial is affixed by now
			breaker: at.breaker, timeout: d.o.StampTimeout,
		}, func(answer *http.Response) error {
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("status %d", answer.StatusCode)
			}
			return a.readBody(answer)
		})
	})
	switch {
	case err != nil:
		return nil, err
	case a.localErr != nil:
		return nil, localProblem(a.localErr)
	case a.odd != nil:
		return d.extractTail(ctx, r, a.odd)
	}
	return a.tail, nil
}

// stampedDownload is a stamped file while it is read from the office. It is compared with the source, and only the
// added bytes are retained. A file that does not begin with the source is written to a temporary file, so that
// extractTail can say how it differs.
type stampedDownload struct {
	d *Driver
	r emeterai.Request

	tail     []byte
	odd      *os.File // nil, or a temporary file, without a name if the system allows that
	localErr error    // a local error: the source could not be read, or the file not be written
}

// discardFile discards what was read.
func (a *stampedDownload) discardFile() {
	if a.odd != nil {
		_ = a.odd.Close()
		_ = os.Remove(a.odd.Name())
	}
	a.tail, a.odd, a.localErr = nil, nil, nil
}

// readBody reads an answer to its end, or to more bytes than a stamp adds. An error is one of the transfer.
func (a *stampedDownload) readBody(answer *http.Response) error {
	body := &errorRecorder{r: answer.Body}
	n, err := a.compareSource(body)
	if err == nil && n == a.r.Source.Size {
		a.tail, err = io.ReadAll(io.LimitReader(body, a.d.o.MaxTail+1))
		n += int64(len(a.tail))
		if err == nil && (len(a.tail) == 0 || int64(len(a.tail)) > a.d.o.MaxTail) {
			err = a.writeOddFile(a.r.Source.Size, a.tail, nil)
		}
	}
	limit := a.r.Source.Size + a.d.o.MaxTail + 1
	switch {
	case a.localErr != nil:
		return nil
	case err != nil:
		return err
	case body.err != nil && body.err != io.EOF:
		return body.err
	case a.odd == nil && answer.ContentLength >= 0 && n < min(answer.ContentLength, limit):
		return io.ErrUnexpectedEOF
	}
	return nil
}

// compareSource compares the body with the source and returns how many bytes were equal. If they differ, it writes the
// file to odd.
func (a *stampedDownload) compareSource(body io.Reader) (same int64, err error) {
	buf := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(buf)
	for same < a.r.Source.Size {
		step := min(a.r.Source.Size-same, int64(len(buf[0])))
		n, err := io.ReadFull(body, buf[0][:step])
		got, want := buf[0][:n], buf[1][:n]
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return same, err
		}
		if k, err := a.r.Source.R.ReadAt(want, same); k < n {
			a.localErr = fmt.Errorf("read the source: %w", err)
			return same, nil
		}
		if err != nil || !bytes.Equal(got, want) {
			return same, a.writeOddFile(same, got, body)
		}
		same += int64(n)
	}
	return same, nil
}

// writeOddFile writes a file that differs from the source: the equal bytes, the bytes after them, and the rest.
func (a *stampedDownload) writeOddFile(same int64, got []byte, rest io.Reader) error {
	var err error
	if a.odd, err = os.CreateTemp(a.d.o.Dir, "fetched-*.pdf"); err != nil {
		a.odd, a.localErr = nil, err
		return nil
	}
	_ = os.Remove(a.odd.Name()) // if the system lets an open file lose its name, a kill leaves nothing behind
	if _, err := io.Copy(a.odd, io.NewSectionReader(a.r.Source.R, 0, same)); err != nil {
		a.localErr = err
		return nil
	}
	if _, err := a.odd.Write(got); err != nil {
		a.localErr = err
		return nil
	}
	if rest == nil {
		return nil
	}
	limit := a.r.Source.Size + a.d.o.MaxTail + 1 - same - int64(len(got)) // one more byte shows that it is too long
	_, err = io.Copy(a.odd, io.LimitReader(rest, limit))
	var disk *os.PathError
	if errors.As(err, &disk) {
		a.localErr, err = err, nil
	}
	return err
}

// errorRecorder remembers the error with which a body ended: a reader of a fixed number of bytes cannot tell a cut
// connection from a short file.
type errorRecorder struct {
	r   io.Reader
	err error
}

func (e *errorRecorder) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err != nil {
		e.err = err
	}
	return n, err
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
	name, err := d.records.storeEvidence(r.Serial, f, stored, d.o.Random)
	if err != nil {
		d.o.Log.ErrorContext(ctx, "returned file could not be stored", "serial", r.Serial, "error", err)
		p.Err = err
		return p
	}
	p.Evidence = &emeterai.Evidence{Size: stored, Path: filepath.Join(d.o.Dir, "quarantine", name), Open: func() (io.ReadCloser, error) {
		return d.records.evidence.Open(name)
	}}
	return p
}

// incompleteFile returns the problem of a stamped file that did not arrive complete: the serial may be affixed, and
// stamping again costs nothing.
func incompleteFile(text string, err error) error {
	return &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeReturn, Text: text, Err: err}
}
