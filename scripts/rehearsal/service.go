package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"segel/scripts/running"
)

// serviceKind is how a service of the rehearsal gets its time.
type serviceKind struct {
	name     string // of its folder and in the results
	external bool   // from the external time-stamp authority, not from the embedded one
}

var serviceKinds = []serviceKind{{"embedded", false}, {"external", true}}

// service is one service on a separate folder, with the people and documents of its only organisation.
type service struct {
	*running.Service
	kind  serviceKind
	clock *movedClock
	tsa   *timestampAuthority // nil: embedded
	files string              // folder of what was downloaded
	trust string              // its folder of trusted certificates
	roots []string            // files with the certificates that a validator has to trust

	owner   *person
	people  []*person // who sign with accounts, the newest last
	all     []*document
	waiting []*document // their second signer signs at the next step

	step     int // months between two steps
	revokeAt int // the step from which on another certificate is revoked
}

// person has an account.
type person struct {
	client      *running.Client
	email, name string
}

// waitLimit is how long the rehearsal waits for a busy service and for the verdict on one file, on a machine that does other work too.
const waitLimit = 10 * time.Minute

const metricsToken = "pengamat latihan"

// startService starts a service. Between two steps so many months pass, in which nothing is renewed, so renewals are due that much earlier.
func startService(binary, dir string, kind serviceKind, clock *movedClock, step int) (s *service, err error) {
	s = &service{kind: kind, clock: clock, step: step, files: filepath.Join(dir, "files")}
	data, trust := filepath.Join(dir, "data"), filepath.Join(dir, "trust")
	for _, d := range []string{s.files, trust} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	env := []string{clock.env(), "SEGEL_CONVERT=off", "SEGEL_PAGE_PICTURES=off", "SEGEL_LOG_LEVEL=warn", "SEGEL_METRICS_TOKEN=" + metricsToken, "SEGEL_TRUST_DIR=" + trust,
		fmt.Sprintf("SEGEL_RENEW_BEFORE=%dh", 24*(365+31*step)),
	}
	if kind.external {
		if s.tsa, err = startTimestampAuthority(clock); err != nil {
			return nil, fmt.Errorf("start the external time-stamp authority: %w", err)
		}
		root, err := s.tsa.writeRoot(trust)
		if err != nil {
			return nil, err
		}
		s.roots = append(s.roots, root)
		use, err := timestampSettings(s.tsa.url, "/tsa")
		if err != nil {
			return nil, err
		}
		env = append(env, use...)
	}
	addresses, err := running.FreeAddresses(1)
	if err != nil {
		return nil, err
	}
	s.Service = &running.Service{
		Program: &running.Program{Binary: binary, Args: []string{"serve", "--data", data, "--listen", addresses[0]}, Env: env, Log: filepath.Join(dir, "log")},
		URL:     "http://" + addresses[0], Data: data, RetryFor: waitLimit,
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	s.trust = trust
	if err := s.exportRoot(filepath.Join(dir, "root.pem")); err != nil {
		return nil, err
	}
	s.roots = append(s.roots, filepath.Join(dir, "root.pem"))
	s.owner, err = s.addPerson("Sari Wulandari")
	return s, err
}

// timestampSettings returns the settings for an authority of timestamps at a path of a server on this machine.
func timestampSettings(server, path string) ([]string, error) {
	at, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	return []string{"SEGEL_TIMESTAMP_TIMEOUT=" + waitLimit.String(), "SEGEL_TIMESTAMP_URLS=" + server + path, "SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8", "SEGEL_OUTBOUND_PORTS=" + at.Port()}, nil
}

func (s *service) endService() {
	if s.Service != nil {
		s.Stop()
	}
	if s.tsa != nil {
		s.tsa.closeListener()
	}
}

// exportRoot writes the root of the embedded authority to a file.
func (s *service) exportRoot(file string) error {
	root, err := s.run("authority export")
	if err != nil {
		return err
	}
	return os.WriteFile(file, root, 0o644)
}

// run runs a command on the folder of the service, beside it.
func (s *service) run(command string, args ...string) ([]byte, error) {
	words := strings.Fields(command)
	cmd := exec.Command(s.Binary, append(append(words, "--data", s.Data), args...)...)
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = append(running.Environ(), s.Env...), &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("segel %s: %w: %s%s", command, err, stderr.Bytes(), out)
	}
	return out, err
}

// addPerson adds a person who signs.
func (s *service) addPerson(name string) (*person, error) {
	p := &person{email: fmt.Sprintf("orang%d@example.test", len(s.people)), name: name}
	var err error
	if p.client, err = s.AddPerson("", p.email, name); err != nil {
		return nil, err
	}
	s.people = append(s.people, p)
	return p, nil
}

// logIn gives a person a new session: those of the step before have expired.
func (s *service) logIn(p *person) error {
	var a running.LoginAnswer
	if err := (&running.Client{URL: s.URL, RetryFor: waitLimit}).Post(running.LoginPath, running.Object{"email": p.email, "password": running.Password}, &a); err != nil {
		return fmt.Errorf("log in as %s: %w", p.email, err)
	}
	p.client.Token = a.Data.Token
	return nil
}

// renewed matches what segel renew prints.
var renewed = regexp.MustCompile(`^(\d+) documents renewed, (\d+) postponed`)

// renew renews what is due, as a running service does every hour of the machine's clock, which does not move.
func (s *service) renew() error { return s.runRenew() }

func (s *service) runRenew(args ...string) error {
	out, err := s.run("renew", args...)
	if err != nil {
		return err
	}
	if !renewed.Match(out) {
		return fmt.Errorf("segel renew printed %q", out)
	}
	return nil
}

// renewals matches the number of rounds of renewals of a process that have ended without an error.
var renewals = regexp.MustCompile(`(?m)^segel_job_duration_seconds_count\{kind="renew",outcome="done"\} (\d+)`)

// waitRenewed waits until a service that was just started has made the renewals that are due.
func (s *service) waitRenewed() error {
	monitor := &running.Client{URL: s.URL, Secret: metricsToken}
	for began := time.Now(); time.Since(began) < waitLimit; time.Sleep(50 * time.Millisecond) {
		b, err := monitor.Read(context.Background(), running.Request{Method: "GET", Path: "/metrics"})
		if err != nil {
			return err
		}
		if m := renewals.FindSubmatch(b); m != nil {
			if n, err := strconv.Atoi(string(m[1])); err != nil || n > 0 {
				return err
			}
		}
	}
	return fmt.Errorf("the service made no round of renewals in %s after its start", waitLimit)
}

// revoke revokes the certificates of a person, in a second after that in which their last signature was proven: dates of revocation are whole seconds, and
// of the same one it would not be known which was first.
func (s *service) revoke(p *person) error {
	s.clock.awaitSecond()
	_, err := s.run("authority revoke", "--email", p.email, "--reason", "keyCompromise")
	return err
}

// verify lets the running service validate a file, by its own clock.
func (s *service) verify(path string) (verdict, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return verdict{}, err
	}
	var a struct{ Data ownReport }
	err = (&running.Client{URL: s.URL, RetryFor: waitLimit}).Post("/v1/verify", running.Object{"document_base64": base64.StdEncoding.EncodeToString(b), "filename": filepath.Base(path)}, &a)
	return a.Data.verdict(), err
}
