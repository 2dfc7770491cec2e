package api

import (
	"net/http"
	"testing"

	"segel/internal/contract"
)

func TestEveryEndpointHasAScopeOrIsNeverPermittedToKeys(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for id := range keyScopes {
		left[id] = true
	}
	for _, g := range endpointGroups() {
		for _, e := range g.rows {
			_, listed := keyScopes[e.id]
			named := e.access.op != "" || e.access.admin != "" // contract has their scopes
			switch {
			case e.access == anybody && listed:
				t.Errorf("%s needs no token, and has a scope", e.id)
			case e.access != anybody && named == listed:
				t.Errorf("%s: in keyScopes %v, but its scope follows from its operation: %v", e.id, listed, named)
			}
			delete(left, e.id)
		}
	}
	for id := range left {
		t.Errorf("no endpoint is called %s", id)
	}
}

// A stream is not counted while it lasts, but opening one is a request: else a program could ask for the events of documents without a limit.
func TestRequestsForStreamsCountInTheRateOfAKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, completed(), func(o *Options) { o.KeyRate = 1 })
	_, secret, err := b.identity.CreateKey(t.Context(), contract.Actor{Person: andi, Organisation: works, Role: contract.RoleSender}, contract.KeySettings{Name: "ERP", Scopes: []contract.KeyScope{contract.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	served := 0
	w := b.ask("GET", dBase+"events/1207", "", "X-Access-Token", secret, "Last-Event-ID", "999")
	for ; w.Code == http.StatusNoContent && served < 100; served++ {
		w = b.ask("GET", dBase+"events/1207", "", "X-Access-Token", secret, "Last-Event-ID", "999")
	}
	if served < 10 || served > 20 || w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" { // what ten seconds allow
		t.Errorf("%d were served, then %d %s", served, w.Code, w.Body)
	}
	if w := b.ask("GET", dBase+"events/1207", "", "Last-Event-ID", "999"); w.Code != http.StatusNoContent {
		t.Errorf("the person themselves: %d %s", w.Code, w.Body)
	}
}
