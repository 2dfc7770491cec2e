package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// prober tries all operations while a part of the service is unavailable, and counts the answers.
type prober struct {
	client *client
	login  object // body of a login

	known    int64          // a document to read
	unsigned int64          // a document to sign; 0: the last one was signed
	ours     map[int64]bool // documents that it uploaded

	mu      sync.Mutex // guards the fields below
	outage  string     // in progress; empty: none
	deaf    bool       // answers are not counted: the service was killed
	answers map[question]*tally
	back    map[string]time.Duration // longest time from the end of an outage until everything works
	wrong   []string                 // answers that are neither a success nor a retryable refusal
	slow    []string
}

// question is an operation during an outage.
type question struct{ outage, operation string }

// tally counts the answers to a question.
type tally struct {
	served, refused int
	longest         time.Duration
}

// Bounds on the time of an answer: the defaults of the service, plus a margin for a busy machine.
const (
	briefAnswer = 5*time.Second + probeSlack
	otherAnswer = 15*time.Second + probeSlack
	probeSlack  = 3 * time.Second
)

// recoverWithin bounds the recovery of the service.
const recoverWithin = time.Minute

// probeEvery is the interval between tries of an operation.
const probeEvery = 200 * time.Millisecond

// operation is one kind of request.
type operation struct {
	name   string
	within time.Duration
	method string
	path   func(p *prober) string
	body   func(p *prober) any
}

func fixedPath(path string) func(*prober) string { return func(*prober) string { return path } }

func noBody(*prober) any { return nil }

var operations = []operation{
	{"list", briefAnswer, "GET", fixedPath(running.DocumentPath + "out"), noBody},
	{"detail", briefAnswer, "GET", func(p *prober) string { return fmt.Sprint(running.DocumentPath, "detail/", p.known) }, noBody},
	{"login", otherAnswer, "POST", fixedPath(running.LoginPath), func(p *prober) any { return p.login }},
	{"sign", otherAnswer, "POST", fixedPath(running.SignPath + "sign-docs"), func(p *prober) any { return object{"document_id": p.unsigned} }},
	{"download", otherAnswer, "GET", func(p *prober) string { return fmt.Sprint(running.DocumentPath, "download/", p.known) }, noBody},
	{"readyz", briefAnswer, "GET", fixedPath("/readyz"), noBody},
}

func newProber(c *client, email, password string) *prober {
	return &prober{
		client: c, login: object{"email": email, "password": password}, ours: map[int64]bool{},
		answers: map[question]*tally{}, back: map[string]time.Duration{},
	}
}

// prepareDocument uploads a document to sign, unless there is one, and at first completes one to read.
func (p *prober) prepareDocument(ctx context.Context) (err error) {
	if p.known == 0 {
		if p.known, err = p.uploadDocument(ctx); err == nil {
			err = p.completeDocument(ctx, p.known)
		}
	}
	if err == nil && p.unsigned == 0 {
		p.unsigned, err = p.uploadDocument(ctx)
	}
	if err != nil {
		return fmt.Errorf("prepare a document to ask for: %w", err)
	}
	return nil
}

// completeDocument signs a document and waits for its seal.
func (p *prober) completeDocument(ctx context.Context, id int64) error {
	if _, err := p.client.postUntilAnswered(ctx, running.SignPath+"sign-docs", object{"document_id": id}, nil); err != nil {
		return err
	}
	o := order{id: id}
	for began := time.Now(); !o.isSettled(); time.Sleep(pause) {
		if err := p.client.readStatus(ctx, &o); err != nil {
			return err
		}
		if time.Since(began) > recoverWithin {
			return fmt.Errorf("document %d is %s for too long", id, o.state)
		}
	}
	return nil
}

func (p *prober) uploadDocument(ctx context.Context) (int64, error) {
	id, _, err := p.client.uploadFile(ctx, "kontrak.pdf", pdftest.PDFA(1))
	if err != nil {
		return 0, err
	}
	p.ours[id] = true
	_, err = p.client.postUntilAnswered(ctx, running.SignPath+"finalize-docs", object{"document_id": id}, nil)
	return id, err
}

// startProbing tries operations until stop is called, which waits for the last answers. With recovers, it
// continues until each operation has succeeded.
func (p *prober) startProbing(ctx context.Context, name string) (stop func(recovers bool)) {
	p.mu.Lock()
	p.outage, p.deaf = name, false
	p.mu.Unlock()
	over := make(chan struct{})
	var asking sync.WaitGroup
	for _, o := range operations {
		asking.Go(func() {
			for {
				if p.tryOperation(ctx, o) {
					return
				}
				next := time.NewTimer(probeEvery)
				select {
				case <-next.C:
				case <-over:
					next.Stop()
					return
				case <-ctx.Done():
					next.Stop()
					return
				}
			}
		})
	}
	return func(recovers bool) {
		ended := time.Now()
		p.mu.Lock()
		p.outage = ""
		p.mu.Unlock()
		close(over)
		if recovers {
			p.waitRecovered(ctx, name, ended)
		}
		asking.Wait()
	}
}

