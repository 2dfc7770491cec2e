package contract

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Factor is what a person proved at a login. Values are stored permanently.
type Factor string

// FactorPassword is a password alone.
const FactorPassword Factor = "password"

// Session is a login and the tokens that descend from it, as its owner sees it.
type Session struct {
	Family     string // of its tokens; a UUID, which authenticates no one
	Person     PersonID
	Factor     Factor
	CreatedAt  time.Time
	ProvedAt   time.Time // when the person last proved who they are; zero: not since a release that records it
	LastUsedAt time.Time // at most [AccountPolicy.RecordUseAfter] older than the last use
	ExpiresAt  time.Time // when the last of its tokens expires
	IP         string    // of its login, or of a later refresh
	UserAgent  string    // the same; at most [MaxUserAgent] characters
	Chain      string    // names the sessions of several accounts that were opened beside one another; empty: there are no others
}

// MaxUserAgent bounds what is stored of a User-Agent header, in characters.
const MaxUserAgent = 256

// CleanUserAgent returns a User-Agent header as it is stored.
func CleanUserAgent(header string) string {
	header = CleanText(header)
	if utf8.RuneCountInString(header) > MaxUserAgent {
		header = strings.TrimSpace(string([]rune(header)[:MaxUserAgent]))
	}
	return header
}

// HasEnded reports whether the policy of the person's organisation has ended a session. The zero session has not: its tokens are
// those of an earlier release, and expire.
func (s Session) HasEnded(p AccountPolicy, now time.Time) bool {
	if s.Family == "" {
		return false
	}
	until := p.SessionUntil(s.CreatedAt)
	return p.IdleLimit > 0 && !now.Before(s.LastUsedAt.Add(p.IdleLimit)) || !until.IsZero() && !now.Before(until)
}

// UseIsStale reports whether a use of a session is to be recorded.
func (s Session) UseIsStale(p AccountPolicy, now time.Time) bool {
	return s.Family != "" && now.Sub(s.LastUsedAt) >= p.RecordUseAfter()
}

// Refusals of switching between the accounts of a person.
var (
	// ErrNoMembership refuses an organisation that the session cannot switch to, whether it exists or not.
	ErrNoMembership = Refuse(NotFound, "switch.not_found")
	// ErrSwitchProvider refuses an account whose organisation now demands a login at its provider.
	ErrSwitchProvider = Refuse(Forbidden, "switch.provider")
	// ErrTooManyMemberships refuses a further account in one client.
	ErrTooManyMemberships = Refuse(Conflict, "switch.too_many")
)
