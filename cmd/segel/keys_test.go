package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/api"
	"segel/internal/contract"
	"segel/internal/evidence"
	"segel/internal/store"
	"segel/pdf"
)

// keyWith makes an API key of the person and returns a client that uses it.
func (c *client) keyWith(settings object, scopes ...contract.KeyScope) (*client, string) {
	c.t.Helper()
	body := object{"name": "ERP", "scopes": scopes}
	for name, value := range settings {
		body[name] = value
	}
	made := c.do("POST", "/v1/auth/keys", body).ok().object("response", "data")
	k := *c
	k.token = made["secret"].(string)
	return &k, made["key"].(object)["id"].(string)
}

// TestEveryOperationAnswersEveryKeyScopeAsItShould calls every operation with a key of each scope alone, and with one that has all. The keys are those of an
// operator, who may do everything: what is refused is refused to the key.
func TestEveryOperationAnswersEveryKeyScopeAsItShould(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_KEY_REQUESTS_PER_SECOND", "0")
	person := s.administrator(t, "Operator", "")
	keys := map[contract.KeyScope]*client{}
	for _, scope := range contract.KeyScopes {
		keys[scope], _ = person.keyWith(nil, scope)
	}
	all, _ := person.keyWith(nil, contract.KeyScopes...)
	const unknownID = "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"
	paths := strings.NewReplacer("{service}", "layanan", "{document_id}", "999999", "{key_id}", unknownID, "{person_id}", unknownID, "{webhook_id}", unknownID, "{notice_id}", unknownID,
		"{serial}", "SPESIMEN-NOWHERE", "{upload_id}", unknownID)
	call := func(c *client, op api.Operation) *answer {
		var body any
		if op.Method != http.MethodGet && op.Method != http.MethodDelete {
			body = object{"document_id": 999_999, "organisation": unknownID}
		}
		return c.do(op.Method, paths.Replace(op.Path), body)
	}
	checked := 0
	for _, op := range api.Operations() {
		if op.Open {
			continue
		}
		for scope, c := range keys {
			a := call(c, op)
			refusal := ""
			switch op.Scope {
			case contract.NeverByKey:
				refusal = "key.never"
			case contract.AnyKey, scope:
			default:
				refusal = "key.scope"
			}
			switch {
			case refusal != "" && (a.status != http.StatusForbidden || !strings.Contains(string(a.body), `"`+refusal+`"`)):
				t.Errorf("%s %s with %s: %d, want %s: %.200s", op.Method, op.Path, scope, a.status, refusal, a.body)
			case refusal == "" && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden):
				t.Errorf("%s %s with %s: %d: %.200s", op.Method, op.Path, scope, a.status, a.body)
			}
			checked++
		}
		if a := call(all, op); (a.status == http.StatusForbidden) != (op.Scope == contract.NeverByKey) {
			t.Errorf("%s %s with all scopes: %d: %.200s", op.Method, op.Path, a.status, a.body)
		}
	}
	if checked < 80*len(contract.KeyScopes) {
		t.Errorf("only %d combinations were checked", checked)
	}
}

