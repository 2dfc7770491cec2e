package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Logins stores who logged in and out, and which logins failed. It is not part of the audit log, which keeps everything: these records are deleted
// after contract.LoginsKept.
type Logins interface {
	// RecordLogins adds records, or counts them on the ones of the same account, kind, factor, network and period. An account, or the callers without
	// one, has at most about contract.MaxLoginNetworks networks with a record in a period; those beyond share the record of the empty network.
	RecordLogins(ctx context.Context, all ...contract.Login) error
	// ListLogins reads one page, the newest first.
	ListLogins(ctx context.Context, q LoginQuery) (LoginPage, error)
	// EachLogin calls yield with each record that matches, oldest first, until yield returns false. Offset and Limit are ignored.
	EachLogin(ctx context.Context, q LoginQuery, yield func(LoginLine) bool) error
	// FailedLogins returns the accounts with at least so many failed logins since a time, those with the most first, up to limit. An empty
	// organisation selects all.
	FailedLogins(ctx context.Context, of contract.OrganisationID, since time.Time, least, limit int) ([]contract.FailedLogins, error)
	// ReportFailedLogins logs the event of an organisation and orders the notices, unless that was done after quiet. It reports whether it did.
	ReportFailedLogins(ctx context.Context, of contract.OrganisationID, quiet time.Time, e contract.Event, notices []contract.Notice) (bool, error)
	// PurgeLogins deletes records whose last login was before a time.
	PurgeLogins(ctx context.Context, before time.Time) error
}

// LoginQuery selects recorded logins. A zero member selects all.
type LoginQuery struct {
	Organisation contract.OrganisationID
	Person       contract.PersonID
	Email        string // of the person now, in any case of letters
	Kind         contract.LoginKind
	Address      string // IP address or network
	Search       string // part of the name or e-mail of the person, of the address or of the device
	From, Until  time.Time
	Offset       int
	Limit        int
}

// LoginLine is a record with its person as they are now; the zero Person: none is known, or the account was deleted.
type LoginLine struct {
	contract.Login
	Holder contract.Person
}

// LoginPage is one page of records and how many match, up to SearchLimit.
type LoginPage struct {
	Lines []LoginLine
	Total int
}
