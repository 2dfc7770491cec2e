package https

import (
	"net/http"
	"net/url"
	"strings"
)

// Redirect answers each request with a redirect to the same path and query at the scheme and host of an address, such as
// https://segel.example.com. The Host of the request is not used: a redirect leads nowhere else. Clients repeat the request with its
// method and body (308).
func Redirect(to *url.URL) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := to.Scheme + "://" + to.Host + "/" + strings.TrimPrefix(r.URL.EscapedPath(), "/")
		if r.URL.RawQuery != "" {
			target += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", target)
		w.WriteHeader(http.StatusPermanentRedirect)
	})
}
