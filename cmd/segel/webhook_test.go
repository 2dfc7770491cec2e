package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/notify/webhook"
	"segel/internal/outbound"
)

// receiver is a system that events are sent to, with the messages that it got.
type receiver struct {
	*httptest.Server
	answer func(m message) (status int, body string) // nil: 200

	mu      sync.Mutex
	got     []message
	arrived chan struct{} // closed and replaced with each message
}

type message struct {
	id, signature string
	at            time.Time
	kind          string
	document      int64
	body          []byte
}

func startReceiver(t *testing.T, answer func(m message) (int, string)) *receiver {
	t.Helper()
	v := &receiver{answer: answer, arrived: make(chan struct{})}
	v.Server = httptest.NewServer(http.HandlerFunc(v.receive))
	t.Cleanup(v.Close)
	return v
}

func (v *receiver) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	seconds, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	m := message{id: r.Header.Get("webhook-id"), signature: r.Header.Get("webhook-signature"), at: time.Unix(seconds, 0), body: body}
	var in struct {
		Type string
		Data struct {
			DocumentID int64 `json:"document_id"`
		}
	}
	_ = json.Unmarshal(body, &in)
	m.kind, m.document = in.Type, in.Data.DocumentID
	status, text := http.StatusOK, ""
	if v.answer != nil {
		status, text = v.answer(m)
	}
	v.mu.Lock()
	v.got = append(v.got, m)
	close(v.arrived)
	v.arrived = make(chan struct{})
	v.mu.Unlock()
	if status >= 300 && status < 400 {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// until waits until the messages that arrived are enough, and returns them.
func (v *receiver) until(t *testing.T, enough func([]message) bool) []message {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		v.mu.Lock()
		got, arrived := slices.Clone(v.got), v.arrived
		v.mu.Unlock()
		if enough(got) {
			return got
		}
		select {
		case <-arrived:
		case <-deadline:
			t.Fatalf("got %s", describe(got))
		}
	}
}

func describe(all []message) string {
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s %s %d; ", m.id, m.kind, m.document)
	}
	return b.String()
}

// kindsOf returns the types of the messages about a document, in the order in which they arrived.
func kindsOf(all []message, id int64) (kinds []string) {
	for _, m := range all {
		if m.document == id {
			kinds = append(kinds, m.kind)
		}
	}
	return kinds
}

func has(id int64, kind string) func([]message) bool {
	return func(all []message) bool { return slices.Contains(kindsOf(all, id), kind) }
}

func atLeast(n int) func([]message) bool { return func(all []message) bool { return len(all) >= n } }

// reaching returns the settings of a service that may send to receivers on this machine.
func reaching(all ...*receiver) []string {
	ports := []string{"80", "443"}
	for _, v := range all {
		u, _ := url.Parse(v.URL)
		ports = append(ports, u.Port())
	}
	return []string{"SEGEL_ORGANISATION_PRIVATE_NETWORKS", "127.0.0.0/8", "SEGEL_OUTBOUND_PORTS", strings.Join(ports, ",")}
}

