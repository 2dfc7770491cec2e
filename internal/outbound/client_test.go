package outbound

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var here = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// startServer starts a server on 127.0.0.1 and returns its address and port.
func startServer(t *testing.T, h http.HandlerFunc) (*url.URL, uint16) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return u, uint16(port)
}

// fetchBody returns the body of a response.
func fetchBody(t *testing.T, c *http.Client, address string) (string, error) {
	t.Helper()
	t.Cleanup(c.CloseIdleConnections)
	a, err := c.Get(address)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	return string(b), err
}

func TestThisMachineIsReachedOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	_, port := startServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "rahasia") })
	for name, c := range map[string]struct {
		o  Options
		ok bool
	}{
		"by default":             {Options{Ports: []uint16{port}}, false},
		"another network":        {Options{Ports: []uint16{port}, Allowed: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, false},
		"allowed":                {Options{Ports: []uint16{port}, Allowed: here}, true},
		"allowed, another port":  {Options{Ports: []uint16{port + 1}, Allowed: here}, false},
		"allowed, default ports": {Options{Allowed: here}, false},
	} {
		for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"} {
			body, err := fetchBody(t, NewClient(c.o), fmt.Sprintf("http://%s:%d/", host, port))
			if !c.ok && err == nil {
				t.Errorf("%s: %s was reached", name, host)
			}
			if c.ok && host == "127.0.0.1" && (err != nil || body != "rahasia") {
				t.Errorf("%s: %s: %v", name, host, err)
			}
		}
	}
}

func TestOnlyPrivateNetworksAreReachedWithoutTLSIfSoConfigured(t *testing.T) {
	t.Parallel()
	_, port := startServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	c := NewClient(Options{Ports: []uint16{port}, Allowed: here, Private: true, Resolver: newResolver(t, func(string) net.IP { return net.ParseIP("8.8.8.8") })})
	if body, err := fetchBody(t, c, fmt.Sprintf("http://127.0.0.1:%d/", port)); body != "ok" {
		t.Errorf("a private network: %v", err)
	}
	if _, err := fetchBody(t, c, fmt.Sprintf("http://s3.segel.test:%d/", port)); !errors.Is(err, ErrRefused) {
		t.Errorf("a name that leads to a public address: %v", err)
	}
}

func TestNameIsCheckedByItsAddressEachTime(t *testing.T) {
	t.Parallel()
	_, port := startServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	var lead atomic.Value
	lead.Store("10.1.2.3")
	o := Options{Ports: []uint16{port}, Allowed: here, Resolver: newResolver(t, func(string) net.IP { return net.ParseIP(lead.Load().(string)) })}
	address := fmt.Sprintf("http://tsa.segel.test:%d/", port)
	if _, err := fetchBody(t, NewClient(o), address); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "10.1.2.3") {
		t.Errorf("a name that leads inside: %v", err)
	}
	lead.Store("127.0.0.1")
	c := NewClient(o)
	if body, err := fetchBody(t, c, address); body != "ok" {
		t.Fatalf("a name that leads to what is allowed: %v", err)
	}
	lead.Store("169.254.169.254")
	c.CloseIdleConnections()
	if _, err := fetchBody(t, c, address); !errors.Is(err, ErrRefused) {
		t.Errorf("the same name, leading elsewhere since: %v", err)
	}
}

func TestNameThatCannotBeResolvedIsNotReached(t *testing.T) {
	t.Parallel()
	none := newResolver(t, func(string) net.IP { return nil })
	dead := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no name server") }}
	for name, r := range map[string]*net.Resolver{"no such name": none, "no name server": dead} {
		body, err := fetchBody(t, NewClient(Options{Resolver: r, Timeout: 5 * time.Second}), "http://tsa.segel.test/")
		if err == nil {
			t.Errorf("%s: %q", name, body)
		}
	}
}

func TestRedirectIsCheckedLikeTheFirstRequest(t *testing.T) {
	t.Parallel()
	var to string
	u, port := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			_, _ = io.WriteString(w, "ok")
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	o := Options{Ports: []uint16{port}, Allowed: here}
	for _, c := range []struct{ name, to, says string }{
		{"to the same machine", "/end", ""},
		{"to another address of this machine", fmt.Sprintf("http://127.0.0.2:%d/end", port), "127.0.0.2"},
		{"to the cloud's secrets", fmt.Sprintf("http://169.254.169.254:%d/", port), "169.254.169.254"},
		{"to another port", "http://127.0.0.1:22/", "port 22"},
		{"to a file", "file:///etc/passwd", "scheme"},
		{"to another protocol", "gopher://127.0.0.1/", "scheme"},
		{"in a circle", "/again", "more than 3"},
	} {
		to = c.to
		body, err := fetchBody(t, NewClient(o), u.String())
		if c.says == "" && body != "ok" || c.says != "" && (err == nil || !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %q, %v", c.name, body, err)
		}
	}
	to = "/end"
	o.Redirects = -1
	if _, err := fetchBody(t, NewClient(o), u.String()); !errors.Is(err, ErrRefused) {
		t.Errorf("where none is followed: %v", err)
	}
}

