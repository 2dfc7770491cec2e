package outbound

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ErrTooLong is an answer that is longer than what the client takes.
var ErrTooLong = errors.New("answer is too long")

// limitedTransport refuses what is no HTTP and ends answers that are too long with an error.
type limitedTransport struct {
	most int64
	next *http.Transport
}

// CloseIdleConnections is what http.Client looks for.
func (b *limitedTransport) CloseIdleConnections() { b.next.CloseIdleConnections() }

func (b *limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		if r.Body != nil {
			_ = r.Body.Close() // as every RoundTripper has to
		}
		return nil, fmt.Errorf("%w: scheme %q", ErrRefused, r.URL.Scheme)
	}
	a, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if a.ContentLength > b.most {
		_ = a.Body.Close() // nothing of it was wanted
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLong, a.ContentLength)
	}
	a.Body = &limitedBody{a.Body, b.most}
	return a, nil
}

// limitedBody is read up to a limit, and is an error beyond it.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more tells the end from the limit
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		return n, ErrTooLong
	}
	b.left -= int64(n)
	return n, err
}
