package intake

import (
	"errors"
	"fmt"
	"io"
)

// errEnd reports that the body ended where it may.
var errEnd = errors.New("end of body")

// nextByte copies blanks to rest and returns the byte after them without consuming it, or [errEnd].
func (s *splitter) nextByte() (byte, error) {
	for {
		w := s.unreadBytes()
		for i, c := range w {
			if !isBlank(c) {
				return c, s.copyBytes(i)
			}
		}
		if err := s.copyBytes(len(w)); err != nil {
			return 0, err
		}
		if err := s.readMore(); err != nil {
			return 0, err
		}
	}
}

// copyValue copies one value, which starts with c, to rest.
func (s *splitter) copyValue(c byte) error {
	switch c {
	case '"':
		return s.copyString()
	case '{', '[':
		return s.copyNested()
	}
	for n := 0; ; {
		for i, c := range s.unreadBytes() {
			if c == ',' || c == '}' || c == ']' || isBlank(c) {
				if n+i == 0 {
					return s.malformedAt("a value is missing")
				}
				return s.copyBytes(i)
			}
		}
		n += len(s.unreadBytes())
		if err := s.copyBytes(len(s.unreadBytes())); err != nil {
			return err
		}
		if err := s.readMore(); err != nil {
			return err
		}
	}
}

// copyNested copies an object or an array to rest. checkRest checks later whether its brackets match.
func (s *splitter) copyNested() error {
	depth := 1 // of the body itself
	for {
		w := s.unreadBytes()
		n := 0
	scan:
		for ; n < len(w); n++ {
			switch w[n] {
			case '"':
				break scan
			case '{', '[':
				if depth++; depth > s.limits.Depth {
					return &Error{
						Kind: TooDeep, Offset: s.unreadOffset() + int64(n), Limit: int64(s.limits.Depth),
						Reason: fmt.Sprintf("values nest deeper than %d", s.limits.Depth),
					}
				}
			case '}', ']':
				if depth--; depth == 1 {
					return s.copyBytes(n + 1)
				}
			}
		}
		if err := s.copyBytes(n); err != nil {
			return err
		}
		var err error
		if n < len(w) {
			err = s.copyString()
		} else {
			err = s.readMore()
		}
		if err != nil {
			return err
		}
	}
}

// copyString copies a string with its quotes to rest. checkRest checks its escapes later.
func (s *splitter) copyString() error {
	if err := s.copyBytes(1); err != nil {
		return err
	}
	for escaped := false; ; {
		w := s.unreadBytes()
		for i, c := range w {
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				return s.copyBytes(i + 1)
			}
		}
		if err := s.copyBytes(len(w)); err != nil {
			return err
		}
		if err := s.readMore(); err != nil {
			return err
		}
	}
}

// copyBytes consumes the next n bytes and appends them to rest. Only here is rest bounded.
func (s *splitter) copyBytes(n int) error {
	if int64(len(s.rest)+n) > s.limits.Rest {
		return restTooLarge(s.unreadOffset(), s.limits.Rest)
	}
	s.rest = append(s.rest, s.unreadBytes()[:n]...)
	s.skipBytes(n)
	return nil
}

// readMore reads more of the body. The end of the body is a refusal, unless the object is complete: then it is
// [errEnd].
func (s *splitter) readMore() error {
	err := s.fillWindow()
	switch {
	case err == io.EOF && s.complete:
		return errEnd
	case err == io.EOF:
		return &Error{Kind: Malformed, Offset: s.base + int64(s.hi), Reason: "the body ends early"}
	case err != nil:
		return fmt.Errorf("read body: %w", err)
	}
	return nil
}

// malformedAt refuses the next byte.
func (s *splitter) malformedAt(reason string) error {
	return &Error{Kind: Malformed, Offset: s.unreadOffset(), Reason: reason}
}

// restTooLarge refuses a body whose other members are too large.
func restTooLarge(offset, limit int64) error {
	return &Error{
		Kind: RestTooLarge, Offset: offset, Limit: limit,
		Reason: fmt.Sprintf("what stands beside the file exceeds %d bytes", limit),
	}
}

// isBlank reports whether c is JSON white space.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

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
