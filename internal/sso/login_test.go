package sso

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/identity"
	"segel/internal/oidc"
	"segel/internal/oidc/oidctest"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
)

// stage is a service whose organisation has a provider for contoh.id, and a clock that the test sets.
type stage struct {
	*Service
	t  *testing.T
	db *flawedStore
	p  *oidctest.Provider
	of contract.OrganisationID

	ahead time.Duration // of the real clock
}

// flawedStore is a database of which a test makes one call fail.
type flawedStore struct {
	*sqlstore.Store
	failConfirm error
	adding      func() // what happens before a login is recorded
}

func (f *flawedStore) ConfirmSSOLogin(ctx context.Context, family string) error {
	if f.failConfirm != nil {
		return f.failConfirm
	}
	return f.Store.ConfirmSSOLogin(ctx, family)
}

func (f *flawedStore) AddSSOLogin(ctx context.Context, l store.SSOLogin) error {
	if f.adding != nil {
		f.adding()
	}
	return f.Store.AddSSOLogin(ctx, l)
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db, err := sqlstore.Open(t.Context(), storetest.SQLite(t, sqlstore.Migrate), sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &stage{t: t, db: &flawedStore{Store: db}, p: oidctest.Start(t)}
	clock := func() time.Time { return time.Now().Add(s.ahead) }
	sealer, err := credential.NewSealer(make([]byte, 32))
	s.must(err)
	accounts := identity.New(identity.Options{
		Store: db, Clock: clock, Random: rand.Reader, PublicURL: "https://segel.contoh.id", FactorKey: [32]byte{7}, LinkKey: [32]byte{8}, Sealer: sealer, Cost: identity.Cost{Memory: 8, Passes: 1, Threads: 1},
	})
	s.Service = &Service{
		Store: s.db, Accounts: accounts, Providers: &oidc.Providers{HTTP: s.p.Client(), Clock: clock, Plain: func(string) bool { return true }}, Sealer: sealer,
		PublicURL: "https://segel.contoh.id", Plain: true, Clock: clock, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
	}
	admin, err := accounts.AddUser(t.Context(), identity.NewUser{Name: "Admin", Email: "admin@contoh.id", Password: "kata sandi yang panjang", Organisation: "PT Contoh", Role: contract.RoleAdmin})
	s.must(err)
	s.of = admin.Account.Organisation
	s.configure(nil)
	_, err = s.ClaimDomain(t.Context(), contract.Actor{}, s.of, "contoh.id")
	s.must(err)
	_, err = s.GrantDomain(t.Context(), contract.Actor{}, s.of, "contoh.id")
	s.must(err)
	return s
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) configure(change func(*contract.SSOSettings)) {
	s.t.Helper()
	secret := oidctest.ClientSecret
	_, err := s.ChangeSettings(s.t.Context(), contract.Actor{}, s.of, func(to *contract.SSOSettings) {
		*to = contract.SSOSettings{Issuer: s.p.URL, ClientID: oidctest.ClientID, Enabled: true, Create: true}
		if change != nil {
			change(to)
		}
	}, &secret)
	s.must(err)
}

// begin begins a login, of which the provider is told.
func (s *stage) begin() (BegunLogin, url.Values) {
	s.t.Helper()
	begun, err := s.BeginLogin(s.t.Context(), oidctest.Email, "/sent", identity.Client{})
	s.must(err)
	u, err := url.Parse(begun.URL)
	s.must(err)
	s.p.Set(func() { s.p.Login = u.Query() })
	return begun, u.Query()
}

// logIn is a whole login, whose answer a test may change.
func (s *stage) logIn(change func(*Answer)) (FinishedLogin, error) {
	s.t.Helper()
	begun, q := s.begin()
	a := Answer{Cookie: begun.Cookie, State: q.Get("state"), Code: "c", Issuer: s.p.URL}
	if change != nil {
		change(&a)
	}
	return s.FinishLogin(s.t.Context(), s.of, a, identity.Client{IP: "203.0.113.7"})
}

func (s *stage) refused(what string, err, want error) {
	s.t.Helper()
	if !errors.Is(err, want) {
		s.t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func TestALoginIsBoundToItsBrowserItsProviderAndItsCode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, first := s.begin()
	_, second := s.begin()
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(first.Get(name)) < 43 || first.Get(name) == second.Get(name) { // 32 bytes
			t.Errorf("%s of two logins: %q and %q", name, first.Get(name), second.Get(name))
		}
	}
	if first.Get("code_challenge_method") != "S256" || first.Get("redirect_uri") != s.CallbackURL(s.of) || first.Get("scope") != "openid profile email" {
		t.Errorf("the request: %v", first)
	}
	done, err := s.logIn(nil)
	if s.must(err); done.Target != "/sent" || done.Account.Email != oidctest.Email || done.Account.Organisation != s.of {
		t.Errorf("logged in: %+v", done)
	}
	sum := sha256.Sum256([]byte(s.p.Exchange.Get("code_verifier")))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != s.p.Login.Get("code_challenge") {
		t.Error("the verifier is not that of the challenge")
	}
	if s.p.Count("/.well-known/openid-configuration") != 1 {
		t.Error("the metadata was read again")
	}
	begun, q := s.begin()
	a := Answer{Cookie: begun.Cookie, State: q.Get("state"), Code: "c", Issuer: s.p.URL}
	other := a
	other.Cookie = "nonsense"
	_, err = s.FinishLogin(t.Context(), s.of, other, identity.Client{})
	s.refused("without the cookie", err, contract.ErrLoginLost)
	_, err = s.FinishLogin(t.Context(), "8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff", a, identity.Client{})
	s.refused("at the address of another organisation", err, contract.ErrLoginLost)
	_, err = s.FinishLogin(t.Context(), s.of, a, identity.Client{})
	s.must(err)
	_, err = s.FinishLogin(t.Context(), s.of, a, identity.Client{})
	s.refused("the same answer again", err, contract.ErrLoginLost)
	begun, q = s.begin()
	s.ahead += LoginLifetime
	_, err = s.FinishLogin(t.Context(), s.of, Answer{Cookie: begun.Cookie, State: q.Get("state"), Code: "c", Issuer: s.p.URL}, identity.Client{})
	s.refused("too late", err, contract.ErrLoginLost)
}

func TestATokenThatIsNotForThisLoginIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	s.must(err)
	public, err := json.Marshal(jose.JSONWebKey{Key: s.p.Key.Public(), KeyID: "first"})
	s.must(err)
	for name, c := range map[string]struct {
		claims oidctest.Object
		sign   func(*oidctest.Provider, oidctest.Object) string
	}{
		"audience":       {claims: oidctest.Object{"aud": "another"}},
		"issuer":         {claims: oidctest.Object{"iss": "https://login.example.test"}},
		"nonce":          {claims: oidctest.Object{"nonce": "another"}},
		"expired":        {claims: oidctest.Object{"exp": time.Now().Add(-time.Minute).Unix()}},
		"none":           {sign: oidctest.Unsigned},
		"shared secret":  {sign: oidctest.SignWith(t, jose.HS256, []byte("rahasia klien.rahasia klien.32.b"))},
		"the public key": {sign: oidctest.SignWith(t, jose.HS256, public)},
		"another key":    {sign: oidctest.SignWith(t, jose.RS256, other)},
	} {
		s.p.Set(func() { s.p.Claims, s.p.Sign = c.claims, c.sign })
		_, err := s.logIn(nil)
		s.refused(name, err, contract.ErrProviderAnswer)
	}
	if u, err := s.db.MemberByEmail(t.Context(), s.of, oidctest.Email); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a refused login made %+v, %v", u, err)
	}
	s.p.Set(func() { s.p.Claims, s.p.Sign = nil, nil })
	_, err = s.logIn(func(a *Answer) { a.Issuer = "https://login.example.test" })
	s.refused("an answer of another provider", err, contract.ErrProviderAnswer)
	_, err = s.logIn(func(a *Answer) { a.Code, a.Error = "", "access_denied" })
	s.refused("given up", err, contract.ErrProviderRefused)
}

