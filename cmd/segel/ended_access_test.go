package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/identity"
)

// endedActor is a caller whose token, key or secret was accepted and is not any more, or a secret that is for something else.
type endedActor struct {
	*client
	who      string
	document int64  // that they could see; 0: any
	code     string // of the refusal
}

// TestEveryOperationRefusesThoseWhoseAccessHasEnded calls every operation as each kind of caller whose access has ended: with the token of a guest's link that was
// replaced, revoked, or has expired, with what a disabled account had, with what was logged out of or revoked, and with secrets that open something else. What needs
// a token answers them like an unknown token; what needs none answers them as without a token.
func TestEveryOperationRefusesThoseWhoseAccessHasEnded(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true, set: []string{"SEGEL_LINK_LIFETIME", "1h", "SEGEL_KEY_REQUESTS_PER_SECOND", "0", "SEGEL_VERIFICATIONS_PER_MINUTE", "0"}}.start(t)
	owner, left := s.administrator(t, "Owner", ""), s.administrator(t, "Left", "") // of the first organisation, so they are operators
	owner.listOrigins(outerPage)
	send := func() (id int64, guest string) {
		t.Helper()
		id = owner.uploadWith(object{"signer": []object{left.as("signer", 1)}, "guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}, "parallel": 1}, simple())
		owner.verb("finalize-docs", id).ok()
		return id, guestOf(owner, id)
	}
	var actors []endedActor
	add := func(who string, c *client, document int64) {
		t.Helper()
		actors = append(actors, endedActor{c, who, document, "auth.required"})
	}
	// alive adds an actor whose access ends later, and requires that it works until then.
	alive := func(who string, c *client, document int64) {
		t.Helper()
		if document != 0 {
			c.get("detail", document).ok()
		} else {
			c.do("GET", "/v1/auth/me", nil).ok()
		}
		add(who, c, document)
	}
	guest := func(who string, end func(id int64, person string)) {
		t.Helper()
		id, person := send()
		alive(who, owner.guest(id, person), id)
		end(id, person)
	}

	guest("the guest of a link that has expired", func(id int64, _ string) {
		owner.verb("cancel-docs", id, "reason", "x").ok()
		actors[0].get("detail", id).ok()
	})
	expiring, _ := owner.keyWith(object{"expires_at": clock.now().Add(time.Hour).UTC().Format(time.RFC3339)}, contract.KeyScopes...)
	alive("an API key that has expired", expiring, 0)
	clock.forward(2 * time.Hour)
	owner, left = owner.again(), left.again()
	guest("the guest of a link that was replaced", func(id int64, person string) { owner.verb("guest-link-docs", id, "user_id", person).ok() })
	guest("the guest of a link that was revoked", func(id int64, person string) { owner.verb("guest-revoke-docs", id, "user_id", person).ok() })
	guest("the guest of an address that was corrected", func(id int64, person string) {
		owner.verb("correct-guest-docs", id, "user_id", person, "email", "lain@example.test").ok()
	})

	// What a person and their programs had whose account is disabled.
	id, tamu := send()
	alive("the access token of a disabled account", left.again(), 0)
	for _, cookie := range left.do("POST", "/v1/auth/session", object{"email": left.email, "password": password}).ok().header.Values("Set-Cookie") {
		if token, ok := strings.CutPrefix(strings.Split(cookie, ";")[0], "segel_session="); ok {
			alive("the web session of a disabled account", &client{service: s, t: t, token: token}, 0)
		}
	}
	key, keyID := left.keyWith(nil, contract.KeyScopes...)
	alive("an API key of a disabled account", key, 0)
	alive("the access token of such a key", &client{service: s, t: t, token: s.keyToken(t, keyID, key.token, "").ok().object()["access_token"].(string)}, 0)
	alive("a page embedded for a disabled account", owner.embedded(t, id, "sign", "user_id", left.id), id)
	draft := left.upload(simple())
	alive("a page that a disabled account asked for", left.embedded(t, draft, "place"), draft)
	owner.do("PUT", "/v1/admin/people/"+left.id+"/disabled", nil).ok()

	// What was ended by those who had it.
	gone := owner.again()
	alive("a login that was logged out of", gone, 0)
	gone.do("POST", "/v1/auth/logout", object{}).ok()
	key, keyID = owner.keyWith(nil, contract.KeyScopes...)
	alive("an API key that was revoked", key, 0)
	alive("the access token of a revoked key", &client{service: s, t: t, token: s.keyToken(t, keyID, key.token, "").ok().object()["access_token"].(string)}, 0)
	owner.do("DELETE", "/v1/auth/keys/"+keyID, nil).ok()
	page := owner.embedded(t, id, "sign", "user_id", tamu)
	alive("an embedded page that was closed", page, id)
	page.do("POST", "/v1/auth/logout", object{}).ok()
	former, current := newDirectory(t, owner), newDirectory(t, owner)

	// Secrets that open something else.
	fragment := func(address string) string { return address[strings.LastIndex(address, "#")+1:] }
	add("the secret of a guest's link", &client{service: s, t: t, token: fragment(owner.verb("guest-link-docs", id, "user_id", tamu).ok().object("response", "data")["url"].(string))}, id)
	add("the address of an embedded page", &client{service: s, t: t, token: fragment(owner.embedAddress(id, "view"))}, id)
	add("a refresh token", &client{service: s, t: t, token: owner.do("POST", "/v1/auth/login", object{"email": owner.email, "password": password}).ok().object("data")["refresh_token"].(string)}, 0)
	add("the secret of a directory", &client{service: s, t: t, token: current.secret}, 0)
	add("the former secret of a directory", &client{service: s, t: t, token: former.secret}, 0)
	for i := range actors {
		if identity.IsAPIKey(actors[i].token) {
			actors[i].code = "key.ended" // its holder may learn that it was not mistyped
		}
	}

	anonymous, unknown := &client{service: s, t: t}, &client{service: s, t: t, token: "sgl_at_nonsense"}
	of := map[string]string{"document_id": "0"}
	checked := 0
	for _, op := range api.Operations() {
		var open *answer // without a token
		if op.Open && !isDirectory(op) {
			open = call(anonymous, op, id)
		} else {
			call(unknown, op, id).is(http.StatusUnauthorized)
		}
		for _, c := range actors {
			document := c.document
			if document == 0 {
				document = id
			}
			a := call(c.client, op, document)
			switch {
			case isDirectory(op):
				a.is(http.StatusUnauthorized)
			case op.Open:
				same := a.status == open.status && (op.Path == "/readyz" || bytes.Equal(a.body, open.body)) // what /readyz says of the parts changes while they work
				if !same && plainAnswer(a, of) != plainAnswer(open, of) {
					t.Errorf("%s %s with %s: %d %.300s, without a token %d %.300s", op.Method, op.Path, c.who, a.status, a.body, open.status, open.body)
				}
			case a.status != http.StatusUnauthorized || !strings.Contains(string(a.body), `"`+c.code+`"`):
				t.Errorf("%s %s with %s: %d, want %s: %.200s", op.Method, op.Path, c.who, a.status, c.code, a.body)
			}
			checked++
		}
		// A directory's requests have the secret in another header.
		status := former.do(op.Method, op.Path, nil, "Authorization", "Bearer "+former.secret).status
		if (isDirectory(op) || !op.Open) && status != http.StatusUnauthorized {
			t.Errorf("%s %s with the former secret of a directory: %d", op.Method, op.Path, status)
		}
	}
	if checked < 20*180 {
		t.Errorf("only %d combinations were checked", checked)
	}
	current.ask("GET", "/Users", nil).ok()
}
