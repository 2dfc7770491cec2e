package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"segel/scripts/running"
)

// event is an event of the service's feed, or a message to its webhook.
type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		Document int64 `json:"document_id"`
	} `json:"data"`
}

// receiver is the address of a webhook. It refuses one message in ten once: the pauses after several refusals are long.
type receiver struct {
	url    string
	port   int
	server *http.Server

	observe func() // called after a message was accepted, before the answer; set before the first message

	mu       sync.Mutex // guards the rest
	random   *rand.Rand
	accepted map[string]int // number of the message that was accepted first, by identifier
	repeats  int            // messages that were accepted before
	refused  map[string]bool
	broken   []string // messages that cannot be read
}

// startReceiver starts a receiver on a free port.
func startReceiver(seed uint64) (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{
		url: "http://" + l.Addr().String() + "/events", port: l.Addr().(*net.TCPAddr).Port,
		random: rand.New(rand.NewPCG(seed, 3)), accepted: map[string]int{}, refused: map[string]bool{},
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = r.server.Serve(l) }() // ends with an error when it is closed
	return r, nil
}

func (r *receiver) close() error { return r.server.Close() }

// ServeHTTP takes one message.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(io.LimitReader(q.Body, 1<<20))
	var e event
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if q.Context().Err() != nil || errors.Is(err, io.ErrUnexpectedEOF) {
		return // the service died while it sent
	}
	if r.take(e, q, body, err) {
		r.observe()
	} else {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// take takes a message, and reports whether it accepts it.
func (r *receiver) take(e event, q *http.Request, body []byte, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || e.ID == "" || e.ID != q.Header.Get("webhook-id") || q.Header.Get("webhook-signature") == "" {
		r.broken = append(r.broken, fmt.Sprintf("%.100q: %v", body, err))
	}
	if !r.refused[e.ID] && r.random.Float64() < lose {
		r.refused[e.ID] = true
		return false
	}
	if _, before := r.accepted[e.ID]; before {
		r.repeats++
		return true
	}
	r.accepted[e.ID] = len(r.accepted)
	return true
}

// count returns how many messages were accepted, each once.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.accepted)
}

// addWebhook has the service send its events to the receiver.
func (t *trial) addWebhook(ctx context.Context) error {
	_, err := t.client.callUntilAnswered(ctx, running.Request{Method: "POST", Path: "/v1/admin/webhooks", Body: object{"url": t.receiver.url}}, nil)
	if err != nil {
		return fmt.Errorf("add a webhook: %w", err)
	}
	return nil
}

// readFeed reads the whole feed of the service.
func (t *trial) readFeed(ctx context.Context) ([]event, error) {
	var all []event
	for after := ""; ; {
		var a struct {
			Data struct {
				Events []event `json:"events"`
				Next   string  `json:"next"`
				More   bool    `json:"more"`
			} `json:"data"`
		}
		b, err := t.client.callOnce(ctx, running.Request{Method: "GET", Path: "/v1/events?limit=200&after=" + after})
		if err == nil {
			err = json.Unmarshal(b, &a)
		}
		if err != nil {
			return nil, fmt.Errorf("read the feed after %q: %w", after, err)
		}
		all, after = append(all, a.Data.Events...), a.Data.Next
		if !a.Data.More {
			return all, nil
		}
	}
}

// undelivered is how long the service may go without delivering an event or a mail: longer than the pauses before the tries of one, also where its process
// was killed six times while it was sent.
const undelivered = 25 * time.Minute

// waitDelivered waits until the receiver has as many events as the feed, and returns the feed.
func (t *trial) waitDelivered(ctx context.Context) ([]event, error) {
	feed, err := t.readFeed(ctx)
	if err != nil {
		return nil, err
	}
	began, last, had := time.Now(), time.Now(), -1
	for {
		has := t.receiver.count()
		if has >= len(feed) {
			fmt.Fprintf(os.Stderr, "all events delivered %s later\n", time.Since(began).Round(time.Second))
			return feed, nil
		}
		if has != had {
			last, had = time.Now(), has
		}
		if time.Since(last) > undelivered {
			return feed, nil // the rest counts as lost
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// compareEvents compares the feed with what the receiver accepted: each event at least once, and those of a document in their order.
func (r *receiver) compareEvents(feed []event, orders []*order) resultTable {
	r.mu.Lock()
	defer r.mu.Unlock()
	var p resultTable
	var lost, disordered, unknown, incomplete []string
	known, newest, completed := map[string]bool{}, map[int64]int{}, map[int64]int{}
	for _, e := range feed {
		if known[e.ID] {
			unknown = append(unknown, e.ID+" is in the feed twice")
		}
		known[e.ID] = true
		if e.Type == "document.completed" {
			completed[e.Data.Document]++
		}
		at, ok := r.accepted[e.ID]
		if !ok {
			lost = append(lost, fmt.Sprintf("%s (%s of document %d)", e.ID, e.Type, e.Data.Document))
			continue
		}
		if before, ok := newest[e.Data.Document]; ok && at < before {
			disordered = append(disordered, fmt.Sprintf("%s (%s of document %d)", e.ID, e.Type, e.Data.Document))
		}
		newest[e.Data.Document] = max(at, newest[e.Data.Document])
	}
	for id := range r.accepted {
		if !known[id] {
			unknown = append(unknown, id)
		}
	}
	for _, o := range orders {
		if o.state == "completed" && completed[o.id] != 1 {
			incomplete = append(incomplete, fmt.Sprintf("document %d is completed %d times", o.id, completed[o.id]))
		}
	}
	p.addFigure("events in the feed; sent again after they were accepted; refused by the receiver", "%d; %d; %d", len(feed), r.repeats, len(r.refused))
	p.addZeroCount("**events that a webhook was not sent**", lost)
	p.addZeroCount("**events of a document out of their order**", disordered)
	p.addZeroCount("events sent that the feed does not have, or has twice", unknown)
	p.addZeroCount("completed documents that the feed does not report once", incomplete)
	p.addZeroCount("messages that cannot be read", r.broken)
	return p
}
