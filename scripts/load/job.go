package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

const metricsToken = "pengukur beban"

// load is a running service, and the owner of all documents on it.
type load struct {
	*running.Service
	options
	owner    *running.Client
	waits    *atomic.Int64 // requests that wait for documents to be completed
	wait     costs         // of one of them
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

// document is one document on its way.
type document struct {
	id    int64
	guest *running.Client // the signer
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

func (l *load) upload(_ context.Context, d *document) (err error) {
	d.id, err = l.owner.Upload(running.Object{
		"document_title": "Beban", "filename": "beban.pdf", "document_base64": l.contract,
		"guest": []running.Object{{"name": "Budi Santoso", "email": "budi@example.test", "role": "signer", "number": 1}},
	})
	return err
}

func (l *load) finalize(_ context.Context, d *document) error {
	return l.owner.PostVerb("finalize-docs", d.id)
}

func (l *load) openLink(_ context.Context, d *document) error {
	var people struct {
		Data struct {
			Signer []struct {
				UserID string `json:"user_id"`
			}
		}
	}
	if err := l.owner.Get(fmt.Sprint(running.DocumentPath, "signers/", d.id), &people); err != nil {
		return err
	}
	if len(people.Data.Signer) != 1 {
		return fmt.Errorf("document %d has %d signers", d.id, len(people.Data.Signer))
	}
	var link struct {
		Response struct{ Data struct{ URL string } }
	}
	guest := people.Data.Signer[0].UserID
	if err := l.owner.Post(running.SignPath+"guest-link-docs", running.Object{"document_id": d.id, "user_id": guest}, &link); err != nil {
		return err
	}
	var in struct{ Data struct{ Token string } }
	anonymous := &running.Client{URL: l.URL}
	err := anonymous.Post("/v1/auth/guest", running.Object{"link": link.Response.Data.URL}, &in)
	d.guest = &running.Client{URL: l.URL, Token: in.Data.Token, ID: guest}
	return err
}

func (l *load) sign(_ context.Context, d *document) error { return d.guest.PostVerb("sign-docs", d.id) }

// Clients ask for the status until a document is completed. Costs are printed without these requests, times with them. What following the events
// of a document costs could not be told apart from what the job does.
const (
	completeWait = time.Minute
	pollEvery    = 20 * time.Millisecond
)

func (l *load) waitCompleted(ctx context.Context, d *document) error {
	ctx, cancel := context.WithTimeout(ctx, completeWait)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		var a running.StatusAnswer
		l.waits.Add(1)
		if err := l.owner.Get(fmt.Sprint(running.DocumentPath, "status/", d.id), &a); err != nil {
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
