package api

import (
	"context"
	"time"
)

// readyWithin bounds how long a dependency may take to show that it is there.
const readyWithin = 3 * time.Second

type healthAnswer struct {
	Status string `json:"status" example:"ok"`
}

func (s *server) health() {
	get(s, endpoint{path: "/healthz", id: "health", group: groupService, callers: anybody, summary: "Whether the service runs"}, func(*call) (healthAnswer, error) {
		return healthAnswer{"ok"}, nil
	})
	get(s, endpoint{path: "/readyz", id: "ready", group: groupService, callers: anybody, summary: "Whether what it depends on answers"}, func(c *call) (healthAnswer, error) {
		if c.Ready == nil {
			return healthAnswer{"ok"}, nil
		}
		ctx, cancel := context.WithTimeout(c.r.Context(), readyWithin)
		defer cancel()
		if err := c.Ready(ctx); err != nil {
			return healthAnswer{}, errUnavailable.Because(err)
		}
		return healthAnswer{"ok"}, nil
	})
}
