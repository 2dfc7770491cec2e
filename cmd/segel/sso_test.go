package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/pquerna/otp/totp"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/oidc/oidctest"
	"segel/internal/store"
)

// settingsFor returns the settings with which the service may reach a provider of the test.
func settingsFor(p *oidctest.Provider) []string {
	_, port, _ := strings.Cut(strings.TrimPrefix(p.URL, "http://"), ":")
	return []string{"SEGEL_ORGANISATION_PRIVATE_NETWORKS", "127.0.0.0/8", "SEGEL_OUTBOUND_PORTS", port}
}

// browser keeps cookies and follows no redirect.
type browser struct {
	*http.Client
	s *service
	t *testing.T
}

func newBrowser(t *testing.T, s *service) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, s, t}
}

func (b *browser) do(method, path, kind, body string) *answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.s.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	a, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer a.Body.Close()
	content, err := io.ReadAll(a.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return &answer{b.t, method + " " + path, a.StatusCode, a.Header, content}
}

// begin begins a login and returns the address of the provider; nil: the domain has none.
func (b *browser) begin(email, then string) *url.URL {
	b.t.Helper()
	in, _ := json.Marshal(object{"email": email, "then": then})
	data := b.do("POST", "/v1/auth/sso", "application/json", string(in)).ok().object("data")
	if data["provider"] == false {
		return nil
	}
	u, err := url.Parse(data["url"].(string))
	if err != nil {
		b.t.Fatal(err)
	}
	return u
}

// visit is begin, and tells the provider of the visit.
func (b *browser) visit(p *oidctest.Provider, email string) url.Values {
	b.t.Helper()
	u := b.begin(email, "/sent")
	if u == nil {
		b.t.Fatalf("%s has no provider", email)
	}
	p.Set(func() { p.Login = u.Query() })
	return u.Query()
}

// back returns where a browser is sent that the provider sends back with these parameters.
func (b *browser) back(of string, q url.Values) string {
	b.t.Helper()
	a := b.do("GET", "/v1/auth/sso/"+of+"/callback?"+q.Encode(), "", "")
	if a.status != http.StatusSeeOther {
		b.t.Fatalf("%d: %s", a.status, a.body)
	}
	return strings.TrimPrefix(a.header.Get("Location"), b.s.url)
}

// logIn is a whole login. It returns where the browser is sent.
func (b *browser) logIn(p *oidctest.Provider, of, email string) string {
	b.t.Helper()
	q := b.visit(p, email)
	return b.back(of, url.Values{"state": {q.Get("state")}, "code": {"c1"}, "iss": {p.URL}})
}

// me returns the account of the browser's session, or nil.
func (b *browser) me() object {
	b.t.Helper()
	a := b.do("GET", "/v1/auth/me", "", "")
	if a.status == http.StatusUnauthorized {
		return nil
	}
	return a.ok().object("data")
}

// refusal returns where a browser is sent after a refused login.
func refusal(code string) string { return "/login?sso=" + code }

// ssoStage is a service whose organisation PT Satu has a provider for contoh.id.
type ssoStage struct {
	*service
	p        *oidctest.Provider
	operator *client
	admin    *client
	of       string
}

func stageSSO(t *testing.T, o starting, settings object) *ssoStage {
	t.Helper()
	return stageWith(t, oidctest.Start(t), o, settings)
}

func stageWith(t *testing.T, p *oidctest.Provider, o starting, settings object) *ssoStage {
	t.Helper()
	o.set = append(o.set, settingsFor(p)...)
	s := o.start(t)
	g := &ssoStage{service: s, p: p, operator: s.administrator(t, "Operator", ""), admin: s.administrator(t, "Admin", "PT Satu")}
	g.of = string(organisationIDOf(t, s, g.admin))
	g.configure(settings)
	g.operator.do("PUT", "/v1/admin/sso/domains/contoh.id", object{"organisation": g.of}).ok()
	g.operator.do("PUT", "/v1/admin/sso/domains/contoh.id/granted", object{"organisation": g.of}).ok()
	return g
}

func (g *ssoStage) configure(over object) {
	in := object{"issuer": g.p.URL, "client_id": "segel", "client_secret": "rahasia klien", "enabled": true, "create": true}
	maps.Copy(in, over)
	g.admin.do("PUT", "/v1/admin/sso", in).ok()
}

