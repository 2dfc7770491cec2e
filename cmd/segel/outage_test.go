package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"segel/internal/disk"
	"segel/internal/jobs"
	"segel/internal/outage"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest/pgtest"
	"segel/tsp"
)

// Time limits of a service whose outages are short.
const (
	outageAnswer   = time.Second
	outageDatabase = 2 * time.Second
)

func outageSettings(more ...string) []string {
	return append([]string{"SEGEL_ANSWER_WITHIN", outageAnswer.String(), "SEGEL_DATABASE_TIMEOUT", outageDatabase.String(), "SEGEL_WORK_WITHIN", "20s", "SEGEL_EVIDENCE", "request"}, more...)
}

// breakable is a service with a part that can be taken away and restored.
type breakable struct {
	*service
	fail, restore func(t *testing.T)
}

// outages are the outages in which each kind of operation is tried, by name.
var outages = map[string]func(t *testing.T, adjust func(*app)) breakable{
	"the database refuses connections": func(t *testing.T, adjust func(*app)) breakable { return behindProxy(t, adjust, pgtest.Refuse) },
	"the database resets connections":  func(t *testing.T, adjust func(*app)) breakable { return behindProxy(t, adjust, pgtest.Reset) },
	"the database swallows everything": func(t *testing.T, adjust func(*app)) breakable { return behindProxy(t, adjust, pgtest.Swallow) },
	"the database server is stopped":   onFrozenServer,
	"the blob folder is gone":          withoutBlobs,
}

func behindProxy(t *testing.T, adjust func(*app), fault pgtest.Fault) breakable {
	t.Helper()
	p, err := pgtest.NewProxy(pgtest.Database(t, sqlstore.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	set := func(f pgtest.Fault) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if err := p.Set(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	return breakable{starting{set: outageSettings("SEGEL_DATABASE", p.DSN()), adjust: adjust}.start(t), set(fault), set(pgtest.Pass)}
}

func onFrozenServer(t *testing.T, adjust func(*app)) breakable {
	t.Helper()
	server, dsn, err := pgtest.NewServer(t.Context())
	pgtest.RequireServer(t, err)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	do := func(f func() error) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return breakable{starting{set: outageSettings("SEGEL_DATABASE", dsn), adjust: adjust}.start(t), do(server.Freeze), do(server.Thaw)}
}

func withoutBlobs(t *testing.T, adjust func(*app)) breakable {
	t.Helper()
	s := starting{set: outageSettings(), adjust: adjust}.start(t)
	folder := filepath.Join(s.conf.DataDir, blobDir)
	move := func(from, to string) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	return breakable{s, move(folder, folder+".away"), move(folder+".away", folder)}
}

// unavailable requires a retryable refusal in time.
func (a *answer) unavailable(began time.Time, within time.Duration) {
	a.t.Helper()
	took := time.Since(began)
	a.is(http.StatusServiceUnavailable)
	after, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || after < 1 || !strings.Contains(string(a.body), `"retryable":true`) {
		a.t.Errorf("%s: Retry-After %q: %s", a.what, a.header.Get("Retry-After"), a.body)
	}
	if took > within {
		a.t.Errorf("%s: answered after %v, want within %v", a.what, took, within)
	}
	a.t.Logf("%s: %d after %v", a.what, a.status, took.Round(time.Millisecond))
}

func TestEveryOutageIsAnsweredAtOnceAndTheServiceWorksAgainAfterIt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	for name, open := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			tryOutage(t, b, strings.HasPrefix(name, "the blob"))
		})
	}
}

