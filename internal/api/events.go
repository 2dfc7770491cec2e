package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"segel/internal/contract"
	"segel/internal/text"
)

const (
	heartbeat = 25 * time.Second // how often something is sent while nothing happens: proxies close what is still for a minute
	maxStream = 15 * time.Minute // after which the browser comes again and shows its token anew
)

// eventData is what each event tells.
type eventData struct {
	statusData
	SigningStatus contract.State `json:"signing_status" doc:"status of the signatures alone" example:"processing"`
}

func (s *server) registerEvents() {
	e := endpoint{
		method: http.MethodGet, path: documentBase + "events/{document_id}", id: "events", group: groupDocuments, op: contract.OpEvents, isStream: true,
		answers: eventAnswer(s.schemaOf(typeOf[statusData]())), params: eventParams(),
		summary:     "Follow a document",
		description: "Server-sent events named progress: the document as it stands, at once and after every change. The last one tells a final state; asking again after it answers 204.",
	}
	serveStream(s, e, func(c *call) error {
		id, err := c.pathDocumentID()
		if err != nil {
			return err
		}
		after, _ := parseInteger(c.r.Header.Get("Last-Event-ID"))
		return c.followDocument(id, after)
	})
}

// followDocument sends the document at every version above after, until it can change no more.
func (c *call) followDocument(id contract.DocumentID, after int64) error {
	// The first look refuses before anything is sent, and never waits.
	d, err := c.Workflow.Detail(c.r.Context(), c.by, contract.OpEvents, id)
	if err != nil {
		return err
	}
	if d.State.Final() && d.Version <= after {
		c.w.WriteHeader(http.StatusNoContent) // tells the browser not to come again
		return nil
	}
	leave, err := c.acquireStreamShare(d.Organisation)
	if err != nil {
		return err
	}
	c.deadline.removeLimit()
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if detached, out := c.detach(); detached != nil {
		c.Streams.run(func() {
			defer leave()
			defer out.close() //nolint:errcheck // nothing is left to be sent
			defer detached.logStreamEnd(out)
			detached.tellEvents(out, &d, after)
		})
		return nil
	}
	defer leave()
	c.w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(c.w)
	out := &eventWriter{language: c.language, to: c.w, flush: control.Flush, deadline: control.SetWriteDeadline}
	defer out.liftDeadline()
	c.tellEvents(out, &d, after)
	return nil
}

// tellEvents writes d, if its version is above after, and each later version.
//
//go:noinline
func (c *call) tellEvents(out *eventWriter, d *contract.Document, after int64) {
	id, final := d.ID, d.State.Final()
	if d.Version > after {
		after = d.Version
		out.writeProgress(d)
	} else {
		out.writeHeartbeat()
	}
	watched, unwatch := c.untilStopping()
	defer unwatch()
	for end := c.Clock().Add(maxStream); out.err == nil && !final && c.Clock().Before(end); {
		ctx, cancel := context.WithTimeout(watched, c.Streams.beatEvery())
		next, err := c.Workflow.WaitForChange(ctx, c.by, id, after)
		cancel()
		if watched.Err() != nil {
			return // the client has gone, or comes again to a service that is not being stopped
		}
		// The holder of a token that was revoked, or has expired, is told no more: not even that nothing happened.
		if _, err := c.authenticate(); err != nil {
			c.cause = err // the answer has begun; the browser comes again and is told then
			return
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			out.writeHeartbeat()
		case err != nil:
			c.cause = err // the answer has begun; the browser comes again and is told then
			return
		default:
			after, final = next.Version, next.State.Final()
			out.writeProgress(next)
		}
	}
}

// untilStopping returns the context of the request, which ends when the service is told to stop.
func (c *call) untilStopping() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.r.Context())
	if c.Streams == nil {
		return ctx, cancel
	}
	unwatch := context.AfterFunc(c.Streams.ctx, cancel)
	return ctx, func() { unwatch(); cancel() }
}

// eventWriter writes a stream of events, each at once.
type eventWriter struct {
	language text.Language
	to       io.Writer
	flush    func() error // nil: what is written is sent
	deadline func(time.Time) error
	gone     func() bool  // whether the client has closed the connection; nil: the request's context tells
	close    func() error // nil: net/http does
	err      error        // the client has gone
	bytes    int64
}

func (o *eventWriter) writeProgress(d *contract.Document) {
	data, err := json.Marshal(eventData{statusDataOf(d, o.language), d.SigningState()})
	if err != nil {
		o.err = err
		return
	}
	o.writeEvent(fmt.Sprintf("event: progress\nid: %d\ndata: %s\n\n", d.Version, data))
}

// liftDeadline lifts the deadline: the connection may carry other answers after this one.
func (o *eventWriter) liftDeadline() { _ = o.deadline(time.Time{}) }

// writeHeartbeat keeps proxies from closing a stream on which nothing happens, and finds out whether the client is there.
func (o *eventWriter) writeHeartbeat() {
	if o.gone != nil && o.gone() {
		o.err = errClientGone
		return
	}
	o.writeEvent(": still here\n\n")
}

// errClientGone ends a stream whose client has closed the connection.
var errClientGone = errors.New("the client has closed the connection")

func (o *eventWriter) writeEvent(s string) {
	if o.err != nil {
		return
	}
	// The server's own time for writing an answer is meant for answers that end. Where deadlines are not to be
	// had, there is none to lift.
	_ = o.deadline(time.Now().Add(2 * heartbeat))
	var n int
	n, o.err = io.WriteString(o.to, s)
	o.bytes += int64(n)
	if o.err == nil && o.flush != nil {
		o.err = o.flush()
	}
}