func TestPeopleLogInWithTheProviderOfTheirOrganisation(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		g := stageSSO(t, starting{set: settingsOf(env)}, object{"groups": []object{{"group": "bos", "role": "admin"}}})
		b := newBrowser(t, g.service)
		q := b.visit(g.p, "  Siti@CONTOH.id ")
		if want := g.url + "/v1/auth/sso/" + g.of + "/callback"; q.Get("redirect_uri") != want || q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || q.Get("client_id") != "segel" {
			t.Errorf("the request of the login: %v", q)
		}
		back := url.Values{"state": {q.Get("state")}, "code": {"c1"}, "iss": {g.p.URL}}
		if got := b.back(g.of, back); got != "/sent" {
			t.Fatalf("sent to %s", got)
		}
		me := b.me()
		if me["email"] != "siti@contoh.id" || me["fullname"] != "Siti Rahma" || me["is_reset"] != false || me["business_id"] != g.of {
			t.Errorf("the account: %v", me)
		}
		// The same answer again, in the same browser and in another one.
		for name, again := range map[string]*browser{"the same": b, "another": newBrowser(t, g.service)} {
			if got := again.back(g.of, back); got != refusal("sso.login_lost") {
				t.Errorf("a repetition in %s browser leads to %s", name, got)
			}
		}
		page := g.p.URL + "/end?" + url.Values{"client_id": {"segel"}, "post_logout_redirect_uri": {g.url + "/login"}}.Encode()
		if out := b.do("POST", "/v1/auth/logout", "application/json", "{}").ok().object("data"); out["provider_logout"] != page || b.me() != nil {
			t.Errorf("the logout: %v", out)
		}
		// A second login, also with another address at the provider, is the same account.
		g.p.Set(func() { g.p.Claims = object{"email": "siti.rahma@contoh.id"} })
		other := newBrowser(t, g.service)
		if got := other.logIn(g.p, g.of, "siti.rahma@contoh.id"); got != "/sent" || other.me()["id"] != me["id"] {
			t.Errorf("sent to %s as %v", got, other.me())
		}
		// An account that exists is linked by its address; its password still works beside.
		lama, err := g.identity.AddUser(context.Background(), newUser("lama@contoh.id", "PT Satu"))
		if err != nil {
			t.Fatal(err)
		}
		g.p.Set(func() { g.p.Claims = object{"sub": "lama-1", "email": "lama@contoh.id"} })
		third := newBrowser(t, g.service)
		if got := third.logIn(g.p, g.of, "lama@contoh.id"); got != "/sent" || third.me()["id"] != string(lama.Account.ID) {
			t.Errorf("sent to %s as %v", got, third.me())
		}
		// Another person with the same address is refused until an admin unlinks the account.
		g.p.Set(func() { g.p.Claims = object{"sub": "lama-2", "email": "lama@contoh.id"} })
		if got := newBrowser(t, g.service).logIn(g.p, g.of, "lama@contoh.id"); got != refusal("sso.other_identity") {
			t.Errorf("another person is sent to %s", got)
		}
		g.admin.do("DELETE", "/v1/admin/people/"+string(lama.Account.ID)+"/provider", nil).ok()
		if got := newBrowser(t, g.service).logIn(g.p, g.of, "lama@contoh.id"); got != "/sent" {
			t.Errorf("after unlinking, they are sent to %s", got)
		}
		// The account of the same address in another organisation is another one.
		elsewhere, err := g.identity.AddUser(context.Background(), newUser("siti@contoh.id", "PT Dua"))
		if err != nil || string(elsewhere.Account.ID) == me["id"] {
			t.Fatal(err, me)
		}
		g.p.Set(func() { g.p.Claims = nil })
		fourth := newBrowser(t, g.service)
		if fourth.logIn(g.p, g.of, "siti@contoh.id"); fourth.me()["id"] != me["id"] {
			t.Errorf("logged in as %v", fourth.me())
		}
		if n := g.p.Count("/.well-known/openid-configuration"); n != 1 {
			t.Errorf("the metadata was read %d times", n)
		}
		log := g.admin.do("GET", "/v1/admin/audit-log?limit=100", nil).ok()
		for _, want := range []string{"bos = admin", "sso_changed", "sso_linked", "sso_unlinked", "person_added"} {
			if !strings.Contains(string(log.body), want) {
				t.Errorf("the log lacks %s", want)
			}
		}
		if strings.Contains(string(log.body), "rahasia klien") {
			t.Error("the log has the client secret")
		}
	})
}

