package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A service that is told to stop is not ready at once, but serves until the listener closes.
func TestServiceIsNotReadyBeforeItsListenerCloses(t *testing.T) {
	t.Parallel()
	const drain = 2 * time.Second
	p, err := launch(filepath.Join(t.TempDir(), "data"), "SEGEL_DRAIN_WAIT="+drain.String())
	if err != nil {
		t.Fatal(err)
	}
	owner := p.login(t, p.email, p.password)
	owner.do("GET", "/readyz", nil).ok()
	stream, err := http.NewRequest("GET", p.url+documentPath+fmt.Sprint("events/", owner.upload(simple())), nil)
	if err != nil {
		t.Fatal(err)
	}
	stream.Header.Set("x-access-token", owner.token)
	watched, err := http.DefaultClient.Do(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Body.Close()
	told := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for owner.do("GET", "/readyz", nil).status == http.StatusOK {
	}
	if took := time.Since(told); took > drain {
		t.Errorf("it was ready for %v more", took)
	}
	owner.do("GET", "/healthz", nil).ok()
	owner.upload(simple())
	// A stream ends at once: the browser reconnects, to another process.
	if _, err := io.Copy(io.Discard, watched.Body); err != nil {
		t.Errorf("the stream of events: %v", err)
	}
	if took := time.Since(told); took > drain {
		t.Errorf("the stream went on for %v", took)
	}
	_, _ = io.Copy(io.Discard, p.out)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &p.stderr)
	}
	if took := time.Since(told); took < drain {
		t.Errorf("it ended after %v", took)
	}
}

// A request in progress gets all of the wait to finish, and no more.
func TestRequestsGetTheShutdownWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wait  time.Duration
		whole bool
	}{{30 * time.Second, true}, {time.Second, false}} {
		t.Run(c.wait.String(), func(t *testing.T) {
			t.Parallel()
			p, err := launch(filepath.Join(t.TempDir(), "data"), "SEGEL_SHUTDOWN_WAIT="+c.wait.String())
			if err != nil {
				t.Fatal(err)
			}
			owner := p.login(t, p.email, p.password)
			body := `{"email":"` + p.email + `","password":"` + p.password + `"}`
			conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST /v1/auth/login HTTP/1.1\r\nHost: segel\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
			answer := bufio.NewReader(conn)
			if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
				t.Fatal(line, err)
			}
			told := time.Now()
			if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			for { // until the listener is closed
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				r, err := http.NewRequestWithContext(ctx, "GET", owner.url+"/healthz", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Close = true
				a, err := http.DefaultClient.Do(r)
				cancel()
				if errors.Is(err, syscall.ECONNREFUSED) {
					break
				}
				if err == nil {
					a.Body.Close()
				}
			}
			if c.whole {
				fmt.Fprint(conn, body)
				_, _ = answer.ReadString('\n') // the end of the 100
				a, err := http.ReadResponse(answer, nil)
				if err != nil || a.StatusCode != http.StatusOK {
					t.Errorf("a request that has begun: %v, %v", a, err)
				}
			}
			_, _ = io.Copy(io.Discard, p.out)
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, &p.stderr)
			}
			if took := time.Since(told); took > 15*time.Second || !c.whole && took < c.wait {
				t.Errorf("it ended after %v", took)
			}
		})
	}
}
