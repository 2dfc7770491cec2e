package pgtest

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"time"
)

// Fault is what a proxy does to connections.
type Fault int

// The faults.
const (
	Pass    Fault = iota // none
	Refuse               // new connections are refused, those that are open are closed
	Reset                // new connections are accepted and reset, those that are open are reset
	Swallow              // connections stay, and nothing goes through
	Delay                // everything takes Proxy.Slow longer
	// CutCommits passes a commit on and resets the connection before the answer arrives: the client cannot know what became of it.
	CutCommits
)

// Proxy stands between a service and a database, and misbehaves on demand.
type Proxy struct {
	// Slow is how long each piece is held up by Delay. Set before the proxy is used.
	Slow time.Duration

	network, upstream string // of the database
	dsn               *url.URL

	mu       sync.Mutex // guards all below
	address  string
	listener net.Listener // nil while connections are refused
	fault    Fault
	changed  chan struct{} // closed when the fault changes
	open     map[net.Conn]bool
	commits  int // cut so far
	working  sync.WaitGroup
}

// NewProxy listens on a free port, in front of the database of an address as [Database] or [Serve] return it.
func NewProxy(dsn string) (*Proxy, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, err
	}
	p := &Proxy{dsn: u, network: "unix", upstream: u.Query().Get("host") + "/.s.PGSQL.5432", changed: make(chan struct{}), open: map[net.Conn]bool{}, address: "127.0.0.1:0"}
	if err := p.startListening(); err != nil {
		return nil, err
	}
	return p, nil
}

// DSN is the address of the database through the proxy.
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

// Set begins a fault, for open connections too.
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

// Commits returns how many commits were cut.
func (p *Proxy) Commits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.commits
}

// Close ends it with all connections.
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
	link := &proxiedConn{proxy: p}
	both.Go(func() { link.copyPieces(server, client, true); server.Close(); client.Close() })
	both.Go(func() { link.copyPieces(client, server, false); client.Close(); server.Close() })
	both.Wait()
}

// proxiedConn is one connection through the proxy.
type proxiedConn struct {
	proxy *Proxy

	mu         sync.Mutex
	committing bool // a commit was passed on whose answer is to be cut
}

// copyPieces passes pieces on as the fault of the moment has it.
func (k *proxiedConn) copyPieces(to, from net.Conn, request bool) {
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if n > 0 && !k.passPiece(to, piece[:n], request) {
			return
		}
		if err != nil {
			return
		}
	}
}

func (k *proxiedConn) passPiece(to net.Conn, piece []byte, request bool) bool {
	p := k.proxy
	for {
		fault, changed := p.currentFault()
		switch fault {
		case Swallow:
			<-changed // what was held up goes through when the fault ends, as packets that are sent again do
			continue
		case Delay:
			wait := time.NewTimer(p.Slow)
			select {
			case <-wait.C:
			case <-changed:
			}
			wait.Stop()
		case CutCommits:
			k.mu.Lock()
			if request && bytes.Contains(bytes.ToLower(piece), []byte("commit")) {
				k.committing = true
			}
			cut := !request && k.committing
			k.mu.Unlock()
			if cut {
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
