package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/passkey/passkeytest"
	"segel/internal/store"
)

// recorded returns the records of a kind, the newest first, as texts.
func (g *guarded) recorded(k contract.LoginKind) []string {
	g.t.Helper()
	p, err := g.db.ListLogins(g.t.Context(), store.LoginQuery{Kind: k, Limit: 100})
	g.must(err)
	all := []string{}
	for _, l := range p.Lines {
		all = append(all, fmt.Sprintf("%s %s %s %d", l.Holder.Name, l.Factor, l.IP, l.Times))
	}
	return all
}

func (g *guarded) requireRecorded(k contract.LoginKind, want ...string) {
	g.t.Helper()
	if got := g.recorded(k); fmt.Sprint(got) != fmt.Sprint(want) {
		g.t.Errorf("%s: %q, want %q", k, got, want)
	}
}

func TestLoginsAndLogoutsAreRecordedWithTheirFactorAndAddress(t *testing.T) {
	t.Parallel()
	g := guard(t)
	a := g.addApp(g.actor(siti, contract.GivenFactor{}))
	if _, err := g.tryLogin(siti, contract.GivenFactor{}); err == nil {
		t.Error("the account is let in without its factor")
	}
	g.requireRecorded(contract.LoginFailed) // a login in two steps is not a failure
	g.now = g.now.Add(time.Hour)
	s, err := g.tryLogin(siti, a.at(0))
	g.must(err)
	g.requireRecorded(contract.LoginDone, "Siti totp "+home+" 1", "Siti password "+home+" 1")
	g.must(g.Logout(t.Context(), s.Access, at("198.51.100.9")))
	g.requireRecorded(contract.LoginEnded, "Siti  198.51.100.9 1")
	if _, err := g.tryLogin(siti, contract.GivenFactor{OTP: "000000"}); err == nil {
		t.Error("a wrong code is accepted")
	}
	g.requireRecorded(contract.LoginFailed, "Siti totp "+home+" 1")
}

func TestWhatIsWrongInAnEmbeddedPageIsAFailedLogin(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	g.addApp(by)
	by.Embed, by.IP = &contract.EmbedGrant{Purpose: contract.EmbedSign}, home
	for _, given := range []contract.GivenFactor{{Password: "salah"}, {Password: password}, {Password: password, OTP: "000000"}} {
		if _, err := g.ProveEmbedded(t.Context(), by, given); err == nil {
			t.Errorf("%+v is accepted", given)
		}
		g.now = g.now.Add(time.Hour)
	}
	g.requireRecorded(contract.LoginFailed, "Siti totp "+home+" 1", "Siti password "+home+" 1")
}

func TestWhatIsWrongInASessionIsAFailedLogin(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	by.IP = home
	_, reauthenticated := g.Reauthenticate(t.Context(), by, "salah", contract.GivenFactor{})
	_, began := g.RegisterOptions(t.Context(), by, "salah")
	for what, err := range map[string]error{"proved again": reauthenticated, "a passkey": began, "a change": g.ChangePassword(t.Context(), by, "salah", "jendela-kayu-merah-7")} {
		if contract.KindOf(err) != contract.Invalid {
			t.Errorf("%s with a wrong password: %v", what, err)
		}
	}
	g.requireRecorded(contract.LoginFailed, "Siti password "+home+" 3")

	g.addApp(by)
	g.now = g.now.Add(time.Hour)
	wrong := contract.GivenFactor{OTP: "000000"}
	_, err := g.Reauthenticate(t.Context(), by, "", wrong)
	g.refused("proved again with a wrong code", err, contract.ErrOTPWrong)
	u, err := g.db.User(t.Context(), g.siti)
	g.must(err)
	_, err = g.ProveProviderFactor(t.Context(), u, wrong, at(home))
	g.refused("a login at the provider with a wrong code", err, contract.ErrOTPWrong)
	g.requireRecorded(contract.LoginFailed, "Siti totp "+home+" 2", "Siti password "+home+" 3")

	const sari = "sari@contoh.id"
	_, err = g.AddUser(t.Context(), NewUser{Name: "Sari", Email: sari, Password: password, Organisation: "Lain"})
	g.must(err)
	key := g.addPasskey(g.actor(sari, contract.GivenFactor{}))
	g.now = g.now.Add(time.Hour)
	added, err := g.AddMembership(t.Context(), by, Credentials{Email: sari, Password: password, Factor: g.answerLogin(key)}, at(home))
	g.must(err)
	g.must(g.db.RaiseSession(t.Context(), g.sessionOf(added), contract.FactorPassword, g.now))
	foreign := g.answerLogin(passkeytest.New("segel.contoh.id", secretOrigin))
	_, err = g.Switch(t.Context(), by, added.Account.Organisation, foreign, at(home))
	g.refused("a switch with a wrong passkey", err, contract.ErrPasskeyWrong)
	g.requireRecorded(contract.LoginFailed, "Sari passkey "+home+" 1", "Siti totp "+home+" 2", "Siti password "+home+" 3")
}