// sendWebhooks runs what sends events to webhooks until the function that it returns is called.
func (s *service) sendWebhooks(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.webhooks.Poll = 5 * time.Millisecond
	go func() { defer close(done); s.webhooks.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

// addWebhook creates a webhook and returns its path and its secret.
func (c *client) addWebhook(address string, more ...any) (path string, secret []byte) {
	c.t.Helper()
	in := object{"url": address}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	made := c.do("POST", "/v1/admin/webhooks", in).ok().object("response", "data")
	secret, err := webhook.ParseSecret(made["secret"].(string))
	if err != nil {
		c.t.Fatal(err)
	}
	return "/v1/admin/webhooks/" + made["webhook"].(object)["id"].(string), secret
}

// feed reads the feed from a cursor to its end.
func (c *client) feed(after string) (events []object, next string) {
	c.t.Helper()
	for next = after; ; {
		data := c.do("GET", "/v1/events?limit=2&after="+next, nil).ok().object("data")
		for _, e := range data["events"].([]any) {
			events = append(events, e.(object))
		}
		next = data["next"].(string)
		if data["more"] != true {
			return events, next
		}
	}
}

func (c *client) deliveries(path, query string) (all []object) {
	c.t.Helper()
	for _, d := range c.do("GET", path+"/deliveries?"+query, nil).ok().object("data")["deliveries"].([]any) {
		all = append(all, d.(object))
	}
	return all
}

// untilDeliveries waits until the deliveries with that status are so many.
func (c *client) untilDeliveries(path, status string, n int) []object {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		all := c.deliveries(path, "limit=100&status="+status)
		if len(all) == n {
			return all
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%d deliveries are %s, want %d", len(all), status, n)
		}
	}
}

func TestWebhookAndFeedReportTheLifeOfADocumentInItsOrder(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		v := startReceiver(t, nil)
		set := reaching(v)
		for _, e := range env {
			name, value, _ := strings.Cut(e, "=")
			set = append(set, name, value)
		}
		s := start(t, set...)
		admin := s.administrator(t, "Admin", "PT Satu")
		other := s.administrator(t, "Lain", "PT Dua")
		path, secret := admin.addWebhook(v.URL + "/hook")
		otherPath, _ := other.addWebhook(v.URL + "/hook")
		if status := other.do("GET", path+"/deliveries", nil).status; status != http.StatusNotFound {
			t.Errorf("another's deliveries: %d", status)
		}
		_, begin := admin.feed("end")
		s.sendWebhooks(t)
		owner, signer := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Penanda", "PT Satu")
		id := owner.upload(simple(), signer.as("signer", 1))
		owner.place(id, signer.at("sign", 100, 100, 260, 160), owner.at("emet", 300, 100, 380, 180)).ok()
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
		owner.completed(id)
		declined := owner.upload(simple(), signer.as("signer", 1))
		owner.verb("finalize-docs", declined).ok()
		signer.verb("reject-docs", declined, "reason", "harga keliru").ok()

		v.until(t, has(id, "document.completed"))
		got := v.until(t, has(declined, "document.declined"))
		want := []string{"document.created", "document.finalized", "document.signed", "stamp.ordered", "stamp.affixed", "document.stamped", "document.completed"}
		if kinds := kindsOf(got, id); !slices.Equal(kinds, want) {
			t.Errorf("sent %v, want %v", kinds, want)
		}
		for _, m := range got {
			if want := webhook.Sign(m.id, m.at, m.body, secret); m.signature != want {
				t.Errorf("%s is signed %s, want %s", m.id, m.signature, want)
			}
		}
		last := got[slices.IndexFunc(got, func(m message) bool { return m.kind == "document.declined" })]
		var sent struct {
			ID, Timestamp string
			Version       int
			Data          struct {
				Cause    struct{ Name, Reason string }
				Document struct {
					ID     int64
					Status string
				}
			}
		}
		if err := json.Unmarshal(last.body, &sent); err != nil {
			t.Fatal(err)
		}
		if sent.ID != last.id || sent.Version != 1 || sent.Data.Cause.Name != "Penanda" || sent.Data.Cause.Reason != "harga keliru" || sent.Data.Document.ID != declined || sent.Data.Document.Status != "rejected" {
			t.Errorf("the message is %s", last.body)
		}

		events, next := admin.feed(begin)
		var ids, reported []string
		for _, e := range events {
			ids = append(ids, e["id"].(string))
		}
		all := admin.untilDeliveries(path, "delivered", len(events))
		for _, m := range got {
			if !slices.Contains(reported, m.id) {
				reported = append(reported, m.id)
			}
		}
		slices.Sort(reported)
		if sorted := slices.Sorted(slices.Values(ids)); !slices.Equal(sorted, reported) {
			t.Errorf("the feed has %v, sent were %v", sorted, reported)
		}
		try := all[0]["try"].(object)
		if all[0]["tries"] != 1.0 || try["status"] != 200.0 || try["url"] != v.URL+"/hook" || !strings.Contains(try["request"].(string), all[0]["id"].(string)) {
			t.Errorf("the newest delivery is %v", all[0])
		}
		if more, _ := admin.feed(next); len(more) != 0 {
			t.Errorf("after the end: %v", more)
		}
		if only := admin.do("GET", "/v1/events?types=document.declined,mail.bounced", nil).ok().object("data")["events"].([]any); len(only) != 1 {
			t.Errorf("%d events are of the chosen types", len(only))
		}
		// An organisation sees nothing of another's.
		if foreign, _ := other.feed(""); len(foreign) != 0 || len(other.deliveries(otherPath, "")) != 0 {
			t.Errorf("another organisation is told %v", foreign)
		}
		if status := owner.do("GET", "/v1/events", nil).status; status != http.StatusForbidden {
			t.Errorf("a user reads the feed: %d", status)
		}
		other.do("GET", "/v1/events?organisation="+string(organisationIDOf(t, s, owner)), nil).is(http.StatusNotFound, "organisation.not_found")
		admin.do("GET", "/v1/events?after=c1z141z", nil).is(http.StatusConflict, "feed.ahead")
		admin.do("GET", "/v1/events?after=17&wait=99", nil).is(http.StatusUnprocessableEntity)
	})
}

