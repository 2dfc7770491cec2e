package httpstest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Pebble is an ACME server of a test: the program of the same name, which scripts/acmeserver/setup builds. It believes that each host is
// on this machine.
type Pebble struct {
	Directory string // URL
	CA        string // file with the authority of its own certificate
	HTTPPort  int    // that it connects to in place of port 80
	TLSPort   int    // in place of port 443

	client     *http.Client
	management string
}

// StartPebble starts a server that ends with the test. It skips the test if the program was not built, unless SEGEL_REQUIRE_ACME is set.
func StartPebble(t testing.TB) *Pebble {
	t.Helper()
	server, names := findProgram(t, "pebble"), findProgram(t, "pebble-challtestsrv")
	ca := NewCA(t)
	cert, key := ca.Files("127.0.0.1")
	ports := freePorts(t, 6)
	p := &Pebble{
		Directory: fmt.Sprintf("https://127.0.0.1:%d/dir", ports[0]), CA: ca.File(), HTTPPort: ports[1], TLSPort: ports[2],
		client:     &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.Pool()}, DisableKeepAlives: true}},
		management: fmt.Sprintf("https://127.0.0.1:%d", ports[3]),
	}
	conf, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": fmt.Sprint("127.0.0.1:", ports[0]), "managementListenAddress": fmt.Sprint("127.0.0.1:", ports[3]), "certificate": cert, "privateKey": key,
		"httpPort": p.HTTPPort, "tlsPort": p.TLSPort, "keyAlgorithm": "ecdsa", "retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles": map[string]any{"default": map[string]any{"description": "of a test", "validityPeriod": 90 * 24 * 3600}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pebble.json")
	if err := os.WriteFile(file, conf, 0o600); err != nil {
		t.Fatal(err)
	}
	resolver := fmt.Sprint("127.0.0.1:", ports[4])
	runProgram(t, names, "-dnsserver", resolver, "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", fmt.Sprint("127.0.0.1:", ports[5]))
	output := runProgram(t, server, "-config", file, "-dnsserver", resolver)
	for end := time.Now().Add(20 * time.Second); ; {
		if _, err = p.fetch(p.Directory); err == nil {
			return p
		}
		if time.Now().After(end) {
			t.Fatalf("the ACME server does not start: %v: %s", err, output)
		}
	}
}

// Roots returns the authority that issues its certificates.
func (p *Pebble) Roots(t testing.TB) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	root, err := p.fetch(p.management + "/roots/0")
	if err != nil || !pool.AppendCertsFromPEM(root) {
		t.Fatalf("root of the ACME server: %v", err)
	}
	return pool
}

func (p *Pebble) fetch(address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	a, err := p.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return nil, errors.New(a.Status)
	}
	return io.ReadAll(a.Body)
}

// findProgram finds a program in the build folder above the package under test.
func findProgram(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			program := filepath.Join(dir, "build", name)
			if _, err := os.Stat(program); err == nil {
				return program
			}
			break
		}
	}
	if os.Getenv("SEGEL_REQUIRE_ACME") != "" {
		t.Fatalf("%s is missing: run scripts/acmeserver/setup", name)
	}
	t.Skipf("%s is missing: scripts/acmeserver/setup builds it", name)
	return ""
}

// runProgram runs a program until the test ends, and returns what it prints.
func runProgram(t testing.TB, program string, args ...string) fmt.Stringer {
	t.Helper()
	output := &bytes.Buffer{} // read only after the process did not do what it should
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = output, output
	c.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(program), output)
		}
	})
	return output
}

// freePorts returns ports that nothing listened on.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all at once: no port comes twice
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if ports[i], err = strconv.Atoi(port); err != nil {
			t.Fatal(err)
		}
	}
	return ports
}
