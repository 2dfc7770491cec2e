package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"segel/internal/emeterai"
)

// fetchStamped downloads the stamped file and returns the bytes that it adds. The file is compared with the source while it arrives, and only what it
// adds is held, in memory.
func (d *Driver) fetchStamped(ctx context.Context, at *address, r emeterai.Request, where string) ([]byte, error) {
	from, err := d.resolveFileURL(at, where)
	if err != nil {
		return nil, &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeAnswer, Text: "address of the stamped file: " + d.redactText(err.Error()), After: configWait}
	}
	var tail []byte
	var problem error // of the file that was returned, or of our source; the call succeeded
	err = d.withToken(ctx, func(l accessToken) error {
		return d.roundTrip(ctx, call{
			name: "file", method: http.MethodGet, url: from, token: l.token, effect: true, // the serial is affixed by now
			breaker: at.breaker, timeout: d.o.StampTimeout,
		}, func(answer *http.Response) (err error) {
			if answer.StatusCode != http.StatusOK {
				return fmt.Errorf("status %d", answer.StatusCode)
			}
			tail, problem, err = d.readTail(ctx, r, answer.Body)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return tail, problem
}

// readTail reads a returned file and returns the bytes that it adds to the source. Problem is what is wrong with the file or with our source; a file
// that does not begin with the source, or adds too much, is quarantined. Err is an error of reading the file.
func (d *Driver) readTail(ctx context.Context, r emeterai.Request, file io.Reader) (tail []byte, problem, err error) {
	buf := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(buf)
	received := &failingReader{Reader: file} // io.ReadFull returns the same error for a short file and for one that net/http found cut off
	size := r.Source.Size
	for at := int64(0); at < size; {
		step := int(min(size-at, int64(len(buf[0]))))
		n, readErr := io.ReadFull(received, buf[1][:step])
		ours, theirs := buf[0][:n], buf[1][:n]
		if received.err != nil {
			return nil, nil, received.err
		}
		if k, err := r.Source.R.ReadAt(ours, at); k < n {
			return nil, localProblem(fmt.Errorf("read the source: %w", err)), nil
		}
		if !bytes.Equal(ours, theirs) {
			for ours[0] == theirs[0] {
				ours, theirs = ours[1:], theirs[1:]
				at++
			}
			return d.refuseOtherBeginning(ctx, r, at, io.MultiReader(bytes.NewReader(theirs), file))
		}
		at += int64(n)
		if readErr != nil {
			return nil, incompleteFile(fmt.Sprintf("the stamped file has %d bytes, ours %d", at, size), nil), nil
		}
	}
	tail, err = io.ReadAll(io.LimitReader(file, d.o.MaxTail+1)) // one more byte shows that it is too long
	switch n := int64(len(tail)); {
	case err != nil:
		return nil, nil, err
	case n == 0:
		return nil, incompleteFile(fmt.Sprintf("the stamped file has %d bytes, as ours", size), nil), nil
	case n > d.o.MaxTail:
		problem, err = d.quarantineFile(ctx, r, size, io.MultiReader(bytes.NewReader(tail), file), fmt.Sprintf("the stamp added more than %d bytes", d.o.MaxTail))
		return nil, problem, err
	}
	return tail, nil, nil
}

// bufferPool are reused to copy or compare files.
var bufferPool = sync.Pool{New: func() any { return new([2][32 << 10]byte) }}

// refuseOtherBeginning quarantines a file that differs from the source at a byte, and goes on with rest from there; unless it is our source that changed.
func (d *Driver) refuseOtherBeginning(ctx context.Context, r emeterai.Request, at int64, rest io.Reader) (tail []byte, problem, err error) {
	if err := copySource(io.Discard, r); err != nil {
		return nil, localProblem(err), nil
	}
	problem, err = d.quarantineFile(ctx, r, at, rest, fmt.Sprintf("the stamped file does not begin with the source: it differs at byte %d", at))
	return nil, problem, err
}

// quarantineFile stores a file that is not what was ordered, and returns the problem. The file begins with so many bytes of the source, and goes on
// with rest. Err is an error of reading rest.
func (d *Driver) quarantineFile(ctx context.Context, r emeterai.Request, same int64, rest io.Reader, why string) (problem, err error) {
	p := &emeterai.Problem{Class: emeterai.Quarantine, Code: emeterai.CodeReturn, Text: why}
	read := &failingReader{Reader: rest}
	whole := io.MultiReader(io.NewSectionReader(r.Source.R, 0, same), read)
	stored := &io.LimitedReader{R: whole, N: r.Source.Size + 2*d.o.MaxTail} // enough to see what it is
	most := stored.N
	path, open, err := d.records.storeEvidence(r.Serial, stored, d.o.Random)
	switch {
	case read.err != nil:
		return nil, read.err
	case err != nil:
		d.o.Log.ErrorContext(ctx, "returned file could not be stored", "serial", r.Serial, "error", err)
		p.Err = err
	default:
		p.Evidence = &emeterai.Evidence{Size: most - stored.N, Path: path, Open: open}
	}
	return p, nil
}

// failingReader remembers an error of reading other than the end.
type failingReader struct {
	io.Reader
	err error
}

func (f *failingReader) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// incompleteFile returns the problem of a stamped file that did not arrive complete: the serial may be affixed, and
// stamping again costs nothing.
func incompleteFile(text string, err error) error {
	return &emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeReturn, Text: text, Err: err}
}