func TestFeedAnswersAsSoonAsSomethingHappens(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	owner := s.person(t, "Pemilik", "PT Satu")
	_, next := admin.feed("end")
	answered := make(chan *answer, 1)
	go func() { answered <- admin.do("GET", "/v1/events?wait=50&after="+next, nil) }()
	s.untilWaiting(t)
	id := owner.upload(simple())
	select {
	case a := <-answered:
		data := a.ok().object("data")
		if all := data["events"].([]any); len(all) != 1 || all[0].(object)["type"] != "document.created" || all[0].(object)["data"].(object)["document_id"] != float64(id) {
			t.Errorf("answered %s", a.body)
		}
		next = data["next"].(string)
	case <-time.After(40 * time.Second):
		t.Fatal("no answer")
	}
	// A process that stops answers those who wait. Its cursor, which may be past events that the feed does not have, misses nothing.
	go func() { answered <- admin.do("GET", "/v1/events?wait=50&after="+next, nil) }()
	s.untilWaiting(t)
	s.streams.Stop()
	data := (<-answered).ok().object("data")
	if len(data["events"].([]any)) != 0 {
		t.Errorf("at the stop: %v", data)
	}
	second := owner.upload(simple())
	all, _ := admin.feed(data["next"].(string))
	if len(all) != 1 || all[0]["type"] != "document.created" || all[0]["data"].(object)["document_id"] != float64(second) {
		t.Errorf("after the stop: %v", all)
	}
}

