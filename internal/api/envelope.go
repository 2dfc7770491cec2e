package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"segel/internal/contract"
	"segel/internal/outage"
	"segel/internal/text"
)

// found is the envelope of lists, detail and status.
type found[T any] struct {
	Code    int  `json:"code" doc:"equals the HTTP status" example:"200"`
	Success bool `json:"success" doc:"always true"`
	Data    T    `json:"data"`
}

// done is the envelope of uploads, placements and the other verbs of /sign/.
type done[T any] struct {
	Code     int         `json:"code" doc:"equals the HTTP status" example:"200"`
	Success  bool        `json:"success" doc:"always true"`
	Msg      string      `json:"msg" doc:"a sentence in the language of the request" example:"Dokumen berhasil diunggah."`
	Response response[T] `json:"response"`
}

type response[T any] struct {
	Data     T         `json:"data"`
	Warnings []warning `json:"warnings,omitempty" doc:"warnings about input that was accepted"`
}

// warning describes something that was accepted but may not be what the caller meant.
type warning struct {
	Field string `json:"field" example:"signers[0]"`
	Code  string `json:"code" example:"placement.emet_props_differ"`
	Msg   string `json:"msg"`

	Page       int  `json:"page,omitempty" doc:"of a finding: the first page it applies to" example:"1"`
	MustAccept bool `json:"must_accept,omitempty" doc:"of a finding: finalize refuses the document unless accept_findings has this code"`
	Accepted   bool `json:"accepted,omitempty" doc:"of a finding: the owner accepted it at finalize"`
}

func foundAnswer[T any](data T) found[T] {
	return found[T]{Code: http.StatusOK, Success: true, Data: data}
}

// doneAnswer builds the answer of a verb of /sign/ with the message of the given code.
func doneAnswer[T any](c *call, code string, data T) done[T] {
	return done[T]{Code: http.StatusOK, Success: true, Msg: c.sentenceOf(code), Response: response[T]{Data: data}}
}

// warningsOf renders warnings in the language of the request.
func (c *call) warningsOf(list []contract.Warning) []warning {
	return convertAll(list, func(w contract.Warning) warning {
		return warning{Field: w.Field, Code: w.Code, Msg: text.Warning(c.language, w)}
	})
}

// sentenceOf returns the message of a code in the language of the request.
func (c *call) sentenceOf(code string) string { return text.Sentence(c.language, code, nil) }

func (c *call) writeAnswer(status int, answer any) error {
	return writeJSON(c.w, c.exchange, status, answer)
}

// writeJSON writes a JSON answer. It encodes the whole answer first, so that an encoding error never leaves a partial
// one.
func writeJSON(w http.ResponseWriter, x *exchange, status int, answer any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // no browser reads it as HTML: Content-Type and nosniff say so
	if err := enc.Encode(answer); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Language", string(x.language))
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // if this fails, the client has gone
	return nil
}

// statuses maps the kind of a refusal to its HTTP status.
var statuses = map[contract.Kind]int{
	contract.Malformed:       http.StatusBadRequest,
	contract.Unauthenticated: http.StatusUnauthorized,
	contract.NoQuota:         http.StatusPaymentRequired,
	contract.Forbidden:       http.StatusForbidden,
	contract.NotFound:        http.StatusNotFound,
	contract.Conflict:        http.StatusConflict,
	contract.TooLarge:        http.StatusRequestEntityTooLarge,
	contract.Unsupported:     http.StatusUnsupportedMediaType,
	contract.Invalid:         http.StatusUnprocessableEntity,
	contract.TooMany:         http.StatusTooManyRequests,
	contract.Unavailable:     http.StatusServiceUnavailable,
	contract.Gone:            http.StatusGone,
}

// Refusals that concern HTTP only.
var (
	errMalformed   = contract.Refuse(contract.Malformed, "input.malformed")
	errMultipart   = contract.Refuse(contract.Malformed, "input.not_multipart")
	errIncomplete  = contract.Refuse(contract.Malformed, "body.incomplete").WithRetry()
	errTooLarge    = contract.Refuse(contract.TooLarge, "body.too_large")
	errTooMany     = contract.Refuse(contract.TooMany, "rate.limited").WithRetry()
	errCrossSite   = contract.Refuse(contract.Forbidden, "origin.refused")
	errKeyReused   = contract.Refuse(contract.Conflict, "idempotency.conflict")
	errUnavailable = contract.Refuse(contract.Unavailable, "server.unavailable").WithRetry()
	errDiskFull    = contract.Refuse(contract.Unavailable, "server.disk_full").With("retry_after", 60).WithRetry()
	errTimeout     = contract.Refuse(contract.Unavailable, "server.timeout").WithRetry()
)

// tooManyRequests refuses a request that may be repeated after a wait.
func tooManyRequests(wait time.Duration) error {
	return errTooMany.With("retry_after", int(math.Ceil(wait.Seconds())))
}

// failure is the envelope of every refusal.
type failure struct {
	Code    int           `json:"code" doc:"equals the HTTP status" example:"409"`
	Success bool          `json:"success" doc:"always false"`
	Msg     string        `json:"msg" doc:"a sentence in the language of the request" example:"Dokumen bukan draf lagi."`
	Message string        `json:"message" doc:"same as msg" example:"Dokumen bukan draf lagi."`
	Error   failureDetail `json:"error"`
}