func TestKeysOfTheProviderAreReadAgainOnceTheyChange(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, err := s.logIn(nil)
	s.must(err)
	s.p.Rotate("second")
	_, err = s.logIn(nil) // the keys were read a moment ago
	s.refused("with a key that is not known yet", err, contract.ErrProviderAnswer)
	s.ahead += 11 * time.Second
	_, err = s.logIn(nil)
	s.must(err)
	if n := s.p.Count("/keys"); n != 2 {
		t.Errorf("the keys were read %d times", n)
	}
}

func TestALoginNeedsTheUserInfoEndpointOnlyForWhatTheTokenLacks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	legal := func(to *contract.SSOSettings) {
		to.Groups = []contract.GroupRole{{Group: "legal", Role: contract.RoleSender}}
	}
	for _, c := range []struct {
		name   string
		change func(*contract.SSOSettings)
		claims oidctest.Object
		needed bool
	}{
		{"an address, and no groups listed", nil, nil, false},
		{"no name", nil, oidctest.Object{"name": ""}, false},
		{"an address and the groups that are listed", legal, oidctest.Object{"groups": []string{"legal"}}, false},
		{"no address", nil, oidctest.Object{"email": ""}, true},
		{"no groups, which are listed", legal, nil, true},
	} {
		s.configure(c.change)
		for _, works := range []bool{false, true} {
			s.p.Set(func() {
				s.p.Claims, s.p.UserInfo = c.claims, nil
				s.p.Metadata = oidctest.Object{"userinfo_endpoint": s.p.URL + "/nothing"}
				if works {
					s.p.UserInfo, s.p.Metadata = oidctest.Object{"sub": "siti-1", "email": oidctest.Email, "email_verified": true, "groups": []string{"legal"}}, nil
				}
			})
			s.Providers = &oidc.Providers{HTTP: s.p.Client(), Clock: s.Clock, Plain: s.Providers.Plain} // which reads the metadata again
			switch _, err := s.logIn(nil); {
			case works || !c.needed:
				if err != nil {
					t.Errorf("a token with %s, where UserInfo works: %v: %v", c.name, works, err)
				}
			default:
				s.refused("a token with "+c.name, err, contract.ErrProviderDown)
			}
		}
	}
	u, err := s.db.MemberByEmail(t.Context(), s.of, oidctest.Email)
	if s.must(err); u.Role() != contract.RoleSender {
		t.Errorf("the groups of UserInfo give %s", u.Role())
	}
}

