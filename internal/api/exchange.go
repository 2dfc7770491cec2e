package api

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"

	"segel/internal/contract"
	"segel/internal/text"
)

// exchange is what is known about a request from its start to its end.
type exchange struct {
	id        string // request ID, in the answer and in the log
	language  text.Language
	client    string // address of the client
	operation string // for metrics and the log
	actor     contract.PersonID
	cause     error // the cause of a 500, for the log
	sending   bool  // the first bytes of a file were sent: it is too late to refuse
}

type exchangeKey struct{}

// exchangeOf returns the request's exchange, which [server.observeRequests] created.
func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return &exchange{language: text.Indonesian}
	}
	return x
}

func (s *server) newExchange(r *http.Request) (*http.Request, *exchange) {
	x := &exchange{id: requestID(r, s.Random), language: text.ChooseLanguage(r.Header.Get("Accept-Language")), client: clientAddress(r, s.Proxies), operation: "none"}
	return r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)), x
}

var safeID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// requestID returns the identifier that a proxy set, if it is harmless, or a random one.
func requestID(r *http.Request, random io.Reader) string {
	if id := r.Header.Get("X-Request-Id"); safeID.MatchString(id) {
		return id
	}
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "unnamed" // it only labels the request, so the request is not refused
	}
	return hex.EncodeToString(b[:])
}
