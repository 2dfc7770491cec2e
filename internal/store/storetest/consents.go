package storetest

import (
	"testing"

	"segel/internal/contract"
	"segel/internal/store"
)

// setConsent stores what the owner's organisation demands.
func (b *fixture) setConsent(texts map[string]string, p contract.ConsentPolicy) (contract.ConsentPolicy, error) {
	return b.SetConsent(b.ctx, owner.Organisation, texts, p, b.now, func(contract.ConsentPolicy) contract.Event {
		return contract.Event{Type: contract.EventConsentChanged, At: b.now, Person: owner.Person}
	})
}

var consentTests = map[string]func(*testing.T, *fixture){
	"ConsentTextsAreNumberedAndKept": func(t *testing.T, b *fixture) {
		_, err := b.ConsentText(b.ctx, owner.Organisation, 1)
		b.requireError("before the first text", err, store.ErrNotFound)
		first := map[string]string{"id": "Saya setuju.", "en": "I agree."}
		requireRead(b, "the first policy", contract.ConsentPolicy{Version: 1, Required: true})(b.setConsent(first, contract.ConsentPolicy{Required: true}))
		second := map[string]string{"id": "Saya sangat setuju.", "en": "I do agree."}
		requireRead(b, "the second policy", contract.ConsentPolicy{Version: 2})(b.setConsent(second, contract.ConsentPolicy{Version: 1}))
		for version, texts := range []map[string]string{first, second} {
			want := contract.ConsentText{Organisation: owner.Organisation, Version: version + 1, Texts: texts}
			requireRead(b, "a text", want)(b.ConsentText(b.ctx, owner.Organisation, version+1))
		}
		_, err = b.ConsentText(b.ctx, "another organisation", 1)
		b.requireError("a text of another organisation", err, store.ErrNotFound)

		// Without a text of its own the organisation goes on counting later.
		none := contract.ConsentPolicy{Required: true}
		requireRead(b, "the policy without a text", none)(b.setConsent(nil, none))
		o, err := b.Organisation(b.ctx, owner.Organisation)
		b.must(err)
		b.requireEqual("the policy of the organisation", o.Consent, none)
		requireRead(b, "the third policy", contract.ConsentPolicy{Version: 3})(b.setConsent(first, contract.ConsentPolicy{}))
	},
	"OfManyConsentTextsAtOnceEachIsAVersion": func(t *testing.T, b *fixture) {
		const writers = 6
		b.requireEqual("texts", b.runCrowd(writers, nil, func(i int) error {
			_, err := b.setConsent(map[string]string{"id": string(rune('a' + i)), "en": "I agree."}, contract.ConsentPolicy{})
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
