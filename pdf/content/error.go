package content

import (
	"errors"
	"fmt"
)

// ErrIncomplete matches every *Untold with errors.Is.
var ErrIncomplete error = &IncompleteError{}

// IncompleteError says that there may be more on the page than is listed.
type IncompleteError struct {
	Reason Reason
	Err    error // the cause, if there is one
}

// Reason is why it cannot be told what is on a page.
type Reason string

// The reasons.
const (
	Damaged     Reason = "damaged" // content, a form or a font cannot be read
	Limit       Reason = "limit"   // one of Limits, or of the document's, was reached
	NoFont      Reason = "no_font" // text in a font that the file does not have
	Coordinates Reason = "numbers" // coordinates that no page has
)

func (u *IncompleteError) Error() string {
	if u.Err == nil {
		return fmt.Sprintf("cannot tell all that is painted (%s)", u.Reason)
	}
	return fmt.Sprintf("cannot tell all that is painted (%s): %v", u.Reason, u.Err)
}

func (u *IncompleteError) Unwrap() error { return u.Err }

// Is matches ErrUntold.
func (u *IncompleteError) Is(target error) bool {
	t, ok := target.(*IncompleteError)
	return ok && *t == IncompleteError{}
}

var (
	errNested    = errors.New("forms nested too deeply, or in a circle")
	errOperators = errors.New("too many operators")
	errBytes     = errors.New("too much content")
	errMarks     = errors.New("too many marks on one page")
	errStates    = errors.New("graphics states nested too deeply")
	errOperands  = errors.New("too many operands of one operator")
	errString    = errors.New("string without end")
	errLayers    = errors.New("too much that decides which layers are shown")
	errInner     = errors.New("too many patterns and glyphs that are drawings on one page")
	errAlternate = errors.New("too many alternates of one image")
	errAnnots    = errors.New("too many annotations on one page")
)
