// Command cluster runs several nodes of the service on one machine, with all that they share: a PostgreSQL server, an S3 server, a sandbox
// stamp office, and a proxy in front of the nodes. `make cluster` runs it for people who want to try it; with a command behind its options it
// runs that command against the cluster and ends with it. Everything is in a temporary folder that is removed in the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"segel/internal/blob/s3/s3test"
	"segel/internal/store/storetest/pgtest"
	"segel/pdf/pdftest"
	"segel/scripts/running"
)

func main() {
	var o options
	flag.StringVar(&o.binary, "segel", "build/segel", "the program")
	flag.StringVar(&o.s3, "s3", "build/versitygw", "the S3 server, which scripts/s3server/setup builds")
	flag.IntVar(&o.nodes, "nodes", 2, "nodes of the service")
	flag.StringVar(&o.former, "former", "", "a former release, which the first node runs; then all nodes share a data folder, because former releases keep their keys there")
	flag.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address of the proxy; port 0 takes a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, o, flag.Args())
	var failed commandError
	switch {
	case errors.As(err, &failed):
		os.Exit(failed.status)
	case err != nil:
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// commandError is the status of the command that ran against the cluster. The command has said why.
type commandError struct{ status int }

func (e commandError) Error() string {
	return fmt.Sprintf("the command ended with status %d", e.status)
}

type options struct {
	binary, s3, listen, former string
	nodes                      int
}

// cluster is what runs.
type cluster struct {
	dir      string
	database *pgtest.Server
	bucket   *s3test.Server
	office   *running.Service
	nodes    []*running.Program
	proxy    *running.Balancer
}

// run starts the cluster, and runs the command or waits until ctx ends. The command finds the address in CLUSTER_URL, the first login in
// CLUSTER_EMAIL and CLUSTER_PASSWORD, and a contract in CLUSTER_CONTRACT. After it segel fsck has to find nothing, beside nodes of a former release
// once it has repaired what is derived.
func run(ctx context.Context, o options, command []string) (err error) {
	c := &cluster{}
	if c.dir, err = os.MkdirTemp("", "segel-cluster-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.start(ctx, o); err != nil {
		return err
	}
	email, password, err := c.nodes[0].FirstLogin()
	if err != nil {
		return err
	}
	if len(command) > 0 {
		r := exec.CommandContext(ctx, command[0], command[1:]...)
		r.Env = append(os.Environ(), "CLUSTER_URL="+c.proxy.URL, "CLUSTER_EMAIL="+email, "CLUSTER_PASSWORD="+password, "CLUSTER_CONTRACT="+filepath.Join(c.dir, "contract.pdf"))
		r.Stdout, r.Stderr = os.Stdout, os.Stderr
		var failed *exec.ExitError
		if err := r.Run(); errors.As(err, &failed) {
			return commandError{failed.ExitCode()}
		} else if err != nil {
			return err
		}
		if o.former != "" { // its nodes do not count what organisations use
			if err := c.runCommand(ctx, o.binary, "fsck", "--repair"); err != nil {
				return err
			}
		}
		return c.runCommand(ctx, o.binary, "fsck")
	}
	fmt.Printf("the service is at %s\nfirst login: %s, password: %s\n", c.proxy.URL, email, password)
	for i, n := range c.nodes {
		fmt.Printf("node %d: process %d, log %s\n", i+1, n.PID(), n.Log)
	}
	fmt.Println("Kill or stop a process (kill -9, kill -STOP): the other nodes do its work. The cluster ends with Ctrl-C, and its data with it.")
	<-ctx.Done()
	return nil
}

func (c *cluster) start(ctx context.Context, o options) error {
	bucket, shared, trust := filepath.Join(c.dir, "bucket"), filepath.Join(c.dir, "shared"), filepath.Join(c.dir, "trust", "stamping")
	for _, d := range []string{bucket, shared, trust} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	server, dsn, err := pgtest.NewServer(ctx)
	if err != nil {
		return err
	}
	c.database = server
	if c.bucket, err = s3test.Launch(ctx, o.s3, bucket); err != nil {
		return err
	}
	if c.office, err = running.StartOffice(o.binary, filepath.Join(c.dir, "office"), shared); err != nil {
		return err
	}
	// The office has its own authority, which the nodes are told to trust for stamps.
	export := exec.CommandContext(ctx, o.binary, "authority", "export", "--data", c.office.Data)
	export.Env, export.Stderr = running.Environ(), os.Stderr // without settings of this process
	root, err := export.Output()
	if err != nil {
		return fmt.Errorf("export the office's root: %w", err)
	}
	if err := os.WriteFile(filepath.Join(trust, "office.pem"), root, 0o600); err != nil {
		return err
	}
	addresses, err := running.FreeAddresses(o.nodes)
	if err != nil {
		return err
	}
	var urls []string
	for _, a := range addresses {
		urls = append(urls, "http://"+a)
	}
	if c.proxy, err = running.NewBalancer(o.listen, urls...); err != nil {
		return err
	}
	env := append(running.NodeEnv(running.NewMasterKey(), dsn, c.bucket.URL.String()), running.OfficeEnv(c.office.URL, shared, time.Second)...)
	if o.former != "" {
		env = append(env, "SEGEL_STATE=folder", "SEGEL_MASTER_KEY=") // the last of two settings counts
	}
	env = append(env, "SEGEL_PUBLIC_URL="+c.proxy.URL, "SEGEL_TRUSTED_PROXIES=127.0.0.0/8", "SEGEL_TRUST_DIR="+filepath.Dir(trust))
	for i, a := range addresses {
		n := &running.Program{Binary: o.binary, Env: env, Log: filepath.Join(c.dir, fmt.Sprintf("node-%d.log", i+1))}
		data := filepath.Join(c.dir, fmt.Sprintf("node-%d", i+1))
		if o.former != "" {
			data = filepath.Join(c.dir, "node-1")
			if i == 0 {
				n.Binary = o.former
			}
		}
		n.Args = []string{"serve", "--listen", a, "--data", data}
		if i > 0 {
			n.Args = append(n.Args, "--migrate", "off")
		}
		c.nodes = append(c.nodes, n)
		if err := n.Start(); err != nil { // the first one creates the installation
			return err
		}
		if o.former != "" && i == 0 {
			if err := c.runCommand(ctx, o.binary, "migrate"); err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(c.dir, "contract.pdf"), pdftest.PDFA(2), 0o600); err != nil {
		return err
	}
	return c.nodes[0].Grant(filepath.Join(c.dir, "node-1"), "Segel", 1_000_000, 1_000_000)
}

// runCommand runs a command of a program on the installation, with the settings of the nodes.
func (c *cluster) runCommand(ctx context.Context, binary string, args ...string) error {
	r := exec.CommandContext(ctx, binary, append(args, "--data", filepath.Join(c.dir, "node-1"))...)
	r.Env = append(running.Environ(), c.nodes[0].Env...)
	r.Stdout, r.Stderr = os.Stdout, os.Stderr
	if err := r.Run(); err != nil {
		return fmt.Errorf("segel %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func (c *cluster) close() error {
	if c.proxy != nil {
		c.proxy.Close()
	}
	for _, n := range c.nodes {
		n.Stop()
	}
	if c.office != nil {
		c.office.Stop()
	}
	if c.bucket != nil {
		c.bucket.Stop()
	}
	var err error
	if c.database != nil {
		err = c.database.Close()
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}
