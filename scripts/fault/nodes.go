package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// node is one process of the service. Several nodes share a PostgreSQL database and a bucket. Each reaches these and the office through
// proxies, so that it can be cut from one of them while the others are not.
type node struct {
	*running.Program
	number   int
	url      string
	data     string // its folder
	office   *running.OfficeProxy
	database *pgtest.Proxy // nil: it is the only node
	files    *pgtest.Proxy // nil: its files are in its folder
	calls    *pgtest.Proxy // before office; nil: it is the only node
	clock    string        // file of the offset of its clock; empty: it is the only node
}

// openNodes prepares the nodes at addresses, and starts none.
func (t *trial) openNodes(at []string, shared string, parts []string) error {
	for i, address := range at {
		n := &node{number: i + 1, url: "http://" + address, data: t.data}
		t.nodes = append(t.nodes, n)
		var err error
		if n.office, err = running.NewOfficeProxy("http://" + t.officeAddress); err != nil {
			return err
		}
		n.office.Asked = func(call string) { t.killer.observeMoment(asking, call, n) }
		n.office.Answered = func(call string, took time.Duration) {
			if call == running.CallStamp {
				t.slots.addCall(n.number, took)
			}
			t.killer.observeMoment(answered, call, n)
		}
		n.office.Delivered = func(call string) { t.killer.observeMoment(told, call, n) }
		office, log := n.office.URL, "service.log"
		env := slices.Clone(parts)
		if t.options.nodes > 1 {
			n.data, log = filepath.Join(t.dir, fmt.Sprintf("node-%d", n.number)), fmt.Sprintf("node-%d.log", n.number)
			if err := n.openProxies(t); err != nil {
				return err
			}
			office = "http://" + n.calls.Address()
			clock, err := n.openClock(t.dir)
			if err != nil {
				return err
			}
			env = append(append(env, clock...), running.NodeEnv(t.masterKey, n.database.DSN(), "http://"+n.files.Address())...)
		}
		n.Program = &running.Program{
			Binary: t.binary, Log: filepath.Join(t.dir, log), Args: []string{"serve", "--data", n.data, "--listen", address},
			Env: append(append(running.OfficeEnv(office, shared, time.Second), "SEGEL_LOG_LEVEL=info", "SEGEL_CONVERT=off",
				"SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8", "SEGEL_ORGANISATION_PRIVATE_NETWORKS=127.0.0.0/8", fmt.Sprintf("SEGEL_OUTBOUND_PORTS=%d", t.receiver.port),
				"SEGEL_MAIL_SERVERS=smtp://"+t.mails.address+"?tls=none", "SEGEL_MAIL_FROM=segel@example.test", "SEGEL_MAIL_TIMEOUT=5s"), env...),
		}
	}
	return nil
}

func (n *node) openProxies(t *trial) (err error) {
	if n.database, err = pgtest.NewProxy(t.database); err != nil {
		return err
	}
	if n.files, err = pgtest.NewTCPProxy(t.bucket.URL.Host); err != nil {
		return err
	}
	n.calls, err = pgtest.NewTCPProxy(strings.TrimPrefix(n.office.URL, "http://"))
	return err
}

func (n *node) close() error {
	n.Stop()
	var all []error
	for _, p := range []*pgtest.Proxy{n.database, n.files, n.calls} {
		if p != nil {
			all = append(all, p.Close())
		}
	}
	if n.office != nil {
		n.office.Close()
	}
	return errors.Join(all...)
}

// startNodes starts the nodes that do not run, one after the other: the first one creates the installation.
func (t *trial) startNodes() error {
	for _, n := range t.nodes {
		if n.PID() != 0 {
			continue
		}
		if err := n.Start(); err != nil {
			return fmt.Errorf("node %d: %w", n.number, err)
		}
	}
	return nil
}

// drawNode returns one of the nodes that run; nil if none does.
func (t *trial) drawNode() *node {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	live := slices.DeleteFunc(slices.Clone(t.nodes), func(n *node) bool { return n.PID() == 0 })
	if len(live) == 0 {
		return nil
	}
	return live[t.chance.IntN(len(live))]
}

// nodeOutages returns what can be taken away from one node, or from all of them. Each outage draws its node when it begins.
func (t *trial) nodeOutages() []outage {
	var n *node
	draw := func(do func() error) func() error {
		return func() error {
			if n = t.drawNode(); n == nil {
				return errors.New("no node runs")
			}
			return do()
		}
	}
	all := append(
		[]outage{{"a node is paused (SIGSTOP)", draw(func() error { return n.signal(syscall.SIGSTOP) }), func() error { return n.signal(syscall.SIGCONT) }}},
		t.clockOutages(func() *node { return n }, draw)...,
	)
	for _, part := range []struct {
		name  string
		proxy func() *pgtest.Proxy
	}{
		{"database", func() *pgtest.Proxy { return n.database }}, {"files", func() *pgtest.Proxy { return n.files }}, {"office", func() *pgtest.Proxy { return n.calls }},
	} {
		for _, f := range []struct {
			name  string
			fault pgtest.Fault
		}{{"refuses its connections", pgtest.Refuse}, {"resets its connections", pgtest.Reset}, {"swallows what it sends", pgtest.Swallow}} {
			all = append(all, outage{
				"a node is cut: its " + part.name + " " + f.name,
				draw(func() error { return part.proxy().Set(f.fault) }), func() error { return part.proxy().Set(pgtest.Pass) },
			})
		}
	}
	return append(all,
		outage{"a node's database commits, and its answer is lost", draw(func() error { return n.database.Set(pgtest.CutCommits) }), func() error { return n.database.Set(pgtest.Pass) }},
		outage{"the database server is stopped (SIGSTOP)", t.server.Freeze, t.server.Thaw},
		outage{"the database server crashes", func() error { t.server.Crash(); return nil }, t.server.Start},
		outage{"the files are away for all nodes", func() error { return t.cutFiles(pgtest.Refuse) }, func() error { return t.cutFiles(pgtest.Pass) }},
	)
}

