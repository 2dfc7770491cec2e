package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"segel/internal/contract"
)

// methods that an endpoint may have, in the order Allow tells them.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete}

// route finds what serves a request: further paths of the configuration first, then our own endpoints, then the
// authority, then the web app. What nobody serves is answered in the envelope, 404 or 405.
func (s *server) route(w http.ResponseWriter, r *http.Request) {
	if _, pattern := s.aliases.Handler(r); pattern != "" {
		s.aliases.ServeHTTP(w, r) // comes back to routeOwn with the path it stands for
		return
	}
	s.routeOwn(w, r)
}

func (s *server) routeOwn(w http.ResponseWriter, r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v1/"); ok {
		r = readdress(r, "/v1/"+rest)
	}
	if s.serves(r) {
		s.mux.ServeHTTP(w, r)
		return
	}
	x := exchangeOf(r)
	switch allowed := s.allowed(r); {
	case len(allowed) > 0 && r.Method == http.MethodOptions:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		w.WriteHeader(http.StatusNoContent)
	case len(allowed) > 0:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.problem(w, x, http.StatusMethodNotAllowed, "method.not_allowed", contract.Refuse(contract.Invalid, "").With("allow", strings.Join(allowed, ", ")))
	case s.Authority != nil && strings.HasPrefix(r.URL.Path, "/authority/"):
		x.operation = "authority"
		s.Authority.ServeHTTP(w, r)
	case s.Web != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.HasPrefix(r.URL.Path, "/v1/") && !strings.HasPrefix(r.URL.Path, "/api/"):
		x.operation = "web"
		s.Web.ServeHTTP(w, r)
	default:
		s.problem(w, x, http.StatusNotFound, "path.not_found", nil)
	}
}

// allowed lists the methods that the path of a request has an endpoint for.
func (s *server) allowed(r *http.Request) []string {
	var list []string
	for _, m := range methods {
		if s.serves(&http.Request{Method: m, URL: r.URL, Host: r.Host}) {
			list = append(list, m)
		}
	}
	return list
}

// serves reports whether an endpoint has the method and the path of a request. A path that an endpoint has to
// the letter is never taken for another one's with something in braces: /document/out is no {document_id}.
func (s *server) serves(r *http.Request) bool {
	_, pattern := s.mux.Handler(r)
	if pattern == "" {
		return false
	}
	exact := slices.ContainsFunc(s.endpoints, func(e endpoint) bool { return e.path == r.URL.Path })
	return !exact || strings.HasSuffix(pattern, " "+r.URL.Path)
}

// readdress returns the request as if it had come for that path, given escaped.
func readdress(r *http.Request, path string) *http.Request {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return r // net/http has unescaped it before; it cannot fail now
	}
	c, u := *r, *r.URL
	u.Path, u.RawPath = plain, path
	c.URL = &u
	return &c
}

// alias makes the table of further paths. Segments in braces of the further path are carried over by name; a
// {service} it does not have becomes the pinned one.
func (s *server) alias(paths map[string]string) error {
	s.aliases = http.NewServeMux()
	for from, to := range paths {
		target := s.pinned(to)
		if !slices.ContainsFunc(s.endpoints, func(e endpoint) bool { return e.path == target }) {
			return fmt.Errorf("path %q leads to %q, which no endpoint has", from, to)
		}
		if err := s.aliasOne(from, target); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) aliasOne(from, target string) (err error) {
	// ServeMux tells of a pattern it cannot take by a panic alone; the pattern is the operator's.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("path %q: %v", from, p)
		}
	}()
	if !strings.HasPrefix(from, "/") || strings.HasPrefix(from, "/v1/") {
		return fmt.Errorf("path %q: a further path begins with / and not with /v1/", from)
	}
	segments := strings.Split(target, "/")
	s.aliases.HandleFunc(from, func(w http.ResponseWriter, r *http.Request) {
		path := make([]string, len(segments))
		for i, segment := range segments {
			path[i] = segment
			if name, ok := strings.CutPrefix(segment, "{"); ok {
				name = strings.TrimSuffix(name, "}")
				if path[i] = url.PathEscape(r.PathValue(name)); path[i] == "" {
					path[i] = name
				}
			}
		}
		s.routeOwn(w, readdress(r, strings.Join(path, "/")))
	})
	return nil
}
