package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Options say what may be reached and at what cost. The zero value is the public internet on ports 80 and 443.
type Options struct {
	Allowed   []netip.Prefix // networks that may be reached though they are not public
	Ports     []uint16       // nil: 80 and 443
	Timeout   time.Duration  // of one request, its redirects and its body; 0 is 30 seconds
	MaxBody   int64          // bytes of one answer; 0 is 64 MiB. What is longer is an error, never cut off.
	Redirects int            // followed by one request; 0 is 3, negative is none

	Resolver *net.Resolver  // nil: the machine's
	Roots    *x509.CertPool // of TLS; nil: the machine's
}

const (
	defaultTimeout   = 30 * time.Second
	defaultMaxBody   = 64 << 20
	defaultRedirects = 3
	dialTimeout      = 10 * time.Second // to connect, names included
	headerTimeout    = 20 * time.Second // to begin an answer
	maxHeader        = 64 << 10         // bytes
)

// NewDialer returns the guarded way to connect, for protocols other than HTTP. Its network is tcp, tcp4 or tcp6.
func NewDialer(o Options) func(ctx context.Context, network, address string) (net.Conn, error) {
	ports := o.Ports
	if ports == nil {
		ports = []uint16{80, 443}
	}
	d := &net.Dialer{
		Timeout: dialTimeout, Resolver: o.Resolver,
		// Called with the address that is about to be connected to, for each that a name has: nobody can give
		// another answer between the check and the connection.
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrRefused, err)
			}
			if network != "tcp4" && network != "tcp6" {
				return fmt.Errorf("%w: network %s", ErrRefused, network)
			}
			if !slices.Contains(ports, to.Port()) {
				return fmt.Errorf("%w: port %d is not allowed", ErrRefused, to.Port())
			}
			return checkAddress(to.Addr(), o.Allowed)
		},
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		switch network {
		case "tcp", "tcp4", "tcp6":
			return d.DialContext(ctx, network, address)
		}
		return nil, fmt.Errorf("%w: network %s", ErrRefused, network)
	}
}

// NewClient returns a client whose every connection goes through [Dialer]. It keeps no cookies and uses no proxy.
func NewClient(o Options) *http.Client {
	redirects := cmp.Or(o.Redirects, defaultRedirects)
	return &http.Client{
		Timeout: cmp.Or(o.Timeout, defaultTimeout),
		Transport: &limitedTransport{
			most: cmp.Or(o.MaxBody, defaultMaxBody),
			next: &http.Transport{
				Proxy:                  nil, // see the package's comment
				DialContext:            NewDialer(o),
				TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout:    dialTimeout,
				ResponseHeaderTimeout:  headerTimeout,
				MaxResponseHeaderBytes: maxHeader,
				MaxConnsPerHost:        8,
				MaxIdleConns:           16,
				IdleConnTimeout:        30 * time.Second,
				DisableCompression:     true, // a small answer stays small
			},
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case len(via) > redirects:
				return fmt.Errorf("%w: more than %d redirects", ErrRefused, max(0, redirects))
			case via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https":
				return fmt.Errorf("%w: a redirect leaves https", ErrRefused)
			}
			removeSecrets(r, via[0])
			return nil
		},
	}
}

// removeSecrets takes from a redirected request what the first address was given in confidence. Package net/http tells
// the next machine the whole address it comes from, which may hold a key, and passes credentials on to every machine
// below the first one's name.
func removeSecrets(r, first *http.Request) {
	r.Header.Del("Referer")
	if r.URL.Host != first.URL.Host {
		r.Header.Del("Authorization")
		r.Header.Del("Cookie")
	}
}
