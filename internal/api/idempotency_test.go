package api

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	proc "segel/internal/process"
	"segel/internal/store"
	"segel/pdf/pdftest"
)

const keyHeader = "Idempotency-Key"

func TestARepeatIsAnsweredWhatTheFirstWas(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	first := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
	again := b.ask("POST", "/api"+sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
	if first.Code != 200 || again.Code != 200 || again.Body.String() != first.Body.String() || again.Header().Get("Content-Type") != first.Header().Get("Content-Type") {
		t.Errorf("first %d %s, then %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if again.Header().Get("Idempotent-Replayed") != "true" || first.Header().Get("Idempotent-Replayed") != "" {
		t.Error("the repeat has no Idempotent-Replayed")
	}
	if n := b.countRows(`SELECT count(*) FROM document`); n != 1 {
		t.Errorf("uploaded %d times", n)
	}
}

func TestAKeyIsScopedToAccountAndPath(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	const body = `{"document_id":1207}`
	for i, c := range []struct {
		path, key, token string
		status           int
		replayed         bool
	}{
		{"remind-docs", "k1", "owner", 200, false},
		{"remind-docs", "k2", "owner", 200, false},
		{"remind-docs", "k1", "signer", 403, false},
		{"cancel-docs", "k1", "owner", 200, false},
		{"remind-docs", "k1", "owner", 200, true},
	} {
		w := b.ask("POST", sBase+c.path, body, keyHeader, c.key, "X-Access-Token", c.token)
		if w.Code != c.status || (w.Header().Get("Idempotent-Replayed") == "true") != c.replayed {
			t.Errorf("request %d: %d %s %v", i, w.Code, w.Body, w.Header())
		}
	}
	reminded := 0
	for _, e := range b.events() {
		if e.Type == contract.EventReminded {
			reminded++
		}
	}
	if reminded != 2 {
		t.Errorf("reminded %d times", reminded)
	}
}

// A program that is tried with a test key and then used with another one must not be told that the test document is the real one.
func TestAnswersToATestKeyAreNotRepeatedToAKeyOfDocumentsWithValue(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	made := map[bool]uploadData{}
	for _, test := range []bool{true, false} {
		_, secret, err := b.identity.CreateKey(t.Context(), contract.Actor{Person: andi, Organisation: works, Role: contract.RoleSender}, contract.KeySettings{Name: "ERP", Scopes: []contract.KeyScope{contract.ScopeRead, contract.ScopeWrite}, Test: test})
		if err != nil {
			t.Fatal(err)
		}
		first := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "order-17", "X-Access-Token", secret)
		again := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "order-17", "X-Access-Token", secret)
		if first.Header().Get("Idempotent-Replayed") != "" || again.Header().Get("Idempotent-Replayed") != "true" || again.Body.String() != first.Body.String() {
			t.Errorf("test key %v: %d %s, then %d %s", test, first.Code, first.Body, again.Code, again.Body)
		}
		made[test] = requireOK[done[uploadData]](t, first).Response.Data
		if d, err := b.store.Document(t.Context(), made[test].DocumentID); err != nil || d.Test != test {
			t.Errorf("test key %v: a test document is %v, %v", test, d.Test, err)
		}
	}
	// The person in the web app and their keys repeat each other's answers.
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "order-17"); w.Header().Get("Idempotent-Replayed") != "true" || requireOK[done[uploadData]](t, w).Response.Data.DocumentID != made[false].DocumentID {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheSameKeyWithAnotherBodyIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
	w := b.ask("POST", sBase+"upload-docs-base64", strings.Replace(uploadBody, "Sewa", "Lain", 1), keyHeader, "k1")
	refused(t, w, 409, "idempotency.conflict")
	// The part of the body after what the endpoint read counts too.
	w = b.ask("POST", sBase+"upload-docs-base64", uploadBody+" ", keyHeader, "k1")
	refused(t, w, 409, "idempotency.conflict")
	if n := b.countRows(`SELECT count(*) FROM document`); n != 1 {
		t.Errorf("uploaded %d times", n)
	}
}

