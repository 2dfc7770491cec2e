package api

import (
	"context"
	"time"

	"segel/internal/contract"
)

// readyWithin bounds how long a dependency may take to show that it is there.
const readyWithin = 3 * time.Second

type healthAnswer struct {
	Status string `json:"status" example:"ok"`
}

type readyAnswer struct {
	Status string              `json:"status" example:"ok"`
	Clock  contract.ClockState `json:"clock" doc:"whether the clock can be relied on; unless it is fine, nothing is signed, and all else works" enum:"fine,disagrees,unconfirmed" example:"fine"`
}

func (s *server) health() {
	get(s, endpoint{path: "/healthz", id: "health", group: groupService, callers: anybody, summary: "Whether the service runs"}, func(*call) (healthAnswer, error) {
		return healthAnswer{"ok"}, nil
	})
	get(s, endpoint{path: "/readyz", id: "ready", group: groupService, callers: anybody, summary: "Whether what it depends on answers"}, func(c *call) (readyAnswer, error) {
		ctx, cancel := context.WithTimeout(c.r.Context(), readyWithin)
		defer cancel()
		if c.Ready != nil {
			if err := c.Ready(ctx); err != nil {
				return readyAnswer{}, errUnavailable.WithCause(err)
			}
		}
		// A clock in doubt is no reason to take the service away from those who read, and the operator needs it most then.
		clock, err := c.Workflow.ClockFinding(ctx)
		if err != nil {
			return readyAnswer{}, errUnavailable.WithCause(err)
		}
		return readyAnswer{"ok", clock.State}, nil
	})
}
