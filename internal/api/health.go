package api

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"segel/internal/contract"
)

// Readiness is the state of the parts that the service depends on.
type Readiness struct {
	Checks []ReadinessCheck
	Clock  contract.ClockState // empty: it could not be read
	// Stopping reports that the service was told to stop. It answers until its listener closes, but a balancer should
	// send no more clients.
	Stopping bool
}

// ReadinessCheck is the state of one part.
type ReadinessCheck struct {
	Name  string     `json:"name" doc:"of the part: database, node (whether this process has its lease, on PostgreSQL), installation (whether its parts belong together), keys, blobs, disk or clock" example:"database"`
	State CheckState `json:"state" enum:"ok,degraded,failed" doc:"degraded: the service works, but not all of it" example:"ok"`
	// Detail may contain folders and addresses.
	Detail string `json:"detail,omitempty" doc:"details for operators"`
}

// CheckState is the state of a part.
type CheckState string

// The states. A failed check makes /readyz answer 503.
const (
	CheckOK       CheckState = "ok"
	CheckDegraded CheckState = "degraded"
	CheckFailed   CheckState = "failed"
)

// failedChecks returns the names and details of the checks that failed.
func (r Readiness) failedChecks() (names []string) {
	for _, c := range r.Checks {
		if c.State == CheckFailed {
			names = append(names, c.Name+": "+c.Detail)
		}
	}
	return names
}

type healthAnswer struct {
	Status string `json:"status" example:"ok"`
}

type readyAnswer struct {
	Status string              `json:"status" example:"ok"`
	Clock  contract.ClockState `json:"clock" doc:"whether the clock is reliable; unless it is fine, nothing is signed, and everything else works" enum:"fine,disagrees,unconfirmed" example:"fine"`
	Checks []ReadinessCheck    `json:"checks,omitempty" doc:"the state of each part; only for requests from the machine itself, and with the token for metrics"`
}

func (c *call) answerHealth() (healthAnswer, error) { return healthAnswer{"ok"}, nil }

func (c *call) answerReadiness() error {
	found := Readiness{Clock: contract.ClockFine}
	if c.Ready != nil {
		found = c.Ready(c.r.Context())
	}
	wrong := found.failedChecks()
	if found.Stopping {
		wrong = append(wrong, "the service is being stopped")
	}
	if !c.fromOperator() {
		found.Checks = nil
	}
	if len(wrong) == 0 {
		return c.writeAnswer(http.StatusOK, readyAnswer{Status: "ok", Clock: found.Clock, Checks: found.Checks})
	}
	c.cause = fmt.Errorf("not ready: %s", strings.Join(wrong, "; "))
	refusal := errUnavailable.With("retry_after", readyRetryAfter)
	return c.writeAnswer(http.StatusServiceUnavailable, notReady{c.failureEnvelope(c.w, c.exchange, http.StatusServiceUnavailable, refusal.Code, refusal), found.Checks})
}

// notReady is the envelope of a refusal with the checks.
type notReady struct {
	failure
	Checks []ReadinessCheck `json:"checks,omitempty"`
}

// readyRetryAfter is after how many seconds a refused probe may ask again.
const readyRetryAfter = 1

// fromOperator reports whether the request comes from this machine itself, not forwarded by a proxy on it, or has the
// token for metrics.
func (c *call) fromOperator() bool {
	if c.hasMetricsToken() {
		return true
	}
	for _, passedOn := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if c.r.Header.Get(passedOn) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// metrics counts requests by operation.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	running   prometheus.Gauge
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
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "segel", Subsystem: "http", Name: "requests_running", Help: "Requests that are being answered, with streams of events.",
		}),
	}
}

func (m metrics) observeRequest(operation string, status int, took time.Duration) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	if operation != "events" { // a stream lasts as long as its client watches
		m.durations.WithLabelValues(operation).Observe(took.Seconds())
	}
}

// sendMetrics serves an operator, or a monitor with the configured token. The figures cover all organisations, so an admin
// of one of them may not see them.
func (c *call) sendMetrics() error {
	if !c.hasMetricsToken() {
		by, err := c.authenticate()
		if err != nil {
			return err
		}
		if err := by.Key.Require(keyScopeOf(&c.endpoint.row)); err != nil {
			return err
		}
		if !by.Operator {
			return contract.ErrNotAllowed
		}
	}
	promhttp.HandlerFor(c.Metrics, promhttp.HandlerOpts{}).ServeHTTP(c.w, c.r)
	return nil
}

func (c *call) hasMetricsToken() bool {
	token, _ := c.requestToken()
	return c.MetricsToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(c.MetricsToken)) == 1
}
