package intake

import (
	"errors"
	"io"
	"strings"
)

// errBound stops a reader or a writer at its bound. Callers ask the bound itself what happened.
var errBound = errors.New("bound reached")

// errBodyCut is what [mime/multipart] meets behind the last byte of a body.
var errBodyCut = errors.New("the body ends early")

// source bounds a whole body and remembers why it could not be read. [mime/multipart] reads on for as long as
// what comes before the first boundary, does not always pass on the error it met, and takes a body that is cut
// within the header of a part for complete. So it never sees io.EOF: a line end follows the body, in case the
// last boundary has none, and then an error. The io.EOF of its NextPart is then that of the last boundary.
type source struct {
	r    io.Reader
	left int64 // bytes that may still come; negative once more came
	err  error // of r, but for io.EOF
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

// limited bounds what a sink is given and remembers its error, to tell it from one of the body.
type limited struct {
	w        io.Writer
	left     int64
	exceeded bool
	err      error // of w
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
