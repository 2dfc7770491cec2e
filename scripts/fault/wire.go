package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// moment is where in its work the service is when it is killed.
type moment string

// The moments. Those of the office tell of the two calls that cost or cannot be undone.
const (
	anyTime      moment = "at a random time"
	starting     moment = "while it starts"
	acknowledged moment = "when it has acknowledged an order"
	asking       moment = "when it asks the office, which acts all the same"
	answered     moment = "when the office has acted, before the answer arrives"
	told         moment = "right after the office's answer"
)

// wire stands between the service and the office, passes calls on and says where each is. What left the service reaches
// the office, also when the service was killed since: so do packets.
type wire struct {
	office string // address
	at     func(m moment, call string)
	client http.Client
}

// officeTime bounds a call to the office, which answers at once.
const officeTime = 30 * time.Second

// maxCall bounds a call and an answer in bytes; files go through the shared folder.
const maxCall = 16 << 20

func (w *wire) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall))
	if err != nil {
		panic(http.ErrAbortHandler) // the service was killed amid its call, which so never was one
	}
	call := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	w.at(asking, call)
	answer, text, err := w.pass(r, body)
	w.at(answered, call)
	if err != nil {
		panic(http.ErrAbortHandler) // the office lost its answer: the connection is cut here too
	}
	for name, values := range answer.Header {
		to.Header()[name] = values
	}
	to.WriteHeader(answer.StatusCode)
	_, _ = to.Write(text) // who was killed does not read
	_ = http.NewResponseController(to).Flush()
	w.at(told, call)
}

func (w *wire) pass(r *http.Request, body []byte) (*http.Response, []byte, error) {
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
