// Package running runs a separate service for the programs in scripts that drive one over HTTP.
package running

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"segel/internal/blob/s3/s3test"
)

// Service is a program that listens.
type Service struct {
	*Program
	URL  string
	Data string // its data folder

	RetryFor time.Duration // of the clients of people that are added: [Client.RetryFor]
}

// Start runs the binary on a free port with a data folder, and waits until it prints its address. Env is added to the
// environment.
func Start(binary, data string, env ...string) (*Service, error) {
	return StartWith(binary, data, nil, env...)
}

// StartWith is Start with further arguments of segel serve.
func StartWith(binary, data string, args []string, env ...string) (*Service, error) {
	return startProgram(binary, data, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...), env...)
}

func startProgram(binary, data string, args []string, env ...string) (*Service, error) {
	p := &Program{Binary: binary, Args: args, Env: env}
	if err := p.Start(); err != nil {
		return nil, err
	}
	address, ok := p.FindOutput("listens on http://")
	if !ok {
		p.Stop()
		return nil, fmt.Errorf("segel %s did not print its address", args[0])
	}
	return &Service{Program: p, Data: data, URL: "http://" + strings.TrimRight(strings.Fields(address)[0], ";")}, nil
}

// Grant grants an organisation quota on the data folder of a running service: with a stamp office other than the sandbox
// it starts with none.
func (p *Program) Grant(data, organisation string, stamps, signatures int) error {
	for unit, n := range map[string]int{"emet": stamps, "base": signatures} {
		cmd := exec.Command(p.Binary, "quota", "add", "--data", data, "--org", organisation, "--unit", unit, "--count", strconv.Itoa(n), "--reason", "trial")
		cmd.Env = append(Environ(), p.Env...)
		if b, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("grant %s: %w: %s", unit, err, b)
		}
	}
	return nil
}

// OfficeEnv returns the environment of a service that uses a sandbox office at an address, in the adapter form with a shared
// folder. Calls time out after three seconds; settle is how long after that the office may still act.
func OfficeEnv(address, shared string, settle time.Duration) []string {
	return []string{
		"SEGEL_STAMP_OFFICE=adapter", "SEGEL_STAMP_LOGIN_URL=" + address, "SEGEL_STAMP_ADAPTERS=" + address,
		"SEGEL_STAMP_NETWORKS=127.0.0.0/8", "SEGEL_STAMP_SHARED_DIR=" + shared,
		"SEGEL_STAMP_USER=user@office.test", "SEGEL_STAMP_PASSWORD=specimen", "SEGEL_STAMP_PICTURE_PATH=/snqr/qrimage?sn={serial}",
		"SEGEL_STAMP_TIMEOUT=3s", "SEGEL_STAMP_FILE_TIMEOUT=5s", "SEGEL_STAMP_SETTLE=" + settle.String(),
	}
}

// StartOffice runs a sandbox office on a free port with a data folder, and waits until it prints its address. Args are further arguments of segel office.
func StartOffice(binary, data, shared string, args ...string) (*Service, error) {
	return startProgram(binary, data, append([]string{"office", "--data", data, "--shared", shared, "--listen", "127.0.0.1:0"}, args...), "SEGEL_LOG_LEVEL=warn")
}

// NewMasterKey returns a master key for SEGEL_MASTER_KEY.
func NewMasterKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return base64.StdEncoding.EncodeToString(key)
}

// NodeEnv returns the environment of a node that keeps nothing in its folder: its data are in a PostgreSQL database and in the bucket of the S3
// server for tests, at an address. All nodes of an installation have the same master key.
func NodeEnv(masterKey, dsn, endpoint string) []string {
	return append(BucketEnv(endpoint), "SEGEL_DATABASE="+dsn, "SEGEL_STATE=database", "SEGEL_MASTER_KEY="+masterKey)
}

// BucketEnv returns the environment of a service whose files are in the bucket of the S3 server for tests, at an address.
func BucketEnv(endpoint string) []string {
	return []string{
		"SEGEL_BLOBS=s3", "SEGEL_S3_ENDPOINT=" + endpoint, "SEGEL_S3_BUCKET=" + s3test.Bucket, "SEGEL_S3_PREFIX=segel/", "SEGEL_S3_REGION=" + s3test.Region,
		"SEGEL_S3_ACCESS_KEY=" + s3test.AccessKey, "SEGEL_S3_SECRET_KEY=" + s3test.SecretKey, "SEGEL_S3_TIMEOUT=5s",
		"SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8",
	}
}

// FreeAddresses returns unused addresses of this machine.
func FreeAddresses(n int) ([]string, error) {
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all, nil
}
