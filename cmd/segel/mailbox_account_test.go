package main

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
	"segel/internal/store/sqlstore"
)

const guestPassword = "lampu-taman-biru-42"

// budiSpelled is the address budi in other letters.
const budiSpelled = "Budi@example.test"

// verifyMailbox asks for a code about a document and enters it. N is the number of the mail with the code.
func (c *client) verifyMailbox(t *testing.T, server *mailServer, id int64, address string, n int) {
	t.Helper()
	c.verb("guest-code-docs", id).ok()
	c.verb("guest-verify-docs", id, "code", server.mailTo(t, address, n).code(t)).ok()
}

// inboxIDs returns the documents of the caller's inbox, and how many the list says there are. Each has to say whether it is opened as a guest's.
func (c *client) inboxIDs(asGuest bool, query string) (ids []int64, total float64) {
	c.t.Helper()
	data := c.do("GET", documentPath+"data"+query, nil).ok().object("data")
	for _, d := range data["documents"].([]any) {
		d := d.(object)
		if said, _ := d["as_guest"].(bool); said != asGuest {
			c.t.Errorf("document %v: as_guest is %v", d["id"], d["as_guest"])
		}
		ids = append(ids, int64(d["id"].(float64)))
	}
	return ids, data["pagination"].(object)["total_data"].(float64)
}

// openAsGuest opens a document of the inbox as the guest that it names.
func (c *client) openAsGuest(id int64) *answer {
	return c.do("POST", "/v1/auth/guest/document", object{"document_id": id})
}

// withToken returns a client with the token of an answer.
func (c *client) withToken(a *answer) *client {
	c.t.Helper()
	return &client{service: c.service, t: c.t, token: a.ok().object("data")["token"].(string)}
}

