package store

import (
	"context"
	"errors"
	"time"

	"segel/internal/contract"
)

// Authenticator is the authenticator app of an account.
type Authenticator struct {
	Secret    []byte // sealed under the master key
	CreatedAt time.Time
}

// Passkey is a credential of WebAuthn.
type Passkey struct {
	ID             string // the credential ID in base64url without padding
	Person         contract.PersonID
	Name           string // by which the person recognises it
	PublicKey      []byte // COSE_Key
	AAGUID         []byte // the model of the authenticator, 16 bytes; all zero: not stated
	Transports     string // as registered, separated by commas
	BackupEligible bool   // it may be copied to other devices of the person
	CreatedAt      time.Time

	SignCount uint32    // of its last use; zero if the authenticator does not count
	BackedUp  bool      // it was copied to another place at its last use
	UsedAt    time.Time // zero: never since it was registered
}

// CodeUse is what is stored of the codes that a person entered.
type CodeUse struct {
	Wrong   int       // tries since the last right one
	TriedAt time.Time // of the last try
	Step    int64     // of the last accepted code of an authenticator app (RFC 6238 §4.2): none at or before it is accepted again
	Code    [32]byte  // which code was accepted last
	Binding [32]byte  // what it was accepted for; zero: a login
	UsedAt  time.Time
}

// IsRepeated reports whether a code that is presented now was accepted before for the same purpose, a short time ago.
func (u CodeUse) IsRepeated(now CodeUse) bool {
	return now.Binding != [32]byte{} && now.Binding == u.Binding && now.Code == u.Code && now.UsedAt.Before(u.UsedAt.Add(contract.ProofTime))
}

// PersonFactors are the second factors of an account.
type PersonFactors struct {
	Authenticator *Authenticator // nil: none
	Passkeys      []Passkey      // oldest first
	Recovery      int            // recovery codes that were not used
	Codes         CodeUse
}

// Any reports whether there is a factor. Recovery codes alone are none.
func (f PersonFactors) Any() bool { return f.Authenticator != nil || len(f.Passkeys) > 0 }

// FactorSummary says which factors an account has.
type FactorSummary struct {
	Authenticator bool
	Passkeys      int
	Recovery      int
}

// UsedChallenge is the use of a challenge by a passkey.
type UsedChallenge struct {
	Ticket  [32]byte // SHA-256 of the ticket
	Binding [32]byte // what the answer was accepted for; zero: nothing that may be repeated
	At      time.Time
}

// ErrNotFirst refuses recovery codes for a first factor of an account that has another factor by now: its codes are shown already.
var ErrNotFirst = errors.New("not the first factor")

// Factors stores second factors. Every method that takes an event logs it in the transaction of the change.
type Factors interface {
	// FactorsOf returns the factors of an account; the zero value if it has none.
	FactorsOf(ctx context.Context, id contract.PersonID) (PersonFactors, error)
	// FactorSummaries returns which factors the accounts have. Accounts without any are missing from the map.
	FactorSummaries(ctx context.Context, ids ...contract.PersonID) (map[contract.PersonID]FactorSummary, error)
	// Passkey returns a passkey of any account.
	Passkey(ctx context.Context, id string) (Passkey, error)

	// TryCode counts a try to enter a code at the time try.UsedAt, as a wrong one, before the code is compared. It returns what was stored before.
	// If the next try has to wait ([contract.TryPause]), nothing is counted, and wait says how long. Of several tries at once, no more are
	// granted. A try that repeats an accepted code ([CodeUse.IsRepeated]) is not counted.
	TryCode(ctx context.Context, id contract.PersonID, try CodeUse) (u CodeUse, wait time.Duration, err error)
	// UseCode records that a code of the authenticator app was accepted, and forgets the wrong tries. It returns ErrConflict if that code or a
	// later one was accepted before: of two requests with the same code, one fails.
	UseCode(ctx context.Context, id contract.PersonID, u CodeUse) error
	// UseRecoveryCode removes a recovery code. ErrNotFound if there is no such code, or it was used. Step of u is ignored.
	UseRecoveryCode(ctx context.Context, id contract.PersonID, hash [32]byte, u CodeUse, e contract.Event) error
	// UsePasskey records the use of a passkey with a challenge. It returns ErrConflict if the challenge was used before for something else, or
	// the counter did not grow: the passkey may have been copied. A challenge that was used before with the same binding, which is not zero,
	// changes nothing. Unless it is fresh, only such a repeat is accepted. ErrNotFound: the passkey was removed.
	UsePasskey(ctx context.Context, p Passkey, u UsedChallenge, fresh bool) error

	// The methods that add and remove factors order the notices about it in the same transaction.

	// AddAuthenticator adds the authenticator app of an account, whose code of that step confirmed it, and replaces the recovery codes
	// unless codes is nil. ErrExists if there is one. ErrNotFirst if there are codes, which belong to the first factor, and the account has another one by now.
	AddAuthenticator(ctx context.Context, id contract.PersonID, a Authenticator, step int64, codes [][32]byte, e contract.Event, told ...contract.Notice) error
	// AddPasskey adds a passkey, and replaces the recovery codes unless codes is nil. It returns ErrExists for a passkey that is known, and
	// ErrConflict if the challenge was used before, or the account has limit passkeys, and ErrNotFirst as AddAuthenticator.
	AddPasskey(ctx context.Context, p Passkey, u UsedChallenge, limit int, codes [][32]byte, e contract.Event, told ...contract.Notice) error
	RenamePasskey(ctx context.Context, id contract.PersonID, passkey, name string, e contract.Event) error // ErrNotFound
	// RemoveAuthenticator and RemovePasskey remove a factor, and with the last one the recovery codes, and end all sessions of the person but the
	// one of a family: they may have been opened with it. That session counts as opened without the factor, unless the account has another one of
	// its kind. ErrNotFound if there is none; ErrConflict if it is the last one and keep is true.
	RemoveAuthenticator(ctx context.Context, id contract.PersonID, family string, keep bool, e contract.Event, told ...contract.Notice) error
	RemovePasskey(ctx context.Context, id contract.PersonID, passkey, family string, keep bool, e contract.Event, told ...contract.Notice) error
	// SetRecoveryCodes replaces the recovery codes. ErrNotFound if the account has no factor.
	SetRecoveryCodes(ctx context.Context, id contract.PersonID, codes [][32]byte, e contract.Event) error
	// ResetFactors removes all factors of an account and ends its tokens. ErrConflict if it has none.
	ResetFactors(ctx context.Context, id contract.PersonID, e contract.Event, told ...contract.Notice) error
	// ProveSession records when the person proved again who they are in a session. ErrNotFound: it has ended.
	ProveSession(ctx context.Context, family string, at time.Time) error
	// RaiseSession records the factor that the person proved in a session after its login.
	RaiseSession(ctx context.Context, family string, f contract.Factor, at time.Time) error
	// PurgeChallenges forgets challenges that were used before a moment.
	PurgeChallenges(ctx context.Context, before time.Time) error
}