func TestAPIKeyActsAsThePersonWhoMadeItUntilItEnds(t *testing.T) {
	onBothServices(t, func(t *testing.T, start func() *service) {
		s := start()
		admin, person, outsider := s.administrator(t, "Admin", "PT Satu"), s.person(t, "Siti Rahma", "PT Satu"), s.administrator(t, "Outsider", "PT Dua")
		key, id := person.keyWith(nil, contract.ScopeRead, contract.ScopeWrite)
		if !strings.HasPrefix(key.token, "sgl_ak_") {
			t.Errorf("the key is %s", key.token)
		}
		document := key.upload(simple(), person.as("signer", 1))
		key.get("detail", document).ok()
		if got := key.do("GET", "/v1/auth/me", nil).ok().object("data")["email"]; got != person.email {
			t.Errorf("the key acts as %v", got)
		}
		bearer := &client{service: s, t: t}
		bearer.do("GET", "/v1/auth/me", nil, "Authorization", "Bearer "+key.token).ok()
		bearer.do("GET", "/v1/auth/me", nil, "Cookie", "segel_session="+key.token).is(http.StatusUnauthorized)
		for what, wrong := range map[string]string{"one letter changed": key.token[:20] + "x" + key.token[21:], "cut off": key.token[:55], "the prefix of another": "sgl_tk_" + key.token[7:]} {
			if a := bearer.do("GET", "/v1/auth/me", nil, "x-access-token", wrong); a.status != http.StatusUnauthorized {
				t.Errorf("%s: %d", what, a.status)
			}
		}
		key.verb("sign-docs", document).is(http.StatusForbidden, "key.scope")

		// What it does is recorded as done with it, by the person.
		trail := string(person.get("audit-trail", document).ok().body)
		if !strings.Contains(trail, "dengan kunci API ERP milik Siti Rahma") {
			t.Errorf("the audit trail does not name the key: %s", trail)
		}
		listed := person.do("GET", "/v1/auth/keys", nil).ok().object("data")["keys"].([]any)
		if len(listed) != 1 || listed[0].(object)["last_used_at"] == nil || listed[0].(object)["last_network"] != "127.0.0.1" || strings.Contains(fmt.Sprint(listed), key.token) {
			t.Errorf("the list is %v", listed)
		}

		// Another person's key looks like one that does not exist.
		missing := person.do("DELETE", "/v1/auth/keys/8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", nil)
		for who, a := range map[string]*answer{
			"an admin's own": admin.do("DELETE", "/v1/auth/keys/"+id, nil), "an outsider's own": outsider.do("DELETE", "/v1/auth/keys/"+id, nil),
			"an outsider's administration": outsider.do("DELETE", "/v1/admin/keys/"+id, nil),
		} {
			if plainRefusal(a) != plainRefusal(missing) {
				t.Errorf("%s: %s, not %s", who, plainRefusal(a), plainRefusal(missing))
			}
		}
		if strings.Contains(string(outsider.do("GET", "/v1/admin/keys", nil).ok().body), id) {
			t.Error("an admin sees the keys of another organisation")
		}
		if !strings.Contains(string(admin.do("GET", "/v1/admin/keys", nil).ok().body), id) {
			t.Error("an admin does not see the key")
		}
		person.do("GET", "/v1/admin/keys", nil).is(http.StatusForbidden)

		// Revoked by an admin, it ends at once, and its tokens with it.
		token := s.keyToken(t, id, key.token, "").ok().object()["access_token"].(string)
		short := &client{service: s, t: t, token: token}
		short.get("detail", document).ok()
		admin.do("DELETE", "/v1/admin/keys/"+id, nil).ok()
		admin.do("DELETE", "/v1/admin/keys/"+id, nil).ok()
		key.get("detail", document).is(http.StatusUnauthorized, "key.ended")
		short.get("detail", document).is(http.StatusUnauthorized, "key.ended")
		s.keyToken(t, id, key.token, "").is(http.StatusUnauthorized, "invalid_client")
		log := string(admin.do("GET", "/v1/admin/audit-log", nil).ok().body)
		for _, want := range []string{"key_created", "key_revoked", "key_new_network"} {
			if strings.Count(log, `"type":"`+want+`"`) != 1 {
				t.Errorf("%s is not one event of the organisation: %s", want, log)
			}
		}
		if strings.Contains(string(outsider.do("GET", "/v1/admin/audit-log", nil).ok().body), id) {
			t.Error("another organisation sees the events")
		}

		// A key of an account whose password an admin has set waits until the person has chosen their own.
		second, _ := person.keyWith(nil, contract.ScopeRead)
		given := admin.do("POST", "/v1/admin/people/"+person.id+"/password", nil).ok().object("response", "data")["password"].(string)
		second.get("detail", document).is(http.StatusForbidden, "auth.choose_password")
		in := (&client{service: s, t: t}).do("POST", "/v1/auth/login", object{"email": person.email, "password": given}).ok().object("data")["token"].(string)
		(&client{service: s, t: t, token: in}).do("POST", "/v1/auth/password", object{"current": given, "new": "kata sandi lain"}).ok()
		second.get("detail", document).ok()

		// Disabling the account ends it for good.
		admin.do("PUT", "/v1/admin/people/"+person.id+"/disabled", nil).ok()
		second.get("detail", document).is(http.StatusUnauthorized)
		admin.do("DELETE", "/v1/admin/people/"+person.id+"/disabled", nil).ok()
		second.get("detail", document).is(http.StatusUnauthorized, "key.ended")
	})
}

