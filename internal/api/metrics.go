package api

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"segel/internal/contract"
)

// metrics counts requests by operation.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

func newMetrics() metrics {
	return metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "segel", Subsystem: "http", Name: "requests_total", Help: "Requests answered.",
		}, []string{"operation", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "segel", Subsystem: "http", Name: "request_duration_seconds", Help: "Time until a request was answered.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"operation"}),
	}
}

func (m metrics) registerWith(r prometheus.Registerer) error {
	for _, c := range []prometheus.Collector{m.requests, m.durations} {
		if err := r.Register(c); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	return nil
}

func (m metrics) observeRequest(operation string, status int, took time.Duration) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	if operation != "events" { // a stream lasts as long as its client watches
		m.durations.WithLabelValues(operation).Observe(took.Seconds())
	}
}

// registerMetrics serves /metrics to an operator, or to a monitor with the configured token. The figures cover all
// organisations, so an admin of one of them may not see them.
func (s *server) registerMetrics() {
	expose := promhttp.HandlerFor(s.Metrics, promhttp.HandlerOpts{})
	serveStream(s, endpoint{
		method: http.MethodGet, path: "/metrics", id: "metrics", group: groupService, callers: ownAnswer,
		summary: "Metrics for Prometheus", description: "For an operator's token, or the one configured for it. The figures are of all organisations.", answers: textAnswer("text/plain", "The metrics."),
	}, func(c *call) error {
		token, _ := c.requestToken()
		if c.MetricsToken == "" || subtle.ConstantTimeCompare([]byte(token), []byte(c.MetricsToken)) != 1 {
			by, err := c.authenticate()
			if err != nil {
				return err
			}
			if !by.Operator {
				return contract.ErrNotAllowed
			}
		}
		expose.ServeHTTP(c.w, c.r)
		return nil
	})
}
