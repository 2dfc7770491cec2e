package main

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"segel/internal/config"
	"segel/internal/outbound"
	"segel/pades/validate"
	"segel/tsp"
)

// outboundClient returns the client for all fetches, from authorities that the operator named and from addresses that
// certificates name.
func outboundClient(conf config.Config) *http.Client {
	o := outbound.Options{Ports: slices.Clone(conf.OutboundPorts)}
	for _, n := range conf.OutboundPrivate {
		o.Allowed = append(o.Allowed, n.Prefix)
	}
	for _, address := range conf.TimestampURLs {
		if p, ok := portOf(address); ok {
			o.Ports = append(o.Ports, p)
		}
	}
	return outbound.NewClient(o)
}

// portOf returns the port of an address.
func portOf(address string) (uint16, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, false
	}
	p, err := strconv.ParseUint(u.Port(), 10, 16)
	return uint16(p), err == nil
}

// newTimestamper tries the configured authorities in order.
func newTimestamper(conf config.Config, client *http.Client, trust *validate.Trust, clock func() time.Time) tsp.Timestamper {
	var all []tsp.Timestamper
	roots := x509.NewCertPool()
	for _, c := range trust.Roots(validate.ForTime) {
		roots.AddCert(c)
	}
	for _, address := range conf.TimestampURLs {
		all = append(all, &tsp.Client{URL: address, HTTP: client, Timeout: conf.TimestampTimeout, Roots: roots, Clock: clock, Tolerance: conf.ClockTolerance})
	}
	return tsp.NewFailover(clock, all...)
}

// trustOf trusts the embedded authority's root, if there is one, and those in a folder, if one is named. Signing and validation
// both use it, so they trust the same time-stamp authorities. It calls odd with the names of files that contain something other
// than certificates: national lists have such files, and trusting less is not a hazard.
func trustOf(own *x509.Certificate, folder string, odd func(name string)) (*validate.Trust, error) {
	t := &validate.Trust{}
	if own != nil {
		t.Add(validate.ForAll, validate.OriginOwn, own)
	}
	if folder == "" {
		return t, nil
	}
	switch info, err := os.Stat(folder); {
	case err != nil:
		return nil, fmt.Errorf("trusted roots: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("trusted roots: %s is not a folder", folder)
	}
	names, err := t.AddFolder(os.DirFS(folder))
	if err != nil {
		return nil, fmt.Errorf("trusted roots in %s: %w", folder, err)
	}
	for _, name := range names {
		odd(name)
	}
	return t, nil
}