func (n *node) signal(s syscall.Signal) error {
	pid := n.PID()
	if pid == 0 {
		return nil // it was killed meanwhile
	}
	return syscall.Kill(pid, s)
}

func (t *trial) cutFiles(f pgtest.Fault) error {
	var all []error
	for _, n := range t.nodes {
		all = append(all, n.files.Set(f))
	}
	return errors.Join(all...)
}

// runNodeOutage puts the nodes through an outage while clients and observers go on.
func (t *trial) runNodeOutage(ctx context.Context, o outage) error {
	if err := t.startNodes(); err != nil {
		return err
	}
	lasts, killed := drawOutage(t.random, t.outageCounts[o.name])
	t.disturbances.addNow()
	defer t.disturbances.addNow()
	if err := o.begin(); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	half := time.NewTimer(lasts / 2)
	defer half.Stop()
	<-half.C
	if n := t.drawNode(); killed && n != nil {
		n.Kill()
		t.killedMeanwhile++
	}
	half.Reset(lasts / 2)
	<-half.C
	if err := o.end(); err != nil {
		return fmt.Errorf("end of: %s: %w", o.name, err)
	}
	t.outageCounts[o.name]++
	return ctx.Err()
}

// history observes the orders while they are disturbed: their states, read through all nodes in turn, only go forward. It checks what no
// final state can show: a read after another one never returns an older state, and nothing that was acknowledged is missing in between.
type history struct {
	mu      sync.Mutex // guards the fields below
	reads   int
	refused int
	faults  []string
}

// ranks are the states of an order that was acknowledged, in their order. A document that fails may be processed again.
var ranks = map[string]int{"processing": 1, "failed": 1, "completed": 2}

// observe reads the states of acknowledged orders until ctx ends.
func (h *history) observe(ctx context.Context, t *trial) {
	newest := map[int64]int{}
	for i := 0; ctx.Err() == nil; i++ {
		all := t.listAcknowledged()
		if len(all) == 0 {
			time.Sleep(pause) // polls, as clients do
			continue
		}
		o := all[len(all)-1-i%min(len(all), observed)]
		var a running.StatusAnswer
		b, err := t.client.callOnce(ctx, running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "status/", o)})
		if err == nil {
			err = json.Unmarshal(b, &a)
		}
		h.count(o, a.Data.Status, err, newest)
		time.Sleep(pause / 2)
	}
}

// observed is how many of the newest orders are read in turn.
const observed = 12

func (h *history) count(o int64, state string, err error, newest map[int64]int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var refused *running.Refusal
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		h.faults = append(h.faults, fmt.Sprintf("document %d was acknowledged and is missing", o))
		return
	}
	if err != nil {
		h.refused++
		return
	}
	h.reads++
	rank, ok := ranks[state]
	if !ok || rank < newest[o] {
		h.faults = append(h.faults, fmt.Sprintf("document %d is %s after it was in a later state", o, state))
	}
	newest[o] = max(newest[o], rank)
}

// addTo adds the figures of the history.
func (h *history) addTo(p *resultTable) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p.addFigure("states read through all nodes meanwhile; not answered", "%d; %d", h.reads, h.refused)
	p.addZeroCount("**states that went back, or acknowledged documents that were missing**", h.faults)
}

// listAcknowledged returns the documents of the orders that were acknowledged so far.
func (t *trial) listAcknowledged() []int64 {
	t.drawing.Lock()
	defer t.drawing.Unlock()
	return slices.Clone(t.acknowledgedIDs)
}

// checkNodes runs fsck over database and bucket, with the settings of the first node. It must find nothing; what crashes left is not damage, and
// is counted.
func (t *trial) checkNodes(ctx context.Context) (findings []string, err error) {
	out, err := t.nodes[0].runCommand(ctx, "fsck")
	var failed *exec.ExitError
	if err == nil || !errors.As(err, &failed) || failed.ExitCode() != 1 {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		findings = append(findings, strings.TrimSpace(line))
	}
	return findings, nil
}

// runCommand runs a command of the program with the settings of a node, and returns what it prints.
func (n *node) runCommand(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, n.Binary, append(args, "--data", n.data)...)
	c.Env = append(running.Environ(), n.Env...)
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("segel %s: %w", strings.Join(args, " "), err)
	}
	return out, err
}

// findS3Server returns the program of the S3 server that scripts/s3server/setup builds.
func findS3Server() (string, error) {
	const program = "build/versitygw"
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("several nodes need the S3 server: run scripts/s3server/setup: %w", err)
	}
	return program, nil
}