func tryOutage(t *testing.T, b breakable, blobsOnly bool) {
	owner, signer := b.person(t, "Sari", ""), b.person(t, "Budi", "")
	whole := signable(owner, signer)
	signer.verb("sign-docs", whole).ok()
	owner.completed(whole)
	unsigned := signable(owner, signer)
	kept, _ := blobs(t, b.service)
	upload := object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(simple()), "signer": []object{signer.as("signer", 1)}}

	b.fail(t)
	type operation struct {
		name  string
		do    func() *answer
		blobs bool // needs blobs
	}
	slack := 3 * time.Second // for a busy machine
	for _, o := range []operation{
		{"list", func() *answer { return owner.do("GET", documentPath+"out", nil) }, false},
		{"detail", func() *answer { return owner.get("detail", whole) }, false},
		{"login", func() *answer {
			return owner.do("POST", "/v1/auth/login", object{"email": owner.email, "password": password})
		}, false},
		{"upload", func() *answer { return owner.do("POST", signPath+"upload-docs-base64", upload) }, true},
		{"sign", func() *answer { return signer.verb("sign-docs", unsigned) }, true},
		{"download", func() *answer { return owner.get("download", whole) }, true},
		{"ready", func() *answer { return owner.do("GET", "/readyz", nil) }, true},
	} {
		if blobsOnly && !o.blobs {
			o.do().ok()
			continue
		}
		within := outageAnswer + slack
		if o.name == "login" {
			within = outageDatabase + slack
		}
		if o.name == "ready" {
			within = checkTimeout + slack
		}
		began := time.Now()
		o.do().unavailable(began, within)
	}
	if found := owner.do("GET", "/readyz", nil).object()["checks"].([]any); len(found) < 5 {
		t.Errorf("readyz tells an operator on this machine %v", found)
	}
	if body := string(owner.do("GET", "/readyz", nil, "X-Forwarded-For", "203.0.113.9").is(http.StatusServiceUnavailable).body); strings.Contains(body, "checks") {
		t.Errorf("readyz tells everybody %s", body)
	}
	owner.do("GET", "/healthz", nil).ok()

	b.restore(t)
	// The first requests may meet lost connections; retries succeed.
	for n := 0; owner.do("GET", "/readyz", nil).status != http.StatusOK; n++ {
		if n == 50 {
			t.Fatal("it is not ready again")
		}
	}
	owner.do("GET", documentPath+"out", nil).ok()
	if got := owner.download(whole); soundSignatures(t, got) == 0 {
		t.Error("the document has no signature")
	}
	began := time.Now()
	signer.verb("sign-docs", unsigned).ok()
	owner.completed(unsigned)
	t.Logf("a document is signed and sealed %v after the outage", time.Since(began).Round(time.Millisecond))
	fsck(t, b.service, 0)
	now, unfinished := blobs(t, b.service)
	if len(unfinished) != 0 {
		t.Errorf("unfinished: %v", unfinished)
	}
	// Only the signature, the seal, its validation data and its timestamp were added.
	if len(now) != len(kept)+4 {
		t.Errorf("%d blobs, want %d and four", len(now), len(kept))
	}
}

func TestJobThatMeetsAnOutageGoesOnWithinSecondsOfItsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	for name, open := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := &heldTimestamper{entered: make(chan struct{}), leave: make(chan struct{}), after: 1}
			b := open(t, func(a *app) { held.Timestamper, a.workflow.Timestamper = a.workflow.Timestamper, held })
			owner, signer := b.person(t, "Sari", ""), b.person(t, "Budi", "")
			id := signable(owner, signer)
			signer.verb("sign-docs", id).ok()
			<-held.entered // by the job, while it seals
			b.fail(t)
			close(held.leave)
			for owner.do("GET", "/readyz", nil).status == http.StatusOK {
			}
			b.restore(t)
			began := time.Now()
			owner.completed(id)
			took := time.Since(began)
			t.Logf("sealed %v after the outage", took.Round(time.Millisecond))
			if took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			fsck(t, b.service, 0)
		})
	}
}

// heldTimestamper blocks the calls after the first ones until it is released.
type heldTimestamper struct {
	tsp.Timestamper
	entered, leave chan struct{} // entered is closed by the first blocked call
	after          int64         // calls that pass
	calls          atomic.Int64
}

func (h *heldTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	if n := h.calls.Add(1); n > h.after {
		if n == h.after+1 {
			close(h.entered)
		}
		<-h.leave
	}
	return h.Timestamper.Timestamp(ctx, digest)
}

