package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// failedLogin is a failed login of a person from a network.
func failedLogin(u store.User, network string, at time.Time) contract.Login {
	l := contract.NewLogin(u.Organisation, u.ID, contract.LoginFailed, contract.FactorPassword, at)
	l.Network, l.IP, l.UserAgent = network, network, "curl/8.5"
	return l
}

var loginTests = map[string]func(*testing.T, *fixture){
	"LoginsOfOnePeriodAndNetworkShareARecord": func(t *testing.T, b *fixture) {
		u := b.addKeyHolder("l1")
		at := b.now.Truncate(time.Hour).Add(time.Second)
		b.requireEqual("counted", b.runCrowd(8, nil, func(int) error { return b.RecordLogins(b.ctx, failedLogin(u, "192.0.2.1", at)) }), 8)
		b.must(b.RecordLogins(b.ctx, failedLogin(u, "192.0.2.1", at.Add(time.Minute)), failedLogin(u, "192.0.2.9", at)))
		b.must(b.RecordLogins(b.ctx, failedLogin(u, "192.0.2.1", at.Add(time.Hour))))
		want := failedLogin(u, "192.0.2.1", at)
		want.LastAt, want.Times = at.Add(time.Minute), 9
		p, err := b.ListLogins(b.ctx, store.LoginQuery{Organisation: u.Organisation, Limit: 9})
		b.must(err)
		if len(p.Lines) != 3 || p.Total != 3 {
			t.Fatalf("%+v", p)
		}
		b.requireEqual("the hour before", p.Lines[1], store.LoginLine{Login: want, Holder: u.Person})
		b.requireEqual("the last hour", p.Lines[0].Times, 1)
	},
	"NetworksBeyondTheLimitShareARecord": func(t *testing.T, b *fixture) {
		u := b.addKeyHolder("l2")
		at := b.now.Truncate(time.Hour)
		for i := range contract.MaxLoginNetworks + 7 {
			b.must(b.RecordLogins(b.ctx, failedLogin(u, fmt.Sprint("192.0.2.", i), at)))
		}
		b.must(b.RecordLogins(b.ctx, failedLogin(u, "192.0.2.0", at))) // has a record
		p, err := b.ListLogins(b.ctx, store.LoginQuery{Person: u.ID, Limit: 100})
		b.must(err)
		b.requireEqual("records", p.Total, contract.MaxLoginNetworks+1)
		rest, err := b.ListLogins(b.ctx, store.LoginQuery{Person: u.ID, Address: "192.0.2.0", Limit: 100})
		b.must(err)
		if len(rest.Lines) != 1 || rest.Lines[0].Times != 2 {
			t.Errorf("%+v", rest)
		}
		f, err := b.FailedLogins(b.ctx, u.Organisation, at, 10, 9)
		b.must(err)
		b.requireEqual("failed", f, []contract.FailedLogins{{Organisation: u.Organisation, Person: u.ID, Times: contract.MaxLoginNetworks + 8, Networks: contract.MaxLoginNetworks + 1, LastAt: at}})
	},
	"ASessionIsALogin": func(t *testing.T, b *fixture) {
		u := b.addKeyHolder("l3")
		s := newSession("l3", string(u.ID))
		b.must(b.AddTokens(b.ctx, s, newToken(77, store.AccessToken, string(u.ID), "l3")))
		p, err := b.ListLogins(b.ctx, store.LoginQuery{Person: u.ID, Limit: 9})
		b.must(err)
		want := contract.NewLogin(u.Organisation, u.ID, contract.LoginDone, s.Factor, s.CreatedAt)
		want.Network, want.IP, want.UserAgent = s.IP, s.IP, s.UserAgent
		b.requireEqual("login", p.Lines, []store.LoginLine{{Login: want, Holder: u.Person}})
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(78, store.GuestToken, "guest", "none")))
		requireRead(b, "that of a guest", store.LoginPage{Lines: []store.LoginLine{}})(b.ListLogins(b.ctx, store.LoginQuery{Person: "guest", Limit: 9}))
	},
	"ALoginBesideASessionIsRecordedAndASwitchIsNot": func(_ *testing.T, b *fixture) {
		u := b.addKeyHolder("l3b")
		first, beside := newSession("l3-first", "other"), newSession("l3-beside", string(u.ID))
		b.must(b.AddTokens(b.ctx, first, newToken(79, store.AccessToken, "other", first.Family)))
		b.must(b.AddTokensBeside(b.ctx, first.Family, beside, newToken(80, store.AccessToken, string(u.ID), beside.Family)))
		b.must(b.RenewTokensBeside(b.ctx, first.Family, b.now, beside, newToken(81, store.AccessToken, string(u.ID), beside.Family)))
		want := contract.NewLogin(u.Organisation, u.ID, contract.LoginDone, beside.Factor, beside.CreatedAt)
		want.Network, want.IP, want.UserAgent = beside.IP, beside.IP, beside.UserAgent
		requireRead(b, "logins", store.LoginPage{Lines: []store.LoginLine{{Login: want, Holder: u.Person}}, Total: 1})(b.ListLogins(b.ctx, store.LoginQuery{Person: u.ID, Limit: 9}))
	},
	"LoginsAreFoundByEachFilterAndReadOldestFirst": func(t *testing.T, b *fixture) {
		u, other := b.addKeyHolder("l4"), b.addKeyHolder("l5")
		at := b.now.Truncate(time.Hour)
		done := contract.NewLogin(u.Organisation, u.ID, contract.LoginDone, contract.FactorTOTP, at.Add(time.Minute))
		done.Network, done.IP, done.UserAgent = "198.51.100.7", "198.51.100.7", "Mozilla 100%"
		b.must(b.RecordLogins(b.ctx, failedLogin(u, "192.0.2.1", at), done, failedLogin(other, "192.0.2.1", at.Add(2*time.Minute))))
		b.must(b.RecordLogins(b.ctx, contract.NewLogin("", "", contract.LoginFailed, contract.FactorPassword, at.Add(3*time.Minute)))) // of no account
		for what, c := range map[string]struct {
			q    store.LoginQuery
			want int
		}{
			"all":            {store.LoginQuery{}, 4},
			"organisation":   {store.LoginQuery{Organisation: u.Organisation}, 2},
			"person":         {store.LoginQuery{Person: other.ID}, 1},
			"e-mail":         {store.LoginQuery{Email: "L4@segel.test"}, 2},
			"kind":           {store.LoginQuery{Kind: contract.LoginDone}, 1},
			"address":        {store.LoginQuery{Address: "192.0.2.1"}, 2},
			"device":         {store.LoginQuery{Search: "CURL"}, 2},
			"a per cent":     {store.LoginQuery{Search: "0%"}, 1},
			"name or e-mail": {store.LoginQuery{Search: "l5@"}, 1},
			"period":         {store.LoginQuery{From: at.Add(time.Minute), Until: at.Add(2 * time.Minute)}, 1},
			"none":           {store.LoginQuery{Organisation: "o-none"}, 0},
		} {
			q := c.q
			q.Limit = 9
			p, err := b.ListLogins(b.ctx, q)
			b.must(err)
			var last time.Time
			each := 0
			b.must(b.EachLogin(b.ctx, q, func(l store.LoginLine) bool {
				if each++; l.LastAt.Before(last) {
					t.Errorf("%s: %s after %s", what, l.LastAt, last)
				}
				last = l.LastAt
				return true
			}))
			if len(p.Lines) != c.want || p.Total != c.want || each != c.want {
				t.Errorf("%s: %d on a page of %d, and %d, want %d", what, len(p.Lines), p.Total, each, c.want)
			}
		}
		named := newUser("l4b", "\u00c9lodie \u00d1urani", "\u00c9lodie@segel.test", string(u.Organisation))
		b.must(b.CreateUser(b.ctx, named))
		b.must(b.RecordLogins(b.ctx, failedLogin(named, "192.0.2.1", at)))
		for _, q := range []store.LoginQuery{{Search: "\u00c9LODIE \u00f1"}, {Search: "e\u0301lodie \u00d1U"}, {Search: "\u00e9lodie@"}, {Email: "\u00e9LODIE@segel.test"}} { // in any case, composed or not
			q.Limit = 9
			p, err := b.ListLogins(b.ctx, q)
			if b.must(err); p.Total != 1 || len(p.Lines) != 1 || p.Lines[0].Person != named.ID {
				t.Errorf("%+v: %+v", q, p)
			}
		}
		requireRead(b, "a search that is too long", store.LoginPage{Lines: []store.LoginLine{}})(b.ListLogins(b.ctx, store.LoginQuery{Search: strings.Repeat("x", 60_000), Limit: 9}))
		b.must(b.PurgeLogins(b.ctx, at.Add(2*time.Minute)))
		p, err := b.ListLogins(b.ctx, store.LoginQuery{Limit: 9})
		b.must(err)
		b.requireEqual("left", p.Total, 2)
	},
	"FailedLoginsAreReportedOnceInATime": func(t *testing.T, b *fixture) {
		u := b.addKeyHolder("l6")
		before := b.eventCount()
		report := func(at time.Time) bool {
			n := contract.Notice{Organisation: u.Organisation, Person: u.ID, Kind: contract.NoticeLoginFailures, State: contract.NoticeKept, OrderedAt: at, DueAt: at, DoneAt: at}
			e := contract.Event{Type: contract.EventLoginFailures, At: at, Details: map[string]string{"organisation": string(u.Organisation)}}
			done, err := b.ReportFailedLogins(b.ctx, u.Organisation, at.Add(-time.Hour), e, []contract.Notice{n})
			b.must(err)
			return done
		}
		now := b.now.Truncate(time.Microsecond)
		b.requireEqual("reported", []bool{report(now), report(now.Add(59 * time.Minute)), report(now.Add(time.Hour))}, []bool{true, false, true})
		b.requireEqual("events", b.eventCount()-before, int64(2))
		p, err := b.ListNotices(b.ctx, store.NoticeQuery{Organisation: u.Organisation, Limit: 9})
		b.must(err)
		b.requireEqual("notices", p.Total, 2)
	},
	"AdminsAreThoseWhoseAccountsCanBeUsed": func(t *testing.T, b *fixture) {
		o := b.addKeyHolder("l7").Organisation
		for i, name := range []string{"l8", "l9"} {
			u := newUser(name, "Admin", name+"@segel.test", string(o))
			u.Admin, u.CreatedAt = true, b.now.Add(time.Duration(i)*time.Second)
			b.must(b.CreateUser(b.ctx, u))
		}
		b.must(b.DisableUser(b.ctx, "l8", contract.Event{Type: contract.EventPersonDisabled, At: b.now}))
		admins, err := b.Admins(b.ctx, o, 9)
		b.must(err)
		if len(admins) != 1 || admins[0].ID != "l9" {
			t.Errorf("%+v", admins)
		}
	},
}
