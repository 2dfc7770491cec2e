package intake

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"
)

// Multipart reads a multipart/form-data body, whose Content-Type header is given, and copies the named part to sink
// while it arrives. It returns the other fields by name; each may be given once. It skips file parts of other names.
// Parts may arrive in any order.
//
// On error a part of the file may have been written to the sink. Refusals are [*Error].
func Multipart(r io.Reader, contentType string, l Limits, sink io.Writer, part string) (fields map[string]string, info Info, err error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, Info{}, &Error{Kind: Malformed, Reason: "the Content-Type names no multipart/form-data with a boundary"}
	}
	l = l.withDefaults()
	src := &source{r: io.MultiReader(r, strings.NewReader("\r\n")), left: l.File + l.Rest + framing}
	f := &form{
		source: src, reader: multipart.NewReader(src, params["boundary"]),
		limits: l, sink: sink, part: part, fields: map[string]string{},
	}
	for {
		err := f.readPart()
		if err == io.EOF {
			return f.fields, f.info, nil
		}
		if err != nil {
			return nil, f.info, err
		}
	}
}

// framing is what a body may contain beyond both limits: its boundaries.
const framing = 64 << 10

// form is the state of reading one body.
type form struct {
	source *source
	reader *multipart.Reader
	limits Limits
	sink   io.Writer
	part   string

	fields map[string]string
	info   Info
	rest   int64 // bytes of everything but the file, headers included
}

// readPart reads one part. At the end of the body it returns io.EOF.
func (f *form) readPart() error {
	p, err := f.reader.NextPart()
	if err == io.EOF {
		return io.EOF
	}
	if err != nil {
		return f.partError(err)
	}
	for name, values := range p.Header {
		f.rest += int64(len(name))
		for _, v := range values {
			f.rest += int64(len(v))
		}
	}
	name := p.FormName()
	switch {
	case name == f.part:
		return f.copyFile(p)
	case name == "" || p.FileName() != "":
		return f.copyRest(io.Discard, p)
	}
	return f.readField(name, p)
}

// copyFile copies the named part to the sink.
func (f *form) copyFile(p *multipart.Part) error {
	if f.info.Present {
		return &Error{Kind: Duplicate, Reason: f.part + " is given twice"}
	}
	f.info.Present = true
	f.info.Filename = p.FileName()
	out := &limited{w: f.sink, left: f.limits.File}
	// A part is read 4 KiB at a time; the sink writes to a disk and needs larger pieces.
	gather := bufio.NewWriterSize(out, windowSize)
	_, err := gather.ReadFrom(p)
	if err == nil {
		err = gather.Flush()
	}
	f.info.Size = f.limits.File - out.left
	switch {
	case out.exceeded:
		return tooLarge(0, f.limits.File)
	case out.err != nil:
		return fmt.Errorf("write file: %w", out.err)
	case err != nil:
		return f.partError(err)
	}
	return nil
}

// readField reads a field other than the file.
func (f *form) readField(name string, p *multipart.Part) error {
	if _, twice := f.fields[name]; twice {
		return &Error{Kind: Duplicate, Reason: fmt.Sprintf("%.40q is given twice", name)}
	}
	var value strings.Builder
	if err := f.copyRest(&value, p); err != nil {
		return err
	}
	f.fields[name] = value.String()
	return nil
}

// copyRest copies a part that counts towards Limits.Rest.
func (f *form) copyRest(w io.Writer, p *multipart.Part) error {
	n, err := io.Copy(w, io.LimitReader(p, f.limits.Rest-f.rest+1))
	f.rest += n
	if f.rest > f.limits.Rest {
		return restTooLarge(0, f.limits.Rest)
	}
	if err != nil {
		return f.partError(err)
	}
	return nil
}

// partError distinguishes a malformed body from one that could not be read.
func (f *form) partError(err error) error {
	switch {
	case f.source.err != nil:
		return fmt.Errorf("read body: %w", f.source.err)
	case f.source.left < 0 || errors.Is(err, multipart.ErrMessageTooLarge):
		return restTooLarge(0, f.limits.Rest)
	}
	return &Error{Kind: Malformed, Reason: err.Error()}
}

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
