package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

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
	to := &meteringWriter{to: &whole, shares: c.shares.bodies, key: cmp.Or(string(c.by.Organisation), string(c.by.ID)), step: bodyStep}
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

// The types of this file accept what clients may send instead of what they should. None of them refuses a value while
// it is decoded: checkedValue reports what is wrong, with the member's name.

// maxInteger is the largest whole number that every client can represent. Larger numbers are refused, not rounded.
const maxInteger = 1 << 53

// integer is a whole number, given as a number or as a numeric string. Null counts as missing.
type integer struct {
	value      int64
	given, bad bool
}

func (n *integer) UnmarshalJSON(b []byte) error {
	if isNull(b) {
		*n = integer{}
		return nil
	}
	s, ok := string(b), true
	if b[0] == '"' {
		ok = json.Unmarshal(b, &s) == nil
	}
	value, whole := parseInteger(s)
	*n = integer{value: value, given: true, bad: !ok || !whole}
	return nil
}

// checkedValue returns the number, or def when it is missing.
func (n integer) checkedValue(field string, def int64, bad *problems) int64 {
	switch {
	case n.bad:
		bad.add(field, "value.not_integer")
	case n.given:
		return n.value
	}
	return def
}

// parseInteger reads a whole number, such as 1, 1.0 or 1e2. It refuses numbers above 2^53.
func parseInteger(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, n <= maxInteger && n >= -maxInteger
	}
	// A float of exactly this size may have been rounded, so the bound is strict.
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= maxInteger || strings.ContainsAny(s, "xX_") {
		return 0, false
	}
	return int64(f), true
}

func (integer) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: "integer", Format: "int64"}, {Type: "string", Pattern: `^\s*-?[0-9]+\s*$`}}}
}

// binary is 0 or 1 as a number, a string or a boolean. Null and an empty string count as missing.
type binary struct{ value, given, bad bool }

func (f *binary) UnmarshalJSON(b []byte) error {
	switch s := strings.TrimSpace(strings.Trim(string(b), `"`)); s {
	case "null", "":
		*f = binary{}
	case "1", "true", "1.0":
		*f = binary{value: true, given: true}
	case "0", "false", "0.0":
		*f = binary{given: true}
	default:
		*f = binary{bad: true}
	}
	return nil
}

func (f binary) checkedValue(field string, bad *problems) bool {
	if f.bad {
		bad.add(field, "value.not_flag")
	}
	return f.value
}

func (binary) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		AnyOf:    []*huma.Schema{{Type: "integer", Enum: []any{0, 1}}, {Type: "string", Enum: []any{"0", "1"}}, {Type: "boolean"}},
		Examples: []any{0},
	}
}

// phrase is a string. Null counts as empty.
type phrase struct {
	value string
	bad   bool
}

func (p *phrase) UnmarshalJSON(b []byte) error {
	*p = phrase{}
	if !isNull(b) {
		p.bad = json.Unmarshal(b, &p.value) != nil
	}
	return nil
}

func (p phrase) MarshalJSON() ([]byte, error) { return json.Marshal(p.value) }

func (p phrase) checkedValue(field string, bad *problems) string {
	if p.bad {
		bad.add(field, "value.not_string")
	}
	return p.value
}

func (phrase) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: "string"} }

// number is a JSON number in its original spelling. Null counts as missing.
type number struct {
	literal json.Number
	value   float64
	bad     bool
}

func (n *number) UnmarshalJSON(b []byte) error {
	*n = number{}
	if isNull(b) {
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || b[0] == '"' {
		n.bad = true
		return nil
	}
	n.literal, n.value = json.Number(b), f
	return nil
}

func (n number) MarshalJSON() ([]byte, error) {
	if n.literal == "" {
		return []byte("0"), nil
	}
	return []byte(n.literal), nil
}

func (n number) isGiven() bool { return n.literal != "" || n.bad }

func (n number) checkedValue(field string, bad *problems) float64 {
	switch {
	case n.bad:
		bad.add(field, "value.not_number")
	case n.literal == "":
		bad.add(field, "value.required")
	}
	return n.value
}

func (number) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: "number"} }

// ordinal is a number that must be whole, in its original spelling.
type ordinal struct{ number }

func (ordinal) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "integer", Format: "int64"}
}

// checkedValue returns the number, or 0 when it is missing.
func (o ordinal) checkedValue(field string, bad *problems) int {
	if !o.isGiven() || o.bad {
		o.number.checkedValue(field, bad)
		return 0
	}
	n, ok := parseInteger(string(o.literal))
	if !ok {
		bad.add(field, "value.not_integer")
	}
	return int(n)
}

// maxItems bounds how many entries of a list are decoded. It is above every limit that a configuration can set, so
// that the refusal comes from the rule with its own limit. Entries beyond it are not decoded.
const maxItems = 10_000

// list is an array. Null counts as empty. Entries that are not objects are remembered by their index.
type list[T any] struct {
	items []T
	wrong []int
	given bool
	bad   bool
}

func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = list[T]{}
	switch {
	case isNull(b):
		return nil
	case b[0] != '[':
		l.bad = true
		return nil
	}
	l.given = true
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() && len(l.items) <= maxItems {
		var item T
		if dec.Decode(&item) != nil {
			l.wrong = append(l.wrong, len(l.items))
		}
		l.items = append(l.items, item)
	}
	return nil
}

func (l list[T]) checkedValue(field string, bad *problems) []T {
	if l.bad {
		bad.add(field, "value.not_list")
	}
	for _, i := range l.wrong {
		bad.add(field+"["+strconv.Itoa(i)+"]", "value.not_object")
	}
	return l.items
}

func (list[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "array", Items: r.Schema(reflect.TypeFor[T](), true, "")}
}

// oneOrMore is an array, or a single object in place of an array of one.
type oneOrMore[T any] struct{ list[T] }

func (o *oneOrMore[T]) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		b = append(append([]byte{'['}, b...), ']')
	}
	return o.list.UnmarshalJSON(b)
}

func (o oneOrMore[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{o.list.Schema(r), r.Schema(reflect.TypeFor[T](), true, "")}}
}

func isNull(b []byte) bool { return string(b) == "null" }
