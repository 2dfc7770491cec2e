package https

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// Served is the certificate that connections get. It is replaced as a whole; connections keep the one that they began with.
type Served struct {
	current atomic.Pointer[tls.Certificate] // nil: there is none yet; with Leaf
}

// errNoCertificate ends handshakes before the first certificate.
var errNoCertificate = errors.New("there is no certificate yet")

func (s *Served) currentCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c := s.current.Load(); c != nil {
		return c, nil
	}
	return nil, errNoCertificate
}

// NotAfter returns when the certificate expires; the zero time if there is none.
func (s *Served) NotAfter() time.Time {
	if c := s.current.Load(); c != nil {
		return c.Leaf.NotAfter
	}
	return time.Time{}
}

// expiresSoon reports whether less than a fifth of the lifetime of a certificate is left: 18 days of 90. Renewal by ACME is due
// at a third, so this is after it has failed for days.
func expiresSoon(c *tls.Certificate, now time.Time) bool {
	lifetime := c.Leaf.NotAfter.Sub(c.Leaf.NotBefore)
	return c.Leaf.NotAfter.Sub(now) < lifetime/5
}

// warnOfExpiry logs that the certificate expires soon, or has expired.
func (s *Served) warnOfExpiry(ctx context.Context, log *slog.Logger, now time.Time) {
	c := s.current.Load()
	switch {
	case c == nil:
	case !now.Before(c.Leaf.NotAfter):
		log.ErrorContext(ctx, "the TLS certificate has expired", "not_after", c.Leaf.NotAfter)
	case expiresSoon(c, now):
		log.WarnContext(ctx, "the TLS certificate expires soon", "not_after", c.Leaf.NotAfter)
	}
}

// newTLSConfig returns the configuration of a listener. What is not set has the defaults of package crypto/tls, which follow what is
// considered safe at the time of the release of Go.
func newTLSConfig(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), more ...string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: get, NextProtos: append([]string{"h2", "http/1.1"}, more...)}
}

// Bounds of a connection of HTTP/2. A client that takes nothing from the connection, or has gone without a word, is cut off like one of
// HTTP/1.1; the api bounds how slowly a single stream may be taken.
const (
	standstill  = 30 * time.Second
	pingAfter   = time.Minute
	pingTimeout = 15 * time.Second
	maxStreams  = 128
)

// LimitHTTP2 sets the bounds of HTTP/2 connections of a server.
func LimitHTTP2(s *http.Server) { limitHTTP2(s, standstill) }

func limitHTTP2(s *http.Server, standstill time.Duration) {
	s.HTTP2 = &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams, WriteByteTimeout: standstill, SendPingTimeout: pingAfter, PingTimeout: pingTimeout,
	}
}