func TestOfTwoAtOnceOneRunsAndTheOtherIsToldToWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	entered, leave := make(chan struct{}), make(chan struct{})
	b.store.once("Commit", func() { close(entered); <-leave })
	var first *httptest.ResponseRecorder
	var wait sync.WaitGroup
	wait.Go(func() { first = b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1") })
	<-entered
	f := refused(t, b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"), 409, "idempotency.running")
	if !f.Error.Retryable {
		t.Error("the second has no Retry-After")
	}
	close(leave)
	wait.Wait()
	if first.Code != 200 {
		t.Errorf("the first is answered %d", first.Code)
	}
	if again := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); again.Body.String() != first.Body.String() {
		t.Errorf("afterwards %d %s", again.Code, again.Body)
	}
}

func TestOnlyFinalAnswersAreKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		kept bool
	}{
		{contract.ErrNotFound, true}, {contract.ErrNotDraft, true}, {contract.ErrQuota, true}, {contract.ErrNothingToDo, true},
		{contract.ErrRace, false}, {contract.ErrUnauthenticated, false}, {errTooMany, false}, {errUnavailable, false}, {errors.New("defect"), false},
	} {
		b := newBench(t, processing())
		b.store.refuse(c.err)
		b.ask("POST", sBase+"remind-docs", `{"document_id":1207}`, keyHeader, "k1")
		b.store.refuse(nil)
		w := b.ask("POST", sBase+"remind-docs", `{"document_id":1207}`, keyHeader, "k1")
		if kept := w.Code != 200; kept != c.kept {
			t.Errorf("%v: the repeat is answered %d", c.err, w.Code)
		}
	}
}

func TestAPanicLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	b.store.once("Commit", func() { panic("trouble") })
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 500 {
		t.Fatalf("answered %d", w.Code)
	}
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 200 {
		t.Errorf("the repeat is answered %d: %s", w.Code, w.Body)
	}
}

func TestABodyThatBrokeOffIsNoAnswerToKeep(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	r := b.request("POST", sBase+"upload-docs-base64", io.MultiReader(strings.NewReader(uploadBody[:100]), broken{}), keyHeader, "k1")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	refused(t, w, 400, "body.incomplete")
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 200 {
		t.Errorf("the repeat is answered %d: %s", w.Code, w.Body)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// Nothing was committed, otherwise the answer would have been stored with it: a repeat may run.
func TestAnAnswerThatCannotBeKeptIsToldAllTheSame(t *testing.T) {
	t.Parallel()
	const again = `{"document_id":1207}` // finalizes what is final: changes nothing
	for _, drop := range []error{nil, errors.New("disk full")} {
		failing := &failingAnswers{}
		b := newBench(t, processing(), func(o *Options) { failing.Answers, o.Answers = o.Answers, failing })
		failing.err, failing.dropErr = errors.New("disk full"), drop
		if w := b.ask("POST", sBase+"finalize-docs", again, keyHeader, "k1"); w.Code != 200 {
			t.Errorf("answered %d", w.Code)
		}
		failing.err, failing.dropErr = nil, nil
		if w := b.ask("POST", sBase+"finalize-docs", again, keyHeader, "k1"); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("the repeat is answered %d: %s", w.Code, w.Body)
		}
		if w := b.ask("POST", sBase+"finalize-docs", again, keyHeader, "k1"); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("the third is answered %d: %s", w.Code, w.Body)
		}
	}
}

// failingAnswers fails to end claims.
type failingAnswers struct {
	store.Answers
	err     error // of FinishClaim
	dropErr error // of DropClaim
}

func (f *failingAnswers) FinishClaim(ctx context.Context, c store.Claim, a store.Answer) error {
	if f.err != nil {
		return f.err
	}
	return f.Answers.FinishClaim(ctx, c, a)
}

func (f *failingAnswers) DropClaim(ctx context.Context, c store.Claim) error {
	if f.dropErr != nil {
		return f.dropErr
	}
	return f.Answers.DropClaim(ctx, c)
}

// claimOf returns the claim of a request by the owner.
func claimOf(t *testing.T, path, key string) store.Claim {
	t.Helper()
	c := store.Claim{Account: string(andi.ID), Path: path, ClearKey: key, Token: "t", At: now}
	keys, err := (&server{}).deriveKeys(c, false)
	if err != nil {
		t.Fatal(err)
	}
	c.Key = keys.name
	return c
}

func TestTheClaimOfAProcessThatEndedIsReleasedByTheRepeat(t *testing.T) {
	t.Parallel()
	for process, code := range map[string]int{"dead": 200, "alive": 409, "of another machine": 409} {
		b := newBench(t, contract.Document{})
		claim := claimOf(t, sBase+"upload-docs-base64", "k1")
		claim.Process = process
		if process != "of another machine" {
			other, err := proc.JoinFolder(filepath.Join(filepath.Dir(b.path), "processes"))
			if err != nil {
				t.Fatal(err)
			}
			claim.Process = other.Name()
			if process == "dead" {
				err = other.Leave()
			}
			t.Cleanup(func() { _ = other.Leave() })
			if err != nil {
				t.Fatal(err)
			}
		}
		if met, err := b.store.Claim(t.Context(), claim, time.Hour); err != nil || met.Holder != "" {
			t.Fatal(met, err)
		}
		w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
		if w.Code != code {
			t.Errorf("%s: answered %d %s, want %d", process, w.Code, w.Body, code)
		}
	}
}

