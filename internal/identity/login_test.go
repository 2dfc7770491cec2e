package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func TestLoginOpensASession(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s, err := h.Login(t.Context(), " siti@CONTOH.id", password, "123456", at(home))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Access, "sgl_at_") || !strings.HasPrefix(s.Refresh, "sgl_rt_") || s.ExpiresIn != 24*time.Hour {
		t.Errorf("session is %+v", s)
	}
	by := h.alive(t, s.Access)
	if by.Email != siti || by.Name != "Siti" || by.Organisation != s.Account.Organisation || by.Admin || by.Guest != 0 {
		t.Errorf("actor is %+v", by)
	}
	me, err := h.Me(t.Context(), by)
	if err != nil || me != s.Account || me.OrganisationName != "Contoh" {
		t.Errorf("account is %+v, %v, want %+v", me, err, s.Account)
	}
}

func TestAWrongPasswordAndAnUnknownEmailAreOne(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	for _, test := range [][2]string{
		{siti, "salah"}, {"nobody@contoh.id", password}, {"", ""}, {siti, ""}, {siti, strings.Repeat("x", 2000)},
	} {
		s, err := h.Login(t.Context(), test[0], test[1], "", at(home))
		if err != error(ErrCredentials) || s != (Session{}) {
			t.Errorf("%.30q: %v", test, err)
		}
	}
	if contract.KindOf(ErrCredentials) != contract.Malformed {
		t.Error("wrong credentials are of another kind than a 400")
	}
}

func TestAnUnknownEmailIsAsMuchWork(t *testing.T) {
	t.Parallel()
	h := inhabited(t, func(o *Options) { o.Hashers = 1 })
	release, err := h.hasher.queue.Acquire(t.Context(), "another") // no hash can be computed
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, email := range []string{siti, "nobody@contoh.id"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := h.Login(ctx, email, password, "", at(home))
		if contract.KindOf(err) != contract.Unavailable {
			t.Errorf("%s was answered without a hash: %v", email, err)
		}
	}
}

func TestAHundredLoginsTakeTheMemoryOfTwo(t *testing.T) {
	t.Parallel()
	h := inhabited(t, func(o *Options) { o.Rates.Pair = Rate{1000, time.Second} })
	hangUp, cancel := context.WithCancel(t.Context())
	cancel()
	var held []func()
	for release, err := h.hasher.queue.Acquire(hangUp, "one"); err == nil; release, err = h.hasher.queue.Acquire(hangUp, "one") {
		held = append(held, release)
	}
	if len(held) != 2 {
		t.Fatalf("%d hashes at once", len(held))
	}
	for _, release := range held {
		release()
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := h.Login(context.Background(), siti, password, "", at(home)); err != nil {
				t.Error(err)
			}
			if n, _ := h.hasher.queue.Load(); n > 2 {
				t.Errorf("%d hashes at once", n)
			}
		})
	}
	all.Wait()
}

func TestGuessingIsDelayedAndTheOwnerIsNot(t *testing.T) {
	t.Parallel()
	for _, email := range []string{siti, "nobody@contoh.id"} {
		h := inhabited(t)
		for range 10 {
			if _, err := h.Login(t.Context(), email, "salah", "", at(home)); !errors.Is(err, ErrCredentials) {
				t.Fatal(err)
			}
		}
		_, err := h.Login(t.Context(), email, password, "", at(home))
		var e *contract.Error
		if !errors.As(err, &e) || e.Kind != contract.TooMany || e.Args["retry_after"] != 10 || !e.Retryable {
			t.Fatalf("%s: the eleventh try is %v", email, err)
		}
		h.advance(9 * time.Second)
		if _, err := h.Login(t.Context(), strings.ToUpper(email), password, "", at(home)); contract.KindOf(err) != contract.TooMany {
			t.Errorf("%s: nine seconds later it is %v", email, err)
		}
		if email != siti {
			continue
		}
		if _, err := h.Login(t.Context(), email, password, "", at("198.51.100.1")); err != nil {
			t.Errorf("the owner elsewhere: %v", err)
		}
		h.advance(time.Second)
		if _, err := h.Login(t.Context(), email, password, "", at(home)); err != nil {
			t.Errorf("ten seconds later it is %v", err)
		}
	}
}

func TestOneAddressCannotTryEveryAccount(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	refused := 0
	for i := range 150 {
		// All addresses of an IPv6 /64 count as one caller.
		_, err := h.Login(t.Context(), fmt.Sprintf("user%d@contoh.id", i), password, "", at(fmt.Sprintf("2001:db8::%x", i)))
		if contract.KindOf(err) == contract.TooMany {
			refused++
		}
	}
	if refused != 50 {
		t.Errorf("%d of 150 tries were refused", refused)
	}
}

