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

// client is the owner of all orders. He knows that the service dies, and asks again.
type client struct {
	url   string
	http  http.Client
	token string
	id    string
	email string

	prober atomic.Pointer[prober] // counts what is answered during outages; nil: nothing does
}

func (c *client) setProber(p *prober) { c.prober.Store(p) }

// refusal is an answer of the service that is no success.
type refusal struct {
	what   string
	status int
	text   []byte
	after  string // Retry-After
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: status %d: %.600s", r.what, r.status, r.text)
}

// pause is how long the client waits before it asks a service again that did not answer.
const pause = 50 * time.Millisecond

// refusedPause is how long it waits after a refusal that invites to come again: less than it is told, to be early rather than late.
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

// callUntilAnswered asks until the service answers, however often it dies over it, and decodes what it says. Lost is how often it
// died or was dead. Every repeat has the Idempotency-Key of the first request. That one still runs (409) must never be said: the
// process that it ran in is dead.
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
		if r != nil { // it lives, and is not to be besieged
			time.Sleep(refusedPause)
			continue
		}
		time.Sleep(pause)
	}
}

// callOnce asks once.
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
