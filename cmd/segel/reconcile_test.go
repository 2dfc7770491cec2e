package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/emeterai/peruri"
	"segel/internal/emeterai/sandbox"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	"segel/pades"
)

// counter is a service that affixes stamps when the test says so, with an office whose behaviour the test controls.
type counter struct {
	*service
	t       *testing.T
	bureau  bureau
	owner   *client
	outside *peruri.Driver // another client with the same account
}

func newCounter(t *testing.T, data string, set ...string) *counter {
	t.Helper()
	b := bureauOf(t, "adapter", sandbox.Plan{})
	b.conf = append(b.conf, "SEGEL_STAMP_PICTURE_PATH", "/snqr/qrimage?sn={serial}")
	b.conf = append(b.conf, set...)
	c := &counter{t: t, bureau: b, service: starting{idle: true, data: data, set: b.conf}.start(t)}
	if err := c.openOffice(); err != nil {
		t.Fatal(err)
	}
	c.owner = c.person(t, "Pemilik", "")
	var err error
	c.outside, err = peruri.Open(peruri.Options{
		Client: http.DefaultClient, Clock: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Known: func(context.Context, string, bool) (bool, error) { return false, nil },
		Dir: t.TempDir(), Form: peruri.Adapter, LoginURL: b.url, User: "u", Password: "p", Adapters: []string{b.url}, Shared: b.shared, Kind: "Surat Perjanjian",
		Specimen: true, Timeout: 20 * time.Second, StampTimeout: 20 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.outside.Close() })
	return c
}

// faults sets the faults of the office from now on.
func (c *counter) faults(rules ...sandbox.Rule) {
	c.t.Helper()
	body, err := json.Marshal(sandbox.Plan{Rules: rules})
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPut, c.bureau.url+"/control/faults", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode/100 != 2 {
		c.t.Fatalf("the office takes no faults: %s", a.Status)
	}
}

func always(call sandbox.Call, fault sandbox.Fault, code string) sandbox.Rule {
	p := 1.0
	return sandbox.Rule{Call: call, Fault: fault, Code: code, P: &p}
}

// stamped orders a stamp and runs affixing with that fault; it returns the document's stamp after that.
func (c *counter) stamped(rules ...sandbox.Rule) (contract.DocumentID, contract.Stamp) {
	c.t.Helper()
	id := c.owner.upload(simple())
	c.owner.place(id, c.owner.at("emet", 100, 100, 160, 160)).ok()
	c.owner.verb("finalize-docs", id).ok()
	c.faults(rules...)
	_ = c.workflow.Stamp(context.Background(), contract.DocumentID(id)) // the document records the error
	c.faults()
	return contract.DocumentID(id), c.stamp(contract.DocumentID(id))
}

