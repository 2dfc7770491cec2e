// Package sniff looks at Word documents before a converter opens them. What a file is, its content says, and a file
// that would make the converter read anything beyond itself, run anything or take up the machine is refused with the
// reason. It reads within limits and writes nothing.
//
// It is the first of the layers and does not have to be the only one: where a format leaves room for doubt, as the
// pictures of the binary one do, the fence of package libreoffice is what holds.
package sniff

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"segel/internal/convert"
)

// Limits bound the work on one document. The zero value of a member means its default.
type Limits struct {
	Entries  int   // of the package. Default 4000
	Inflated int64 // bytes of all parts together. Default 512 MiB
	Markup   int64 // bytes of all parts that are XML, and of a stream of the binary format. Default 48 MiB
	Ratio    int64 // bytes that a packed byte may become, beyond the first MiB of a part. Default 200
	Depth    int   // of elements in elements. Default 256
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		v   *int64
		def int64
	}{{&l.Inflated, 512 << 20}, {&l.Markup, 48 << 20}, {&l.Ratio, 200}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	if l.Entries == 0 {
		l.Entries = 4000
	}
	if l.Depth == 0 {
		l.Depth = 256
	}
	return l
}

// Findings are what was learned of a document that may be converted.
type Findings struct {
	Kind    convert.Kind
	Pages   int      // as the program that wrote it counted; 0: it does not say
	Fonts   []string // families named for text that is there, and not embedded
	Tracked bool     // it holds changes that nobody has accepted or rejected
}

// Reason is why a document is refused.
type Reason string

// The reasons.
const (
	NotWord    Reason = "not_word"   // something else, or a kind of Word document that is no contract (a template)
	Damaged    Reason = "damaged"    // breaks the rules of its format, so that two readers may see two documents
	TooComplex Reason = "complex"    // above a limit
	Encrypted  Reason = "encrypted"  // needs a password
	Links      Reason = "links"      // shows what is elsewhere: linked pictures and the like
	Fields     Reason = "fields"     // field codes that fetch or run something (DDE, INCLUDEPICTURE)
	Macros     Reason = "macros"     // programs, or what calls them
	Objects    Reason = "objects"    // embedded objects of other programs (OLE, ActiveX)
	Template   Reason = "template"   // hangs on a template elsewhere
	OtherFiles Reason = "other_file" // is put together from further documents (altChunk, subdocuments, frames)
)

// Refusal is the error of a document that must not be converted.
type Refusal struct {
	Reason Reason
	What   string // where and what, for the log
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Reason, r.What) }

func newRefusal(r Reason, format string, args ...any) error {
	return &Refusal{Reason: r, What: fmt.Sprintf(format, args...)}
}

var (
	zipMagic = []byte("PK\x03\x04")
	cfbMagic = []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
)

// MayBeWord tells by its first bytes whether a file may be a Word document. Only [Look] knows.
func MayBeWord(head []byte) bool {
	return bytes.HasPrefix(head, zipMagic) || bytes.HasPrefix(head, cfbMagic)
}

// CheckDocument examines a document. The error is a *[Refusal], or one of reading r, or the context's when it ended before.
func CheckDocument(ctx context.Context, r io.ReaderAt, size int64, l Limits) (Findings, error) {
	in := &contextReader{ctx: ctx, r: r}
	f, err := checkFile(in, size, l.withDefaults())
	if in.err != nil {
		return Findings{}, fmt.Errorf("read document: %w", in.err) // whatever was made of it on the way
	}
	return f, err
}

func checkFile(r io.ReaderAt, size int64, l Limits) (Findings, error) {
	head := make([]byte, len(cfbMagic))
	if _, err := r.ReadAt(head[:min(int64(len(head)), size)], 0); err != nil && err != io.EOF {
		return Findings{}, err
	}
	switch {
	case bytes.HasPrefix(head, zipMagic):
		return checkDOCX(r, size, l)
	case bytes.HasPrefix(head, cfbMagic):
		return checkDOC(r, size, l)
	}
	return Findings{}, newRefusal(NotWord, "it begins with % x", head)
}

// contextReader is the file, and remembers that it could not be read: what unpacks it would call that damaged.
type contextReader struct {
	ctx context.Context
	r   io.ReaderAt
	err error
}

// ReadAt implements [io.ReaderAt], as long as somebody waits for the result.
func (s *contextReader) ReadAt(p []byte, off int64) (int, error) {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.ReadAt(p, off)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
