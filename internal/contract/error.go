package contract

import (
	"errors"
	"slices"
	"strings"
)

// Kind classifies errors by what the caller can do about them.
type Kind int

// The kinds. One table in package api maps them to HTTP statuses.
const (
	Invalid         Kind = iota + 1 // the input breaks a rule; Fields says where
	Malformed                       // the input cannot be parsed
	Unauthenticated                 // the caller is not authenticated
	Forbidden                       // authenticated, visible, and not allowed
	NotFound                        // does not exist, or is not the caller's to see
	Conflict                        // not allowed in this state, or changed by another writer
	NoQuota                         // the organisation has too little quota left
	TooLarge                        // above a limit, which the error states
	Unsupported                     // a kind of file that cannot be signed
	TooMany                         // too many requests
	Unavailable                     // a service that is needed does not answer now; retrying helps
	Gone                            // existed, and was removed for good
)

// Error is a refusal with a stable code such as "document.not_draft". Package text makes the sentence that a person
// reads from the code and the arguments.
type Error struct {
	Kind      Kind
	Code      string
	Args      map[string]any // arguments of the sentence, by name
	Fields    []FieldError
	Retryable bool  // the same request may succeed later
	Err       error // the cause, for the log; never shown
}

// FieldError describes what is wrong with one member of the input.
type FieldError struct {
	Field string // path such as "signers[0].emet.urx"
	Code  string
	Args  map[string]any
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Code)
	for _, f := range e.Fields {
		b.WriteString("; " + f.Field + ": " + f.Code)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, contract.ErrNotFound) compare codes.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Refuse returns a refusal of that kind and code.
func Refuse(k Kind, code string) *Error { return &Error{Kind: k, Code: code} }

// With returns a copy with one more argument for its sentence.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Args = make(map[string]any, len(e.Args)+1)
	for k, v := range e.Args {
		c.Args[k] = v
	}
	c.Args[name] = value
	return &c
}

// WithCause returns a copy that wraps its cause.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// WithRetry returns a copy that is marked as retryable.
func (e *Error) WithRetry() *Error {
	c := *e
	c.Retryable = true
	return &c
}

// KindOf returns the kind of the refusal in err's chain, or 0 for any other error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// Refusals that several packages use.
var (
	ErrNotFound        = Refuse(NotFound, "document.not_found")
	ErrNotOwner        = Refuse(Forbidden, "document.not_owner")
	ErrNotDraft        = Refuse(Conflict, "document.not_draft")
	ErrNotActive       = Refuse(Conflict, "document.not_processing")
	ErrNotInTurn       = Refuse(Conflict, "document.not_in_turn")
	ErrSigned          = Refuse(Conflict, "document.already_signed")
	ErrNotSigner       = Refuse(Forbidden, "document.not_signer")
	ErrStale           = Refuse(Conflict, "document.revision_changed")
	ErrVersionChanged  = Refuse(Conflict, "document.version_changed") // a draft was changed since the caller read it
	ErrRace            = Refuse(Conflict, "document.busy").WithRetry()
	ErrKeyRunning      = Refuse(Conflict, "idempotency.running").WithRetry() // another request holds the Idempotency-Key
	ErrNotCompleted    = Refuse(Conflict, "document.not_completed")
	ErrQuota           = Refuse(NoQuota, "quota.insufficient")
	ErrNothingToDo     = Refuse(Invalid, "document.nothing_to_do")
	ErrNotFailed       = Refuse(Conflict, "document.not_failed")
	ErrGuestActed      = Refuse(Conflict, "guest.acted")
	ErrCommitted       = Refuse(Conflict, "document.sealing")
	ErrExpired         = Refuse(Conflict, "document.expired")
	ErrStampOnly       = Refuse(Invalid, "document.not_stamps_only")
	ErrNoGuest         = Refuse(Invalid, "guest.not_found")
	ErrUnauthenticated = Refuse(Unauthenticated, "auth.required")
	ErrNotAllowed      = Refuse(Forbidden, "auth.not_allowed")

	ErrChoosePassword = Refuse(Forbidden, "auth.choose_password") // an admin set the current password

	ErrSerialElsewhere         = Refuse(Conflict, "stamp.serial_elsewhere") // a serial that another document has or had
	ErrNoEvidence              = Refuse(NotFound, "stamp.no_evidence")      // no file is stored for the serial, or the caller may not see it
	ErrNotRefused              = Refuse(Conflict, "stamp.not_refused")      // a new serial is requested, but none was refused permanently
	ErrSerialUsed              = Refuse(Conflict, "stamp.serial_used")      // and the office does not report the old one as unused
	ErrSerialNotUnassigned     = Refuse(Conflict, "serial.not_nobodys")     // the serial has an owner, or is not in state taken any more
	ErrNotUnused               = Refuse(Conflict, "serial.not_unused")      // it is not in the register, and the office does not report it as unused
	ErrOtherOrganisationsOrder = Refuse(Conflict, "serial.not_theirs")      // it was bought for an order of another organisation
	ErrOfficeDown              = Refuse(Unavailable, "stamp.office_unavailable").WithRetry()
)

// NewFieldError returns the error of a field. Args are names and values in turn.
func NewFieldError(field, code string, args ...any) FieldError {
	f := FieldError{Field: field, Code: code}
	for i := 0; i+1 < len(args); i += 2 {
		if f.Args == nil {
			f.Args = map[string]any{}
		}
		f.Args[args[i].(string)] = args[i+1]
	}
	return f
}

// InvalidInput returns a refusal that lists the field errors; nil if there are none.
func InvalidInput(bad ...FieldError) error {
	if len(bad) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Code: "input.invalid", Fields: bad}
}

// fieldErrors collects field errors, so that one answer reports all of them.
type fieldErrors []FieldError

func (p *fieldErrors) add(field, code string, args ...any) {
	*p = append(*p, NewFieldError(field, code, args...))
}

func (p fieldErrors) asError() error { return InvalidInput(p...) }

// JoinFieldErrors adds field errors to err, so that errors found in different places are reported together. An err
// that is not about fields is returned alone.
func JoinFieldErrors(err error, more []FieldError) error {
	var first *Error
	switch {
	case len(more) == 0:
		return err
	case err == nil:
		return InvalidInput(more...)
	case errors.As(err, &first) && first.Kind == Invalid:
		return InvalidInput(slices.Concat(first.Fields, more)...)
	}
	return err
}