func TestTriesInAnEmbeddedPageDoNotLockThePersonOut(t *testing.T) {
	t.Parallel()
	g := guard(t)
	var waited time.Duration
	g.throttle = newLoginThrottle(g.db, Rates{Pair: Rate{2, time.Hour}, Account: Rate{5, time.Hour}, Delay: 10 * time.Second}, func(_ context.Context, d time.Duration) error {
		waited += d
		return nil
	})
	own := g.actor(siti, contract.GivenFactor{})
	guess := func(document contract.DocumentID, ip, secret string) error {
		by := own
		by.Session, by.Embed, by.IP = "", &contract.EmbedGrant{Document: document, Purpose: contract.EmbedSign}, ip
		_, err := g.ProveEmbedded(t.Context(), by, contract.GivenFactor{Password: secret})
		return err
	}
	for range 2 {
		g.refused("a guess", guess(1, home, "salah"), contract.ErrEmbedPassword)
	}
	if err := guess(1, home, password); contract.KindOf(err) != contract.TooMany {
		t.Errorf("a third try in the same page: %v", err)
	}
	g.must(guess(2, home, password))
	g.must(guess(1, "198.51.100.9", password))
	// Logins that others try do not count for the page.
	for i := range 6 {
		if _, err := g.Login(t.Context(), Credentials{Email: siti, Password: "salah"}, at(fmt.Sprintf("192.0.2.%d", i))); err == nil {
			t.Error("a wrong password logs in")
		}
	}
	waited = 0
	g.must(guess(3, "198.51.100.9", password))
	// Pages of many documents share one count of the person, beyond which they are refused. None waits, because the document is locked meanwhile.
	limited := 0
	for i := range 5 {
		switch err := guess(contract.DocumentID(10+i), fmt.Sprintf("203.0.113.%d", i), "salah"); {
		case contract.KindOf(err) == contract.TooMany:
			limited++
		default:
			g.refused("a guess", err, contract.ErrEmbedPassword)
		}
	}
	if limited == 0 || waited != 0 {
		t.Errorf("of guesses in many pages %d were refused, after %v", limited, waited)
	}
	// The person proves who they are in their own session all the same.
	for range 2 {
		_, err := g.Reauthenticate(t.Context(), own, password, contract.GivenFactor{})
		g.must(err)
	}
}

func TestFailedLoginsAreCountedByAccountAndHourAndThoseOfNoAccountWithoutTheirAddress(t *testing.T) {
	t.Parallel()
	g := guard(t)
	for i := range 6 {
		for _, email := range []string{siti, fmt.Sprintf("tidak.ada.%d@contoh.id", i)} {
			if _, err := g.Login(t.Context(), Credentials{Email: email, Password: "salah"}, at(home)); err == nil {
				t.Error("a wrong password is accepted")
			}
		}
	}
	g.requireRecorded(contract.LoginFailed, "Siti password "+home+" 6", " password "+home+" 6")
	g.now = g.now.Add(contract.LoginsKept + time.Hour)
	g.must(g.Purge(t.Context()))
	g.requireRecorded(contract.LoginFailed)
}

