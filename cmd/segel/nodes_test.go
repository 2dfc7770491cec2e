package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai/sandbox"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// nodeWait bounds the waits for a node; a passing test never uses it up.
const nodeWait = 90 * time.Second

// officeCall is a call of a node to the stamp office.
type officeCall struct {
	node int
	path string
}

// cluster is two nodes on one database server, with one data folder and one stamp office. Each reaches the database and the office
// through proxies that only it uses.
type cluster struct {
	t        *testing.T
	nodes    [2]*process
	database [2]*pgtest.Proxy
	dsn      string // of the database itself
	data     string
	store    *sqlstore.Store
	office   bureau

	mu    sync.Mutex // guards the fields below
	calls []officeCall
	sign  func(serial string) // called before the office stamps a document; nil: nothing is

	ofNode func(node int) []string // further settings of a node; nil: none

	news chan officeCall // each call that costs or asks about what was bought
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	return startClusterWith(t, func(*cluster) []string { return nil })
}

// startClusterWith is startCluster with settings that replace others, and that may name the address of the office.
func startClusterWith(t *testing.T, settings func(*cluster) []string) *cluster {
	t.Helper()
	c := &cluster{t: t, office: bureauOf(t, "cloud", sandbox.Plan{}), news: make(chan officeCall, 1000)}
	dsn := pgtest.Database(t, sqlstore.Migrate)
	s, err := sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	c.store = s
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	data, more := filepath.Join(t.TempDir(), "data"), settings(c)
	c.dsn, c.data = dsn, data
	for i := range c.nodes {
		if c.database[i], err = pgtest.NewProxy(dsn); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.database[i].Close(); err != nil {
				t.Error(err)
			}
		})
		env := []string{"SEGEL_DATABASE=" + c.database[i].DSN(), "SEGEL_EVIDENCE=request", "SEGEL_RECONCILE_EVERY=0s", "SEGEL_SHUTDOWN_WAIT=5s"}
		for j := 0; j < len(c.office.conf); j += 2 {
			env = append(env, c.office.conf[j]+"="+strings.ReplaceAll(c.office.conf[j+1], c.office.url, c.officeOfNode(i)))
		}
		if c.ofNode != nil {
			env = append(env, c.ofNode(i)...)
		}
		if c.nodes[i], err = launch(data, append(env, more...)...); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			p := c.nodes[i]
			if p.cmd.ProcessState == nil { // it was not killed
				_ = c.database[i].Set(pgtest.Pass)
				_ = p.cmd.Process.Signal(syscall.SIGCONT)
				if err := p.end(); err != nil {
					t.Errorf("node %d: %v", i, err)
				}
			}
			t.Logf("node %d: %s", i, &p.stderr)
		})
	}
	o, err := s.FirstOrganisation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []contract.Unit{contract.UnitStamp, contract.UnitSignature} {
		if _, err := s.Grant(t.Context(), o.ID, unit, 100, "test", contract.Actor{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// officeOfNode returns the address of the office for a node. It reports the node's calls.
func (c *cluster) officeOfNode(node int) string {
	target, err := url.Parse(c.office.url)
	if err != nil {
		c.t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := officeCall{node, r.URL.Path}
		c.mu.Lock()
		c.calls = append(c.calls, call)
		sign := c.sign
		c.mu.Unlock()
		if sign != nil && strings.HasSuffix(call.path, "/docSigningZ") {
			sign(takeSerial(c.t, r))
		}
		if strings.HasSuffix(call.path, "/stampv2") || strings.Contains(call.path, "/sale/stamp/ext/") {
			c.news <- call
		}
		forward.ServeHTTP(w, r)
	}))
	c.t.Cleanup(server.Close)
	return server.URL
}

// setFaults sets the faults of the office.
func (c *cluster) setFaults(plan string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), "PUT", c.office.url+"/control/faults", strings.NewReader(plan))
	if err != nil {
		c.t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode >= 300 {
		c.t.Fatal(a.Status)
	}
}

