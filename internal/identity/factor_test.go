package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"segel/internal/contract"
	"segel/internal/passkey"
	"segel/internal/passkey/passkeytest"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
	"segel/internal/store/storetest"
)

// plainSealer seals nothing, but keeps purposes apart.
type plainSealer struct{}

func (plainSealer) Seal(purpose string, plain []byte) ([]byte, error) {
	return append([]byte(purpose+"|"), plain...), nil
}

func (plainSealer) Open(purpose string, sealed []byte) ([]byte, error) {
	if rest, ok := strings.CutPrefix(string(sealed), purpose+"|"); ok {
		return []byte(rest), nil
	}
	return nil, errors.New("sealed for something else")
}

// guarded is a service on a database, in which Siti and Budi have accounts.
type guarded struct {
	*Service
	t    *testing.T
	db   *sqlstore.Store
	now  time.Time
	siti contract.PersonID
}

const (
	budi         = "budi@contoh.id"
	secretOrigin = "https://segel.contoh.id"
)

func guard(t *testing.T) *guarded {
	t.Helper()
	db, err := sqlstore.Open(t.Context(), storetest.SQLite(t, sqlstore.Migrate), sqlstore.Options{Mode: sqlstore.Writing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	party, err := passkey.New(secretOrigin, "Segel")
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{t: t, db: db, now: time.Date(2026, 8, 17, 10, 0, 0, 0, time.UTC)}
	g.Service = New(Options{
		Store: db, Clock: func() time.Time { return g.now }, Random: rand.Reader, PublicURL: secretOrigin, Cost: cheap, FactorKey: [32]byte{7}, Sealer: plainSealer{}, Passkeys: party,
		Rates: Rates{Pair: Rate{1000, time.Second}},
	})
	for _, n := range []NewUser{{Name: "Siti", Email: siti, Password: password, Organisation: "Contoh"}, {Name: "Budi", Email: budi, Password: password, Organisation: "Contoh"}} {
		added, err := g.AddUser(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if n.Email == siti {
			g.siti = added.Account.ID
		}
	}
	return g
}

func (g *guarded) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// refused requires a refusal with a code.
func (g *guarded) refused(what string, err, want error) {
	g.t.Helper()
	if !errors.Is(err, want) {
		g.t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func (g *guarded) tryLogin(email string, f contract.GivenFactor) (Session, error) {
	return g.Login(context.Background(), Credentials{Email: email, Password: password, Factor: f}, at(home))
}

// actor logs in and returns the caller.
func (g *guarded) actor(email string, f contract.GivenFactor) contract.Actor {
	g.t.Helper()
	s, err := g.tryLogin(email, f)
	g.must(err)
	by, err := g.Authenticate(context.Background(), s.Access)
	g.must(err)
	return by
}

// app is an authenticator app.
type app struct {
	g      *guarded
	secret string
	codes  []string // recovery codes
}

// at returns the code that the app shows a time from now.
func (a app) at(d time.Duration) contract.GivenFactor {
	code, err := totp.GenerateCode(a.secret, a.g.now.Add(d))
	a.g.must(err)
	return contract.GivenFactor{OTP: code}
}

func (g *guarded) addApp(by contract.Actor) app {
	g.t.Helper()
	e, err := g.BeginTOTP(context.Background(), by, password)
	g.must(err)
	a := app{g: g, secret: e.Secret}
	if !strings.HasPrefix(e.URI, "otpauth://totp/Segel%20Contoh:") || !strings.HasPrefix(string(e.QR), "\x89PNG") {
		g.t.Errorf("%s, %d bytes", e.URI, len(e.QR))
	}
	a.codes, err = g.ConfirmTOTP(context.Background(), by, e.Ticket, a.at(0).OTP)
	g.must(err)
	g.now = g.now.Add(time.Minute) // its first code is used up
	return a
}

// addPasskey registers a passkey.
func (g *guarded) addPasskey(by contract.Actor) *passkeytest.Authenticator {
	g.t.Helper()
	a := passkeytest.New("segel.contoh.id", secretOrigin)
	o, err := g.RegisterOptions(context.Background(), by, password)
	g.must(err)
	_, _, err = g.AddPasskey(context.Background(), by, contract.GivenFactor{Ticket: o.Ticket, Passkey: a.Create(o.Options)}, "Laptop")
	g.must(err)
	return a
}

// answerLogin has a passkey answer the options of a login.
func (g *guarded) answerLogin(a *passkeytest.Authenticator) contract.GivenFactor {
	g.t.Helper()
	o, err := g.LoginOptions(context.Background())
	g.must(err)
	return contract.GivenFactor{Ticket: o.Ticket, Passkey: a.Get(o.Options)}
}

func TestARightPasswordWithoutTheFactorGrantsNothingAndACodeIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{OTP: "123456"}) // ignored: the account has no factor
	a := g.addApp(by)
	if len(a.codes) != contract.RecoveryCodes {
		t.Errorf("%d recovery codes", len(a.codes))
	}
	_, err := g.tryLogin(siti, contract.GivenFactor{})
	g.refused("no code", err, contract.ErrFactorRequired)
	var refusal *contract.Error
	if errors.As(err, &refusal); !slices.Equal(refusal.Args["factors"].([]string), []string{"totp", "recovery_code"}) || contract.KindOf(err) != contract.Forbidden {
		t.Errorf("%+v", refusal)
	}
	for _, skew := range []time.Duration{-61 * time.Second, 61 * time.Second} {
		_, err := g.tryLogin(siti, a.at(skew))
		g.refused("a code of a clock that is wrong by more than a step", err, contract.ErrOTPWrong)
	}
	code := a.at(-30 * time.Second)
	if by := g.actor(siti, code); by.Factor != contract.FactorTOTP {
		t.Errorf("factor %q", by.Factor)
	}
	_, err = g.tryLogin(siti, code)
	g.refused("the same code again", err, contract.ErrOTPWrong)
	code = a.at(30 * time.Second)
	if _, err := g.tryLogin(siti, contract.GivenFactor{OTP: code.OTP[:3] + " " + code.OTP[3:]}); err != nil {
		t.Error(err)
	}
	_, err = g.tryLogin(siti, a.at(0))
	g.refused("an earlier code than the last one", err, contract.ErrOTPWrong)
	if _, err := g.tryLogin(budi, contract.GivenFactor{}); err != nil {
		t.Errorf("another account: %v", err)
	}
	_, err = g.Login(t.Context(), Credentials{Email: siti, Password: "salah", Factor: a.at(0)}, at(home))
	if err != error(ErrCredentials) {
		t.Errorf("a wrong password with a code: %v", err)
	}
}

func TestManyLoginsWithOneCodeOpenOneSession(t *testing.T) {
	t.Parallel()
	g := guard(t)
	a := g.addApp(g.actor(siti, contract.GivenFactor{}))
	code := a.at(0)
	results := make(chan error)
	for range 4 {
		go func() {
			_, err := g.tryLogin(siti, code)
			results <- err
		}()
	}
	opened := 0
	for range 4 {
		if err := <-results; err == nil {
			opened++
		} else if !errors.Is(err, contract.ErrOTPWrong) {
			t.Error(err)
		}
	}
	if opened != 1 {
		t.Errorf("%d sessions with one code", opened)
	}
}

func TestGuessingCodesIsPausedAndDoesNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	g := guard(t)
	a := g.addApp(g.actor(siti, contract.GivenFactor{}))
	wrong := contract.GivenFactor{OTP: "000000"}
	for slices.Contains([]string{a.at(0).OTP, a.at(30 * time.Second).OTP, a.at(-30 * time.Second).OTP}, wrong.OTP) {
		wrong.OTP = "000001"
	}
	for range 5 {
		_, err := g.tryLogin(siti, wrong)
		g.refused("a wrong code", err, contract.ErrOTPWrong)
	}
	_, err := g.tryLogin(siti, a.at(0))
	g.refused("the right code after five wrong ones", err, contract.ErrFactorTries)
	guesses := 0
	for end := g.now.Add(24 * time.Hour); g.now.Before(end); g.now = g.now.Add(10 * time.Second) {
		u, wait, err := g.db.TryCode(t.Context(), g.siti, store.CodeUse{UsedAt: g.now})
		g.must(err)
		if wait == 0 {
			guesses = u.Wrong + 1
		}
	}
	if guesses > 40 {
		t.Errorf("%d guesses in a day", guesses)
	}
	if _, err := g.tryLogin(siti, contract.GivenFactor{OTP: a.codes[0]}); err != nil {
		t.Errorf("a recovery code meanwhile: %v", err)
	}
	if _, err := g.tryLogin(siti, a.at(0)); err != nil {
		t.Errorf("a code after a recovery code was used: %v", err)
	}
}

func TestAWrongCodeCountsLikeAWrongPassword(t *testing.T) {
	t.Parallel()
	g := guard(t)
	a := g.addApp(g.actor(siti, contract.GivenFactor{}))
	g.throttle = newLoginThrottle(g.db, Rates{Pair: Rate{3, time.Hour}, Account: Rate{100, time.Hour}}, waitFor)
	for range 3 {
		_, err := g.tryLogin(siti, contract.GivenFactor{OTP: "aaaaa-aaaaa"})
		g.refused("a wrong recovery code", err, contract.ErrOTPWrong)
	}
	// The caller is known by its address, and was not forgiven: now it is counted like an unknown one.
	for range 3 {
		_, err := g.tryLogin(siti, contract.GivenFactor{})
		g.refused("the password alone", err, contract.ErrFactorRequired)
	}
	_, err := g.tryLogin(siti, a.at(0))
	if contract.KindOf(err) != contract.TooMany {
		t.Errorf("after as many tries as are allowed: %v", err)
	}
}

func TestARecoveryCodeIsUsedOnceAndAnOwnerMakesOthers(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	a := g.addApp(by)
	typed := contract.GivenFactor{OTP: " " + strings.ToUpper(strings.ReplaceAll(a.codes[3], "-", " ")) + " "}
	if by := g.actor(siti, typed); by.Factor != contract.FactorRecovery {
		t.Errorf("factor %q", by.Factor)
	}
	_, err := g.tryLogin(siti, typed)
	g.refused("again", err, contract.ErrOTPWrong)
	_, err = g.ReplaceRecoveryCodes(t.Context(), by, "salah")
	if contract.KindOf(err) != contract.Invalid {
		t.Errorf("without the password: %v", err)
	}
	made, err := g.ReplaceRecoveryCodes(t.Context(), by, password)
	g.must(err)
	_, err = g.tryLogin(siti, contract.GivenFactor{OTP: a.codes[4]})
	g.refused("a former code", err, contract.ErrOTPWrong)
	if _, err := g.tryLogin(siti, contract.GivenFactor{OTP: made[0]}); err != nil {
		t.Error(err)
	}
	if f, err := g.Factors(t.Context(), by); err != nil || f.Recovery != 9 {
		t.Errorf("%+v, %v", f, err)
	}
	other := g.addApp(g.actor(budi, contract.GivenFactor{}))
	_, err = g.tryLogin(siti, contract.GivenFactor{OTP: other.codes[0]})
	g.refused("a code of another account", err, contract.ErrOTPWrong)
}

func TestAPasskeyAloneLogsInAndEachAnswerIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	key := g.addPasskey(by)
	enter := func(f contract.GivenFactor) (Session, error) {
		return g.Login(context.Background(), Credentials{Factor: f}, at(home))
	}
	answer := g.answerLogin(key)
	s, err := enter(answer)
	g.must(err)
	if now, err := g.Authenticate(t.Context(), s.Access); err != nil || now.ID != by.ID || now.Factor != contract.FactorPasskeyOnly || s.Device == "" {
		t.Errorf("%+v, %v", now, err)
	}
	_, err = enter(answer)
	g.refused("the same answer again", err, contract.ErrPasskeyWrong)
	_, err = g.tryLogin(siti, answer)
	g.refused("the same answer with the password", err, contract.ErrPasskeyWrong)
	if by := g.actor(siti, g.answerLogin(key)); by.Factor != contract.FactorPasskey {
		t.Errorf("factor %q", by.Factor)
	}
	g.addPasskey(g.actor(budi, contract.GivenFactor{}))
	_, err = g.tryLogin(budi, g.answerLogin(key))
	g.refused("with the password of another account", err, contract.ErrPasskeyWrong)

	late := g.answerLogin(key)
	g.now = g.now.Add(contract.ChallengeTime)
	_, err = enter(late)
	g.refused("a late answer", err, contract.ErrPasskeyWrong)
	sign, err := g.SignOptions(t.Context(), by, []contract.ConsentItem{{Document: 1, Digest: [32]byte{1}}})
	g.must(err)
	_, err = enter(contract.GivenFactor{Ticket: sign.Ticket, Passkey: key.Get(sign.Options)})
	g.refused("an answer to the options of a signature", err, contract.ErrPasskeyWrong)
	key.Origin = "https://jahat.example"
	_, err = enter(g.answerLogin(key))
	g.refused("another origin", err, contract.ErrPasskeyWrong)
	key.Origin = secretOrigin
	key.Count = 0
	_, err = enter(g.answerLogin(key))
	g.refused("a counter that went back", err, contract.ErrPasskeyWrong)
	key.Count = 100
	_, err = g.Login(t.Context(), Credentials{Factor: g.answerLogin(key), Organisation: "another"}, at(home))
	g.refused("for another organisation", err, contract.ErrPasskeyWrong)
	_, err = g.DisablePerson(t.Context(), contract.Actor{}, by.ID)
	g.must(err)
	_, err = enter(g.answerLogin(key))
	g.refused("a disabled account", err, contract.ErrPasskeyWrong)
}

func TestTheOptionsOfALoginSayNothingAboutAccounts(t *testing.T) {
	t.Parallel()
	g := guard(t)
	before, err := g.LoginOptions(t.Context())
	g.must(err)
	key := g.addPasskey(g.actor(siti, contract.GivenFactor{}))
	after, err := g.LoginOptions(t.Context())
	g.must(err)
	if len(before.Options) != len(after.Options) || strings.Contains(string(after.Options), base64.RawURLEncoding.EncodeToString(key.ID)) {
		t.Errorf("%s, then %s", before.Options, after.Options)
	}
}

func TestASignatureIsProvedForItsListOfDocumentsAndNoOther(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	prove := func(f contract.GivenFactor, items ...contract.ConsentItem) (contract.Factor, error) {
		return g.ProveSigning(context.Background(), by, f, contract.NewConsent(items))
	}
	one, two := contract.ConsentItem{Document: 1, Digest: [32]byte{1}}, contract.ConsentItem{Document: 2, Digest: [32]byte{2}}
	if f, err := prove(contract.GivenFactor{OTP: "123456"}, one); f != "" || err != nil {
		t.Errorf("an account without factors: %q, %v", f, err)
	}
	a := g.addApp(by)
	key := g.addPasskey(by)
	code := a.at(0)
	for range 10 { // repeats of the same request, such as after a crash, and parts of a long list
		if f, err := prove(code, one); f != contract.FactorTOTP || err != nil {
			t.Errorf("%q, %v", f, err)
		}
		g.now = g.now.Add(time.Minute)
	}
	for name, items := range map[string][]contract.ConsentItem{"another document": {two}, "both": {one, two}, "another revision": {{Document: 1, Digest: [32]byte{9}}}} {
		_, err := prove(code, items...)
		g.refused(name, err, contract.ErrOTPWrong)
	}
	g.now = g.now.Add(time.Hour) // every one of these was a try
	_, err := g.tryLogin(siti, code)
	g.refused("a login with the code of a signature", err, contract.ErrOTPWrong)

	o, err := g.SignOptions(t.Context(), by, []contract.ConsentItem{one, two})
	g.must(err)
	answer := contract.GivenFactor{Ticket: o.Ticket, Passkey: key.Get(o.Options)}
	_, err = prove(answer, one)
	g.refused("a part of the list", err, contract.ErrPasskeyWrong)
	for range 3 {
		if f, err := prove(answer, two, one); f != contract.FactorPasskey || err != nil { // in any order
			t.Errorf("%q, %v", f, err)
		}
		g.now = g.now.Add(5 * time.Minute)
	}
	o, err = g.SignOptions(t.Context(), by, []contract.ConsentItem{one})
	g.must(err)
	late := contract.GivenFactor{Ticket: o.Ticket, Passkey: key.Get(o.Options)}
	g.now = g.now.Add(contract.ChallengeTime)
	_, err = prove(late, one)
	g.refused("a first answer that comes late", err, contract.ErrPasskeyWrong)
	budis := g.actor(budi, contract.GivenFactor{})
	budisKey := g.addPasskey(budis)
	o, err = g.SignOptions(t.Context(), by, []contract.ConsentItem{one})
	g.must(err)
	_, err = prove(contract.GivenFactor{Ticket: o.Ticket, Passkey: budisKey.Get(o.Options)}, one)
	g.refused("the passkey of another account", err, contract.ErrPasskeyWrong)
	o, err = g.SignOptions(t.Context(), budis, []contract.ConsentItem{one})
	g.must(err)
	_, err = prove(contract.GivenFactor{Ticket: o.Ticket, Passkey: key.Get(o.Options)}, one)
	g.refused("options of another account", err, contract.ErrPasskeyWrong)
	g.now = g.now.Add(contract.ProofTime)
	_, err = prove(answer, two, one)
	g.refused("a repeat after a day", err, contract.ErrPasskeyWrong)
	recovery := contract.GivenFactor{OTP: a.codes[0]}
	for range 2 {
		if f, err := prove(recovery, one); f != contract.FactorRecovery || err != nil {
			t.Errorf("%q, %v", f, err)
		}
	}
	_, err = prove(recovery, two)
	g.refused("a used recovery code for another document", err, contract.ErrOTPWrong)
}

// demand has the organisation require a factor at logins.
func (g *guarded) demand(d contract.FactorDemand) {
	g.t.Helper()
	u, err := g.db.User(g.t.Context(), g.siti)
	g.must(err)
	_, err = g.db.ChangeAccountPolicy(g.t.Context(), u.Organisation, g.now, func(p *contract.AccountPolicy) (contract.Event, error) {
		p.LoginFactor = d
		return contract.Event{Type: contract.EventPolicyChanged, At: g.now}, nil
	})
	g.must(err)
}

func TestWhereAFactorIsRequiredAnAccountWithoutOneMayOnlyAddIt(t *testing.T) {
	t.Parallel()
	g := guard(t)
	s, err := g.tryLogin(siti, contract.GivenFactor{})
	g.must(err)
	with := g.actor(budi, contract.GivenFactor{})
	a := g.addApp(with)
	g.demand(contract.FactorOfAdmins)
	if by, err := g.Authenticate(t.Context(), s.Access); err != nil || by.MustEnrol {
		t.Errorf("a member where admins need one: %+v, %v", by, err)
	}
	g.demand(contract.FactorOfEveryone)
	by, err := g.Authenticate(t.Context(), s.Access)
	if err != nil || !by.MustEnrol {
		t.Fatalf("%+v, %v", by, err)
	}
	if me, err := g.Me(t.Context(), by); err != nil || !me.MustEnrol {
		t.Errorf("%+v, %v", me, err)
	}
	if again, err := g.tryLogin(siti, contract.GivenFactor{}); err != nil || !again.Account.MustEnrol {
		t.Errorf("%+v, %v", again.Account, err)
	}
	key := g.addPasskey(by)
	if by, err := g.Authenticate(t.Context(), s.Access); err != nil || by.MustEnrol || by.Factor != contract.FactorPasskey {
		t.Errorf("after adding one: %+v, %v", by, err)
	}
	// A session that was opened without the factor ends when it is required.
	other, err := g.tryLogin(siti, g.answerLogin(key))
	g.must(err)
	g.must(g.db.RaiseSession(t.Context(), g.sessionOf(other), contract.FactorPassword, g.now))
	_, err = g.Authenticate(t.Context(), other.Access)
	g.refused("a session without the factor", err, contract.ErrUnauthenticated)

	f, err := g.Factors(t.Context(), by)
	g.must(err)
	g.refused("removing the last one", g.RemovePasskey(t.Context(), by, f.Passkeys[0].ID, password), contract.ErrFactorNeeded)
	g.refused("another's", g.RemovePasskey(t.Context(), with, f.Passkeys[0].ID, password), contract.ErrNoFactor)
	g.demand(contract.FactorOfNone)
	other, err = g.tryLogin(siti, g.answerLogin(key))
	g.must(err)
	g.must(g.RemovePasskey(t.Context(), by, f.Passkeys[0].ID, password))
	if _, err := g.tryLogin(siti, contract.GivenFactor{}); err != nil {
		t.Errorf("after removing the last one: %v", err)
	}
	_, err = g.Authenticate(t.Context(), other.Access)
	g.refused("another session that was opened with it", err, contract.ErrUnauthenticated)
	g.demand(contract.FactorOfEveryone)
	if by, err := g.Authenticate(t.Context(), s.Access); err != nil || !by.MustEnrol {
		t.Errorf("the session that removed it: %+v, %v", by, err)
	}
	g.demand(contract.FactorOfNone)
	if _, err := g.tryLogin(budi, a.at(0)); err != nil {
		t.Error(err)
	}
}

// sessionOf returns the family of a session.
func (g *guarded) sessionOf(s Session) string {
	_, hash, _ := checkToken(s.Access, store.AccessToken)
	k, err := g.db.Token(context.Background(), hash)
	g.must(err)
	return k.Family
}

func TestAnAdminResetsTheFactorsOfOthersInTheirOrganisation(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	a := g.addApp(by)
	for _, n := range []NewUser{{Email: "kepala@contoh.id", Organisation: "Contoh"}, {Email: "kepala@lain.id", Organisation: "Lain"}} {
		n.Password, n.Role = password, contract.RoleAdmin
		_, err := g.AddUser(t.Context(), n)
		g.must(err)
	}
	admin, elsewhere := g.actor("kepala@contoh.id", contract.GivenFactor{}), g.actor("kepala@lain.id", contract.GivenFactor{})
	_, err := g.ResetFactors(t.Context(), by, admin.ID)
	g.refused("by a member", err, contract.ErrNotAllowed)
	_, err = g.ResetFactors(t.Context(), elsewhere, by.ID)
	g.refused("by an admin of another organisation", err, contract.ErrNoPerson)
	_, err = g.ResetFactors(t.Context(), admin, admin.ID)
	g.refused("of their own account", err, contract.ErrOwnAccount)
	s, err := g.tryLogin(siti, a.at(0))
	g.must(err)
	people, _, err := g.People(t.Context(), admin, PeopleQuery{Search: "siti", Limit: 10})
	if err != nil || len(people) != 1 || !people[0].Factors.Authenticator {
		t.Errorf("%+v, %v", people, err)
	}
	for range 2 {
		m, err := g.ResetFactors(t.Context(), admin, by.ID)
		if err != nil || m.Factors.Authenticator {
			t.Errorf("%+v, %v", m, err)
		}
	}
	_, err = g.Authenticate(t.Context(), s.Access)
	g.refused("a session of before", err, contract.ErrUnauthenticated)
	if by := g.actor(siti, contract.GivenFactor{}); by.Factor != contract.FactorPassword {
		t.Errorf("factor %q", by.Factor)
	}
}

func TestEnrolmentsBelongToOneAccountAndEnd(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by, other := g.actor(siti, contract.GivenFactor{}), g.actor(budi, contract.GivenFactor{})
	e, err := g.BeginTOTP(t.Context(), by, password)
	g.must(err)
	a := app{g: g, secret: e.Secret}
	_, err = g.ConfirmTOTP(t.Context(), other, e.Ticket, a.at(0).OTP)
	g.refused("by another account", err, contract.ErrEnrolment)
	_, err = g.ConfirmTOTP(t.Context(), by, e.Ticket, "000000")
	if contract.KindOf(err) != contract.Invalid {
		t.Errorf("a wrong code: %v", err)
	}
	_, err = g.ConfirmTOTP(t.Context(), by, "x"+e.Ticket, a.at(0).OTP)
	g.refused("another ticket", err, contract.ErrEnrolment)
	o, err := g.RegisterOptions(t.Context(), by, password)
	g.must(err)
	key := passkeytest.New("segel.contoh.id", secretOrigin)
	answer := contract.GivenFactor{Ticket: o.Ticket, Passkey: key.Create(o.Options)}
	_, _, err = g.AddPasskey(t.Context(), other, answer, "Laptop")
	g.refused("a passkey by another account", err, contract.ErrEnrolment)
	_, _, err = g.AddPasskey(t.Context(), by, answer, " ")
	if contract.KindOf(err) != contract.Invalid {
		t.Errorf("without a name: %v", err)
	}
	_, codes, err := g.AddPasskey(t.Context(), by, answer, "Laptop")
	if err != nil || len(codes) != contract.RecoveryCodes {
		t.Errorf("%d codes, %v", len(codes), err)
	}
	_, _, err = g.AddPasskey(t.Context(), by, answer, "Laptop")
	g.refused("the same answer again", err, contract.ErrEnrolment)
	g.must(g.RenamePasskey(t.Context(), by, base64.RawURLEncoding.EncodeToString(key.ID), "Ponsel"))
	g.now = g.now.Add(contract.EnrolmentTime)
	_, err = g.ConfirmTOTP(t.Context(), by, e.Ticket, a.at(0).OTP)
	g.refused("too late", err, contract.ErrEnrolment)
	e, err = g.BeginTOTP(t.Context(), by, password)
	g.must(err)
	a.secret = e.Secret
	if codes, err := g.ConfirmTOTP(t.Context(), by, e.Ticket, a.at(0).OTP); err != nil || codes != nil {
		t.Errorf("a second factor makes codes %v, %v", codes, err)
	}
	_, err = g.BeginTOTP(t.Context(), by, password)
	g.refused("a second app", err, contract.ErrFactorExists)
	_, err = g.BeginTOTP(t.Context(), other, "salah")
	if contract.KindOf(err) != contract.Invalid {
		t.Errorf("without the password: %v", err)
	}
	g.must(g.RemoveTOTP(t.Context(), by, password))
	g.refused("again", g.RemoveTOTP(t.Context(), by, password), contract.ErrNoFactor)
}

func TestADangerousActTakesARecentProof(t *testing.T) {
	t.Parallel()
	g := guard(t)
	s, err := g.tryLogin(siti, contract.GivenFactor{})
	g.must(err)
	// isOld advances the clock and reports whether the session of the caller needs a proof then.
	var by contract.Actor
	isOld := func(after time.Duration) bool {
		t.Helper()
		g.now = g.now.Add(after)
		by, err = g.Authenticate(t.Context(), s.Access)
		g.must(err)
		return errors.Is(by.RequireRecentProof(), contract.ErrReauthenticate)
	}
	prove := func(current string, f contract.GivenFactor) error {
		until, err := g.Reauthenticate(t.Context(), by, current, f)
		if err == nil && until != g.now.Add(contract.RecentProof) {
			t.Errorf("it counts until %s", until)
		}
		return err
	}
	if isOld(contract.RecentProof - time.Second) {
		t.Error("the login is not recent")
	}
	if !isOld(time.Second) {
		t.Error("the login is recent for longer")
	}
	var refusal *contract.Error
	for what, err := range map[string]error{"nothing": prove("", contract.GivenFactor{}), "a wrong password": prove("salah", contract.GivenFactor{})} {
		if !errors.As(err, &refusal) || len(refusal.Fields) != 1 || refusal.Fields[0].Field != "current" {
			t.Errorf("%s: %v", what, err)
		}
	}
	g.refused("a code of an account without a factor", prove("", contract.GivenFactor{OTP: "123456"}), contract.ErrOTPWrong)
	if !isOld(0) {
		t.Error("what was refused counts")
	}
	g.must(prove(password, contract.GivenFactor{}))
	if isOld(contract.RecentProof-time.Second) || !isOld(time.Second) {
		t.Error("the password does not count for its time")
	}

	app := g.addApp(by)
	code := app.at(0)
	isOld(contract.RecentProof)
	g.refused("a code that has expired", prove("", code), contract.ErrOTPWrong)
	g.must(prove("", app.at(0)))
	if isOld(0) {
		t.Error("a code does not count")
	}
	foreign := g.addPasskey(g.actor(budi, contract.GivenFactor{}))
	isOld(contract.RecentProof)
	g.refused("another's passkey", prove("", g.answerLogin(foreign)), contract.ErrPasskeyWrong)
	if !isOld(0) {
		t.Error("another's passkey counts")
	}
	own := g.addPasskey(by)
	isOld(contract.RecentProof)
	g.must(prove("", g.answerLogin(own)))
	if isOld(0) {
		t.Error("a passkey does not count")
	}
	g.must(g.Logout(t.Context(), s.Access, Client{}))
	g.refused("a session that has ended", prove(password, contract.GivenFactor{}), contract.ErrUnauthenticated)
}

func TestAnAccountWithoutAPasswordAddsAFactorAfterARecentLoginAtItsProvider(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	u, err := g.db.User(t.Context(), g.siti)
	g.must(err)
	e := contract.Event{Type: contract.EventPolicyChanged, At: g.now}
	g.must(g.db.SetSSO(t.Context(), contract.SSO{Organisation: u.Organisation, SSOSettings: contract.SSOSettings{Issuer: "https://login.example.test", ClientID: "segel", Enabled: true, PasswordOff: true}}, "", e))
	g.must(g.db.ClaimDomain(t.Context(), contract.SSODomain{Organisation: u.Organisation, Domain: "contoh.id", ClaimedAt: g.now}, e))
	g.must(g.db.GrantDomain(t.Context(), u.Organisation, "contoh.id", contract.GrantedByOperator, e))
	if f, err := g.Factors(t.Context(), by); err != nil || !f.Provider {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := g.BeginTOTP(t.Context(), by, ""); err != nil {
		t.Errorf("soon after the login: %v", err)
	}
	by.ProofIsOld = true
	_, err = g.BeginTOTP(t.Context(), by, password)
	g.refused("later, with the password that logs nobody in", err, contract.ErrReauthenticate)
	_, err = g.Reauthenticate(t.Context(), by, password, contract.GivenFactor{})
	var refusal *contract.Error
	if !errors.As(err, &refusal) || len(refusal.Fields) != 1 || refusal.Fields[0].Code != "password.wrong" {
		t.Errorf("the password proves something: %v", err)
	}
}

func TestPeopleAreToldThatTheirFactorsAndTheirPasswordChanged(t *testing.T) {
	t.Parallel()
	g := guard(t)
	by := g.actor(siti, contract.GivenFactor{})
	by.IP, by.UserAgent, by.Language = "192.0.2.9", "curl/8", "en"
	told := func(want contract.NoticeKind, from contract.AccountFacts) {
		t.Helper()
		found, err := g.db.ListNotices(t.Context(), store.NoticeQuery{Limit: 1})
		g.must(err)
		if len(found.Notices) != 1 || found.Notices[0].Kind != want || found.Notices[0].Person != g.siti || found.Notices[0].Account != from {
			t.Errorf("%s: %+v", want, found.Notices)
		}
	}
	mine := contract.AccountFacts{IP: "192.0.2.9", UserAgent: "curl/8", Language: "en"}
	g.addApp(by)
	told(contract.NoticeFactorAdded, mine)
	if err := g.RemoveTOTP(t.Context(), by, "salah"); err == nil {
		t.Error("a wrong password removes a factor")
	}
	told(contract.NoticeFactorAdded, mine)
	g.must(g.RemoveTOTP(t.Context(), by, password))
	told(contract.NoticeFactorRemoved, mine)
	g.addPasskey(by)
	told(contract.NoticeFactorAdded, mine)
	admin := contract.Actor{Person: contract.Person{ID: "admin"}, Organisation: by.Organisation, Admin: true, IP: "192.0.2.1"}
	_, err := g.ResetFactors(t.Context(), admin, g.siti)
	g.must(err)
	told(contract.NoticeFactorsReset, contract.AccountFacts{}) // not where the administrator is
	g.must(g.ChangePassword(t.Context(), by, password, "kata sandi lain yang panjang"))
	told(contract.NoticePasswordChanged, mine)
}

// TestALoginInProgressEndsWithTheFactorThatProvedIt removes the factor after it was proved and before the session is stored, while another factor of the
// account stays.
func TestALoginInProgressEndsWithTheFactorThatProvedIt(t *testing.T) {
	t.Parallel()
	g := guard(t)
	ctx := t.Context()
	by := g.actor(siti, contract.GivenFactor{})
	old := g.addApp(by)
	lost := g.addPasskey(by)
	g.addPasskey(by)
	f, err := g.db.FactorsOf(ctx, g.siti)
	g.must(err)
	u, err := g.db.User(ctx, g.siti)
	g.must(err)
	prove := func(given contract.GivenFactor) Proof {
		t.Helper()
		_, proof, _, err := g.verifyAnyLogin(ctx, Credentials{Email: siti, Password: password, Factor: given}, at(home), false)
		g.must(err)
		return proof
	}
	app, key, other := prove(old.at(0)), prove(g.answerLogin(lost)), prove(contract.GivenFactor{OTP: old.codes[0]})
	_, alone, _, err := g.verifyAnyLogin(ctx, Credentials{Factor: g.answerLogin(lost)}, at(home), false)
	g.must(err)
	provider, err := g.ProveProviderFactor(ctx, u, g.answerLogin(lost), at(home))
	if g.must(err); provider.Factor != contract.FactorOIDCSecond {
		t.Errorf("%+v", provider)
	}
	g.must(g.RemoveTOTP(ctx, by, password))
	g.must(g.RemovePasskey(ctx, by, f.Passkeys[slices.IndexFunc(f.Passkeys, func(k store.Passkey) bool { return k.ID == key.passkey })].ID, password))
	g.addApp(by)
	sessions, err := g.db.Sessions(ctx, g.siti, g.now)
	g.must(err)
	for name, proof := range map[string]Proof{"an app that was replaced": app, "a passkey": key, "a passkey alone": alone, "a passkey after the provider": provider} {
		_, err := g.openSession(ctx, u, proof, at(home))
		g.refused(name, err, ErrCredentials)
	}
	now, err := g.db.Sessions(ctx, g.siti, g.now)
	if g.must(err); len(now) != len(sessions) {
		t.Errorf("%d sessions, %d before", len(now), len(sessions))
	}
	for name, proof := range map[string]Proof{"a recovery code": other, "a factor that the provider stated": {Factor: contract.FactorOIDCSecond}} {
		if _, err := g.openSession(ctx, u, proof, at(home)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