// waitRecovered tries all operations until they succeed, and records how long that took.
func (p *prober) waitRecovered(ctx context.Context, name string, ended time.Time) {
	ctx, cancel := context.WithTimeout(ctx, recoverWithin)
	defer cancel()
	var all sync.WaitGroup
	for _, o := range operations {
		if o.name == "sign" { // its last request may still be in progress
			continue
		}
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := p.client.callOnce(ctx, running.Request{Method: o.method, Path: o.path(p), Body: o.body(p)}); err == nil {
					return
				}
				time.Sleep(pause)
			}
		})
	}
	all.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		p.wrong = append(p.wrong, fmt.Sprintf("%s: not everything works %v after its end", name, recoverWithin))
	}
	p.back[name] = max(p.back[name], time.Since(ended))
}

// stopCounting makes later answers not count.
func (p *prober) stopCounting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf = true
}

// tryOperation tries once; the client counts the answer. It reports whether the document was signed, after which there is nothing to try.
func (p *prober) tryOperation(ctx context.Context, o operation) (signed bool) {
	_, err := p.client.callOnce(ctx, running.Request{Method: o.method, Path: o.path(p), Body: o.body(p)})
	if o.name != "sign" || err != nil && !signedBefore(err) {
		return false
	}
	p.unsigned = 0
	return true
}

// signedBefore reports whether a signature is refused because an earlier request, whose answer was lost, has signed.
func signedBefore(err error) bool {
	var r *running.Refusal
	return errors.As(err, &r) && r.Status == http.StatusConflict
}

// currentOutage returns the outage in progress.
func (p *prober) currentOutage() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf {
		return ""
	}
	return p.outage
}

// countAnswer counts an answer to a request that began during an outage.
func (p *prober) countAnswer(outage, method, path string, took time.Duration, err error) {
	if outage == "" {
		return
	}
	name, within := operationOf(method, path)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaf {
		return
	}
	q := question{outage, name}
	t := p.answers[q]
	if t == nil {
		t = &tally{}
		p.answers[q] = t
	}
	t.longest = max(t.longest, took)
	if took > within {
		p.slow = append(p.slow, fmt.Sprintf("%s while %s took %v", name, outage, took.Round(time.Millisecond)))
	}
	var r *running.Refusal
	switch {
	case err == nil:
		t.served++
	case errors.As(err, &r) && invitesRetry(r):
		t.refused++
	case name == "sign" && signedBefore(err):
		t.served++
	default:
		p.wrong = append(p.wrong, fmt.Sprintf("%s while %s: %s", name, outage, strings.TrimSpace(err.Error())))
	}
}

// invitesRetry reports whether the refusal is retryable.
func invitesRetry(r *running.Refusal) bool {
	var body struct{ Error struct{ Retryable bool } }
	after, err := strconv.Atoi(r.RetryAfter)
	return r.Status == http.StatusServiceUnavailable && err == nil && after > 0 && json.Unmarshal(r.Text, &body) == nil && body.Error.Retryable
}

// operationOf returns the name of a request's operation, and the time limit of its answer.
func operationOf(method, path string) (string, time.Duration) {
	for _, o := range operations {
		if o.method == method && strings.HasPrefix(path, strings.TrimRight(o.path(&prober{}), "0")) {
			return o.name, o.within
		}
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	return strings.TrimSuffix(strings.TrimSuffix(name, "-base64"), "-docs"), otherAnswer
}

// addFigures adds the results to a table.
func (p *prober) addFigures(to *resultTable) {
	to.addZeroCount("**answers during an outage that are neither a success nor 503 with Retry-After**", p.wrong)
	to.addZeroCount("answers during an outage that took longer than the service promises", p.slow)
}

// printTimes writes a table of the longest times to an answer during each outage, and of how many answers were 503.
func (p *prober) printTimes(w io.Writer) {
	columns := []string{"list", "detail", "login", "upload", "finalize", "sign", "download", "readyz"}
	fmt.Fprintf(w, "\nThe longest time to an answer in seconds, and how many of the answers were 503.\n\n| while | %s | works again after |\n|---|%s---|\n",
		strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	names := map[string]bool{}
	for q := range p.answers {
		names[q.outage] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(w, "| %s |", name)
		for _, c := range columns {
			if t := p.answers[question{name, c}]; t != nil {
				fmt.Fprintf(w, " %.1f (%d/%d) |", t.longest.Seconds(), t.refused, t.refused+t.served)
			} else {
				fmt.Fprint(w, " |")
			}
		}
		fmt.Fprintf(w, " %.1f s |\n", p.back[name].Seconds())
	}
}
