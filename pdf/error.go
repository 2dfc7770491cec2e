package pdf

import (
	"errors"
	"fmt"
)

// Kind is the kind of an Error.
type Kind uint8

const (
	// Damaged files can only be opened by guessing: the cross-reference does not lead to the objects it names, or an
	// object cannot be parsed.
	Damaged Kind = iota + 1
	// NotPDF files have no %PDF- header near their beginning.
	NotPDF
	// Encrypted files use a security handler that this package does not support.
	Encrypted
	// PasswordNeeded files require a password that was not given.
	PasswordNeeded
	// TooLarge files exceed one of the Limits.
	TooLarge
	// Unsupported features were needed, such as an image filter.
	Unsupported
	// Misuse is a wrong call by the program, such as an invalid update.
	Misuse
	// Signed files have a signature, which rewriting would break.
	Signed
)

// Sentinels for errors.Is: errors.Is(err, ErrDamaged) holds for every *Error
// of that kind.
var (
	ErrDamaged        error = &Error{Kind: Damaged}
	ErrNotPDF         error = &Error{Kind: NotPDF}
	ErrEncrypted      error = &Error{Kind: Encrypted}
	ErrPasswordNeeded error = &Error{Kind: PasswordNeeded}
	ErrTooLarge       error = &Error{Kind: TooLarge}
	ErrUnsupported    error = &Error{Kind: Unsupported}
	ErrMisuse         error = &Error{Kind: Misuse}
	ErrSigned         error = &Error{Kind: Signed}
)

// Error is returned by every function of this package when the file is at fault. Errors of the io.ReaderAt are wrapped,
// and are not *Error.
type Error struct {
	Kind   Kind
	Offset int64 // in the file, or -1 if the error has no single place
	Msg    string
	Err    error // the cause, if there is one
}

func (e *Error) Error() string {
	s := e.Msg
	if s == "" {
		s = e.Kind.String()
	}
	if e.Offset > 0 {
		s = fmt.Sprintf("%s (at %d)", s, e.Offset)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Is matches the sentinels: an *Error that has nothing but a Kind.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Msg == "" && t.Err == nil && t.Kind == e.Kind
}

// IsFault reports whether an error is the file's fault, an *Error, and not, say, the disk's.
func IsFault(err error) bool {
	if err == nil {
		return false // without the allocation below
	}
	var e *Error
	return errors.As(err, &e)
}

// IgnoreFault returns err unless it is the file's fault.
func IgnoreFault(err error) error {
	if IsFault(err) {
		return nil
	}
	return err
}

// isReadError reports whether err comes from the io.ReaderAt and not from the content of the file.
func isReadError(err error) bool { return IgnoreFault(err) != nil }

var kindTexts = [...]string{
	Damaged: "damaged file", NotPDF: "not a PDF file", Encrypted: "encrypted file", PasswordNeeded: "password needed", TooLarge: "limit exceeded",
	Unsupported: "unsupported feature", Misuse: "misused update", Signed: "signed file",
}

func (k Kind) String() string {
	if int(k) < len(kindTexts) && k > 0 {
		return kindTexts[k]
	}
	return "unknown error"
}

func damaged(at int64, format string, args ...any) *Error {
	return &Error{Kind: Damaged, Offset: at, Msg: fmt.Sprintf(format, args...)}
}

func tooLarge(at int64, format string, args ...any) *Error {
	return &Error{Kind: TooLarge, Offset: at, Msg: fmt.Sprintf(format, args...)}
}

func misuse(format string, args ...any) *Error {
	return &Error{Kind: Misuse, Offset: -1, Msg: fmt.Sprintf(format, args...)}
}
