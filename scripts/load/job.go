package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

const (
	password     = "kata sandi untuk beban"
	metricsToken = "pengukur beban"

	signPath     = "/v1/econtract/load/sign/"
	documentPath = "/v1/econtract/web_app/document/"
)

type object = map[string]any

// load is a running service, and the owner of all documents on it.
type load struct {
	*running.Service
	options
	owner    string        // token
	polls    *atomic.Int64 // requests that asked whether a document is completed
	poll     costs         // of one of them
	contract string        // Base64 of the file that each document has
}

// encodeContract returns a file of that size in Base64.
func encodeContract(size int64) string {
	f := pdftest.NewLarge(size, 20)
	b := make([]byte, f.Size())
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		panic(err) // it is generated
	}
	return base64.StdEncoding.EncodeToString(b)
}

func (l *load) logIn(email, password string) error {
	var a struct{ Data struct{ Token string } }
	err := l.callJSON(context.Background(), "POST", "/v1/auth/login", "", object{"email": email, "password": password}, &a)
	l.owner = a.Data.Token
	return err
}

// document is one document on its way.
type document struct {
	id    int64
	guest string // token of the signer
}

// operation is a step of the job.
type operation struct {
	name string
	run  func(*load, context.Context, *document) error
}

// The job in order. The signature is the first operation of the second phase.
var (
	preparing = []operation{
		{"upload", (*load).upload}, {"finalize", (*load).finalize}, {"guest link and login", (*load).openLink},
	}
	closing = []operation{{"sign-docs", (*load).sign}, {"signed to completed", (*load).waitCompleted}}
)

func (l *load) upload(ctx context.Context, d *document) error {
	var a struct {
		Response struct {
			Data struct {
				ID int64 `json:"document_id"`
			}
		}
	}
	err := l.callJSON(ctx, "POST", signPath+"upload-docs-base64", l.owner, object{
		"document_title": "Beban", "filename": "beban.pdf", "document_base64": l.contract,
		"guest": []object{{"name": "Budi Santoso", "email": "budi@example.test", "role": "signer", "number": 1}},
	}, &a)
	d.id = a.Response.Data.ID
	return err
}

func (l *load) finalize(ctx context.Context, d *document) error {
	return l.callJSON(ctx, "POST", signPath+"finalize-docs", l.owner, object{"document_id": d.id}, nil)
}

func (l *load) openLink(ctx context.Context, d *document) error {
	var people struct {
		Data struct {
			Signer []struct {
				UserID string `json:"user_id"`
			}
		}
	}
	if err := l.callJSON(ctx, "GET", fmt.Sprint(documentPath, "signers/", d.id), l.owner, nil, &people); err != nil {
		return err
	}
	if len(people.Data.Signer) != 1 {
		return fmt.Errorf("document %d has %d signers", d.id, len(people.Data.Signer))
	}
	var link struct {
		Response struct{ Data struct{ URL string } }
	}
	if err := l.callJSON(ctx, "POST", signPath+"guest-link-docs", l.owner, object{"document_id": d.id, "user_id": people.Data.Signer[0].UserID}, &link); err != nil {
		return err
	}
	var in struct{ Data struct{ Token string } }
	err := l.callJSON(ctx, "POST", "/v1/auth/guest", "", object{"link": link.Response.Data.URL}, &in)
	d.guest = in.Data.Token
	return err
}

func (l *load) sign(ctx context.Context, d *document) error {
	return l.callJSON(ctx, "POST", signPath+"sign-docs", d.guest, object{"document_id": d.id}, nil)
}

// Completion is polled. Costs are printed without the polls, times with them.
const (
	pollEvery    = 20 * time.Millisecond
	completeWait = time.Minute
)

func (l *load) waitCompleted(ctx context.Context, d *document) error {
	ctx, cancel := context.WithTimeout(ctx, completeWait)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		var a struct{ Data struct{ Status string } }
		l.polls.Add(1)
		if err := l.callJSON(ctx, "GET", fmt.Sprint(documentPath, "status/", d.id), l.owner, nil, &a); err != nil {
			return err
		}
		switch a.Data.Status {
		case "completed":
			return nil
		case "processing":
		default:
			return fmt.Errorf("document %d is %s", d.id, a.Data.Status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("document %d was not completed: %w", d.id, ctx.Err())
		case <-tick.C:
		}
	}
}

// client keeps one connection for each of the concurrent clients.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}

func (l *load) callJSON(ctx context.Context, method, path, token string, body, answer any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, l.URL+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("x-access-token", token)
	}
	a, err := client.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(io.LimitReader(a.Body, 4<<20))
	if err != nil {
		return err
	}
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, a.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
