// Package s3test runs an S3 server for tests: versitygw, which scripts/s3server/setup builds, with its objects in a temporary folder. It
// ends with the test, or when its caller stops it.
package s3test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	Stop func()
}

// StartServer starts a server with an empty bucket. Without its program the test is skipped, or fails if SEGEL_REQUIRE_S3 is set.
func StartServer(t testing.TB) *Server {
	t.Helper()
	program, err := findProgram()
	if err != nil {
		if os.Getenv("SEGEL_REQUIRE_S3") == "" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	s, err := Launch(t.Context(), program, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Launch starts the program on a free port with an empty bucket, whose objects are files below folder. The caller stops it.
func Launch(ctx context.Context, program, folder string) (*Server, error) {
	var failed error
	for range 5 { // another process may take the port
		s, err := launchServer(ctx, program, folder)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if err := makeBucket(ctx, s.URL); err != nil {
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
func launchServer(ctx context.Context, program, folder string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	c := exec.Command(program, "--access", AccessKey, "--secret", SecretKey, "--region", Region, "--port", address, "--quiet", "posix", folder)
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
	stop := sync.OnceFunc(func() {
		_ = c.Process.Kill()
		<-exited
	})
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", address); err == nil {
			return &Server{&url.URL{Scheme: "http", Host: address}, stop}, conn.Close()
		}
		select {
		case <-retry.C:
		case <-exited:
			return nil, fmt.Errorf("S3 server: %s", output.Bytes())
		case <-ctx.Done():
			stop()
			return nil, fmt.Errorf("S3 server: %w: %s", ctx.Err(), output.Bytes())
		}
	}
}

func makeBucket(ctx context.Context, u *url.URL) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := minio.New(u.Host, &minio.Options{Transport: transport, Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: Region})
	if err != nil {
		return err
	}
	return c.MakeBucket(ctx, Bucket, minio.MakeBucketOptions{})
}