// TestWhatIsKeptOfAnAnswerTellsNothing looks for the body of the answer and for the key in everything that is stored.
func TestWhatIsKeptOfAnAnswerTellsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	body := `{"document_id":1207,"user_id":"` + string(budi.ID) + `"}`
	first := b.ask("POST", sBase+"guest-link-docs", body, keyHeader, "guessable")
	if first.Code != 200 || !strings.Contains(first.Body.String(), "#sgl_gl_") {
		t.Fatalf("answered %d %s", first.Code, first.Body)
	}
	if n := b.countRows(`SELECT count(*) FROM answer`); n != 1 {
		t.Fatalf("%d answers", n)
	}
	kept := ""
	b.withDatabase(func(db *sql.DB) error {
		var key, header string
		var content []byte
		err := db.QueryRow(`SELECT idempotency_key, header, content FROM answer`).Scan(&key, &header, &content)
		kept = key + header + string(content)
		return err
	})
	for _, secret := range []string{"guessable", "sgl_gl_", "success"} {
		if strings.Contains(kept, secret) {
			t.Errorf("%q is stored: %q", secret, kept)
		}
	}
	// Another service, with another secret, finds nothing under the key.
	other, err := New(Options{Workflow: b.workflow, Identity: b.identity, Notices: b.notices, Answers: b.store.Store, Process: b.process, Clock: clock, AnswerSecret: [32]byte{1}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	other.ServeHTTP(w, b.request("POST", sBase+"guest-link-docs", strings.NewReader(body), keyHeader, "guessable"))
	if w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("another secret opened it: %d %s", w.Code, w.Body)
	}
	b.withDatabase(func(db *sql.DB) error {
		_, err := db.Exec(`UPDATE answer SET content = zeroblob(length(content))`)
		return err
	})
	if w := b.ask("POST", sBase+"guest-link-docs", body, keyHeader, "guessable"); w.Code != 500 {
		t.Errorf("an answer that was changed: %d %s", w.Code, w.Body)
	}
}

func TestAKeyIsPrintableAndShort(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, key := range []string{strings.Repeat("k", 256), "a\tb", "kunci-é"} {
		refused(t, b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, key), 422, "idempotency.malformed")
	}
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, strings.Repeat("k", 255)); w.Code != 200 {
		t.Errorf("a key of 255: %d", w.Code)
	}
}

func TestLoginsTakeNoKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	b.ask("POST", "/v1/auth/login", `{"email":"andi@contoh.id","password":"salah"}`, keyHeader, "k1", "X-Access-Token", "")
	if w := b.ask("POST", "/v1/auth/login", `{"email":"andi@contoh.id","password":"benar"}`, keyHeader, "k1", "X-Access-Token", ""); w.Code != 200 {
		t.Errorf("answered %d", w.Code)
	}
	if n := b.countRows(`SELECT count(*) FROM answer`); n != 0 {
		t.Error("an answer with tokens was stored")
	}
}

// TestALargeUploadIsHashedNotHeld sends a body larger than the memory it allows.
func TestALargeUploadIsHashedNotHeld(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{}, func(o *Options) { o.Limits.FileSize = 1 << 30 })
	file := pdftest.NewLarge(6<<20, 10)
	body := func() io.Reader {
		inside, w := io.Pipe()
		go func() {
			e := base64.NewEncoder(base64.StdEncoding, w)
			_, err := io.Copy(e, io.NewSectionReader(file, 0, file.Size()))
			w.CloseWithError(errors.Join(err, e.Close())) //nolint:errcheck // it returns nil
		}()
		return io.MultiReader(strings.NewReader(`{"document_base64":"`), inside, strings.NewReader(`"}`))
	}
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		b.ServeHTTP(w, b.request("POST", sBase+"upload-docs-base64", body(), keyHeader, "k1"))
		return w
	}
	first, again := ask(), ask()
	if first.Code != http.StatusOK || again.Body.String() != first.Body.String() || !json.Valid(again.Body.Bytes()) {
		t.Errorf("first %d, then %d", first.Code, again.Code)
	}
	if d := b.document(1207); d.Original.Size != file.Size() {
		t.Errorf("stored %d bytes", d.Original.Size)
	}
}
