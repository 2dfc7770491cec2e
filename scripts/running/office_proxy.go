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

// OfficeProxy is a proxy between a service and an office that forwards calls and reports what happens to each. A call that the service
// has sent reaches the office even if the service is killed afterwards, like packets on a network.
type OfficeProxy struct {
	URL string // its address

	// Each may be nil. Call is the last element of the path, such as stampv2.
	Asked     func(call string)                     // the office is about to be called
	Answered  func(call string, took time.Duration) // the office has acted; the service does not know yet
	Delivered func(call string)                     // the answer was forwarded

	office string
	client http.Client
	server *http.Server
}

// officeTime bounds a call to the office, and maxCall a call and an answer in bytes; files go through the shared folder.
const (
	officeTime = 30 * time.Second
	maxCall    = 16 << 20
)

// The calls that cost money or cannot be undone.
const (
	CallTake  = "stampv2"
	CallStamp = "docSigningZ"
)

// NewOfficeProxy forwards calls to the office at an address.
func NewOfficeProxy(office string) (*OfficeProxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &OfficeProxy{URL: "http://" + l.Addr().String(), office: office}
	p.server = &http.Server{Handler: p}
	go func() { _ = p.server.Serve(l) }() // Close ends it
	return p, nil
}

// Close closes all connections.
func (p *OfficeProxy) Close() { _ = p.server.Close() }

// ServeHTTP forwards one call.
func (p *OfficeProxy) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall))
	if err != nil {
		panic(http.ErrAbortHandler) // the service was killed during its call, so the call was never complete
	}
	call := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if p.Asked != nil {
		p.Asked(call)
	}
	began := time.Now()
	answer, text, err := p.forwardCall(r, body)
	if p.Answered != nil {
		p.Answered(call, time.Since(began))
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the office lost its answer: the connection is cut here too
	}
	for name, values := range answer.Header {
		to.Header()[name] = values
	}
	to.WriteHeader(answer.StatusCode)
	_, _ = to.Write(text) // a killed service does not read it
	_ = http.NewResponseController(to).Flush()
	if p.Delivered != nil {
		p.Delivered(call)
	}
}

func (p *OfficeProxy) forwardCall(r *http.Request, body []byte) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), officeTime)
	defer cancel()
	out, err := http.NewRequestWithContext(ctx, r.Method, p.office+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	out.Header = r.Header.Clone()
	answer, err := p.client.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxCall))
	return answer, text, err
}
