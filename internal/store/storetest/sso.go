package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func (b *fixture) ssoEvent(of contract.OrganisationID) contract.Event {
	return contract.Event{Type: contract.EventSSOChanged, At: b.now, Person: owner.Person, Details: map[string]string{"organisation": string(of), "change": "set"}}
}

// addDomain names a domain of an organisation.
func (b *fixture) addDomain(of contract.OrganisationID, domain string) contract.SSODomain {
	b.t.Helper()
	d := contract.SSODomain{Organisation: of, Domain: domain, Challenge: "challenge of " + string(of), ClaimedAt: b.storedNow()}
	b.must(b.ClaimDomain(b.ctx, d, b.ssoEvent(of)))
	return d
}

var ssoTests = map[string]func(*testing.T, *fixture){
	"AProviderIsStoredAndTwoWritersAreDetected": func(_ *testing.T, b *fixture) {
		_, err := b.SSO(b.ctx, "org")
		b.requireError("a provider that was not set", err, store.ErrNotFound)
		s := contract.SSO{Organisation: "org", Secret: []byte("sealed"), ChangedAt: b.storedNow(), SSOSettings: contract.SSOSettings{
			Issuer: "https://login.example.test", ClientID: "segel", Enabled: true, Create: true, GroupsClaim: "roles", RequireGroup: true, PasswordOff: true,
			Groups: []contract.GroupRole{{Group: "bos", Role: contract.RoleAdmin}, {Group: "staf", Role: contract.RoleSender}}, Exempt: []contract.PersonID{"a", "b"},
			ProviderFactor: true, FactorACR: "phr", MaxAge: time.Hour,
		}}
		b.must(b.SetSSO(b.ctx, s, "", b.ssoEvent("org")))
		b.requireError("set by two who found none", b.SetSSO(b.ctx, s, "", b.ssoEvent("org")), store.ErrConflict)
		s.Edits = 1
		requireRead(b, "provider", s)(b.SSO(b.ctx, "org"))
		changed := s
		changed.SSOSettings, changed.Secret = contract.SSOSettings{Issuer: "https://other.example.test", ClientID: "x", GroupsClaim: "groups"}, nil
		b.must(b.SetSSO(b.ctx, changed, "", b.ssoEvent("org")))
		b.requireError("a second writer", b.SetSSO(b.ctx, changed, "", b.ssoEvent("org")), store.ErrConflict)
		changed.Edits = 2
		requireRead(b, "changed provider", changed)(b.SSO(b.ctx, "org"))
		b.must(b.DeleteSSO(b.ctx, "org", b.ssoEvent("org")))
		b.requireError("deleted again", b.DeleteSSO(b.ctx, "org", b.ssoEvent("org")), store.ErrNotFound)
	},
	"ADomainIsGrantedToOneOrganisation": func(_ *testing.T, b *fixture) {
		d := b.addDomain("org", "contoh.id")
		other := b.addDomain("other", "contoh.id")
		b.requireError("named again", b.ClaimDomain(b.ctx, d, b.ssoEvent("org")), store.ErrExists)
		b.requireError("granted though not named", b.GrantDomain(b.ctx, "org", "lain.id", contract.GrantedByDNS, b.ssoEvent("org")), store.ErrNotFound)
		_, err := b.SSOOfDomain(b.ctx, "contoh.id")
		b.requireError("a domain that was not granted", err, store.ErrNotFound)
		e := b.ssoEvent("org")
		b.must(b.GrantDomain(b.ctx, "org", "contoh.id", contract.GrantedByDNS, e))
		b.requireError("granted to another", b.GrantDomain(b.ctx, "other", "contoh.id", contract.GrantedByOperator, e), store.ErrExists)
		d.GrantedAt, d.GrantedBy = b.storedNow(), contract.GrantedByDNS
		requireRead(b, "domains", []contract.SSODomain{d})(b.SSODomains(b.ctx, "org"))
		requireRead(b, "domains of the other", []contract.SSODomain{other})(b.SSODomains(b.ctx, "other"))
		_, err = b.SSOOfDomain(b.ctx, "contoh.id")
		b.requireError("the provider of a domain without one", err, store.ErrNotFound)
		s := contract.SSO{Organisation: "org", ChangedAt: b.storedNow(), SSOSettings: contract.SSOSettings{Issuer: "https://login.example.test", ClientID: "segel"}}
		b.must(b.SetSSO(b.ctx, s, "", b.ssoEvent("org")))
		s.Edits = 1
		requireRead(b, "provider of the domain", s)(b.SSOOfDomain(b.ctx, "contoh.id"))
		b.must(b.RemoveDomain(b.ctx, "other", "contoh.id", e))
		requireRead(b, "provider after another removed it", s)(b.SSOOfDomain(b.ctx, "contoh.id"))
		b.must(b.RemoveDomain(b.ctx, "org", "contoh.id", e))
		b.requireError("removed again", b.RemoveDomain(b.ctx, "org", "contoh.id", e), store.ErrNotFound)
		_, err = b.SSOOfDomain(b.ctx, "contoh.id")
		b.requireError("a removed domain", err, store.ErrNotFound)
	},
	"APersonAtTheProviderHasOneAccountInEachOrganisation": func(_ *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("u1", "Siti", "siti@contoh.id", "org")))
		b.must(b.CreateUser(b.ctx, newUser("u2", "Budi", "budi@contoh.id", "org")))
		b.must(b.CreateUser(b.ctx, newUser("u3", "Siti", "siti@contoh.id", "other")))
		e := contract.Event{Type: contract.EventSSOLinked, At: b.now, Details: map[string]string{"organisation": "org"}}
		link := func(of contract.OrganisationID, subject string, person contract.PersonID) store.SSOIdentity {
			return store.SSOIdentity{Organisation: of, Issuer: "https://login.example.test", Subject: subject, Person: person, LinkedAt: b.storedNow()}
		}
		first := link("org", "s1", "u1")
		b.must(b.LinkSSOIdentity(b.ctx, first, e))
		b.must(b.LinkSSOIdentity(b.ctx, link("other", "s1", "u3"), e))
		b.requireError("the person again", b.LinkSSOIdentity(b.ctx, link("org", "s1", "u2"), e), store.ErrExists)
		b.requireError("the account again", b.LinkSSOIdentity(b.ctx, link("org", "s2", "u1"), e), store.ErrExists)
		requireRead(b, "identity", first)(b.SSOIdentity(b.ctx, "org", "https://login.example.test", "s1"))
		_, err := b.SSOIdentity(b.ctx, "org", "https://login.example.test", "S1")
		b.requireError("a subject in other letters", err, store.ErrNotFound)
		_, err = b.SSOIdentity(b.ctx, "org", "https://other.example.test", "s1")
		b.requireError("a subject of another provider", err, store.ErrNotFound)
		b.must(b.UnlinkSSOIdentity(b.ctx, "u1", e))
		b.requireError("unlinked again", b.UnlinkSSOIdentity(b.ctx, "u1", e), store.ErrNotFound)
		b.must(b.LinkSSOIdentity(b.ctx, link("org", "s2", "u1"), e))
	},
	"AProviderEndsTheLoginsThatItNamesAndNoOthers": func(_ *testing.T, b *fixture) {
		b.must(b.CreateUser(b.ctx, newUser("u1", "Siti", "siti@contoh.id", "org")))
		add := func(family, of, subject, sid string, n byte) {
			b.must(b.AddSSOLogin(b.ctx, store.SSOLogin{Family: family, Organisation: contract.OrganisationID(of), Issuer: "i", Subject: subject, SessionID: sid, ExpiresAt: b.storedNow().Add(time.Hour)}))
			b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(n, store.SessionToken, "u1", family)))
		}
		add("f1", "org", "s1", "a", 1)
		add("f2", "org", "s1", "b", 2)
		add("f3", "org", "s2", "a", 3)
		add("f4", "other", "s1", "a", 4)
		left := func() (all []string) {
			for n := byte(1); n < 5; n++ {
				if t, err := b.Token(b.ctx, [32]byte{n}); err == nil {
					all = append(all, t.Family)
				}
			}
			return all
		}
		end := func(name, subject, sid string, token byte, ended int, rest ...string) {
			b.t.Helper()
			n, err := b.EndSSOLogins(b.ctx, store.SSOLogout{Organisation: "org", Issuer: "i", Subject: subject, SessionID: sid, Token: [32]byte{token}, Expires: b.now.Add(time.Hour)})
			b.must(err)
			b.requireEqual(name, []any{n, left()}, []any{ended, rest})
		}
		end("a session of a person", "s1", "a", 1, 1, "f2", "f3", "f4")
		end("all of a person", "s1", "", 2, 1, "f3", "f4")
		end("a session", "", "a", 3, 1, "f4")
		_, err := b.EndSSOLogins(b.ctx, store.SSOLogout{Organisation: "other", Issuer: "i", Subject: "s1", Token: [32]byte{3}, Expires: b.now})
		b.requireError("a token that was used", err, store.ErrExists)
		b.requireEqual("after it", left(), []string{"f4"})
		if _, err := b.EndSSOLogins(b.ctx, store.SSOLogout{Organisation: "other", Issuer: "i", Token: [32]byte{9}, Expires: b.now}); err == nil {
			b.t.Fatal("a logout of no one ended something")
		}
		_, err = b.SSOLoginOf(b.ctx, "f1")
		b.requireError("a login that was ended", err, store.ErrNotFound)
		b.requireError("confirmed, and ended", b.ConfirmSSOLogin(b.ctx, "f1"), store.ErrNotFound)
		b.must(b.ConfirmSSOLogin(b.ctx, "f4"))

		// Unlinking ends the logins of the person at the provider, and deleting the provider all of the organisation.
		b.must(b.LinkSSOIdentity(b.ctx, store.SSOIdentity{Organisation: "org", Issuer: "i", Subject: "s1", Person: "u1", LinkedAt: b.now}, b.ssoEvent("org")))
		add("f5", "org", "s1", "c", 1)
		add("f6", "org", "s2", "c", 2)
		b.must(b.UnlinkSSOIdentity(b.ctx, "u1", b.ssoEvent("org")))
		b.requireEqual("after unlinking", left(), []string{"f6", "f4"})
		b.must(b.SetSSO(b.ctx, contract.SSO{Organisation: "org", SSOSettings: contract.SSOSettings{Issuer: "i", ClientID: "c", GroupsClaim: "groups"}, ChangedAt: b.now}, "", b.ssoEvent("org")))
		b.must(b.DeleteSSO(b.ctx, "org", b.ssoEvent("org")))
		b.requireEqual("after deleting the provider", left(), []string{"f4"})
		b.must(b.AddSSOLogin(b.ctx, store.SSOLogin{Family: "f7", Organisation: "org", Issuer: "i", Subject: "s7", ExpiresAt: b.storedNow().Add(time.Hour)}))
		refreshed := newToken(7, store.SessionToken, "u1", "f7")
		refreshed.ExpiresAt = b.storedNow().Add(3 * time.Hour)
		b.must(b.AddTokens(b.ctx, contract.Session{}, refreshed))
		b.must(b.PurgeSSO(b.ctx, b.now.Add(2*time.Hour)))
		_, err = b.SSOLoginOf(b.ctx, "f4")
		b.requireError("a login that expired", err, store.ErrNotFound)
		_, err = b.SSOLoginOf(b.ctx, "f7")
		b.must(err)
		n, err := b.EndSSOLogins(b.ctx, store.SSOLogout{Organisation: "org", Issuer: "i", Subject: "s7", Token: [32]byte{7}, Expires: b.now.Add(time.Hour)})
		b.must(err)
		b.requireEqual("ended by the provider", n, 1)
		_, err = b.Token(b.ctx, refreshed.Hash)
		b.requireError("its token", err, store.ErrNotFound)
		b.must(b.PurgeSSO(b.ctx, b.now.Add(4*time.Hour)))
	},
	"LoginsWithoutTheProviderEndWhenPasswordsAreSwitchedOff": func(_ *testing.T, b *fixture) {
		for _, u := range []struct{ id, email, of string }{
			{"u1", "Siti@Contoh.id", "org"}, {"u2", "luar@lain.id", "org"}, {"u3", "darurat@contoh.id", "org"}, {"u4", "siti@contoh.id", "other"},
		} {
			one := newUser(u.id, "Siti", u.email, u.of)
			one.Admin = u.id == "u3"
			b.must(b.CreateUser(b.ctx, one))
		}
		n, families := byte(0), []string{}
		open := func(person, family string, f contract.Factor) {
			n++
			of := contract.Session{Family: family, Person: contract.PersonID(person), Factor: f, CreatedAt: b.now, ProvedAt: b.now, LastUsedAt: b.now, ExpiresAt: b.now.Add(time.Hour)}
			if f == "" {
				of = contract.Session{} // of an earlier release
			}
			b.must(b.AddTokens(b.ctx, of, newToken(n, store.SessionToken, person, family)))
			families = append(families, family)
		}
		logIn := func() {
			n, families = 0, nil
			open("u1", "password", contract.FactorPassword)
			open("u1", "earlier", "")
			open("u1", "totp", contract.FactorTOTP)
			open("u1", "provider", contract.FactorOIDC)
			open("u1", "passkey", contract.FactorPasskeyOnly)
			open("u2", "other domain", contract.FactorPassword)
			open("u3", "exempt", contract.FactorPassword)
			open("u4", "other organisation", contract.FactorPassword)
		}
		left := func() (all []string) {
			for i := range families {
				if t, err := b.Token(b.ctx, [32]byte{byte(i + 1)}); err == nil {
					all = append(all, t.Family)
				}
			}
			return all
		}
		rest := []string{"provider", "other domain", "exempt", "other organisation"}
		logIn()
		b.addDomain("org", "contoh.id")
		s := contract.SSO{Organisation: "org", ChangedAt: b.storedNow(), SSOSettings: contract.SSOSettings{Issuer: "https://login.example.test", ClientID: "segel", Enabled: true, Exempt: []contract.PersonID{"u3"}}}
		b.must(b.SetSSO(b.ctx, s, "", b.ssoEvent("org")))
		s.Edits, s.PasswordOff = 1, true
		b.must(b.SetSSO(b.ctx, s, "", b.ssoEvent("org")))
		b.requireEqual("before the domain was granted", left(), families)
		b.must(b.GrantDomain(b.ctx, "org", "contoh.id", contract.GrantedByOperator, b.ssoEvent("org")))
		b.requireEqual("after a grant", left(), rest)
		s.Edits, s.PasswordOff = 2, false
		b.must(b.SetSSO(b.ctx, s, "", b.ssoEvent("org")))
		for _, f := range rest {
			b.must(b.RevokeFamily(b.ctx, f))
		}
		logIn()
		s.Edits, s.PasswordOff = 3, true
		b.must(b.SetSSO(b.ctx, s, "", b.ssoEvent("org")))
		b.requireEqual("after a change", left(), rest)
	},
	"AChangeOfTheProviderEndsTheSessionsThatItOpened": func(_ *testing.T, b *fixture) {
		for _, u := range []struct{ id, email, of string }{{"u1", "Siti@Contoh.id", "org"}, {"u2", "luar@lain.id", "org"}, {"u3", "siti@contoh.id", "other"}} {
			b.must(b.CreateUser(b.ctx, newUser(u.id, "Siti", u.email, u.of)))
		}
		families := []string{"siti", "of another domain", "of another organisation", "password"}
		open := func() {
			for i, f := range families {
				id := contract.PersonID([]string{"u1", "u2", "u3", "u1"}[i])
				if f != "password" {
					b.must(b.AddSSOLogin(b.ctx, store.SSOLogin{Family: f, Organisation: []contract.OrganisationID{"org", "org", "other"}[i], Issuer: "i", Subject: f, ExpiresAt: b.storedNow().Add(time.Hour)}))
				}
				s := contract.Session{Family: f, Person: id, Factor: contract.FactorOIDC, CreatedAt: b.now, ProvedAt: b.now, LastUsedAt: b.now, ExpiresAt: b.now.Add(time.Hour)}
				b.must(b.AddTokens(b.ctx, s, newToken(byte(i+1), store.SessionToken, string(id), f)))
			}
		}
		// requireLeft compares the sessions that are left, and ends them.
		requireLeft := func(what string, want ...string) {
			b.t.Helper()
			var left []string
			for i, f := range families {
				_, err := b.Token(b.ctx, [32]byte{byte(i + 1)})
				if err == nil {
					left = append(left, f)
				}
				if _, of := b.SSOLoginOf(b.ctx, f); f != "password" && (of == nil) != (err == nil) {
					b.t.Fatalf("%s: %s has a record, %v, and a token, %v", what, f, of, err)
				}
			}
			b.requireEqual(what, left, want)
			for _, f := range left {
				b.must(b.RevokeFamily(b.ctx, f))
				if f != "password" {
					_, err := b.EndSSOLogins(b.ctx, store.SSOLogout{Organisation: "org", Issuer: "i", Subject: f, Token: sha256.Sum256([]byte(what + f)), Expires: b.now.Add(time.Hour)})
					b.must(err)
					_, err = b.EndSSOLogins(b.ctx, store.SSOLogout{Organisation: "other", Issuer: "i", Subject: f, Token: sha256.Sum256([]byte("other " + what + f)), Expires: b.now.Add(time.Hour)})
					b.must(err)
				}
			}
		}
		s := contract.SSO{Organisation: "org", ChangedAt: b.storedNow(), SSOSettings: contract.SSOSettings{Issuer: "https://login.example.test", ClientID: "segel", Enabled: true}}
		keep := ""
		set := func(change func()) {
			change()
			b.must(b.SetSSO(b.ctx, s, keep, b.ssoEvent("org")))
			s.Edits++
		}
		set(func() {})
		open()
		set(func() { s.Create, s.Secret = true, []byte("other") })
		requireLeft("another secret", families...)
		open()
		set(func() { s.ClientID = "other" })
		requireLeft("another client", "of another organisation", "password")
		open()
		set(func() { s.Issuer = "https://other.example.test" })
		requireLeft("another issuer", "of another organisation", "password")
		open()
		keep = "siti"
		set(func() { s.ClientID = "misspelt" })
		requireLeft("another client, set in a session of the provider", "siti", "of another organisation", "password")
		keep = ""
		b.addDomain("org", "contoh.id")
		open()
		b.must(b.RemoveDomain(b.ctx, "org", "contoh.id", b.ssoEvent("org")))
		requireLeft("a domain that was not granted", families...)
		b.addDomain("org", "contoh.id")
		b.must(b.GrantDomain(b.ctx, "org", "contoh.id", contract.GrantedByOperator, b.ssoEvent("org")))
		open()
		b.must(b.RemoveDomain(b.ctx, "org", "contoh.id", b.ssoEvent("org")))
		requireLeft("a domain that was granted", "of another domain", "of another organisation", "password")
	},
	"AGroupTakesTheRoleThatItGaveAndNoOther": func(_ *testing.T, b *fixture) {
		admin := newUser("admin", "Admin", "admin@example.test", "org")
		admin.Admin = true
		b.must(b.CreateUser(b.ctx, admin))
		b.must(b.CreateUser(b.ctx, newUser("u1", "One", "one@example.test", "org")))
		roleOf := func(what string, id contract.PersonID, want contract.AccountRole) {
			u, err := b.User(b.ctx, id)
			b.must(err)
			b.requireEqual(what, u.Role(), want)
		}
		e := contract.Event{Type: contract.EventRoleChanged, At: b.now}
		b.requireError("of an unknown person", b.SetGroupRole(b.ctx, "u2", contract.RoleAdmin, e), store.ErrNotFound)
		b.requireError("no group gave it", b.TakeGroupRole(b.ctx, "u1", e), store.ErrNotFound)
		before := b.eventCount()
		b.must(b.SetGroupRole(b.ctx, "u1", contract.RoleSender, e)) // the one that they have
		b.requireEqual("leaves", b.eventCount(), before)
		b.must(b.TakeGroupRole(b.ctx, "u1", e))
		roleOf("a former sender of a group", "u1", contract.RoleMember)
		b.requireError("taken again", b.TakeGroupRole(b.ctx, "u1", e), store.ErrNotFound)
		b.must(b.SetGroupRole(b.ctx, "u1", contract.RoleAuditor, e))
		b.must(b.SetGroupRole(b.ctx, "u1", contract.RoleAuditor, e))
		roleOf("of a group", "u1", contract.RoleAuditor)
		b.requireEqual("leaves", b.eventCount(), before+2)
		b.must(b.SetRole(b.ctx, "u1", contract.RoleSender, e))
		b.requireError("an administrator gave another", b.TakeGroupRole(b.ctx, "u1", e), store.ErrNotFound)
		roleOf("of an administrator", "u1", contract.RoleSender)
		b.must(b.SetGroupRole(b.ctx, "u1", contract.RoleAdmin, e))
		before = b.eventCount()
		b.must(b.SetRole(b.ctx, "u1", contract.RoleAdmin, e)) // the one that a group gave
		b.requireEqual("leaves", b.eventCount(), before+1)
		b.requireError("an administrator gave the same", b.TakeGroupRole(b.ctx, "u1", e), store.ErrNotFound)
		roleOf("which they keep", "u1", contract.RoleAdmin)
		b.requireError("given again", b.SetRole(b.ctx, "u1", contract.RoleAdmin, e), store.ErrConflict)
		b.must(b.SetRole(b.ctx, "u1", contract.RoleSender, e))
		b.requireError("the last admin", b.SetGroupRole(b.ctx, "admin", contract.RoleMember, e), contract.ErrLastAdmin)
		b.requireError("which was not recorded", b.TakeGroupRole(b.ctx, "admin", e), store.ErrNotFound)
		b.must(b.SetGroupRole(b.ctx, "admin", contract.RoleAdmin, e))
		b.requireError("the last admin leaves", b.TakeGroupRole(b.ctx, "admin", e), contract.ErrLastAdmin)
		b.must(b.SetRole(b.ctx, "u1", contract.RoleAdmin, e))
		b.must(b.TakeGroupRole(b.ctx, "admin", e))
		roleOf("a former admin of a group", "admin", contract.RoleMember)
		b.must(b.CheckLog(b.ctx))
	},
	"WhatWasUsedIsUsedOnce": func(_ *testing.T, b *fixture) {
		b.must(b.UseOnce(b.ctx, [32]byte{1}, b.now))
		b.must(b.UseOnce(b.ctx, [32]byte{2}, b.now.Add(time.Hour)))
		b.requireError("used again", b.UseOnce(b.ctx, [32]byte{1}, b.now), store.ErrExists)
		b.must(b.PurgeSSO(b.ctx, b.now.Add(time.Minute)))
		b.must(b.UseOnce(b.ctx, [32]byte{1}, b.now))
		b.requireError("used again after the purge", b.UseOnce(b.ctx, [32]byte{2}, b.now), store.ErrExists)
	},
}