func TestAnAnswerToAnotherLoginDoesNotEndTheOneThatIsPending(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	b := newBrowser(t, g.service)
	q := b.visit(g.p, "siti@contoh.id")
	right := url.Values{"state": {q.Get("state")}, "code": {"c1"}, "iss": {g.p.URL}}
	for name, other := range map[string]url.Values{"no state": {"code": {"c1"}}, "another state": {"state": {"x"}, "code": {"c1"}, "iss": {g.p.URL}}, "an error": {"state": {"x"}, "error": {"access_denied"}}} {
		if got := b.back(g.of, other); got != refusal("sso.login_lost") {
			t.Errorf("%s leads to %s", name, got)
		}
	}
	if got := b.back("8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", right); got != refusal("sso.login_lost") {
		t.Errorf("at the address of another organisation it leads to %s", got)
	}
	if got := b.back(g.of, right); got != "/sent" || b.me() == nil {
		t.Errorf("the right answer leads to %s", got)
	}
	// A login that was answered, also one that the person gave up, is over.
	q = b.visit(g.p, "siti@contoh.id")
	if got := b.back(g.of, url.Values{"state": {q.Get("state")}, "error": {"access_denied"}, "iss": {g.p.URL}}); got != refusal("sso.refused") {
		t.Errorf("giving up leads to %s", got)
	}
	at, err := url.Parse(g.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Jar.Cookies(at) {
		if strings.Contains(c.Name, "segel_sso") {
			t.Errorf("%s is left", c.Name)
		}
	}
}

// TestAnErasedPersonWhomTheProviderStillNamesGetsAnotherAccount states what decision 0091 says: a disabled account keeps a person out, an erased one does not.
func TestAnErasedPersonWhomTheProviderStillNamesGetsAnotherAccount(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	first := newBrowser(t, g.service)
	first.logIn(g.p, g.of, "siti@contoh.id")
	former := first.me()["id"].(string)
	g.admin.do("PUT", "/v1/admin/people/"+former+"/disabled", nil).ok()
	if got := newBrowser(t, g.service).logIn(g.p, g.of, "siti@contoh.id"); got != refusal(contract.ErrSSODisabled.Code) {
		t.Errorf("with a disabled account sent to %s", got)
	}
	g.admin.do("PUT", "/v1/admin/people/"+former+"/erased", nil).ok()
	erased := g.clock()
	again := newBrowser(t, g.service)
	if got := again.logIn(g.p, g.of, "siti@contoh.id"); got != "/sent" || again.me()["id"] == former || first.me() != nil {
		t.Errorf("sent to %s as %v", got, again.me())
	}
	// The admin sees that the provider created another account.
	if log, err := g.store.AuditLog(t.Context(), store.LogQuery{Type: contract.EventPersonAdded, Limit: 1}); err != nil || len(log.Events) != 1 ||
		log.Events[0].Details["email"] != "siti@contoh.id" || log.Events[0].Details["by"] == "" || !log.Events[0].At.After(erased) {
		t.Errorf("the log has %+v, %v", log.Events, err)
	}
	fsck(t, g.service, 0)
}

func TestAnAccountWithASecondFactorIsNotLetInByTheProviderAlone(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		g := stageSSO(t, starting{set: settingsOf(env)}, nil)
		g.admin.do("POST", "/v1/admin/people", object{"name": "Siti Rahma", "email": "siti@contoh.id"}).ok()
		logIn := func() (*browser, string) {
			b := newBrowser(t, g.service)
			return b, b.logIn(g.p, g.of, "siti@contoh.id")
		}
		// The password is one that an admin knows. It is not used, so it need not be replaced.
		first, sent := logIn()
		if sent != "/sent" || first.me()["is_reset"] != false {
			t.Fatalf("sent to %s as %v", sent, first.me())
		}
		first.do("GET", "/v1/econtract/web_app/document/data", "", "").ok()

		siti, err := g.store.User(t.Context(), contract.PersonID(first.me()["id"].(string)))
		if err != nil {
			t.Fatal(err)
		}
		secret, err := totp.Generate(totp.GenerateOpts{Issuer: "Segel", AccountName: "siti"})
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := g.sealer.Seal("authenticator secret "+string(siti.ID), []byte(secret.Secret()))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.store.AddAuthenticator(t.Context(), siti.ID, store.Authenticator{Secret: sealed, CreatedAt: g.clock()}, 1, nil, contract.Event{Type: contract.EventFactorAdded, At: g.clock()}); err != nil {
			t.Fatal(err)
		}
		prove := func(b *browser, otp string) *answer {
			in, _ := json.Marshal(object{"otp": otp})
			return b.do("POST", "/v1/auth/sso/factor", "application/json", string(in))
		}
		code := g.admin.otpOf(secret.Secret(), 0)
		b, sent := logIn()
		if sent != "/login?factors=totp&then=%2Fsent" || b.me() != nil {
			t.Fatalf("sent to %s as %v", sent, b.me())
		}
		prove(b, "").is(http.StatusForbidden, "auth.factor_required")
		prove(b, "000000").is(http.StatusBadRequest, "auth.otp_wrong")
		prove(newBrowser(t, g.service), code).is(http.StatusBadRequest, "sso.login_lost")
		if got := b.back(g.of, url.Values{"state": {"x"}, "code": {"c1"}}); got != refusal("sso.login_lost") { // which leaves the login that waits for the factor
			t.Errorf("an answer to another login leads to %s", got)
		}
		// The cookie of a login that was not confirmed yet is not one that was.
		unconfirmed := newBrowser(t, g.service)
		unconfirmed.visit(g.p, "siti@contoh.id")
		prove(unconfirmed, code).is(http.StatusBadRequest, "sso.login_lost")
		if prove(b, code).ok(); b.me()["email"] != "siti@contoh.id" {
			t.Errorf("logged in as %v", b.me())
		}
		prove(b, code).is(http.StatusBadRequest, "sso.login_lost")

		// A demand for a second factor is met by it, and the provider's counts where the organisation says so.
		g.admin.do("PUT", "/v1/admin/account-policy", object{"login_factor": "everyone"}).ok()
		b.do("GET", "/v1/econtract/web_app/document/data", "", "").ok()
		if a := first.do("GET", "/v1/econtract/web_app/document/data", "", ""); a.status != http.StatusUnauthorized {
			t.Errorf("a session without the factor: %d", a.status)
		}
		waiting, _ := logIn()
		g.admin = g.operator // whom the policy of another organisation does not bind
		g.configure(object{"organisation": g.of, "provider_factor": true})
		g.p.Set(func() { g.p.Claims = object{"amr": []string{"pwd", "otp"}} })
		if b, sent := logIn(); sent != "/sent" || b.me() == nil {
			t.Errorf("with the provider's factor: sent to %s", sent)
		}
		// What an admin changes meanwhile counts.
		g.admin.do("DELETE", "/v1/admin/people/"+string(siti.ID)+"/provider", nil).ok()
		prove(waiting, g.admin.otpOf(secret.Secret(), 30*time.Second)).is(http.StatusBadRequest, "sso.login_lost")
	})
}

