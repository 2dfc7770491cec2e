package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"segel/internal/https/httpstest"
)

// supervised starts the program as systemd does: with sockets that it inherits, and an address for its states.
type supervised struct {
	t       *testing.T
	states  *net.UnixConn
	sockets []*os.File
	names   []string
}

func newSupervised(t *testing.T) *supervised {
	t.Helper()
	states, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = states.Close() })
	return &supervised{t: t, states: states}
}

// socket listens for the program and returns the address.
func (s *supervised) socket(name string) string {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _, _ = l.Close(), f.Close() })
	s.sockets, s.names = append(s.sockets, f), append(s.names, name)
	return l.Addr().String()
}

// launch starts the program. Its process identifier is known only to itself, so a shell sets LISTEN_PID and becomes it.
func (s *supervised) launch(env ...string) *process {
	s.t.Helper()
	fds := map[int]string{1: "1", 2: "2"}[len(s.sockets)]
	env = append(env, "NOTIFY_SOCKET="+s.states.LocalAddr().String(), "LISTEN_FDS="+fds, "LISTEN_FDNAMES="+strings.Join(s.names, ":"))
	p, err := launchAs(newDataFolder(s.t), func(c *exec.Cmd) {
		c.ExtraFiles = s.sockets
		c.Args = append([]string{"bash", "-c", `LISTEN_PID=$$ exec -a segel "$@"`, "bash", c.Path}, c.Args[1:]...)
		c.Path = "/bin/bash"
	}, env...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // if the test ended before it did
	return p
}

// await returns the next state that is none of the watchdog.
func (s *supervised) await() string {
	s.t.Helper()
	if err := s.states.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		s.t.Fatal(err)
	}
	b := make([]byte, 1<<10)
	for {
		n, err := s.states.Read(b)
		if err != nil {
			s.t.Fatal("no further state: ", err)
		}
		if state := string(b[:n]); state != "WATCHDOG=1" {
			return state
		}
	}
}

func TestTheServiceUsesTheSocketsOfSystemdAndTellsItsStates(t *testing.T) {
	t.Parallel()
	ca := httpstest.NewCA(t)
	cert, key := ca.Files("127.0.0.1")
	s := newSupervised(t)
	address, plain := s.socket("segel"), s.socket("http")
	p := s.launch("SEGEL_TLS_CERT="+cert, "SEGEL_TLS_KEY="+key, "SEGEL_PUBLIC_URL=https://segel.example.test")
	if p.url != "https://"+address || !strings.Contains(p.stdout.String(), "redirects http://"+plain) {
		t.Errorf("it does not listen on the sockets %s and %s that it was given: %s", address, plain, &p.stdout)
	}
	if state := s.await(); state != "READY=1" {
		t.Errorf("after the start: %q", state)
	}
	p.http = tlsClient(t, ca.Pool(), 2)
	c := &client{service: p.service, t: t}
	c.do("GET", "/healthz", nil).ok()
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if state := s.await(); !strings.HasPrefix(state, "RELOADING=1\nMONOTONIC_USEC=") {
		t.Errorf("after SIGHUP: %q", state)
	}
	if state := s.await(); state != "READY=1" {
		t.Errorf("after it has read the certificate again: %q", state)
	}
	if err := p.end(); err != nil {
		t.Errorf("%v: %s", err, &p.stderr)
	}
	if state := s.await(); state != "STOPPING=1" {
		t.Errorf("when it is told to stop: %q", state)
	}
	// The socket is still open: a connection waits for the next process.
	waiting, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal("between two processes: ", err)
	}
	_ = waiting.Close()
}

func TestTheWatchdogIsAnsweredAgainAndAgain(t *testing.T) {
	t.Parallel()
	s := newSupervised(t)
	s.socket("segel")
	p := s.launch("WATCHDOG_USEC=200000")
	if err := s.states.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	answers, b := 0, make([]byte, 1<<10)
	for answers < 3 {
		n, err := s.states.Read(b)
		if err != nil {
			t.Fatalf("after %d answers: %v", answers, err)
		}
		if string(b[:n]) == "WATCHDOG=1" {
			answers++
		}
	}
	if err := p.end(); err != nil {
		t.Errorf("%v: %s", err, &p.stderr)
	}
}

// A handler that answers nothing is not healthy, and the watchdog of systemd ends the process.
func TestAHandlerThatRefusesIsNotHealthy(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusInternalServerError: false} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if got := answersHealth(t.Context(), h); got != want {
			t.Errorf("%d: %v", status, got)
		}
	}
	if answersHealth(t.Context(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) {
		t.Error("no answer at all counts")
	}
}
