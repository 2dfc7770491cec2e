package monitor

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/contract"
	"segel/internal/convert"
)

// workBuckets are the durations of work that reads files or calls other machines, in seconds.
var workBuckets = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}

// CountJobs registers the duration of jobs, and returns the function that records one try of a job: its kind, or the name of periodic work, and how
// it ended.
func CountJobs(r prometheus.Registerer) (func(kind, outcome string, took time.Duration), error) {
	tries := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "segel", Name: "job_duration_seconds", Buckets: workBuckets,
		Help: "Tries of jobs by how they ended: done, later (it waits for something), failed (it is tried again) or stopped (this process ends, or lost its lease). Periodic work has its own name.",
	}, []string{"kind", "outcome"})
	return func(kind, outcome string, took time.Duration) {
		tries.WithLabelValues(kind, outcome).Observe(took.Seconds())
	}, r.Register(tries)
}

// CountNotices registers the tries to deliver messages, and returns the function that records one.
func CountNotices(r prometheus.Registerer) (func(contract.Channel, contract.NoticeState), error) {
	tries := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "segel", Name: "notice_tries_total", Help: "Tries to deliver messages by their result: sent, ordered (it is tried again), failed (for good), dropped (it had lost its purpose) or kept (no server is configured).",
	}, []string{"channel", "result"})
	for _, state := range contract.NoticeStates {
		tries.WithLabelValues(mail, string(state))
	}
	return func(c contract.Channel, result contract.NoticeState) {
		by := mail
		if c.IsPhone() {
			by = string(c)
		}
		tries.WithLabelValues(by, string(result)).Inc()
	}, r.Register(tries)
}

const mail = "mail"

// CountDeliveries registers the tries to send events to webhooks, and returns the function that records one.
func CountDeliveries(r prometheus.Registerer) (func(contract.DeliveryState), error) {
	tries := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "segel", Name: "webhook_tries_total", Help: "Tries to send events to webhooks by their result: delivered, ordered (it is tried again) or dead.",
	}, []string{"result"})
	for _, state := range contract.DeliveryStates {
		tries.WithLabelValues(string(state))
	}
	return func(result contract.DeliveryState) { tries.WithLabelValues(string(result)).Inc() }, r.Register(tries)
}

// CountConversions registers the metrics of a converter, and returns the converter that updates them.
func CountConversions(r prometheus.Registerer, c convert.Converter) (convert.Converter, error) {
	w := countedConverter{Converter: c, running: prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "segel", Name: "conversions_running", Help: "Word documents that are being converted.",
	}), durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "segel", Name: "conversion_duration_seconds", Buckets: workBuckets,
		Help: "Conversions of Word documents by how they ended: converted, refused (the document is at fault), failed (the converter is) or stopped.",
	}, []string{"outcome"})}
	for _, outcome := range []string{"converted", "refused", "failed", "stopped"} {
		w.durations.WithLabelValues(outcome)
	}
	return w, errors.Join(r.Register(w.running), r.Register(w.durations))
}

type countedConverter struct {
	convert.Converter
	running   prometheus.Gauge
	durations *prometheus.HistogramVec
}

// Convert implements [convert.Converter].
func (c countedConverter) Convert(ctx context.Context, kind convert.Kind, in io.Reader, out io.Writer) error {
	c.running.Inc()
	defer c.running.Dec()
	began := time.Now()
	err := c.Converter.Convert(ctx, kind, in, out)
	outcome := "failed"
	switch {
	case err == nil:
		outcome = "converted"
	case ctx.Err() != nil:
		outcome = "stopped"
	case errors.Is(err, convert.ErrUnreadable), errors.Is(err, convert.ErrTooLong), errors.Is(err, convert.ErrTooLarge):
		outcome = "refused"
	}
	c.durations.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
	return err
}