// What a hostile or careless provider, or a person between it and us, may send, and what becomes of it.
func TestAnAnswerThatIsNotForThisLoginIsRefused(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, _ := json.Marshal(jose.JSONWebKey{Key: g.p.Key.Public(), KeyID: "first"})
	for name, c := range map[string]struct {
		claims object
		sign   func(*oidctest.Provider, object) string
		answer url.Values // over the usual answer
		want   string
	}{
		"another nonce":           {claims: object{"nonce": "another"}, want: "sso.answer_invalid"},
		"no nonce":                {claims: object{"nonce": nil}, want: "sso.answer_invalid"},
		"another audience":        {claims: object{"aud": "another"}, want: "sso.answer_invalid"},
		"audiences without azp":   {claims: object{"aud": []string{"segel", "another"}}, want: "sso.answer_invalid"},
		"another azp":             {claims: object{"azp": "another"}, want: "sso.answer_invalid"},
		"another issuer":          {claims: object{"iss": "https://login.example.test"}, want: "sso.answer_invalid"},
		"expired":                 {claims: object{"exp": time.Now().Add(-time.Minute).Unix()}, want: "sso.answer_invalid"},
		"no expiry":               {claims: object{"exp": nil}, want: "sso.answer_invalid"},
		"from the future":         {claims: object{"iat": time.Now().Add(time.Hour).Unix()}, want: "sso.answer_invalid"},
		"another access token":    {claims: object{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, want: "sso.answer_invalid"},
		"no subject":              {claims: object{"sub": ""}, want: "sso.answer_invalid"},
		"not signed":              {sign: oidctest.Unsigned, want: "sso.answer_invalid"},
		"signed with our secret":  {sign: oidctest.SignWith(t, jose.HS256, []byte("rahasia klien.rahasia klien.32.b")), want: "sso.answer_invalid"},
		"signed with public key":  {sign: oidctest.SignWith(t, jose.HS256, public), want: "sso.answer_invalid"},
		"signed with another key": {sign: oidctest.SignWith(t, jose.RS256, rsaKey), want: "sso.answer_invalid"},
		"unverified address":      {claims: object{"email_verified": false}, want: "sso.email_unverified"},
		"address of no one":       {claims: object{"email": ""}, want: "sso.email_unverified"},
		"unstated verification":   {claims: object{"email_verified": nil}, want: "sso.email_unverified"},
		"address elsewhere":       {claims: object{"email": "siti@contoh.id.example.test"}, want: "sso.email_domain"},
		"address of a subdomain":  {claims: object{"email": "siti@anak.contoh.id"}, want: "sso.email_domain"},
		"another state":           {answer: url.Values{"state": {"another"}}, want: "sso.login_lost"},
		"no state":                {answer: url.Values{"state": nil}, want: "sso.login_lost"},
		"another iss":             {answer: url.Values{"iss": {"https://login.example.test"}}, want: "sso.answer_invalid"},
		"no iss":                  {answer: url.Values{"iss": nil}, want: "sso.answer_invalid"},
		"refused":                 {answer: url.Values{"code": nil, "error": {"access_denied"}}, want: "sso.refused"},
		"neither code nor error":  {answer: url.Values{"code": nil}, want: "sso.refused"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, g.service)
			q := b.visit(g.p, "siti@contoh.id")
			g.p.Set(func() { g.p.Claims, g.p.Sign = c.claims, c.sign })
			back := url.Values{"state": {q.Get("state")}, "code": {"c1"}, "iss": {g.p.URL}}
			maps.Copy(back, c.answer)
			if got := b.back(g.of, back); got != refusal(c.want) {
				t.Errorf("sent to %s, want %s", got, c.want)
			}
			if me := b.me(); me != nil {
				t.Errorf("logged in as %v", me)
			}
		})
	}
	// An answer in a browser where the login was not begun, and at the address of another organisation.
	b := newBrowser(t, g.service)
	g.p.Set(func() { g.p.Claims, g.p.Sign = nil, nil })
	q := b.visit(g.p, "siti@contoh.id")
	back := url.Values{"state": {q.Get("state")}, "code": {"c1"}, "iss": {g.p.URL}}
	if got := newBrowser(t, g.service).back(g.of, back); got != refusal("sso.login_lost") {
		t.Errorf("in another browser, they are sent to %s", got)
	}
	if got := b.back(string(organisationIDOf(t, g.service, g.operator)), back); got != refusal("sso.login_lost") {
		t.Errorf("at the address of another organisation, they are sent to %s", got)
	}
	if people := g.admin.do("GET", "/v1/admin/people", nil).ok(); strings.Contains(string(people.body), "siti@") {
		t.Errorf("a refused login made an account: %s", people.body)
	}
}

