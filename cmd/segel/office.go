package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/sandbox"
	"segel/internal/outbound"
	"segel/internal/store"
)

// officeDir is what the stamp office, or its driver, has in the data folder.
const officeDir = "office"

// openOffice opens the stamp office that the configuration names.
func (a *app) openOffice() error {
	if a.conf.StampOffice == "sandbox" {
		o, err := a.openSandbox(0)
		if err != nil {
			return err
		}
		a.office, a.workflow.Office = o, o
		return nil
	}
	d, err := peruri.Open(a.driverOptions())
	if err != nil {
		return err
	}
	a.office, a.workflow.Office = d, d
	return a.metrics.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "segel", Subsystem: "office", Name: "available", Help: "1 if the stamp office is asked, 0 while it is left alone.",
	}, func() float64 {
		if d.Availability().Down {
			return 0
		}
		return 1
	}))
}

// openOfficeReadOnly opens the stamp office for questions alone, also beside a process that serves the same folder.
func (a *app) openOfficeReadOnly() error {
	err := a.openOffice()
	if a.conf.StampOffice != "sandbox" || !errors.Is(err, sandbox.ErrInUse) {
		return err
	}
	o, err := sandbox.Read(filepath.Join(a.conf.DataDir, officeDir), a.sandboxOptions(0))
	if err != nil {
		return err
	}
	a.office, a.workflow.Office = o, o
	return nil
}

// openSandbox opens the office of our own, which one process at a time may have: it knows from its journal, which it
// reads once, what serials were issued. Units are what an account may take in all; 0: any number.
func (a *app) openSandbox(units int) (*sandbox.Office, error) {
	o, err := sandbox.Open(filepath.Join(a.conf.DataDir, officeDir), a.sandboxOptions(units))
	if errors.Is(err, sandbox.ErrInUse) {
		return nil, fmt.Errorf("another process serves %s: %w", a.conf.DataDir, err)
	}
	return o, err
}

func (a *app) sandboxOptions(units int) sandbox.Options {
	return sandbox.Options{
		Issuer: a.authority, Timestamper: a.authority.Timestamper(), Revocation: a.authority, Sealer: a.sealer,
		PublicURL: a.conf.BaseURL(), Clock: a.clock, Random: rand.Reader, Units: units,
	}
}

// driverOptions turn the configuration into those of a driver.
func (a *app) driverOptions() peruri.Options {
	c := a.conf
	return peruri.Options{
		Client: outbound.NewClient(a.officeOutbound()), Clock: a.clock, Random: rand.Reader, Log: a.log, Known: a.isKnownSerial,
		Dir: filepath.Join(c.DataDir, officeDir), Form: peruri.Form(c.StampOffice),
		LoginURL: c.StampLoginURL, SerialURL: c.StampSerialURL, CloudURL: c.StampCloudURL, User: c.StampUser, Password: c.StampPassword,
		Adapters: c.StampAdapters, Slots: c.StampSlots, Shared: c.StampSharedDir, Mount: c.StampMount,
		Kinds: c.StampKinds, Kind: c.StampKind, Picture: c.StampPicturePath, Specimen: c.StampSpecimen,
		Collector: peruri.Collector{Identity: c.StampIdentity, Number: c.StampIdentityNumber, Name: c.StampIdentityName},
		Timeout:   c.StampTimeout, StampTimeout: c.StampFileTimeout, Settle: c.StampSettle, Observe: officeMetrics(a.metrics),
	}
}

// officeOutbound lets the driver reach the office on its ports, and on private networks that the operator named for it.
func (a *app) officeOutbound() outbound.Options {
	c := a.conf
	o := outbound.Options{
		Ports: []uint16{80, 443}, Redirects: -1,
		Timeout: max(c.StampTimeout, c.StampFileTimeout), MaxBody: 2 * int64(c.MaxFile),
	}
	for _, n := range c.StampNetworks {
		o.Allowed = append(o.Allowed, n.Prefix)
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

// isKnownSerial reports whether a serial is in the register, in any state: then it is nobody's to adopt.
func (a *app) isKnownSerial(ctx context.Context, serial string) (bool, error) {
	_, err := a.store.Serial(ctx, serial)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// officeMetrics counts the calls to the office.
func officeMetrics(r *prometheus.Registry) func(call, outcome string, took time.Duration) {
	calls := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "segel", Subsystem: "office", Name: "call_duration_seconds", Help: "Calls to the stamp office by how they ended.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
	}, []string{"call", "outcome"})
	r.MustRegister(calls) // the registry is new, and the name ours alone
	return func(call, outcome string, took time.Duration) {
		calls.WithLabelValues(call, outcome).Observe(took.Seconds())
	}
}

// closeOffice lets another process have it. Where it was never opened it does nothing.
func (a *app) closeOffice() error {
	if a.office == nil {
		return nil
	}
	return a.office.Close()
}
