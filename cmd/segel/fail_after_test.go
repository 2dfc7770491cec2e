package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/convert/converttest"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
)

// faultSteps are the ports that fail, and of how many calls of each one fails unless all are tried.
var faultSteps = map[port]int{
	portStore: 29, portBlob: 23, portRead: 101, portKey: 2, portTimestamp: 3, portOffice: 3, portConverter: 1, portMail: 5, portWebhook: 9,
}

// TestTheWholeJobIsDoneOnceWhateverCallFails runs one job, from the upload of a Word document to its completion, mails and webhooks, again and
// again. In each run another call of a port fails, before its effect or after it with a lost answer, until there are fewer calls. The client repeats
// its requests with their keys, and the service does the rest by itself.
func TestTheWholeJobIsDoneOnceWhateverCallFails(t *testing.T) {
	if testing.Short() {
		t.Skip("long: not for the race detector")
	}
	t.Parallel()
	var runs atomic.Int64
	t.Cleanup(func() { t.Logf("%d runs with a fault", runs.Load()) })
	for p, step := range faultSteps {
		if triesEvery() {
			step = 1
		}
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			j := newFaultyJob(t)
			j.failEach(t, p, false, step, &runs)
			if p != portRead { // reading has no effect
				j.failEach(t, p, true, step, &runs)
			}
		})
	}
	if triesEvery() {
		t.Run("store on PostgreSQL", func(t *testing.T) {
			t.Parallel()
			newFaultyJob(t, "SEGEL_DATABASE", pgtest.Database(t, sqlstore.Migrate)).failEach(t, portStore, true, 7, &runs)
		})
	}
}

// failEach runs the job with the call 1, 1+step and so on of a port failing, until there are fewer calls.
func (j *faultyJob) failEach(t *testing.T, p port, after bool, step int, runs *atomic.Int64) {
	if j.usual == nil {
		j.run(t, p, 0, after) // nothing fails: the results to compare with
	}
	j.last = 0
	for n := 1; !t.Failed(); n += step {
		if !j.run(t, p, n, after) {
			break
		}
		runs.Add(1)
	}
	t.Logf("%d calls at most, restarted %d times, time passed %d times", j.last, j.restarts, j.passed)
}

// faultyJob is a service whose ports can fail, and what surrounds it.
type faultyJob struct {
	fault         *portFault
	how           starting
	service       *service
	owner, signer *client
	mails         *mailServer
	hooks         *receiver
	peek          *sqlstore.Store // reads the database without faults
	jobs          *sql.DB         // the same
	ahead         atomic.Int64    // by how much the clock of the service is ahead
	stopHooks     func()

	usual                  *jobResult // of the run without a fault
	last, restarts, passed int
	keys, organisations    int
}

// jobResult is what a run of the job leaves.
type jobResult struct {
	events, notices, hooks map[string]int // how many of each kind
	revisions              map[contract.RevisionKind]int
}

func newFaultyJob(t *testing.T, set ...string) *faultyJob {
	t.Helper()
	j := &faultyJob{fault: &portFault{}}
	j.hooks = startReceiver(t, nil)
	var mail []string
	j.mails, mail = startMailServer(t)
	set = append(append(set, mail...), reaching(j.hooks)...)
	set = append(set, "SEGEL_CONVERT", config.ConvertAuto, "SEGEL_CONVERT_WAIT", "1ms", "SEGEL_PAGE_PICTURES", config.PicturesAuto, "SEGEL_ACCESS_LIFETIME", "8000h", "SEGEL_REFRESH_LIFETIME", "8000h", "SEGEL_STAMP_SETTLE", "0s", "SEGEL_VERIFICATIONS_PER_MINUTE", "0")
	u, err := url.Parse("smtp://" + j.mails.address)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range set {
		if name == "SEGEL_OUTBOUND_PORTS" {
			set[i+1] += "," + u.Port()
		}
	}
	j.how = starting{
		set: set, data: newDataFolder(t), idle: true, log: io.Discard,
		clock:  func() time.Time { return time.Now().Add(time.Duration(j.ahead.Load())) },
		adjust: func(a *app) { j.fault.injectFaults(a) },
	}
	j.start(t)
	dsn := databaseDSN(j.service.conf)
	if j.peek, err = sqlstore.Open(t.Context(), dsn, sqlstore.Options{Mode: sqlstore.Reading}); err != nil {
		t.Fatal(err)
	}
	driver := "pgx"
	if path, embedded := sqlstore.SQLitePath(dsn); embedded {
		driver, dsn = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"
	}
	if j.jobs, err = sql.Open(driver, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.jobs.Close(); err != nil {
			t.Error(err)
		}
		if err := j.peek.Close(); err != nil {
			t.Error(err)
		}
	})
	j.addPeople(t)
	return j
}