// nextCall returns the next call that buys, or asks what was bought.
func (c *cluster) nextCall() officeCall {
	c.t.Helper()
	select {
	case call := <-c.news:
		return call
	case <-time.After(nodeWait):
		c.t.Fatal("the office was not called")
		return officeCall{}
	}
}

// living returns the nodes that have not ended.
func (c *cluster) living() (names []string) {
	c.t.Helper()
	all, _, err := c.store.ListNodes(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	for _, n := range all {
		if n.EndedAt.IsZero() {
			names = append(names, n.Name)
		}
	}
	return names
}

// follow reads the events of a document at a node until it has that state.
func (p *process) follow(t *testing.T, token string, id int64, state string) {
	t.Helper()
	p.stream(t, token, id)(state)
}

// stream opens the events of a document at a node, and returns a function that reads them until it has a state.
func (p *process) stream(t *testing.T, token string, id int64) (readUntil func(state string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nodeWait)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", p.url+documentPath+fmt.Sprint("events/", id), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-access-token", token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Body.Close() })
	var seen bytes.Buffer
	lines := bufio.NewScanner(a.Body)
	return func(state string) {
		t.Helper()
		for lines.Scan() {
			seen.Write(lines.Bytes())
			if strings.Contains(lines.Text(), `"status":"`+state+`"`) {
				return
			}
		}
		t.Fatalf("document %d did not become %s: %s", id, state, &seen)
	}
}

// seesCommits requires that a stream of one node shows what the other commits.
func (c *cluster) seesCommits(owner *client) {
	c.t.Helper()
	id := owner.upload(simple(), owner.as("signer", 1))
	owner.place(id, owner.at("sign", 100, 100, 200, 160)).ok()
	readUntil := c.nodes[1].stream(c.t, owner.token, id)
	readUntil("draft")
	owner.verb("finalize-docs", id).ok()
	readUntil("processing")
	if all := c.nodes[0].get(c.t, "/readyz"); strings.Count(all, "(api,worker,convert)") != 2 {
		c.t.Errorf("nodes: %s", all)
	}
}

