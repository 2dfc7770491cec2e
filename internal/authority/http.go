package authority

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// urlBuilder builds the authority's URLs from the public address.
type urlBuilder string

func (a urlBuilder) buildURL(path string) string       { return string(a) + "/authority/" + path }
func (a urlBuilder) rootURL() string                   { return a.certificateURL("root") }
func (a urlBuilder) rootCRLURL() string                { return a.crlURL("root") }
func (a urlBuilder) certificateURL(name string) string { return a.buildURL("ca/" + name + ".crt") }
func (a urlBuilder) crlURL(name string) string         { return a.buildURL("crl/" + name + ".crl") }
func (a urlBuilder) ocspURL() string                   { return a.buildURL("ocsp") }
func (a urlBuilder) policiesURL() string               { return a.buildURL("policies.txt") }

// maxOCSP limits a request in bytes; a real one has about a hundred.
const maxOCSP = 8 << 10

// Handler serves everything below /authority/: certificates, CRLs, OCSP (RFC 6960 appendix A) and time stamping (RFC
// 3161 §3.4), each with the status codes of its protocol.
func (a *Authority) Handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /authority/ca/{file}", func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutSuffix(r.PathValue("file"), ".crt")
		of, found := a.findPublished(r.Context(), name)
		if !ok || !found {
			http.NotFound(w, r)
			return
		}
		writeBody(w, "application/pkix-cert", of.cert.Raw)
	})
	m.HandleFunc("GET /authority/crl/{file}", func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutSuffix(r.PathValue("file"), ".crl")
		of, found := a.findPublished(r.Context(), name)
		if !ok || !found {
			http.NotFound(w, r)
			return
		}
		a.serveCRL(w, r, of)
	})
	m.HandleFunc("GET /authority/policies.txt", func(w http.ResponseWriter, _ *http.Request) {
		writeBody(w, "text/plain; charset=utf-8", []byte(policyText()))
	})
	m.HandleFunc("POST /authority/ocsp", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOCSP))
		if err != nil {
			http.Error(w, "the request is too long", http.StatusRequestEntityTooLarge)
			return
		}
		writeBody(w, "application/ocsp-response", a.answerOCSP(r.Context(), body))
	})
	m.Handle("/authority/tsa", a.Timestamper())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Base64 may contain two consecutive slashes, which some clients do not escape; the mux would redirect to a
		// path with one.
		if strings.HasPrefix(r.URL.Path, ocspGet) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			a.serveOCSPGet(w, r)
			return
		}
		m.ServeHTTP(w, r)
	})
}

// ocspGet is the path before a request (RFC 6960 appendix A).
const ocspGet = "/authority/ocsp/"

// serveOCSPGet answers a request in the path: base64, escaped for a URL.
func (a *Authority) serveOCSPGet(w http.ResponseWriter, r *http.Request) {
	text, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), ocspGet))
	if err != nil || len(text) > maxOCSP {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	body, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	writeBody(w, "application/ocsp-response", a.answerOCSP(r.Context(), body))
}

// findPublished returns the root or an issuer by its name in URLs.
func (a *Authority) findPublished(ctx context.Context, name string) (identity, bool) {
	for {
		k := a.keys()
		if name == "root" {
			return k.root, true
		}
		for _, g := range k.listIssuers() {
			if g.name == name {
				return g.id, true
			}
		}
		if !a.refreshAfterMiss(ctx) {
			return identity{}, false
		}
	}
}

func (a *Authority) serveCRL(w http.ResponseWriter, r *http.Request, of identity) {
	der, err := a.currentCRL(r.Context(), of)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "the list cannot be made now", http.StatusServiceUnavailable)
		return
	}
	writeBody(w, "application/pkix-crl", der)
}

func writeBody(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body) // an error means that the client went away
}
