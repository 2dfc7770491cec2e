package storetest

import (
	"errors"
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
		b.must(b.AddTokens(b.ctx, k, newToken(2, store.AccessToken, "u1", "f")))
		requireRead(b, "token", k)(b.Token(b.ctx, k.Hash))
		b.requireGone(t, 3, 3)
		if err := b.AddTokens(b.ctx, newToken(3, store.AccessToken, "u1", "f"), k); err == nil {
			t.Fatal("a token was added twice")
		}
		b.requireGone(t, 3, 3)
	},
	"ARefreshTokenIsUsedOnce": func(t *testing.T, b *fixture) {
		b.must(b.AddTokens(b.ctx, newToken(1, store.RefreshToken, "u1", "f")))
		won := b.runCrowd(10, store.ErrConflict, func(int) error { return b.RotateTokens(b.ctx, [32]byte{1}, b.now, b.now) })
		b.requireEqual("uses", won, 1)
		k, err := b.Token(b.ctx, [32]byte{1})
		b.must(err)
		b.requireEqual("use", k.UsedAt, b.now.Truncate(time.Microsecond))
		b.requireError("use of a token that never existed", b.RotateTokens(b.ctx, [32]byte{2}, b.now, b.now, newToken(3, store.AccessToken, "u1", "f")), store.ErrNotFound)
		b.requireGone(t, 3, 2, 3)
	},
	"RotatingEndsTheAccessTokensOfTheFamilyAlone": func(t *testing.T, b *fixture) {
		access, soon, other, session := newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.AccessToken, "u1", "f"), newToken(3, store.AccessToken, "u1", "g"), newToken(4, store.SessionToken, "u1", "f")
		until := access.CreatedAt.Add(time.Minute)
		soon.ExpiresAt = until.Add(-time.Second)
		b.must(b.AddTokens(b.ctx, access, soon, other, session, newToken(5, store.RefreshToken, "u1", "f")))
		b.must(b.RotateTokens(b.ctx, [32]byte{5}, access.CreatedAt, until, newToken(6, store.AccessToken, "u1", "f"), newToken(7, store.RefreshToken, "u1", "f")))
		access.ExpiresAt = until
		for _, want := range []store.Token{access, soon, other, session, newToken(6, store.AccessToken, "u1", "f"), newToken(7, store.RefreshToken, "u1", "f")} {
			requireRead(b, "token", want)(b.Token(b.ctx, want.Hash))
		}
		b.requireError("used again", b.RotateTokens(b.ctx, [32]byte{5}, b.now, until, newToken(8, store.AccessToken, "u1", "f")), store.ErrConflict)
		b.requireGone(t, 8, 8)
	},
	"TokensAreRevokedByFamily": func(t *testing.T, b *fixture) {
		b.must(b.AddTokens(b.ctx, newToken(1, store.AccessToken, "u1", "f"), newToken(2, store.RefreshToken, "u1", "f"),
			newToken(3, store.SessionToken, "u1", "g"), newToken(4, store.AccessToken, "u2", "h")))
		b.must(b.RevokeFamily(b.ctx, "f"))
		b.requireGone(t, 4, 1, 2)
	},
	"ExpiredTokensArePurged": func(t *testing.T, b *fixture) {
		k := newToken(1, store.AccessToken, "u1", "f")
		b.must(b.AddTokens(b.ctx, k))
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
		b.must(b.AddTokens(b.ctx, guest(1, d1, "g1"), guest(2, d1, "g2"), guest(3, d2, "g1")))
		now := link(4, &d1, "g1")
		b.requireGone(t, 3, 1)
		_, err := b.GuestLink(b.ctx, [32]byte{1})
		b.requireError("the replaced link", err, store.ErrNotFound)
		for _, want := range append(others, now) {
			requireRead(b, "link", want)(b.GuestLink(b.ctx, want.Hash))
		}
		d1 = revoke(d1, "g2")
		b.requireGone(t, 3, 1, 2)
		_, err = b.GuestLink(b.ctx, [32]byte{2})
		b.requireError("the revoked link", err, store.ErrNotFound)
		for _, hash := range []byte{3, 4} {
			_, err := b.GuestLink(b.ctx, [32]byte{hash})
			b.must(err)
		}
		revoke(d1, "g2") // no such link
	},
}
