package api

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

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
	Name  string     `json:"name" doc:"of the part: database, installation (whether its parts belong together), keys, blobs, disk or clock" example:"database"`
	State CheckState `json:"state" enum:"ok,degraded,failed" doc:"degraded: the service works, but not all of it" example:"ok"`
	// Detail may contain folders and addresses.
	Detail string `json:"detail,omitempty" doc:"what was found, for operators"`
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
	Clock  contract.ClockState `json:"clock" doc:"whether the clock can be relied on; unless it is fine, nothing is signed, and all else works" enum:"fine,disagrees,unconfirmed" example:"fine"`
	Checks []ReadinessCheck    `json:"checks,omitempty" doc:"each part with what was found; only for requests from the machine itself, and with the token for metrics"`
}

func (s *server) registerHealth() {
	serveGet(s, endpoint{path: "/healthz", id: "health", group: groupService, callers: anybody, summary: "Whether the service runs"}, func(*call) (healthAnswer, error) {
		return healthAnswer{"ok"}, nil
	})
	e := endpoint{
		method: http.MethodGet, path: "/readyz", id: "ready", timeLimit: lengthy, group: groupService, callers: anybody, summary: "Whether what it depends on answers",
		description: "503 while the database, the keys or the files do not answer, while the disk is full, and from when the service is told to stop. " +
			"Operators are told of each part.",
	}
	s.describeAnswer(&e, typeOf[readyAnswer]())
	serveStream(s, e, func(c *call) error {
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
	})
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
	if token, _ := c.requestToken(); c.MetricsToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(c.MetricsToken)) == 1 {
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
