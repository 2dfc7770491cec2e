package api

import (
	"math"
	"net/http"
	"strconv"
	"strings"
)

// serveAuthority serves what lies below /authority/, for programs that validate signatures anywhere and have no account.
//
// Timestamps are bounded tightly per address: what this service signs takes them in process, and only other installations
// that are set up to use this authority ask here. OCSP answers are signed one by one and bounded generously: a reader asks for
// each certificate of each signature, and many readers may share an address. One that exceeds that is told to try later and
// finds the same in the revocation list.
// Lists and certificates are not bounded, since a signature cannot be validated without them: they are made once and served
// from memory.
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
			_, _ = w.Write(ocspTryLater) // the client went away; there is nobody to tell
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
