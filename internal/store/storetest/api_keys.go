package storetest

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// addKeyHolder adds an organisation with an account that may have API keys.
func (b *fixture) addKeyHolder(id string) store.User {
	b.t.Helper()
	b.must(b.CreateOrganisation(b.ctx, store.Organisation{ID: contract.OrganisationID("o-" + id), Name: "PT " + id}))
	u := newUser(id, "Siti", id+"@segel.test", "o-"+id)
	b.must(b.CreateUser(b.ctx, u))
	return u
}

func (b *fixture) newKey(n byte, u store.User) contract.APIKey {
	return contract.APIKey{
		ID: contract.KeyID(fmt.Sprintf("key-%s-%03d", u.ID, n)), Organisation: u.Organisation, Person: u.ID, Name: "ERP", Hint: "sgl_ak_Ab3d",
		Scopes: []contract.KeyScope{contract.ScopeRead, contract.ScopeStamp}, Networks: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		CreatedAt: b.now.Add(time.Duration(n) * time.Second).Truncate(time.Microsecond), ExpiresAt: b.now.Add(time.Hour).Truncate(time.Microsecond),
	}
}

func (b *fixture) keyEvent(t contract.EventType, k contract.APIKey) contract.Event {
	return contract.Event{Type: t, At: b.now.Truncate(time.Microsecond), Details: map[string]string{"organisation": string(k.Organisation), "key": string(k.ID)}}
}

func (b *fixture) addKey(k contract.APIKey, hash byte) error {
	return b.AddAPIKey(b.ctx, k, [32]byte{hash}, b.keyEvent(contract.EventKeyCreated, k))
}

