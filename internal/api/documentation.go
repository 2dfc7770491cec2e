package api

import "net/http"

// nothingElse is the content security policy of data and of files that a page loads.
const nothingElse = "default-src 'none'"

// registerDocumentation serves the specification and a page built from it.
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

// serveGenerated serves content without authentication that is generated after all endpoints are registered, with the
// given content security policy.
func (s *server) serveGenerated(e endpoint, mime string, of func() (policy string, content []byte)) {
	e.method, e.group, e.callers = http.MethodGet, groupService, anybody
	serveStream(s, e, func(c *call) error {
		policy, content := of()
		h := c.w.Header()
		h.Set("Content-Type", mime)
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-cache")
		_, _ = c.w.Write(content) // if this fails, the client has gone
		return nil
	})
}
