// Package tracing connects what one request causes: the lines of the log that belong to it, and its trace with the jobs that it orders.
// Traces are those of OpenTelemetry. Package otlp makes the tracer; this one needs none.
//
// Spans and the log have no names, addresses or titles: a span names operations, kinds of jobs, numbers and outcomes.
package tracing

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Off is a tracer that makes no spans. A context keeps the trace that it has.
var Off = noop.NewTracerProvider().Tracer("")

type requestKey struct{}

// WithRequest returns a context whose lines in the log have the identifier of a request.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

const traceparent = "traceparent" // header of W3C Trace Context

// Traceparent returns the trace and the span of a context as W3C Trace Context writes them; empty if it has none.
func Traceparent(ctx context.Context) string {
	c := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, c)
	return c[traceparent]
}

// WithTraceparent returns a context that continues the trace of a [Traceparent]. If it is not one, the context is returned unchanged.
// What other systems attach to a trace (tracestate, baggage) is not taken over: it may be anything.
func WithTraceparent(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{traceparent: parent})
}

// NewLogHandler returns a handler that adds to each line the identifiers of its context: request_id ([WithRequest]) and trace_id. A handler that
// does it already is returned as it is.
func NewLogHandler(next slog.Handler) slog.Handler {
	if h, ok := next.(logHandler); ok {
		return h
	}
	return logHandler{next}
}

type logHandler struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	request, _ := ctx.Value(requestKey{}).(string)
	of := trace.SpanContextFromContext(ctx)
	if request == "" && !of.HasTraceID() {
		return h.Handler.Handle(ctx, r)
	}
	r = r.Clone() // others may hold it
	if request != "" {
		r.AddAttrs(slog.String("request_id", request))
	}
	if of.HasTraceID() {
		r.AddAttrs(slog.String("trace_id", of.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h logHandler) WithAttrs(a []slog.Attr) slog.Handler { return logHandler{h.Handler.WithAttrs(a)} }

// WithGroup implements [slog.Handler].
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
