package running

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Wire sits between a service and an office, passes calls on and tells what happens to each. What left the service
// reaches the office, also when the service was killed since: so do packets.
type Wire struct {
	URL string // where it is reached

	// Each may be nil. Call is the last part of the path, such as stampv2.
	Asked     func(call string)                     // the office is about to be asked
	Answered  func(call string, took time.Duration) // it has acted; the service does not know yet
	Delivered func(call string)                     // the answer was passed on

	office string
	client http.Client
	server *http.Server
}

// officeTime bounds a call to the office, and maxCall a call and an answer in bytes; files go through the shared folder.
const (
	officeTime = 30 * time.Second
	maxCall    = 16 << 20
)

// NewWire passes calls on to the office at an address.
func NewWire(office string) (*Wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Wire{URL: "http://" + l.Addr().String(), office: office}
	w.server = &http.Server{Handler: w}
	go func() { _ = w.server.Serve(l) }() // it ends by Close
	return w, nil
}

// Close cuts it.
func (w *Wire) Close() { _ = w.server.Close() }

// ServeHTTP passes one call on.
func (w *Wire) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall))
	if err != nil {
		panic(http.ErrAbortHandler) // the service was killed in the middle of its call, which so never was one
	}
	call := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if w.Asked != nil {
		w.Asked(call)
	}
	began := time.Now()
	answer, text, err := w.forwardCall(r, body)
	if w.Answered != nil {
		w.Answered(call, time.Since(began))
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the office lost its answer: the connection is cut here too
	}
	for name, values := range answer.Header {
		to.Header()[name] = values
	}
	to.WriteHeader(answer.StatusCode)
	_, _ = to.Write(text) // who was killed does not read
	_ = http.NewResponseController(to).Flush()
	if w.Delivered != nil {
		w.Delivered(call)
	}
}

func (w *Wire) forwardCall(r *http.Request, body []byte) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), officeTime)
	defer cancel()
	out, err := http.NewRequestWithContext(ctx, r.Method, w.office+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	out.Header = r.Header.Clone()
	answer, err := w.client.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxCall))
	return answer, text, err
}
