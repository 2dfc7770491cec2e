package intake

import (
	"io"
)

// windowSize is how much of a body is in memory at a time. Together with what is decoded from it, it fits the second
// level cache of usual servers.
const windowSize = 32 << 10

// window is the part of a body that was read and not yet consumed.
type window struct {
	r      io.Reader
	buf    []byte
	lo, hi int   // buf[lo:hi] is unread by the parser
	base   int64 // offset of buf[0] in the body
	err    error // error of r, reported when the bytes before it are consumed; sticky
}

// unreadBytes returns the unread bytes.
func (w *window) unreadBytes() []byte { return w.buf[w.lo:w.hi] }

// unreadOffset returns the offset in the body of the first unread byte.
func (w *window) unreadOffset() int64 { return w.base + int64(w.lo) }

// skipBytes consumes n bytes.
func (w *window) skipBytes(n int) { w.lo += n }

// fillWindow reads more behind the unread bytes, which stay; the window must not be full. It collects small reads, so
// that the sink is not called for each. At the end of the body it returns io.EOF.
func (w *window) fillWindow() error {
	copy(w.buf, w.buf[w.lo:w.hi])
	w.base += int64(w.lo)
	w.lo, w.hi = 0, w.hi-w.lo

	before := w.hi
	for empty := 0; w.err == nil && (w.hi == before || w.hi < len(w.buf)/2); {
		n, err := w.r.Read(w.buf[w.hi:])
		w.hi += n
		w.err = err
		if n > 0 {
			empty = 0
		} else if empty++; empty == 100 && err == nil {
			w.err = io.ErrNoProgress
		}
	}
	if w.hi > before {
		return nil
	}
	return w.err
}
