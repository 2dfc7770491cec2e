package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"segel/internal/emeterai"
)

// fetchStamped gets the stamped file and returns what it adds.
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

// stampedDownload is a stamped file as it is read from the office. It is held against the source meanwhile, and only what it adds
// is kept; one that is not the source and more goes to a file, for extract to say what it is.
type stampedDownload struct {
	d *Driver
	r emeterai.Request

	tail     []byte
	odd      *os.File // nil, or a temporary file, without a name where that can be
	localErr error    // what kept us from reading the source or writing the file
}

// discardFile forgets what was read.
func (a *stampedDownload) discardFile() {
	if a.odd != nil {
		_ = a.odd.Close()
		_ = os.Remove(a.odd.Name())
	}
	a.tail, a.odd, a.localErr = nil, nil, nil
}

// readBody reads an answer to its end, or to what no stamp adds. An error is that of the way here.
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

// compareSource holds what comes against the source, and returns how much of it that was. Where that is not all, the file is odd.
func (a *stampedDownload) compareSource(body io.Reader) (same int64, err error) {
	lent := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(lent)
	for same < a.r.Source.Size {
		step := min(a.r.Source.Size-same, int64(len(lent[0])))
		n, err := io.ReadFull(body, lent[0][:step])
		got, want := lent[0][:n], lent[1][:n]
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

// writeOddFile writes a file that is odd: so much of the source, what came behind it, and the rest.
func (a *stampedDownload) writeOddFile(same int64, got []byte, rest io.Reader) error {
	var err error
	if a.odd, err = os.CreateTemp(a.d.o.Dir, "fetched-*.pdf"); err != nil {
		a.odd, a.localErr = nil, err
		return nil
	}
	_ = os.Remove(a.odd.Name()) // where a system lets an open file lose its name, a kill leaves nothing behind
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
	limit := a.r.Source.Size + a.d.o.MaxTail + 1 - same - int64(len(got)) // one more shows that it is too long
	_, err = io.Copy(a.odd, io.LimitReader(rest, limit))
	var disk *os.PathError
	if errors.As(err, &disk) {
		a.localErr, err = err, nil
	}
	return err
}

// errorRecorder remembers with what a body ended: that it was cut off looks like a short file to who reads so many bytes.
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
