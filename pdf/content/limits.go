package content

import (
	"errors"
	"fmt"

	"segel/pdf"
)

// Limits bound what a hostile file can make a Reader do. A zero field has its default.
type Limits struct {
	Bytes     int64 // of content and of font tables, of all pages together, counted each time they are read; default 64 MiB
	Operators int   // of all pages together, with annotations and alternates of images; default 4,000,000
	Marks     int   // on one page; default 50,000
	Depth     int   // of nested forms; default 12
	States    int   // of saved graphics states; default 512
	Annots    int   // on one page; default 5,000
}

func (l Limits) withDefaults() Limits {
	pdf.SetDefault(&l.Bytes, 64<<20)
	pdf.SetDefault(&l.Operators, 4_000_000)
	pdf.SetDefault(&l.Marks, 50_000)
	pdf.SetDefault(&l.Depth, 12)
	pdf.SetDefault(&l.States, 512)
	pdf.SetDefault(&l.Annots, 5_000)
	return l
}

// maxOperands bounds the operands of one operator. An array of text has some hundred elements.
const maxOperands = 1 << 16

// ErrIncomplete matches every *IncompleteError with errors.Is.
var ErrIncomplete error = &IncompleteError{}

// IsComplete reports by the error of a [Reader] whether all marks are listed. Text in a missing font is, with its
// approximate box.
func IsComplete(err error) bool {
	var u *IncompleteError
	return err == nil || errors.As(err, &u) && u.Reason == NoFont
}

// IncompleteError reports that there may be more on the page than is listed.
type IncompleteError struct {
	Reason Reason
	Err    error // the cause, if there is one
}

// Reason is why a list of marks may be incomplete.
type Reason string

// The reasons.
const (
	Damaged     Reason = "damaged" // content, a form or a font cannot be read
	Limit       Reason = "limit"   // one of Limits, or of the document's, was reached
	NoFont      Reason = "no_font" // text in a font that the file does not have
	Coordinates Reason = "numbers" // coordinates beyond any page
)

func (u *IncompleteError) Error() string {
	if u.Err == nil {
		return fmt.Sprintf("content may be incomplete (%s)", u.Reason)
	}
	return fmt.Sprintf("content may be incomplete (%s): %v", u.Reason, u.Err)
}

func (u *IncompleteError) Unwrap() error { return u.Err }

// Is matches ErrIncomplete.
func (u *IncompleteError) Is(target error) bool {
	t, ok := target.(*IncompleteError)
	return ok && *t == IncompleteError{}
}

var (
	errNested     = errors.New("forms nested too deeply, or in a loop")
	errOperators  = errors.New("too many operators")
	errBytes      = errors.New("too much content")
	errMarks      = errors.New("too many marks on one page")
	errStates     = errors.New("graphics states nested too deeply")
	errOperands   = errors.New("too many operands of one operator")
	errString     = errors.New("string without end")
	errLayers     = errors.New("too many layers, or too long lists of them")
	errInner      = errors.New("too many patterns and glyphs that are drawings on one page")
	errAlternate  = errors.New("too many alternates of one image")
	errBlendModes = errors.New("too many blend modes")
	errAnnots     = errors.New("too many annotations on one page")
)
