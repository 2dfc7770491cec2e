package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func newSession(family, person string) contract.Session {
	at := start.Truncate(time.Microsecond)
	return contract.Session{
		Family: family, Person: contract.PersonID(person), Factor: contract.FactorPassword, CreatedAt: at, ProvedAt: at, LastUsedAt: at, ExpiresAt: at.Add(time.Hour),
		IP: "192.0.2.1", UserAgent: "curl/8.5.0",
	}
}

var sessionTests = map[string]func(*testing.T, *fixture){
	"ATokenIsReadWithItsSessionAndThePolicyOfItsOrganisation": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		u := store.User{Person: contract.Person{ID: "u1", Name: "U", Email: "u1@example.test"}, Organisation: "org", Password: "p", CreatedAt: now}
		b.must(b.CreateUser(b.ctx, u))
		access, s := newToken(1, store.AccessToken, "u1", "f"), newSession("f", "u1")
		b.must(b.AddTokens(b.ctx, s, access, newToken(2, store.RefreshToken, "u1", "f")))
		requireRead(b, "token", store.HeldToken{Token: access, User: u, Session: s})(b.TokenWithHolder(b.ctx, access.Hash))

		policy := contract.AccountPolicy{LoginFactor: contract.FactorOfAdmins, SignFactor: true, IdleLimit: 5 * time.Minute, AbsoluteLimit: 8 * time.Hour, HideAddresses: true}
		requireRead(b, "policy", policy)(b.ChangeAccountPolicy(b.ctx, "org", b.now, func(p *contract.AccountPolicy) (contract.Event, error) {
			*p = policy
			return contract.Event{Type: contract.EventPolicyChanged, At: b.now}, nil
		}))
		requireRead(b, "token", store.HeldToken{Token: access, User: u, Session: s, Policy: policy})(b.TokenWithHolder(b.ctx, access.Hash))
		found, its, err := b.SessionOf(b.ctx, "f")
		b.must(err)
		b.requireEqual("session of a family", []any{found, its}, []any{s, policy})
		b.must(b.RevokeFamily(b.ctx, "f"))
		_, _, err = b.SessionOf(b.ctx, "f")
		b.requireError("an ended session", err, store.ErrNotFound)
	},
	"AUseOfASessionIsRecordedUnlessItIsOlder": func(t *testing.T, b *fixture) {
		access, s := newToken(1, store.AccessToken, "u1", "f"), newSession("f", "u1")
		b.must(b.AddTokens(b.ctx, s, access))
		for _, at := range []time.Time{s.CreatedAt.Add(time.Minute), s.CreatedAt.Add(time.Second)} {
			b.must(b.RecordSessionUse(b.ctx, "f", at))
			held, err := b.TokenWithHolder(b.ctx, access.Hash)
			b.must(err)
			b.requireEqual("last use", held.Session.LastUsedAt, s.CreatedAt.Add(time.Minute))
		}
		b.must(b.RecordSessionUse(b.ctx, "unknown", s.CreatedAt))
	},
	"ARefreshChangesWhenAndWhereASessionWasUsed": func(t *testing.T, b *fixture) {
		s := newSession("f", "u1")
		refreshed := s
		refreshed.LastUsedAt, refreshed.ExpiresAt, refreshed.IP, refreshed.UserAgent = s.LastUsedAt.Add(time.Minute), s.ExpiresAt.Add(time.Minute), "192.0.2.2", "curl/9"
		for _, c := range []struct {
			what           string
			had, now, want contract.Session
		}{
			{"its own row", s, refreshed, refreshed},
			{"what a refresh cannot change", s, contract.Session{Family: "f", Person: "u2", CreatedAt: s.CreatedAt.Add(time.Minute), LastUsedAt: refreshed.LastUsedAt, ExpiresAt: refreshed.ExpiresAt, IP: refreshed.IP, UserAgent: refreshed.UserAgent}, refreshed},
			{"a family of an earlier release", contract.Session{}, refreshed, refreshed},
			{"none", s, contract.Session{}, s},
		} {
			b.must(b.AddTokens(b.ctx, c.had, newToken(1, store.RefreshToken, "u1", "f")))
			b.must(b.RotateTokens(b.ctx, [32]byte{1}, b.now, b.now, c.now, newToken(2, store.AccessToken, "u1", "f")))
			held, err := b.TokenWithHolder(b.ctx, [32]byte{2})
			b.must(err)
			b.requireEqual(c.what, held.Session, c.want)
			b.must(b.RevokeFamily(b.ctx, "f"))
		}
	},
	"SessionsOfAChainAreOnePerPersonAndEndWithWhatWasProved": func(_ *testing.T, b *fixture) {
		now := b.now
		b.must(b.AddTokens(b.ctx, newSession("first", "u1"), newToken(1, store.AccessToken, "u1", "first")))
		none, err := b.SessionsBeside(b.ctx, "first", now)
		b.must(err)
		b.requireEqual("beside the first", len(none), 0)
		second := newSession("second", "u2")
		b.must(b.AddTokensBeside(b.ctx, "first", second, newToken(2, store.AccessToken, "u2", "second")))
		second.Chain = "first"
		requireRead(b, "beside the first", []contract.Session{second})(b.SessionsBeside(b.ctx, "first", now))
		beside := func(family string) (families []string) {
			b.t.Helper()
			all, err := b.SessionsBeside(b.ctx, family, now)
			b.must(err)
			for _, o := range all {
				families = append(families, o.Family)
			}
			return families
		}
		b.requireEqual("beside the second", beside("second"), []string{"first"})
		// A switch back renews the session of the first person. Its former tokens expire soon, and two that happen at the same moment both count.
		first, until := newSession("first", "u1"), newToken(1, store.AccessToken, "u1", "first").ExpiresAt.Add(-time.Minute)
		first.Chain, first.Factor, first.IP, first.LastUsedAt = "first", contract.FactorTOTP, "192.0.2.77", first.LastUsedAt.Add(time.Second)
		b.requireEqual("switches", b.runCrowd(2, nil, func(i int) error {
			return b.RenewTokensBeside(b.ctx, "second", until, first, newToken(byte(30+i), store.AccessToken, "u1", "first"))
		}), 2)
		requireRead(b, "beside the second after a switch", []contract.Session{first})(b.SessionsBeside(b.ctx, "second", now))
		token, err := b.Token(b.ctx, [32]byte{1})
		b.must(err)
		b.requireEqual("the end of a former token", token.ExpiresAt, until)
		third := newSession("third", "u1")
		b.must(b.AddTokensBeside(b.ctx, "second", third, newToken(3, store.AccessToken, "u1", "third"))) // a login
		b.requireEqual("beside the second after a login", beside("second"), []string{"third"})
		for _, n := range []byte{1, 30, 31} {
			_, err = b.Token(b.ctx, [32]byte{n})
			b.requireError("a token of the replaced session", err, store.ErrNotFound)
		}
		b.requireError("a switch from a session that ended", b.RenewTokensBeside(b.ctx, "first", now, second, newToken(4, store.AccessToken, "u2", "second")), store.ErrNotFound)
		b.requireError("a switch to a session that ended", b.RenewTokensBeside(b.ctx, "second", now, first, newToken(4, store.AccessToken, "u1", "first")), store.ErrNotFound)
		stolen := third
		stolen.Person = "u2"
		b.requireError("a switch to the session of another person", b.RenewTokensBeside(b.ctx, "second", now, stolen, newToken(4, store.AccessToken, "u2", "third")), store.ErrNotFound)
		_, err = b.Token(b.ctx, [32]byte{4})
		b.requireError("a token of a refused switch", err, store.ErrNotFound)
		// Of another chain nothing is seen, and nothing is replaced.
		b.must(b.AddTokens(b.ctx, newSession("alone", "u3"), newToken(5, store.AccessToken, "u3", "alone")))
		b.must(b.AddTokensBeside(b.ctx, "alone", newSession("fourth", "u1"), newToken(6, store.AccessToken, "u1", "fourth")))
		b.requireError("a switch to a session of another chain", b.RenewTokensBeside(b.ctx, "alone", now, third, newToken(7, store.AccessToken, "u1", "third")), store.ErrNotFound)
		b.requireEqual("beside the one of another chain", beside("alone"), []string{"fourth"})
		b.requireEqual("beside the second", beside("second"), []string{"third"})
		b.must(b.RevokeFamily(b.ctx, "third"))
		b.requireEqual("beside the second after the end of the other", len(beside("second")), 0)
	},
	"ASessionEndsWithItsTokens": func(t *testing.T, b *fixture) {
		must := func(n byte, family string) {
			t.Helper()
			b.must(b.AddTokens(b.ctx, newSession(family, "u1"), newToken(n, store.AccessToken, "u1", family)))
		}
		// requireNoSession requires that a family has no session any more: a token of it is read without one.
		requireNoSession := func(n byte, family string) {
			t.Helper()
			b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(n, store.AccessToken, "u1", family)))
			held, err := b.TokenWithHolder(b.ctx, [32]byte{n})
			b.must(err)
			b.requireEqual("session of "+family, held.Session, contract.Session{})
		}
		b.must(b.CreateUser(b.ctx, store.User{Person: contract.Person{ID: "u1", Name: "U", Email: "u1@example.test"}, Organisation: "org", Password: "p", CreatedAt: b.now}))
		must(1, "revoked")
		b.must(b.RevokeFamily(b.ctx, "revoked"))
		requireNoSession(2, "revoked")
		must(3, "password")
		b.must(b.SetPassword(b.ctx, "u1", "", "q", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		requireNoSession(4, "password")
		must(5, "expired")
		b.must(b.PurgeTokens(b.ctx, start.Add(2*time.Hour)))
		requireNoSession(6, "expired")
	},
	"SessionsOfAPersonAreListedByTheirLastUseUntilTheyExpire": func(t *testing.T, b *fixture) {
		var want []contract.Session
		for i, family := range []string{"older", "newer", "expired"} {
			s := newSession(family, "u1")
			s.LastUsedAt = s.LastUsedAt.Add(time.Duration(i) * time.Minute)
			if family == "expired" {
				s.ExpiresAt = s.CreatedAt.Add(30 * time.Minute)
			} else {
				want = append([]contract.Session{s}, want...)
			}
			b.must(b.AddTokens(b.ctx, s, newToken(byte(i+1), store.AccessToken, "u1", family)))
		}
		b.must(b.AddTokens(b.ctx, newSession("of another", "u2"), newToken(9, store.AccessToken, "u2", "of another")))
		requireRead(b, "sessions", want)(b.Sessions(b.ctx, "u1", start.Add(30*time.Minute)))
		requireRead(b, "sessions of a person without any", []contract.Session{})(b.Sessions(b.ctx, "u3", start))
	},
	"AllOtherSessionsEndWithWhatWasOpenedFromThem": func(t *testing.T, b *fixture) {
		guest := func(n byte, family string) store.Token {
			k := newToken(n, store.GuestToken, "guest", store.OpenedFamily+family)
			k.Document = 7
			return k
		}
		b.must(b.AddTokens(b.ctx, newSession("kept", "u1"), newToken(1, store.AccessToken, "u1", "kept"), newToken(2, store.RefreshToken, "u1", "kept"), guest(3, "kept")))
		b.must(b.AddTokens(b.ctx, newSession("other", "u1"), newToken(4, store.SessionToken, "u1", "other"), guest(5, "other")))
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(6, store.AccessToken, "u1", "of an earlier release"), guest(7, "of an earlier release")))
		b.must(b.AddTokens(b.ctx, newSession("of another", "u2"), newToken(8, store.AccessToken, "u2", "of another")))
		b.must(b.RevokeOtherFamilies(b.ctx, "u1", "kept"))
		b.requireGone(t, 8, 4, 5, 6, 7)
		requireRead(b, "sessions", []contract.Session{newSession("kept", "u1")})(b.Sessions(b.ctx, "u1", start))
		requireRead(b, "sessions of another person", []contract.Session{newSession("of another", "u2")})(b.Sessions(b.ctx, "u2", start))
	},
	"AnOrganisationHasThePolicyForAccountsThatWasSetLast": func(t *testing.T, b *fixture) {
		requirePolicy := func(when string, want contract.AccountPolicy) {
			t.Helper()
			o, err := b.Organisation(b.ctx, owner.Organisation)
			b.must(err)
			b.requireEqual(when, o.Accounts, want)
		}
		change := func(do func(*contract.AccountPolicy) error) (contract.AccountPolicy, error) {
			return b.ChangeAccountPolicy(b.ctx, owner.Organisation, b.now, func(p *contract.AccountPolicy) (contract.Event, error) {
				return contract.Event{Type: contract.EventPolicyChanged, At: b.now, Person: owner.Person}, do(p)
			})
		}
		requirePolicy("at first", contract.AccountPolicy{})
		before, want := b.eventCount(), contract.AccountPolicy{LoginFactor: contract.FactorOfNone, IdleLimit: time.Hour}
		for range 2 { // the second one changes nothing
			requireRead(b, "changed", want)(change(func(p *contract.AccountPolicy) error {
				p.IdleLimit = time.Hour
				return nil
			}))
			requirePolicy("changed", want)
			b.requireEqual("events", b.eventCount()-before, int64(1))
		}
		refused := errors.New("refused")
		_, err := change(func(p *contract.AccountPolicy) error {
			p.IdleLimit = 0
			return refused
		})
		b.requireError("a refused change", err, refused)
		requirePolicy("after a refused change", want)
		_, err = b.ChangeAccountPolicy(b.ctx, "unknown", b.now, func(*contract.AccountPolicy) (contract.Event, error) { return contract.Event{}, nil })
		b.requireError("an unknown organisation", err, store.ErrNotFound)
		b.must(b.CheckLog(b.ctx))
	},
	"ChangesOfAPolicyAtTheSameMomentLoseNothing": func(t *testing.T, b *fixture) {
		const n = 8
		b.requireEqual("changes", b.runCrowd(n, nil, func(int) error {
			_, err := b.ChangeAccountPolicy(b.ctx, owner.Organisation, b.now, func(p *contract.AccountPolicy) (contract.Event, error) {
				p.AbsoluteLimit += time.Hour
				return contract.Event{Type: contract.EventPolicyChanged, At: b.now, Details: map[string]string{"absolute_hours": fmt.Sprint(p.AbsoluteLimit)}}, nil
			})
			return err
		}), n)
		o, err := b.Organisation(b.ctx, owner.Organisation)
		b.must(err)
		b.requireEqual("policy", o.Accounts.AbsoluteLimit, n*time.Hour)
	},
	"ARequestForANewPasswordIsAnsweredOnce": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		r := store.PasswordRequest{ID: "r1", Email: "U1@example.test", Language: "en", IP: "192.0.2.1", UserAgent: "curl/8", At: at}
		before := b.eventCount()
		b.must(b.AddPasswordRequest(b.ctx, r, contract.Event{Type: contract.EventPasswordForgot, At: b.now}))
		b.requireEqual("events", b.eventCount()-before, int64(1))
		requireRead(b, "requests", []store.PasswordRequest{r})(b.PasswordRequests(b.ctx, 10))
		reset := store.PasswordReset{ID: "p1", Person: "u1", Hash: [32]byte{7}, CreatedAt: at, ExpiresAt: at.Add(time.Minute)}
		n := contract.Notice{
			Organisation: "org", Person: "u1", Kind: contract.NoticePasswordReset, State: contract.NoticeOrdered, OrderedAt: at, DueAt: at,
			Account: contract.AccountFacts{Language: "en", Reference: "p1", IP: "192.0.2.1", UserAgent: "curl/8"},
		}
		won := b.runCrowd(5, store.ErrNotFound, func(int) error {
			return b.AnswerPasswordRequest(b.ctx, "r1", []store.PasswordReset{reset}, []contract.Notice{n})
		})
		b.requireEqual("answers", won, 1)
		requireRead(b, "requests", []store.PasswordRequest{})(b.PasswordRequests(b.ctx, 10))
		requireRead(b, "the link", reset)(b.PasswordReset(b.ctx, "p1"))
		requireRead(b, "the link by its hash", reset)(b.PasswordResetByHash(b.ctx, [32]byte{7}))
		ordered, err := b.OrderedNotices(b.ctx, 0)
		b.must(err)
		b.requireEqual("notices", len(ordered), 1)
		n.ID = ordered[0].ID
		b.requireEqual("the notice", ordered[0], n)
	},
	"ALinkForANewPasswordWorksOnceAndUntilThePasswordChanges": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		b.must(b.CreateUser(b.ctx, store.User{Person: contract.Person{ID: "u1", Name: "U", Email: "u1@example.test"}, Organisation: "org", Password: "p", CreatedAt: at}))
		link := func(n byte) store.PasswordReset {
			return store.PasswordReset{ID: fmt.Sprint(n), Person: "u1", Hash: [32]byte{n}, CreatedAt: at, ExpiresAt: at.Add(time.Minute)}
		}
		b.must(b.AddPasswordRequest(b.ctx, store.PasswordRequest{ID: "r", At: at}, contract.Event{Type: contract.EventPasswordForgot, At: at}))
		b.must(b.AnswerPasswordRequest(b.ctx, "r", []store.PasswordReset{link(1), link(2), link(3)}, nil))
		use := func(n byte, was string, at time.Time) error {
			told := contract.Notice{Organisation: "org", Person: "u1", Kind: contract.NoticePasswordChanged, State: contract.NoticeKept, OrderedAt: at, DueAt: at, DoneAt: at}
			return b.UsePasswordReset(b.ctx, link(n), was, "q", false, contract.Event{Type: contract.EventPasswordChange, At: at}, told)
		}
		b.requireError("a link that expired", use(1, "p", at.Add(time.Minute)), store.ErrNotFound)
		b.requireError("another password meanwhile", use(1, "x", at), store.ErrConflict)
		b.must(b.AddTokens(b.ctx, newSession("f", "u1"), newToken(1, store.AccessToken, "u1", "f")))
		b.requireEqual("uses", b.runCrowd(5, store.ErrNotFound, func(int) error { return use(1, "p", at) }), 1)
		b.requireGone(t, 1, 1)
		b.requireError("another link", use(2, "q", at), store.ErrNotFound)
		u, err := b.User(b.ctx, "u1")
		b.must(err)
		b.requireEqual("password", u.Password, "q")
		b.must(b.CheckLog(b.ctx))
	},
	"TheFirstLoginIsNotReportedAsOneFromANewDevice": func(t *testing.T, b *fixture) {
		at := b.now.Truncate(time.Microsecond)
		n := contract.Notice{Organisation: "org", Person: "u1", Kind: contract.NoticeNewDevice, State: contract.NoticeOrdered, OrderedAt: at, DueAt: at}
		for i := range byte(3) {
			b.must(b.RememberCaller(b.ctx, "u1", store.Caller{Device: [32]byte{i + 1}, Address: "192.0.2.1"}, at, 9, &n))
			ordered, err := b.OrderedNotices(b.ctx, 0)
			b.must(err)
			b.requireEqual("messages", len(ordered), int(i))
		}
	},
}
