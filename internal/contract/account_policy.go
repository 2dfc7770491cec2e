package contract

import (
	"slices"
	"strings"
	"time"
)

// AccountPolicy is what an organisation demands of the accounts of its people, and what they see of each other. The zero value demands nothing beyond what the service does.
type AccountPolicy struct {
	LoginFactor   FactorDemand  // who needs a second factor at a login
	SignFactor    bool          // each signature needs a second factor
	IdleLimit     time.Duration // a session ends when it was not used for so long; 0: no limit
	AbsoluteLimit time.Duration // a session ends so long after its login; 0: no limit
	HideAddresses bool          // new documents hide the addresses of their people from each other, unless their owner says otherwise
}

// FactorDemand says whose logins need a second factor. Values are stored permanently.
type FactorDemand string

// The demands.
const (
	FactorOfNone     FactorDemand = "none"
	FactorOfAdmins   FactorDemand = "admins"
	FactorOfEveryone FactorDemand = "everyone"
)

// FactorDemands lists every demand.
var FactorDemands = []FactorDemand{FactorOfNone, FactorOfAdmins, FactorOfEveryone}

// The ranges of the limits of sessions, of which 0 is always allowed.
const (
	minIdle, maxIdle         = 5 * time.Minute, 30 * 24 * time.Hour
	minAbsolute, maxAbsolute = time.Hour, 365 * 24 * time.Hour
)

// Normalised returns the policy with the values that an empty member means.
func (p AccountPolicy) Normalised() AccountPolicy {
	if p.LoginFactor == "" {
		p.LoginFactor = FactorOfNone
	}
	return p
}

// CheckAccountPolicy checks a policy. Errors name the members of the interface.
func CheckAccountPolicy(p AccountPolicy) error {
	var bad fieldErrors
	if !slices.Contains(FactorDemands, p.Normalised().LoginFactor) {
		bad.add("login_factor", "value.not_one_of", "allowed", joinValues(FactorDemands))
	}
	checkLimit := func(field string, limit, least, most, unit time.Duration) {
		if limit != 0 && (limit < least || limit > most || limit%unit != 0) {
			bad.add(field, "session.limit", "least", int(least/unit), "most", int(most/unit))
		}
	}
	checkLimit("idle_minutes", p.IdleLimit, minIdle, maxIdle, time.Minute)
	checkLimit("absolute_hours", p.AbsoluteLimit, minAbsolute, maxAbsolute, time.Hour)
	return bad.asError()
}

func joinValues[T ~string](all []T) string {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// SessionUntil returns when a session that began at a moment ends however much it is used; zero: never.
func (p AccountPolicy) SessionUntil(began time.Time) time.Time {
	if p.AbsoluteLimit == 0 {
		return time.Time{}
	}
	return began.Add(p.AbsoluteLimit)
}

// RecordUseAfter returns how old the recorded use of a session may become before another one is recorded: five minutes, or a tenth of a
// shorter idle limit, so that a session in use ends at most that much too early.
func (p AccountPolicy) RecordUseAfter() time.Duration {
	const usual = 5 * time.Minute
	if p.IdleLimit > 0 {
		return min(usual, p.IdleLimit/10)
	}
	return usual
}
