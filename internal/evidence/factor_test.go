package evidence

import (
	"errors"
	"strings"
	"testing"

	"segel/internal/contract"
)

// withFactor returns the facts of a document whose member signed with a factor.
func withFactor(t *testing.T, factor, of string) *Facts {
	t.Helper()
	r := newRecords()
	for _, e := range r.Events {
		if e.Type == contract.EventSigned && e.Person.ID == "sari" {
			e.Details["factor"], e.Details["factor_for"] = factor, of
		}
	}
	return Collect(r)
}

func TestACertificateNamesTheFactorInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ factor, of, id, en string }{
		{"totp", "signature", "Autentikasi untuk tanda tangan ini: kata sandi dan aplikasi autentikator.", "Authenticated for this signature: password and authenticator app."},
		{"password", "signature", "Autentikasi untuk tanda tangan ini: kata sandi.", "Authenticated for this signature: password."},
		{"passkey_only", "", "Autentikasi saat masuk: kunci sandi (passkey).", "Authenticated at the login: passkey."},
	} {
		f := withFactor(t, c.factor, c.of)
		if w := f.People[0].Signature.factorWords(); w.id != c.id || w.en != c.en {
			t.Errorf("%s: %+v", c.factor, w)
		}
		b, err := f.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), `"factor": "`+c.factor+`"`) {
			t.Errorf("no factor in %s", b)
		}
		if _, err := ParseFacts(b); err != nil {
			t.Error(err)
		}
	}
}

func TestAReaderRefusesFactorsThatContradictTheFacts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Facts){
		"a factor of a guest":           func(f *Facts) { f.People[1].Signature.Factor = "totp" },
		"a factor of an unverified one": func(f *Facts) { f.People[0].Signature.Assurance = "guest_unverified" },
		"an unknown factor":             func(f *Facts) { f.People[0].Signature.Factor = "fingerprint" },
		"a password as a factor":        func(f *Facts) { f.People[0].Signature.Factor, f.People[0].Signature.FactorFor = "password", "" },
		"a proof without a factor":      func(f *Facts) { f.People[0].Signature.Factor = "" },
		"a proof for something else":    func(f *Facts) { f.People[0].Signature.FactorFor = "login" },
		"a key that proved itself":      func(f *Facts) { f.People[0].Signature.Factor = "api_key" },
	} {
		f := withFactor(t, "totp", "signature")
		change(f)
		b, err := f.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseFacts(b); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
