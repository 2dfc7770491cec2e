package contract

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func TestASignerAcceptsTheCurrentTextOnce(t *testing.T) {
	t.Parallel()
	text := ConsentText{Organisation: "org", Version: 3, Texts: map[string]string{"id": "Setuju", "en": "Agreed"}}
	d, by := &Document{ID: 7, Organisation: "org"}, Actor{Person: Person{ID: "signer"}}
	given := GivenConsent{Version: "3", Digest: text.Digest("en")}
	before := Acceptance{Person: "signer", Organisation: "org", Version: "3", Language: "id", Digest: text.Digest("id"), Document: 4, At: t0}
	made := Acceptance{Person: "signer", Organisation: "org", Version: "3", Language: "en", Digest: text.Digest("en"), Document: 7, At: t0}
	foreign := GivenConsent{Version: "3", Digest: ConsentText{Texts: map[string]string{"en": "Another organisation's"}}.Digest("en")}
	for name, c := range map[string]struct {
		required bool
		given    []GivenConsent
		before   Acceptance
		want     Acceptance
		err      error
	}{
		"nothing":                      {},
		"nothing, required":            {required: true, err: ErrConsentRequired},
		"nothing, but before":          {before: before},
		"nothing, required and before": {required: true, before: before, want: before},
		"the text":                     {given: []GivenConsent{given}, want: made},
		"the text again":               {given: []GivenConsent{given}, before: before, want: before},
		"another version":              {given: []GivenConsent{{Version: "2", Digest: given.Digest}}, err: ErrConsentChanged},
		"another digest":               {given: []GivenConsent{foreign}, err: ErrConsentChanged},
		"one of two":                   {given: []GivenConsent{foreign, given}, want: made},
		"another version, required":    {required: true, given: []GivenConsent{{Version: "2", Digest: given.Digest}}, before: before, err: ErrConsentChanged},
	} {
		got, err := ConsentPolicy{Version: 3, Required: c.required}.Accept(text, c.given, c.before, d, by, t0)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if name := (ConsentText{Version: 2}).Name(); name != "segel-2" || text.Name() != "3" {
		t.Errorf("%s and %s", name, text.Name())
	}
}

func TestConsentTextsHaveBothLanguages(t *testing.T) {
	t.Parallel()
	got, err := CheckConsentText(map[string]string{"id": "\n Satu \r\n\r\nDua\x00", "en": "One"})
	if want := map[string]string{"id": "Satu\n\nDua", "en": "One"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []map[string]string{{"id": "Satu"}, {"en": "One", "id": " \n "}, {"en": "One", "id": strings.Repeat("x", maxConsentText+1)}} {
		if _, err := CheckConsentText(bad); KindOf(err) != Invalid {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}
