package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"segel/internal/config"
)

// process is the program at work as a process of its own, with nothing of this test in its memory.
type process struct {
	*service               // of which it has the address and the folder only
	email, password string // printed at the first start; else empty
	cmd             *exec.Cmd
	stderr          *bytes.Buffer // read once it has ended
}

// serve starts the program on a folder, with further variables in its environment. It ends with the test.
func serve(t *testing.T, data string, env ...string) *process {
	t.Helper()
	p := &process{stderr: &bytes.Buffer{}}
	p.cmd = &exec.Cmd{
		Path: program(t), Args: []string{segel, "serve", "--data", data, "--listen", "127.0.0.1:0"},
		Env: append([]string{"TZ=UTC"}, env...), Stderr: p.stderr,
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have been killed
		if err := p.cmd.Wait(); err != nil && p.cmd.ProcessState.ExitCode() >= 0 {
			t.Errorf("%v: %s", err, p.stderr)
		}
	})
	t.Cleanup(stop)
	p.service = &service{app: &app{conf: config.Config{DataDir: data}}, stop: stop}
	for lines := bufio.NewScanner(out); p.url == "" && lines.Scan(); {
		line := lines.Text()
		if _, err := fmt.Sscanf(line, "first login: %s password: %s", &p.email, &p.password); err == nil {
			p.email = strings.TrimSuffix(p.email, ",")
		}
		if _, url, ok := strings.Cut(line, "listens on "); ok {
			p.url = url
		}
	}
	if p.url == "" {
		stop()
		t.Fatalf("it does not listen: %s", p.stderr)
	}
	return p
}

// login returns the client of somebody whom the process knows.
func (p *process) login(t *testing.T, email, password string) *client {
	t.Helper()
	c := &client{service: p.service, t: t, email: email}
	in := c.do("POST", "/v1/auth/login", object{"email": email, "password": password}).ok().object("data")
	c.token, c.id = in["token"].(string), in["account"].(object)["id"].(string)
	return c
}

// peak returns the most memory that the process has had, in bytes.
func (p *process) peak(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("memory is measured on Linux only:", err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[0] == "VmHWM:" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("the kernel does not tell how much memory the process has had")
	return 0
}
