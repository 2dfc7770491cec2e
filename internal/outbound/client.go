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

// Options restrict what may be reached and at what cost. The zero value allows the public internet on ports 80 and 443.
type Options struct {
	Allowed   []netip.Prefix // networks that may be reached although they are not public
	Private   bool           // only those networks may be reached: for what is sent without TLS
	Ports     []uint16       // nil: 80 and 443
	Timeout   time.Duration  // of one request, its redirects and its body; 0 is 30 seconds, of which the response header may take 20
	MaxBody   int64          // bytes of one response; 0 is 64 MiB. A longer one is an error; it is never truncated.
	Redirects int            // maximum of one request; 0 is 3, negative is none

	// Connections is how many connections to one host a client has at the same time, and keeps for the next requests; 0 is 8.
	Connections int

	Resolver *net.Resolver  // nil: the system's
	Roots    *x509.CertPool // for TLS; nil: the system's
}

const (
	defaultTimeout   = 30 * time.Second
	defaultMaxBody   = 64 << 20
	defaultRedirects = 3
	defaultConns     = 8
	defaultHeader    = 20 * time.Second // until the response header
	dialTimeout      = 10 * time.Second // to connect, name resolution included
	maxHeader        = 64 << 10         // bytes
)

// NewDialer returns a dial function with the same restrictions, for protocols other than HTTP. Its network is tcp, tcp4
// or tcp6.
func NewDialer(o Options) func(ctx context.Context, network, address string) (net.Conn, error) {
	ports := o.Ports
	if ports == nil {
		ports = []uint16{80, 443}
	}
	d := &net.Dialer{
		Timeout: dialTimeout, Resolver: o.Resolver,
		// Called for each resolved address just before connecting: the address cannot change between the check and the
		// connection.
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
			if o.Private && checkAddress(to.Addr(), nil) == nil {
				return fmt.Errorf("%w: %s is on the public internet", ErrRefused, to.Addr())
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

// NewClient returns a client whose connections all use [NewDialer]. It keeps no cookies and uses no proxy.
func NewClient(o Options) *http.Client {
	redirects, conns := cmp.Or(o.Redirects, defaultRedirects), cmp.Or(o.Connections, defaultConns)
	return &http.Client{
		Timeout: cmp.Or(o.Timeout, defaultTimeout),
		Transport: &limitedTransport{
			most: cmp.Or(o.MaxBody, defaultMaxBody),
			next: &http.Transport{
				Proxy:                  nil, // see the package comment
				DialContext:            NewDialer(o),
				TLSClientConfig:        &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12},
				TLSHandshakeTimeout:    dialTimeout,
				ResponseHeaderTimeout:  cmp.Or(o.Timeout, defaultHeader), // who knows how long an answer may take says so
				MaxResponseHeaderBytes: maxHeader,
				MaxConnsPerHost:        conns,
				MaxIdleConnsPerHost:    conns, // by default 2, so that most connections would be made again for the next request
				MaxIdleConns:           2 * conns,
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

// removeSecrets removes from a redirected request what only the first host may see. Package net/http sends the full
// previous URL as Referer, which may hold a key, and passes credentials on to subdomains of the first host.
func removeSecrets(r, first *http.Request) {
	r.Header.Del("Referer")
	if r.URL.Host != first.URL.Host {
		r.Header.Del("Authorization")
		r.Header.Del("Cookie")
	}
}
