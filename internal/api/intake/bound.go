package intake

import (
	"errors"
	"io"
	"strings"
)

// errBound stops a reader or a writer at its bound. Callers look at the bound to see what happened.
var errBound = errors.New("bound reached")

// errBodyCut is what [mime/multipart] reads after the last byte of a body.
var errBodyCut = errors.New("the body ends early")

// source bounds a whole body and remembers why it could not be read. [mime/multipart] reads without limit up to the
// first boundary, does not always return the error it got, and accepts a body that is cut within the header of a
// part. So it never sees io.EOF: after the body it reads a line end, in case the last boundary has none, and then an
// error. An io.EOF from its NextPart then means the last boundary.
type source struct {
	r    io.Reader
	left int64 // bytes that may still arrive; negative once the bound is exceeded
	err  error // error of r, except io.EOF
}

// newSource returns the source of a body of at most limit bytes.
func newSource(r io.Reader, limit int64) *source {
	return &source{r: io.MultiReader(r, strings.NewReader("\r\n")), left: limit}
}

func (s *source) Read(p []byte) (int, error) {
	if s.left < 0 {
		return 0, errBound
	}
	n, err := s.r.Read(p)
	if s.left -= int64(n); s.left < 0 {
		return 0, errBound
	}
	if err == io.EOF {
		return n, errBodyCut
	}
	s.err = err
	return n, err
}

// limited bounds what is written to a sink and remembers its error, to distinguish it from one of the body.
type limited struct {
	w        io.Writer
	left     int64
	exceeded bool
	err      error // error of w
}

func (l *limited) Write(p []byte) (int, error) {
	if int64(len(p)) > l.left {
		l.exceeded = true
		return 0, errBound
	}
	n, err := l.w.Write(p)
	l.left -= int64(n)
	l.err = err
	return n, err
}
