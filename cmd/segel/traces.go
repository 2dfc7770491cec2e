package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/config"
	"segel/internal/outbound"
	"segel/internal/tracing/otlp"
)

// newTraces returns the provider of spans. It sends them if the configuration names a collector.
func newTraces(ctx context.Context, conf config.Config, r prometheus.Registerer, log *slog.Logger) (*otlp.Provider, error) {
	failures := prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "segel", Name: "trace_failures_total", Help: "Requests to the collector of traces that failed; their spans are lost.",
	})
	if err := r.Register(failures); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	headers, err := conf.ParseTraceHeaders()
	if err != nil {
		return nil, fmt.Errorf("SEGEL_TRACE_HEADERS: %w", err)
	}
	return otlp.New(ctx, otlp.Options{
		Endpoint: conf.TraceEndpoint, Headers: headers, Client: outbound.NewClient(traceOutbound(conf)), Share: float64(conf.TracePercent) / 100,
		Version: version, Failed: failures.Inc, Log: log,
	})
}

// traceOutbound permits the port of the collector, on the networks that the operator named for it; without TLS only there.
func traceOutbound(conf config.Config) outbound.Options {
	o := outbound.Options{
		Redirects: -1, Timeout: 10 * time.Second, MaxBody: 1 << 20, Private: strings.HasPrefix(conf.TraceEndpoint, "http://"), Allowed: prefixesOf(conf.TraceNetworks),
	}
	if p, ok := portOf(conf.TraceEndpoint); ok {
		o.Ports = []uint16{p}
	}
	return o
}

// traceGrace is how long the last spans may take to be sent.
const traceGrace = 3 * time.Second

// stopTraces sends the spans that have ended.
func (a *app) stopTraces() error {
	if a.traces == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), traceGrace)
	defer cancel()
	return a.traces.Stop(ctx)
}
