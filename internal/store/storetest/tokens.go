package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

func newToken(n byte, k store.TokenKind, person, family string) store.Token {
	at := start.Truncate(time.Microsecond)
	return store.Token{Hash: [32]byte{n}, Kind: k, Person: contract.PersonID(person), Family: family, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}
}

// requireGone requires that, of the tokens 1 to n, exactly those in want are gone.
func (b *fixture) requireGone(t *testing.T, n byte, want ...byte) {
	t.Helper()
	var got []byte
	for i := byte(1); i <= n; i++ {
		_, err := b.Token(b.ctx, [32]byte{i})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		if err != nil {
			got = append(got, i)
		}
	}
	b.requireEqual("tokens that are gone", got, want)
}

var tokenTests = map[string]func(*testing.T, *fixture){
	"ATokenIsReadAsItWasAdded": func(t *testing.T, b *fixture) {
		k := newToken(1, store.GuestToken, "u1", "f")
		k.Document = 7
		b.must(b.AddTokens(b.ctx, contract.Session{}, k, newToken(2, store.AccessToken, "u1", "f")))
		requireRead(b, "token", k)(b.Token(b.ctx, k.Hash))
		b.requireGone(t, 3, 3)
		if err := b.AddTokens(b.ctx, contract.Session{}, newToken(3, store.AccessToken, "u1", "f"), k); err == nil {
			t.Fatal("a token was added twice")
		}
		b.requireGone(t, 3, 3)
	},
	"ATokenIsReadWithItsHolder": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		u := store.User{Person: contract.Person{ID: "holder", Name: "H", Email: "holder@example.test"}, Organisation: "org", Admin: true, Password: "p", MustReset: true, Given: true, CreatedAt: now}
		b.must(b.CreateUser(b.ctx, u))
		d := b.uploadDraft(owner, func(d *contract.Upload) {
			d.Participants = append(d.Participants, contract.Participant{Person: newPerson("guest"), Phone: "+628123456789", Role: contract.Viewer, Number: 4, Guest: true})
			d.Delivery.Channels = map[contract.PersonID]contract.Channel{"guest": contract.ChannelWhatsApp}
		})
		d = b.finalizeDraft(d, owner)
		c, err := contract.Cancel(&d, "no", owner, limits, b.now)
		d = b.commitChange(c, err)
		token := func(n byte, kind store.TokenKind, person contract.PersonID, id contract.DocumentID) store.Token {
			return store.Token{Hash: [32]byte{n}, Kind: kind, Person: person, Document: id, Family: "f", CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		}
		guest := store.Guest{Person: newPerson("guest"), Phone: "+628123456789", Channel: contract.ChannelWhatsApp, State: d.State, EndedAt: d.EndedAt}
		for _, want := range []struct {
			store.Token
			user  store.User
			guest store.Guest
		}{
			{token(1, store.AccessToken, u.ID, 0), u, store.Guest{}},
			{token(2, store.GuestToken, "guest", d.ID), store.User{}, guest},
			{token(3, store.GuestToken, "guest", d.ID+1000), store.User{}, store.Guest{}},
			{token(4, store.GuestToken, first.ID, d.ID), store.User{}, store.Guest{}}, // a participant who is not a guest
		} {
			b.must(b.AddTokens(b.ctx, contract.Session{}, want.Token))
			requireRead(b, "token", store.HeldToken{Token: want.Token, User: want.user, Guest: want.guest})(b.TokenWithHolder(b.ctx, want.Hash))
		}
		_, err = b.TokenWithHolder(b.ctx, [32]byte{9})
		b.requireError("no token", err, store.ErrNotFound)
		before := d
		d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: "guest", Hash: [32]byte{7}}}, nil)
		l, got, err := b.GuestLink(b.ctx, [32]byte{7})
		b.must(err)
		b.requireEqual("link", l, store.GuestLink{Hash: [32]byte{7}, Document: d.ID, Person: "guest", CreatedAt: now})
		b.requireEqual("guest of the link", got, guest)
		b.must(b.AddGuestToken(b.ctx, store.GuestLink{Hash: [32]byte{7}}, token(5, store.GuestToken, "guest", d.ID)))
		requireRead(b, "token", token(5, store.GuestToken, "guest", d.ID))(b.Token(b.ctx, [32]byte{5}))
		for what, err := range map[string]error{
			"another link":     b.AddGuestToken(b.ctx, store.GuestLink{Hash: [32]byte{8}}, token(6, store.GuestToken, "guest", d.ID)),
			"another document": b.AddGuestToken(b.ctx, store.GuestLink{Hash: [32]byte{7}}, token(6, store.GuestToken, "guest", d.ID+1)),
			"another guest":    b.AddGuestToken(b.ctx, store.GuestLink{Hash: [32]byte{7}}, token(6, store.GuestToken, first.ID, d.ID)),
		} {
			b.requireError(what, err, store.ErrNotFound)
		}
		b.requireGone(t, 6, 2, 6) // the link ended the guest's earlier token
	},
	"ARefreshTokenIsUsedOnce": func(t *testing.T, b *fixture) {
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.RefreshToken, "u1", "f")))
		won := b.runCrowd(10, store.ErrConflict, func(int) error { return b.RotateTokens(b.ctx, [32]byte{1}, b.now, b.now, contract.Session{}) })
		b.requireEqual("uses", won, 1)
		k, err := b.Token(b.ctx, [32]byte{1})
		b.must(err)
		b.requireEqual("use", k.UsedAt, b.now.Truncate(time.Microsecond))
		b.requireError("use of a token that never existed", b.RotateTokens(b.ctx, [32]byte{2}, b.now, b.now, contract.Session{}, newToken(3, store.AccessToken, "u1", "f")), store.ErrNotFound)
		b.requireGone(t, 3, 2, 3)
	},
	"RotatingEndsTheAccessTokensOfTheFamilyAlone": func(t *testing.T, b *fixture) {
		access, soon, other, session := newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.AccessToken, "u1", "f"), newToken(3, store.AccessToken, "u1", "g"), newToken(4, store.SessionToken, "u1", "f")
		until := access.CreatedAt.Add(time.Minute)
		soon.ExpiresAt = until.Add(-time.Second)
		b.must(b.AddTokens(b.ctx, contract.Session{}, access, soon, other, session, newToken(5, store.RefreshToken, "u1", "f")))
		b.must(b.RotateTokens(b.ctx, [32]byte{5}, access.CreatedAt, until, contract.Session{}, newToken(6, store.AccessToken, "u1", "f"), newToken(7, store.RefreshToken, "u1", "f")))
		access.ExpiresAt = until
		for _, want := range []store.Token{access, soon, other, session, newToken(6, store.AccessToken, "u1", "f"), newToken(7, store.RefreshToken, "u1", "f")} {
			requireRead(b, "token", want)(b.Token(b.ctx, want.Hash))
		}
		b.requireError("used again", b.RotateTokens(b.ctx, [32]byte{5}, b.now, until, contract.Session{}, newToken(8, store.AccessToken, "u1", "f")), store.ErrConflict)
		b.requireGone(t, 8, 8)
	},
	"TokensAreRevokedByFamily": func(t *testing.T, b *fixture) {
		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.RefreshToken, "u1", "f"),
			newToken(3, store.SessionToken, "u1", "g"), newToken(4, store.AccessToken, "u2", "h")))
		b.must(b.RevokeFamily(b.ctx, "f"))
		b.requireGone(t, 4, 1, 2)
	},
	"ExpiredTokensArePurged": func(t *testing.T, b *fixture) {
		k := newToken(1, store.AccessToken, "u1", "f")
		b.must(b.AddTokens(b.ctx, contract.Session{}, k))
		b.must(b.PurgeTokens(b.ctx, k.ExpiresAt))
		b.requireGone(t, 1)
		b.must(b.PurgeTokens(b.ctx, k.ExpiresAt.Add(time.Second)))
		b.requireGone(t, 1, 1)
	},
	"ANewLinkTakesBackTheFormerOneAndItsTokens": func(t *testing.T, b *fixture) {
		d1, d2 := b.uploadDraft(owner), b.uploadDraft(owner)
		link := func(n byte, d *contract.Document, guest contract.PersonID) store.GuestLink {
			b.advance(time.Second)
			before := *d
			*d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, GuestLink: &contract.GuestLink{Guest: guest, Hash: [32]byte{n}}}, nil)
			return store.GuestLink{Hash: [32]byte{n}, Document: d.ID, Person: guest, CreatedAt: b.now.Truncate(time.Microsecond)}
		}
		revoke := func(d contract.Document, guest contract.PersonID) contract.Document {
			return b.commitChange(contract.Change{Before: &d, After: d, At: b.now, GuestLink: &contract.GuestLink{Guest: guest}}, nil)
		}
		guest := func(n byte, d contract.Document, person string) store.Token {
			k := newToken(n, store.GuestToken, person, "link")
			k.Document = d.ID
			return k
		}
		link(1, &d1, "g1")
		others := []store.GuestLink{link(2, &d1, "g2"), link(3, &d2, "g1")}
		b.must(b.AddTokens(b.ctx, contract.Session{}, guest(1, d1, "g1"), guest(2, d1, "g2"), guest(3, d2, "g1")))
		now := link(4, &d1, "g1")
		b.requireGone(t, 3, 1)
		readLink := func(n byte) (store.GuestLink, error) {
			l, _, err := b.GuestLink(b.ctx, [32]byte{n})
			return l, err
		}
		_, err := readLink(1)
		b.requireError("the replaced link", err, store.ErrNotFound)
		for _, want := range append(others, now) {
			requireRead(b, "link", want)(readLink(want.Hash[0]))
		}
		d1 = revoke(d1, "g2")
		b.requireGone(t, 3, 1, 2)
		_, err = readLink(2)
		b.requireError("the revoked link", err, store.ErrNotFound)
		for _, hash := range []byte{3, 4} {
			_, err := readLink(hash)
			b.must(err)
		}
		revoke(d1, "g2") // no such link
		for hash, revoked := range map[byte]bool{1: false, 2: true} {
			former, err := b.FormerGuestLink(b.ctx, [32]byte{hash})
			b.must(err)
			if former.Document != d1.ID || former.Revoked != revoked || former.Person != contract.PersonID(fmt.Sprint("g", hash)) || former.EndedAt.IsZero() {
				t.Errorf("former link %d is %+v", hash, former)
			}
		}
		for _, hash := range []byte{3, 4, 9} {
			_, err := b.FormerGuestLink(b.ctx, [32]byte{hash})
			b.requireError("a link that did not end", err, store.ErrNotFound)
		}
		requireRead(b, "links of a document", []store.GuestLink{now})(b.GuestLinks(b.ctx, d1.ID))
		requireRead(b, "links of another document", []store.GuestLink{others[1]})(b.GuestLinks(b.ctx, d2.ID))
	},
}

