package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"segel/internal/contract"
)

// methods are the methods an endpoint may have, in the order of the Allow header.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

// routeRequest finds the handler of a request: configured further paths first, then endpoints, then the authority,
// then the web app. Anything else is answered in the envelope, with 404 or 405.
func (s *server) routeRequest(w http.ResponseWriter, r *http.Request) {
	if path, ok := s.aliases.resolvePath(r.URL.EscapedPath()); ok {
		r = withPath(r, path)
	}
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v1/"); ok {
		r = withPath(r, "/v1/"+rest)
	}
	if s.hasEndpoint(r) {
		s.mux.ServeHTTP(w, r)
		return
	}
	x := exchangeOf(r)
	switch allowed := s.allowedMethods(r); {
	case len(allowed) > 0 && r.Method == http.MethodOptions:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		w.WriteHeader(http.StatusNoContent)
	case len(allowed) > 0:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.writeFailure(w, x, http.StatusMethodNotAllowed, "method.not_allowed", contract.Refuse(contract.Invalid, "").With("allow", strings.Join(allowed, ", ")))
	case s.Authority != nil && strings.HasPrefix(r.URL.Path, "/authority/"):
		s.serveAuthority(w, r, x)
	case s.Web != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.HasPrefix(r.URL.Path, "/v1/") && !strings.HasPrefix(r.URL.Path, "/api/"):
		x.operation = "web"
		s.Web.ServeHTTP(w, r)
	default:
		s.writeFailure(w, x, http.StatusNotFound, "path.not_found", nil)
	}
}

// allowedMethods lists the methods of the endpoints at the request's path.
func (s *server) allowedMethods(r *http.Request) []string {
	var list []string
	for _, m := range methods {
		if s.hasEndpoint(&http.Request{Method: m, URL: r.URL, Host: r.Host}) {
			list = append(list, m)
		}
	}
	return list
}

// hasEndpoint reports whether an endpoint matches the method and path of a request. If an endpoint has exactly this
// path, no pattern with braces matches it: /document/out is never a {document_id}.
func (s *server) hasEndpoint(r *http.Request) bool {
	_, pattern := s.mux.Handler(r)
	if pattern == "" {
		return false
	}
	exact := slices.ContainsFunc(s.endpoints, func(e endpoint) bool { return e.path == r.URL.Path })
	return !exact || strings.HasSuffix(pattern, " "+r.URL.Path)
}

// withPath returns the request with another path, given escaped.
func withPath(r *http.Request, path string) *http.Request {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return r // cannot happen: net/http has unescaped it before
	}
	c, u := *r, *r.URL
	u.Path, u.RawPath = plain, path
	c.URL = &u
	return &c
}
