package contract

import "time"

// LoginKind says what a recorded login is.
type LoginKind string

// The kinds. Values are stored and part of the interface.
const (
	LoginDone    LoginKind = "login"         // a session was opened
	LoginFailed  LoginKind = "login_failed"  // a wrong password, code or passkey, or an answer of a provider that admits no account
	LoginLimited LoginKind = "login_limited" // too many tries: refused before anything was compared
	LoginEnded   LoginKind = "logout"        // a person logged out
)

// LoginKinds lists every kind.
var LoginKinds = []LoginKind{LoginDone, LoginFailed, LoginLimited, LoginEnded}

// Login is what is recorded about logins of one account from one place in one period: a minute, or an hour for those that failed or were refused, so that an
// attack fills neither the table nor the list.
type Login struct {
	Organisation OrganisationID // empty: no account has the e-mail
	Person       PersonID       // empty: none is known
	Kind         LoginKind
	Factor       Factor // by which the person was authenticated; for a failure the part that was wrong; empty: nothing was compared
	Network      string // see [Login.Period]; empty: of further networks, see MaxLoginNetworks
	Period       time.Time
	IP           string // of the last one
	UserAgent    string // of the last one, as the client named itself
	FirstAt      time.Time
	LastAt       time.Time
	Times        int // how many they are
}

// Bounds on recorded logins.
const (
	MaxLoginNetworks = 50                   // networks of one account in one hour with their own record; those beyond share one
	LoginsKept       = 180 * 24 * time.Hour // how long they are kept

	ManyFailedLogins    = 20             // of one account in an hour are reported to the administrators
	FailedLoginsPeriod  = time.Hour      // in which they are counted
	FailedLoginsQuiet   = 6 * time.Hour  // between two reports to the administrators of an organisation
	RecentFailedLogins  = 24 * time.Hour // in which they are shown to administrators
	RecentKeyNetworks   = 7 * 24 * time.Hour
	MaxToldAdmins       = 20 // of one organisation
	MaxShownOfAttention = 20 // lines of each kind that need attention
)

// NewLogin returns a record of one login.
func NewLogin(of OrganisationID, person PersonID, kind LoginKind, factor Factor, at time.Time) Login {
	period := time.Minute
	if kind == LoginFailed || kind == LoginLimited {
		period = FailedLoginsPeriod
	}
	return Login{Organisation: of, Person: person, Kind: kind, Factor: factor, Period: at.Truncate(period), FirstAt: at, LastAt: at, Times: 1}
}

// FailedLogins are the failed logins of one account.
type FailedLogins struct {
	Organisation OrganisationID
	Person       PersonID
	Times        int
	Networks     int // at least so many
	LastAt       time.Time
}

// EventLoginFailures says that many logins of accounts of an organisation ("organisation") failed: so many ("count") of so many "accounts"; "name" and
// "email" are those of the account with the most.
const EventLoginFailures EventType = "login_failures"
