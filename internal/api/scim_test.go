package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// heldBody is the body of a request that says when it is read, and ends when it may.
type heldBody struct {
	read func()
	end  <-chan struct{}
}

func (b *heldBody) Read([]byte) (int, error) {
	b.read()
	<-b.end
	return 0, io.EOF
}

// newDirectory gives an organisation a directory, and returns its secret.
func (b *bench) newDirectory(of contract.OrganisationID) string {
	b.t.Helper()
	secret, hash, hint, err := b.identity.NewDirectorySecret()
	if err != nil {
		b.t.Fatal(err)
	}
	e := contract.Event{Type: contract.EventDirectoryChanged, At: now, Details: map[string]string{"organisation": string(of)}}
	if err := b.store.SetSCIMToken(b.t.Context(), store.SCIMToken{Organisation: of, Hash: hash, Hint: hint, CreatedAt: now}, e); err != nil {
		b.t.Fatal(err)
	}
	return secret
}

// patchGroup sends a change of a group by a directory.
func (b *bench) patchGroup(secret string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest("PATCH", scimBase+"Groups/x", body)
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/scim+json")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

func TestTheDirectoryOfAnOrganisationHasAShareOfRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	one, other := b.newDirectory(works), b.newDirectory(elsewhere)
	end := make(chan struct{})
	var running sync.WaitGroup
	for range maxDirectoryRequests {
		begun := make(chan struct{})
		running.Go(func() { b.patchGroup(one, &heldBody{sync.OnceFunc(func() { close(begun) }), end}) })
		<-begun
	}
	if w := b.patchGroup(one, strings.NewReader("{")); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || w.Header().Get("Content-Type") != "application/scim+json" {
		t.Errorf("one more request: %d %s", w.Code, w.Body)
	}
	if w := b.patchGroup(other, strings.NewReader("{")); w.Code != http.StatusBadRequest { // its syntax is wrong
		t.Errorf("another organisation: %d %s", w.Code, w.Body)
	}
	close(end)
	running.Wait()
	if w := b.patchGroup(one, strings.NewReader("{")); w.Code != http.StatusBadRequest {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

func TestTheDirectoryOfAnOrganisationThatIsSuspendedIsRefusedInItsProtocol(t *testing.T) {
	t.Parallel()
	b := newBench(t, contract.Document{})
	secret := b.newDirectory(works)
	e := contract.Event{Type: contract.EventOrganisationSuspended, At: now, Details: map[string]string{"organisation": string(works)}}
	if err := b.store.SetOrganisationState(t.Context(), works, contract.OrganisationSuspended, "", e); err != nil {
		t.Fatal(err)
	}
	w := b.patchGroup(secret, strings.NewReader("{"))
	if w.Code != http.StatusForbidden || w.Header().Get("Content-Type") != "application/scim+json" || !strings.Contains(w.Body.String(), `"urn:ietf:params:scim:api:messages:2.0:Error"`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
