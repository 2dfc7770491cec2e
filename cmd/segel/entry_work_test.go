package main

import (
	"hash/crc32"
	"net/url"
	"strings"
	"testing"

	"segel/internal/passkey/passkeytest"
)

// workOf returns what a request made the store do: transactions and statements.
func (s *service) workOf(request func() *answer) (*answer, [2]int64) {
	before := s.store.Counts()
	a := request()
	after := s.store.Counts()
	return a, [2]int64{after.Reads + after.Writes - before.Reads - before.Writes, after.Statements - before.Statements}
}

// entryPair is a request about something that exists, and the same about something that does not.
type entryPair struct {
	exists, other func() *answer
	code          string // of both refusals; empty: the codes differ, because the holder of a secret that existed may learn what became of it
}

// secretOfNoOne returns a secret that was never made. Its checksum is right: with a wrong one, the store would not be asked.
func secretOfNoOne(prefix string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	body := prefix + strings.Repeat("0", 43)
	var sum [6]byte
	n := crc32.ChecksumIEEE([]byte(body))
	for i := range sum {
		sum[len(sum)-1-i] = digits[n%62]
		n /= 62
	}
	return body + string(sum[:])
}

// requireSameWork asks both of each pair twice, in turn, because the first try of a caller may be recorded in another way than the next.
func (s *service) requireSameWork(t *testing.T, pairs map[string]entryPair) {
	t.Helper()
	for name, p := range pairs {
		for try := range 2 {
			got, work := s.workOf(p.exists)
			want, less := s.workOf(p.other)
			if work != less {
				t.Errorf("%s, try %d: %d transactions and statements for what exists, %d for what does not", name, try+1, work, less)
			}
			if work == ([2]int64{}) {
				t.Errorf("%s asked the store nothing: %d %.200s", name, got.status, got.body)
			}
			if got.status != want.status || p.code != "" && (plainRefusal(got) != plainRefusal(want) || !strings.Contains(string(got.body), `"`+p.code+`"`)) {
				t.Errorf("%s: %d %.300s\nbut for what does not exist: %d %.300s", name, got.status, got.body, want.status, want.body)
			}
		}
	}
}

