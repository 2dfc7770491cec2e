package storetest

import (
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

var embedTests = map[string]func(*testing.T, *fixture){
	"AnAddressOfAnEmbeddedPageIsUsedOnceAndReadWithWhatEndsIt": func(t *testing.T, b *fixture) {
		now := b.now.Truncate(time.Microsecond)
		u := store.User{Person: owner.Person, Organisation: "org", Password: "p", CreatedAt: now}
		b.must(b.CreateUser(b.ctx, u))
		login := newSession("login", string(owner.ID))
		b.must(b.AddTokens(b.ctx, login, newToken(1, store.AccessToken, string(owner.ID), "login")))
		set := func(origins ...string) {
			b.must(b.SetEmbedOrigins(b.ctx, "org", origins, b.now, contract.Event{Type: contract.EventEmbeddingChanged, At: b.now, Details: map[string]string{"organisation": "org"}}))
		}
		origins := []string{"https://erp.contoh.id", "http://localhost:3000"}
		set(origins...)
		requireRead(b, "origins", origins)(b.EmbedOrigins(b.ctx, "org"))
		requireRead(b, "origins of another", []string{})(b.EmbedOrigins(b.ctx, "other"))
		state := func(to contract.OrganisationState) {
			b.must(b.SetOrganisationState(b.ctx, "org", to, "", contract.Event{Type: contract.EventOrganisationSuspended, At: b.storedNow()}))
		}
		state(contract.OrganisationSuspended)
		requireRead(b, "origins of a suspended organisation", []string{})(b.EmbedOrigins(b.ctx, "org"))
		requireRead(b, "those that are stored", origins)(b.StoredEmbedOrigins(b.ctx, "org"))
		state(contract.OrganisationActive)
		requireRead(b, "stored origins of another", []string{})(b.StoredEmbedOrigins(b.ctx, "other"))
		d := b.uploadDraft(owner)
		a := contract.EmbedAddress{
			Hash: [32]byte{7}, Organisation: "org", Document: d.ID, Person: owner.ID, Purpose: contract.EmbedPlace, Origins: origins[:1], By: owner.Person, Session: "login",
			CreatedAt: now, ExpiresAt: now.Add(contract.EmbedAddressLifetime),
		}
		commit := func(c contract.Change) (contract.Document, error) {
			before := d
			c.Before, c.After, c.At = &before, before, b.now
			return b.Commit(b.ctx, c)
		}
		d = b.commitChange(contract.Change{Before: &d, After: d, At: b.now, Embed: &a}, nil)
		held := store.HeldEmbed{
			EmbedAddress: a, Listed: origins, Requester: true, Granted: true,
			From: contract.Session{Family: "login", CreatedAt: login.CreatedAt, LastUsedAt: login.LastUsedAt},
		}
		requireRead(b, "address", held)(b.EmbedOfAddress(b.ctx, a.Hash, now))
		_, err := b.EmbedOfAddress(b.ctx, [32]byte{8}, now)
		b.requireError("no address", err, store.ErrNotFound)

		opened := contract.OpenedEmbed{Address: a.Hash, Person: owner.ID, Token: [32]byte{9}, Origin: origins[0], ExpiresAt: now.Add(time.Hour)}
		d = b.commitChange(contract.Change{Before: &d, After: d, At: b.now, OpenedEmbed: &opened}, nil)
		held.OpenedAt, held.Origin = now, origins[0]
		requireRead(b, "opened", held)(b.EmbedOfAddress(b.ctx, a.Hash, now))
		token := store.Token{Hash: opened.Token, Kind: store.EmbeddedToken, Person: owner.ID, Document: d.ID, Family: store.EmbeddedFamilyOf(a.Hash), CreatedAt: now, ExpiresAt: opened.ExpiresAt}
		requireRead(b, "token", store.HeldToken{Token: token, User: u})(b.TokenWithHolder(b.ctx, opened.Token))
		opened.Token = [32]byte{10}
		_, err = commit(contract.Change{OpenedEmbed: &opened})
		b.requireError("a second use", err, contract.ErrEmbedUsed)
		b.requireEqual("allowed", held.IsAllowed(now), true)
		idle := held
		idle.Policy.IdleLimit = time.Minute
		b.requireEqual("allowed until the session of the requester is idle for too long",
			[]bool{idle.IsAllowed(login.LastUsedAt.Add(time.Minute - 1)), idle.IsAllowed(login.LastUsedAt.Add(time.Minute))}, []bool{true, false})

		set(origins[1])
		held.Listed = origins[1:]
		b.requireEqual("allowed without the origin", held.IsAllowed(now), false)
		requireRead(b, "after the origin", held)(b.EmbedOfAddress(b.ctx, a.Hash, now))
		b.must(b.RevokeFamily(b.ctx, "login"))
		held.Granted, held.From = false, contract.Session{}
		requireRead(b, "after the login", held)(b.EmbedOfAddress(b.ctx, a.Hash, now))
		_, err = b.Token(b.ctx, [32]byte{9})
		b.must(err)
		b.must(b.PurgeTokens(b.ctx, now.Add(contract.EmbedAddressLifetime+contract.EmbedRemembered)))
		requireRead(b, "remembered", held)(b.EmbedOfAddress(b.ctx, a.Hash, now))
		_, err = commit(contract.Change{Delete: true})
		b.must(err)
		_, err = b.EmbedOfAddress(b.ctx, a.Hash, now)
		b.requireError("the address of a deleted draft", err, store.ErrNotFound)
	},
}