// TestALoginGoesOnlyToAPageOfTheWebApp follows targets that a browser might take for another site.
func TestALoginGoesOnlyToAPageOfTheWebApp(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	for then, want := range map[string]string{
		"/document/7?a=b": "/document/7?a=b", "": "/", "//evil.example": "/", "/\\evil.example": "/", "https://evil.example": "/", "/\t/evil.example": "/", "evil": "/", "/a\r\nSet-Cookie: x=y": "/",
	} {
		b := newBrowser(t, g.service)
		u := b.begin("siti@contoh.id", then)
		g.p.Set(func() { g.p.Login = u.Query() })
		if got := b.back(g.of, url.Values{"state": {u.Query().Get("state")}, "code": {"c"}, "iss": {g.p.URL}}); got != want {
			t.Errorf("%q leads to %q", then, got)
		}
	}
}

func TestADomainRoutesLoginsOnlyOnceItWasGranted(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{adjust: func(a *app) {
		a.sso.LookupTXT = func(_ context.Context, name string) ([]string, error) {
			if name != "_segel-challenge.terbukti.id" {
				return nil, nil
			}
			all, err := a.store.SSODomains(context.Background(), organisationNamed(a, "PT Satu"))
			for _, d := range all {
				if d.Domain == "terbukti.id" {
					return []string{"v=spf1 -all", d.RecordValue()}, err
				}
			}
			return nil, err
		}
	}}, nil)
	b := newBrowser(t, g.service)
	evil := g.administrator(t, "Evil", "PT Jahat")
	evil.do("PUT", "/v1/admin/sso", object{"issuer": g.p.URL, "client_id": "segel", "enabled": true}).ok()
	for _, domain := range []string{"contoh.id", "korban.id"} {
		evil.do("PUT", "/v1/admin/sso/domains/"+domain, object{}).ok()
		evil.do("PUT", "/v1/admin/sso/domains/"+domain+"/granted", object{}).is(http.StatusForbidden, "auth.not_allowed")
		evil.do("PUT", "/v1/admin/sso/domains/"+domain+"/proven", object{}).is(http.StatusConflict, "sso.domain_unproven")
	}
	if u := b.begin("siti@korban.id", ""); u != nil {
		t.Errorf("a domain that was not granted leads to %s", u)
	}
	of := string(organisationIDOf(t, g.service, evil))
	g.operator.do("PUT", "/v1/admin/sso/domains/contoh.id/granted", object{"organisation": of}).is(http.StatusConflict, "sso.domain_taken")
	// A domain that its DNS proves, for one organisation only.
	g.admin.do("PUT", "/v1/admin/sso/domains/terbukti.id/proven", object{}).is(http.StatusNotFound, "sso.domain_not_found")
	g.admin.do("PUT", "/v1/admin/sso/domains/Terbukti.ID", object{}).ok()
	g.admin.do("PUT", "/v1/admin/sso/domains/terbukti.id/proven", object{}).ok()
	if b.begin("siti@terbukti.id", "") == nil {
		t.Error("a proven domain routes nothing")
	}
	g.admin.do("DELETE", "/v1/admin/sso/domains/terbukti.id", nil).ok()
	if b.begin("siti@terbukti.id", "") != nil {
		t.Error("a removed domain routes logins")
	}
	for _, bad := range []string{"id", "-a.id", "a b.id", "1.2.3.4", "a..id"} {
		g.admin.do("PUT", "/v1/admin/sso/domains/"+url.PathEscape(bad), object{}).is(http.StatusUnprocessableEntity, "input.invalid")
	}
}

func TestPasswordsAreRefusedWhereTheProviderIsDemanded(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	for _, u := range []struct{ email, organisation string }{{"siti@contoh.id", "PT Satu"}, {"siti@contoh.id", "PT Dua"}, {"luar@lain.id", "PT Satu"}} {
		if _, err := g.identity.AddUser(context.Background(), newUser(u.email, u.organisation)); err != nil {
			t.Fatal(err)
		}
	}
	darurat := newUser("darurat@contoh.id", "PT Satu")
	darurat.Role = contract.RoleAdmin
	added, err := g.identity.AddUser(context.Background(), darurat)
	if err != nil {
		t.Fatal(err)
	}
	refused := object{"issuer": g.p.URL, "client_id": "segel", "enabled": true, "password_off": true}
	g.admin.do("PUT", "/v1/admin/sso", refused).is(http.StatusUnprocessableEntity, "input.invalid")
	refused["exempt"] = []string{g.operator.id}
	g.admin.do("PUT", "/v1/admin/sso", refused).is(http.StatusUnprocessableEntity, "input.invalid")
	logIn := func(email, organisation string) *answer {
		return (&client{service: g.service, t: t}).do("POST", "/v1/auth/login", object{"email": email, "password": password, "business_id": organisation})
	}
	before := &client{service: g.service, t: t, token: logIn("siti@contoh.id", g.of).ok().object("data")["token"].(string)}
	before.do("GET", "/v1/auth/me", nil).ok()
	g.configure(object{"password_off": true, "exempt": []contract.PersonID{added.Account.ID}})
	before.do("GET", "/v1/auth/me", nil).is(http.StatusUnauthorized, "auth.required")
	wrong := logIn("tidak.ada@contoh.id", "")
	if got := logIn("siti@contoh.id", g.of); plainRefusal(got) != plainRefusal(wrong) {
		t.Errorf("a refused password is answered %s, one of no account %s", got.body, wrong.body)
	}
	if got := logIn("siti@contoh.id", "").ok().object("data")["account"].(object); got["business_id"] == g.of {
		t.Errorf("logged in to %v", got)
	}
	logIn("luar@lain.id", "").ok()
	logIn("darurat@contoh.id", "").ok()
	// The operator's way back.
	if err := g.sso.DisableProvider(context.Background(), commandLineActor("sso off"), contract.OrganisationID(g.of)); err != nil {
		t.Fatal(err)
	}
	logIn("siti@contoh.id", g.of).ok()
}