// keyToken asks for an access token with client credentials in the header.
func (s *service) keyToken(t testing.TB, id, secret, scope string) *answer {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}}
	if scope != "" {
		form.Set("scope", scope)
	}
	return (&client{service: s, t: t}).do("POST", "/v1/auth/token", []byte(form.Encode()), "Content-Type", "application/x-www-form-urlencoded",
		"Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(id+":"+secret)))
}

func TestClientCredentialsBuyAShortLivedTokenWithFewerScopes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := starting{clock: func() time.Time { return now }}.start(t)
	person := s.person(t, "Siti", "")
	key, id := person.keyWith(object{"expires_at": now.Add(90 * time.Minute).Format(time.RFC3339)}, contract.ScopeRead, contract.ScopeWrite)
	document := key.upload(simple())
	a := s.keyToken(t, id, key.token, "documents:read").ok()
	if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Pragma") != "no-cache" {
		t.Errorf("the answer may be stored: %v", a.header)
	}
	in := a.object()
	if in["token_type"] != "Bearer" || in["expires_in"] != 3600.0 || in["scope"] != "documents:read" || !strings.HasPrefix(in["access_token"].(string), "sgl_kt_") {
		t.Errorf("%v", in)
	}
	short := &client{service: s, t: t, token: in["access_token"].(string)}
	short.get("detail", document).ok()
	short.verb("cancel-docs", document, "reason", "x").is(http.StatusForbidden, "key.scope")
	if whole := s.keyToken(t, id, key.token, "").ok().object()["scope"]; whole != "documents:read documents:write" {
		t.Errorf("without a scope the token has %v", whole)
	}
	refusals := map[string]*answer{
		"unknown client": s.keyToken(t, "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", key.token, ""),
		"wrong secret":   s.keyToken(t, id, "sgl_ak_"+strings.Repeat("0", 49), ""),
		"a token":        s.keyToken(t, id, short.token, ""),
	}
	for what, a := range refusals {
		a.is(http.StatusUnauthorized, "invalid_client")
		if got := string(a.body); got != string(refusals["wrong secret"].body) || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic") {
			t.Errorf("%s: %s, %v", what, got, a.header)
		}
	}
	s.keyToken(t, id, key.token, "documents:read sign").is(http.StatusBadRequest, "invalid_scope")
	now = now.Add(time.Hour)
	short.get("detail", document).is(http.StatusUnauthorized, "auth.required")
	if left := s.keyToken(t, id, key.token, "").ok().object()["expires_in"].(float64); left > 1800 {
		t.Errorf("a token outlives its key: %v s", left)
	}
	now = now.Add(30 * time.Minute)
	key.get("detail", document).is(http.StatusUnauthorized, "key.ended")
	s.keyToken(t, id, key.token, "").is(http.StatusUnauthorized, "invalid_client")
	meta := (&client{service: s, t: t}).do("GET", "/.well-known/oauth-authorization-server", nil).ok().object()
	if meta["token_endpoint"] != s.conf.BaseURL()+"/v1/auth/token" || meta["issuer"] != s.conf.BaseURL() {
		t.Errorf("%v", meta)
	}
}

