package api

import "testing"

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