func TestAProviderAcceptsTheInvitationOfAPersonWhoMayUseNoPassword(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	darurat := newUser("darurat@contoh.id", "PT Satu")
	darurat.Role = contract.RoleAdmin
	added, err := g.identity.AddUser(context.Background(), darurat)
	if err != nil {
		t.Fatal(err)
	}
	g.configure(object{"password_off": true, "exempt": []contract.PersonID{added.Account.ID}, "create": false})
	logIn := func() (string, object) {
		b := newBrowser(t, g.service)
		return b.logIn(g.p, g.of, "siti@contoh.id"), b.me()
	}
	if got, _ := logIn(); got != refusal("sso.no_account") {
		t.Fatalf("before the invitation, they are sent to %s", got)
	}
	_, link := g.admin.invite(g.operator, "Siti@contoh.id", object{"role": "auditor"})
	anybody := &client{service: g.service, t: t}
	if shown := anybody.do("POST", "/v1/auth/invitation", object{"link": link}).ok().object("data"); shown["provider"] != true {
		t.Errorf("the link says %v", shown)
	}
	anybody.do("POST", "/v1/auth/invitation/accept", object{"link": link, "password": password}).is(http.StatusConflict, "invitation.provider")
	if got, me := logIn(); got != "/sent" || me["role"] != "auditor" {
		t.Errorf("they are sent to %s as %v", got, me)
	}
	anybody.do("POST", "/v1/auth/invitation", object{"link": link}).is(http.StatusNotFound, "invitation.used")
}

func TestAProviderThatDoesNotAnswerIsToldInBothLanguages(t *testing.T) {
	t.Parallel()
	clock, advance := movedClock()
	g := stageSSO(t, starting{clock: clock}, nil)
	b := newBrowser(t, g.service)
	g.p.Set(func() { g.p.Down = true })
	for language, want := range map[string]string{"en": "does not answer", "id": "tidak dapat dihubungi"} {
		r, _ := http.NewRequestWithContext(t.Context(), "POST", g.url+"/v1/auth/sso", strings.NewReader(`{"email":"siti@contoh.id"}`))
		r.Header.Set("Accept-Language", language)
		a, err := b.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(a.Body)
		_ = a.Body.Close()
		if a.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), want) || !strings.Contains(string(body), "sso.provider_unavailable") {
			t.Errorf("%s: %d: %s", language, a.StatusCode, body)
		}
	}
	if n := g.p.Count("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("a provider that is down was asked %d times", n)
	}
	tested := func() any {
		return g.admin.do("PUT", "/v1/admin/sso/tested", object{}).ok().object("response")["data"].(object)["works"]
	}
	if tested() != false {
		t.Error("a provider that is down works")
	}
	// It answers again; then its metadata is used while it does not.
	g.p.Set(func() { g.p.Down = false })
	advance(6 * time.Second)
	if tested() != true {
		t.Error("a provider that answers does not work")
	}
	g.p.Set(func() { g.p.Down = true })
	advance(2 * time.Hour)
	q := b.visit(g.p, "siti@contoh.id")
	if got := b.back(g.of, url.Values{"state": {q.Get("state")}, "code": {"c"}, "iss": {g.p.URL}}); got != refusal("sso.provider_unavailable") {
		t.Errorf("sent to %s", got)
	}
	advance(24 * time.Hour)
	if a := b.do("POST", "/v1/auth/sso", "application/json", `{"email":"siti@contoh.id"}`); a.status != http.StatusServiceUnavailable {
		t.Errorf("metadata of yesterday is used: %d", a.status)
	}
}

func TestNewKeysOfAProviderAreReadButNotAtTheWishOfACaller(t *testing.T) {
	t.Parallel()
	clock, advance := movedClock()
	g := stageSSO(t, starting{clock: clock}, nil)
	if got := newBrowser(t, g.service).logIn(g.p, g.of, "siti@contoh.id"); got != "/sent" {
		t.Fatal(got)
	}
	advance(11 * time.Second)
	g.p.Rotate("second")
	if got := newBrowser(t, g.service).logIn(g.p, g.of, "siti@contoh.id"); got != "/sent" {
		t.Errorf("with a new key, they are sent to %s", got)
	}
	before := g.p.Count("/keys")
	for range 20 {
		b := newBrowser(t, g.service)
		g.p.Set(func() { g.p.KeyID = "made up " + rand.Text() })
		b.do("POST", "/v1/auth/sso/"+g.of+"/logout", "application/x-www-form-urlencoded", url.Values{"logout_token": {g.logoutToken(nil)}}.Encode())
	}
	if n := g.p.Count("/keys") - before; n > 1 {
		t.Errorf("tokens with unknown keys had the keys read %d times", n)
	}
}

