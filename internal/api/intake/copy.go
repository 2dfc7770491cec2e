package intake

import (
	"errors"
	"fmt"
	"io"
)

// errEnd tells that the body ended where it may.
var errEnd = errors.New("end of body")

// next copies blanks to rest and returns the byte behind them without consuming it, or [errEnd].
func (s *splitter) next() (byte, error) {
	for {
		w := s.unread()
		for i, c := range w {
			if !isBlank(c) {
				return c, s.keep(i)
			}
		}
		if err := s.keep(len(w)); err != nil {
			return 0, err
		}
		if err := s.more(); err != nil {
			return 0, err
		}
	}
}

// value copies one value, which begins with c, to rest.
func (s *splitter) value(c byte) error {
	switch c {
	case '"':
		return s.quoted()
	case '{', '[':
		return s.nested()
	}
	for n := 0; ; {
		for i, c := range s.unread() {
			if c == ',' || c == '}' || c == ']' || isBlank(c) {
				if n+i == 0 {
					return s.malformed("a value is missing")
				}
				return s.keep(i)
			}
		}
		n += len(s.unread())
		if err := s.keep(len(s.unread())); err != nil {
			return err
		}
		if err := s.more(); err != nil {
			return err
		}
	}
}

// nested copies an object or an array to rest. Whether its brackets match is found later.
func (s *splitter) nested() error {
	depth := 1 // of the body itself
	for {
		w := s.unread()
		n := 0
	scan:
		for ; n < len(w); n++ {
			switch w[n] {
			case '"':
				break scan
			case '{', '[':
				if depth++; depth > s.limits.Depth {
					return &Error{
						Kind: TooDeep, Offset: s.offset() + int64(n), Limit: int64(s.limits.Depth),
						Reason: fmt.Sprintf("values nest deeper than %d", s.limits.Depth),
					}
				}
			case '}', ']':
				if depth--; depth == 1 {
					return s.keep(n + 1)
				}
			}
		}
		if err := s.keep(n); err != nil {
			return err
		}
		var err error
		if n < len(w) {
			err = s.quoted()
		} else {
			err = s.more()
		}
		if err != nil {
			return err
		}
	}
}

// quoted copies a string with its quotes to rest. Its escapes are checked later.
func (s *splitter) quoted() error {
	if err := s.keep(1); err != nil {
		return err
	}
	for escaped := false; ; {
		w := s.unread()
		for i, c := range w {
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				return s.keep(i + 1)
			}
		}
		if err := s.keep(len(w)); err != nil {
			return err
		}
		if err := s.more(); err != nil {
			return err
		}
	}
}

// keep consumes n bytes at hand and appends them to rest, which is bounded here and nowhere else.
func (s *splitter) keep(n int) error {
	if int64(len(s.rest)+n) > s.limits.Rest {
		return restTooLarge(s.offset(), s.limits.Rest)
	}
	s.rest = append(s.rest, s.unread()[:n]...)
	s.skip(n)
	return nil
}

// more reads on. The end of the body is a refusal, unless the object is complete: then it is [errEnd].
func (s *splitter) more() error {
	err := s.fill()
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

// malformed refuses the byte at hand.
func (s *splitter) malformed(reason string) error {
	return &Error{Kind: Malformed, Offset: s.offset(), Reason: reason}
}

// restTooLarge refuses what stands beside the file.
func restTooLarge(offset, limit int64) error {
	return &Error{
		Kind: RestTooLarge, Offset: offset, Limit: limit,
		Reason: fmt.Sprintf("what stands beside the file exceeds %d bytes", limit),
	}
}

// isBlank reports white space of JSON.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