var callerTests = map[string]func(*testing.T, *fixture){
	"ACallerIsKnownToTheAccountsItLoggedInTo": func(t *testing.T, b *fixture) {
		b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: "o-callers", Name: "Callers"}))
		siti, budi := newUser("c1", "Siti", "Siti@segel.test", "o-callers"), newUser("c2", "Budi", "budi@segel.test", "o-callers")
		b.must(b.CreateUser(b.ctx, siti))
		b.must(b.CreateUser(b.ctx, budi))
		home, work := store.Caller{Device: [32]byte{1}, Address: "203.0.113.7"}, store.Caller{Device: [32]byte{2}, Address: "198.51.100.1"}
		b.must(b.RememberCaller(b.ctx, siti.ID, home, b.now, 5, nil))
		none := []store.Known{}
		at := func(device, address bool) []store.Known {
			return []store.Known{{Account: siti.ID, Organisation: siti.Organisation, Device: device, Address: address}}
		}
		for _, c := range []struct {
			email string
			from  store.Caller
			since time.Time
			want  []store.Known
		}{
			{"SITI@segel.test", home, b.now, at(true, true)},
			{"siti@segel.test", home, b.now.Add(time.Second), none},
			{"siti@segel.test", store.Caller{Device: home.Device, Address: work.Address}, b.now, at(true, false)},
			{"siti@segel.test", store.Caller{Address: home.Address}, b.now, at(false, true)},
			{"siti@segel.test", work, b.now, none},
			{"budi@segel.test", home, b.now, none},
			{"none@segel.test", home, b.now, none},
		} {
			requireRead(b, fmt.Sprintf("%s from %v", c.email, c.from.Address), c.want)(b.KnownCaller(b.ctx, c.from, c.since, c.email))
		}

		// The list is bounded; the least recently used entry is removed.
		for i := range byte(3) {
			b.must(b.RememberCaller(b.ctx, siti.ID, store.Caller{Device: [32]byte{10 + i}, Address: fmt.Sprint(i)}, b.now.Add(time.Duration(i+1)*time.Second), 2, nil))
		}
		for i, want := range [][]store.Known{none, at(true, true), at(true, true)} {
			requireRead(b, "one of three", want)(b.KnownCaller(b.ctx, store.Caller{Device: [32]byte{10 + byte(i)}, Address: fmt.Sprint(i)}, b.now, siti.Email))
		}
		b.must(b.PurgeCallers(b.ctx, b.now.Add(3*time.Second)))
		requireRead(b, "after the purge", none)(b.KnownCaller(b.ctx, store.Caller{Device: [32]byte{11}, Address: "1"}, b.now, siti.Email))

		// A new password forgets what the previous one had made known.
		b.must(b.SetPassword(b.ctx, siti.ID, "", "other", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		requireRead(b, "after another password", none)(b.KnownCaller(b.ctx, store.Caller{Device: [32]byte{12}, Address: "2"}, b.now, siti.Email))
	},
	"ACallerIsKnownToEachAccountOfAnAddressByItself": func(t *testing.T, b *fixture) {
		var users []store.User
		for i, o := range []contract.OrganisationID{"o-one", "o-two", "o-three"} {
			b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: o, Name: string(o)}))
			u := newUser(fmt.Sprint("k", 9-i), "Siti", "siti@segel.test", string(o))
			u.CreatedAt = u.CreatedAt.Add(time.Duration(i) * time.Second)
			b.must(b.CreateUser(b.ctx, u))
			users = append(users, u)
		}
		home := store.Caller{Device: [32]byte{1}, Address: "203.0.113.7"}
		known := func(from store.Caller, want ...store.Known) {
			t.Helper()
			requireRead(b, "known to", append([]store.Known{}, want...))(b.KnownCaller(b.ctx, from, b.now, "siti@segel.test", "none@segel.test"))
		}
		known(home)
		b.must(b.RememberCaller(b.ctx, users[2].ID, home, b.now, 5, nil))
		third := store.Known{Account: users[2].ID, Organisation: "o-three", Device: true, Address: true}
		known(home, third)
		b.must(b.RememberCaller(b.ctx, users[0].ID, store.Caller{Device: [32]byte{2}, Address: home.Address}, b.now, 5, nil))
		known(home, store.Known{Account: users[0].ID, Organisation: "o-one", Address: true}, third)
		b.must(b.SetPassword(b.ctx, users[0].ID, "", "other", contract.Event{Type: contract.EventPasswordChange, At: b.now}))
		known(home, third)
	},
}