// addPeople adds an organisation with an owner, a signer and a webhook. None of them has a certificate yet.
func (j *faultyJob) addPeople(t *testing.T) {
	t.Helper()
	j.organisations++
	organisation := fmt.Sprint("PT ", j.organisations)
	j.owner = j.service.administrator(t, fmt.Sprint("Sari ", j.organisations), organisation)
	j.signer = j.service.person(t, fmt.Sprint("Budi ", j.organisations), organisation)
	for _, u := range []contract.Unit{contract.UnitStamp, contract.UnitSignature} {
		if _, err := j.service.store.Grant(t.Context(), j.organisation(t), u, 10_000, "test", contract.Actor{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	j.owner.addWebhook(j.hooks.URL)
}

// start starts the service with the jobs and the webhooks.
func (j *faultyJob) start(t *testing.T) {
	t.Helper()
	s := j.how.start(t)
	if err := s.openOffice(); err != nil {
		t.Fatal(err)
	}
	s.stamping.Office = faultyOffice{s.stamping.Office, j.fault}
	ready := s.newReadiness(nil)
	ready.every = 0
	var err error
	if s.runner, err = s.startJobs(context.Background(), ready); err != nil {
		t.Fatal(err)
	}
	j.service, j.stopHooks = s, s.sendWebhooks(t)
	if j.owner != nil {
		j.owner, j.signer = j.owner.on(s), j.signer.on(s)
	}
}

func (j *faultyJob) organisation(t *testing.T) contract.OrganisationID {
	t.Helper()
	u, err := j.service.store.User(t.Context(), contract.PersonID(j.owner.id))
	if err != nil {
		t.Fatal(err)
	}
	return u.Organisation
}

// insist sends a request with a key until it is carried out.
func (j *faultyJob) insist(t *testing.T, c func() *client, path string, body any) *answer {
	t.Helper()
	j.keys++
	key := fmt.Sprint("permintaan-", j.keys)
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	var last string
	for range 1000 {
		a := c().do("POST", path, body, "Idempotency-Key", key)
		if a.status == http.StatusOK {
			return a
		}
		if !strings.Contains(string(a.body), `"retryable":true`) {
			t.Fatalf("%s: %d %.600s", a.what, a.status, a.body)
		}
		last = string(a.body)
		<-pause.C
	}
	t.Fatalf("%s is never carried out: %.600s", path, last)
	return nil
}

// run runs the job with one call failing; n 0: none. It reports whether one failed.
func (j *faultyJob) run(t *testing.T, p port, n int, after bool) bool {
	t.Helper()
	if p == portKey { // certificates are issued once
		j.addPeople(t)
	}
	owner, signer := func() *client { return j.owner }, func() *client { return j.signer }
	o := j.organisation(t)
	spent, bought, documents := j.spent(t, o), j.serials(t), j.documents(t)

	j.fault.arm(p, n, after)
	id := idOf(j.insist(t, owner, uploadPath, body(t, converttest.Sample(), object{"filename": "sewa.docx", "signer": []object{j.signer.as("signer", 1)}})))
	j.settle(t, id, func(d contract.Document) bool { return d.Conversion.State != contract.Converting })
	j.insist(t, owner, signPath+"placement-docs", object{"document_id": id, "signers": []object{j.signer.at("sign", 100, 100, 260, 160), j.signer.at("emet", 300, 100, 380, 180)}})
	j.insist(t, owner, signPath+"finalize-docs", object{"document_id": id})
	j.settle(t, id, func(contract.Document) bool { return j.allSent(t, id) }) // the signer signs when the invitation has arrived
	j.insist(t, signer, signPath+"sign-docs", object{"document_id": id})
	j.settle(t, id, func(d contract.Document) bool { return d.State == contract.Completed && j.allSent(t, id) })
	what := j.fault.disarm()
	if what != "" {
		j.last = max(j.last, n)
	}
	name := fmt.Sprintf("call %d of the %s (%s) fails, after its effect %v", n, p, what, after)

	d := j.document(t, id)
	if serials := d.Serials(); len(serials) != 1 || j.serials(t)-bought != 1 {
		t.Errorf("%s: the document has the serials %v, and %d were bought", name, serials, j.serials(t)-bought)
	}
	if more := j.documents(t) - documents; more != 1 {
		t.Errorf("%s: %d documents", name, more)
	}
	for unit, n := range j.spent(t, o) {
		if n.Spent-spent[unit].Spent != 1 || n.Reserved != 0 {
			t.Errorf("%s: %d units of %s spent, %d reserved", name, n.Spent-spent[unit].Spent, unit, n.Reserved)
		}
	}
	if r := verified(t, j.service, j.owner.download(id)); !r.Passed() {
		t.Errorf("%s: %s %s", name, r.Indication, r.SubIndication)
	}
	j.compare(t, name, j.result(t, name, d, p == portMail && after || p == portStore, p == portWebhook && after || p == portStore))
	fsck(t, j.service, 0)
	return what != ""
}

// result counts what a run has left. A mail and a message to a webhook arrive once, or twice with the same identifier where the service may not know
// whether they did.
func (j *faultyJob) result(t *testing.T, name string, d contract.Document, mailTwice, hookTwice bool) *jobResult {
	t.Helper()
	r := &jobResult{events: map[string]int{}, notices: map[string]int{}, hooks: map[string]int{}, revisions: map[contract.RevisionKind]int{}}
	for _, v := range d.Revisions {
		r.revisions[v.Kind]++
	}
	events, err := j.peek.Events(t.Context(), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		switch e.Type {
		case contract.EventSignIntended, contract.EventStampFailed, contract.EventClosingDelayed: // of a try, which another one follows
		default:
			r.events[string(e.Type)]++
		}
	}
	notices, err := j.peek.ListNotices(t.Context(), store.NoticeQuery{Document: d.ID, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	twice := 0
	j.mails.mu.Lock()
	for _, n := range notices.Notices {
		r.notices[fmt.Sprint(n.Kind, " to the signer ", n.Address == j.signer.email, ": ", n.State)]++
		arrived := 0
		for _, m := range j.mails.received {
			if strings.Contains(m.id, string(n.ID)) {
				arrived++
			}
		}
		if arrived > 1 {
			twice += arrived - 1
		}
		if arrived == 0 {
			t.Errorf("%s: the mail %s did not arrive", name, n.Kind)
		}
	}
	j.mails.mu.Unlock()
	if twice > 1 || twice == 1 && !mailTwice {
		t.Errorf("%s: %d mails arrived twice", name, twice)
	}
	j.hooks.mu.Lock()
	defer j.hooks.mu.Unlock()
	seen := map[string]int{}
	twice = 0
	for _, m := range j.hooks.got {
		if m.document != int64(d.ID) {
			continue
		}
		if seen[m.id]++; seen[m.id] > 1 {
			twice++
			continue
		}
		r.hooks[m.kind]++
	}
	if twice > 1 || twice == 1 && !hookTwice {
		t.Errorf("%s: %d messages to the webhook arrived twice", name, twice)
	}
	return r
}

// compare requires the result of the run without a fault.
func (j *faultyJob) compare(t *testing.T, name string, r *jobResult) {
	t.Helper()
	if j.usual == nil {
		j.usual = r
		return
	}
	for what, is := range map[string][2]map[string]int{"events": {r.events, j.usual.events}, "notices": {r.notices, j.usual.notices}, "webhook": {r.hooks, j.usual.hooks}} {
		if !maps.Equal(is[0], is[1]) {
			t.Errorf("%s: %s: %v, usually %v", name, what, is[0], is[1])
		}
	}
	if !maps.Equal(r.revisions, j.usual.revisions) {
		t.Errorf("%s: revisions: %v, usually %v", name, r.revisions, j.usual.revisions)
	}
}

func (j *faultyJob) document(t *testing.T, id int64) contract.Document {
	t.Helper()
	d, err := j.peek.Document(t.Context(), docID(id))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (j *faultyJob) spent(t *testing.T, o contract.OrganisationID) map[contract.Unit]store.Quota {
	t.Helper()
	q, err := j.peek.Quota(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// serials returns how many serials the stamp office has sold.
func (j *faultyJob) serials(t *testing.T) int {
	t.Helper()
	all, err := j.service.stamping.Office.ListSerials(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func (j *faultyJob) documents(t *testing.T) int {
	t.Helper()
	l, err := j.peek.List(t.Context(), store.ListQuery{Person: contract.PersonID(j.owner.id), Box: store.Outbox, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return l.Total
}

// allSent reports whether no job, no mail and no message to the webhook is outstanding.
func (j *faultyJob) allSent(t *testing.T, id int64) bool {
	t.Helper()
	open, err := j.peek.OrderedNotices(t.Context(), docID(id))
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := j.peek.WebhooksWithWork(t.Context(), j.how.clock().Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return len(open) == 0 && len(hooks) == 0 && j.countJobs(t, "available", "pending", "retryable", "running", "scheduled") == 0
}

// countJobs returns how many jobs are in the states, without periodic work.
func (j *faultyJob) countJobs(t *testing.T, states ...string) (n int) {
	t.Helper()
	err := j.jobs.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind <> 'periodic' AND state IN ('"+strings.Join(states, "', '")+"')").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Limits of settle.
const (
	standsStill = 400 * time.Millisecond // without work after which the time is moved
	maxPasses   = 12                     // of time; in the middle, the service is restarted
)

// settle waits until the service has done what it does by itself. While nothing is at work, the time passes that it waits for.
func (j *faultyJob) settle(t *testing.T, id int64, done func(contract.Document) bool) {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	passes, seen, since := 0, "", time.Now()
	for ; ; <-look.C {
		d := j.document(t, id)
		if done(d) {
			return
		}
		j.hooks.mu.Lock()
		now := fmt.Sprint(d.Version, len(j.hooks.got), j.countJobs(t, "available", "running"))
		j.hooks.mu.Unlock()
		if now != seen {
			seen, since = now, time.Now()
		}
		working := j.fault.sending.Load() > 0 || j.countJobs(t, "available", "running") > 0
		if working && time.Since(since) < time.Minute || time.Since(since) < standsStill {
			continue
		}
		since = time.Now()
		if passes++; passes > maxPasses {
			t.Fatalf("document %d stays %s %q, %d jobs wait, after the fault %q", id, d.State, d.Reason, j.countJobs(t, "available", "pending", "retryable", "running", "scheduled"), j.fault.disarm())
		}
		if passes == maxPasses/2 {
			j.restart(t)
		}
		j.passTime(t)
	}
}

// passTime lets the time come for everything that waits, as a few minutes would.
func (j *faultyJob) passTime(t *testing.T) {
	t.Helper()
	j.passed++
	j.ahead.Add(int64(3 * time.Minute))
	if _, err := j.jobs.ExecContext(t.Context(), "UPDATE river_job SET state = 'available', scheduled_at = created_at WHERE state IN ('retryable', 'scheduled')"); err != nil {
		t.Fatal(err)
	}
	s := j.service
	for _, work := range []func(context.Context) error{s.workflow.Resume, s.notices.Resume} { // which are due each minute
		if err := work(t.Context()); err != nil {
			t.Log(err)
		}
	}
}

// restart ends the process and starts another one.
func (j *faultyJob) restart(t *testing.T) {
	t.Helper()
	j.restarts++
	j.stopHooks()
	j.service.stop()
	j.start(t)
}
