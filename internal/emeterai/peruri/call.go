package peruri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"segel/breaker"
	"segel/internal/admission"
	"segel/internal/emeterai"
)

// Limits of answers, in bytes.
const (
	answerLimit = 4 << 20
	listLimit   = 64 << 20 // an account of some hundred thousand serials
	textLimit   = 300      // of the office's words, in characters
)

// errTokenRefused means that the token was not accepted, so that nothing happened.
var errTokenRefused = errors.New("token is not accepted")

// call is one HTTP call to the office or an adapter.
type call struct {
	name    string // for metrics and problems
	method  string
	url     string
	token   string // sent as Bearer, if there is one
	kind    string // Content-Type of the body
	body    io.Reader
	size    int64
	effect  bool // it changes something at the office: if the result is unknown, so is what happened
	breaker *addressBreaker
	timeout time.Duration
	limit   int64
}

// Defaults of a breaker.
const (
	breakAfter = 5
	breakFor   = 10 * time.Second
	maxBreak   = 5 * time.Minute
)

// addressBreaker is the breaker of an address of the office, with its name in messages.
type addressBreaker struct {
	breaker.Breaker
	name  string
	clock func() time.Time
	log   *slog.Logger
}

func newBreaker(o *Options, name string) *addressBreaker {
	b := &addressBreaker{name: name, clock: o.Clock, log: o.Log}
	b.Threshold, b.FirstPause, b.LongestPause = o.BreakAfter, o.BreakFor, maxBreak
	return b
}

// recordCall records how a call ended: with an answer of the protocol (reason is empty), or with a failure.
func (b *addressBreaker) recordCall(reason string) {
	if reason == "" {
		if b.Succeed() {
			b.log.Info("stamp office answers again", "address", b.name)
		}
		return
	}
	if failures, pause := b.Fail(b.clock(), reason); pause > 0 {
		b.log.Warn("calls to the stamp office are suspended", "address", b.name, "for", pause, "failures", failures, "reason", reason)
	}
}

// availability is down until the next call is allowed, and while that call is running.
func (b *addressBreaker) availability() emeterai.Availability {
	now := b.clock()
	open := b.Check(now)
	if open == nil {
		return emeterai.Availability{}
	}
	until := open.Until
	if until.IsZero() {
		until = now.Add(time.Second)
	}
	return emeterai.Availability{Down: true, Until: until, Reason: b.name + ": " + open.Reason}
}

// response is an answer whose body was read.
type response struct {
	status int
	body   []byte
}

// callJSON makes a call and returns its JSON answer.
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

// roundTrip makes a call through its breaker and has its answer read. Its errors are Problems, or errTokenRefused.
func (d *Driver) roundTrip(ctx context.Context, c call, read func(*http.Response) error) error {
	began := d.o.Clock()
	ctx, span := d.o.Tracer.Start(ctx, "stamp office "+c.name, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	observe := func(outcome string, took time.Duration) {
		d.o.Observe(c.name, outcome, took)
		span.SetAttributes(attribute.String("segel.call", c.name), attribute.String("segel.outcome", outcome))
		if outcome == "failed" {
			span.SetStatus(codes.Error, "")
		}
	}
	if open := c.breaker.Acquire(began); open != nil {
		observe("left_alone", 0)
		return &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeNotCalled, After: max(open.Until.Sub(began), time.Second),
			Text: fmt.Sprintf("%s is not called for now: %s", c.breaker.name, open.Reason)}
	}
	// What another process goes on with is not sent. If this process is suspended between here and the send, the other one
	// finds the order at the office once it asks: it waits for as long as a call may take.
	if c.effect && d.o.MaySend != nil {
		if err := d.o.MaySend(ctx); err != nil {
			c.breaker.Cancel()
			observe("stopped", 0)
			return err
		}
	}
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var sent atomic.Bool // the request may have been sent
	within = httptrace.WithClientTrace(within, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	status, wait, err := d.sendRequest(within, c, read)
	took := d.o.Clock().Sub(began)
	switch {
	case err != nil && ctx.Err() != nil: // we were stopped; it is not the office's fault
		c.breaker.Cancel()
		observe("stopped", took)
		err = fmt.Errorf("%w: %w", ctx.Err(), withoutURL(err))
	case err != nil:
		err = withoutURL(err)
		c.breaker.recordCall(d.redactText(err.Error()))
		observe("failed", took)
	case status == http.StatusUnauthorized:
		c.breaker.recordCall("")
		observe("token", took)
		return errTokenRefused
	default:
		c.breaker.recordCall("")
		observe("answered", took)
		return nil
	}
	class := emeterai.Transient
	if c.effect && sent.Load() && status != http.StatusTooManyRequests {
		class = emeterai.Unknown
	}
	return &emeterai.Problem{Class: class, Code: emeterai.CodeDown, Text: c.name + ": " + d.redactText(err.Error()), After: wait, Err: ctx.Err()}
}

// sendRequest sends the request. A status that means that the server, or a proxy before it, has a problem is an error.
func (d *Driver) sendRequest(ctx context.Context, c call, read func(*http.Response) error) (status int, wait time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, c.method, c.url, c.body)
	if err != nil {
		return 0, 0, err
	}
	r.ContentLength = c.size
	r.GetBody = nil // the client must not resend it by itself
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
	case s >= 500, s == http.StatusTooManyRequests, s == http.StatusRequestTimeout, s >= 300 && s < 400:
		seconds, _ := strconv.Atoi(got.Header.Get("Retry-After"))
		return s, time.Duration(min(max(seconds, 0), 3600)) * time.Second, fmt.Errorf("status %d", s)
	}
	return got.StatusCode, 0, read(got)
}

