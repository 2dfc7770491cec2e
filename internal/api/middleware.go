package api

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"segel/internal/admission"
	"segel/internal/contract"
	"segel/internal/text"
	"segel/internal/tracing"
)

// observeRequests is the outermost layer: it assigns the request ID, logs and counts the request, and turns a panic
// into a 500.
//
// The log contains no query, header or body, because these may contain secrets.
func (s *server) observeRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.Clock()
		x := &exchange{id: requestID(r, s.Random), language: text.ChooseLanguage(r.Header.Get("Accept-Language")), client: clientAddress(r, s.Proxies), operation: "none"}
		ctx, span := s.beginSpan(r, x)
		r = r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
		seen := &responseRecorder{ResponseWriter: w}
		seen.Header().Set("X-Request-Id", x.id)
		s.metrics.running.Inc()
		defer s.metrics.running.Dec()
		defer s.limitStandstill(seen, r)()
		defer func() {
			p, begun := recover(), seen.status != 0
			if p == http.ErrAbortHandler {
				endSpan(span, x, 0)
				panic(p) // the handler cuts the connection; net/http must see this panic
			}
			if p != nil {
				s.Log.ErrorContext(r.Context(), "panic", "operation", x.operation, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if !begun {
					s.writeFailure(seen, x, http.StatusInternalServerError, "server.error", nil)
				}
			}
			took := s.Clock().Sub(began)
			s.metrics.observeRequest(x.operation, seen.statusCode(), took)
			endSpan(span, x, seen.statusCode())
			s.logRequest(r, x, seen, took)
			if p != nil && begun {
				panic(http.ErrAbortHandler) // cut the connection, so that no client takes the part that was sent for the whole
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// beginSpan begins the span of a request in the trace of the caller, or in a new one, and returns the context of what the request does. Probes
// have no spans.
func (s *server) beginSpan(r *http.Request, x *exchange) (context.Context, trace.Span) {
	ctx := tracing.WithRequest(r.Context(), x.id)
	switch r.URL.Path {
	case "/healthz", "/readyz", "/metrics":
		return ctx, trace.SpanFromContext(ctx)
	}
	return s.Tracer.Start(tracing.WithTraceparent(ctx, r.Header.Get("Traceparent")), "request", trace.WithSpanKind(trace.SpanKindServer))
}

// endSpan ends the span of a request with the status of its answer; 0: the connection was cut. Its path and its caller stay out of it.
func endSpan(span trace.Span, x *exchange, status int) {
	if !span.IsRecording() {
		return
	}
	span.SetName(x.operation)
	span.SetAttributes(attribute.String("segel.operation", x.operation), attribute.String("segel.request_id", x.id), attribute.Int("http.response.status_code", status))
	if status == 0 || status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

func (s *server) logRequest(r *http.Request, x *exchange, seen *responseRecorder, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case seen.statusCode() >= 500 && r.Context().Err() == nil:
		level = slog.LevelError
	case x.operation == "health", x.operation == "ready", x.operation == "metrics":
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("operation", x.operation),
		slog.Int("status", seen.statusCode()), slog.Int64("bytes", seen.bytes), slog.Duration("took", took), slog.String("client", x.client),
	}
	if x.actor != "" {
		attrs = append(attrs, slog.String("actor", string(x.actor)))
	}
	if x.cause != nil {
		attrs = append(attrs, slog.String("error", x.cause.Error()))
	}
	s.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// responseRecorder records the status and size of an answer.
type responseRecorder struct {
	http.ResponseWriter
	status int // 0: nothing is written yet
	bytes  int64

	control   *http.ResponseController
	allowance admission.Allowance // for the client to take what is written
	isStream  bool                // it is a stream of HTTP/2, of which a connection has several
}

func (w *responseRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives [http.ResponseController] access to the underlying writer.
func (w *responseRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *responseRecorder) statusCode() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// guardRequests sets the headers that restrict what browsers do with an answer, answers other origins as configured,
// and limits the rate of requests of one client.
func (s *server) guardRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "SAMEORIGIN")
		if strings.HasPrefix(s.PublicURL, "https://") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if s.answerPreflight(w, r) {
			return
		}
		x := exchangeOf(r)
		if wait := admitClient(s.requestRates, x.client, s.Clock()); wait > 0 {
			s.writeError(w, r, tooManyRequests(wait))
			return
		}
		if err := s.requireClock(r); err != nil {
			s.writeError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireClock refuses what would record or sign a wrong time. Reading goes on.
func (s *server) requireClock(r *http.Request) error {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
	if reads && !strings.HasPrefix(r.URL.Path, "/authority/") {
		return nil
	}
	return s.checkClock()
}

// checkClock returns an error while the clock of this process disagrees with that of the processes with which it shares the database.
func (s *server) checkClock() error {
	if s.Process == nil {
		return nil
	}
	return s.Process.CheckClock()
}

// answerPreflight sets the CORS headers and answers a preflight request. Cookies never cross origins: tokens travel
// in headers, which pages of allowed origins set.
func (s *server) answerPreflight(w http.ResponseWriter, r *http.Request) bool {
	if len(s.Origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	all := slices.Contains(s.Origins, "*")
	if origin == "" || !all && !slices.Contains(s.Origins, origin) {
		return false
	}
	if all {
		origin = "*"
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Content-Disposition, ETag, Retry-After, X-Request-Id, Idempotent-Replayed, Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, Upload-Expires")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
	h.Set("Access-Control-Allow-Headers", "Accept-Language, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Range, Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, X-Access-Token, X-HTTP-Method-Override, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

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

var safeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`) })

// requestID returns the identifier that a proxy set, if it is harmless, or a random one.
func requestID(r *http.Request, random io.Reader) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && safeID().MatchString(id) {
		return id
	}
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "unnamed" // it only labels the request, so the request is not refused
	}
	return hex.EncodeToString(b[:])
}
