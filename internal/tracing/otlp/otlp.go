// Package otlp makes the spans of traces, and sends them to a collector with OTLP over HTTP.
package otlp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options say what is sent where. Without an Endpoint nothing is sent, and the others have no effect.
type Options struct {
	Endpoint string            // address for spans, such as https://collector.example.com/v1/traces
	Headers  map[string]string // of each request; secret
	Client   *http.Client      // sends the requests
	Share    float64           // of the traces that are sent, from 0 to 1
	Version  string            // of this program
	Failed   func()            // is called for each request that failed
	Log      *slog.Logger
}

// Provider makes spans.
type Provider struct{ provider *sdk.TracerProvider }

// sendTimeout bounds one request to the collector, with its repetitions.
const sendTimeout = 10 * time.Second

// New returns a provider. Without an endpoint its spans have identifiers, for the log, and are not recorded. Stop it.
//
// Which traces are sent is decided by their identifiers, so a job is sent with the request that ordered it, whichever process runs it. A caller that
// does not sample a trace is followed, and one that does cannot exceed the share.
func New(ctx context.Context, o Options) (*Provider, error) {
	if o.Endpoint == "" {
		return &Provider{sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()))}, nil
	}
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(o.Endpoint), otlptracehttp.WithHeaders(o.Headers), otlptracehttp.WithHTTPClient(o.Client),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression), otlptracehttp.WithTimeout(sendTimeout),
	)
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	share := sdk.TraceIDRatioBased(o.Share)
	return &Provider{sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(share, sdk.WithRemoteParentSampled(share))),
		sdk.WithBatcher(&reportingExporter{SpanExporter: exporter, failed: o.Failed, log: o.Log}),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "segel"), attribute.String("service.version", o.Version))),
	)}, nil
}

// Tracer returns the tracer of the service.
func (p *Provider) Tracer() trace.Tracer { return p.provider.Tracer("segel") }

// Flush sends the spans that have ended.
func (p *Provider) Flush(ctx context.Context) error { return p.provider.ForceFlush(ctx) }

// Stop sends the spans that have ended, and makes no more.
func (p *Provider) Stop(ctx context.Context) error { return p.provider.Shutdown(ctx) }

// reportEvery is how often a collector that does not accept spans is logged.
const reportEvery = time.Minute

// reportingExporter logs what cannot be sent, at most once in reportEvery. The spans are lost. Otherwise the library would print it.
type reportingExporter struct {
	sdk.SpanExporter
	failed   func()
	log      *slog.Logger
	reported atomic.Int64 // when a failure was logged last, in nanoseconds since 1970
}

// ExportSpans implements [sdk.SpanExporter].
func (e *reportingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	e.failed()
	now, last := time.Now().UnixNano(), e.reported.Load()
	if now-last > int64(reportEvery) && e.reported.CompareAndSwap(last, now) {
		e.log.WarnContext(ctx, "traces cannot be sent", "spans", len(spans), "error", err)
	}
	return nil
}