// TestEveryEntryPointTakesTheSameWorkForWhatExists compares the transactions and statements of what is proved with a password, a code, a passkey or a secret. Besides
// hashes of passwords, which internal/identity counts, these take the time. TestEveryOperationAnswersForAnotherOrganisationAsForNothing compares those that name
// something; make enumeration measures all.
func TestEveryEntryPointTakesTheSameWorkForWhatExists(t *testing.T) {
	t.Parallel()
	g := stageSSO(t, starting{idle: true}, nil)
	s := g.service
	owner, guarded, outsider := s.administrator(t, "Pemilik", "PT Satu"), s.person(t, "Terjaga", "PT Satu"), s.person(t, "Orang Luar", "PT Dua")
	guarded.addTOTP()
	anybody := &client{service: s, t: t}
	pairs := map[string]entryPair{}
	add := func(name, code string, by *client, path string, exists, other object) {
		pairs[name] = entryPair{func() *answer { return by.do("POST", path, exists) }, func() *answer { return by.do("POST", path, other) }, code}
	}
	wrong := func(email string, more ...any) object {
		o := object{"email": email, "password": "bukan kata sandinya"}
		for i := 0; i+1 < len(more); i += 2 {
			o[more[i].(string)] = more[i+1]
		}
		return o
	}
	const unknown = "nobody@example.test"
	add("login", "auth.wrong_credentials", anybody, "/v1/auth/login", wrong(owner.email), wrong(unknown))
	add("login with a code", "auth.wrong_credentials", anybody, "/v1/auth/login", wrong(guarded.email, "otp", "123456"), wrong("nobody2@example.test", "otp", "123456"))
	add("login with a factor or without", "auth.wrong_credentials", anybody, "/v1/auth/login", wrong(guarded.email), wrong(outsider.email))
	add("login of the web app", "auth.wrong_credentials", anybody, "/v1/auth/session", wrong(owner.email), wrong("nobody3@example.test"))
	add("login to another account", "auth.wrong_credentials", outsider, membershipsPath, wrong(owner.email), wrong("nobody4@example.test"))
	add("forgotten password", "", anybody, "/v1/auth/forgot-password", object{"email": owner.email}, object{"email": "nobody5@example.test"})
	add("login at no provider", "", anybody, "/v1/auth/sso", object{"email": outsider.email}, object{"email": unknown})
	if _, err := s.identity.AddUser(t.Context(), newUser("ada@contoh.id", "PT Satu")); err != nil {
		t.Fatal(err)
	}
	add("login at a provider", "", anybody, "/v1/auth/sso", object{"email": "ada@contoh.id"}, object{"email": "tidak.ada@contoh.id"})

	// Secrets that were used, revoked or replaced, and secrets of the same kind that were never made. An address of an embedded page is not among them: more is read
	// of one that was used, and its holder is told so.
	former := func(name, path, member, secret, prefix string, more object) {
		exists, other := object{member: secret}, object{member: secretOfNoOne(prefix)}
		for k, v := range more {
			exists[k], other[k] = v, v
		}
		add(name, "", anybody, path, exists, other)
	}
	in := anybody.do("POST", "/v1/auth/login", object{"email": outsider.email, "password": password}).ok().object("data")
	(&client{service: s, t: t, token: in["token"].(string)}).do("POST", "/v1/auth/logout", object{}).ok()
	former("refresh", "/v1/auth/refresh", "refresh_token", in["refresh_token"].(string), "sgl_rt_", nil)
	id := owner.uploadWith(object{"guest": []object{{"name": "Tamu", "email": "tamu@example.test", "role": "signer", "number": 1}}}, simple())
	owner.verb("finalize-docs", id).ok()
	link := owner.verb("guest-link-docs", id, "user_id", guestOf(owner, id)).ok().object("response", "data")["url"].(string)
	owner.verb("guest-revoke-docs", id, "user_id", guestOf(owner, id)).ok()
	former("a guest's link", "/v1/auth/guest", "link", link, "sgl_gl_", nil)
	invited, invitation := owner.invite(g.operator, "undangan@example.test", nil)
	owner.do("DELETE", invitationsPath+"/"+invited, nil).ok()
	former("an invitation", "/v1/auth/invitation", "link", invitation, "sgl_iv_", nil)
	former("an invitation that is accepted", "/v1/auth/invitation/accept", "link", invitation, "sgl_iv_", object{"name": "Budi", "password": "lampu taman biru 42"})
	forgetful := s.person(t, "Lupa", "PT Satu")
	anybody.do("POST", "/v1/auth/forgot-password", object{"email": forgetful.email}).ok()
	if err := s.identity.OrderResets(t.Context()); err != nil {
		t.Fatal(err)
	}
	reset := g.operator.do("GET", "/v1/admin/mail/"+g.operator.keptMail("password_reset"), nil).ok().object("data")["link"].(string)
	anybody.do("POST", "/v1/auth/reset-password", object{"link": reset, "new": "lampu taman biru 42"}).ok()
	former("a link for a password", "/v1/auth/reset-link", "link", reset, "sgl_pr_", nil)
	former("a password that is replaced", "/v1/auth/reset-password", "link", reset, "sgl_pr_", object{"new": "lampu taman hijau 43"})
	s.requireSameWork(t, pairs)

	// The redirect of a provider without the login that it answers.
	visit := func(of string) func() *answer {
		b := newBrowser(t, s)
		return func() *answer {
			return b.do("GET", "/v1/auth/sso/"+of+"/callback?"+url.Values{"state": {"x"}, "code": {"y"}}.Encode(), "", "")
		}
	}
	a, work := s.workOf(visit(g.of))
	b, less := s.workOf(visit("8f14e45f-ceea-467f-a0e6-1b1f0c8d3aff"))
	if work != less || a.status != b.status || a.header.Get("Location") != b.header.Get("Location") {
		t.Errorf("a redirect for an organisation with a provider: %d %v to %s, for none %d %v to %s", work, a.status, a.header.Get("Location"), less, b.status, b.header.Get("Location"))
	}
}

// The caller knows the identifiers of a passkey and of its account, which authenticators alone show.
func TestALoginWithAForgedPasskeyTakesTheSameWorkWhetherThePasskeyExists(t *testing.T) {
	t.Parallel()
	const address = "https://segel.example.test"
	s := starting{idle: true, set: []string{"SEGEL_PUBLIC_URL", address}}.start(t)
	c := s.person(t, "Siti", "")
	registered, forged, unknown := passkeytest.New("segel.example.test", address), passkeytest.New("segel.example.test", address), passkeytest.New("segel.example.test", address)
	o := c.do("POST", "/v1/auth/factors/passkey-options", object{"current": password}).ok()
	c.do("POST", "/v1/auth/factors/passkeys", object{"ticket": o.object("data")["ticket"], "credential": registered.Create(optionsOf(o)), "name": "Laptop"}).ok()
	forged.ID, forged.Handle, unknown.Handle = registered.ID, registered.Handle, registered.Handle
	anybody := &client{service: s, t: t}
	login := func(with *passkeytest.Authenticator) func() *answer {
		return func() *answer {
			o := anybody.do("POST", "/v1/auth/passkey-login-options", object{}).ok()
			return anybody.do("POST", "/v1/auth/login", object{"passkey": object{"ticket": o.object("data")["ticket"], "credential": with.Get(optionsOf(o))}})
		}
	}
	login(registered)().ok()
	s.requireSameWork(t, map[string]entryPair{"passkey": {login(forged), login(unknown), "auth.passkey_wrong"}})
}
