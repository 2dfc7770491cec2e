// Package sniff checks Word documents before a converter opens them. The content decides what a file is. A file that
// would make the converter read anything beyond itself, run anything or use too many resources is refused with the
// reason. The package reads within limits and writes nothing.
//
// It is the first layer of protection, not the only one: where a format cannot be checked completely, as pictures of
// the binary format, the sandbox of package libreoffice protects.
package sniff

import (
	"bytes"
	"cmp"
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
	Ratio    int64 // bytes per compressed byte, beyond the first MiB of a part. Default 200
	Depth    int   // nesting of elements. Default 256
}

func (l Limits) withDefaults() Limits {
	l.Entries = cmp.Or(l.Entries, 4000)
	l.Inflated = cmp.Or(l.Inflated, 512<<20)
	l.Markup = cmp.Or(l.Markup, 48<<20)
	l.Ratio = cmp.Or(l.Ratio, 200)
	l.Depth = cmp.Or(l.Depth, 256)
	return l
}

// Findings is what was found in a document that may be converted.
type Findings struct {
	Kind    convert.Kind
	Pages   int      // as stated by the program that wrote it; 0: not stated
	Fonts   []string // families that the text uses and that are not embedded
	Tracked bool     // it contains changes that were neither accepted nor rejected
}

// Reason is why a document is refused.
type Reason string

// The reasons.
const (
	NotWord    Reason = "not_word"   // not a Word document, or a kind that cannot be a contract (a template)
	Damaged    Reason = "damaged"    // violates its format, so that two readers may see two documents
	TooComplex Reason = "complex"    // above a limit
	Encrypted  Reason = "encrypted"  // needs a password
	Links      Reason = "links"      // shows content from elsewhere, such as linked pictures
	Fields     Reason = "fields"     // field codes that fetch or run something (DDE, INCLUDEPICTURE)
	Macros     Reason = "macros"     // programs, or calls of them
	Objects    Reason = "objects"    // embedded objects of other programs (OLE, ActiveX)
	Template   Reason = "template"   // depends on a template elsewhere
	OtherFiles Reason = "other_file" // is assembled from other documents (altChunk, subdocuments, frames)
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

// MayBeWord reports whether a file may be a Word document, by its first bytes. Only [CheckDocument] knows.
func MayBeWord(head []byte) bool {
	return bytes.HasPrefix(head, zipMagic) || bytes.HasPrefix(head, cfbMagic)
}

// CheckDocument checks a document. The error is a *[Refusal], an error of reading r, or the context's error.
func CheckDocument(ctx context.Context, r io.ReaderAt, size int64, l Limits) (Findings, error) {
	in := &contextReader{ctx: ctx, r: r}
	f, err := checkFile(in, size, l.withDefaults())
	if in.err != nil {
		return Findings{}, fmt.Errorf("read document: %w", in.err) // whatever the check made of it
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

// contextReader is the file. It remembers a read error, which an unpacker would report as damage.
type contextReader struct {
	ctx context.Context
	r   io.ReaderAt
	err error
}

// ReadAt implements [io.ReaderAt] until the context ends.
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
