package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
)

// command runs the program's command line on a data folder, with the given input.
func (s *service) command(t *testing.T, typed string, args ...string) (status int, said string) {
	t.Helper()
	var out bytes.Buffer
	w := &environment{ctx: t.Context(), stdin: strings.NewReader(typed), stdout: &out, stderr: &out}
	status = w.runCommand(append(args, "--data", s.conf.DataDir))
	return status, out.String()
}

// signable returns a document that the signer may sign.
func signable(owner, signer *client) int64 {
	id := owner.upload(simple(), signer.as("signer", 1))
	owner.verb("finalize-docs", id).ok()
	return id
}

func TestOperatorConfirmsAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true, set: []string{"SEGEL_METRICS_TOKEN", "pengukur"}}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	admin := s.firstAdmin(t)
	id := signable(owner, signer)
	status, said := s.command(t, "", "clock", "show")
	if status != 0 || !strings.Contains(said, "the clock can be relied on") || !strings.Contains(said, "has no clock") {
		t.Errorf("a clock that is right: %d: %s", status, said)
	}
	if status, said := s.command(t, "", "clock", "confirm", "--yes"); status != 0 || !strings.Contains(said, "there is nothing to confirm") {
		t.Errorf("confirm a clock that is right: %d: %s", status, said)
	}

	clock.forward(6 * time.Hour)
	ahead := signable(owner, signer)
	signer.verb("sign-docs", ahead).ok()
	clock.forward(-6 * time.Hour)

	a := signer.verb("sign-docs", id).is(http.StatusServiceUnavailable, "server.clock")
	if a.header.Get("Retry-After") != "60" || !strings.Contains(string(a.body), `"retryable":true`) || strings.Contains(string(a.body), "local") {
		t.Errorf("Retry-After %q: %s", a.header.Get("Retry-After"), a.body)
	}
	if ready := owner.do("GET", "/readyz", nil).ok().object(); ready["status"] != "ok" || ready["clock"] != "unconfirmed" {
		t.Errorf("ready: %v", ready)
	}
	gauges := string(owner.do("GET", "/metrics", nil, "x-access-token", "pengukur").ok().body)
	if !strings.Contains(gauges, "segel_clock_fine 0\n") || !strings.Contains(gauges, "segel_clock_ahead_seconds -2") {
		t.Errorf("metrics: %s", gauges)
	}
	if c := admin.do("GET", "/v1/admin/stuck", nil, "Accept-Language", "en").ok().object("data", "clock"); c["state"] != "unconfirmed" ||
		!strings.Contains(c["msg"].(string), "6 hours") || c["local"] == nil || c["last_event"] == nil || c["last_timestamp"] == nil || c["database"] != nil {
		t.Errorf("administrators see %v", c)
	}

	status, said = s.command(t, "", "clock", "show")
	if status != 1 || !strings.Contains(said, "segel clock confirm") || strings.Count(said, " ahead)") != 2 {
		t.Errorf("show: %d: %s", status, said)
	}
	if status, said = s.command(t, "no\n", "clock", "confirm"); status != 1 || !strings.Contains(said, "the clock is not confirmed") {
		t.Errorf("refused: %d: %s", status, said)
	}
	if status, said = s.command(t, "", "clock", "confirm"); status != 1 {
		t.Errorf("without an answer: %d: %s", status, said)
	}
	signer.verb("sign-docs", id).is(http.StatusServiceUnavailable, "server.clock")
	if status, said = s.command(t, "yes\n", "clock", "confirm"); status != 0 || !strings.Contains(said, "1 documents have a time in the future: 2\n") || !strings.Contains(said, "1 documents that wait") {
		t.Errorf("confirmed: %d: %s", status, said)
	}

	signer.verb("sign-docs", id).ok()
	if ready := owner.do("GET", "/readyz", nil).ok().object(); ready["clock"] != "fine" {
		t.Errorf("ready: %v", ready)
	}
	if gauges := string(owner.do("GET", "/metrics", nil, "x-access-token", "pengukur").ok().body); !strings.Contains(gauges, "segel_clock_fine 1\n") {
		t.Errorf("metrics: %s", gauges)
	}
	log := admin.do("GET", "/v1/admin/audit-log?type=clock_confirmed", nil).ok()
	if !strings.Contains(string(log.body), "Memastikan bahwa jam layanan benar") || !strings.Contains(string(log.body), "(segel clock confirm, ") {
		t.Errorf("the log has %s", log.body)
	}
	if err := s.store.CheckLog(t.Context()); err != nil {
		t.Error(err)
	}
}

// firstAdmin logs in as the first account, which is an operator's.
func (s *service) firstAdmin(t *testing.T) *client {
	t.Helper()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, said := s.command(t, "", "user", "reset", "--email", "admin@localhost", "--password-file", file); status != 0 {
		t.Fatal(said)
	}
	c := &client{service: s, t: t}
	c.token = c.do("POST", "/v1/auth/login", object{"email": "admin@localhost", "password": password}).ok().object("data")["token"].(string)
	return c
}

