// Package s3test runs an S3 server for tests: versitygw, which scripts/s3server/setup builds, with its objects in a temporary folder. It
// ends with the test, or when its caller stops it.
package s3test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// What the server is started with.
const (
	AccessKey = "segel-test"
	SecretKey = "segel-test-secret"
	Region    = "us-east-1"
	Bucket    = "segel"
)

// startWait bounds how long a server may take to answer.
const startWait = time.Minute

// Server is a running server. Stop kills it.
type Server struct {
	URL  *url.URL
	CA   string // of a server with TLS: file with the certificate of its authority, in PEM
	PID  int    // of its process
	Stop func()
}

// StartServer starts a server with an empty bucket. Without its program the test is skipped, or fails if SEGEL_REQUIRE_S3 is set.
func StartServer(t testing.TB) *Server { return startServer(t, false) }

// StartTLSServer is [StartServer] for a server with TLS, whose certificate comes from an authority that only its file names.
func StartTLSServer(t testing.TB) *Server { return startServer(t, true) }

func startServer(t testing.TB, secure bool) *Server {
	t.Helper()
	program, err := findProgram()
	if err != nil {
		if os.Getenv("SEGEL_REQUIRE_S3") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	var with *certificate
	if secure {
		if with, err = newCertificate(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := launch(t.Context(), program, t.TempDir(), with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Launch starts the program on a free port with an empty bucket, whose objects are files below folder. The caller stops it.
func Launch(ctx context.Context, program, folder string) (*Server, error) {
	return launch(ctx, program, folder, nil)
}

// launch is Launch with TLS, if there is a certificate.
func launch(ctx context.Context, program, folder string, with *certificate) (*Server, error) {
	var failed error
	for range 5 { // another process may take the port
		s, err := launchServer(ctx, program, folder, with)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if err := makeBucket(ctx, s); err != nil {
			s.Stop()
			return nil, fmt.Errorf("create a bucket: %w", err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("the S3 server does not start: %w", failed)
}

// findProgram finds the server in the build folder above the package under test.
func findProgram() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			program := filepath.Join(dir, "build", "versitygw")
			_, err := os.Stat(program)
			if err != nil {
				err = fmt.Errorf("the S3 server is missing: run scripts/s3server/setup: %w", err)
			}
			return program, err
		}
	}
	return "", errors.New("no go.mod above the test")
}

// launchServer starts a server on a free port and waits until it accepts connections.
func launchServer(ctx context.Context, program, folder string, with *certificate) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	args, server := []string{"--access", AccessKey, "--secret", SecretKey, "--region", Region, "--port", address, "--quiet"}, &Server{URL: &url.URL{Scheme: "http", Host: address}}
	if with != nil {
		args, server.URL.Scheme, server.CA = append(args, "--cert", with.chain, "--key", with.key), "https", with.chain
	}
	c := exec.Command(program, append(args, "posix", folder)...)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, exited := make(chan error), make(chan struct{})
	go func() {
		// Pdeathsig is sent when the thread that started the server exits, so that thread is kept.
		runtime.LockOSThread()
		defer close(exited)
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // it exits by a signal
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	server.PID = c.Process.Pid
	server.Stop = sync.OnceFunc(func() {
		_ = c.Process.Kill()
		<-exited
	})
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", address); err == nil {
			return server, conn.Close()
		}
		select {
		case <-retry.C:
		case <-exited:
			return nil, fmt.Errorf("S3 server: %s", output.Bytes())
		case <-ctx.Done():
			server.Stop()
			return nil, fmt.Errorf("S3 server: %w: %s", ctx.Err(), output.Bytes())
		}
	}
}

func makeBucket(ctx context.Context, s *Server) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if s.CA != "" {
		b, err := os.ReadFile(s.CA)
		if err != nil {
			return err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(b)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	c, err := minio.New(s.URL.Host, &minio.Options{
		Transport: transport, Secure: s.CA != "", Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: Region,
	})
	if err != nil {
		return err
	}
	return c.MakeBucket(ctx, Bucket, minio.MakeBucketOptions{})
}

// certificate is a certificate for 127.0.0.1 that is its own authority, and its key: two PEM files.
type certificate struct{ chain, key string }

func newCertificate(folder string) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "S3 test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	c := &certificate{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	return c, errors.Join(
		os.WriteFile(c.chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(c.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600),
	)
}