// withoutURL removes the URL from an error: the caller adds it, and URLs may contain secrets.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// redactText makes the office's words fit for display: without our secrets and control characters, and not too long.
// An adapter may repeat the whole request in its message.
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

// address is an address at which documents are stamped.
type address struct {
	url     string
	slots   string // what its slots are called among processes
	breaker *addressBreaker
	calls   int // at work, or waiting for a lease; guarded by addresses.mu
}

// addresses are the addresses of the account. Each works on so many documents at a time.
type addresses struct {
	slots int // of each address
	queue *admission.Queue

	mu  sync.Mutex // guards address.calls
	all []*address
}

// waitingForSlot bounds how many calls of a process wait for slots: more than there are jobs.
const waitingForSlot = 1 << 16

// newAddresses leaves out spellings of an address that is in the list before: it would have twice its slots. The others keep their positions, which name
// their slots.
func newAddresses(o *Options, urls []string) *addresses {
	a := &addresses{slots: o.Slots}
	seen := map[string]bool{}
	for i, u := range urls {
		if key := normalizeAddress(u); !seen[key] {
			seen[key] = true
			a.all = append(a.all, &address{url: u, slots: slotsResource(o, i+1), breaker: newBreaker(o, "adapter "+u)})
		}
	}
	a.queue = admission.NewQueue(admission.Limits{Slots: len(a.all) * o.Slots, Waiting: waitingForSlot})
	return a
}

// waitForSlot waits for a slot of this process.
func (a *addresses) waitForSlot(ctx context.Context, organisation string) (at *address, release func(), err error) {
	leaveQueue, err := a.queue.Acquire(ctx, organisation)
	if err != nil {
		return nil, nil, err
	}
	at = a.choose(a.slots) // one has less, because the queue lets no more in than all have
	return at, func() { a.leave(at); leaveQueue() }, nil
}

// choose chooses the address for a call: of those with fewer calls than a limit one that can be called, if there is one, and of these one with the fewest calls. The caller
// calls leave when the call has ended.
func (a *addresses) choose(limit int) *address {
	a.mu.Lock()
	defer a.mu.Unlock()
	var best *address
	down := false
	for _, at := range a.all {
		if at.calls >= limit {
			continue
		}
		isDown := at.breaker.availability().Down
		if best == nil || down && !isDown || down == isDown && at.calls < best.calls {
			best, down = at, isDown
		}
	}
	best.calls++
	return best
}

func (a *addresses) leave(at *address) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at.calls--
}

// availability is down only if every address is.
func (a *addresses) availability() emeterai.Availability {
	var down emeterai.Availability
	for _, at := range a.all {
		one := at.breaker.availability()
		if !one.Down {
			return emeterai.Availability{}
		}
		if !down.Down || one.Until.Before(down.Until) {
			down = one
		}
	}
	return down
}
