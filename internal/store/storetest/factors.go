package storetest

import (
	"fmt"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// factorEvent returns an event about the factors of an account.
func (b *fixture) factorEvent() contract.Event {
	return contract.Event{Type: contract.EventFactorAdded, At: b.now, Person: contract.Person{ID: "u1"}, Details: map[string]string{"organisation": "org"}}
}

// addMembers adds accounts with these identifiers.
func (b *fixture) addMembers(ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		b.must(b.CreateUser(b.ctx, newUser(id, id, id+"@example.test", "org")))
	}
}

func (b *fixture) newPasskey(id string, person contract.PersonID) store.Passkey {
	return store.Passkey{
		ID: id, Person: person, Name: "Laptop", PublicKey: []byte{1, 2}, AAGUID: make([]byte, 16), Transports: "internal,hybrid", BackupEligible: true, CreatedAt: b.storedNow(),
		SignCount: 5, BackedUp: true,
	}
}

func (b *fixture) challenge(n, binding byte) store.UsedChallenge {
	return store.UsedChallenge{Ticket: [32]byte{n}, Binding: [32]byte{binding}, At: b.storedNow()}
}

func codesOf(n byte) (all [][32]byte) {
	for i := range byte(contract.RecoveryCodes) {
		all = append(all, [32]byte{n, i})
	}
	return all
}