var apiKeyTests = map[string]func(*testing.T, *fixture){
	"AnAPIKeyIsReadAsItWasAdded": func(t *testing.T, b *fixture) {
		u, other := b.addKeyHolder("k1"), b.addKeyHolder("k2")
		k, open, foreign := b.newKey(1, u), b.newKey(2, u), b.newKey(3, other)
		open.Networks, open.ExpiresAt, open.Test, open.Scopes = nil, time.Time{}, true, contract.KeyScopes[:4]
		before := b.eventCount()
		for i, k := range []contract.APIKey{k, open, foreign} {
			b.must(b.addKey(k, byte(i+1)))
		}
		b.requireEqual("events", b.eventCount()-before, int64(3))
		requireRead(b, "key", k)(b.APIKey(b.ctx, k.ID))
		requireRead(b, "keys of a person", store.KeyPage{Keys: []contract.APIKey{open, k}, Total: 2})(b.ListAPIKeys(b.ctx, store.KeyQuery{Person: u.ID, Limit: 9}))
		requireRead(b, "keys of an organisation", store.KeyPage{Keys: []contract.APIKey{foreign}, Total: 1})(b.ListAPIKeys(b.ctx, store.KeyQuery{Organisation: other.Organisation, Limit: 9}))
		requireRead(b, "a page", store.KeyPage{Keys: []contract.APIKey{open}, Total: 3})(b.ListAPIKeys(b.ctx, store.KeyQuery{Offset: 1, Limit: 1}))
		requireRead(b, "presented", store.PresentedKey{Key: open, Scopes: open.Scopes})(b.PresentedKey(b.ctx, [32]byte{2}, "192.0.2.1"))
		_, err := b.PresentedKey(b.ctx, [32]byte{9}, "192.0.2.1")
		b.requireError("another secret", err, store.ErrNotFound)
		_, err = b.APIKey(b.ctx, "none")
		b.requireError("another key", err, store.ErrNotFound)
		if err := b.addKey(b.newKey(9, u), 1); err == nil {
			t.Error("two keys have one secret")
		}
	},
	"APIKeysAreSelectedByNameHolderAndStatus": func(t *testing.T, b *fixture) {
		u, other := b.addKeyHolder("k7"), b.addKeyHolder("k8")
		active, expired, revoked, foreign := b.newKey(1, u), b.newKey(2, u), b.newKey(3, u), b.newKey(4, other)
		active.Name, expired.Name, revoked.Name, revoked.Hint, foreign.Name = "ERP 100%", "École", "Payroll", "sgl_ak_Zz9x", "erp"
		expired.ExpiresAt, foreign.ExpiresAt = b.now.Truncate(time.Microsecond), time.Time{}
		for i, k := range []contract.APIKey{active, expired, revoked, foreign} {
			b.must(b.addKey(k, byte(i+1)))
		}
		e := b.keyEvent(contract.EventKeyRevoked, revoked)
		b.must(b.RevokeAPIKey(b.ctx, revoked.ID, e))
		revoked.RevokedAt = e.At
		selected := func(q store.KeyQuery, want ...contract.APIKey) {
			t.Helper()
			q.Now, q.Limit = expired.ExpiresAt, 9
			got, err := b.ListAPIKeys(b.ctx, q)
			b.must(err)
			b.requireEqual(fmt.Sprintf("total of %+v", q), got.Total, len(want))
			if len(got.Keys) != len(want) {
				t.Fatalf("%+v: %d keys", q, len(got.Keys))
			}
			for i, k := range got.Keys {
				b.requireEqual("key", k, want[i])
				if q.Status != "" {
					b.requireEqual("status", k.Status(q.Now), q.Status)
				}
			}
		}
		selected(store.KeyQuery{Search: "erp"}, foreign, active)
		selected(store.KeyQuery{Search: "0%"}, active)
		selected(store.KeyQuery{Search: "_"}, foreign, revoked, expired, active) // of the hint; no wildcard
		selected(store.KeyQuery{Search: "%"}, active)
		selected(store.KeyQuery{Search: "École"}, expired)
		selected(store.KeyQuery{Search: "AK_zz9"}, revoked)
		selected(store.KeyQuery{Search: "K8@SEGEL"}, foreign)
		selected(store.KeyQuery{Search: "siti", Organisation: u.Organisation}, revoked, expired, active)
		selected(store.KeyQuery{Search: "siti", Person: u.ID})
		selected(store.KeyQuery{Search: "payroll", Person: u.ID}, revoked)
		selected(store.KeyQuery{Search: strings.Repeat("x", 20_000)})
		selected(store.KeyQuery{Organisation: u.Organisation, Status: contract.KeyActive}, active)
		selected(store.KeyQuery{Organisation: u.Organisation, Status: contract.KeyExpired}, expired)
		selected(store.KeyQuery{Organisation: u.Organisation, Status: contract.KeyRevoked}, revoked)
		selected(store.KeyQuery{Organisation: other.Organisation, Status: contract.KeyActive, Search: "ERP"}, foreign)
	},
	"AnAPIKeyIsRevokedOnce": func(t *testing.T, b *fixture) {
		k := b.newKey(1, b.addKeyHolder("k3"))
		b.must(b.addKey(k, 1))
		before := b.eventCount()
		won := b.runCrowd(5, store.ErrConflict, func(int) error { return b.RevokeAPIKey(b.ctx, k.ID, b.keyEvent(contract.EventKeyRevoked, k)) })
		b.requireEqual("revocations", won, 1)
		b.requireEqual("events", b.eventCount()-before, int64(1))
		got, err := b.PresentedKey(b.ctx, [32]byte{1}, "")
		b.must(err)
		b.requireEqual("revoked at", got.Key.RevokedAt, b.now.Truncate(time.Microsecond))
		b.requireError("token of a revoked key", b.AddKeyToken(b.ctx, store.KeyToken{Hash: [32]byte{7}, Key: k.ID, ExpiresAt: b.now.Add(time.Hour)}), store.ErrNotFound)
	},
	"DisablingAnAccountRevokesItsAPIKeys": func(t *testing.T, b *fixture) {
		u := b.addKeyHolder("k4")
		k := b.newKey(1, u)
		b.must(b.addKey(k, 1))
		b.must(b.DisableUser(b.ctx, u.ID, contract.Event{Type: contract.EventPersonDisabled, At: b.now, Details: map[string]string{"organisation": string(u.Organisation)}}))
		b.requireError("a key of a disabled account", b.addKey(b.newKey(2, u), 2), store.ErrNotFound)
		b.must(b.EnableUser(b.ctx, u.ID, contract.Event{Type: contract.EventPersonEnabled, At: b.now}))
		got, err := b.APIKey(b.ctx, k.ID)
		b.must(err)
		b.requireEqual("ended for good", got.HasEnded(b.now), true)
		b.must(b.addKey(b.newKey(3, u), 3))
	},
	"APersonHasABoundedNumberOfAPIKeys": func(t *testing.T, b *fixture) {
		u := b.addKeyHolder("k5")
		for i := range byte(contract.MaxKeysPerPerson - 2) {
			k := b.newKey(i, u)
			if i == 0 {
				k.ExpiresAt = b.now.Truncate(time.Microsecond) // does not count
			}
			b.must(b.addKey(k, i))
		}
		won := b.runCrowd(6, contract.ErrKeyLimit, func(i int) error { return b.addKey(b.newKey(byte(100+i), u), byte(100+i)) })
		b.requireEqual("keys beyond the others", won, 3)
	},
	"AnAccessTokenOfAnAPIKeyHasItsOwnScopes": func(t *testing.T, b *fixture) {
		k := b.newKey(1, b.addKeyHolder("k6"))
		b.must(b.addKey(k, 1))
		token := store.KeyToken{Hash: [32]byte{2}, Key: k.ID, Scopes: []contract.KeyScope{contract.ScopeRead}, CreatedAt: b.now, ExpiresAt: b.now.Add(time.Minute).Truncate(time.Microsecond)}
		b.must(b.AddKeyToken(b.ctx, token))
		requireRead(b, "token", store.PresentedKey{Key: k, Scopes: token.Scopes, Until: token.ExpiresAt})(b.PresentedToken(b.ctx, token.Hash, ""))
		_, err := b.PresentedToken(b.ctx, [32]byte{1}, "")
		b.requireError("the key is no token", err, store.ErrNotFound)
		b.must(b.PurgeKeys(b.ctx, token.ExpiresAt, b.now))
		_, err = b.PresentedToken(b.ctx, token.Hash, "")
		b.must(err)
		b.must(b.PurgeKeys(b.ctx, token.ExpiresAt.Add(time.Second), b.now))
		_, err = b.PresentedToken(b.ctx, token.Hash, "")
		b.requireError("after the purge", err, store.ErrNotFound)
		b.must(b.RevokeAPIKey(b.ctx, k.ID, b.keyEvent(contract.EventKeyRevoked, k)))
	},
	"ANewNetworkOfAnAPIKeyIsOneEvent": func(t *testing.T, b *fixture) {
		k := b.newKey(1, b.addKeyHolder("k7"))
		b.must(b.addKey(k, 1))
		use := func(network string, refused bool) error {
			return b.RecordKeyUse(b.ctx, store.KeyUse{Key: k.ID, Network: network, Refused: refused, At: b.now}, 2, b.keyEvent(contract.EventKeyNetwork, k))
		}
		events := func(when string, want int64, do func()) {
			t.Helper()
			before := b.eventCount()
			do()
			b.requireEqual(when, b.eventCount()-before, want)
		}
		events("at the same moment", 1, func() { b.runCrowd(5, nil, func(int) error { return use("192.0.2.1", false) }) })
		b.advance(time.Minute)
		events("the same again", 0, func() { b.must(use("192.0.2.1", false)) })
		got, err := b.PresentedKey(b.ctx, [32]byte{1}, "192.0.2.1")
		b.must(err)
		b.requireEqual("used at", got.UsedAt, b.now.Truncate(time.Microsecond))
		events("refused from there", 1, func() { b.must(use("192.0.2.1", true)) })
		got, err = b.PresentedKey(b.ctx, [32]byte{1}, "192.0.2.1")
		b.must(err)
		b.requireEqual("refused at", got.RefusedAt, b.now.Truncate(time.Microsecond))
		b.advance(time.Minute)
		events("others", 2, func() { b.must(use("192.0.2.2", false)); b.advance(time.Minute); b.must(use("192.0.2.3", false)) })
		listed, err := b.APIKey(b.ctx, k.ID)
		b.must(err)
		b.requireEqual("last use", fmt.Sprint(listed.LastNetwork, listed.LastUsedAt.Equal(b.now.Truncate(time.Microsecond))), "192.0.2.3true")
		got, err = b.PresentedKey(b.ctx, [32]byte{1}, "192.0.2.1")
		b.must(err)
		b.requireEqual("the one used longest ago is forgotten", got.UsedAt.IsZero(), true)
		b.must(b.PurgeKeys(b.ctx, b.now, b.now.Add(time.Second)))
		events("after the purge", 1, func() { b.must(use("192.0.2.3", false)) })
	},
}