func TestAdministratorsAreToldOfManyFailedLoginsOnceInAWhile(t *testing.T) {
	t.Parallel()
	g := guard(t)
	admin, err := g.AddUser(t.Context(), NewUser{Name: "Admin", Email: "admin@contoh.id", Password: password, Organisation: "Contoh", Role: contract.RoleAdmin})
	g.must(err)
	fail := func(n int) {
		for range n {
			if _, err := g.Login(t.Context(), Credentials{Email: siti, Password: "salah"}, at(home)); err == nil {
				t.Error("a wrong password is accepted")
			}
		}
		g.must(g.ReportFailedLogins(t.Context()))
	}
	told := func(want int) {
		t.Helper()
		p, err := g.db.ListNotices(t.Context(), store.NoticeQuery{Limit: 100})
		g.must(err)
		n := 0
		for _, x := range p.Notices {
			if x.Kind == contract.NoticeLoginFailures {
				if n++; x.Person != admin.Account.ID || x.Account.Reference != string(g.siti) {
					t.Errorf("%+v", x)
				}
				m, err := g.AccountMessage(t.Context(), x)
				if g.must(err); m.About != "Siti <"+siti+">" || m.To.Email != "admin@contoh.id" || m.Link != secretOrigin+"/admin?tab=logins" {
					t.Errorf("%+v", m)
				}
			}
		}
		log, err := g.db.AuditLog(t.Context(), store.LogQuery{Type: contract.EventLoginFailures, Organisation: admin.Account.Organisation, Limit: 100})
		if g.must(err); n != want || len(log.Events) != want {
			t.Errorf("%d messages and %d events, want %d", n, len(log.Events), want)
		}
	}
	fail(contract.ManyFailedLogins - 1)
	told(0)
	fail(1)
	told(1)
	g.now = g.now.Add(contract.FailedLoginsQuiet - time.Minute)
	fail(contract.ManyFailedLogins)
	told(1)
	g.now = g.now.Add(time.Minute)
	fail(0)
	told(2)
}

// flawedReports is a store in which the failed logins of one organisation cannot be reported.
type flawedReports struct {
	Store
	of contract.OrganisationID
}

func (f flawedReports) ReportFailedLogins(ctx context.Context, of contract.OrganisationID, quiet time.Time, e contract.Event, notices []contract.Notice) (bool, error) {
	if of == f.of {
		return false, errors.New("the database does not answer")
	}
	return f.Store.ReportFailedLogins(ctx, of, quiet, e, notices)
}

func TestOneOrganisationDoesNotKeepTheOthersFromBeingToldOfFailedLogins(t *testing.T) {
	t.Parallel()
	g := guard(t)
	reported := func(of contract.OrganisationID) int {
		t.Helper()
		log, err := g.db.AuditLog(t.Context(), store.LogQuery{Type: contract.EventLoginFailures, Organisation: of, Limit: 9})
		g.must(err)
		return len(log.Events)
	}
	var all []contract.OrganisationID
	for i := range 4 {
		u, err := g.AddUser(t.Context(), NewUser{Name: "Wati", Email: "wati@contoh.id", Password: password, Organisation: fmt.Sprint("PT ", i)})
		g.must(err)
		all = append(all, u.Account.Organisation)
		l := contract.NewLogin(u.Account.Organisation, u.Account.ID, contract.LoginFailed, contract.FactorPassword, g.now)
		l.Times = contract.ManyFailedLogins
		g.must(g.db.RecordLogins(t.Context(), l))
	}
	g.Service.store = flawedReports{g.db, all[1]}
	if err := g.ReportFailedLogins(t.Context()); err == nil || !strings.Contains(err.Error(), string(all[1])) {
		t.Errorf("the report: %v", err)
	}
	g.Service.store = g.db
	for i, of := range all {
		if n := reported(of); (n == 1) != (i != 1) {
			t.Errorf("organisation %d: %d events", i, n)
		}
	}
	g.must(g.ReportFailedLogins(t.Context())) // the next run tells the one that is left
	if reported(all[0]) != 1 || reported(all[1]) != 1 {
		t.Error("the next run does not tell each once")
	}
}

func TestPeopleAreToldOfNewAPIKeysAndWithTheirAdministratorsOfNewNetworks(t *testing.T) {
	t.Parallel()
	g := guard(t)
	admin, err := g.AddUser(t.Context(), NewUser{Name: "Admin", Email: "admin@contoh.id", Password: password, Organisation: "Contoh", Role: contract.RoleAdmin})
	g.must(err)
	by := g.actor(siti, contract.GivenFactor{})
	k, secret, err := g.CreateKey(t.Context(), by, contract.KeySettings{Name: "ERP", Scopes: []contract.KeyScope{contract.ScopeRead}})
	g.must(err)
	told := func(k contract.NoticeKind) (all []contract.Notice) {
		p, err := g.db.ListNotices(t.Context(), store.NoticeQuery{Limit: 100})
		g.must(err)
		for _, n := range p.Notices {
			if n.Kind == k {
				all = append(all, n)
			}
		}
		return all
	}
	if n := told(contract.NoticeKeyCreated); len(n) != 1 || n[0].Person != g.siti || n[0].Account.Reference != string(k.ID) {
		t.Errorf("a new key: %+v", n)
	}
	for _, ip := range []string{home, "198.51.100.1", "198.51.100.1", "198.51.100.2", "198.51.100.3"} {
		if _, err := g.AuthenticateKey(t.Context(), secret, ip); err != nil {
			t.Fatal(err)
		}
		if n := told(contract.NoticeKeyNetwork); ip == home && len(n) != 0 {
			t.Errorf("the first network: %+v", n)
		}
	}
	to := map[contract.PersonID]int{}
	for _, n := range told(contract.NoticeKeyNetwork) {
		m, err := g.AccountMessage(t.Context(), n)
		g.must(err)
		want := contract.AccountMessage{To: by.Person, Link: secretOrigin + "/keys", About: "ERP"}
		if n.Person == admin.Account.ID {
			want = contract.AccountMessage{To: admin.Account.Person, Link: secretOrigin + "/admin?tab=keys", About: "ERP, Siti <" + siti + ">"}
		}
		if to[n.Person]++; m != want {
			t.Errorf("%+v, want %+v", m, want)
		}
	}
	if to[g.siti] != newKeyMails.Burst || to[admin.Account.ID] != newKeyMails.Burst || len(to) != 2 {
		t.Errorf("messages about new networks: %v", to)
	}
}

