package contract

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"
)

func TestAChallengeIsThatOfItsSample(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("testdata/formats/challenge-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	c := Challenge{Purpose: ChallengeSign, Person: "8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01", Ticket: bytes.Repeat([]byte{0xa5}, 56), Consent: NewConsent(consentSample())}
	if got := c.encodeChallenge(); !bytes.Equal(got, sample) {
		t.Errorf("%q, want %q", got, sample)
	}
	others := map[[32]byte]bool{c.Sum(): true}
	for _, change := range []func(*Challenge){
		func(c *Challenge) { c.Purpose = ChallengeLogin }, func(c *Challenge) { c.Person = "" }, func(c *Challenge) { c.Ticket = c.Ticket[1:] },
		func(c *Challenge) { c.Consent.Digest[0]++ }, func(c *Challenge) { c.Consent.Documents++ },
	} {
		d := c
		change(&d)
		if others[d.Sum()] {
			t.Errorf("%+v has the challenge of another", d)
		}
		others[d.Sum()] = true
	}
}

func TestASignatureNeedsAFactorAfterEverythingElse(t *testing.T) {
	t.Parallel()
	d := finalizeDraft(t, newDraft(t))
	by := first
	by.SignFactor = true
	if _, err := IntendSign(d, ShownPages{}, by, t0); !errors.Is(err, ErrSignFactor) {
		t.Errorf("without a factor: %v", err)
	}
	waits := second
	waits.SignFactor = true
	if _, err := IntendSign(d, ShownPages{}, waits, t0); !errors.Is(err, ErrNotInTurn) {
		t.Errorf("out of turn: %v", err)
	}
	by.Factor = FactorTOTP // of the session is not enough
	if _, err := IntendSign(d, ShownPages{}, by, t0); !errors.Is(err, ErrSignFactor) {
		t.Errorf("with that of the session: %v", err)
	}
	by.Signing = FactorPasskey
	c, err := IntendSign(d, ShownPages{}, by, t0)
	if err != nil {
		t.Fatal(err)
	}
	if e := c.Events[0].Details; e["factor"] != "passkey" || e["factor_for"] != ForSignature {
		t.Errorf("%v", e)
	}
	by.SignFactor, by.Signing = false, ""
	if c, err := IntendSign(d, ShownPages{}, by, t0); err != nil || c.Events[0].Details["factor"] != "totp" || c.Events[0].Details["factor_for"] != "" {
		t.Errorf("%v, %v", c.Events, err)
	}
	by.Factor = FactorPassword
	if c, err := IntendSign(d, ShownPages{}, by, t0); err != nil || c.Events[0].Details["factor"] != "" {
		t.Errorf("%v, %v", c.Events, err)
	}
}

func TestTriesOfCodesArePausedLonger(t *testing.T) {
	t.Parallel()
	for wrong, want := range map[int]time.Duration{0: 0, 4: 0, 5: 30 * time.Second, 6: time.Minute, 11: 32 * time.Minute, 12: time.Hour, 1000: time.Hour} {
		if got := TryPause(wrong); got != want {
			t.Errorf("after %d: %v, want %v", wrong, got, want)
		}
	}
}

func TestADemandAppliesToPasswordsAndToAProviderWithoutASecondFactor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		demand FactorDemand
		admin  bool
		factor Factor
		misses bool
	}{
		{"", true, FactorPassword, false}, {FactorOfNone, true, "", false}, {FactorOfAdmins, false, FactorPassword, false}, {FactorOfAdmins, true, FactorPassword, true},
		{FactorOfEveryone, false, "", true}, {FactorOfEveryone, false, FactorPasskeyOnly, false}, {FactorOfEveryone, false, FactorRecovery, false},
		{FactorOfEveryone, false, FactorOIDC, true}, {FactorOfEveryone, false, FactorOIDCSecond, false}, {FactorOfEveryone, true, FactorKey, false},
	} {
		if got := (AccountPolicy{LoginFactor: c.demand}).MissesFactor(c.admin, c.factor); got != c.misses {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
