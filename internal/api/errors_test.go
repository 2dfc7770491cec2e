package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"segel/internal/contract"
	"segel/internal/identity"
)

func TestEveryKindOfErrorHasItsStatusAndEnvelope(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, c := range []struct {
		err       error
		status    int
		code      string
		retryable bool
	}{
		{errMalformed, 400, "input.malformed", false},
		{identity.ErrCredentials, 400, "auth.wrong_credentials", false},
		{contract.ErrUnauthenticated, 401, "auth.required", false},
		{contract.ErrQuota, 402, "quota.insufficient", false},
		{contract.ErrNotOwner, 403, "document.not_owner", false},
		{contract.ErrNotFound, 404, "document.not_found", false},
		{contract.ErrNotDraft, 409, "document.not_draft", false},
		{contract.ErrRace, 409, "document.busy", true},
		{contract.Refuse(contract.TooLarge, "file.too_large").With("limit", 5), 413, "file.too_large", false},
		{contract.Refuse(contract.Unsupported, "file.unsupported"), 415, "file.unsupported", false},
		{contract.ErrNothingToDo, 422, "document.nothing_to_do", false},
		{errTooMany.With("retry_after", 7), 429, "rate.limited", true},
		{errUnavailable, 503, "server.unavailable", true},
		{fmt.Errorf("wrapped: %w", contract.ErrNotFound), 404, "document.not_found", false},
		{context.DeadlineExceeded, 503, "server.timeout", true},
		{errors.New("disk on fire at /var/lib/secret"), 500, "server.error", false},
		{&contract.Error{Kind: 99, Code: "kind.unknown"}, 500, "server.error", false},
	} {
		b.store.refuse(c.err)
		w := b.ask("GET", dBase+"detail/1207", "")
		body := w.Body.String()
		f := refused(t, w, c.status, c.code)
		if f.Error.Retryable != c.retryable {
			t.Errorf("%v: retryable %v", c.err, f.Error.Retryable)
		}
		if strings.Contains(body, "secret") || strings.Contains(body, "kind.unknown") {
			t.Errorf("the answer shows the cause: %s", body)
		}
	}
	for kind := contract.Invalid; kind <= contract.Unavailable; kind++ {
		if statuses[kind] == 0 {
			t.Errorf("kind %d has no status", kind)
		}
	}
}

func TestRetryAfterIsWhatTheRefusalSaysInWholeSeconds(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for _, c := range []struct {
		wait any
		want string
	}{{7, "7"}, {0, "1"}, {nil, "5"}} {
		b.store.refuse(errTooMany.With("retry_after", c.wait))
		if got := b.ask("GET", dBase+"detail/1207", "").Header().Get("Retry-After"); got != c.want {
			t.Errorf("%v: got %s, want %s", c.wait, got, c.want)
		}
	}
}

func TestAPanicIsA500ThatTellsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	b.store.once("Commit", func() { panic("rahasia") })
	w := b.ask("POST", sBase+"upload-docs-base64", uploadBody)
	if strings.Contains(w.Body.String(), "rahasia") {
		t.Error("the answer shows the panic")
	}
	refused(t, w, 500, "server.error")
}
