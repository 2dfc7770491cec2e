package running

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Balancer forwards requests to the nodes of a service in turn, and leaves out those that are not ready. It is what a proxy in front of
// several nodes has to do, and no more.
type Balancer struct {
	URL string

	nodes   []*balancedNode
	turns   atomic.Uint64
	server  *http.Server
	stop    context.CancelFunc
	working sync.WaitGroup
}

type balancedNode struct {
	url   *url.URL
	ready atomic.Bool
}

// A node is asked every probeEvery whether it is ready, and is left out if it does not say so within probeWithin.
const (
	probeEvery  = 500 * time.Millisecond
	probeWithin = 2 * time.Second
)

// NewBalancer listens on an address and forwards to nodes, each of which is an http address. Close ends it.
func NewBalancer(listen string, nodes ...string) (*Balancer, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	b := &Balancer{URL: "http://" + l.Addr().String()}
	for _, n := range nodes {
		u, err := url.Parse(n)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		node := &balancedNode{url: u}
		node.ready.Store(true)
		b.nodes = append(b.nodes, node)
	}
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	for _, n := range b.nodes {
		b.working.Go(func() { n.probe(ctx) })
	}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetXForwarded() },
		Transport:     b,
		FlushInterval: -1, // events are sent on as they come
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	b.server = &http.Server{Handler: forward, ReadHeaderTimeout: 10 * time.Second}
	b.working.Go(func() { _ = b.server.Serve(l) }) // Close ends it
	return b, nil
}

// Close closes all connections.
func (b *Balancer) Close() {
	b.stop()
	_ = b.server.Close()
	b.working.Wait()
}

// probe asks a node whether it is ready until ctx ends.
func (n *balancedNode) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		n.ready.Store(n.isReady(ctx))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (n *balancedNode) isReady(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url.JoinPath("/readyz").String(), nil)
	if err != nil {
		return false
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	_, _ = io.Copy(io.Discard, a.Body) // so that the connection is used again
	return a.StatusCode == http.StatusOK
}

// RoundTrip sends a request to the next node that is ready, or that takes a connection if none is. A node that takes none has seen nothing of
// the request, so that it goes to the next one; a request that was cut off does not, because it may have been carried out.
func (b *Balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
		r.Body = io.NopCloser(r.Body) // a transport closes the body although it did not connect
	}
	first := b.turns.Add(1)
	var all []error
	for _, onlyReady := range []bool{true, false} {
		for i := range b.nodes {
			n := b.nodes[(first+uint64(i))%uint64(len(b.nodes))]
			if n.ready.Load() != onlyReady {
				continue
			}
			r.URL.Scheme, r.URL.Host = n.url.Scheme, n.url.Host
			a, err := http.DefaultTransport.RoundTrip(r)
			var dial *net.OpError
			if err == nil || !errors.As(err, &dial) || dial.Op != "dial" {
				return a, err
			}
			n.ready.Store(false)
			all = append(all, err)
		}
	}
	return nil, errors.Join(all...)
}