func TestOfTwoFactorsThatAreAddedAtTheSameTimeOneShowsRecoveryCodes(t *testing.T) {
	t.Parallel()
	g := guard(t)
	other := [][32]byte{{1}}
	tries := 0
	codes, err := g.addFactor(t.Context(), g.siti, func(hashes [][32]byte) error {
		if tries++; tries == 1 { // meanwhile, another request adds the first factor
			g.must(g.db.AddAuthenticator(t.Context(), g.siti, store.Authenticator{Secret: []byte("x"), CreatedAt: g.now}, 1, other, contract.Event{Type: contract.EventFactorAdded, At: g.now}))
		}
		return g.db.AddPasskey(t.Context(), store.Passkey{ID: "k", Person: g.siti, Name: "Laptop", PublicKey: []byte("x"), AAGUID: []byte("x"), CreatedAt: g.now}, store.UsedChallenge{Ticket: [32]byte{2}, At: g.now}, 5, hashes,
			contract.Event{Type: contract.EventFactorAdded, At: g.now})
	})
	if err != nil || codes != nil || tries != 2 {
		t.Errorf("codes %v after %d tries, %v", codes, tries, err)
	}
	f, err := g.db.FactorsOf(t.Context(), g.siti)
	if g.must(err); !f.Any() || f.Recovery != len(other) {
		t.Errorf("%+v", f)
	}
}

func TestAKeyGetsABoundedNumberOfAccessTokens(t *testing.T) {
	t.Parallel()
	g := guard(t)
	k, secret, err := g.CreateKey(t.Context(), g.actor(siti, contract.GivenFactor{}), contract.KeySettings{Name: "ERP", Scopes: []contract.KeyScope{contract.ScopeRead}})
	g.must(err)
	issue := func() error {
		_, err := g.IssueKeyToken(t.Context(), k.ID, secret, home, nil)
		return err
	}
	for range newTokens.Burst {
		g.must(issue())
	}
	if err := issue(); contract.KindOf(err) != contract.TooMany {
		t.Errorf("one too many: %v", err)
	}
	g.now = g.now.Add(newTokens.Every)
	g.must(issue())
}

func TestAPasswordResetByMailEndsAPIKeysOnRequestAlone(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{false, true} {
		g := guard(t)
		g.linkKey = [32]byte{3}
		_, secret, err := g.CreateKey(t.Context(), g.actor(siti, contract.GivenFactor{}), contract.KeySettings{Name: "ERP", Scopes: []contract.KeyScope{contract.ScopeRead}})
		g.must(err)
		g.must(g.RequestReset(t.Context(), siti, at(home)))
		g.must(g.OrderResets(t.Context()))
		p, err := g.db.ListNotices(t.Context(), store.NoticeQuery{Limit: 1})
		g.must(err)
		m, err := g.AccountMessage(t.Context(), p.Notices[0])
		g.must(err)
		target, err := g.LookUpReset(t.Context(), m.Link)
		if g.must(err); target.Keys != 1 {
			t.Errorf("%d keys", target.Keys)
		}
		_, err = g.ResetPasswordByLink(t.Context(), m.Link, "kata sandi lain yang panjang", ends, at(home))
		g.must(err)
		if _, err := g.AuthenticateKey(t.Context(), secret, home); (err != nil) != ends {
			t.Errorf("the key, asked to end it %v: %v", ends, err)
		}
		g.must(g.db.CheckLog(t.Context()))
	}
}