func TestKeyIsRefusedFromOtherNetworksAndItsAdminsSeeIt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := starting{clock: func() time.Time { return now }, set: []string{"SEGEL_TRUSTED_PROXIES", "127.0.0.1/32"}}.start(t)
	admin := s.administrator(t, "Admin", "PT Satu")
	key, id := admin.keyWith(object{"networks": []string{"203.0.113.0/24", "2001:db8::/32"}}, contract.ScopeRead)
	from := func(ip string) *answer { return key.do("GET", "/v1/auth/me", nil, "X-Forwarded-For", ip) }
	events := func(kind string) int {
		p, err := s.store.AuditLog(context.Background(), store.LogQuery{Type: contract.EventType(kind), Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(slices.DeleteFunc(p.Events, func(e store.Logged) bool { return e.Details["key"] != id }))
	}
	from("203.0.113.1").ok()
	from("203.0.113.1").ok()
	from("2001:db8::5").ok()
	from("2001:db8::6").ok() // the same network of 64 bits
	if n := events("key_new_network"); n != 2 {
		t.Errorf("%d events of new networks", n)
	}
	for range 3 {
		from("198.51.100.1").is(http.StatusForbidden, "key.network")
	}
	// What a client claims before the proxy is not believed.
	from("203.0.113.1, 198.51.100.1").is(http.StatusForbidden, "key.network")
	if n := events("key_refused"); n != 1 {
		t.Errorf("%d events of refused uses", n)
	}
	// A stolen key that is presented from many addresses writes a bounded number of events.
	for i := range 60 {
		from(fmt.Sprintf("198.51.100.%d", 2+i)).is(http.StatusForbidden, "key.network")
	}
	if n := events("key_refused"); n > 20 {
		t.Errorf("%d events of refused uses", n)
	}
	if !strings.Contains(string(admin.do("GET", "/v1/admin/audit-log?type=key_refused", nil).ok().body), "198.51.100.1") {
		t.Error("the admin does not see the network")
	}
	lastUse := func() string {
		return fmt.Sprint(admin.do("GET", "/v1/auth/keys", nil).ok().object("data")["keys"].([]any)[0].(object)["last_used_at"])
	}
	before := lastUse()
	now = now.Add(time.Minute)
	from("203.0.113.1").ok()
	if got := lastUse(); got != before {
		t.Errorf("the last use was written again after a minute: %s, %s", before, got)
	}
	now = now.Add(5 * time.Minute)
	from("203.0.113.1").ok()
	if got := lastUse(); got == before {
		t.Error("the last use is not written after six minutes")
	}
}

func TestKeyNeedsTheScopeStampToSpendMoney(t *testing.T) {
	t.Parallel()
	s := start(t)
	person := s.person(t, "Siti", "")
	key, _ := person.keyWith(nil, contract.ScopeRead, contract.ScopeWrite)
	spending, _ := person.keyWith(nil, contract.ScopeRead, contract.ScopeWrite, contract.ScopeStamp)
	id := key.upload(simple())
	key.place(id, person.at("emet", 100, 100, 160, 160)).ok()
	key.verb("finalize-docs", id).is(http.StatusForbidden, "key.scope")
	key.verb("restamp-docs", id).is(http.StatusForbidden, "key.scope")
	if got := key.get("status", id).ok().object("data")["status"]; got != "draft" {
		t.Errorf("the document is %v", got)
	}
	spending.verb("finalize-docs", id).ok()
	person.completed(id)
	plain := key.upload(simple(), person.as("signer", 1))
	key.verb("finalize-docs", plain).ok()
}

func TestKeyTakesAPartOfTheRequestsOfItsPerson(t *testing.T) {
	t.Parallel()
	s := start(t, "SEGEL_KEY_REQUESTS_PER_SECOND", "1")
	person := s.person(t, "Siti", "")
	key, _ := person.keyWith(nil, contract.ScopeRead)
	other, _ := person.keyWith(nil, contract.ScopeRead)
	// Ten seconds' worth at once, and then no more than one a second.
	served, last := 0, key.do("GET", "/v1/auth/me", nil)
	for ; last.status == http.StatusOK && served < 1000; served++ {
		last = key.do("GET", "/v1/auth/me", nil)
	}
	if served < 10 {
		t.Errorf("%d requests were served", served)
	}
	if a := last.is(http.StatusTooManyRequests, "rate.limited"); a.header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to try again")
	}
	other.do("GET", "/v1/auth/me", nil).ok()
	person.do("GET", "/v1/auth/me", nil).ok()
}

func TestWhatAKeySignsSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t)
	person := s.person(t, "Siti Rahma", "PT Satu")
	key, _ := person.keyWith(object{"name": "ERP Gudang"}, contract.ScopeRead, contract.ScopeWrite, contract.ScopeSign)
	id := key.upload(simple(), person.as("signer", 1))
	key.verb("finalize-docs", id).ok()

	// Where the organisation demands a factor for each signature, no program signs.
	organisation := organisationIDOf(t, s, person)
	demand := func(factor bool) {
		if _, err := s.store.ChangeAccountPolicy(t.Context(), organisation, time.Now(), func(p *contract.AccountPolicy) (contract.Event, error) {
			p.SignFactor = factor
			return contract.Event{Type: contract.EventPolicyChanged, At: time.Now(), Details: map[string]string{"organisation": string(organisation)}}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	demand(true)
	key.verb("sign-docs", id).is(http.StatusForbidden, "key.sign_factor")
	demand(false)
	key.verb("sign-docs", id, "consent", person.consentOf(id, "id")).ok()
	person.completed(id)

	const said = "dengan kunci API ERP Gudang milik Siti Rahma"
	if trail := string(person.get("audit-trail", id).ok().body); !strings.Contains(trail, said) {
		t.Errorf("the audit trail: %s", trail)
	}
	report := string((&client{service: s, t: t}).do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(person.download(id))}).ok().body)
	if !strings.Contains(report, said) {
		t.Errorf("no signature in the file has the reason: %s", report)
	}
	if stated := authenticationIn(t, person, person.download(id)); stated["factor"] != "api_key" || stated["key"] != "ERP Gudang" || stated["stated_by"] != "service" {
		t.Errorf("the signature states %v", stated)
	}
	certificate := person.evidenceOf(id)
	d, err := pdf.Open(bytes.NewReader(certificate), int64(len(certificate)), pdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := evidence.ReadAttachments(d)
	if err != nil {
		t.Fatal(err)
	}
	if got := attached.Facts.People[0].Signature.Key; got != "ERP Gudang" {
		t.Errorf("the evidence certificate names the key %q", got)
	}
}

// TestTestDocumentsUseTheSandboxAloneWhateverTheStampOfficeIs runs beside a stamp office that does not answer: nothing of a test document may wait for it.
func TestTestDocumentsUseTheSandboxAloneWhateverTheStampOfficeIs(t *testing.T) {
	t.Parallel()
	var real []string
	for _, e := range realOffice(t) {
		name, value, _ := strings.Cut(e, "=")
		real = append(real, name, value)
	}
	for what, set := range map[string][]string{"sandbox": nil, "another office": real} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := start(t, set...)
			admin := s.administrator(t, "Admin", "")
			person := s.person(t, "Siti Rahma", "")
			scopes := contract.KeyScopes[:4]
			test, _ := person.keyWith(object{"test": true}, scopes...)
			live, _ := person.keyWith(nil, scopes...)
			if !strings.HasPrefix(test.token, "sgl_tk_") {
				t.Errorf("the test key is %s", test.token)
			}
			balance := func() string { return string(person.do("GET", "/v1/econtract/web_app/client_balance", nil).ok().body) }
			before := balance()
			id := test.upload(simple(), person.as("signer", 1))
			test.place(id, person.at("emet", 300, 100, 360, 160), person.at("sign", 100, 100, 260, 180)).ok()
			real := live.upload(simple(), person.as("signer", 1))
			for c, document := range map[*client]int64{live: id, test: real} {
				c.get("detail", document).ok()
				c.verb("finalize-docs", document).is(http.StatusForbidden, "key.other_mode")
				c.verb("sign-docs", document).is(http.StatusForbidden, "key.other_mode")
				c.verb("restamp-docs", document).is(http.StatusForbidden, "key.other_mode")
				c.do("DELETE", fmt.Sprint(documentPath, document), nil).is(http.StatusForbidden, "key.other_mode")
			}
			test.verb("finalize-docs", id).ok()
			test.verb("sign-docs", id, "consent", person.consentOf(id, "id")).ok()
			done := person.completed(id)
			if serial := done["serial_number"].([]any)[0].(string); !strings.HasPrefix(serial, "SPESIMEN-") {
				t.Errorf("the stamp has the serial %s", serial)
			}
			detail := person.get("detail", id).ok().object("data")
			if detail["test"] != true || detail["specimen"] != true || person.get("detail", real).ok().object("data")["test"] != false {
				t.Errorf("the document is not marked: %v", detail)
			}
			if got := person.get("download", id).ok().header.Get("Content-Disposition"); !strings.Contains(got, "SPESIMEN") {
				t.Errorf("the file is called %s", got)
			}
			if after := balance(); after != before {
				t.Errorf("the quota was %s and is %s", before, after)
			}
			report := string((&client{service: s, t: t}).do("POST", "/v1/verify", object{"document_base64": base64.StdEncoding.EncodeToString(person.download(id))}).ok().body)
			if !strings.Contains(report, "SPESIMEN, dokumen uji tanpa nilai hukum") {
				t.Errorf("the signature does not say what it is: %s", report)
			}
			// Neither the register that people see nor the reconciliation has anything of it.
			for _, path := range []string{"/v1/admin/serials", "/v1/admin/attempts"} {
				if got := string(admin.do("GET", path, nil).ok().body); strings.Contains(got, "SPESIMEN-") {
					t.Errorf("%s: %s", path, got)
				}
			}
			if what == "sandbox" {
				r, err := s.stamping.Reconcile(t.Context(), commandLineActor("reconcile"))
				if err != nil || r.Unexplained != 0 || len(r.Differences) != 0 || r.Office.Affixed != 0 {
					t.Errorf("%+v, %v", r, err)
				}
			}
			// A copy stays a test document, also of a person without a key.
			copied := int64(person.verb("copy-docs", id).ok().object("response", "data")["document_id"].(float64))
			if person.get("detail", copied).ok().object("data")["test"] != true {
				t.Error("the copy of a test document has value")
			}
		})
	}
}

