package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync/atomic"
	"time"

	"segel/scripts/running"
)

type object = running.Object

// client is the owner of all orders. It expects the service to die, and retries.
type client struct {
	running.Client
	email string
	urls  []string      // of the nodes, which the requests go to in turn; empty: the one of Client
	turns atomic.Uint64 // requests so far

	leases bool // claims of dead processes end with their leases; else at the next start

	prober atomic.Pointer[prober] // counts answers during outages; nil: not counted
}

// pause is how long the client waits before it retries a service that did not answer.
const pause = 50 * time.Millisecond

// refusedPause is the wait after a retryable refusal: shorter than the service asks for, to retry early rather than late.
const refusedPause = 250 * time.Millisecond

// waitLogin waits for a token.
func (c *client) waitLogin(ctx context.Context, email, password string) error {
	var a running.LoginAnswer
	_, err := c.postUntilAnswered(ctx, running.LoginPath, object{"email": email, "password": password}, &a)
	c.Token, c.ID, c.email = a.Data.Token, a.Data.Account.ID, email
	return err
}

// guest is a person without an account.
type guest struct{ mailbox, role string }

// uploadFile uploads a file with the guests, which the client itself signs unless one of them does, and returns how often it repeated the request.
func (c *client) uploadFile(ctx context.Context, filename string, file []byte, guests ...guest) (id int64, lost int, err error) {
	own, others := []object{{"id": c.ID, "name": "Pemesan", "email": c.email, "role": "signer", "number": 1}}, []object{}
	for i, g := range guests {
		others = append(others, object{"name": "Tamu", "email": g.mailbox, "role": g.role, "number": i + 1})
		if g.role == "signer" {
			own = []object{}
		}
	}
	return c.postUpload(ctx, filename, file, object{"signer": own, "guest": others})
}

// postUpload uploads a file with the other fields of the request.
func (c *client) postUpload(ctx context.Context, filename string, file []byte, fields object) (id int64, lost int, err error) {
	body := object{"filename": filename, "document_base64": base64.StdEncoding.EncodeToString(file)}
	maps.Copy(body, fields)
	var a running.UploadAnswer
	lost, err = c.postUntilAnswered(ctx, running.UploadPath, body, &a)
	return a.Response.Data.ID, lost, err
}

// postUntilAnswered is callUntilAnswered for a POST.
func (c *client) postUntilAnswered(ctx context.Context, path string, body, answer any) (lost int, err error) {
	return c.callUntilAnswered(ctx, running.Request{Method: "POST", Path: path, Body: body}, answer)
}

// callUntilAnswered repeats a request until the service answers, however often it dies, and decodes the answer. Lost counts how
// often the service died or was dead. Each repeat has the Idempotency-Key of the first request. The answer that the first request
// still runs (409) is a fault if the claims of dead processes do not end with leases: its process is dead.
func (c *client) callUntilAnswered(ctx context.Context, r running.Request, answer any) (lost int, err error) {
	r.Key = rand.Text()
	for {
		b, err := c.callOnce(ctx, r)
		var refused *running.Refusal
		switch {
		case err == nil:
			if answer == nil {
				return lost, nil
			}
			return lost, json.Unmarshal(b, answer)
		case ctx.Err() != nil:
			return lost, ctx.Err()
		case errors.As(err, &refused) && refused.Status == http.StatusConflict && c.leases && bytes.Contains(refused.Text, []byte("idempotency.running")):
			// A node that is dead or paused, or another one, has the request. Its claim ends with its lease at the latest.
		case errors.As(err, &refused) && refused.Status != http.StatusServiceUnavailable:
			return lost, err
		}
		lost++
		if refused != nil { // it is alive; do not overload it
			time.Sleep(refusedPause)
			continue
		}
		time.Sleep(pause)
	}
}

// answerTimeout is how long the client waits for an answer before it asks the next node: a node that is paused gives none.
const answerTimeout = 10 * time.Second

// callOnce sends the request once, to the next node if there are several.
func (c *client) callOnce(ctx context.Context, r running.Request) ([]byte, error) {
	if len(c.urls) > 0 {
		ctx, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		to := c.Client
		to.URL = c.urls[c.turns.Add(1)%uint64(len(c.urls))]
		return to.Read(ctx, r)
	}
	p := c.prober.Load()
	if p == nil {
		return c.Read(ctx, r)
	}
	outage, began := p.currentOutage(), time.Now()
	text, err := c.Read(ctx, r)
	if ctx.Err() == nil {
		p.countAnswer(outage, r.Method, r.Path, time.Since(began), err)
	}
	return text, err
}