func TestDocumentSignedWhileTheClockWasAheadIsSealedWhenItsTimeHasCome(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	clock.forward(6 * time.Hour)
	id := signable(owner, signer)
	signer.verb("sign-docs", id).ok()
	clock.forward(-6 * time.Hour)
	if status, said := s.command(t, "", "clock", "confirm", "--yes"); status != 0 {
		t.Fatal(said)
	}
	if err := s.openOffice(); err != nil {
		t.Fatal(err)
	}
	runner, err := s.startJobs(t.Context(), s.newReadiness(nil))
	if err != nil {
		t.Fatal(err)
	}
	s.runner = runner
	waits := owner.sees(id, "bertanggal di masa depan")
	if waits["status"] != "processing" || waits["signing_status"] != "completed" {
		t.Errorf("%v", waits)
	}
	clock.forward(6*time.Hour + time.Minute)
	owner.verb("retry-docs", id).ok()
	owner.completed(id)
}

// sees waits until the document's progress shows that.
func (c *client) sees(id int64, words string) object {
	c.t.Helper()
	by, err := c.identity.Authenticate(c.t.Context(), c.token)
	if err != nil {
		c.t.Fatal(err)
	}
	for version := int64(0); ; {
		a := c.get("detail", id).ok()
		if strings.Contains(string(a.body), words) {
			return a.object("data")
		}
		d, err := c.workflow.WaitForChange(c.t.Context(), by, docID(id), version)
		if err != nil {
			c.t.Fatalf("document %d does not say %q: %v: %s", id, words, err, a.body)
		}
		version = d.Version
	}
}

func TestAuthorityMadeWhileTheClockWasAheadSignsNothingAndIsNamed(t *testing.T) {
	t.Parallel()
	var clock shifted
	clock.forward(2 * 365 * 24 * time.Hour)
	s := starting{clock: clock.now, idle: true}.start(t)
	clock.forward(-2 * 365 * 24 * time.Hour)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	id := signable(owner, signer)
	signer.verb("sign-docs", id).is(http.StatusServiceUnavailable, "server.clock")
	status, said := s.command(t, "", "clock", "confirm", "--yes")
	if status != 0 || !strings.Contains(said, "embedded authority:") {
		t.Fatalf("%d: %s", status, said)
	}
	// The clock is right now, and certificates of the authority would only become valid in two years.
	signer.verb("sign-docs", id).is(http.StatusServiceUnavailable, "server.clock")

	// The manual says to move the authority aside; a command replaces it, and waiting documents continue at the next start.
	s.stop()
	if err := os.Rename(filepath.Join(s.conf.DataDir, authorityDir), filepath.Join(s.conf.DataDir, "authority-ahead")); err != nil {
		t.Fatal(err)
	}
	if status, said := s.command(t, "", "adopt", "--new-authority", "--yes"); status != 0 {
		t.Fatalf("%d: %s", status, said)
	}
	again := starting{data: s.conf.DataDir}.start(t)
	for _, c := range []*client{owner, signer} {
		c.service = again
	}
	signer.verb("sign-docs", id).ok()
	owner.completed(id)
}

func TestLocalClockIsWrongWhereTwoConfiguredAuthoritiesAgree(t *testing.T) {
	t.Parallel()
	one, two := starting{idle: true}.start(t), starting{idle: true}.start(t)
	roots := rootOf(t, one)
	if err := os.WriteFile(filepath.Join(roots, "two.pem"), two.authority.RootPEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	var clock shifted
	set := []string{"SEGEL_TIMESTAMP_URLS", one.url + "/authority/tsa," + two.url + "/authority/tsa", "SEGEL_TRUST_DIR", roots, "SEGEL_OUTBOUND_PRIVATE", "127.0.0.1"}
	s := starting{set: set, clock: clock.now, idle: true}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	clock.forward(6 * time.Hour)
	id := signable(owner, signer)
	a := signer.verb("sign-docs", id).is(http.StatusServiceUnavailable, "server.clock")
	if f, err := s.workflow.ClockFinding(t.Context()); err != nil || f.State != contract.ClockDisagrees || f.With != "timestamps" || f.Ahead < 6*time.Hour-time.Minute {
		t.Errorf("%+v, %v: %s", f, err, a.body)
	}
	if got := owner.get("detail", id).ok().object("data")["status"]; got != "processing" {
		t.Errorf("%v", got)
	}
	clock.forward(-6 * time.Hour)
	if err := s.workflow.Store.ConfirmClock(t.Context(), contract.Event{Type: contract.EventClockConfirmed, At: clock.now()}); err != nil {
		t.Fatal(err)
	}
	signer.verb("sign-docs", id).ok()
	if f, err := s.workflow.ClockFinding(t.Context()); err != nil || f.State != contract.ClockFine {
		t.Errorf("set right: %+v, %v", f, err)
	}
}