func (c *counter) stamp(id contract.DocumentID) contract.Stamp {
	c.t.Helper()
	d, err := c.store.Document(context.Background(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	return d.Stamps[0]
}

// again continues with a document's stamps.
func (c *counter) again(id contract.DocumentID) {
	c.t.Helper()
	if err := c.workflow.Stamp(context.Background(), id); err != nil {
		c.t.Fatal(err)
	}
}

// bought returns a serial that another client took from the account.
func (c *counter) bought(order string) string {
	c.t.Helper()
	serial, err := c.outside.BuySerial(context.Background(), emeterai.Order{ID: order, Organisation: "x", Payer: "x", Title: "Lain", Filename: "lain.pdf", Date: time.Now()})
	if err != nil {
		c.t.Fatal(err)
	}
	return serial
}

func (c *counter) boughtAndAffixed(order string) string {
	c.t.Helper()
	serial, file := c.bought(order), simple()
	_, err := c.outside.Stamp(context.Background(), emeterai.Request{
		Serial: serial, Source: pades.Source{R: bytes.NewReader(file), Size: int64(len(file))}, Digest: sha256.Sum256(file), Page: 1, Box: emeterai.Box{LLX: 100, LLY: 100, URX: 160, URY: 160},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return serial
}

// registered adds a serial to our register without the program.
func (c *counter) registered(s contract.StampSerial) {
	c.t.Helper()
	s.RegisteredAt, s.ChangedAt = time.Now(), time.Now()
	if err := c.store.MoveSerials(context.Background(), []contract.SerialMove{{To: s}}); err != nil {
		c.t.Fatal(err)
	}
}

// reconciles requires those differences, by serial, and returns how many are unexplained.
func (c *counter) reconciles(phase string, by *client, want map[string]contract.DifferenceKind) int {
	c.t.Helper()
	report := by.do("POST", "/v1/admin/reconciliation", nil).ok().object("response", "data", "report")
	got := map[string]contract.DifferenceKind{}
	for _, d := range report["differences"].([]any) {
		d := d.(object)
		serial, _ := d["serial"].(string)
		got[serial] = contract.DifferenceKind(d["kind"].(string))
		if d["msg"] == "" || strings.ContainsAny(d["msg"].(string), "{?") {
			c.t.Errorf("%s: said of %s: %q", phase, serial, d["msg"])
		}
	}
	for serial, kind := range want {
		if got[serial] != kind {
			c.t.Errorf("%s: %s is %q, want %q", phase, serial, got[serial], kind)
		}
	}
	for serial, kind := range got {
		if want[serial] == "" {
			c.t.Errorf("%s: %s is %q, want nothing", phase, serial, kind)
		}
	}
	return int(report["unexplained"].(float64))
}

// TestEveryDifferenceWithTheOfficeIsReportedAndSettled creates each kind of difference over the office's protocol.
func TestEveryDifferenceWithTheOfficeIsReportedAndSettled(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{"SQLite": nil, "PostgreSQL": {"SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			differAndSettle(t, newCounter(t, "", set...))
		})
	}
}

func differAndSettle(t *testing.T, c *counter) {
	ctx := context.Background()
	operator, other := c.administrator(t, "Operator", ""), c.administrator(t, "Admin", "PT Lain")
	refused := func(done sandbox.Fault) (contract.DocumentID, contract.Stamp) {
		id, s := c.stamped(always(sandbox.CallStamp, done, "83"))
		if s.State != contract.StampRefused {
			t.Fatalf("the stamp is %s: %s", s.State, s.Problem)
		}
		return id, s
	}

	fine, agreed := c.stamped()
	if agreed.State != contract.StampAffixed {
		t.Fatalf("the stamp is %s: %s", agreed.State, agreed.Problem)
	}
	inWork, lost := c.stamped(always(sandbox.CallStamp, sandbox.FaultLost, ""))
	_, failed := refused(sandbox.FaultErrorDone)
	spentOn, spent := refused(sandbox.FaultErrorDone)
	c.owner.verb("cancel-docs", int64(spentOn)).ok()
	freedBy, freed := refused(sandbox.FaultError)
	c.owner.verb("cancel-docs", int64(freedBy)).ok()
	inDoubt, _ := c.stamped(always(sandbox.CallBuy, sandbox.FaultLost, ""))
	if s := c.stamp(inDoubt); s.State != contract.StampRequested {
		t.Fatalf("the stamp is %s: %s", s.State, s.Problem)
	}
	known := map[string]bool{}
	for _, s := range c.list() {
		known[s.Serial] = true
	}
	twice, strange, used := c.bought(agreed.Order), c.bought("bukanpesanan"), c.boughtAndAffixed("orang")
	doubted := ""
	for serial := range known {
		if _, err := c.store.Serial(ctx, serial); err != nil {
			doubted = serial
		}
	}
	notAffixed := c.bought("kosong")
	c.registered(contract.StampSerial{Serial: notAffixed, Organisation: c.organisation(), State: contract.SerialAffixed, Document: fine, Placement: 50})
	c.registered(contract.StampSerial{Serial: "SPESIMEN-0000000MISSING", Organisation: c.organisation(), State: contract.SerialFree})

	c.workflow.InDoubtPeriod = time.Hour
	n := c.reconciles("while nothing is settled", operator, map[string]contract.DifferenceKind{
		lost.Serial: contract.DifferInWork, failed.Serial: contract.DifferFailed, spent.Serial: contract.DifferSpent, freed.Serial: contract.DifferSettling,
		doubted: contract.DifferInDoubt, strange: contract.DifferInDoubt, twice: contract.DifferFound, used: contract.DifferUnknownAffixed,
		notAffixed: contract.DifferChanged, "SPESIMEN-0000000MISSING": contract.DifferChanged,
	})
	if n != 2 { // spent and used
		t.Errorf("%d are unexplained", n)
	}
	if told := other.do("GET", "/v1/admin/reconciliation", nil).ok().object("data", "report"); len(told["differences"].([]any)) != 0 || told["office"] != nil || told["unexplained"] != 0.0 {
		t.Errorf("another organisation's admin is told %v", told)
	}

	c.workflow.InDoubtPeriod = 0
	c.again(inWork)
	c.again(inDoubt)
	if s := c.stamp(inDoubt); s.Serial != doubted || s.State != contract.StampAffixed {
		t.Errorf("the order in doubt came to %s, %s", s.Serial, s.State)
	}
	n = c.reconciles("once all is settled", operator, map[string]contract.DifferenceKind{
		failed.Serial: contract.DifferFailed, freed.Serial: contract.DifferFreed, twice: contract.DifferFreed, strange: contract.DifferFound,
		used: contract.DifferUnknownAffixed, notAffixed: contract.DifferNotAffixed, "SPESIMEN-0000000MISSING": contract.DifferMissing,
	})
	if n != 3 {
		t.Errorf("%d are unexplained", n)
	}
	still := map[string]contract.DifferenceKind{
		failed.Serial: contract.DifferFailed, used: contract.DifferUnknownAffixed, notAffixed: contract.DifferNotAffixed, "SPESIMEN-0000000MISSING": contract.DifferMissing,
	}
	unassigned := map[string]contract.DifferenceKind{strange: contract.DifferUnassigned}
	for k, v := range still {
		unassigned[k] = v
	}
	c.reconciles("with one without an organisation", operator, unassigned)
	if err := c.workflow.GiveSerial(ctx, contract.Actor{}, strange, c.organisation()); err != nil {
		t.Fatal(err)
	}
	given := map[string]contract.DifferenceKind{strange: contract.DifferFreed}
	for k, v := range still {
		given[k] = v
	}
	c.reconciles("once it was given away", operator, given)

	// Free serials are used first, and none is bought.
	before := len(c.list())
	free := []string{freed.Serial, twice, strange}
	for range free {
		_, s := c.stamped()
		i := slices.Index(free, s.Serial)
		if s.State != contract.StampAffixed || i < 0 {
			t.Fatalf("stamped with %s, %s: %s", s.Serial, s.State, s.Problem)
		}
		free[i] = ""
	}
	if after := len(c.list()); after != before {
		t.Errorf("%d serials were bought", after-before)
	}
	c.reconciles("at last", operator, still)

	c.faults(always(sandbox.CallSerials, sandbox.FaultOutage, ""))
	report := operator.do("POST", "/v1/admin/reconciliation", nil).ok().object("response", "data", "report")
	if report["problem"] == nil || report["office"] != nil || len(report["differences"].([]any)) != 0 {
		t.Errorf("of an office that is away: %v", report)
	}
	events := operator.do("GET", "/v1/admin/audit-log?type=reconciled", nil).ok().object("data")["events"].([]any)
	if len(events) == 0 {
		t.Error("the log does not say who compared the account with the register")
	}
	if err := c.store.CheckLog(ctx); err != nil {
		t.Error(err)
	}
}

func (c *counter) list() []emeterai.Serial {
	c.t.Helper()
	all, err := c.outside.ListSerials(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

func (c *counter) organisation() contract.OrganisationID {
	c.t.Helper()
	o, err := c.store.FirstOrganisation(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	return o.ID
}

// TestReconcileEndsWithAStatusThatSaysWhatToDo runs the command.
func TestReconcileEndsWithAStatusThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	c := newCounter(t, data)
	c.stamped()
	found := c.bought("lain")
	c.stop()
	run := func(args ...string) (int, string) {
		var out, log bytes.Buffer
		w := &environment{ctx: context.Background(), stdout: &out, stderr: &log}
		for i := 0; i+1 < len(c.bureau.conf); i += 2 {
			w.env = append(w.env, c.bureau.conf[i]+"="+c.bureau.conf[i+1])
		}
		w.env = append(w.env, "SEGEL_STAMP_TIMEOUT=1s", "SEGEL_STAMP_FILE_TIMEOUT=1s")
		return w.runCommand(append([]string{"reconcile", "--data", data}, args...)), out.String() + log.String()
	}
	if status, out := run(); status != 0 || !strings.Contains(out, found+" is unused at the issuer and was not in the register") || !strings.Contains(out, "1 differences, 0 unexplained") {
		t.Errorf("%d: %s", status, out)
	}
	used := c.boughtAndAffixed("orang")
	status, out := run("--json")
	var r contract.Reconciliation
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 1 || r.Unexplained != 1 || r.Differences[0].Serial != used || r.Differences[0].Kind != contract.DifferUnknownAffixed {
		t.Errorf("%d, %v: %s", status, err, out)
	}
	c.faults(always("", sandbox.FaultOutage, ""))
	if status, out := run(); status != 2 || !strings.Contains(out, "could not be queried") {
		t.Errorf("%d: %s", status, out)
	}
	for _, give := range []string{"", "X", "=Segel", "X=", found + "=Nowhere", found + "=Segel", "X=Segel"} {
		if status, out := run("--give", give); status != 1 {
			t.Errorf("gave %q: %d: %s", give, status, out)
		}
	}
}

// The in-process sandbox office is the default, and its folder belongs to the running service.
func TestReconcileAsksTheOfficeThatARunningServiceHasInProcess(t *testing.T) {
	t.Parallel()
	s := start(t)
	var out bytes.Buffer
	w := &environment{ctx: t.Context(), stdout: &out, stderr: &out}
	if status := w.runCommand([]string{"reconcile", "--data", s.conf.DataDir}); status != 0 || !strings.Contains(out.String(), "0 unexplained") {
		t.Errorf("%d: %s", status, out.String())
	}
}

// TestServiceReconcilesOnSchedule starts services in sequence on the same folder.
func TestServiceReconcilesOnSchedule(t *testing.T) {
	t.Parallel()
	ctx, b, data := context.Background(), bureauOf(t, "adapter", sandbox.Plan{}), filepath.Join(t.TempDir(), "data")
	var ahead time.Duration
	last := func() int64 {
		s := starting{idle: true, data: data, set: b.conf, clock: func() time.Time { return time.Now().Add(ahead) }}.start(t)
		defer s.stop()
		if err := s.openOffice(); err != nil {
			t.Fatal(err)
		}
		if err := s.reconcileDue(ctx); err != nil {
			t.Fatal(err)
		}
		r, err := s.store.LastReconciliation(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return r.Number
	}
	if n := last(); n != 1 {
		t.Errorf("the first start made reconciliation %d", n)
	}
	if n := last(); n != 1 {
		t.Errorf("a start soon after made reconciliation %d", n)
	}
	ahead = 25 * time.Hour
	if n := last(); n != 2 {
		t.Errorf("the next day there was reconciliation %d", n)
	}

	s := start(t, append(b.conf, "SEGEL_RECONCILE_EVERY", "24h")...) // a running service reconciles by itself
	for deadline := time.Now().Add(20 * time.Second); ; {
		_, err := s.store.LastReconciliation(ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrNotFound) || time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
