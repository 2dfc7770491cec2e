package contract

import (
	"math/big"
	"testing"
	"time"
)

// The texts are in databases, events and records with digests.
func TestProblemsAreStoredAsTheTextsThatEarlierReleasesWrote(t *testing.T) {
	t.Parallel()
	for text, p := range map[string]Problem{
		"":                                      {},
		"too dear":                              {Detail: "too dear"},
		"dear: by half":                         {Detail: "dear: by half"},
		"closing: too late":                     {Detail: "closing: too late"},
		"invite.used: a":                        {Detail: "invite.used: a"},
		"550 5.1.1: unknown":                    {Detail: "550 5.1.1: unknown"},
		"stamp.office_down":                     {Code: ProblemOfficeDown},
		"file.word_damaged":                     {Code: "file.word_damaged"},
		"webhook.gone":                          {Code: DeliveryGone},
		"notice.no_server: 4.":                  {Code: ProblemNoServer, Detail: "4."},
		"stamp.office_config: 17: unknown kind": {Code: ProblemOfficeConfig, Detail: "17: unknown kind"},
		"closing.clock_far: 2026-03-02T05:00:00Z":                   newTimeProblem(ProblemSignedFarAhead, time.Date(2026, 3, 2, 12, 0, 0, 0, time.FixedZone("WIB", 7*3600))),
		"closing.revoked: b7f, 2026-11-21T07:30:00Z, keyCompromise": NewRevokedProblem(big.NewInt(0xb7f), time.Date(2026, 11, 21, 7, 30, 0, 0, time.UTC), "keyCompromise"),
	} {
		if got := p.String(); got != text {
			t.Errorf("%+v is stored as %q, want %q", p, got, text)
		}
		if got := ParseProblem(text); got != p {
			t.Errorf("%q is read as %+v, want %+v", text, got, p)
		}
	}
}

func TestAProblemNamesTheTimeAndTheCertificateOnlyIfItsDetailDoes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 7, 30, 0, 0, time.UTC)
	if until, ok := newTimeProblem(ProblemSignedAhead, at).Until(); !ok || !until.Equal(at) {
		t.Errorf("until %v, %t", until, ok)
	}
	serial, when, reason, ok := NewRevokedProblem(big.NewInt(0xb7f), at, "keyCompromise").Revocation()
	if !ok || serial != "b7f" || !when.Equal(at) || reason != "keyCompromise" {
		t.Errorf("%s revoked %v: %s, %t", serial, when, reason, ok)
	}
	for _, detail := range []string{"", "soon", "b7f, soon, keyCompromise", "b7f, 2026-11-21T07:30:00Z"} {
		_, times := Problem{ProblemSignedAhead, detail}.Until()
		_, _, _, names := Problem{ProblemRevoked, detail}.Revocation()
		if times || names {
			t.Errorf("%q names a time: %t, a revocation: %t", detail, times, names)
		}
	}
}
