package api

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"segel/internal/identity"
)

// clientAddress returns the client's address. It reads X-Forwarded-For from its end, only as far as trusted proxies
// wrote it: what stands before that is the client's own claim.
func clientAddress(r *http.Request, proxies []netip.Prefix) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if !isTrustedProxy(host, proxies) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		host = hop
		if !isTrustedProxy(hop, proxies) {
			break
		}
	}
	return host
}

func isTrustedProxy(host string, proxies []netip.Prefix) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// maxClients bounds how many clients are remembered. Above it all are forgotten, which errs in the clients' favour.
const maxClients = 100_000

// clientLimiters keeps one token bucket per client. A rate of zero means unlimited.
type clientLimiters struct {
	rate  float64
	burst int

	mu      sync.Mutex // guards buckets; held only briefly
	buckets map[string]*rate.Limiter
}

// reserveRequest admits one request of a client, or of its IPv6 network, or returns how long it has to wait.
func (l *clientLimiters) reserveRequest(client string, now time.Time) time.Duration {
	if l.rate <= 0 {
		return 0
	}
	reservation := l.clientBucket(identity.Network(client)).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (l *clientLimiters) clientBucket(client string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.buckets) >= maxClients || l.buckets == nil {
		l.buckets = map[string]*rate.Limiter{}
	}
	b := l.buckets[client]
	if b == nil {
		burst := l.burst
		if burst <= 0 {
			burst = int(10*l.rate) + 1
		}
		b = rate.NewLimiter(rate.Limit(l.rate), burst)
		l.buckets[client] = b
	}
	return b
}
