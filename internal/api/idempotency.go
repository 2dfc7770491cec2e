package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// Answers keeps answers for idempotency keys.
type Answers interface {
	Claim(ctx context.Context, a store.Answer, keep, stale time.Duration) (*store.Answer, error)
	Finish(ctx context.Context, a store.Answer) error
	Drop(ctx context.Context, account, path, key string) error
}

const (
	staleClaim = 15 * time.Minute // longer than any request may take
	maxKey     = 255
)

// keptHeaders are what a repeated answer has of the first one's header.
var keptHeaders = []string{"Content-Type", "Content-Language", "Cache-Control", "Content-Security-Policy"}

// once runs an endpoint, at most once for an Idempotency-Key.
//
// The key is claimed before anything runs, so that of two requests at the same moment one is refused. What
// the body's digest is, is not known then: a body of 50 MiB is hashed while the endpoint reads it, and the
// digest is kept with the answer. A repeat hashes its own body and compares, without running anything.
func (c *call) once(do func(*call) error) error {
	key := c.r.Header.Get("Idempotency-Key")
	if key == "" || !c.endpoint.keyed() {
		return do(c)
	}
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return contract.Refuse(contract.Invalid, "idempotency.malformed").With("limit", maxKey)
	}
	ctx := c.r.Context()
	claim := store.Answer{Account: string(c.by.ID), Path: c.r.URL.Path, Key: key, At: c.Clock()}
	first, err := c.Answers.Claim(ctx, claim, c.KeepAnswers, staleClaim)
	switch {
	case err != nil:
		return fmt.Errorf("claim idempotency key: %w", err)
	case first == nil:
		return c.keep(claim, do)
	case !first.Done:
		return errKeyRunning
	}
	return c.repeat(first)
}

// keyed reports whether the endpoint takes an Idempotency-Key: every POST does but those below /v1/auth/ and the one that
// gives an account, whose answers are secrets, and those that know no account to keep an answer for.
func (e *endpoint) keyed() bool {
	return e.method == http.MethodPost && e.callers != anybody && !strings.HasPrefix(e.path, "/v1/auth/") && e.admin != contract.AdminAddPerson
}

// repeat answers what the first request with this key was answered, if it is the same request.
func (c *call) repeat(first *store.Answer) error {
	h := sha256.New()
	if _, err := io.Copy(h, c.r.Body); err != nil {
		return unread(err)
	}
	if [32]byte(h.Sum(nil)) != first.Body {
		return errKeyReused
	}
	for name, value := range first.Header {
		c.w.Header().Set(name, value)
	}
	c.w.Header().Set("Idempotent-Replayed", "true")
	c.w.WriteHeader(first.Status)
	_, _ = c.w.Write(first.Content) // the client has gone; there is nobody left to tell
	return nil
}

// keep runs the endpoint and keeps its answer.
//
// Durable before the client is answered: the answer. Not durable after a crash in between: any answer, while
// what the endpoint did stands; a repeat is told to wait until the claim is stale, and runs then.
func (c *call) keep(claim store.Answer, do func(*call) error) error {
	body := &hashingBody{ReadCloser: c.r.Body, hash: sha256.New()}
	answer := &bufferedAnswer{header: http.Header{}}
	inner := *c
	inner.w = answer
	inner.r = c.r.Clone(c.r.Context())
	inner.r.Body = body

	settled := false
	// The claim outlives the client: he may have gone because he will ask again.
	ctx := context.WithoutCancel(c.r.Context())
	defer func() {
		if !settled { // a panic is on its way up, or the answer is none to be kept
			if err := c.Answers.Drop(ctx, claim.Account, claim.Path, claim.Key); err != nil {
				c.Log.ErrorContext(ctx, "drop idempotency key", "request_id", c.id, "error", err)
			}
		}
	}()
	err := do(&inner)
	if err != nil {
		inner.refuse(err)
	}
	body.drain()
	if body.err == nil && final(answer.status) && !passing(err) {
		claim.Done, claim.Body = true, [32]byte(body.hash.Sum(nil))
		claim.Status, claim.Header, claim.Content = answer.status, answer.kept(), answer.content.Bytes()
		settled = true
		if err := c.Answers.Finish(ctx, claim); err != nil {
			// What was asked for has been done, and the client shall know it. A repeat has to wait.
			c.Log.ErrorContext(ctx, "keep answer for idempotency key", "request_id", c.id, "error", err)
		}
	}
	for name, values := range answer.header {
		c.w.Header()[name] = values
	}
	c.w.WriteHeader(answer.status)
	_, _ = c.w.Write(answer.content.Bytes())
	return nil
}

// final reports whether an answer is one to be repeated.
func final(status int) bool {
	return status < 500 && status != http.StatusUnauthorized && status != http.StatusTooManyRequests
}

// passing reports a refusal that invites to ask again, unchanged. Kept, it would refuse the very repeat it asks for.
func passing(err error) bool {
	var e *contract.Error
	return errors.As(err, &e) && e.Retryable
}

// hashingBody hashes a body while it is read.
type hashingBody struct {
	io.ReadCloser
	hash hash.Hash
	err  error // why it could not be read to its end
}

func (b *hashingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.hash.Write(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// drain reads what the endpoint left, which belongs to the digest too. The body is bounded by its endpoint.
func (b *hashingBody) drain() {
	if b.err == nil {
		_, b.err = io.Copy(io.Discard, b)
	}
}

// bufferedAnswer holds an answer back until it is kept. Only JSON goes through it.
type bufferedAnswer struct {
	header  http.Header
	status  int
	content bytes.Buffer
}

func (a *bufferedAnswer) Header() http.Header { return a.header }

func (a *bufferedAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *bufferedAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.content.Write(p)
}

func (a *bufferedAnswer) kept() map[string]string {
	kept := map[string]string{}
	for _, name := range keptHeaders {
		if v := a.header.Get(name); v != "" {
			kept[name] = v
		}
	}
	return kept
}
