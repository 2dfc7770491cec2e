package storetest

import (
	"strconv"
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// setConsent changes what the owner's organisation demands. It logs the policy.
func (b *fixture) setConsent(c store.ConsentChange) (contract.ConsentPolicy, error) {
	return b.SetConsent(b.ctx, owner.Organisation, c, b.now, func(p contract.ConsentPolicy, texts map[string]string) contract.Event {
		return contract.Event{Type: contract.EventConsentChanged, At: b.now, Person: owner.Person, Details: map[string]string{"text": texts["id"], "required": strconv.FormatBool(p.Required)}}
	})
}

var consentTests = map[string]func(*testing.T, *fixture){
	"ConsentTextsAreNumberedAndKept": func(t *testing.T, b *fixture) {
		_, err := b.ConsentText(b.ctx, owner.Organisation, 1)
		b.requireError("before the first text", err, store.ErrNotFound)
		yes, no := true, false
		first := map[string]string{"id": "Saya setuju.", "en": "I agree."}
		requireRead(b, "the first policy", contract.ConsentPolicy{Version: 1, Required: true})(b.setConsent(store.ConsentChange{Texts: first, Required: &yes}))
		second := map[string]string{"id": "Saya sangat setuju.", "en": "I do agree."}
		requireRead(b, "the second policy", contract.ConsentPolicy{Version: 2})(b.setConsent(store.ConsentChange{Texts: second, Required: &no}))
		for version, texts := range []map[string]string{first, second} {
			want := contract.ConsentText{Organisation: owner.Organisation, Version: version + 1, Texts: texts}
			requireRead(b, "a text", want)(b.ConsentText(b.ctx, owner.Organisation, version+1))
		}
		_, err = b.ConsentText(b.ctx, "another organisation", 1)
		b.requireError("a text of another organisation", err, store.ErrNotFound)

		// Without a text of its own the organisation goes on counting later.
		none := contract.ConsentPolicy{Required: true}
		requireRead(b, "the policy without a text", none)(b.setConsent(store.ConsentChange{Texts: map[string]string{}, Required: &yes}))
		o, err := b.Organisation(b.ctx, owner.Organisation)
		b.must(err)
		b.requireEqual("the policy of the organisation", o.Consent, none)
		requireRead(b, "the third policy", contract.ConsentPolicy{Version: 3, Required: true})(b.setConsent(store.ConsentChange{Texts: first}))
	},
	"AConsentChangeThatChangesNothingIsNotStored": func(t *testing.T, b *fixture) {
		no := false
		texts := map[string]string{"id": "Saya setuju.", "en": "I agree."}
		size := func() int64 {
			n, _, err := b.Size(b.ctx)
			b.must(err)
			return n
		}
		none := size()
		requireRead(b, "no policy yet", contract.ConsentPolicy{})(b.setConsent(store.ConsentChange{Texts: map[string]string{}, Required: &no}))
		b.requireEqual("events", size()-none, int64(0))
		requireRead(b, "the policy", contract.ConsentPolicy{Version: 1})(b.setConsent(store.ConsentChange{Texts: texts}))
		requireRead(b, "the same policy", contract.ConsentPolicy{Version: 1})(b.setConsent(store.ConsentChange{Texts: texts, Required: &no}))
		b.requireEqual("events", size()-none, int64(1))
	},
	"OfTwoConsentChangesAtOnceNeitherUndoesTheOther": func(t *testing.T, b *fixture) {
		_, err := b.setConsent(store.ConsentChange{Texts: map[string]string{"id": "Saya setuju.", "en": "I agree."}})
		b.must(err)
		yes := true
		for round := range 5 {
			texts := map[string]string{"id": "Saya setuju " + strconv.Itoa(round), "en": "I agree."}
			changes := []store.ConsentChange{{Texts: texts}, {Required: &yes}}
			b.requireEqual("changes", b.runCrowd(len(changes), nil, func(i int) error {
				_, err := b.setConsent(changes[i])
				return err
			}), len(changes))
			o, err := b.Organisation(b.ctx, owner.Organisation)
			b.must(err)
			b.requireEqual("the policy", o.Consent, contract.ConsentPolicy{Version: round + 2, Required: true})
			text, err := b.ConsentText(b.ctx, owner.Organisation, o.Consent.Version)
			b.must(err)
			b.requireEqual("the text", text.Texts["id"], texts["id"])
			no := false
			_, err = b.setConsent(store.ConsentChange{Required: &no})
			b.must(err)
		}
	},
	"OfManyConsentTextsAtOnceEachIsAVersion": func(t *testing.T, b *fixture) {
		const writers = 6
		b.requireEqual("texts", b.runCrowd(writers, nil, func(i int) error {
			_, err := b.setConsent(store.ConsentChange{Texts: map[string]string{"id": string(rune('a' + i)), "en": "I agree."}})
			return err
		}), writers)
		seen := map[string]bool{}
		for version := range writers {
			text, err := b.ConsentText(b.ctx, owner.Organisation, version+1)
			b.must(err)
			seen[text.Texts["id"]] = true
		}
		b.requireEqual("different texts", len(seen), writers)
	},
	"TheFirstAcceptanceOfAVersionStays": func(t *testing.T, b *fixture) {
		d := b.finalizeDraft(b.uploadDraft(owner), owner)
		a := contract.Acceptance{
			Person: first.ID, Organisation: owner.Organisation, Version: "segel-1", Language: "en", Digest: [32]byte{1}, Document: d.ID, At: b.storedNow(),
		}
		_, err := b.Acceptance(b.ctx, a.Person, a.Organisation, a.Version)
		b.requireError("before the signature", err, store.ErrNotFound)
		accept := func(a contract.Acceptance) {
			before := d
			d = b.commitChange(contract.Change{Before: &before, After: before, At: b.now, Accepted: &a}, nil)
		}
		accept(a)
		later := a
		later.Language, later.Digest, later.At = "id", [32]byte{2}, a.At.Add(1)
		accept(later)
		requireRead(b, "the acceptance", a)(b.Acceptance(b.ctx, a.Person, a.Organisation, a.Version))
		for _, other := range []contract.Acceptance{
			{Person: "guest", Organisation: a.Organisation, Version: a.Version}, {Person: a.Person, Organisation: "other", Version: a.Version},
			{Person: a.Person, Organisation: a.Organisation, Version: "1"},
		} {
			_, err := b.Acceptance(b.ctx, other.Person, other.Organisation, other.Version)
			b.requireError("another acceptance", err, store.ErrNotFound)
		}
	},
}
