package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"segel/internal/config"
)

// process is the program as a separate process, which shares no memory with the test.
type process struct {
	*service               // which has only the address and the folder
	email, password string // of the first login, after the first start; else empty
	cmd             *exec.Cmd
	out             *bufio.Reader
	stdout, stderr  bytes.Buffer // complete once it has ended
}

// launch starts the service on a folder, with additional environment variables, and waits for its address.
func launch(data string, env ...string) (*process, error) {
	return launchAs(data, func(*exec.Cmd) {}, env...)
}

// launchListening is launch with the address of SEGEL_LISTEN.
func launchListening(data string, env ...string) (*process, error) {
	return launchAs(data, func(c *exec.Cmd) { c.Args = c.Args[:4] }, env...)
}

// launchAs is launch with a command that adjust changes.
func launchAs(data string, adjust func(*exec.Cmd), env ...string) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{service: &service{app: &app{conf: config.Config{DataDir: data}}}}
	p.cmd = &exec.Cmd{
		Path: exe, Args: []string{segel, "serve", "--data", data, "--listen", "127.0.0.1:0"},
		Env: append([]string{"TZ=UTC", "SEGEL_CONVERT=off"}, env...), Stderr: &p.stderr,
	}
	adjust(p.cmd)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(io.TeeReader(out, &p.stdout))
	for p.url == "" {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("it does not listen: %w: %w: %s", err, p.cmd.Wait(), &p.stderr)
		}
		if login, file, ok := strings.Cut(strings.TrimSpace(line), ", password in "); ok {
			p.email = strings.TrimPrefix(login, "first login: ")
			kept, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			p.password, _, _ = strings.Cut(string(kept), "\n")
		}
		if _, url, ok := strings.Cut(line, "listens on "); ok {
			p.url = strings.TrimSpace(url)
		}
	}
	return p, nil
}

// end tells the process to stop and waits until it has.
func (p *process) end() error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, p.out)
	return errors.Join(err, p.cmd.Wait())
}

// serve launches the service for the duration of a test.
func serve(t *testing.T, data string, env ...string) *process {
	t.Helper()
	p, err := launch(data, env...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.end(); err != nil {
			t.Errorf("%v: %s", err, &p.stderr)
		}
	})
	return p
}

// login returns the client of a person with an account in the process.
func (p *process) login(t *testing.T, email, password string) *client {
	t.Helper()
	c := &client{service: p.service, t: t, email: email}
	in := c.do("POST", "/v1/auth/login", object{"email": email, "password": password}).ok().object("data")
	c.token, c.id = in["token"].(string), in["account"].(object)["id"].(string)
	return c
}

// peak returns the peak memory of the process, in bytes.
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
