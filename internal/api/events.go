package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"segel/internal/contract"
	"segel/internal/text"
)

const (
	heartbeat = 15 * time.Second // how often something is sent while nothing happens
	maxStream = 15 * time.Minute // after which the browser comes again and shows its token anew
)

// eventData is what each event tells.
type eventData struct {
	statusData
	SigningStatus contract.State `json:"signing_status" doc:"status of the signatures alone" example:"processing"`
}

func (s *server) events() {
	e := endpoint{
		method: http.MethodGet, path: documentBase + "events/{document_id}", id: "events", group: groupDocuments, op: contract.OpEvents,
		answers: eventAnswer(s.schema(typeOf[statusData]())), params: eventParams(),
		summary:     "Follow a document",
		description: "Server-sent events named progress: the document as it stands, at once and after every change. The last one tells a final state; asking again after it answers 204.",
	}
	stream(s, e, func(c *call) error {
		id, err := c.document()
		if err != nil {
			return err
		}
		after, _ := parseInteger(c.r.Header.Get("Last-Event-ID"))
		return c.follow(id, after)
	})
}

// follow sends the document at every version above after, until it can change no more.
func (c *call) follow(id contract.DocumentID, after int64) error {
	// The first look refuses before anything is sent, and never waits.
	d, err := c.Workflow.Detail(c.r.Context(), c.by, contract.OpEvents, id)
	if err != nil {
		return err
	}
	if d.State.IsFinal() && d.Version <= after {
		c.w.WriteHeader(http.StatusNoContent) // tells the browser not to come again
		return nil
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	out := &eventWriter{language: c.language, w: c.w, control: http.NewResponseController(c.w)}
	defer out.done()
	if d.Version > after {
		after = d.Version
		out.progress(&d)
	} else {
		out.beat()
	}
	for end := c.Clock().Add(maxStream); out.err == nil && !d.State.IsFinal() && c.Clock().Before(end); {
		ctx, cancel := context.WithTimeout(c.r.Context(), heartbeat)
		next, err := c.Workflow.Next(ctx, c.by, id, after)
		cancel()
		if c.r.Context().Err() != nil {
			return nil
		}
		// The holder of a token that was revoked, or has expired, is told no more: not even that nothing happened.
		if _, err := c.authenticate(); err != nil {
			c.trouble = err // the answer has begun; the browser comes again and is told then
			return nil
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			out.beat()
		case err != nil:
			c.trouble = err // the answer has begun; the browser comes again and is told then
			return nil
		default:
			d, after = next, next.Version
			out.progress(&d)
		}
	}
	return nil
}

// eventWriter writes a stream of events, each at once.
type eventWriter struct {
	language text.Language
	w        http.ResponseWriter
	control  *http.ResponseController
	err      error // the client has gone
}

func (o *eventWriter) progress(d *contract.Document) {
	data, err := json.Marshal(eventData{statusDataOf(d, o.language), d.SigningState()})
	if err != nil {
		o.err = err
		return
	}
	o.send(fmt.Sprintf("event: progress\nid: %d\ndata: %s\n\n", d.Version, data))
}

// done lifts the deadline: the connection may carry other answers after this one.
func (o *eventWriter) done() { _ = o.control.SetWriteDeadline(time.Time{}) }

// beat keeps proxies from closing a stream on which nothing happens, and finds out whether the client is there.
func (o *eventWriter) beat() { o.send(": still here\n\n") }

func (o *eventWriter) send(s string) {
	if o.err != nil {
		return
	}
	// The server's own time for writing an answer is meant for answers that end. Where deadlines are not to be
	// had, there is none to lift.
	_ = o.control.SetWriteDeadline(time.Now().Add(2 * heartbeat))
	if _, o.err = o.w.Write([]byte(s)); o.err == nil {
		o.err = o.control.Flush()
	}
}