func TestAnAccountIsNamedByTheUserInfoEndpointIfTheTokenHasNoName(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.p.Set(func() {
		s.p.Claims, s.p.UserInfo = oidctest.Object{"name": ""}, oidctest.Object{"sub": "siti-1", "name": "Siti Rahma"}
	})
	_, err := s.logIn(nil)
	s.must(err)
	if u, err := s.db.MemberByEmail(t.Context(), s.of, oidctest.Email); err != nil || u.Name != "Siti Rahma" {
		t.Errorf("named %q, %v", u.Name, err)
	}
}

func TestTheFirstListedGroupOfAPersonGivesTheirRole(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.configure(func(to *contract.SSOSettings) {
		to.Groups = []contract.GroupRole{{Group: "bos", Role: contract.RoleAdmin}, {Group: "audit", Role: contract.RoleAuditor}}
	})
	for _, c := range []struct {
		groups any
		want   contract.AccountRole
	}{
		{nil, contract.RoleMember}, {[]string{"lain"}, contract.RoleMember}, {[]string{"audit", "bos"}, contract.RoleAdmin}, {nil, contract.RoleAdmin}, {"audit", contract.RoleAuditor},
		{[]string{"lain"}, contract.RoleMember}, {[]string{"bos"}, contract.RoleAdmin}, {[]string{}, contract.RoleMember},
	} {
		s.p.Set(func() {
			s.p.Claims = oidctest.Object{}
			if c.groups != nil {
				s.p.Claims["groups"] = c.groups
			}
		})
		_, err := s.logIn(nil)
		s.must(err)
		if u, err := s.db.MemberByEmail(t.Context(), s.of, oidctest.Email); err != nil || u.Role() != c.want {
			t.Errorf("groups %v give %s, %v; want %s", c.groups, u.Role(), err, c.want)
		}
	}
}

