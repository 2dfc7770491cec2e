package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"segel/internal/authority"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/pades"
	"segel/pades/validate"
	"segel/revocation"
	"segel/tsp"
)

// signingKey is the key with everything needed to sign a file.
type signingKey struct {
	credential  credential.Credential
	name        string
	timestamper tsp.Timestamper
	revocation  revocation.Source
	issuers     []*x509.Certificate // that the file may not contain
	clock       pades.Clock
}

// loadSigningKey loads the key: from a PKCS #12 file, of the authority in a data folder, or a temporary one.
func (c signCommand) loadSigningKey(w *environment) (*signingKey, func(), error) {
	nothing := func() {}
	switch {
	case c.P12 != "":
		s, err := c.fromPKCS12(w)
		return s, nothing, err
	case c.Data != "":
		conf, err := c.loadConfig(w, nil)
		if err != nil {
			return nil, nothing, err
		}
		a, err := openApp(w.ctx, conf, w.newLogger(conf), writing)
		if err != nil {
			return nil, nothing, err
		}
		f, err := a.workflow.ClockFinding(w.ctx)
		if err == nil && f.State != contract.ClockFine {
			err = f
		}
		if err != nil {
			a.close()
			return nil, nothing, err
		}
		name := "Segel"
		if o, err := a.store.FirstOrganisation(w.ctx); err == nil {
			name = o.Name
		}
		s, err := newSigningKey(w.ctx, a.authority, name)
		if err == nil {
			s.timestamper, s.revocation, s.issuers = a.timestamper, a.revocation, a.trust.Roots(validate.ForAll)
			s.clock.Tolerance = conf.ClockTolerance
		}
		return s, a.close, err
	}
	fmt.Fprintln(w.stderr, "segel: signing with a temporary credential that has no trusted issuer; give --data or --p12 for a real one")
	e, err := authority.NewEphemeral("http://localhost", time.Now)
	if err != nil {
		return nil, nothing, err
	}
	s, err := newSigningKey(w.ctx, e, "Throw-away credential")
	return s, nothing, err
}

func newSigningKey(ctx context.Context, a *authority.Authority, name string) (*signingKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	chain, err := a.Certify(ctx, authority.Holder{ID: "segel sign", Name: name, Organisation: name, Assurance: authority.Seal}, key.Public())
	if err != nil {
		return nil, err
	}
	return &signingKey{credential: credential.Credential{Signer: key, Chain: chain}, name: name, timestamper: a.Timestamper(), revocation: a, clock: pades.Clock{Now: time.Now}}, nil
}

// fromPKCS12 reads key and chain from a file. Timestamps come from the authorities named by flags, or else from those of the
// configuration; revocation data from where the certificates say.
func (c signCommand) fromPKCS12(w *environment) (*signingKey, error) {
	if c.PasswordFile == "" {
		return nil, errors.New("--p12 needs --password-file")
	}
	password, err := firstLine(c.PasswordFile)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(c.P12)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k, err := credential.ReadPKCS12(f, password)
	if err != nil {
		return nil, err
	}
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return nil, err
	}
	trust, err := readTrustedRoots(nil, conf.TrustDir, func(name string) {
		fmt.Fprintf(w.stderr, "segel: %s contains something other than certificates\n", name)
	})
	if err != nil {
		return nil, err
	}
	if len(c.TSA) > 0 {
		conf.TimestampURLs = c.TSA
	}
	client := outboundClient(conf)
	s := &signingKey{
		credential: *k, name: k.Chain[0].Subject.CommonName, issuers: trust.Roots(validate.ForAll),
		revocation: &revocation.Fetcher{HTTP: client, Clock: time.Now},
		clock:      pades.Clock{Now: time.Now, Tolerance: conf.ClockTolerance},
	}
	switch {
	case len(c.TSA) > 0 && conf.TrustDir == "":
		var all []tsp.Timestamper // named by flags, and trusted for that reason
		for _, url := range c.TSA {
			all = append(all, &tsp.Client{URL: url, HTTP: client, Tolerance: conf.ClockTolerance})
		}
		s.timestamper = tsp.NewFailover(time.Now, all...)
	case len(conf.TimestampURLs) > 0:
		s.timestamper = newTimestamper(conf, client, trust, time.Now)
	}
	return s, nil
}

func firstLine(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	return strings.TrimSuffix(lines.Text(), "\r"), lines.Err()
}