func TestARefreshTokenIsUsedOnce(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	first := h.login(t)
	other := h.login(t)
	second, err := h.Refresh(t.Context(), first.Refresh, at(home))
	if err != nil {
		t.Fatal(err)
	}
	if second.Refresh == first.Refresh || second.Access == first.Access || second.Account != first.Account {
		t.Errorf("session is %+v", second)
	}
	h.alive(t, second.Access)
	h.alive(t, first.Access) // as for a request that the client sent before it read the answer

	if _, err := h.Refresh(t.Context(), first.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("a used refresh token: %v", err)
	}
	h.dead(t, first.Access)
	h.dead(t, second.Access)
	if _, err := h.Refresh(t.Context(), second.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("the refresh token of a revoked family: %v", err)
	}
	h.alive(t, other.Access)
	if !strings.Contains(h.log.String(), "used refresh token") {
		t.Errorf("the log does not tell: %s", h.log)
	}
}

func TestARefreshEndsTheFormerAccessTokenAfterAShortGrace(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	first, other := h.login(t), h.login(t)
	second, err := h.Refresh(t.Context(), first.Refresh, at(home))
	if err != nil {
		t.Fatal(err)
	}
	h.advance(30*time.Second - time.Millisecond)
	h.alive(t, first.Access)
	h.advance(time.Millisecond)
	h.dead(t, first.Access)
	h.alive(t, second.Access)
	h.alive(t, other.Access)
}

func TestOfManyRefreshesAtOnceNoneOutlivesTheFamily(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _, _ = h.Refresh(context.Background(), s.Refresh, at(home)) })
	}
	all.Wait()
	if n := len(h.store.tokens); n != 0 {
		t.Errorf("%d tokens are alive", n)
	}
}

func TestALogoutDuringARefreshEndsBoth(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	h.store.beforeRotate = func() {
		if err := h.Logout(context.Background(), s.Access, Client{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("the refresh: %v", err)
	}
	if n := len(h.store.tokens); n != 0 {
		t.Errorf("%d tokens are alive", n)
	}
}

func TestLogoutIsAtOnceAndOfTheFamily(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s, other := h.login(t), h.login(t)
	if err := h.Logout(t.Context(), s.Access, Client{}); err != nil {
		t.Fatal(err)
	}
	h.dead(t, s.Access)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("its refresh token: %v", err)
	}
	if err := h.Logout(t.Context(), s.Access, Client{}); !errors.Is(err, contract.ErrUnauthenticated) {
		t.Errorf("again: %v", err)
	}
	h.alive(t, other.Access)
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	web, err := h.LoginSession(t.Context(), Credentials{Email: siti, Password: password}, at(home))
	if err != nil {
		t.Fatal(err)
	}
	h.advance(24*time.Hour - time.Second)
	h.alive(t, s.Access)
	h.alive(t, web.Token)
	h.advance(time.Second)
	h.dead(t, s.Access)
	h.dead(t, web.Token)
	h.advance(29*24*time.Hour - time.Second)
	s, err = h.Refresh(t.Context(), s.Refresh, at(home))
	if err != nil {
		t.Fatalf("a second before thirty days: %v", err)
	}
	h.advance(30 * 24 * time.Hour)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("after thirty days: %v", err)
	}
	h.advance(time.Second)
	if err := h.Purge(t.Context()); err != nil || len(h.store.tokens) != 0 {
		t.Errorf("purged to %d tokens, %v", len(h.store.tokens), err)
	}
}

func TestATokenIsGoodForItsOwnKindOnly(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	h.dead(t, s.Refresh)
	h.dead(t, "")
	h.dead(t, strings.Replace(s.Refresh, "rt", "at", 1))
	h.dead(t, s.Access[:len(s.Access)-1])
	access, _ := checkSecret(s.Access, prefixAccess)
	kept := h.store.tokens[access]
	kept.Kind = store.RefreshToken // against its prefix
	h.store.tokens[access] = kept
	h.dead(t, s.Access)
	if _, err := h.Refresh(t.Context(), s.Access, at(home)); !errors.Is(err, ErrRefresh) {
		t.Errorf("refreshed an access token: %v", err)
	}
}

func TestTheStoreAndTheLogKnowNoSecret(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); err != nil {
		t.Fatal(err)
	}
	_, err := h.Refresh(t.Context(), s.Refresh, at(home))
	kept := fmt.Sprintf("%+v %v %s %v", h.store.users, h.store.events, h.log, err)
	for _, tok := range h.store.tokens {
		kept += fmt.Sprintf("%q %s", tok.Hash[:], tok.Family)
	}
	for _, secret := range []string{s.Access, s.Refresh, password, s.Access[prefixLen:]} {
		if strings.Contains(kept, secret) {
			t.Errorf("%s is kept in clear", secret)
		}
	}
}

func TestADatabaseThatFailsIsNoRefusal(t *testing.T) {
	t.Parallel()
	h := inhabited(t)
	s := h.login(t)
	h.store.users[0].Password = "$argon2id$v=19$m=4000000000,t=1,p=1$AAAAAAAAAAA$AAAA"
	if _, err := h.Login(t.Context(), siti, password, "", at(home)); !errors.Is(err, errHash) || contract.KindOf(err) != 0 {
		t.Errorf("a damaged hash: %v", err)
	}
	h.store.organisations = nil
	if _, err := h.Refresh(t.Context(), s.Refresh, at(home)); !errors.Is(err, store.ErrNotFound) || contract.KindOf(err) != 0 {
		t.Errorf("a user of no organisation: %v", err)
	}
}
