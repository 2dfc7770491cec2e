package pgtest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"time"
)

// Fault is how a proxy treats connections.
type Fault int

// The faults.
const (
	Pass    Fault = iota // none
	Refuse               // new connections are refused, open ones are closed
	Reset                // new connections are accepted and reset, open ones are reset
	Swallow              // connections stay open, and no data passes
	Delay                // each piece of data takes Proxy.Slow longer
	// CutCommits holds back the answer to a commit and resets the connection: the client cannot know the outcome.
	CutCommits
)

// Proxy forwards connections between a service and a database, or another server, and injects faults.
type Proxy struct {
	// Slow is the delay of each piece of data under Delay. Set it before the proxy is used.
	Slow time.Duration

	network, upstream string   // of the server
	dsn               *url.URL // nil if it is not a database

	mu       sync.Mutex // guards the fields below
	address  string
	listener net.Listener // nil while connections are refused
	fault    Fault
	changed  chan struct{} // closed when the fault changes
	open     map[net.Conn]bool
	commits  int // number of commits cut so far
	working  sync.WaitGroup
}

// NewProxy listens on a free port and forwards to the database at an address that [Database] or [Serve] returned.
func NewProxy(dsn string) (*Proxy, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, err
	}
	return startProxy(&Proxy{dsn: u, network: "unix", upstream: u.Query().Get("host") + "/.s.PGSQL.5432"})
}

// NewTCPProxy listens on a free port and forwards to a server at an address, host:port.
func NewTCPProxy(upstream string) (*Proxy, error) {
	return startProxy(&Proxy{network: "tcp", upstream: upstream})
}

func startProxy(p *Proxy) (*Proxy, error) {
	p.changed, p.open, p.address = make(chan struct{}), map[net.Conn]bool{}, "127.0.0.1:0"
	if err := p.startListening(); err != nil {
		return nil, err
	}
	return p, nil
}

// Address returns host:port of the proxy.
func (p *Proxy) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.address
}

// DSN returns the address of the database through the proxy.
func (p *Proxy) DSN() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := *p.dsn
	u.Host, u.RawQuery = p.address, "sslmode=disable"
	return u.String()
}

func (p *Proxy) startListening() error {
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		return err
	}
	p.listener, p.address = l, l.Addr().String()
	p.working.Go(func() { p.acceptConns(l) })
	return nil
}

// Set starts a fault, also for open connections.
func (p *Proxy) Set(f Fault) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	close(p.changed)
	p.changed = make(chan struct{})
	if f == Refuse || f == Reset {
		for c := range p.open {
			closeConn(c, f == Reset)
		}
	}
	if f == Refuse && p.listener != nil {
		l := p.listener
		p.listener = nil
		return l.Close()
	}
	if f != Refuse && p.listener == nil {
		return p.startListening()
	}
	return nil
}

// Commits returns the number of commits that were cut.
func (p *Proxy) Commits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits
}

// Close closes the proxy and all its connections.
func (p *Proxy) Close() error {
	err := p.Set(Refuse)
	p.working.Wait()
	return err
}

func (p *Proxy) currentFault() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.changed
}

func (p *Proxy) acceptConns(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return // closed
		}
		if f, _ := p.currentFault(); f == Reset {
			closeConn(c, true)
			continue
		}
		p.working.Go(func() { p.serveConn(c) })
	}
}

func (p *Proxy) serveConn(client net.Conn) {
	defer client.Close()
	server, err := net.Dial(p.network, p.upstream)
	if err != nil {
		closeConn(client, true)
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.open[client], p.open[server] = true, true
	refused := p.fault == Refuse
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, client)
		delete(p.open, server)
	}()
	if refused {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.copyPieces(server, client, true); server.Close(); client.Close() })
	both.Go(func() { p.copyPieces(client, server, false); client.Close(); server.Close() })
	both.Wait()
}

// copyPieces forwards data according to the present fault.
func (p *Proxy) copyPieces(to, from net.Conn, request bool) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 && !p.passPiece(to, piece[:n], request) {
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) passPiece(to net.Conn, piece []byte, request bool) bool {
	for {
		fault, changed := p.currentFault()
		switch fault {
		case Swallow:
			<-changed // data that was held back passes when the fault ends, like retransmitted packets
			continue
		case Delay:
			wait := time.NewTimer(p.Slow)
			select {
			case <-wait.C:
			case <-changed:
			}
			wait.Stop()
		case CutCommits:
			// The tag of the answer: the request names a prepared statement, and may contain others.
			if !request && bytes.Contains(piece, []byte("COMMIT\x00")) {
				p.mu.Lock()
				p.commits++
				p.mu.Unlock()
				closeConn(to, true)
				return false
			}
		case Refuse, Reset:
			return false
		}
		_, err := to.Write(piece)
		return err == nil
	}
}

// closeConn closes a connection, abruptly if it is to be reset.
func closeConn(c net.Conn, reset bool) {
	if t, ok := c.(*net.TCPConn); ok && reset {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