// logInWith has the person log in with groups that the provider states, and returns their role.
func (s *stage) logInWith(groups ...string) contract.AccountRole {
	s.t.Helper()
	s.p.Set(func() { s.p.Claims = oidctest.Object{"groups": groups} })
	_, err := s.logIn(nil)
	s.must(err)
	u, err := s.db.MemberByEmail(s.t.Context(), s.of, oidctest.Email)
	s.must(err)
	return u.Role()
}

func TestAPersonInNoListedGroupKeepsTheRoleThatNoGroupGave(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.configure(func(to *contract.SSOSettings) {
		to.Groups = []contract.GroupRole{{Group: "bos", Role: contract.RoleAdmin}, {Group: "staf", Role: contract.RoleMember}}
	})
	if role := s.logInWith("staf"); role != contract.RoleMember {
		t.Fatalf("their group gives %s", role)
	}
	if role := s.logInWith(); role != contract.RoleMember {
		t.Errorf("leaving the group of members gives %s", role)
	}
	u, err := s.db.MemberByEmail(t.Context(), s.of, oidctest.Email)
	s.must(err)
	event := contract.Event{Type: contract.EventRoleChanged, At: time.Now(), Details: map[string]string{"organisation": string(s.of)}}
	for _, role := range []contract.AccountRole{contract.RoleAuditor, contract.RoleSender, contract.RoleAdmin} {
		s.must(s.db.SetRole(t.Context(), u.ID, role, event)) // as an administrator does
		if got := s.logInWith("lain"); got != role {
			t.Errorf("the role %s, which no group gave, became %s", role, got)
		}
	}
	// Once a group gives the same role, leaving the group takes it.
	if role := s.logInWith("bos"); role != contract.RoleAdmin {
		t.Errorf("the group gives %s", role)
	}
	if role := s.logInWith("lain"); role != contract.RoleMember {
		t.Errorf("a former admin of the group is %s", role)
	}
}

func TestAnInvitedRoleYieldsToAListedGroupAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		groups []string
		want   contract.AccountRole
	}{{[]string{"lain"}, contract.RoleAuditor}, {nil, contract.RoleAuditor}, {[]string{"bos"}, contract.RoleAdmin}} {
		s := newStage(t)
		s.configure(func(to *contract.SSOSettings) {
			to.Groups = []contract.GroupRole{{Group: "bos", Role: contract.RoleAdmin}}
		})
		_, err := s.Accounts.Invite(t.Context(), contract.Actor{}, identity.NewInvitation{Organisation: s.of, Email: oidctest.Email, Role: contract.RoleAuditor})
		s.must(err)
		if role := s.logInWith(c.groups...); role != c.want {
			t.Errorf("an invited auditor in groups %v is %s, not %s", c.groups, role, c.want)
		}
	}
}

func TestALoginThatAChangeOfTheProviderOvertakesOpensNoSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, err := s.logIn(nil)
	s.must(err)
	u, err := s.db.MemberByEmail(t.Context(), s.of, oidctest.Email)
	s.must(err)
	for what, change := range map[string]func(){
		"another client": func() { s.configure(func(to *contract.SSOSettings) { to.ClientID = "lain" }) },
		"switched off":   func() { s.must(s.DisableProvider(t.Context(), contract.Actor{}, s.of)) },
		"deleted":        func() { s.must(s.DeleteSettings(t.Context(), contract.Actor{}, s.of)) },
		"domain removed": func() { s.must(s.RemoveDomain(t.Context(), contract.Actor{}, s.of, "contoh.id")) },
	} {
		s.must(s.db.RevokeOtherFamilies(t.Context(), u.ID, ""))
		s.db.adding = change // the settings were read, and there is no record of the login that the change could end
		_, err := s.logIn(nil)
		s.refused(what, err, contract.ErrLoginLost)
		if open, err := s.db.Sessions(t.Context(), u.ID, s.Clock()); err != nil || len(open) != 0 {
			t.Errorf("%s: %d sessions are open, %v", what, len(open), err)
		}
		s.db.adding = nil
		s.configure(nil)
		if what == "domain removed" {
			_, err = s.ClaimDomain(t.Context(), contract.Actor{}, s.of, "contoh.id")
			s.must(err)
			_, err = s.GrantDomain(t.Context(), contract.Actor{}, s.of, "contoh.id")
			s.must(err)
		}
	}
}

func TestARefusedConfirmationEndsThatLoginAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first, err := s.logIn(nil)
	s.must(err)
	by, err := s.Accounts.Authenticate(t.Context(), first.Token)
	s.must(err)
	for _, cause := range []error{store.ErrNotFound, errors.New("the database does not answer")} {
		s.db.failConfirm = cause
		begun, err := s.BeginLogin(t.Context(), oidctest.Email, "/", identity.Client{Beside: by.Session})
		s.must(err)
		u, err := url.Parse(begun.URL)
		s.must(err)
		s.p.Set(func() {
			s.p.Login, s.p.Claims = u.Query(), oidctest.Object{"sub": "budi-1", "email": "budi@contoh.id"}
		})
		done, err := s.FinishLogin(t.Context(), s.of, Answer{Cookie: begun.Cookie, State: u.Query().Get("state"), Code: "c", Issuer: s.p.URL}, identity.Client{})
		if err == nil || done.Token != "" || errors.Is(cause, store.ErrNotFound) != errors.Is(err, contract.ErrLoginLost) {
			t.Errorf("%v: %+v, %v", cause, done, err)
		}
		budi, err := s.db.MemberByEmail(t.Context(), s.of, "budi@contoh.id")
		s.must(err)
		if open, err := s.db.Sessions(t.Context(), budi.ID, s.Clock()); err != nil || len(open) != 0 {
			t.Errorf("%v: %d sessions are left, %v", cause, len(open), err)
		}
		if _, err := s.Accounts.Authenticate(t.Context(), first.Token); err != nil {
			t.Errorf("%v: the login beside it ended: %v", cause, err)
		}
	}
}

func TestMetadataOfAProviderIsCheckedBeforeItIsUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		metadata oidctest.Object
		want     string
	}{
		"as it is":            {nil, ""},
		"another issuer":      {oidctest.Object{"issuer": "https://login.example.test"}, ProviderDiffers},
		"no keys":             {oidctest.Object{"jwks_uri": ""}, ProviderFails},
		"PKCE only in plain":  {oidctest.Object{"code_challenge_methods_supported": []string{"plain"}}, ProviderFails},
		"a page of a program": {oidctest.Object{"authorization_endpoint": "javascript:alert(1)"}, ProviderFails},
	} {
		s := newStage(t)
		s.p.Set(func() { s.p.Metadata = c.metadata })
		if problem, err := s.TestProvider(t.Context(), contract.Actor{}, s.of); err != nil || problem != c.want {
			t.Errorf("%s: %q, %v; want %q", name, problem, err, c.want)
		}
		_, err := s.BeginLogin(t.Context(), oidctest.Email, "/", identity.Client{})
		if (c.want == "") != (err == nil) || err != nil && !errors.Is(err, contract.ErrProviderDown) {
			t.Errorf("%s: a login: %v", name, err)
		}
	}
}

func TestSettingsThatAnotherRequestChangedAreNotOverwritten(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, err := s.ChangeSettings(t.Context(), contract.Actor{}, s.of, func(to *contract.SSOSettings) {
		s.must(s.DisableProvider(t.Context(), contract.Actor{}, s.of)) // meanwhile
		to.Create = false
	}, nil)
	s.refused("a change", err, contract.ErrSSOChanged)
	found, err := s.LoadSettings(t.Context(), contract.Actor{}, s.of)
	if s.must(err); found.Enabled || !found.Create || strings.Contains(string(found.Secret), oidctest.ClientSecret) {
		t.Errorf("stored: %+v", found.SSO)
	}
}
