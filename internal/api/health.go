package api

import (
	"context"
	"net/http"
	"time"
)

// readyWithin bounds how long a dependency may take to show that it is there.
const readyWithin = 3 * time.Second

type healthAnswer struct {
	Status string `json:"status" example:"ok"`
}

func (s *server) health() {
	get(s, endpoint{path: "/healthz", id: "health", group: groupService, open: true, summary: "Whether the service runs"}, func(*call) (healthAnswer, error) {
		return healthAnswer{"ok"}, nil
	})
	get(s, endpoint{path: "/readyz", id: "ready", group: groupService, open: true, summary: "Whether what it depends on answers"}, func(c *call) (healthAnswer, error) {
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

// documentation serves the specification and a page made of it.
func (s *server) documentation() {
	stream(s, endpoint{
		method: http.MethodGet, path: "/openapi.json", id: "openapi", group: groupService, open: true,
		summary: "The specification", answers: textAnswer("application/json", "OpenAPI 3.1."),
	}, func(c *call) error {
		h := c.w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'")
		h.Set("Cache-Control", "no-cache")
		_, _ = c.w.Write(c.spec)
		return nil
	})
	stream(s, endpoint{
		method: http.MethodGet, path: "/docs", id: "docs", group: groupService, open: true,
		summary: "The specification as a page", answers: textAnswer("text/html", "The page."),
	}, func(c *call) error {
		h := c.w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", c.docs.policy)
		h.Set("Cache-Control", "no-cache")
		_, _ = c.w.Write(c.docs.html)
		return nil
	})
	stream(s, endpoint{
		method: http.MethodGet, path: "/docs.js", id: "docs-script", group: groupService, open: true,
		summary: "The script of that page", answers: textAnswer("text/javascript", "Copies examples."),
	}, func(c *call) error {
		h := c.w.Header()
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'")
		h.Set("Cache-Control", "no-cache")
		_, _ = c.w.Write(docsJS)
		return nil
	})
}