// logoutToken returns a logout token of the provider.
func (g *ssoStage) logoutToken(over object) string {
	claims := object{
		"iss": g.p.URL, "aud": "segel", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(), "jti": rand.Text(), "sid": "s1",
		"events": object{"http://schemas.openid.net/event/backchannel-logout": object{}},
	}
	maps.Copy(claims, over)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	var token string
	g.p.Set(func() { token = g.p.SignClaims(claims) })
	return token
}

func TestTheProviderEndsSessionsWithALogoutToken(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, env []string) {
		g := stageSSO(t, starting{set: settingsOf(env)}, nil)
		logIn := func(sub, sid string) *browser {
			b := newBrowser(t, g.service)
			g.p.Set(func() { g.p.Claims = object{"sub": sub, "sid": sid, "email": sub + "@contoh.id"} })
			if got := b.logIn(g.p, g.of, sub+"@contoh.id"); got != "/sent" {
				t.Fatal(got)
			}
			return b
		}
		send := func(token string, want int) {
			t.Helper()
			a := newBrowser(t, g.service).do("POST", "/v1/auth/sso/"+g.of+"/logout", "application/x-www-form-urlencoded", url.Values{"logout_token": {token}}.Encode())
			if a.status != want || a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d: %s", a.status, a.body)
			}
		}
		one, two, other := logIn("siti", "s1"), logIn("siti", "s2"), logIn("budi", "s3")
		for name, over := range map[string]object{
			"another audience": {"aud": "another"}, "another issuer": {"iss": "https://login.example.test"}, "no event": {"events": nil}, "a nonce": {"nonce": "n"},
			"expired": {"exp": time.Now().Add(-time.Minute).Unix()}, "no identifier": {"jti": nil}, "no one": {"sid": nil}, "no expiry": {"exp": nil}, "no time": {"iat": nil},
		} {
			send(g.logoutToken(over), http.StatusBadRequest)
			if one.me() == nil {
				t.Fatalf("%s: the session ended", name)
			}
		}
		send("nonsense", http.StatusBadRequest)
		send("", http.StatusBadRequest)
		in, _ := json.Marshal(object{"logout_token": g.logoutToken(nil)})
		newBrowser(t, g.service).do("POST", "/v1/auth/sso/"+g.of+"/logout", "application/json", string(in)).is(http.StatusBadRequest)
		used := g.logoutToken(nil)
		send(used, http.StatusOK)
		if one.me() != nil || two.me() == nil || other.me() == nil {
			t.Error("the logout of one session ended not that one alone")
		}
		again := logIn("siti", "s1")
		send(used, http.StatusBadRequest)
		if again.me() == nil {
			t.Error("a token that was used ended a later session")
		}
		send(g.logoutToken(object{"sid": nil, "sub": "siti"}), http.StatusOK)
		if two.me() != nil || again.me() != nil || other.me() == nil {
			t.Error("the logout of a person ended not their sessions alone")
		}
		// One of another organisation, and of none, answers the same.
		for _, of := range []string{string(organisationIDOf(t, g.service, g.operator)), "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"} {
			a := newBrowser(t, g.service).do("POST", "/v1/auth/sso/"+of+"/logout", "application/x-www-form-urlencoded", url.Values{"logout_token": {g.logoutToken(nil)}}.Encode())
			if a.status != http.StatusBadRequest || string(a.body) != "{\"error\":\"invalid_request\"}\n" {
				t.Errorf("%s: %d: %s", of, a.status, a.body)
			}
		}
	})
}

func TestWhatTheProviderStatesDecidesWhoMayLogIn(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, object{"groups": []object{{"group": "bos", "role": "admin"}, {"group": "staf", "role": "sender"}}, "require_group": true, "max_age": 3600})
	logIn := func(claims object) (string, object) {
		b := newBrowser(t, g.service)
		g.p.Set(func() { g.p.Claims = claims })
		return b.logIn(g.p, g.of, "siti@contoh.id"), b.me()
	}
	recent := time.Now().Add(-time.Minute).Unix()
	for name, c := range map[string]struct {
		claims object
		want   string
	}{
		"no groups":       {object{"auth_time": recent}, "sso.no_group"},
		"another group":   {object{"auth_time": recent, "groups": []string{"tamu"}}, "sso.no_group"},
		"an old login":    {object{"auth_time": time.Now().Add(-2 * time.Hour).Unix(), "groups": []string{"staf"}}, "sso.login_too_old"},
		"no login time":   {object{"groups": []string{"staf"}}, "sso.login_too_old"},
		"groups as a map": {object{"auth_time": recent, "groups": object{"staf": true}}, "sso.no_group"},
	} {
		if got, _ := logIn(c.claims); got != refusal(c.want) {
			t.Errorf("%s: sent to %s", name, got)
		}
	}
	if got, me := logIn(object{"auth_time": recent, "groups": []string{"x", "bos"}, "sub": "b", "email": "bos@contoh.id"}); got != "/sent" || me["role"] != "admin" {
		t.Errorf("an admin's group: %s, %v", got, me)
	}
	// The groups of the next login decide again; the last admin who is left stays one.
	if got, me := logIn(object{"auth_time": recent, "groups": []string{"staf"}, "sub": "b", "email": "bos@contoh.id"}); got != "/sent" || me["role"] == "admin" {
		t.Errorf("a former admin: %s, %v", got, me)
	}
	// Without accounts at the first login.
	g.configure(object{"create": false})
	if got, _ := logIn(object{"sub": "baru", "email": "baru@contoh.id"}); got != refusal("sso.no_account") {
		t.Errorf("a new person is sent to %s", got)
	}
	if got, me := logIn(object{"sub": "b", "email": "bos@contoh.id"}); got != "/sent" || me == nil {
		t.Errorf("a known person is sent to %s", got)
	}
	people := g.admin.do("GET", "/v1/admin/people?search=bos", nil).ok().object("data")["people"].([]any)
	g.admin.do("PUT", "/v1/admin/people/"+people[0].(object)["id"].(string)+"/disabled", nil).ok()
	if got, _ := logIn(object{"sub": "b", "email": "bos@contoh.id"}); got != refusal("sso.account_disabled") {
		t.Errorf("a disabled person is sent to %s", got)
	}
}