func TestFeedAndWebhooksNameTheKeyWithWhichAProgramActed(t *testing.T) {
	t.Parallel()
	r := startReceiver(t, func(message) (int, string) { return http.StatusOK, "" })
	s := start(t, reaching(r)...)
	admin := s.administrator(t, "Admin", "PT Satu")
	admin.addWebhook(r.URL)
	s.sendWebhooks(t)
	key, id := admin.keyWith(nil, contract.ScopeRead, contract.ScopeWrite)
	admin.upload(simple())
	made := key.upload(simple())
	events, _ := admin.feed("")
	byKey := 0
	for _, e := range events {
		data := e["data"].(object)
		cause := data["cause"].(object)
		if e["type"] != "document.created" {
			continue
		}
		want := data["document_id"] == float64(made)
		got, _ := cause["key"].(object)
		if (got != nil) != want || want && (got["id"] != id || got["name"] != "ERP") {
			t.Errorf("the feed reports %v of document %v", cause["key"], data["document_id"])
		}
		if want {
			byKey++
		}
	}
	if byKey != 1 {
		t.Errorf("the feed reports %d documents of the key", byKey)
	}
	got := r.until(t, func(all []message) bool {
		return slices.ContainsFunc(all, func(m message) bool { return m.kind == "document.created" && m.document == made })
	})
	for _, m := range got {
		if m.kind == "document.created" && strings.Contains(string(m.body), `"key":{"id":"`+id+`","name":"ERP"}`) != (m.document == made) {
			t.Errorf("a webhook is sent %s", m.body)
		}
	}
}
