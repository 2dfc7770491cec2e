package main

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"segel/internal/emeterai/sandbox"
)

// traceReceiver is a collector of traces: it decodes what arrives by OTLP over HTTP.
type traceReceiver struct {
	*httptest.Server
	mu    sync.Mutex // guards the fields below
	spans []*wire.Span
	raw   bytes.Buffer // all that arrived, uncompressed
	keys  []string     // Authorization of each request
}

func startTraceReceiver(t *testing.T) *traceReceiver {
	t.Helper()
	r := &traceReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if err := r.receive(q); err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *traceReceiver) receive(q *http.Request) error {
	if q.URL.Path != "/v1/traces" || q.Header.Get("Content-Type") != "application/x-protobuf" || q.Header.Get("Content-Encoding") != "gzip" {
		return fmt.Errorf("a request to %s with the fields %v", q.URL.Path, q.Header)
	}
	plain, err := gzip.NewReader(q.Body)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(plain)
	if err != nil {
		return err
	}
	var m collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(b, &m); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw.Write(b)
	r.keys = append(r.keys, q.Header.Get("Authorization"))
	for _, of := range m.ResourceSpans {
		for _, s := range of.ScopeSpans {
			r.spans = append(r.spans, s.Spans...)
		}
	}
	return nil
}

// named returns the spans of a trace with a name.
func (r *traceReceiver) named(trace, name string) (all []*wire.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.spans {
		if s.Name == name && hex.EncodeToString(s.TraceId) == trace {
			all = append(all, s)
		}
	}
	return all
}

// causes reports whether a span is the parent of another, or of the transaction that ordered it.
func (r *traceReceiver) causes(parent, span *wire.Span) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := span.ParentSpanId
	for _, s := range r.spans {
		if s.Name == "transaction write" && bytes.Equal(s.SpanId, of) {
			of = s.ParentSpanId
			break
		}
	}
	return bytes.Equal(of, parent.SpanId)
}

func (s *service) flushTraces(t *testing.T) {
	t.Helper()
	if err := s.traces.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestARequestItsJobAndTheCallOfTheStampOfficeAreOneTrace(t *testing.T) {
	t.Parallel()
	receiver, log := startTraceReceiver(t), &lockedBuffer{}
	s := starting{log: log, set: append(officeOf(t, "cloud", sandbox.Plan{}),
		"SEGEL_TRACE_ENDPOINT", receiver.URL+"/v1/traces", "SEGEL_TRACE_NETWORKS", "127.0.0.0/8", "SEGEL_TRACE_HEADERS", `{"Authorization": "Bearer collector-secret-1"}`)}.start(t)
	owner := s.person(t, "Sari Wulandari", "PT Contoh")
	id := owner.uploadWith(object{"document_title": "Perjanjian Rahasia", "attach": 1}, simple())
	owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	owner.do("POST", signPath+"finalize-docs", object{"document_id": id},
		"Traceparent", "00-"+trace+"-"+caller+"-01", "Tracestate", "vendor=planted-state", "Baggage", "user=planted-baggage").ok()
	owner.completed(id)
	awaitTrue(t, func() bool { // the job that the first one orders
		s.flushTraces(t)
		return len(receiver.named(trace, "job evidence")) > 0
	})
	s.stopJobs(t)
	s.flushTraces(t)

	request := receiver.named(trace, "finalize")
	if len(request) != 1 || hex.EncodeToString(request[0].ParentSpanId) != caller || request[0].Kind != wire.Span_SPAN_KIND_SERVER {
		t.Fatalf("spans of the request: %v", request)
	}
	job := receiver.named(trace, "job stamp")
	if len(job) != 1 || !receiver.causes(request[0], job[0]) || job[0].Kind != wire.Span_SPAN_KIND_CONSUMER {
		t.Fatalf("spans of the job: %v", job)
	}
	calls := 0
	receiver.mu.Lock()
	for _, span := range receiver.spans {
		if strings.HasPrefix(span.Name, "stamp office ") && hex.EncodeToString(span.TraceId) == trace && bytes.Equal(span.ParentSpanId, job[0].SpanId) {
			calls++
		}
	}
	receiver.mu.Unlock()
	if calls < 3 {
		t.Errorf("the job made %d calls", calls)
	}
	if len(receiver.named(trace, "transaction write")) == 0 {
		t.Error("there are no transactions")
	}
	// The next job was ordered by the first one.
	if next := receiver.named(trace, "job evidence"); len(next) != 1 || !receiver.causes(job[0], next[0]) {
		t.Errorf("spans of the next job: %v", next)
	}

	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	sent := receiver.raw.String()
	for _, personal := range []string{"Sari", "Wulandari", owner.email, "PT Contoh", "Rahasia", owner.token, password, "planted-state", "planted-baggage", "127.0.0.1", "collector-secret-1"} {
		if strings.Contains(sent, personal) {
			t.Errorf("spans have %q", personal)
		}
	}
	for _, key := range receiver.keys {
		if key != "Bearer collector-secret-1" {
			t.Errorf("a request with the key %q", key)
		}
	}
	if bytes.Contains(log.Bytes(), []byte("collector-secret-1")) {
		t.Error("the log has the key of the collector")
	}
	lines := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "msg=request") && strings.Contains(line, "operation=finalize ") {
			lines++
			if !strings.Contains(line, "trace_id="+trace) || strings.Count(line, "request_id=") != 1 {
				t.Errorf("the line of the request: %s", line)
			}
		}
	}
	if lines != 1 {
		t.Errorf("%d lines about the request", lines)
	}
}

func TestWithoutACollectorNothingIsSentAndTheLogStillHasTraces(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	s := starting{log: log}.start(t)
	s.person(t, "Sari", "")
	found := false
	for line := range strings.Lines(log.String()) {
		found = found || strings.Contains(line, "operation=login") && strings.Contains(line, "trace_id=") && strings.Contains(line, "request_id=")
	}
	if !found {
		t.Errorf("no line of a login with a trace in\n%s", log.Bytes())
	}
}

func TestACollectorThatDoesNotAnswerStopsNothing(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := start(t, "SEGEL_TRACE_ENDPOINT", gone.URL+"/v1/traces", "SEGEL_TRACE_NETWORKS", "127.0.0.0/8")
	s.person(t, "Sari", "")
	_ = s.traces.Flush(t.Context())
	families, err := s.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "segel_trace_failures_total" && f.GetMetric()[0].GetCounter().GetValue() > 0 {
			return
		}
	}
	t.Error("the failure is not counted")
}
