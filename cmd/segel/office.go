package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/contract"
	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/sandbox"
	"segel/internal/outbound"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

// officeDir is the folder of the stamp office or its driver in the data folder.
const officeDir = "office"

// openOffice opens the stamp office that the configuration names.
func (a *app) openOffice() error {
	if a.conf.StampOffice == "sandbox" {
		o, err := a.openSandbox(0)
		if err != nil {
			return err
		}
		a.office, a.stamping.Office = o, o
		return nil
	}
	d, err := peruri.Open(a.driverOptions())
	if err != nil {
		return err
	}
	a.office, a.stamping.Office = d, d
	return a.metrics.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "segel", Subsystem: "office", Name: "available", Help: "1 while the stamp office is called, 0 while calls are suspended.",
	}, func() float64 {
		if d.Availability().Down {
			return 0
		}
		return 1
	}))
}

// openOfficeReadOnly opens the stamp office for queries only, also while another process serves the same folder.
func (a *app) openOfficeReadOnly() error {
	err := a.openOffice()
	if a.conf.StampOffice != "sandbox" || !errors.Is(err, sandbox.ErrInUse) {
		return err
	}
	o, err := sandbox.Read(filepath.Join(a.conf.DataDir, officeDir), a.sandboxOptions(0))
	if err != nil {
		return err
	}
	a.office, a.stamping.Office = o, o
	return nil
}

