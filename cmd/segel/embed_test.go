package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/store"
)

const outerPage = "https://erp.contoh.id"

// listOrigins lists the origins of the organisation of an admin.
func (c *client) listOrigins(origins ...string) {
	c.t.Helper()
	c.do("PUT", "/v1/admin/embedding", object{"origins": append([]string{}, origins...)}).ok()
}

// embedAddress asks for an address and returns its secret.
func (c *client) embedAddress(id int64, purpose string, more ...any) string {
	c.t.Helper()
	return c.verb("embed-docs", id, append([]any{"purpose", purpose}, more...)...).ok().object("response", "data")["url"].(string)
}

// openEmbedded opens an address in a page of an origin.
func (s *service) openEmbedded(t *testing.T, address, origin string) *answer {
	t.Helper()
	return (&client{service: s, t: t}).do("POST", "/v1/auth/embedded", object{"address": address, "origin": origin})
}

// embedded returns a client in an embedded page.
func (c *client) embedded(t *testing.T, id int64, purpose string, more ...any) *client {
	t.Helper()
	in := c.service.openEmbedded(t, c.embedAddress(id, purpose, more...), outerPage).ok().object("data")
	return &client{service: c.service, t: t, token: in["token"].(string), id: in["user_id"].(string)}
}

// TestEveryOperationAnswersAnEmbeddedPageOfEachPurposeAsItShould calls every endpoint from embedded pages of each purpose, and with the number of their
// document, of another document of the same person, and of none. What the purpose does not include is refused in the same way whatever the
// number; of what it includes, another document looks like one that does not exist.
func TestEveryOperationAnswersAnEmbeddedPageOfEachPurposeAsItShould(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, signer := s.administrator(t, "Owner", ""), s.person(t, "Signer", "")
	owner.listOrigins(outerPage)
	guest := []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}
	make := func(finalize bool) int64 {
		id := owner.uploadWith(object{"signer": []object{signer.as("signer", 1)}, "guest": guest, "parallel": 1}, simple())
		if finalize {
			owner.verb("finalize-docs", id).ok()
		}
		return id
	}
	own, other, draft, otherDraft := make(true), make(true), make(false), make(false)
	const missing = 999_999
	identifier := regexp.MustCompile(`\{[a-z_]+_id\}|\{[a-z]+\}`)
	var tamu string
	for _, p := range owner.get("signers", own).ok().object("data")["signer"].([]any) {
		if p := p.(object); p["is_guest"] == true {
			tamu = p["user_id"].(string)
		}
	}
	pages := map[contract.EmbedPurpose][]func() (*client, int64, int64){
		contract.EmbedPlace: {func() (*client, int64, int64) { return owner.embedded(t, draft, "place"), draft, otherDraft }},
		contract.EmbedSign: {
			func() (*client, int64, int64) {
				return owner.embedded(t, own, "sign", "user_id", signer.id), own, other
			},
			func() (*client, int64, int64) { return owner.embedded(t, own, "sign", "user_id", tamu), own, other },
		},
		contract.EmbedView: {
			func() (*client, int64, int64) { return owner.embedded(t, own, "view"), own, other },
			func() (*client, int64, int64) {
				return owner.embedded(t, own, "view", "user_id", signer.id), own, other
			},
		},
	}
	checked := 0
	for purpose, actors := range pages {
		for _, open := range actors {
			page, mine, others := open()
			for _, op := range api.Operations() {
				if op.Open || op.ID == "logout" {
					continue
				}
				op.Path = identifier.ReplaceAllStringFunc(op.Path, func(name string) string {
					if name == "{service}" || name == "{document_id}" {
						return name
					}
					return "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
				})
				if op.Document == "" {
					if a := call(page, op, missing); a.status != http.StatusForbidden || !strings.Contains(string(a.body), "embed.purpose") && !strings.Contains(string(a.body), "auth.not_allowed") {
						t.Errorf("%s %s in a page to %s: %d: %.200s", op.Method, op.Path, purpose, a.status, a.body)
					}
					checked++
					continue
				}
				included := purpose.Includes(op.Document) && !op.Many
				nowhere := plainRefusal(call(page, op, missing))
				if got := plainRefusal(call(page, op, others)); got != nowhere {
					t.Errorf("%s %s of another document in a page to %s: %s, want %s", op.Method, op.Path, purpose, got, nowhere)
				}
				if refused := strings.Contains(nowhere, "embed.purpose") || strings.Contains(nowhere, "auth.not_allowed"); refused == included {
					t.Errorf("%s %s in a page to %s, which includes it: %v: %s", op.Method, op.Path, purpose, included, nowhere)
				}
				a := call(page, op, mine)
				switch {
				case !included && plainRefusal(a) != nowhere:
					t.Errorf("%s %s of its document in a page to %s: %d: %.200s", op.Method, op.Path, purpose, a.status, a.body)
				case included && (a.status == http.StatusUnauthorized || a.status == http.StatusNotFound || strings.Contains(string(a.body), "embed.purpose")):
					t.Errorf("%s %s of its document in a page to %s: %d: %.200s", op.Method, op.Path, purpose, a.status, a.body)
				}
				checked++
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d combinations were checked", checked)
	}
}

func TestAnEmbeddedSignatureProvesNoLessThanOneOfALogin(t *testing.T) {
	onBothServices(t, func(t *testing.T, start func() *service) {
		s := start()
		owner, signer := s.administrator(t, "Owner", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu")
		owner.verb("embed-docs", owner.upload(simple(), signer.as("signer", 1)), "purpose", "place").is(http.StatusConflict, "embed.no_origins")
		owner.listOrigins(outerPage)
		key, keyID := owner.keyWith(object{"name": "ERP Gudang"}, contract.ScopeRead, contract.ScopeWrite)
		reading, _ := owner.keyWith(nil, contract.ScopeRead)
		id := owner.uploadWith(object{"signer": []object{signer.as("signer", 1)}, "guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 2}}, simple())
		owner.verb("finalize-docs", id).ok()
		reading.verb("embed-docs", id, "purpose", "view").is(http.StatusForbidden, "key.scope")
		signer.verb("embed-docs", id, "purpose", "sign", "user_id", signer.id).is(http.StatusForbidden)

		page := key.embedded(t, id, "sign", "user_id", signer.id)
		page.get("preview", id).ok()
		consent := page.consentOf(id, "id")
		page.verb("sign-docs", id, "consent", consent).is(http.StatusForbidden, "embed.proof_required")
		page.verb("reject-docs", id, "reason", "no").is(http.StatusForbidden, "embed.proof_required")
		page.verb("sign-docs", id, "consent", consent, "otp", "123456").is(http.StatusForbidden, "embed.proof_required")
		page.verb("sign-docs", id, "consent", consent, "password", "kata sandi orang lain").is(http.StatusBadRequest, "embed.password_wrong")
		secret, _ := signer.addTOTP()
		page.verb("sign-docs", id, "consent", consent, "password", password).is(http.StatusForbidden, "auth.factor_required")
		page.verb("sign-docs", id, "consent", consent, "password", password, "otp", signer.otpOf(secret, 0)).ok()

		// The guest is in turn now. Nothing was verified, and the evidence says where they signed.
		var tamu string
		for _, p := range owner.get("signers", id).ok().object("data")["signer"].([]any) {
			if p := p.(object); p["is_guest"] == true {
				tamu = p["user_id"].(string)
			}
		}
		visitor := key.embedded(t, id, "sign", "user_id", tamu)
		visitor.verb("sign-docs", id, "consent", visitor.consentOf(id, "id")).ok()
		owner.completed(id)
		trail := string(owner.get("audit-trail", id).ok().body)
		const said = "di halaman https://erp.contoh.id, dengan alamat yang diminta oleh Owner dengan kunci API ERP Gudang"
		if strings.Count(trail, said) < 4 || !strings.Contains(trail, "Meminta alamat halaman tertanam untuk Siti Rahma, keperluan: menandatangani") {
			t.Errorf("the audit trail: %s", trail)
		}
		facts := owner.evidenceFacts(t, id)
		for _, p := range facts.People {
			if g := p.Signature; g.Page != outerPage || g.EmbeddedBy != "Owner" || g.EmbeddedKey != "ERP Gudang" {
				t.Errorf("the evidence says %+v", g)
			}
		}
		if g := facts.People[0].Signature; g.Factor != string(contract.FactorTOTP) || g.FactorFor != contract.ForSignature {
			t.Errorf("the evidence states the factor %q for %q", g.Factor, g.FactorFor)
		}
		if g := facts.People[1].Signature; g.Link != string(contract.LinkHandedOut) || g.Mailbox != "" {
			t.Errorf("the evidence of the guest: %+v", g)
		}
		visitor.get("detail", id).ok()
		owner.do("DELETE", "/v1/auth/keys/"+keyID, nil).ok()
		visitor.get("detail", id).is(http.StatusUnauthorized)
	})
}

func TestAnAddressIsOpenedOnceAndEndsWithWhatItCameFrom(t *testing.T) {
	onBothServices(t, func(t *testing.T, start func() *service) {
		s := start()
		admin, owner, signer := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Owner", "PT Satu"), s.person(t, "Signer", "PT Satu")
		admin.listOrigins(outerPage, "http://localhost:3000")
		id := owner.uploadWith(object{"signer": []object{signer.as("signer", 1)}, "guest": object{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}, "parallel": 1}, simple())
		owner.verb("finalize-docs", id).ok()
		var tamu string
		for _, p := range owner.get("signers", id).ok().object("data")["signer"].([]any) {
			if p := p.(object); p["is_guest"] == true {
				tamu = p["user_id"].(string)
			}
		}
		address := owner.embedAddress(id, "view", "user_id", tamu, "origins", []string{outerPage})
		if want := s.conf.BaseURL() + "/embed/" + string(organisationIDOf(t, s, owner)) + "#sgl_ea_"; !strings.HasPrefix(address, want) {
			t.Errorf("the address is %s, want %s...", address, want)
		}
		for _, origin := range []string{"", "https://evil.example", "http://localhost:3000", outerPage + "/", "null"} {
			s.openEmbedded(t, address, origin).is(http.StatusForbidden, "embed.origin")
		}
		unknown := strings.Repeat("0", 49)
		other := "x" // than the last letter of the address
		if strings.HasSuffix(address, other) {
			other = "y"
		}
		for _, wrong := range []string{"sgl_ea_" + unknown, address[:len(address)-1] + other, "x", address + "x"} {
			s.openEmbedded(t, wrong, outerPage).is(http.StatusNotFound, "embed.address_invalid")
		}
		// Of many who open it at once, one gets in.
		results := make(chan int, 5)
		for range cap(results) {
			go func() { results <- s.openEmbedded(t, address, outerPage).status }()
		}
		in := 0
		for range cap(results) {
			if <-results == http.StatusOK {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%d opened the address", in)
		}
		s.openEmbedded(t, address, outerPage).is(http.StatusNotFound, "embed.address_used")
		if rows, err := s.store.EmbedOrigins(t.Context(), "unknown"); err != nil || len(rows) != 0 {
			t.Errorf("%v, %v", rows, err)
		}

		// What ends a page that is open, and an address that is not.
		for what, end := range map[string]func(page *client){
			"the owner revokes the guest's links": func(*client) { owner.verb("guest-revoke-docs", id, "user_id", tamu).ok() },
			"the page closes":                     func(page *client) { page.do("POST", "/v1/auth/logout", object{}).ok() },
			"the origin is not listed any more":   func(*client) { admin.listOrigins("http://localhost:3000") },
		} {
			admin.listOrigins(outerPage, "http://localhost:3000")
			page := owner.embedded(t, id, "view", "user_id", tamu)
			page.get("detail", id).ok()
			end(page)
			page.get("detail", id).is(http.StatusUnauthorized)
			if t.Failed() {
				t.Fatalf("after %s", what)
			}
		}
		admin.listOrigins(outerPage)
		owner.verb("guest-link-docs", id, "user_id", tamu).ok()
		page := owner.embedded(t, id, "view", "user_id", tamu)
		owner.verb("guest-link-docs", id, "user_id", tamu).ok() // another link ends the former one, and no page
		page.get("detail", id).ok()
		waiting := owner.embedAddress(id, "view", "user_id", tamu)
		owner.verb("correct-guest-docs", id, "user_id", tamu, "email", "lain@example.test").ok()
		page.get("detail", id).is(http.StatusUnauthorized)
		s.openEmbedded(t, waiting, outerPage).is(http.StatusNotFound, "embed.address_invalid")

		// A member's page ends with their account, and with the login of who asked for it.
		member := owner.embedded(t, id, "sign", "user_id", signer.id)
		member.get("detail", id).ok()
		waiting = owner.embedAddress(id, "sign", "user_id", signer.id)
		admin.do("PUT", "/v1/admin/people/"+signer.id+"/disabled", nil).ok()
		member.get("detail", id).is(http.StatusUnauthorized)
		s.openEmbedded(t, waiting, outerPage).is(http.StatusNotFound, "embed.address_ended")
		admin.do("DELETE", "/v1/admin/people/"+signer.id+"/disabled", nil).ok()
		member.get("detail", id).is(http.StatusUnauthorized)
		again := owner.embedded(t, id, "sign", "user_id", signer.id)
		waiting = owner.embedAddress(id, "sign", "user_id", signer.id)
		owner.do("POST", "/v1/auth/logout", object{}).ok()
		again.get("detail", id).is(http.StatusUnauthorized)
		s.openEmbedded(t, waiting, outerPage).is(http.StatusNotFound, "embed.address_ended")

		log, err := s.store.AuditLog(t.Context(), store.LogQuery{Type: contract.EventEmbeddingChanged, Limit: 100})
		if err != nil || len(log.Events) < 3 || !slices.ContainsFunc(log.Events, func(e store.Logged) bool { return e.Details["origins"] == outerPage }) {
			t.Errorf("%v, %v", log.Events, err)
		}
		s.fsck(t)
	})
}

func TestAnAddressExpiresAfterTenMinutesAndItsPageAfterAnHour(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := starting{clock: func() time.Time { return now }}.start(t)
	owner := s.administrator(t, "Owner", "")
	owner.listOrigins(outerPage)
	id := owner.upload(simple())
	address, page := owner.embedAddress(id, "place"), owner.embedded(t, id, "place")
	page.place(id, owner.at("emet", 100, 100, 160, 160)).ok()
	page.verb("finalize-docs", id).is(http.StatusForbidden, "embed.purpose")
	now = now.Add(10 * time.Minute)
	s.openEmbedded(t, address, outerPage).is(http.StatusNotFound, "embed.address_expired")
	page.get("detail", id).ok()
	owner.do("PUT", "/v1/admin/embedding", object{"origins": []string{"https://evil.example"}}).is(http.StatusForbidden, "auth.reauthenticate")
	now = now.Add(50 * time.Minute)
	page.get("detail", id).is(http.StatusUnauthorized)
	if err := s.identity.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.openEmbedded(t, address, outerPage).is(http.StatusNotFound, "embed.address_expired")
	now = now.Add(contract.EmbedRemembered)
	if err := s.identity.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.openEmbedded(t, address, outerPage).is(http.StatusNotFound, "embed.address_invalid")
}

func TestAPageEndsWhenTheSessionOfItsRequesterWasIdleForTooLong(t *testing.T) {
	t.Parallel()
	var clock shifted
	s := starting{clock: clock.now, idle: true}.start(t)
	owner := s.administrator(t, "Owner", "")
	owner.listOrigins(outerPage)
	owner.do("PUT", "/v1/admin/account-policy", object{"idle_minutes": 30}).ok()
	id := owner.upload(simple())
	page, address := owner.embedded(t, id, "place"), owner.embedAddress(id, "place")
	clock.forward(20 * time.Minute)
	page.get("detail", id).ok() // no use of the owner's session
	owner.do("GET", "/v1/auth/me", nil).ok()
	clock.forward(20 * time.Minute)
	page.get("detail", id).ok()
	clock.forward(15 * time.Minute)
	page.get("detail", id).is(http.StatusUnauthorized)
	owner.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized)
	s.openEmbedded(t, address, outerPage).is(http.StatusNotFound, "embed.address_expired")
}

func TestTheOriginsOfASuspendedOrganisationAreShownAndNotInForce(t *testing.T) {
	t.Parallel()
	s := start(t)
	operator, owner := s.administrator(t, "Operator", ""), s.administrator(t, "Owner", "PT Satu")
	owner.listOrigins(outerPage)
	of := organisationIDOf(t, s, owner)
	show := func() string {
		t.Helper()
		data := operator.do("GET", "/v1/admin/embedding?organisation="+string(of), nil).ok().object("data")
		return fmt.Sprint(data["origins"], data["in_force"])
	}
	if got, want := show(), fmt.Sprint([]string{outerPage}, true); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	operator.do("PUT", fmt.Sprint(organisationsPath, "/", of, "/suspended"), object{}).ok()
	if got, want := show(), fmt.Sprint([]string{outerPage}, false); got != want {
		t.Errorf("suspended: %s, want %s", got, want)
	}
	if framers := s.loadFrameOrigins(t.Context(), string(of)); len(framers) != 0 {
		t.Errorf("suspended, its pages may be framed by %q", framers)
	}
	operator.do("PUT", "/v1/admin/embedding", object{"organisation": of, "origins": []string{}}).ok()
	operator.do("DELETE", fmt.Sprint(organisationsPath, "/", of, "/suspended"), nil).ok()
	if got, want := show(), fmt.Sprint([]string{}, true); got != want {
		t.Errorf("after a change while it was suspended: %s, want %s", got, want)
	}
}

func TestOnlyListedOriginsMayFrameThePageOfTheirOrganisation(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, other := s.administrator(t, "Admin", "PT Satu"), s.administrator(t, "Other", "PT Dua")
	admin.listOrigins(outerPage, "http://localhost:3000")
	for path, want := range map[string]string{
		"/embed/" + string(organisationIDOf(t, s, admin)): "frame-ancestors " + outerPage + " http://localhost:3000",
		"/embed/" + string(organisationIDOf(t, s, other)): "frame-ancestors 'none'",
		"/embed/8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff":     "frame-ancestors 'none'",
		"/embed/":       "frame-ancestors 'none'",
		"/embed/x%20*":  "frame-ancestors 'none'",
		"/inbox":        "frame-ancestors 'none'",
		"/guest":        "frame-ancestors 'none'",
		"/embed/../x/y": "frame-ancestors 'none'",
	} {
		a := (&client{service: s, t: t}).do("GET", path, nil)
		policy := a.header.Get("Content-Security-Policy")
		if policy != "" && !strings.HasSuffix(policy, want) || len(a.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: %q", path, policy)
		}
		if framed := strings.Contains(want, "https"); policy != "" && framed != (a.header.Get("X-Frame-Options") == "") {
			t.Errorf("%s: X-Frame-Options: %q", path, a.header.Get("X-Frame-Options"))
		}
	}
	if got := admin.do("GET", "/v1/admin/embedding", nil).ok().object("data")["origins"].([]any); len(got) != 2 {
		t.Errorf("%v", got)
	}
	for _, wrong := range []any{[]string{"http://erp.contoh.id"}, []string{"*"}, "https://erp.contoh.id", nil} {
		admin.do("PUT", "/v1/admin/embedding", object{"origins": wrong}).is(http.StatusUnprocessableEntity)
	}
	if err := s.store.SetOrganisationState(t.Context(), organisationIDOf(t, s, admin), contract.OrganisationSuspended, "x", contract.Event{Type: contract.EventOrganisationSuspended, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if a := (&client{service: s, t: t}).do("GET", "/embed/"+string(organisationIDOf(t, s, admin)), nil); !strings.HasSuffix(a.header.Get("Content-Security-Policy"), "'none'") {
		t.Error("the pages of a suspended organisation may be framed")
	}
	of := organisationIDOf(t, s, admin)
	s.administrator(t, "Operator", "").do("PUT", "/v1/admin/embedding", object{"organisation": of, "origins": []string{}}).ok()
	if err := s.store.SetOrganisationState(t.Context(), of, contract.OrganisationActive, "", contract.Event{Type: contract.EventOrganisationResumed, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if a := (&client{service: s, t: t}).do("GET", "/embed/"+string(of), nil); !strings.HasSuffix(a.header.Get("Content-Security-Policy"), "'none'") {
		t.Error("an operator ended it while the organisation was suspended, and its pages may be framed again")
	}
}
