package api

import (
	"math"
	"net/http"
	"strconv"
	"strings"
)

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
		if wait := s.timestampLimiters.reserveRequest(x.client, s.Clock()); wait > 0 {
			setRetryAfter(w, wait.Seconds())
			http.Error(w, "too many timestamps from this address; try again later", http.StatusTooManyRequests)
			return
		}
	case path == "/authority/ocsp" || strings.HasPrefix(path, "/authority/ocsp/"):
		if wait := s.ocspLimiters.reserveRequest(x.client, s.Clock()); wait > 0 {
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