func TestAWebhookIsToldThatFewStampsAreLeft(t *testing.T) {
	t.Parallel()
	v := startReceiver(t, nil)
	s := start(t, append(reaching(v), "SEGEL_QUOTA_LOW", "7")...)
	admin := s.administrator(t, "Admin", "PT Satu")
	of := organisationIDOf(t, s, admin)
	admin.addWebhook(v.URL + "/hook")
	s.sendWebhooks(t)
	quota, err := s.store.Quota(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.Grant(t.Context(), of, contract.UnitStamp, 6-quota[contract.UnitStamp].Left(), "koreksi", contract.Actor{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := s.reportLowQuota(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := v.until(t, has(0, "quota.low"))
	var sent struct {
		Data struct {
			Cause struct {
				Description string
				Quota       struct {
					Unit string
					Left int
				}
			}
			Document *struct{}
		}
	}
	if err := json.Unmarshal(got[len(got)-1].body, &sent); err != nil {
		t.Fatal(err)
	}
	if c := sent.Data.Cause; c.Quota.Unit != "emet" || c.Quota.Left != 6 || c.Description != "Sisa kuota emet tinggal 6" || sent.Data.Document != nil {
		t.Errorf("sent %s", got[len(got)-1].body)
	}
}

// untilWaiting returns when a request waits for events.
func (s *service) untilWaiting(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); s.feed.Waiting() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no request waits")
		}
		if _, err := s.store.FeedEnd(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothingIsMissedInTheFeedOfAServiceThatIsKilled kills the process between two calls, and while another sends a message.
func TestNothingIsMissedInTheFeedOfAServiceThatIsKilled(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		hold := make(chan struct{})
		v := startReceiver(t, func(m message) (int, string) {
			if m.kind == "document.finalized" {
				<-hold // the process is killed meanwhile
			}
			return http.StatusOK, ""
		})
		t.Cleanup(sync.OnceFunc(func() { close(hold) }))
		set := reaching(v)
		env = append(slices.Clone(env), "SEGEL_MIN_PASSWORD=8")
		for i := 0; i+1 < len(set); i += 2 {
			env = append(env, set[i]+"="+set[i+1])
		}
		data := filepath.Join(t.TempDir(), "data")
		p, err := launch(data, env...)
		if err != nil {
			t.Fatal(err)
		}
		admin := p.login(t, p.email, p.password)
		admin.do("POST", "/v1/auth/password", object{"current": p.password, "new": password}).is(200)
		admin = p.login(t, p.email, password)
		admin.addWebhook(v.URL)
		id := admin.upload(simple(), admin.as("signer", 1))
		before, next := admin.feed("")
		admin.verb("finalize-docs", id).ok()
		v.until(t, has(id, "document.created"))
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait() // it was killed
		q := serve(t, data, env...)
		admin = q.login(t, p.email, password)
		admin.verb("sign-docs", id).ok()
		admin.becomes(fmt.Sprint(documentPath, "download/", id), http.StatusOK)
		after, _ := admin.feed(next)
		whole, _ := admin.feed("")
		var all, joined []string
		for _, e := range whole {
			all = append(all, fmt.Sprint(e["id"], e["type"]))
		}
		for _, e := range append(before, after...) {
			joined = append(joined, fmt.Sprint(e["id"], e["type"]))
		}
		if !slices.Equal(all, joined) || len(before) == 0 || len(after) < 3 {
			t.Errorf("the parts are %v, the whole is %v", joined, all)
		}
	})
}

// dyingStore loses the results of deliveries, as if the process was killed before it stored them.
type dyingStore struct{ webhook.Store }

func (dyingStore) EndDelivery(context.Context, contract.WebhookDelivery, contract.WebhookProblem, contract.Event) error {
	return errKilled
}

func TestMessageThatWasOnItsWayAtACrashIsSentAgain(t *testing.T) {
	t.Parallel()
	v := startReceiver(t, nil)
	var clock shifted
	data := filepath.Join(t.TempDir(), "data")
	s := starting{set: reaching(v), data: data, idle: true, adjust: func(a *app) {
		a.webhooks.Clock, a.webhooks.Store = clock.now, dyingStore{a.store}
	}}.start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	owner := s.person(t, "Pemilik", "PT Satu")
	path, _ := admin.addWebhook(v.URL)
	id := owner.upload(simple(), owner.as("signer", 1))
	owner.verb("finalize-docs", id).ok()
	stop := s.sendWebhooks(t)
	v.until(t, atLeast(1))
	stop()
	s.stop()
	s = starting{set: reaching(v), data: data, idle: true, adjust: func(a *app) { a.webhooks.Clock = clock.now }}.start(t)
	s.sendWebhooks(t)
	if all := admin.on(s).deliveries(path, "status=ordered"); len(all) != 2 || len(v.until(t, atLeast(1))) != 1 {
		t.Errorf("before the lease has ended: %v", all)
	}
	clock.forward(2 * time.Minute)
	got := v.until(t, atLeast(3))
	if got[0].id != got[1].id || !bytes.Equal(got[0].body, got[1].body) || got[2].kind != "document.finalized" {
		t.Errorf("sent %s", describe(got))
	}
	if all := admin.on(s).untilDeliveries(path, "delivered", 2); all[1]["tries"] != 2.0 {
		t.Errorf("delivered %v", all)
	}
}

// TestFailingDeliveryHoldsBackLaterOnesOfItsDocumentOnly has the receiver fail for one document, then recover.
func TestFailingDeliveryHoldsBackLaterOnesOfItsDocumentOnly(t *testing.T) {
	t.Parallel()
	var ill sync.Map // documents for which the receiver fails
	v := startReceiver(t, func(m message) (int, string) {
		if _, fails := ill.Load(m.document); fails {
			return http.StatusInternalServerError, strings.Repeat("x", 100_000)
		}
		return http.StatusNoContent, ""
	})
	var clock shifted
	s := starting{set: reaching(v), idle: true, adjust: func(a *app) { a.webhooks.Clock = clock.now }}.start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	owner, signer := s.person(t, "Pemilik", "PT Satu"), s.person(t, "Penanda", "PT Satu")
	path, secret := admin.addWebhook(v.URL)
	first := owner.upload(simple(), signer.as("signer", 1))
	ill.Store(first, true)
	second := owner.upload(simple(), signer.as("signer", 1))
	for _, id := range []int64{first, second} {
		owner.verb("finalize-docs", id).ok()
		signer.verb("sign-docs", id).ok()
	}
	s.sendWebhooks(t)
	got := v.until(t, func(all []message) bool {
		return has(second, "document.signed")(all) && has(first, "document.created")(all)
	})
	if kinds := kindsOf(got, first); len(kinds) != 1 {
		t.Errorf("about the document whose first delivery fails: %v", kinds)
	}
	waiting := admin.untilDeliveries(path, "ordered", 3)
	try := waiting[len(waiting)-1]["try"].(object)
	if try["status"] != 500.0 || try["problem"] == nil || waiting[0]["try"] != nil {
		t.Errorf("the failed delivery is %v", waiting[len(waiting)-1]["status"])
	}
	ill.Delete(first)
	clock.forward(time.Minute)
	got = v.until(t, has(first, "document.signed"))
	if kinds, want := kindsOf(got, first), []string{"document.created", "document.created", "document.finalized", "document.signed"}; !slices.Equal(kinds, want) {
		t.Errorf("sent %v, want %v", kinds, want)
	}
	var again []message
	for _, m := range got {
		if m.document == first && m.kind == "document.created" {
			again = append(again, m)
		}
	}
	if again[0].id != again[1].id || !bytes.Equal(again[0].body, again[1].body) || again[0].at.Equal(again[1].at) {
		t.Error("the second try is not the same message at a later time")
	}
	admin.untilDeliveries(path, "ordered", 0)

	// Replays have the same identifiers: one delivery, and all since a time.
	n := len(v.until(t, atLeast(7)))
	admin.do("PUT", path+"/replay", object{"id": again[0].id}).ok()
	got = v.until(t, atLeast(n+1))
	if m := got[n]; m.id != again[0].id || webhook.Sign(m.id, m.at, m.body, secret) != m.signature {
		t.Errorf("replayed %s", m.id)
	}
	admin.do("PUT", path+"/replay", object{"since": "2020-01-01T00:00:00Z"}).ok()
	got = v.until(t, atLeast(n+1+6))
	if kinds := kindsOf(got[n+1:], first); !slices.Equal(kinds, []string{"document.created", "document.finalized", "document.signed"}) {
		t.Errorf("replayed %v", kinds)
	}
	admin.do("PUT", path+"/replay", object{"id": "evt_999999"}).is(http.StatusNotFound, "webhook.no_delivery")
	admin.do("PUT", path+"/replay", object{}).is(http.StatusUnprocessableEntity)
}

func TestWebhookThatTakesNothingIsDisabledAndItsAdminsAreTold(t *testing.T) {
	t.Parallel()
	mails, set := startMailServer(t)
	var works sync.Map
	v := startReceiver(t, func(message) (int, string) {
		if _, ok := works.Load("now"); ok {
			return http.StatusOK, ""
		}
		return http.StatusServiceUnavailable, "down"
	})
	var clock shifted
	set = append(set, reaching(v)...)
	s := starting{set: set, idle: true, adjust: func(a *app) { a.webhooks.Clock = clock.now }}.start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	owner := s.person(t, "Pemilik", "PT Satu")
	path, _ := admin.addWebhook(v.URL + "?key=rahasia")
	id := owner.upload(simple())
	s.sendWebhooks(t)
	for tries := 1; ; tries++ {
		v.until(t, atLeast(tries))
		d := admin.untilResult(path, tries)
		if d["status"] == "dead" {
			if d["due_at"] != nil || d["done_at"] == nil || tries < 15 {
				t.Errorf("after %d tries: %v", tries, d)
			}
			break
		}
		if tries > 40 {
			t.Fatal("it is never given up")
		}
		clock.forward(4*time.Hour + time.Minute)
	}
	for h := admin.webhook(path); h["enabled"] != false; h = admin.webhook(path) {
	}
	if h := admin.webhook(path); h["disabled_for"] != "failing" || h["failing_since"] == nil {
		t.Errorf("the webhook is %v", h)
	}
	if m := mails.mailTo(t, admin.email, 1); !strings.Contains(m.subject, v.URL) || strings.Contains(m.body, "rahasia") {
		t.Errorf("mailed %s\n%s", m.subject, m.body)
	}
	if len(mails.to(owner.email)) != 0 {
		t.Error("a person who is not an admin is told")
	}
	log := admin.do("GET", "/v1/admin/audit-log?type=webhook_disabled", nil).ok()
	if !strings.Contains(string(log.body), v.URL) || strings.Contains(string(log.body), "rahasia") {
		t.Errorf("the audit log says %.500s", log.body)
	}
	// What happens meanwhile is sent once it is enabled again.
	works.Store("now", true)
	owner.do("DELETE", fmt.Sprint(documentPath, id), nil).ok()
	next := owner.upload(simple())
	admin.do("PUT", path, object{"url": v.URL + "/new"}).ok()
	v.until(t, has(next, "document.created"))
}

// TestEachAdminOfALargeOrganisationIsToldOnceOfADisabledWebhook has more people than one page of them, and a mailbox that is full at first.
func TestEachAdminOfALargeOrganisationIsToldOnceOfADisabledWebhook(t *testing.T) {
	t.Parallel()
	mails, set := startMailServer(t)
	s := starting{set: set, idle: true}.start(t)
	first, second := s.administrator(t, "Zainal", "PT Besar"), s.administrator(t, "Zubaidah", "PT Besar")
	u, err := s.store.User(t.Context(), contract.PersonID(first.id))
	if err != nil {
		t.Fatal(err)
	}
	db := openSQLite(t, s.conf.DataDir)
	if _, err := db.ExecContext(t.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
		INSERT INTO users (id, organisation, name, name_folded, email, email_folded, admin, password, must_reset, created_at)
		SELECT 'p' || i, $1, 'Andi', 'andi', 'p' || i || '@example.test', 'p' || i || '@example.test', FALSE, 'x', FALSE, 1 FROM n`, u.Organisation); err != nil {
		t.Fatal(err)
	}
	mails.mu.Lock()
	mails.busy = second.email
	mails.mu.Unlock()
	w := contract.Webhook{ID: "w", Organisation: u.Organisation, URL: "https://penerima.example.test/", DisabledAt: time.Now(), DisabledFor: contract.WebhookGone}
	if err := s.tellOfDisabledWebhook(t.Context(), w); err == nil {
		t.Error("nothing is wrong with a mailbox that is full")
	}
	mails.mu.Lock()
	mails.busy = ""
	mails.mu.Unlock()
	if err := s.tellOfDisabledWebhook(t.Context(), w); err != nil {
		t.Error(err)
	}
	mails.mu.Lock()
	defer mails.mu.Unlock()
	for _, c := range []*client{first, second} {
		if got := mails.to(c.email); len(got) != 1 || !strings.Contains(got[0].subject, w.URL) {
			t.Errorf("%s got %d mails", c.email, len(got))
		}
	}
	if len(mails.received) != 2 {
		t.Errorf("%d mails were sent", len(mails.received))
	}
}

// TestSlowReceiversOfOneOrganisationDoNotDelayAnotherOneAtTheirHost has as many requests in progress to one host as a process may have.
func TestSlowReceiversOfOneOrganisationDoNotDelayAnotherOneAtTheirHost(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int64
	all, gone := make(chan struct{}), t.Context().Done()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if arrived.Add(1) == webhook.MostRequests {
			close(all)
		}
		select { // each is slow until the last one has arrived
		case <-all:
		case <-r.Context().Done():
		case <-gone:
		}
	}))
	t.Cleanup(receiver.Close)
	u, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	conf, err := config.Load([]string{"SEGEL_ORGANISATION_PRIVATE_NETWORKS=127.0.0.0/8", "SEGEL_OUTBOUND_PORTS=" + u.Port()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := (&app{conf: conf}).newWebhookClient()
	t.Cleanup(client.CloseIdleConnections)
	failed := make(chan error, webhook.MostRequests)
	for range webhook.MostRequests {
		go func() {
			a, err := client.Get(receiver.URL)
			if err == nil {
				err = a.Body.Close()
			}
			failed <- err
		}()
	}
	for range webhook.MostRequests {
		if err := <-failed; err != nil {
			t.Fatalf("of %d requests %d arrived: %v", webhook.MostRequests, arrived.Load(), err)
		}
	}
}

// untilResult waits until the only delivery has the result of so many tries.
func (c *client) untilResult(path string, tries int) object {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		all := c.deliveries(path, "")
		if len(all) == 1 && all[0]["tries"] == float64(tries) && all[0]["try"].(object)["problem"] != nil {
			return all[0]
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("try %d has no result: %v", tries, all)
		}
	}
}

// webhook returns the webhook of a path.
func (c *client) webhook(path string) object {
	c.t.Helper()
	for _, h := range c.do("GET", "/v1/admin/webhooks", nil).ok().object("data")["webhooks"].([]any) {
		if h := h.(object); strings.HasSuffix(path, h["id"].(string)) {
			return h
		}
	}
	c.t.Fatalf("no webhook %s", path)
	return nil
}

func TestWebhookIsTestedRotatedAndGone(t *testing.T) {
	t.Parallel()
	var status sync.Map
	v := startReceiver(t, func(message) (int, string) {
		n, ok := status.Load("next")
		if !ok {
			return http.StatusOK, "halo"
		}
		return n.(int), "halo"
	})
	var clock shifted
	s := starting{set: reaching(v), idle: true, adjust: func(a *app) { a.webhooks.Clock = clock.now }}.start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	owner := s.person(t, "Pemilik", "PT Satu")
	path, former := admin.addWebhook(v.URL, "enabled", false, "types", []string{"document.created", "document.canceled"}, "description", "ERP")
	owner.upload(simple())
	s.sendWebhooks(t)
	admin.do("PUT", path+"/test", nil).ok()
	m := v.until(t, atLeast(1))[0]
	if m.kind != "webhook.test" || webhook.Sign(m.id, m.at, m.body, former) != m.signature {
		t.Errorf("the test is %s: %s", m.id, m.body)
	}
	if d := admin.untilDeliveries(path, "delivered", 1)[0]; d["id"] != m.id || d["try"].(object)["status"] != 200.0 || d["try"].(object)["response"] != "" {
		t.Errorf("the delivery of the test is %v", d)
	}
	if events := admin.do("GET", "/v1/admin/audit-log?type=webhook_changed", nil).ok().object("data")["events"].([]any); len(events) != 2 { // added, tested
		t.Errorf("the log has %v", events)
	}
	current, err := webhook.ParseSecret(admin.do("POST", path+"/rotate", nil).ok().object("response", "data")["secret"].(string))
	if err != nil {
		t.Fatal(err)
	}
	admin.do("PUT", path+"/test", nil).ok()
	if m := v.until(t, atLeast(2))[1]; webhook.Sign(m.id, m.at, m.body, current, former) != m.signature {
		t.Errorf("after the rotation it is signed %s", m.signature)
	}
	clock.forward(25 * time.Hour)
	admin.do("PUT", path+"/test", nil).ok()
	if m := v.until(t, atLeast(3))[2]; webhook.Sign(m.id, m.at, m.body, current) != m.signature {
		t.Errorf("a day after the rotation it is signed %s", m.signature)
	}
	// A redirect is not followed.
	status.Store("next", http.StatusTemporaryRedirect)
	admin.do("PUT", path+"/test", nil).ok()
	if d := admin.untilDeliveries(path, "dead", 1)[0]; d["try"].(object)["status"] != 307.0 || len(v.until(t, atLeast(4))) != 4 {
		t.Errorf("the redirected delivery is %v", d)
	}
	// 410 disables it at once.
	status.Store("next", http.StatusGone)
	admin.do("PUT", path, object{"url": v.URL, "types": []string{"document.created"}}).ok()
	admin.untilDeliveries(path, "dead", 2)
	if h := admin.webhook(path); h["disabled_for"] != "gone" || fmt.Sprint(h["types"]) != "[document.created]" || h["description"] != "" {
		t.Errorf("the webhook is %v", h)
	}
	secret := []byte("whsec_")
	database, err := os.ReadFile(filepath.Join(s.conf.DataDir, "segel.db"))
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile(filepath.Join(s.conf.DataDir, "segel.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range [][]byte{secret, former, current} {
		if bytes.Contains(database, s) || bytes.Contains(wal, s) {
			t.Error("the database has a secret")
		}
	}
	admin.do("DELETE", path, nil).ok()
	admin.do("PUT", path+"/test", nil).is(http.StatusNotFound, "webhook.not_found")
}

func TestWebhookReachesNothingThatIsForbidden(t *testing.T) {
	t.Parallel()
	v := startReceiver(t, nil)
	s := starting{idle: true}.start(t) // allows no private network
	admin := s.administrator(t, "Admin", "PT Satu")
	for _, address := range []string{"", "http://example.test/", "ftp://example.test/", "https:///x", "https://a:b@example.test/", "https://example.test/#x", "https://" + strings.Repeat("a", 3000)} {
		if a := admin.do("POST", "/v1/admin/webhooks", object{"url": address}); a.status != http.StatusUnprocessableEntity {
			t.Errorf("%.40s: %d", address, a.status)
		}
	}
	admin.do("POST", "/v1/admin/webhooks", object{"url": "https://example.test", "types": []string{"document.sold"}}).is(http.StatusUnprocessableEntity)
	port := v.URL[strings.LastIndex(v.URL, ":"):]
	for _, address := range []string{"https://127.0.0.1", "https://localhost" + port, "https://[::1]", "https://169.254.169.254/latest/meta-data"} {
		path, _ := admin.addWebhook(address)
		id, err := s.webhooks.Test(t.Context(), contract.Actor{}, contract.WebhookID(path[strings.LastIndex(path, "/")+1:]))
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.webhooks.SendNow(t.Context(), id)
		if err != nil || d.Problem != contract.DeliveryForbidden || d.State != contract.DeliveryDead {
			t.Errorf("%s: %v, %s", address, err, d.Problem)
		}
	}
	if len(v.got) != 0 {
		t.Error("a receiver on this machine was reached")
	}
	for range contract.MaxWebhooks - 4 {
		admin.addWebhook("https://example.test/")
	}
	admin.do("POST", "/v1/admin/webhooks", object{"url": "https://example.test/"}).is(http.StatusConflict, "webhook.too_many")
}

func TestSlowReceiverIsTriedAgain(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	v := startReceiver(t, func(message) (int, string) { <-hold; return http.StatusOK, "" })
	t.Cleanup(func() { close(hold) })
	s := starting{set: reaching(v), idle: true, adjust: func(a *app) { a.webhooks.Client.Timeout = 50 * time.Millisecond }}.start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	owner := s.person(t, "Pemilik", "PT Satu")
	path, _ := admin.addWebhook(v.URL)
	owner.upload(simple())
	s.sendWebhooks(t)
	d := admin.untilResult(path, 1)
	if try := d["try"].(object); d["status"] != "ordered" || try["status"] != 0.0 || !strings.Contains(try["problem"].(string), "waktu") {
		t.Errorf("the delivery is %v", d)
	}
}

func TestCommandLineManagesWebhooks(t *testing.T) {
	t.Parallel()
	v := startReceiver(t, nil)
	set := reaching(v)
	data := filepath.Join(t.TempDir(), "data")
	servedOnce(t, data, nil)
	env := []string{set[0] + "=" + set[1], set[2] + "=" + set[3]}
	added := runProgram(t, env, "webhook", "add", v.URL, "--type", "document.signed", "--description", "ERP", "--data", data)
	if added.status != 0 || !strings.Contains(added.text, "whsec_") {
		t.Fatalf("%d, %s", added.status, added.text)
	}
	id := strings.TrimSuffix(strings.Fields(added.text)[1], ",")
	if got := runProgram(t, env, "webhook", "list", "--data", data); got.status != 0 || !strings.Contains(got.text, id) || strings.Contains(got.text, "whsec_") {
		t.Errorf("%d, %s", got.status, got.text)
	}
	if got := runProgram(t, env, "webhook", "test", id, "--data", data); got.status != 0 || !strings.Contains(got.text, "delivered with status 200") {
		t.Errorf("%d, %s", got.status, got.text)
	}
	if got := runProgram(t, env, "webhook", "enable", id, "--data", data); got.status != 0 {
		t.Errorf("%d, %s", got.status, got.text)
	}
	if got := runProgram(t, nil, "webhook", "test", id, "--data", data); got.status == 0 {
		t.Errorf("without the network: %s", got.text)
	}
	if len(v.until(t, atLeast(1))) != 1 {
		t.Error("it was sent more than one message")
	}
}

func TestWhatAdminsOfOrganisationsNameDoesNotReachTheNetworksOfTheService(t *testing.T) {
	t.Parallel()
	v := startReceiver(t, nil)
	for _, networks := range []string{"", "10.9.0.0/16"} {
		set := append(reaching(v)[2:], "SEGEL_OUTBOUND_PRIVATE", "127.0.0.0/8", "SEGEL_ORGANISATION_PRIVATE_NETWORKS", networks)
		s := starting{set: set, idle: true}.start(t)
		admin := s.administrator(t, "Admin", "PT Satu")
		if networks == "" { // http is refused
			admin.do("POST", "/v1/admin/webhooks", object{"url": v.URL}).is(http.StatusUnprocessableEntity)
			admin.do("PUT", "/v1/admin/sso", object{"issuer": v.URL, "client_id": "segel"}).is(http.StatusUnprocessableEntity)
		}
		path, _ := admin.addWebhook(strings.Replace(v.URL, "http://", "https://", 1))
		s.sendWebhooks(t)
		admin.do("PUT", path+"/test", nil).ok()
		if d := admin.untilDeliveries(path, "dead", 1)[0]; !strings.Contains(fmt.Sprint(d["try"].(object)["problem"]), "tidak boleh dihubungi") {
			t.Errorf("%s: the delivery is %v", networks, d)
		}
		for name, c := range map[string]*http.Client{"webhooks": s.webhooks.Client, "providers": s.sso.Providers.HTTP} {
			if _, err := c.Get(v.URL); !errors.Is(err, outbound.ErrRefused) {
				t.Errorf("%s: the client for %s: %v", networks, name, err)
			}
		}
	}
	if got := v.until(t, atLeast(0)); len(got) != 0 {
		t.Errorf("sent %s", describe(got))
	}
}
