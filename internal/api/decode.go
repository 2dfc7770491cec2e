package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"segel/internal/api/intake"
	"segel/internal/contract"
)

// maxDepth bounds how deep objects and arrays nest, counting the body's own object.
const maxDepth = 64

// decodeBody reads a JSON object into in. It ignores Content-Type and unknown members. A missing body counts as an
// empty object; the endpoint then names the missing members.
func (c *call) decodeBody(in any) error {
	body, err := c.readBody()
	if err != nil {
		return err
	}
	return decodeObject(body, in)
}

// readBody reads a body into memory, within the share of the caller's organisation.
func (c *call) readBody() ([]byte, error) {
	var whole bytes.Buffer
	to := &spoolWriter{to: &whole, shares: c.shares.bodies, key: cmp.Or(string(c.by.Organisation), string(c.by.ID)), step: bodyStep}
	if c.by.ID == "" {
		to.shares = nil // it is tiny and counted per address
	}
	defer to.releaseSpace()
	piece := sendBuffers.Get().(*[sendBufferSize]byte)
	defer sendBuffers.Put(piece)
	body := &rememberingReader{Reader: c.r.Body}
	if _, err := io.CopyBuffer(to, body, piece[:]); err != nil {
		if body.err != nil {
			return nil, bodyReadError(body.err)
		}
		return nil, err
	}
	return whole.Bytes(), nil
}

// bodyReadError maps an error from reading a body to a refusal.
func bodyReadError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return errIncomplete.WithCause(fmt.Errorf("read body: %w", err))
}

// decodeObject decodes one JSON object that has no member twice. The types of this package never refuse a value of
// the wrong type while they are decoded: they remember it, so that all problems are reported at once. Only an object
// or list in the wrong place yields a [json.UnmarshalTypeError].
func decodeObject(body []byte, in any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil
	}
	if body[0] != '{' {
		return errMalformed.WithCause(errors.New("the body is not a JSON object"))
	}
	if nestsDeeper(body, maxDepth) {
		return errMalformed.WithCause(fmt.Errorf("the body nests deeper than %d", maxDepth))
	}
	if err := intake.CheckMembers(body); err != nil {
		return malformedBody(err)
	}
	return decodeChecked(body, in)
}

// decodeChecked is decodeObject for a body that package intake has already checked.
func decodeChecked(body []byte, in any) error {
	err := json.Unmarshal(body, in)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		var bad problems
		bad.add(strings.TrimPrefix(wrong.Field, "."), "value.not_object")
		return bad.asError()
	}
	if err != nil {
		return errMalformed.WithCause(err)
	}
	return nil
}

// malformedBody refuses a malformed body and names the member that caused it, if known.
func malformedBody(err error) error {
	var e *intake.Error
	if !errors.As(err, &e) || e.Member == "" {
		return errMalformed.WithCause(err)
	}
	code := "value.duplicate"
	if e.Kind == intake.TooManyMembers {
		code = "value.too_many_members"
	}
	refusal := errMalformed.WithCause(err)
	refusal.Fields = []contract.FieldError{contract.NewFieldError(e.Member, code, "limit", e.Limit)}
	return refusal
}

// nestsDeeper reports whether brackets nest deeper than limit. It does not parse the grammar: a body on which it errs
// is invalid JSON and refused for that.
func nestsDeeper(body []byte, limit int) bool {
	depth, quoted, escaped := 0, false, false
	for _, c := range body {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
