package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"segel/internal/emeterai"
)

// Limits of answers, in bytes.
const (
	answerLimit = 4 << 20
	listLimit   = 64 << 20 // an account of some hundred thousand serials
	textLimit   = 300      // of the office's words that are kept, in characters
)

// errTokenRefused says that the token was not accepted, so that nothing happened.
var errTokenRefused = errors.New("token is not accepted")

// call is one call.
type call struct {
	name    string // for metrics and problems
	method  string
	url     string
	token   string // sent as Bearer, if there is one
	kind    string // Content-Type of the body
	body    io.Reader
	size    int64
	effect  bool // it changes something at the office: if its end is in doubt, so is what happened
	breaker *breaker
	timeout time.Duration
	limit   int64
}

// response is an answer whose body was read.
type response struct {
	status int
	body   []byte
}

// callJSON makes a call and returns an answer of the protocol, in JSON.
func (d *Driver) callJSON(ctx context.Context, c call) (response, error) {
	var got response
	err := d.roundTrip(ctx, c, func(r *http.Response) error {
		body, err := io.ReadAll(io.LimitReader(r.Body, c.limit+1))
		if err != nil {
			return err
		}
		if int64(len(body)) > c.limit {
			return fmt.Errorf("answer is longer than %d bytes", c.limit)
		}
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "text/html" || !looksLikeJSON(body) {
			return fmt.Errorf("answer of type %q is not of the protocol", kind)
		}
		got = response{r.StatusCode, body}
		return nil
	})
	return got, err
}

func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n\ufeff")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[')
}

// roundTrip makes a call through its breaker and has its answer read. Its errors are Problems, or errToken.
func (d *Driver) roundTrip(ctx context.Context, c call, read func(*http.Response) error) error {
	if err := c.breaker.allowCall(); err != nil {
		d.o.Observe(c.name, "left_alone", 0)
		return err
	}
	began := d.o.Clock()
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var sent atomic.Bool // what is asked may have left
	within = httptrace.WithClientTrace(within, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	status, wait, err := d.sendRequest(within, c, read)
	took := d.o.Clock().Sub(began)
	switch {
	case err != nil && ctx.Err() != nil: // we were stopped; the office is not to blame
		c.breaker.abandonCall()
		d.o.Observe(c.name, "stopped", took)
		err = fmt.Errorf("%w: %w", ctx.Err(), withoutURL(err))
	case err != nil:
		err = withoutURL(err)
		c.breaker.recordCall(d.redactText(err.Error()))
		d.o.Observe(c.name, "failed", took)
	case status == http.StatusUnauthorized:
		c.breaker.recordCall("")
		d.o.Observe(c.name, "token", took)
		return errTokenRefused
	default:
		c.breaker.recordCall("")
		d.o.Observe(c.name, "answered", took)
		return nil
	}
	class := emeterai.Transient
	if c.effect && sent.Load() && status != http.StatusTooManyRequests {
		class = emeterai.Unknown
	}
	return &emeterai.Problem{Class: class, Code: emeterai.CodeDown, Text: c.name + ": " + d.redactText(err.Error()), After: wait, Err: ctx.Err()}
}

// sendRequest sends the request. A status that says the server, or what stands before it, is not well is an error.
func (d *Driver) sendRequest(ctx context.Context, c call, read func(*http.Response) error) (status int, wait time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, c.method, c.url, c.body)
	if err != nil {
		return 0, 0, err
	}
	r.ContentLength = c.size
	r.GetBody = nil // never sent a second time behind our back
	if c.kind != "" {
		r.Header.Set("Content-Type", c.kind)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	r.Header.Set("Accept", "application/json")
	got, err := d.client.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer got.Body.Close()
	switch s := got.StatusCode; {
	case s == http.StatusUnauthorized:
		return s, 0, nil
	case s >= 500, s == http.StatusTooManyRequests, s >= 300 && s < 400:
		seconds, _ := strconv.Atoi(got.Header.Get("Retry-After"))
		return s, time.Duration(min(max(seconds, 0), 3600)) * time.Second, fmt.Errorf("status %d", s)
	}
	return got.StatusCode, 0, read(got)
}

// withoutURL leaves the address out of an error: it stands beside it already, and addresses may hold what is secret.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// redactText makes the office's words fit to be shown: no secret of ours, no control characters, not too long. An adapter may
// well repeat the whole request in its message.
func (d *Driver) redactText(s string) string {
	for _, secret := range []string{d.o.Password, d.session.currentToken().token} {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "***")
		}
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > textLimit {
		return string(r[:textLimit]) + "…"
	}
	return s
}
