package contract

import (
	"errors"
	"slices"
	"strings"
)

// Kind sorts errors by what the caller can do about them.
type Kind int

// The kinds. One table, at the edge, turns them into statuses.
const (
	Invalid         Kind = iota + 1 // the input breaks a rule; Fields says where
	Malformed                       // the input cannot be read at all
	Unauthenticated                 // who is asking is not known
	Forbidden                       // known, visible, and not allowed
	NotFound                        // does not exist, or is not the caller's to see
	Conflict                        // not in this state, or somebody else was faster
	NoQuota                         // the organisation has not enough stamps or signatures left
	TooLarge                        // above a limit, which the error names
	Unsupported                     // not a kind of file that can be signed
	TooMany                         // asked too often
	Unavailable                     // something needed does not answer now; trying again helps
)

// Error is a refusal with a stable code such as "document.not_draft". The sentence a person reads is made
// from the code and the arguments at the edge.
type Error struct {
	Kind      Kind
	Code      string
	Args      map[string]any // what the sentence needs, by name
	Fields    []FieldError
	Retryable bool  // the same request may succeed later, unchanged
	Err       error // the cause, for the log; never shown
}

// FieldError says what is wrong with one member of the input.
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

// Is makes errors.Is(err, contract.ErrNotFound) work by code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Refuse returns a refusal of that kind and code.
func Refuse(k Kind, code string) *Error { return &Error{Kind: k, Code: code} }

// With returns a copy that knows one more argument of its sentence.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Args = make(map[string]any, len(e.Args)+1)
	for k, v := range e.Args {
		c.Args[k] = v
	}
	c.Args[name] = value
	return &c
}

// WithCause returns a copy that carries its cause.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// WithRetry returns a copy that invites to try again.
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

// Refusals that more than one room speaks of.
var (
	ErrNotFound        = Refuse(NotFound, "document.not_found")
	ErrNotOwner        = Refuse(Forbidden, "document.not_owner")
	ErrNotDraft        = Refuse(Conflict, "document.not_draft")
	ErrNotActive       = Refuse(Conflict, "document.not_processing")
	ErrNotInTurn       = Refuse(Conflict, "document.not_in_turn")
	ErrSigned          = Refuse(Conflict, "document.already_signed")
	ErrNotSigner       = Refuse(Forbidden, "document.not_signer")
	ErrStale           = Refuse(Conflict, "document.revision_changed")
	ErrRace            = Refuse(Conflict, "document.busy").WithRetry()
	ErrKeyRunning      = Refuse(Conflict, "idempotency.running").WithRetry() // another request holds the Idempotency-Key
	ErrNotCompleted    = Refuse(Conflict, "document.not_completed")
	ErrQuota           = Refuse(NoQuota, "quota.insufficient")
	ErrNothingToDo     = Refuse(Invalid, "document.nothing_to_do")
	ErrNotFailed       = Refuse(Conflict, "document.not_failed")
	ErrCommitted       = Refuse(Conflict, "document.sealing")
	ErrExpired         = Refuse(Conflict, "document.expired")
	ErrStampOnly       = Refuse(Invalid, "document.not_stamps_only")
	ErrNoGuest         = Refuse(Invalid, "guest.not_found")
	ErrUnauthenticated = Refuse(Unauthenticated, "auth.required")
	ErrNotAllowed      = Refuse(Forbidden, "auth.not_allowed")

	ErrChoosePassword = Refuse(Forbidden, "auth.choose_password") // an admin gave the present one

	ErrSerialElsewhere         = Refuse(Conflict, "stamp.serial_elsewhere") // a serial that another document has or had
	ErrNoEvidence              = Refuse(NotFound, "stamp.no_evidence")      // nothing is kept for a serial, or it is not the caller's to see
	ErrNotRefused              = Refuse(Conflict, "stamp.not_refused")      // a new serial is asked for, and none was refused for good
	ErrSerialUsed              = Refuse(Conflict, "stamp.serial_used")      // and the office does not call the old one unused
	ErrSerialNotUnassigned     = Refuse(Conflict, "serial.not_nobodys")     // it has an owner, or is no longer taken
	ErrNotUnused               = Refuse(Conflict, "serial.not_unused")      // it is in no register, and the office does not call it unused
	ErrOtherOrganisationsOrder = Refuse(Conflict, "serial.not_theirs")      // it was bought for an order of another organisation
	ErrOfficeDown              = Refuse(Unavailable, "stamp.office_unavailable").WithRetry()
)

// NewFieldError tells what is wrong with a field. Args are names and values in turn.
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

// InvalidInput refuses an input for what is wrong with its fields; nil when nothing is.
func InvalidInput(bad ...FieldError) error {
	if len(bad) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Code: "input.invalid", Fields: bad}
}

// fieldErrors gathers field errors, so that all are answered at once.
type fieldErrors []FieldError

func (p *fieldErrors) add(field, code string, args ...any) {
	*p = append(*p, NewFieldError(field, code, args...))
}

func (p fieldErrors) asError() error { return InvalidInput(p...) }

// JoinFieldErrors returns err with more field errors, so that those found in different places are answered at once. An
// err that is not about fields stands by itself.
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