func TestAnswerIsReadUpToItsLimit(t *testing.T) {
	t.Parallel()
	size, stated := 0, false
	u, port := startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		if stated {
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		_, _ = w.Write(make([]byte, size/2))
		_ = http.NewResponseController(w).Flush() // so that the length is not announced
		_, _ = w.Write(make([]byte, size-size/2))
	})
	o := Options{Ports: []uint16{port}, Allowed: here, MaxBody: 1000}
	for _, size = range []int{0, 999, 1000, 1001, 100_000} {
		for _, stated = range []bool{true, false} {
			body, err := fetchBody(t, NewClient(o), u.String())
			if fits := size <= 1000; fits && (err != nil || len(body) != size) || !fits && (!errors.Is(err, ErrTooLong) || len(body) > 1000) {
				t.Errorf("%d bytes, length stated %t: %d read, %v", size, stated, len(body), err)
			}
		}
	}
}

func TestConnectionsAreKeptForAsManyRequestsAsAreMadeAtTheSameTime(t *testing.T) {
	t.Parallel()
	const requests = 12
	var made atomic.Int64
	var working sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		working.Done()
		working.Wait() // until all requests of a round are here
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			made.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	port := netip.MustParseAddrPort(server.Listener.Addr().String()).Port()
	c := NewClient(Options{Ports: []uint16{port}, Allowed: here, Connections: requests})
	t.Cleanup(c.CloseIdleConnections)
	for range 5 {
		working.Add(requests)
		var round sync.WaitGroup
		for range requests {
			round.Go(func() {
				a, err := c.Get(server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, a.Body)
				if err := errors.Join(err, a.Body.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		round.Wait()
	}
	// A request that finds all connections at work begins to make one, and may get one that became free meanwhile: two at most for each.
	if n := made.Load(); n > 2*requests {
		t.Errorf("%d connections for %d requests at the same time", n, requests)
	}
}

func TestResponseHeaderMayTakeAsLongAsTheRequest(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{0: 20 * time.Second, 2 * time.Minute: 2 * time.Minute, time.Second: time.Second} {
		if got := NewClient(Options{Timeout: timeout}).Transport.(*limitedTransport).next.ResponseHeaderTimeout; got != want {
			t.Errorf("with a limit of %v the response header may take %v, not %v", timeout, got, want)
		}
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	used := false
	proxy, _ := startServer(t, func(http.ResponseWriter, *http.Request) { used = true })
	u, port := startServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, proxy.String())
	}
	if body, err := fetchBody(t, NewClient(Options{Ports: []uint16{port}, Allowed: here}), u.String()); body != "ok" || used {
		t.Errorf("%q, %v, proxy used %t", body, err, used)
	}
}

func TestOnlyTCPIsSpoken(t *testing.T) {
	t.Parallel()
	dial := NewDialer(Options{Allowed: here, Ports: []uint16{53}})
	for _, network := range []string{"udp", "unix", "ip4:icmp", ""} {
		if c, err := dial(t.Context(), network, "127.0.0.1:53"); !errors.Is(err, ErrRefused) || c != nil {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// newResolver answers every query for an IPv4 address itself.
func newResolver(t *testing.T, answer func(name string) net.IP) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := make([]byte, 512); ; {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(buildDNSReply(b[:n], answer("")), from)
		}
	}()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// buildDNSReply builds a DNS message that answers a query: with one address for IPv4, else with none.
func buildDNSReply(question []byte, ip net.IP) []byte {
	end := 12
	for end < len(question) && question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the root label, type and class
	b := append([]byte{}, question[:end]...)
	b[2], b[3] = 0x84|b[2]&1, 0x80
	four := ip.To4()
	isA := binary.BigEndian.Uint16(question[end-4:]) == 1
	binary.BigEndian.PutUint16(b[6:], 0)
	binary.BigEndian.PutUint16(b[8:], 0)
	binary.BigEndian.PutUint16(b[10:], 0)
	switch {
	case four == nil:
		b[3] |= 3 // no such name
	case isA:
		binary.BigEndian.PutUint16(b[6:], 1)
		b = append(b, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		b = append(b, four...)
	}
	return b
}

// TestRedirectRevealsNoSecrets requests an address that contains a key, with credentials, and is redirected to a host
// below the same name.
func TestRedirectRevealsNoSecrets(t *testing.T) {
	t.Parallel()
	heads := make(chan http.Header, 1)
	_, port := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "http://other.segel.test"+r.Host[strings.LastIndex(r.Host, ":"):]+"/next", http.StatusTemporaryRedirect)
			return
		}
		heads <- r.Header
	})
	o := Options{Ports: []uint16{port}, Allowed: here, Resolver: newResolver(t, func(string) net.IP { return net.IPv4(127, 0, 0, 1) })}
	c := NewClient(o)
	t.Cleanup(c.CloseIdleConnections)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://segel.test:%d/?key=rahasia", port), strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("segel", "rahasia")
	a, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Body.Close(); err != nil {
		t.Fatal(err)
	}
	head := <-heads
	for _, k := range []string{"Referer", "Authorization"} {
		if v := head.Get(k); v != "" {
			t.Errorf("%s was told %q", k, v)
		}
	}
}