func TestTheClientSecretIsNeverShownAndNeverSentToAnotherProvider(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{}, nil)
	got := g.admin.do("GET", "/v1/admin/sso", nil).ok()
	if strings.Contains(string(got.body), "rahasia klien") || got.object("data")["has_secret"] != true {
		t.Errorf("%s", got.body)
	}
	if a := g.admin.do("PUT", "/v1/admin/sso", object{"issuer": "http://127.0.0.1:9/other", "client_id": "segel", "enabled": true}); a.status != http.StatusUnprocessableEntity || !strings.Contains(string(a.body), "sso.secret_again") {
		t.Errorf("%d: %s", a.status, a.body)
	}
	g.admin.do("PUT", "/v1/admin/sso", object{"issuer": g.p.URL, "client_id": "segel", "enabled": true, "create": true}).ok()
	if to := newBrowser(t, g.service).logIn(g.p, g.of, "siti@contoh.id"); to != "/sent" {
		t.Errorf("with the stored secret, they are sent to %s", to)
	}
	for _, issuer := range []string{"", "ftp://x.id", "https://x.id?a=b", "https://x.id#a", "https://u:p@x.id", "http://login.contoh.id", "nonsense"} {
		g.admin.do("PUT", "/v1/admin/sso", object{"issuer": issuer, "client_id": "segel", "client_secret": "x"}).is(http.StatusUnprocessableEntity, "input.invalid")
	}
	// Without the permission for private networks, a provider there is not reached, whatever its name says.
	plain := start(t)
	admin := plain.administrator(t, "Admin", "PT Satu")
	admin.do("PUT", "/v1/admin/sso", object{"issuer": strings.Replace(g.p.URL, "http:", "https:", 1), "client_id": "segel"}).ok()
	if a := admin.do("PUT", "/v1/admin/sso/tested", object{}, "Accept-Language", "en").ok(); !strings.Contains(string(a.body), "may not connect to") {
		t.Errorf("%s", a.body)
	}
}

// movedClock returns a clock that runs, and a function that sets it ahead. It runs so that the first organisation is older than the next ones.
func movedClock() (clock func() time.Time, advance func(time.Duration)) {
	var ahead atomic.Int64
	return func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, func(d time.Duration) { ahead.Add(int64(d)) }
}

// settingsOf returns the settings of an environment as names and values.
func settingsOf(env []string) (set []string) {
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		set = append(set, name, value)
	}
	return set
}

// newUser describes a person of an organisation, with the password of the tests.
func newUser(email, organisation string) identity.NewUser {
	return identity.NewUser{Email: email, Password: password, Organisation: organisation}
}

func organisationNamed(a *app, name string) contract.OrganisationID {
	o, _ := a.store.OrganisationByName(context.Background(), name)
	return o.ID
}

// TestClaimsThatTheIDTokenLacksAreAskedFor is about providers that state the address and the groups only as user information.
func TestClaimsThatTheIDTokenLacksAreAskedFor(t *testing.T) {
	t.Parallel()
	p := oidctest.Start(t)
	p.UserInfo = object{"sub": "siti-1", "email": "siti@contoh.id", "email_verified": "true", "groups": "staf"}
	p.Claims = object{"email": nil, "email_verified": nil}
	g := stageWith(t, p, starting{}, object{"groups": []object{{"group": "staf", "role": "sender"}}, "require_group": true})
	if got := newBrowser(t, g.service).logIn(g.p, g.of, "siti@contoh.id"); got != "/sent" {
		t.Errorf("sent to %s", got)
	}
	p.Set(func() { p.UserInfo["sub"] = "another" })
	if got := newBrowser(t, g.service).logIn(g.p, g.of, "siti@contoh.id"); got != refusal("sso.answer_invalid") {
		t.Errorf("with the user information of another person, they are sent to %s", got)
	}
}
