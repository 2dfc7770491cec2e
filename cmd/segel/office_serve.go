package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"segel/internal/emeterai/sandbox"
)

// officeGrace bounds the time for requests in progress when the office stops.
const officeGrace = 5 * time.Second

// officeCommand serves a sandbox office over the stamp office's protocol, for tests against it.
type officeCommand struct {
	Listen   string `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:7777" placeholder:"ADDR"`
	Data     string `help:"Data folder of the office, not of a service." default:"office-data" placeholder:"DIR"`
	Shared   string `help:"Folder shared with clients of the adapter form. Without it that form is not served." placeholder:"DIR"`
	Mount    string `help:"How clients name the shared folder." default:"/sharefolder" placeholder:"PATH"`
	User     string `help:"User of the one account." default:"user@office.test"`
	Password string `help:"Password of the account." default:"specimen"`
	Units    int    `help:"Stamps that the account may take in all; 0: any number." default:"0"`
	Faults   string `help:"File with faults to inject, in JSON; docs/emeterai.md." placeholder:"FILE"`
	Control  bool   `help:"Allow all clients of the office to set its faults at /control/faults."`
}

func (c officeCommand) Run(w *environment) error {
	plan, err := c.readPlan()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	defer l.Close()
	address := l.Addr().String()
	conf, err := dataFlag{Data: c.Data}.loadConfig(w, map[string]string{"SEGEL_LISTEN": address, "SEGEL_PUBLIC_URL": "http://" + address})
	if err != nil {
		return err
	}
	log := w.newLogger(conf)
	// A data folder like that of a service: an authority in it certifies the office's key and provides revocation data.
	a, err := openApp(w.ctx, conf, log, creating)
	if err != nil {
		return err
	}
	defer a.close()
	office, err := a.openSandbox(c.Units)
	if err != nil {
		return err
	}
	a.office = office
	handler, err := office.Serve(sandbox.ServeOptions{
		Users: map[string]string{c.User: c.Password}, Folder: filepath.Join(c.Data, "uploads"), Shared: c.Shared, Mount: c.Mount,
		Faults: plan, Control: c.Control, Log: log,
	})
	if err != nil {
		return err
	}
	defer handler.Close()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	fmt.Fprintf(w.stdout, "segel office %s listens on http://%s; its stamps are specimens of no legal value\n", version, l.Addr())
	select {
	case err = <-failed:
	case <-w.ctx.Done():
		err = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), officeGrace)
	defer cancel()
	if stop := server.Shutdown(ctx); errors.Is(stop, context.DeadlineExceeded) {
		_ = server.Close()
	} else {
		err = errors.Join(err, stop)
	}
	return err
}

func (c officeCommand) readPlan() (sandbox.Plan, error) {
	if c.Faults == "" {
		return sandbox.Plan{}, nil
	}
	f, err := os.Open(c.Faults)
	if err != nil {
		return sandbox.Plan{}, err
	}
	defer f.Close()
	return sandbox.ReadPlan(f)
}