func TestAGuestCreatesAnAccountAndFindsTheDocumentsThatNameTheirMailbox(t *testing.T) {
	t.Parallel()
	withBothDatabases(t, func(t *testing.T, set ...string) {
		server, mail := startMailServer(t)
		s := start(t, slices.Concat(set, mail, []string{"SEGEL_GUEST_ACCOUNTS", "true"})...)
		sari, lain := s.person(t, "Sari Wulandari", "PT Sari"), s.person(t, "Dewi Lestari", "PT Lain")
		guestOf := func(owner *client, address, role string, number int, more ...object) int64 {
			t.Helper()
			members := object{"guest": object{"name": "Budi Santoso", "email": address, "role": role, "number": number}}
			if len(more) > 0 {
				members["signer"] = []any{more[0]}
			}
			id := owner.uploadWith(members, simple())
			return id
		}
		guestID := func(owner *client, id int64) string {
			t.Helper()
			for _, p := range owner.get("signers", id).ok().object("data")["signer"].([]any) {
				if p.(object)["is_guest"] == true {
					return p.(object)["user_id"].(string)
				}
			}
			t.Fatal("no guest")
			return ""
		}
		earlier := guestOf(lain, budiSpelled, "signer", 1)
		lain.verb("finalize-docs", earlier).ok()
		waiting := guestOf(lain, budi, "viewer", 2, lain.as("signer", 1)) // not the viewer's turn yet
		lain.verb("finalize-docs", waiting).ok()
		draft, other := guestOf(lain, budi, "signer", 1), guestOf(lain, budi, "signer", 1)
		byPhone := lain.uploadWith(object{"guest": object{"name": "Budi", "email": "other@example.test", "role": "signer", "number": 1}}, simple())
		lain.verb("finalize-docs", byPhone).ok()
		id := guestOf(sari, budi, "signer", 1)
		sari.verb("finalize-docs", id).ok()

		// Only a guest who entered the code in this session.
		guest := s.openLink(t, server.mailTo(t, budi, 1).guestLink(t))
		create := func(c *client, password string) *answer {
			return c.do("POST", "/v1/auth/guest/account", object{"password": password})
		}
		create(guest, guestPassword).is(403, "guest.code_required")
		create(sari, guestPassword).is(403, "guest.only")
		if _, offered := guest.get("detail", id).ok().object("data")["account_offer"]; offered {
			t.Error("an account is offered before the mailbox was verified")
		}
		guest.verifyMailbox(t, server, id, budi, 2)
		if offer := guest.get("detail", id).ok().object("data")["account_offer"].(object); offer["email"] != budi {
			t.Errorf("offered: %v", offer)
		}
		create(guest, "password1234").is(422)
		create(guest, guestPassword).ok()
		create(guest, guestPassword).is(409, "account.mailbox_has_one")
		if _, offered := guest.get("detail", id).ok().object("data")["account_offer"]; offered {
			t.Error("a second account is offered")
		}

		// Its inbox has what names the mailbox, by whichever organisation, as far as it is their turn to see it.
		account := &client{service: s, t: t, email: budi}
		login := account.do("POST", "/v1/auth/login", object{"email": budi, "password": guestPassword}).ok().object("data")
		account.token = login["token"].(string)
		if ids, total := account.inboxIDs(true, ""); !slices.Equal(ids, []int64{id, earlier}) || total != 2 {
			t.Errorf("inbox %v of %v, want %d and %d", ids, total, id, earlier)
		}
		if ids, _ := account.inboxIDs(true, "?waiting=me"); !slices.Equal(ids, []int64{id, earlier}) {
			t.Errorf("waiting: %v", ids)
		}
		if ids, total := account.inboxIDs(true, "?limit=1&page=2"); !slices.Equal(ids, []int64{earlier}) || total != 2 {
			t.Errorf("second page: %v of %v", ids, total)
		}
		counts := account.do("GET", documentPath+"counts", nil).ok().object("data")
		if counts["total_data"] != 2.0 || counts["waiting"] != 2.0 {
			t.Errorf("counts: %v", counts)
		}
		if ids, _ := account.inboxIDs(true, "?type=out"); len(ids) != 0 {
			t.Errorf("sent: %v", ids)
		}
		lain.verb("sign-docs", waiting).ok()
		lain.verb("finalize-docs", draft).ok()
		lain.verb("finalize-docs", other).ok()
		if ids, total := account.inboxIDs(true, ""); !slices.Equal(ids, []int64{id, other, draft, waiting, earlier}) || total != 5 {
			t.Errorf("later: %v of %v", ids, total)
		}

		// Without opening it as the guest the account may do nothing with a document, and with others nothing at all.
		account.get("detail", earlier).is(404, "document.not_found")
		account.get("download", earlier).is(404, "document.not_found")
		account.verb("sign-docs", earlier).is(404, "document.not_found")
		for _, hidden := range []int64{byPhone, nowhere} {
			account.openAsGuest(hidden).is(404, "document.not_found")
		}
		sari.openAsGuest(earlier).is(404, "document.not_found")
		sari.openAsGuest(nowhere).is(404, "document.not_found")
		guest.openAsGuest(earlier).is(403)

		// As the guest they need the code, as with the link that is mailed.
		opened := account.withToken(account.openAsGuest(earlier))
		opened.get("detail", earlier).ok()
		opened.get("detail", id).is(404, "document.not_found")
		opened.verb("sign-docs", earlier).is(403, "guest.code_required")
		opened.verifyMailbox(t, server, earlier, budiSpelled, 2)
		opened.verb("sign-docs", earlier).ok()
		lain.completed(earlier)
		opened.get("download", earlier).ok()

		// A corrected address and a revoked link end it at once, also if the address is corrected while the document is opened.
		by, err := s.identity.Authenticate(t.Context(), account.token)
		if err != nil {
			t.Fatal(err)
		}
		meanwhile := &correctingStore{Store: s.store, correct: func() {
			lain.verb("correct-guest-docs", other, "user_id", guestID(lain, other), "email", "hartono@example.test").ok()
		}}
		racing := identity.New(identity.Options{
			Store: meanwhile, Clock: s.clock, Random: rand.Reader, PublicURL: s.conf.BaseURL(), Log: s.log, LinkKey: s.sealer.DeriveKey("mailed links"),
			Delivers: s.delivers, GuestAccounts: true, Lifetimes: identity.Lifetimes{Guest: time.Hour},
		})
		if _, err := racing.OpenAsGuest(t.Context(), by, contract.DocumentID(other)); !errors.Is(err, contract.ErrNotFound) {
			t.Errorf("opened while the address was corrected: %v", err)
		}
		if _, err := s.store.Token(t.Context(), meanwhile.added.Hash); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the token that was added after the correction: %v", err)
		}
		opened = account.withToken(account.openAsGuest(draft))
		lain.verb("correct-guest-docs", draft, "user_id", guestID(lain, draft), "email", "hartono@example.test").ok()
		opened.get("detail", draft).is(401)
		account.openAsGuest(draft).is(404, "document.not_found")
		if ids, _ := account.inboxIDs(true, ""); slices.Contains(ids, draft) {
			t.Errorf("the inbox still has the document with another address: %v", ids)
		}
		opened = account.withToken(account.openAsGuest(id))

		// It expires with the session, and the limits of the session's organisation end it.
		at := func(later time.Duration) *identity.Service {
			return identity.New(identity.Options{
				Store: s.store, Clock: func() time.Time { return s.clock().Add(later) }, Random: rand.Reader, PublicURL: s.conf.BaseURL(), Log: s.log, LinkKey: s.sealer.DeriveKey("mailed links"),
				Delivers: s.delivers, GuestAccounts: true, Lifetimes: identity.Lifetimes{Guest: 100_000 * time.Hour},
			})
		}
		session, _, err := s.store.SessionOf(t.Context(), by.Session)
		if err != nil {
			t.Fatal(err)
		}
		before := s.clock()
		if long, err := at(0).OpenAsGuest(t.Context(), by, contract.DocumentID(id)); err != nil || before.Add(long.ExpiresIn).After(session.ExpiresAt) {
			t.Errorf("opened for %v, %v, and the session expires at %v", long.ExpiresIn, err, session.ExpiresAt)
		}
		setPolicy := func(to contract.AccountPolicy) {
			t.Helper()
			_, err := s.store.ChangeAccountPolicy(t.Context(), by.Organisation, s.clock(), func(p *contract.AccountPolicy) (contract.Event, error) {
				*p = to
				return contract.Event{Type: contract.EventPolicyChanged, At: s.clock()}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, limit := range []contract.AccountPolicy{{IdleLimit: time.Hour}, {AbsoluteLimit: time.Hour}} {
			setPolicy(limit)
			if _, err := at(50*time.Minute).Authenticate(t.Context(), opened.token); err != nil {
				t.Errorf("within %+v: %v", limit, err)
			}
			if _, err := at(70*time.Minute).Authenticate(t.Context(), opened.token); !errors.Is(err, contract.ErrUnauthenticated) {
				t.Errorf("beyond %+v: %v", limit, err)
			}
		}
		// A factor that is demanded now refuses it as it refuses the session, which has none.
		setPolicy(contract.AccountPolicy{LoginFactor: contract.FactorOfAdmins})
		opened.get("detail", id).ok()
		setPolicy(contract.AccountPolicy{LoginFactor: contract.FactorOfEveryone})
		opened.get("detail", id).is(401)
		if _, err := at(0).OpenAsGuest(t.Context(), by, contract.DocumentID(id)); !errors.Is(err, contract.ErrUnauthenticated) {
			t.Errorf("opened without the factor that is demanded: %v", err)
		}
		setPolicy(contract.AccountPolicy{})
		opened.get("detail", id).ok()
		sari.verb("guest-revoke-docs", id, "user_id", guestID(sari, id)).ok()
		opened.get("detail", id).is(401)
		account.openAsGuest(id).is(404, "guest.link_revoked")

		// The end of the session ends what was opened from it, and so does a new password.
		opened = account.withToken(account.openAsGuest(waiting))
		account.do("POST", "/v1/auth/logout", object{}).ok()
		opened.get("detail", waiting).is(401)
		account.token = account.do("POST", "/v1/auth/login", object{"email": budi, "password": guestPassword}).ok().object("data")["token"].(string)
		opened = account.withToken(account.openAsGuest(waiting))
		account.do("POST", "/v1/auth/password", object{"current": guestPassword, "new": "jendela-kayu-merah-7"}).ok()
		opened.get("detail", waiting).is(401)

		// The senders learn nothing.
		for _, owner := range []*client{sari, lain} {
			trail := string(owner.get("audit-trail", earlier).body) + string(owner.get("audit-trail", id).body) + string(owner.do("GET", "/v1/auth/list_user?search=budi", nil).ok().body)
			if strings.Contains(trail, "account_created") || strings.Contains(trail, "Membuat akun") || strings.Contains(trail, "Budi Santoso\",\"email\":\"budi@example.test\",\"avatar") {
				t.Errorf("%s", trail)
			}
		}
		for _, number := range []int64{id, earlier, waiting} {
			events, err := s.store.Events(context.Background(), contract.DocumentID(number))
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Type == contract.EventAccountCreated || strings.Contains(e.Details["link"], "account") {
					t.Errorf("document %d: %v", number, e)
				}
			}
		}
	})
}

// correctingStore corrects the address of a guest after it was read for [identity.Service.OpenAsGuest], and before their link is read.
type correctingStore struct {
	*sqlstore.Store
	correct func()
	once    sync.Once
	added   store.Token
}

func (c *correctingStore) MailedLinkOf(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (store.GuestLink, error) {
	c.once.Do(c.correct)
	return c.Store.MailedLinkOf(ctx, id, guest)
}

func (c *correctingStore) AddGuestToken(ctx context.Context, l store.GuestLink, t store.Token) error {
	c.added = t
	return c.Store.AddGuestToken(ctx, l, t)
}

func TestGuestsGetNoAccountWhereTheOperatorDoesNotAllowIt(t *testing.T) {
	t.Parallel()
	server, mail := startMailServer(t)
	s := start(t, mail...)
	owner := s.person(t, "Sari Wulandari", "PT Sari")
	id, guest := s.mailedGuest(t, owner, server, nil)
	guest.verifyMailbox(t, server, id, budi, 2)
	if _, offered := guest.get("detail", id).ok().object("data")["account_offer"]; offered {
		t.Error("an account is offered")
	}
	guest.do("POST", "/v1/auth/guest/account", object{"password": guestPassword}).is(http.StatusConflict, "account.not_offered")
}
