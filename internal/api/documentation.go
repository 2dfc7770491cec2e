package api

import "net/http"

// nothingElse is the policy of what is data, or is loaded by a page.
const nothingElse = "default-src 'none'"

// registerDocumentation serves the specification and a page made of it.
func (s *server) registerDocumentation() {
	s.serveGenerated(endpoint{
		path: "/openapi.json", id: "openapi", summary: "The specification", answers: textAnswer("application/json", "OpenAPI 3.1."),
	}, "application/json; charset=utf-8", func() (string, []byte) { return nothingElse, s.spec })
	s.serveGenerated(endpoint{
		path: "/docs", id: "docs", summary: "The specification as a page", answers: textAnswer("text/html", "The page."),
	}, "text/html; charset=utf-8", func() (string, []byte) { return s.docs.policy, s.docs.html })
	s.serveGenerated(endpoint{
		path: "/docs.js", id: "docs-script", summary: "The script of that page", answers: textAnswer("text/javascript", "Copies examples."),
	}, "text/javascript; charset=utf-8", func() (string, []byte) { return nothingElse, docsJS })
}

// serveGenerated serves to anybody what is made once all endpoints are registered, with the policy that it is shown under.
func (s *server) serveGenerated(e endpoint, mime string, of func() (policy string, content []byte)) {
	e.method, e.group, e.callers = http.MethodGet, groupService, anybody
	serveStream(s, e, func(c *call) error {
		policy, content := of()
		h := c.w.Header()
		h.Set("Content-Type", mime)
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-cache")
		_, _ = c.w.Write(content) // the client has gone; there is nobody left to tell
		return nil
	})
}