func TestFullDiskRefusesUploadsAndSigningGoesOn(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(10 << 30)
	s := starting{adjust: func(a *app) {
		a.diskSpace.Look = func(string) (disk.Space, error) { return disk.Space{Total: 100 << 30, Free: free.Load()}, nil }
	}}.start(t)
	owner, signer := s.person(t, "Sari", ""), s.person(t, "Budi", "")
	id := signable(owner, signer)
	upload := object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(simple())}
	before, _ := blobs(t, s)

	free.Store(512<<20 - 1)
	for _, a := range []*answer{
		owner.do("POST", signPath+"upload-docs-base64", upload),
		owner.do("POST", "/v1/verify", object{"document_base64": upload["document_base64"]}),
	} {
		a.is(http.StatusServiceUnavailable, "server.disk_full")
		if a.header.Get("Retry-After") != "60" {
			t.Errorf("%s: Retry-After %q", a.what, a.header.Get("Retry-After"))
		}
	}
	for _, language := range []struct{ accept, want string }{{"id", "Ruang penyimpanan layanan"}, {"en", "disk space"}} {
		if a := owner.do("POST", signPath+"upload-docs-base64", upload, "Accept-Language", language.accept); !strings.Contains(string(a.body), language.want) {
			t.Errorf("%s: %s", language.accept, a.body)
		}
	}
	if after, unfinished := blobs(t, s); len(after) != len(before) || len(unfinished) != 0 {
		t.Errorf("%d files were %d, unfinished %v", len(after), len(before), unfinished)
	}
	if found := fmt.Sprint(owner.do("GET", "/readyz", nil).ok().object()["checks"]); !strings.Contains(found, "degraded") {
		t.Errorf("readyz: %s", found)
	}
	signer.verb("sign-docs", id).ok()
	owner.completed(id)

	free.Store(1 << 20)
	if a := owner.do("GET", "/readyz", nil).is(http.StatusServiceUnavailable); !strings.Contains(string(a.body), "failed") {
		t.Errorf("readyz: %s", a.body)
	}
	free.Store(10 << 30)
	owner.upload(simple())
}

func TestConversionWithoutDiskSpaceIsRetried(t *testing.T) {
	t.Parallel()
	full := disk.Monitor{Folders: []string{"/"}, Reserve: 100, Look: func(string) (disk.Space, error) { return disk.Space{Total: 1000, Free: 100}, nil }}
	var wait *jobs.Later
	if err := spareReserve(fmt.Errorf("store base: %w", full.Require(1))); !errors.As(err, &wait) || wait.After != reserveWait {
		t.Errorf("only the reserve is left: %v", err)
	}
	gone := &outage.Error{Part: outage.Disk, Err: errors.New("no space left")}
	if err := spareReserve(gone); err != error(gone) {
		t.Errorf("nothing is left: %v", err)
	}
}

// claimThen does something once a key is claimed.
type claimThen struct {
	store.Answers
	then atomic.Pointer[func()]
}

func (c *claimThen) Claim(ctx context.Context, claim store.Claim, keep time.Duration) (store.Claimed, error) {
	met, err := c.Answers.Claim(ctx, claim, keep)
	if then := c.then.Swap(nil); then != nil {
		(*then)()
	}
	return met, err
}

func TestUploadWhoseCommitIsInDoubtIsAnsweredOnceItIsRepeated(t *testing.T) {
	t.Parallel()
	var answers claimThen
	b := behindProxy(t, func(a *app) { answers.Answers, a.answers = a.answers, &answers }, pgtest.CutCommits)
	owner, signer := b.person(t, "Sari", ""), b.person(t, "Budi", "")
	upload := object{"filename": "kontrak.pdf", "document_base64": base64.StdEncoding.EncodeToString(simple()), "signer": []object{signer.as("signer", 1)}}
	send := func() *answer {
		return owner.do("POST", signPath+"upload-docs-base64", upload, "Idempotency-Key", "doubt")
	}

	fail := func() { b.fail(t) }
	answers.then.Store(&fail)
	send().unavailable(time.Now(), time.Minute)
	b.restore(t)
	again := send()
	for n := 0; again.status == http.StatusServiceUnavailable && n < 50; n++ { // it meets connections that were lost
		again = send()
	}
	again.ok()
	if again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the upload was carried out again")
	}
	list := owner.do("GET", documentPath+"out", nil).ok().object()["data"]
	if text := fmt.Sprint(list); strings.Count(text, "document_name:") != 1 {
		t.Errorf("the owner has %s", text)
	}
	if files, _ := blobs(t, b.service); len(files) != 1 {
		t.Errorf("the files are %v", files)
	}
	fsck(t, b.service, 0)
}
