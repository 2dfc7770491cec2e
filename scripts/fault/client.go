package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

type object = map[string]any

const (
	signPath     = "/v1/econtract/fault/sign/"
	documentPath = "/v1/econtract/web_app/document/"
)

// client is the owner of all orders. It expects the service to die, and retries.
type client struct {
	url   string
	http  http.Client
	token string
	id    string
	email string

	prober atomic.Pointer[prober] // counts answers during outages; nil: not counted
}

func (c *client) setProber(p *prober) { c.prober.Store(p) }

// refusal is an answer of the service that is not a success.
type refusal struct {
	what   string
	status int
	text   []byte
	after  string // Retry-After
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: status %d: %.600s", r.what, r.status, r.text)
}

// pause is how long the client waits before it retries a service that did not answer.
const pause = 50 * time.Millisecond

// refusedPause is the wait after a retryable refusal: shorter than the service asks for, to retry early rather than late.
const refusedPause = 250 * time.Millisecond

// waitLogin waits for a token.
func (c *client) waitLogin(ctx context.Context, email, password string) error {
	var in struct {
		Data struct {
			Token   string
			Account struct{ ID string }
		}
	}
	if _, err := c.callUntilAnswered(ctx, "POST", "/v1/auth/login", object{"email": email, "password": password}, &in); err != nil {
		return err
	}
	c.token, c.id, c.email = in.Data.Token, in.Data.Account.ID, email
	return nil
}

// callUntilAnswered repeats a request until the service answers, however often it dies, and decodes the answer. Lost counts how
// often the service died or was dead. Each repeat has the Idempotency-Key of the first request. The answer that the first request
// still runs (409) is a fault: its process is dead.
func (c *client) callUntilAnswered(ctx context.Context, method, path string, body, answer any) (lost int, err error) {
	key := rand.Text()
	for {
		b, err := c.callOnce(ctx, method, path, key, body)
		var r *refusal
		switch {
		case err == nil:
			if answer == nil {
				return lost, nil
			}
			return lost, json.Unmarshal(b, answer)
		case ctx.Err() != nil:
			return lost, ctx.Err()
		case errors.As(err, &r) && r.status != http.StatusServiceUnavailable:
			return lost, err
		}
		lost++
		if r != nil { // it is alive; do not overload it
			time.Sleep(refusedPause)
			continue
		}
		time.Sleep(pause)
	}
}

// callOnce sends the request once.
func (c *client) callOnce(ctx context.Context, method, path, key string, body any) ([]byte, error) {
	p := c.prober.Load()
	if p == nil {
		return c.sendOnce(ctx, method, path, key, body)
	}
	outage, began := p.currentOutage(), time.Now()
	text, err := c.sendOnce(ctx, method, path, key, body)
	if ctx.Err() == nil {
		p.countAnswer(outage, method, path, time.Since(began), err)
	}
	return text, err
}

func (c *client) sendOnce(ctx context.Context, method, path, key string, body any) ([]byte, error) {
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, &b)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if c.token != "" {
		r.Header.Set("x-access-token", c.token)
	}
	a, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = &refusal{method + " " + path, a.StatusCode, text, a.Header.Get("Retry-After")}
	}
	return text, err
}