// get returns the answer to an operator on the machine.
func (p *process) get(t *testing.T, path string) string {
	t.Helper()
	a, err := http.Get(p.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAProcessAnswersByItsRoles(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := serve(t, data, "SEGEL_ROLE=worker,convert")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/": 404, "/docs": 404, "/v1/auth/session": 404} {
		a, err := http.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != want {
			t.Errorf("%s: answered %d, want %d", path, a.StatusCode, want)
		}
	}
	var out, errs bytes.Buffer
	w := &environment{ctx: t.Context(), stdout: &out, stderr: &errs}
	if status := w.runCommand([]string{"serve", "--data", data, "--role", "api,printer"}); status == 0 || !strings.Contains(errs.String(), `"printer" is not a role`) {
		t.Errorf("an unknown role: %d, %s%s", status, &out, &errs)
	}
	if status := w.runCommand([]string{"nodes", "--data", data}); status != 0 || !strings.HasPrefix(out.String(), "NAME") {
		t.Errorf("the list of nodes: %d, %s%s", status, &out, &errs)
	}
}

// continuedWithin is how long after the end of a lease the work of the node has to go on elsewhere. The others look at the moment at which a lease ends, and take
// milliseconds then; the rest is for a machine that does much else. Work that waits for another limit is later: transactions of a suspended
// process end by themselves after 30 s, and a mail under way used to be due after two minutes.
const continuedWithin = 20 * time.Second

// awaitLeaseEnd waits until one of these nodes has ended, and returns when its lease did.
func (c *cluster) awaitLeaseEnd(nodes []string) time.Time {
	c.t.Helper()
	for end := time.Now().Add(nodeWait); ; time.Sleep(20 * time.Millisecond) { // between two questions
		all, _, err := c.store.ListNodes(c.t.Context())
		if err != nil {
			c.t.Fatal(err)
		}
		for _, n := range all {
			if slices.Contains(nodes, n.Name) && !n.EndedAt.IsZero() {
				return n.ExpiresAt
			}
		}
		if time.Now().After(end) {
			c.t.Fatal("no node was ended")
		}
	}
}

// holdMails has each node send a mail that its mail server does not answer. A node sends four at a time, so the second one gets a mail too.
func (c *cluster) holdMails(owner *client, servers [2]*mailServer) {
	c.t.Helper()
	for _, m := range servers {
		m.hold()
	}
	for n := 1; ; n++ {
		id := owner.uploadWith(object{"guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}, simple())
		owner.verb("finalize-docs", id).ok()
		for deadline := time.After(nodeWait); ; {
			first, toFirst := servers[0].heldMails()
			second, toSecond := servers[1].heldMails()
			if len(first) > 0 && len(second) > 0 {
				return
			}
			if len(first)+len(second) >= n {
				break
			}
			select {
			case <-toFirst:
			case <-toSecond:
			case <-deadline:
				c.t.Fatalf("%d mails of %d are sent", len(first)+len(second), n)
			}
		}
	}
}

// TestTheWorkOfANodeThatIsPausedOrCutOffOrKilledGoesOnElsewhere disturbs a node while the office carries out its purchase and a mail server has its mail: the answers
// are lost. The other node first asks the office what was bought, and buys nothing, and sends the mail again under its Message-ID. The disturbed node commits nothing any more under
// its name, and goes on under another.
func TestTheWorkOfANodeThatIsPausedOrCutOffOrKilledGoesOnElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	var mails [2]*mailServer
	c := startClusterWith(t, func(c *cluster) []string {
		c.ofNode = func(node int) []string {
			m, set := startMailServer(t)
			mails[node] = m
			return environ(set)
		}
		return nil
	})
	first := c.nodes[0]
	owner := first.login(t, first.email, first.password)
	c.seesCommits(owner)
	signal := func(s syscall.Signal) func(int) error {
		return func(node int) error { return c.nodes[node].cmd.Process.Signal(s) }
	}
	database := func(f pgtest.Fault) func(int) error {
		return func(node int) error { return c.database[node].Set(f) }
	}
	for _, fault := range []struct {
		name       string
		begin, end func(node int) error
	}{
		{"paused", signal(syscall.SIGSTOP), signal(syscall.SIGCONT)},
		{"cut off", database(pgtest.Swallow), database(pgtest.Pass)},
		{"killed", signal(syscall.SIGKILL), nil},
	} {
		before := c.living()
		if len(before) != 2 {
			t.Fatalf("%s: nodes %v", fault.name, before)
		}
		c.holdMails(owner, mails)
		c.setFaults(`{"rules": [{"call": "stampv2", "fault": "late", "delay": "8s", "at": [1]}]}`)
		id := owner.upload(simple(), owner.as("signer", 1))
		owner.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
		owner.verb("finalize-docs", id).ok()
		bought := c.nextCall()
		if !strings.HasSuffix(bought.path, "/stampv2") {
			t.Fatalf("%s: the first call is %s", fault.name, bought.path)
		}
		began := time.Now()
		if err := fault.begin(bought.node); err != nil {
			t.Fatal(err)
		}
		other := 1 - bought.node
		mails[other].answer()
		asked := c.nextCall()
		ended := c.awaitLeaseEnd(before)
		t.Logf("%s: the other node went on after %s, %s after the lease", fault.name, time.Since(began), time.Since(ended))
		under, _ := mails[bought.node].heldMails()
		for _, mail := range under {
			mails[other].awaitMail(t, mail)
		}
		if late := time.Since(ended); late > continuedWithin {
			t.Errorf("%s: stamps and mails went on %s after the lease", fault.name, late)
		}
		mails[bought.node].answer()
		if asked.node != other || !strings.Contains(asked.path, "/sale/stamp/ext/") {
			t.Errorf("%s: after the purchase of node %d came %v, want a question of the other", fault.name, bought.node, asked)
		}
		owner = owner.on(c.nodes[other].service)
		c.nodes[other].follow(t, owner.token, id, "completed")
		done := owner.get("detail", id).ok().object("data")
		if n := len(owner.get("status", id).ok().object("data")["serial_number"].([]any)); n != 1 {
			t.Errorf("%s: %d serials", fault.name, n)
		}
		if fault.end == nil {
			if err := c.nodes[bought.node].cmd.Wait(); err == nil {
				t.Errorf("%s: it ended by itself", fault.name)
			}
		} else {
			if err := fault.end(bought.node); err != nil {
				t.Fatal(err)
			}
			c.awaitJoined(before)
		}
		if again := owner.get("detail", id).ok().object("data"); again["version"] != done["version"] {
			t.Errorf("%s: version %v after the node went on, before %v", fault.name, again["version"], done["version"])
		}
		c.requireOnePurchase(fault.name)
	}
}

func TestANodeThatWasCutOffEndsIfTheAuthorityWasReplacedMeanwhile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	c := startCluster(t)
	if err := c.database[1].Set(pgtest.Swallow); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(nodeWait); len(c.living()) > 1; time.Sleep(20 * time.Millisecond) { // between two questions
		if time.Now().After(end) {
			t.Fatal("its lease did not end")
		}
	}
	read, _, err := c.store.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write := read
	write.Authority[0]++
	if err := c.store.ReplaceInstallation(t.Context(), read, write); err != nil {
		t.Fatal(err)
	}
	if err := c.database[1].Set(pgtest.Pass); err != nil {
		t.Fatal(err)
	}
	err = c.nodes[1].cmd.Wait()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 3 {
		t.Errorf("it ended with %v, want the exit status 3", err)
	}
	if err := c.store.ReplaceInstallation(t.Context(), write, read); err != nil {
		t.Fatal(err)
	}
}

// awaitJoined waits until two nodes live, one of them under a new name, and both are ready.
func (c *cluster) awaitJoined(before []string) {
	c.t.Helper()
	for end := time.Now().Add(nodeWait); ; {
		now := c.living()
		kept := 0
		for _, name := range now {
			if name == before[0] || name == before[1] {
				kept++
			}
		}
		if len(now) == 2 && kept == 1 && c.ready(0) && c.ready(1) {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("nodes %v, before %v; ready: %v, %v", now, before, c.ready(0), c.ready(1))
		}
		time.Sleep(20 * time.Millisecond) // between two questions
	}
}

func (c *cluster) ready(node int) bool {
	a, err := http.Get(c.nodes[node].url + "/readyz")
	if err != nil {
		return false
	}
	a.Body.Close()
	return a.StatusCode == http.StatusOK
}

// requireOnePurchase requires that one serial was bought since it was called last.
func (c *cluster) requireOnePurchase(what string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, call := range c.calls {
		if strings.HasSuffix(call.path, "/stampv2") {
			n++
		}
	}
	c.calls = nil
	if n != 1 {
		c.t.Errorf("%s: %d purchases", what, n)
	}
}

// takeSerial returns the serial of a call that has a document stamped, and leaves the call as it was.
func takeSerial(t *testing.T, r *http.Request) string {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return "" // the node ended during its call
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	var body struct {
		Serial string `json:"refToken"`
	}
	if err := json.Unmarshal(b, &body); err != nil {
		t.Errorf("a call of the office: %v", err)
	}
	return body.Serial
}

// TestABatchOnTwoNodesDelaysAnotherOrganisationsStampByTwoOfItsOrders has a batch fill all workers of both nodes, which wait for the only slot of the
// office, which each reaches at another address. The order of another organisation needs one of its workers first, which is free after one stamp, and then the slot, which is
// free after the next one.
func TestABatchOnTwoNodesDelaysAnotherOrganisationsStampByTwoOfItsOrders(t *testing.T) {
	t.Parallel()
	c := startClusterWith(t, func(*cluster) []string {
		return []string{"SEGEL_STAMP_TIMEOUT=2m", "SEGEL_MAX_JOBS=4", "SEGEL_STAMP_SLOTS=1"}
	})
	first := c.nodes[0]
	owner := first.login(t, first.email, first.password)
	other := c.addPerson("PT Lain", "lain@example.test")
	signed, goOn := make(chan string), make(chan struct{})
	var once sync.Once
	open := func() { once.Do(func() { close(goOn) }) }
	t.Cleanup(open)
	c.mu.Lock()
	c.sign = func(serial string) {
		select {
		case signed <- serial:
			<-goOn
		case <-t.Context().Done():
		}
	}
	c.mu.Unlock()
	order := func(by *client) int64 {
		id := by.upload(simple())
		by.place(id, by.at("emet", 100, 100, 160, 160)).ok()
		by.verb("finalize-docs", id).ok()
		return id
	}
	next := func() string {
		t.Helper()
		select {
		case serial := <-signed:
			return serial
		case <-time.After(nodeWait):
			t.Fatal("the office was not called")
			return ""
		}
	}
	for range 12 {
		order(owner)
	}
	next() // the slot is taken
	c.awaitWaiting("Segel", 7)
	single := order(other.on(c.nodes[1].service))
	goOn <- struct{}{}
	next()
	c.awaitWaiting("PT Lain", 1)
	goOn <- struct{}{}
	serial := next()
	open()
	go func() {
		for {
			select {
			case <-signed:
			case <-t.Context().Done():
				return
			}
		}
	}()
	c.nodes[1].follow(t, other.token, single, "completed")
	if of := other.get("status", single).ok().object("data")["serial_number"].([]any); len(of) != 1 || of[0] != serial {
		t.Errorf("the third document that the office stamped has serial %s, and the other organisation's %v", serial, of)
	}
}

// addPerson adds a person to an organisation, which is created and gets what it needs for a few documents, and logs them in at the first node.
func (c *cluster) addPerson(organisation, email string) *client {
	c.t.Helper()
	secret := filepath.Join(c.t.TempDir(), "password")
	if err := os.WriteFile(secret, []byte(password+"\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	for _, args := range [][]string{
		{"user", "add", "--org", organisation, "--email", email, "--name", "Orang Lain", "--password-file", secret},
		{"quota", "add", "--org", organisation, "--unit", "emet", "--count", "10", "--reason", "test"},
		{"quota", "add", "--org", organisation, "--unit", "base", "--count", "10", "--reason", "test"},
	} {
		env := append([]string{"SEGEL_DATABASE=" + c.dsn}, environ(c.office.conf)...)
		if said := runProgram(c.t, env, append(args, "--data", c.data)...); said.status != 0 {
			c.t.Fatalf("%v: %s", args, said.text)
		}
	}
	return c.nodes[0].login(c.t, email, password)
}

// awaitWaiting waits until so many calls for an organisation wait for a slot of the office.
func (c *cluster) awaitWaiting(organisation string, n int) {
	c.t.Helper()
	db, err := sql.Open("pgx", c.dsn)
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	for end := time.Now().Add(nodeWait); ; {
		var waiting int
		err := db.QueryRowContext(c.t.Context(), `SELECT count(*) FROM lease_wait WHERE organisation = (SELECT id FROM organisation WHERE name = $1)`, organisation).Scan(&waiting)
		if err != nil {
			c.t.Fatal(err)
		}
		if waiting == n {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("%d calls for %s wait, want %d", waiting, organisation, n)
		}
		time.Sleep(20 * time.Millisecond) // between two questions
	}
}

func TestANodeWhoseLeaseHasRunOutIsNotAmongTheLivingOnes(t *testing.T) {
	t.Parallel()
	s := starting{set: []string{"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate), "SEGEL_PUBLIC_URL", "http://segel.test"}, idle: true}.start(t)
	own := s.process.Name()
	if err := s.process.Leave(); err != nil { // which would end the row of the other node
		t.Fatal(err)
	}
	requireLiving := func(want bool, when string) {
		t.Helper()
		if living, err := s.describeNodes(t.Context()); err != nil || (living != "") != want || strings.Contains(living, own) {
			t.Errorf("%s: %q, %v", when, living, err)
		}
	}
	if err := s.store.AddNode(t.Context(), store.Node{Name: "killed", Host: "host"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	requireLiving(true, "with a lease")
	if _, err := s.store.RenewNode(t.Context(), "killed", 0); err != nil {
		t.Fatal(err)
	}
	requireLiving(false, "after its lease")
}
