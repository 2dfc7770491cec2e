package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

const keyHeader = "Idempotency-Key"

func TestARepeatIsAnsweredWhatTheFirstWas(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	first := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
	b.doc.ID = 9999
	again := b.ask("POST", "/api"+sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
	if first.Code != 200 || again.Code != 200 || again.Body.String() != first.Body.String() || again.Header().Get("Content-Type") != first.Header().Get("Content-Type") {
		t.Errorf("first %d %s, then %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if again.Header().Get("Idempotent-Replayed") != "true" || first.Header().Get("Idempotent-Replayed") != "" {
		t.Error("the repeat has no Idempotent-Replayed")
	}
	if n := b.count("upload"); n != 1 {
		t.Errorf("uploaded %d times", n)
	}
}

func TestAKeyIsScopedToAccountAndPath(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	const body = `{"document_id":1207}`
	b.ask("POST", sBase+"remind-docs", body, keyHeader, "k1")
	b.ask("POST", sBase+"remind-docs", body, keyHeader, "k2")
	b.ask("POST", sBase+"remind-docs", body, keyHeader, "k1", "X-Access-Token", "signer")
	b.ask("POST", sBase+"restamp-docs", body, keyHeader, "k1")
	b.ask("POST", sBase+"remind-docs", body, keyHeader, "k1")
	if b.count("remind") != 3 || b.count("restamp") != 1 {
		t.Errorf("calls: %v", b.asked)
	}
}

func TestTheSameKeyWithAnotherBodyIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
	w := b.ask("POST", sBase+"upload-docs-base64", strings.Replace(uploadBody, "Sewa", "Lain", 1), keyHeader, "k1")
	refused(t, w, 409, "idempotency.conflict")
	// The part of the body after what the endpoint read counts too.
	w = b.ask("POST", sBase+"upload-docs-base64", uploadBody+" ", keyHeader, "k1")
	refused(t, w, 409, "idempotency.conflict")
	if n := b.count("upload"); n != 1 {
		t.Errorf("uploaded %d times", n)
	}
}

func TestOfTwoAtOnceOneRunsAndTheOtherIsToldToWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	entered, leave := make(chan struct{}), make(chan struct{})
	b.upload = func() { close(entered); <-leave }
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
		b.err = c.err
		b.ask("POST", sBase+"remind-docs", `{"document_id":1207}`, keyHeader, "k1")
		b.err = nil
		w := b.ask("POST", sBase+"remind-docs", `{"document_id":1207}`, keyHeader, "k1")
		if kept := w.Code != 200; kept != c.kept {
			t.Errorf("%v: the repeat is answered %d", c.err, w.Code)
		}
	}
}

func TestAPanicLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	b.upload = func() { panic("trouble") }
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 500 {
		t.Fatalf("answered %d", w.Code)
	}
	b.upload = nil
	if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 200 {
		t.Errorf("the repeat is answered %d: %s", w.Code, w.Body)
	}
}

func TestABodyThatBrokeOffIsNoAnswerToKeep(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	r := httptest.NewRequest("POST", sBase+"upload-docs-base64", io.MultiReader(strings.NewReader(uploadBody[:100]), broken{}))
	r.Header.Set("X-Access-Token", "owner")
	r.Header.Set(keyHeader, "k1")
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
	for _, drop := range []error{nil, errors.New("disk full")} {
		b := newBench(t, draft())
		b.answers.err, b.answers.dropErr = errors.New("disk full"), drop
		if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 200 {
			t.Errorf("answered %d", w.Code)
		}
		b.answers.err, b.answers.dropErr = nil, nil
		if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("the repeat is answered %d: %s", w.Code, w.Body)
		}
		if w := b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1"); w.Code != 200 || w.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("the third is answered %d: %s", w.Code, w.Body)
		}
	}
}

func TestTheClaimOfAProcessThatEndedIsReleasedByTheRepeat(t *testing.T) {
	t.Parallel()
	for process, code := range map[string]int{"dead": 200, "of another machine": 409} {
		b := newBench(t, draft())
		b.ask("POST", sBase+"upload-docs-base64", uploadBody, keyHeader, "k1")
		for name := range b.answers.answers { // as if the process had been killed before
			b.answers.claims[name] = store.Claim{Account: string(andi.ID), Path: sBase + "upload-docs-base64", Process: process, Token: "t"}
			delete(b.answers.answers, name)
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
	if first.Code != 200 || !strings.Contains(first.Body.String(), "#rahasia") {
		t.Fatalf("answered %d %s", first.Code, first.Body)
	}
	if len(b.answers.answers) != 1 {
		t.Fatalf("%d answers", len(b.answers.answers))
	}
	for name, a := range b.answers.answers {
		kept := name + fmt.Sprint(a.Header) + string(a.Content)
		for _, secret := range []string{"guessable", "rahasia", "success"} {
			if strings.Contains(kept, secret) {
				t.Errorf("%q is stored: %q", secret, kept)
			}
		}
		a.Content = append([]byte{}, a.Content...)
		a.Content[len(a.Content)-1] ^= 1
		b.answers.answers[name] = a
	}
	if w := b.ask("POST", sBase+"guest-link-docs", body, keyHeader, "guessable"); w.Code != 500 {
		t.Errorf("an answer that was changed: %d %s", w.Code, w.Body)
	}
	// Another service, with another secret, finds nothing under the key.
	other := newBench(t, processing(), func(o *Options) { o.Answers, o.AnswerSecret = b.answers, [32]byte{1} })
	if w := other.ask("POST", sBase+"guest-link-docs", body, keyHeader, "guessable"); w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("another secret opened it: %d %s", w.Code, w.Body)
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
	if len(b.answers.answers) != 0 {
		t.Error("an answer with tokens was stored")
	}
}

// TestALargeUploadIsHashedNotHeld sends a body larger than the memory it allows.
func TestALargeUploadIsHashedNotHeld(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft(), func(o *Options) { o.Limits.FileSize = 1 << 30 })
	body := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"document_base64":"`), io.LimitReader(letters64{}, 8<<20), strings.NewReader(`"}`))
	}
	ask := func() *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", sBase+"upload-docs-base64", body())
		r.Header.Set("X-Access-Token", "owner")
		r.Header.Set(keyHeader, "k1")
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		return w
	}
	first, again := ask(), ask()
	if first.Code != http.StatusOK || again.Body.String() != first.Body.String() || !json.Valid(again.Body.Bytes()) {
		t.Errorf("first %d, then %d", first.Code, again.Code)
	}
	if n := b.staged.Len(); n != 6<<20 {
		t.Errorf("staged %d bytes", n)
	}
}

// letters64 is endless base64.
type letters64 struct{}

func (letters64) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'A'
	}
	return len(p), nil
}
