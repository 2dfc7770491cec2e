package api

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"segel/internal/contract"
)

// methods are the methods an endpoint may have, in the order of the Allow header.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// healthPaths are answered whatever the roles of the process are.
var healthPaths = []string{"/healthz", "/readyz", "/metrics"}

// routeRequest finds the handler of a request: configured further paths first, then endpoints, then the authority,
// then the web app. Anything else is answered in the envelope, with 404 or 405.
func (s *server) routeRequest(w http.ResponseWriter, r *http.Request) {
	if s.HealthOnly && !slices.Contains(healthPaths, r.URL.Path) {
		s.writeFailure(w, exchangeOf(r), http.StatusNotFound, "path.not_found", nil)
		return
	}
	if path, ok := s.aliases.resolvePath(r.URL.EscapedPath()); ok {
		r = withPath(r, path)
	}
	if rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/v1/"); ok {
		r = withPath(r, "/v1/"+rest)
	}
	r = s.prepareUploads(w, r)
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
	case s.Web != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !isProgramPath(r.URL.Path):
		x.operation = "web"
		s.Web.ServeHTTP(w, r)
	default:
		s.writeFailure(w, x, http.StatusNotFound, "path.not_found", nil)
	}
}

// isProgramPath reports whether only programs ask for a path, so that one that does not exist is an error and not a screen of the web app.
func isProgramPath(path string) bool {
	return slices.ContainsFunc([]string{"/v1/", "/api/", "/scim/"}, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
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
	return !s.paths[r.URL.Path] || strings.HasSuffix(pattern, " "+r.URL.Path)
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

// pathAlias is a further path of an endpoint. Both paths are split into segments. A segment in braces of the further
// path matches any segment, which is carried over by its name.
type pathAlias struct{ from, to []string }

type pathAliases []pathAlias

// addAliases reads the configured table of further paths. Paths of endpoints take precedence, so a further path may
// be anything outside /v1/.
func (s *server) addAliases(table map[string]string) error {
	// This order puts a fixed segment before one in braces at the same position, since a brace sorts after letters
	// and digits.
	for _, from := range slices.Sorted(maps.Keys(table)) {
		to := s.pinService(table[from])
		if !s.paths[to] {
			return fmt.Errorf("path %q leads to %q, which no endpoint has", from, table[from])
		}
		if !strings.HasPrefix(from, "/") || strings.HasPrefix(from, "/v1/") {
			return fmt.Errorf("path %q: a further path begins with / and not with /v1/", from)
		}
		a := pathAlias{strings.Split(from, "/"), strings.Split(to, "/")}
		if err := a.checkNames(); err != nil {
			return fmt.Errorf("path %q: %w", from, err)
		}
		s.aliases = append(s.aliases, a)
	}
	return nil
}

func (a pathAlias) checkNames() error {
	for _, segment := range a.from {
		if strings.ContainsAny(segment, "{}") && bracedName(segment) == "" {
			return fmt.Errorf("%q is neither a segment nor a name in braces", segment)
		}
	}
	for _, segment := range a.to {
		if n := bracedName(segment); n != "" && n != "service" && !slices.Contains(a.from, segment) {
			return fmt.Errorf("%s is missing", segment)
		}
	}
	return nil
}

// bracedName returns the name of a segment in braces, or an empty string for any other segment.
func bracedName(segment string) string {
	inner, open := strings.CutPrefix(segment, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !open || !closed || strings.ContainsAny(inner, "{}") {
		return ""
	}
	return inner
}

// resolvePath returns the endpoint's path for a further path. Both are escaped.
func (list pathAliases) resolvePath(path string) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	segments := strings.Split(path, "/")
	for _, a := range list {
		if to, ok := a.resolveSegments(segments); ok {
			return to, true
		}
	}
	return "", false
}

func (a pathAlias) resolveSegments(segments []string) (string, bool) {
	if len(segments) != len(a.from) {
		return "", false
	}
	named := map[string]string{"service": "service"} // any value will do when no segment is configured
	for i, segment := range segments {
		switch n := bracedName(a.from[i]); {
		case n != "" && segment != "":
			named[n] = segment
		case segment != a.from[i]:
			return "", false
		}
	}
	to := slices.Clone(a.to)
	for i := range to {
		if n := bracedName(to[i]); n != "" {
			to[i] = named[n]
		}
	}
	return strings.Join(to, "/"), true
}

// serveAuthority serves the paths below /authority/ to programs that validate signatures and have no account.
//
// Timestamps are limited tightly per address: this service takes its own in process, and only other installations
// that are configured to use this authority ask here. OCSP answers are signed one by one and limited generously: a
// reader asks for each certificate of each signature, and many readers may share an address. A reader over the limit
// is answered tryLater and finds the same status in the revocation list.
//
// Revocation lists and certificates are not limited, since a signature cannot be validated without them; they are
// built once and served from memory.
func (s *server) serveAuthority(w http.ResponseWriter, r *http.Request, x *exchange) {
	x.operation = "authority"
	path := r.URL.Path
	switch {
	case path == "/authority/tsa":
		if wait := admitClient(s.timestampRates, x.client, s.Clock()); wait > 0 {
			setRetryAfter(w, wait.Seconds())
			http.Error(w, "too many timestamps from this address; try again later", http.StatusTooManyRequests)
			return
		}
	case path == "/authority/ocsp" || strings.HasPrefix(path, "/authority/ocsp/"):
		if wait := admitClient(s.ocspRates, x.client, s.Clock()); wait > 0 {
			setRetryAfter(w, wait.Seconds())
			w.Header().Set("Content-Type", "application/ocsp-response")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write(ocspTryLater) // if this fails, the client has gone
			return
		}
	}
	ctx, limit, done := newDeadline(r.Context(), s.AnswerTimeout)
	defer done()
	r = r.WithContext(ctx)
	r.Body = timedBody{r.Body, limit}
	s.Authority.ServeHTTP(w, r)
}

// ocspTryLater is an OCSPResponse with the status tryLater, which is not signed (RFC 6960 §2.3, §4.2.1).
var ocspTryLater = []byte{0x30, 0x03, 0x0A, 0x01, 0x03}

func setRetryAfter(w http.ResponseWriter, seconds float64) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(seconds))))
}