var factorTests = map[string]func(*testing.T, *fixture){
	"ACodeIsAcceptedOnceAndTriesAreCountedBeforeIt": func(t *testing.T, b *fixture) {
		b.addMembers("u1", "u2")
		requireRead(b, "factors at first", store.PersonFactors{})(b.FactorsOf(b.ctx, "u1"))
		before := b.eventCount()
		app := store.Authenticator{Secret: []byte("sealed"), CreatedAt: b.storedNow()}
		b.must(b.AddAuthenticator(b.ctx, "u1", app, 100, codesOf(1), b.factorEvent()))
		b.requireError("a second one", b.AddAuthenticator(b.ctx, "u1", app, 101, nil, b.factorEvent()), store.ErrExists)
		b.requireError("of no account", b.AddAuthenticator(b.ctx, "none", app, 100, nil, b.factorEvent()), store.ErrNotFound)
		b.requireEqual("events", b.eventCount()-before, int64(1))
		requireRead(b, "factors", store.PersonFactors{Authenticator: &app, Recovery: 10, Codes: store.CodeUse{Step: 100}})(b.FactorsOf(b.ctx, "u1"))
		// The code that confirmed it, and earlier ones, were used.
		for _, step := range []int64{99, 100} {
			b.requireError("a used code", b.UseCode(b.ctx, "u1", store.CodeUse{Step: step, UsedAt: b.now}), store.ErrConflict)
		}
		for i := range 5 {
			u, wait, err := b.TryCode(b.ctx, "u1", store.CodeUse{UsedAt: b.now})
			b.must(err)
			b.requireEqual("tries before", []any{u.Wrong, wait}, []any{i, time.Duration(0)})
		}
		_, wait, err := b.TryCode(b.ctx, "u1", store.CodeUse{UsedAt: b.storedNow().Add(10 * time.Second)})
		b.must(err)
		b.requireEqual("how long the next one waits", wait, 20*time.Second)
		// Of many tries at once, one is granted after the pause.
		b.requireEqual("granted tries", b.runCrowd(8, store.ErrConflict, func(int) error {
			_, wait, err := b.TryCode(b.ctx, "u1", store.CodeUse{UsedAt: b.storedNow().Add(31 * time.Second)})
			if err == nil && wait > 0 {
				err = store.ErrConflict
			}
			return err
		}), 1)
		want := store.CodeUse{Step: 101, Code: [32]byte{1}, Binding: [32]byte{2}, UsedAt: b.storedNow()}
		b.requireEqual("accepted codes of many at once", b.runCrowd(8, store.ErrConflict, func(int) error { return b.UseCode(b.ctx, "u1", want) }), 1)
		f, err := b.FactorsOf(b.ctx, "u1")
		b.must(err)
		want.TriedAt = f.Codes.TriedAt
		b.requireEqual("codes", f.Codes, want)
		for range 10 {
			u, wait, err := b.TryCode(b.ctx, "u1", store.CodeUse{Code: want.Code, Binding: want.Binding, UsedAt: b.storedNow().Add(time.Second)})
			b.must(err)
			b.requireEqual("wrong tries after a repeat of the accepted code", []any{u.Wrong, wait}, []any{0, time.Duration(0)})
		}
		if _, wait, err := b.TryCode(b.ctx, "u2", store.CodeUse{UsedAt: b.now}); err != nil || wait != 0 {
			t.Errorf("tries of one account count for another: %v, %v", wait, err)
		}
		b.must(b.CheckLog(b.ctx))
	},
	"ARecoveryCodeIsUsedOnceByItsOwner": func(t *testing.T, b *fixture) {
		b.addMembers("u1", "u2")
		b.requireError("codes without a factor", b.SetRecoveryCodes(b.ctx, "u1", codesOf(1), b.factorEvent()), store.ErrNotFound)
		b.must(b.AddAuthenticator(b.ctx, "u1", store.Authenticator{Secret: []byte{1}, CreatedAt: b.now}, 1, codesOf(1), b.factorEvent()))
		use := store.CodeUse{Code: [32]byte{9}, Binding: [32]byte{8}, UsedAt: b.storedNow()}
		b.requireError("by another", b.UseRecoveryCode(b.ctx, "u2", [32]byte{1, 3}, use, b.factorEvent()), store.ErrNotFound)
		b.requireEqual("uses at once", b.runCrowd(6, store.ErrNotFound, func(int) error {
			return b.UseRecoveryCode(b.ctx, "u1", [32]byte{1, 3}, use, b.factorEvent())
		}), 1)
		f, err := b.FactorsOf(b.ctx, "u1")
		b.must(err)
		use.Step = 1
		b.requireEqual("left, and the use", []any{f.Recovery, f.Codes}, []any{9, use})
		b.must(b.SetRecoveryCodes(b.ctx, "u1", codesOf(2), b.factorEvent()))
		b.requireError("a replaced one", b.UseRecoveryCode(b.ctx, "u1", [32]byte{1, 4}, use, b.factorEvent()), store.ErrNotFound)
		b.must(b.UseRecoveryCode(b.ctx, "u1", [32]byte{2, 4}, use, b.factorEvent()))
	},
	"APasskeyBelongsToOneAccountAndAChallengeIsUsedOnce": func(t *testing.T, b *fixture) {
		b.addMembers("u1", "u2")
		p := b.newPasskey("key-1", "u1")
		b.must(b.AddPasskey(b.ctx, p, b.challenge(1, 0), 2, codesOf(1), b.factorEvent()))
		requireRead(b, "passkey", p)(b.Passkey(b.ctx, "key-1"))
		requireRead(b, "factors", store.PersonFactors{Passkeys: []store.Passkey{p}, Recovery: 10})(b.FactorsOf(b.ctx, "u1"))
		b.requireError("the same challenge", b.AddPasskey(b.ctx, b.newPasskey("key-2", "u1"), b.challenge(1, 0), 2, nil, b.factorEvent()), store.ErrConflict)
		b.requireError("the same passkey", b.AddPasskey(b.ctx, b.newPasskey("key-1", "u2"), b.challenge(2, 0), 2, nil, b.factorEvent()), store.ErrExists)
		b.must(b.AddPasskey(b.ctx, b.newPasskey("key-2", "u1"), b.challenge(2, 0), 2, nil, b.factorEvent()))
		b.requireError("more than the limit", b.AddPasskey(b.ctx, b.newPasskey("key-3", "u1"), b.challenge(3, 0), 2, nil, b.factorEvent()), store.ErrConflict)

		p.SignCount, p.BackedUp, p.UsedAt = 6, false, b.storedNow()
		b.requireEqual("uses of a challenge at once", b.runCrowd(6, store.ErrConflict, func(int) error { return b.UsePasskey(b.ctx, p, b.challenge(4, 0), true) }), 1)
		requireRead(b, "used passkey", p)(b.Passkey(b.ctx, "key-1"))
		b.requireError("a counter that did not grow", b.UsePasskey(b.ctx, p, b.challenge(5, 0), true), store.ErrConflict)
		b.must(b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u1", SignCount: 7}, b.challenge(5, 1), true))
		for range 2 { // a repeat for the same purpose, and the refused use above did not take the challenge
			b.must(b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u1", SignCount: 7}, b.challenge(5, 1), true))
		}
		b.requireError("the challenge for something else", b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u1", SignCount: 8}, b.challenge(5, 2), true), store.ErrConflict)
		b.requireError("a stale challenge", b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u1", SignCount: 9}, b.challenge(7, 1), false), store.ErrConflict)
		b.must(b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u1", SignCount: 7}, b.challenge(5, 1), false))
		b.requireError("of another account", b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u2", SignCount: 9}, b.challenge(6, 0), true), store.ErrNotFound)
		b.must(b.PurgeChallenges(b.ctx, b.now.Add(time.Hour)))
		b.must(b.UsePasskey(b.ctx, store.Passkey{ID: "key-1", Person: "u1", SignCount: 9}, b.challenge(5, 2), true))
	},
	"FactorsAreRenamedRemovedAndResetByTheirAccountAlone": func(t *testing.T, b *fixture) {
		b.addMembers("u1", "u2")
		for i, id := range []contract.PersonID{"u1", "u2"} {
			b.must(b.AddAuthenticator(b.ctx, id, store.Authenticator{Secret: []byte{1}, CreatedAt: b.now}, 1, codesOf(1), b.factorEvent()))
			b.must(b.AddPasskey(b.ctx, b.newPasskey(fmt.Sprint("key-", id), id), b.challenge(byte(i+1), 0), 20, nil, b.factorEvent()))
		}
		b.requireError("rename another's", b.RenamePasskey(b.ctx, "u1", "key-u2", "X", b.factorEvent()), store.ErrNotFound)
		b.requireError("remove another's", b.RemovePasskey(b.ctx, "u1", "key-u2", "f", false, b.factorEvent()), store.ErrNotFound)
		b.must(b.RenamePasskey(b.ctx, "u1", "key-u1", "Phone", b.factorEvent()))
		p, err := b.Passkey(b.ctx, "key-u1")
		b.must(err)
		b.requireEqual("name", p.Name, "Phone")
		b.must(b.RemoveAuthenticator(b.ctx, "u1", "f", true, b.factorEvent()))
		b.requireError("twice", b.RemoveAuthenticator(b.ctx, "u1", "f", true, b.factorEvent()), store.ErrNotFound)
		b.requireError("the last one, which must stay", b.RemovePasskey(b.ctx, "u1", "key-u1", "f", true, b.factorEvent()), store.ErrConflict)
		summary := func() map[contract.PersonID]store.FactorSummary {
			all, err := b.FactorSummaries(b.ctx, "u1", "u2", "u3")
			b.must(err)
			return all
		}
		b.requireEqual("summaries", summary(), map[contract.PersonID]store.FactorSummary{"u1": {Passkeys: 1, Recovery: 10}, "u2": {Authenticator: true, Passkeys: 1, Recovery: 10}})
		b.must(b.RemovePasskey(b.ctx, "u1", "key-u1", "f", false, b.factorEvent()))
		b.requireEqual("after the last one", summary(), map[contract.PersonID]store.FactorSummary{"u2": {Authenticator: true, Passkeys: 1, Recovery: 10}})

		b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(1, store.AccessToken, "u2", "f")))
		b.must(b.ResetFactors(b.ctx, "u2", b.factorEvent()))
		b.requireGone(t, 1, 1)
		b.requireEqual("after a reset", summary(), map[contract.PersonID]store.FactorSummary{})
		b.requireError("nothing to reset", b.ResetFactors(b.ctx, "u2", b.factorEvent()), store.ErrConflict)
		requireRead(b, "factors after a reset", store.PersonFactors{})(b.FactorsOf(b.ctx, "u2"))
		b.must(b.CheckLog(b.ctx))
	},
	"ARemovedFactorEndsTheOtherSessionsAndTheMarkOfItsOwn": func(_ *testing.T, b *fixture) {
		b.addMembers("u1", "u2")
		open := func(n byte, id contract.PersonID, family string, f contract.Factor) {
			s := contract.Session{Family: family, Person: id, Factor: f, CreatedAt: b.now, ProvedAt: b.now, LastUsedAt: b.now, ExpiresAt: b.now.Add(time.Hour)}
			b.must(b.AddTokens(b.ctx, s, newToken(n, store.AccessToken, string(id), family)))
		}
		factorOf := func(id contract.PersonID) (all []string) {
			found, err := b.Sessions(b.ctx, id, b.now)
			b.must(err)
			for _, s := range found {
				all = append(all, s.Family+" "+string(s.Factor))
			}
			return all
		}
		ticket := byte(0)
		addApp := func() {
			b.must(b.AddAuthenticator(b.ctx, "u1", store.Authenticator{Secret: []byte{1}, CreatedAt: b.now}, 1, nil, b.factorEvent()))
		}
		addPasskey := func(id string) {
			ticket++
			b.must(b.AddPasskey(b.ctx, b.newPasskey(id, "u1"), b.challenge(ticket, 0), 20, nil, b.factorEvent()))
		}
		open(1, "u2", "other person", contract.FactorTOTP)
		for i, c := range []struct {
			opened contract.Factor
			apps   bool
			keys   []string // the first one is removed, unless there is an app
			want   contract.Factor
		}{
			{contract.FactorTOTP, true, nil, contract.FactorPassword},
			{contract.FactorTOTP, true, []string{"a"}, contract.FactorPassword},
			{contract.FactorPasskeyOnly, true, []string{"a"}, contract.FactorPasskeyOnly},
			{contract.FactorRecovery, true, []string{"a"}, contract.FactorRecovery},
			{contract.FactorRecovery, true, nil, contract.FactorPassword},
			{contract.FactorPasskey, false, []string{"a", "b"}, contract.FactorPasskey},
			{contract.FactorPasskey, false, []string{"a"}, contract.FactorPassword},
			{contract.FactorPasskeyOnly, false, []string{"a"}, contract.FactorPassword},
			{contract.FactorOIDCSecond, false, []string{"a"}, contract.FactorOIDC},
			{contract.FactorOIDCSecond, true, []string{"a"}, contract.FactorOIDCSecond},
		} {
			if c.apps {
				addApp()
			}
			for _, k := range c.keys {
				addPasskey(fmt.Sprint(k, i))
			}
			own, other, first := fmt.Sprint("own", i), fmt.Sprint("other", i), byte(10+3*i)
			open(first, "u1", own, c.opened)
			open(first+1, "u1", other, c.opened)
			b.must(b.AddTokens(b.ctx, contract.Session{}, newToken(first+2, store.AccessToken, "u1", other+" without a session")))
			if c.apps {
				b.must(b.RemoveAuthenticator(b.ctx, "u1", own, false, b.factorEvent()))
			} else {
				b.must(b.RemovePasskey(b.ctx, "u1", fmt.Sprint(c.keys[0], i), own, false, b.factorEvent()))
			}
			b.requireEqual(fmt.Sprintf("sessions after %+v", c), factorOf("u1"), []string{own + " " + string(c.want)})
			_, err := b.Token(b.ctx, [32]byte{first})
			b.must(err)
			for _, n := range []byte{first + 1, first + 2} {
				_, err := b.Token(b.ctx, [32]byte{n})
				b.requireError("a token of another session", err, store.ErrNotFound)
			}
			f, err := b.FactorsOf(b.ctx, "u1")
			b.must(err)
			for _, k := range f.Passkeys {
				b.must(b.RemovePasskey(b.ctx, "u1", k.ID, own, false, b.factorEvent()))
			}
			b.must(b.RevokeFamily(b.ctx, own))
		}
		b.requireEqual("sessions of another person", factorOf("u2"), []string{"other person totp"})
		b.must(b.CheckLog(b.ctx))
	},
}