// openSandbox opens the sandbox office. In a folder only one process at a time can use it: it reads its journal of issued serials
// once. Units is the total that an account may take; 0: unlimited.
func (a *app) openSandbox(units int) (*sandbox.Office, error) {
	if a.sharesOffice() {
		return sandbox.OpenRows(context.Background(), officeRows{a.store, officeDir}, a.sandboxOptions(units))
	}
	o, err := sandbox.Open(filepath.Join(a.conf.DataDir, officeDir), a.sandboxOptions(units))
	if errors.Is(err, sandbox.ErrInUse) {
		return nil, fmt.Errorf("another process serves %s: %w", a.conf.DataDir, err)
	}
	if err != nil {
		return nil, err
	}
	// While this process has the folder, no other one seals its key anew.
	if err := o.Reseal(context.Background()); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// resealSandboxes seals the keys of the sandboxes anew that no process has open. One that does has sealed its key anew when it opened it.
func (a *app) resealSandboxes(ctx context.Context) error {
	return a.eachSandbox(ctx, a.sandboxOptions(0), func(name string, o *sandbox.Office) error {
		if under, ok, err := o.SealedUnder(); err != nil || !ok || under == a.sealer.ID() {
			return err
		}
		if a.sharesOffice() {
			return o.Reseal(ctx)
		}
		own, err := sandbox.Open(filepath.Join(a.conf.DataDir, name), a.sandboxOptions(0))
		if errors.Is(err, sandbox.ErrInUse) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(own.Reseal(ctx), own.Close())
	})
}

// eachSandbox calls do with each sandbox that was ever used, as it is now.
func (a *app) eachSandbox(ctx context.Context, options sandbox.Options, do func(name string, o *sandbox.Office) error) error {
	for _, name := range []string{officeDir, testOfficeDir} {
		var o *sandbox.Office
		var err error
		if a.sharesOffice() {
			o, err = sandbox.OpenRows(ctx, officeRows{a.store, name}, options)
		} else {
			o, err = sandbox.Read(filepath.Join(a.conf.DataDir, name), options)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(do(name, o), o.Close())
		}
		if err != nil {
			return fmt.Errorf("sandbox %s: %w", name, err)
		}
	}
	return nil
}

func (a *app) sandboxOptions(units int) sandbox.Options {
	return sandbox.Options{
		Issuer: a.authority, Timestamper: a.authority.Timestamper(), Revocation: a.authority, Sealer: a.sealer,
		PublicURL: a.conf.BaseURL(), Clock: a.clock, Random: rand.Reader, Units: units,
	}
}

// driverOptions returns the driver's options from the configuration.
func (a *app) driverOptions() peruri.Options {
	c := a.conf
	var records peruri.Records // nil: in the folder
	if a.sharesOffice() {
		records = officeRecords{a.store}
	}
	var leases peruri.Leases // nil: processes on SQLite share a data folder, and with it one machine
	if _, embedded := sqlstore.SQLitePath(databaseDSN(c)); !embedded {
		leases = a.leases
	}
	return peruri.Options{
		Client: outbound.NewClient(a.officeOutbound()), Clock: a.clock, Random: rand.Reader, Log: a.log, Known: a.isKnownSerial, MaySend: proc.Check, Leases: leases,
		Dir: filepath.Join(c.DataDir, officeDir), Records: records, Form: peruri.Form(c.StampOffice),
		LoginURL: c.StampLoginURL, SerialURL: c.StampSerialURL, CloudURL: c.StampCloudURL, User: c.StampUser, Password: c.StampPassword,
		Adapters: c.StampAdapters, Slots: c.StampSlots, Shared: c.StampSharedDir, Mount: c.StampMount,
		Kinds: c.StampKinds, Kind: c.StampKind, Picture: c.StampPicturePath, Specimen: c.StampSpecimen,
		Collector: peruri.Collector{Identity: c.StampIdentity, Number: c.StampIdentityNumber, Name: c.StampIdentityName},
		Timeout:   c.StampTimeout, StampTimeout: c.StampFileTimeout, Settle: c.StampSettle, Observe: officeMetrics(a.metrics), Tracer: a.traces.Tracer(),
	}
}

// officeConnections is how many connections to one host of the office there may always be: for reconciliations and restamps too.
const officeConnections = 8

// officeOutbound permits the driver to reach the office on its ports, and on private networks that the operator named for it.
func (a *app) officeOutbound() outbound.Options {
	c := a.conf
	o := outbound.Options{
		Ports: []uint16{80, 443}, Redirects: -1,
		Timeout: max(c.StampTimeout, c.StampFileTimeout),
		// Signatures and stamps make a file longer than what was uploaded. Of a wrong file, the source's size and twice what a stamp may add are read as evidence.
		MaxBody:     2*int64(c.MaxFile) + 16<<20,
		Connections: max(officeConnections, c.MaxJobs), // a job makes one call at a time
		Allowed:     prefixesOf(c.StampNetworks),
	}
	for _, address := range append([]string{c.StampLoginURL, c.StampSerialURL, c.StampCloudURL}, c.StampAdapters...) {
		if u, err := url.Parse(address); err == nil && u.Port() != "" {
			if p, ok := portOf(address); ok {
				o.Ports = append(o.Ports, p)
			}
		}
	}
	return o
}

// isKnownSerial reports whether a serial is in the register: then no document may adopt it. The one exception is a serial with the order in its
// name that a reconciliation found in the account, and that no document ever had.
func (a *app) isKnownSerial(ctx context.Context, serial string, named bool) (bool, error) {
	k, err := a.store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	found := named && k.State == contract.SerialBought && k.ReleaseCount == 0
	return err == nil && !found, err
}

// officeMetrics counts the calls to the office.
func officeMetrics(r *prometheus.Registry) func(call, outcome string, took time.Duration) {
	calls := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "segel", Subsystem: "office", Name: "call_duration_seconds", Help: "Calls to the stamp office by how they ended.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
	}, []string{"call", "outcome"})
	r.MustRegister(calls) // cannot fail: the registry is new, and the name unique
	return func(call, outcome string, took time.Duration) {
		calls.WithLabelValues(call, outcome).Observe(took.Seconds())
	}
}

// closeOffice releases the office for other processes. It does nothing if the office was not opened.
func (a *app) closeOffice() error {
	if a.office == nil {
		return nil
	}
	return a.office.Close()
}

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
