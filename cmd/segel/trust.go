package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"segel/cms"
	"segel/internal/config"
	"segel/internal/outbound"
	"segel/tsp"
)

// outward returns the client with which everything is fetched, from authorities that the operator named and from
// addresses that certificates name.
func outward(conf config.Config) *http.Client {
	o := outbound.Options{Ports: slices.Clone(conf.OutboundPorts)}
	for _, n := range conf.OutboundPrivate {
		o.Allowed = append(o.Allowed, n.Prefix)
	}
	for _, address := range conf.TimestampURLs {
		if p, ok := portOf(address); ok {
			o.Ports = append(o.Ports, p)
		}
	}
	return outbound.Client(o)
}

// portOf returns the port that an address names.
func portOf(address string) (uint16, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, false
	}
	p, err := strconv.ParseUint(u.Port(), 10, 16)
	return uint16(p), err == nil
}

// timestamper asks the authorities of the configuration in order.
func timestamper(conf config.Config, client *http.Client, roots []*x509.Certificate, clock func() time.Time) tsp.Timestamper {
	var all []tsp.Timestamper
	for _, address := range conf.TimestampURLs {
		all = append(all, &tsp.Client{URL: address, HTTP: client, Timeout: conf.TimestampTimeout, Roots: pool(roots), Clock: clock})
	}
	return tsp.NewInOrder(clock, all...)
}

func pool(roots []*x509.Certificate) *x509.CertPool {
	p := x509.NewCertPool()
	for _, c := range roots {
		p.AddCert(c)
	}
	return p
}

// maxRoots bounds a file of certificates in bytes.
const maxRoots = 32 << 20

// readRoots reads the certificates in a folder and those below it that time-stamp authorities may lead to: all but
// those in its subfolder signing, which are trusted for signatures alone. Odd is told the files that hold something
// else as well; national lists do, and trusting less is no danger.
func readRoots(dir string, odd func(name string)) ([]*x509.Certificate, error) {
	if dir == "" {
		return nil, nil
	}
	var all []*x509.Certificate
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name == filepath.Join(dir, "signing"):
			return filepath.SkipDir
		case e.IsDir() || !slices.Contains([]string{".pem", ".crt", ".cer", ".der"}, strings.ToLower(path.Ext(name))):
			return nil
		}
		certs, whole, err := readCertificates(name)
		if err != nil {
			return fmt.Errorf("roots in %s: %w", name, err)
		}
		if !whole {
			odd(name)
		}
		all = append(all, certs...)
		return nil
	})
	return all, err
}

// readCertificates reads a file with one certificate as DER, or any number as PEM. Whole is false where something in
// it is no certificate that could be used.
func readCertificates(name string) (all []*x509.Certificate, whole bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxRoots+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, false, err
	}
	if len(b) > maxRoots {
		return nil, false, fmt.Errorf("more than %d bytes", maxRoots)
	}
	ders := [][]byte{b}
	if block, rest := pem.Decode(b); block != nil {
		for ders = nil; block != nil; block, rest = pem.Decode(rest) {
			if block.Type == "CERTIFICATE" {
				ders = append(ders, block.Bytes)
			}
		}
	}
	whole = len(ders) > 0
	for _, der := range ders {
		c, err := x509.ParseCertificate(der)
		if err != nil || cms.CheckKey(c.PublicKey) != nil {
			whole = false
			continue
		}
		all = append(all, c)
	}
	return all, whole, nil
}
