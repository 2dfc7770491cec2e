package contract

import "testing"

// withGuest makes a document whose guest signs.
func withGuest(u *Upload) {
	u.Participants = []Participant{participant("first", Signer, 1), {Person: person("guest"), Role: Signer, Number: 1, Guest: true}}
}

func TestSignatureSaysWhatWasVerifiedAboutTheSignerAndByWhom(t *testing.T) {
	t.Parallel()
	d := finalized(t, draft(t, withGuest))
	for by, want := range map[*Actor]map[string]string{
		&guest: {"assurance": "guest_unverified", "named_by": "Name of owner", "organisation": "PT Contoh", "certificate": "5f", "digest": ""},
		&first: {"assurance": "account_password", "organisation": "PT Contoh", "certificate": "5f", "digest": ""},
	} {
		c, err := IntendSign(d, [32]byte{}, *by, t0)
		d := then(t, c, err)
		who := attested(d, *by)
		who.Certificate = "5f"
		c, err = Sign(d, revision(d, 10), who, *by, t0)
		then(t, c, err)
		got := c.Events[0].Details
		if len(got) != len(want) {
			t.Errorf("%s: details %v", by.ID, got)
		}
		for name, v := range want {
			if name != "digest" && got[name] != v {
				t.Errorf("%s: %s is %q, want %q", by.ID, name, got[name], v)
			}
		}
	}
}

func TestParticipantsSignOnlyAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	d := finalized(t, draft(t, withGuest))
	for _, c := range []struct {
		name string
		by   Actor
		who  Attestation
		ok   bool
	}{
		{"a guest as a guest", guest, Attestation{Assurance: AssuranceGuest, NamedBy: "Sari"}, true},
		{"a guest as a user", guest, Attestation{Assurance: AssuranceAccount, Organisation: "PT Contoh"}, false},
		{"a guest without a namer", guest, Attestation{Assurance: AssuranceGuest}, false},
		{"a user as a user", first, Attestation{Assurance: AssuranceAccount, Organisation: "PT Contoh"}, true},
		{"a user as a guest", first, Attestation{Assurance: AssuranceGuest, NamedBy: "Sari"}, false},
		{"a user as the seal", first, Attestation{Assurance: AssuranceSeal, Organisation: "PT Contoh"}, false},
		{"a user as nothing", first, Attestation{}, false},
	} {
		change, err := IntendSign(d, [32]byte{}, c.by, t0)
		d := then(t, change, err)
		if _, err := Sign(d, revision(d, 10), c.who, c.by, t0); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