type failureDetail struct {
	Code      string         `json:"code" doc:"stable, for programs" example:"document.not_draft"`
	RequestID string         `json:"request_id" doc:"identifies this request in the log of the service" example:"4f1c0a9be21d77aa"`
	Retryable bool           `json:"retryable" doc:"the same request may succeed later, unchanged"`
	Fields    []failureField `json:"fields" doc:"everything that is wrong with the input"`
	Factors   []string       `json:"factors,omitempty" doc:"of auth.factor_required: what is accepted beside the password: totp, passkey, recovery_code" example:"[\"totp\",\"recovery_code\"]"`
}

type failureField struct {
	Field string `json:"field" example:"signers[0].emet.urx"`
	Code  string `json:"code" example:"placement.off_page"`
	Msg   string `json:"msg" example:"Kotak berada di luar halaman."`
}

// writeError answers an error. A refusal is answered with its code; any other error is a 500 that shows only the
// request ID, and its cause goes to the log.
func (s *server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	x := exchangeOf(r)
	status, e, cause := refusalOf(r.Context(), err)
	if cause != nil {
		x.cause = cause
	}
	s.writeFailure(w, x, status, e.Code, e)
}

// refusalOf returns how an error is answered, and the cause that the log gets, if any.
func refusalOf(ctx context.Context, err error) (status int, e *contract.Error, cause error) {
	err = wireError(ctx, err)
	if !errors.As(err, &e) || statuses[e.Kind] == 0 {
		return http.StatusInternalServerError, &contract.Error{Code: "server.error"}, err
	}
	return statuses[e.Kind], e, e.Err
}

func (c *call) answerError(err error) { c.server.writeError(c.w, c.r, err) }

// wireError maps outages, errors of net/http and timeouts to refusals. ctx is that of the request.
func wireError(ctx context.Context, err error) error {
	var refusal *contract.Error
	var large *http.MaxBytesError
	switch out := outage.Of(err); {
	case errors.As(err, &refusal) && (out == nil || outage.Of(refusal.Err) == nil):
	case out != nil && out.Part == outage.Disk:
		return errDiskFull.WithCause(err)
	case out != nil:
		return errUnavailable.WithCause(err)
	case errors.As(err, &large):
		return errTooLarge.With("limit", large.Limit).WithCause(err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled) && outage.TimedOut(ctx):
		return errTimeout.WithCause(err)
	case errors.Is(err, context.Canceled): // the client has gone, or the service is stopping
		return errUnavailable.WithCause(err)
	}
	return err
}

// writeFailure writes the envelope of a refusal. err may be nil when the code says everything.
func (s *server) writeFailure(w http.ResponseWriter, x *exchange, status int, code string, e *contract.Error) {
	if err := writeJSON(w, x, status, s.failureEnvelope(w, x, status, code, e)); err != nil {
		x.cause = errors.Join(x.cause, err)
	}
}

// failureEnvelope returns the body of a refusal and sets its headers.
func (s *server) failureEnvelope(w http.ResponseWriter, x *exchange, status int, code string, e *contract.Error) failure {
	if e == nil {
		e = &contract.Error{}
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="segel"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter(e)))
	case http.StatusConflict:
		if _, told := e.Args["retry_after"]; told {
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter(e)))
		}
	}
	return newFailure(x, status, code, e)
}

// newFailure returns the body of a refusal.
func newFailure(x *exchange, status int, code string, e *contract.Error) failure {
	msg := text.Sentence(x.language, code, e.Args)
	retryable := e.Retryable || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
	f := failure{Code: status, Msg: msg, Message: msg, Error: failureDetail{Code: code, RequestID: x.id, Retryable: retryable, Fields: []failureField{}}}
	f.Error.Factors, _ = e.Args["factors"].([]string)
	for _, p := range e.Fields {
		f.Error.Fields = append(f.Error.Fields, failureField{Field: p.Field, Code: p.Code, Msg: text.Field(x.language, p)})
	}
	return f
}

// retryAfter returns the whole seconds to wait: those of the refusal, or five.
func retryAfter(e *contract.Error) int {
	seconds, told := e.Args["retry_after"].(int)
	if !told {
		return 5
	}
	return max(seconds, 1)
}

// problems collects what is wrong with the input, so that everything is answered at once.
type problems []contract.FieldError

func (p *problems) add(field, code string, args ...any) {
	*p = append(*p, contract.NewFieldError(field, code, args...))
}

// addBelow adds problems of the members of an object, whose path is the prefix.
func (p *problems) addBelow(prefix string, inner problems) {
	for _, f := range inner {
		f.Field = prefix + f.Field
		*p = append(*p, f)
	}
}

func (p problems) asError() error { return contract.InvalidInput(p...) }

// refuseInput returns the error of an invalid body, or nil if nothing is bad. It loads the document first: to a caller who
// may not see it, the document does not exist, whatever they send.
func (c *call) refuseInput(id contract.DocumentID, bad problems) error {
	if len(bad) == 0 {
		return nil
	}
	if id > 0 {
		if _, err := c.Workflow.LoadAuthorised(c.r.Context(), c.by, c.endpoint.access.op, id); err != nil {
			return err
		}
	}
	return bad.asError()
}
