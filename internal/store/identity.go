package store

import (
	"context"
	"time"

	"segel/internal/contract"
)

// Organisation is whom users belong to and who pays.
type Organisation struct {
	ID        contract.OrganisationID
	Name      string
	CreatedAt time.Time
}

// User is somebody with an account.
type User struct {
	contract.Person
	Organisation contract.OrganisationID
	Admin        bool
	Password     string // encoded hash; never logged
	MustReset    bool   // the password is a first one, to be changed
	Given        bool   // an admin gave it, and knows it: until it is changed it is good for nothing else
	CreatedAt    time.Time
}

// TokenKind says what a token is good for.
type TokenKind string

// The kinds of token.
const (
	AccessToken  TokenKind = "access"
	RefreshToken TokenKind = "refresh"
	GuestToken   TokenKind = "guest"   // one person on one document
	SessionToken TokenKind = "session" // the web app's cookie
)

// Token is a secret handed out, kept only as its SHA-256.
type Token struct {
	Hash      [32]byte
	Kind      TokenKind
	Person    contract.PersonID
	Document  contract.DocumentID // of a guest's token
	Family    string              // all tokens that descend from one login
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // a refresh token is used once; zero: not yet
}

// GuestLink is a link handed out to a guest, kept only as its SHA-256.
type GuestLink struct {
	Hash      [32]byte
	Document  contract.DocumentID
	Person    contract.PersonID
	CreatedAt time.Time
}

// Caller is where a login comes from.
type Caller struct {
	Device  [32]byte // SHA-256 of the secret that the device was given; zero: it has none
	Address string   // of the network, as identity folds it
}

// Known is an account to which a caller logged in before, from the device, the address or both.
type Known struct {
	Account         contract.PersonID
	Organisation    contract.OrganisationID
	Device, Address bool
}

// Identities keeps organisations, users and the secrets handed to them.
type Identities interface {
	CreateOrganisation(ctx context.Context, o Organisation) error // ErrExists for an id or a name already known
	Organisation(ctx context.Context, id contract.OrganisationID) (Organisation, error)
	OrganisationByName(ctx context.Context, name string) (Organisation, error)
	FirstOrganisation(ctx context.Context) (Organisation, error) // the oldest

	// CreateUser adds a user, and logs the events with the user. ErrExists for an id that is known, and for an e-mail that has
	// an account in the same organisation, in any case of letters.
	CreateUser(ctx context.Context, u User, events ...contract.Event) error
	User(ctx context.Context, id contract.PersonID) (User, error)
	// UsersByEmail returns the accounts, at most one of each organisation, whose e-mail is one of those given, oldest first. It
	// is one query, however many there are; none are an empty slice.
	UsersByEmail(ctx context.Context, emails ...string) ([]User, error)
	// MemberByEmail returns the user of an organisation with that e-mail. ErrNotFound for an unknown address and for one of
	// a user elsewhere. Both are the same query, so that neither the answer nor its time tells them apart.
	MemberByEmail(ctx context.Context, o contract.OrganisationID, email string) (User, error)
	// SetPassword gives a user another password, which he has not to change; ends every token of his, forgets his devices and
	// addresses, and logs the event with it. ErrConflict where the present one is not was; an empty was is any.
	SetPassword(ctx context.Context, id contract.PersonID, was, encoded string, e contract.Event) error
	// Users reads one page of the users of an organisation, of all where it is empty, by name, and counts them; search is
	// part of a name or an e-mail.
	Users(ctx context.Context, o contract.OrganisationID, search string, offset, limit int) ([]User, int, error)

	// AddTokens keeps tokens. Every SetPassword of the person, RevokeFamily of theirs and Commit of a link in the place of the
	// guest's either ends them, or is seen by whoever reads the person, another token of the family, or the link behind it.
	AddTokens(ctx context.Context, tokens ...Token) error
	Token(ctx context.Context, hash [32]byte) (Token, error)
	// RotateTokens marks a refresh token used, has the access tokens of its family expire at until unless they do so before,
	// and adds tokens of the same person and family, all in one transaction. ErrConflict when it was used before, ErrNotFound
	// when it is not there any more, for example because its family was revoked; nothing is changed then.
	RotateTokens(ctx context.Context, used [32]byte, now, until time.Time, tokens ...Token) error
	RevokeFamily(ctx context.Context, family string) error
	PurgeTokens(ctx context.Context, before time.Time) error

	// KnownCaller returns the accounts with one of the given e-mails, oldest first, to which the device or the address of a
	// caller logged in at since or later. It is one query for any e-mail and any number of accounts; none are an empty slice.
	KnownCaller(ctx context.Context, c Caller, since time.Time, emails ...string) ([]Known, error)
	// RememberCaller records the device and the address of a successful login, and forgets all but the keep newest of each.
	RememberCaller(ctx context.Context, id contract.PersonID, c Caller, now time.Time, keep int) error
	// PurgeCallers forgets devices and addresses that were used last before a moment.
	PurgeCallers(ctx context.Context, before time.Time) error

	// GuestLink reads the link that stands; Commit stores it, see contract.Change.
	GuestLink(ctx context.Context, hash [32]byte) (GuestLink, error)

	SetSpecimen(ctx context.Context, id contract.PersonID, image []byte) error // nil removes it
	Specimen(ctx context.Context, id contract.PersonID) ([]byte, error)
}

// Credentials keeps sealed private keys with their chains.
type Credentials interface {
	// AddCredential stores a sealed key under its holder: a person, or an organisation for its seal.
	AddCredential(ctx context.Context, c SealedCredential) error
	// Credential returns the newest one of a holder that has begun at a moment and has not ended at a later one. One that was
	// made while the clock was ahead has not begun: an older one is found instead, or none.
	Credential(ctx context.Context, holder string, begun, until time.Time) (SealedCredential, error)
	// EachCredential calls yield with every credential, by its identifier, until it returns false. No transaction is open
	// while yield runs.
	EachCredential(ctx context.Context, yield func(SealedCredential) bool) error
}

// SealedCredential is a private key that only the master secret opens, with its certificates.
type SealedCredential struct {
	ID        string // the associated data of the sealing
	Holder    string
	Key       []byte   // sealed
	Chain     [][]byte // DER, leaf first
	NotBefore time.Time
	NotAfter  time.Time
	CreatedAt time.Time
}

// Certificate is a record of what the embedded authority issued.
type Certificate struct {
	Serial    string // lower-case hexadecimal
	Subject   string
	DER       []byte
	IssuedAt  time.Time
	NotAfter  time.Time
	RevokedAt time.Time // zero: good
	Reason    int       // RFC 5280 §5.3.1
	Holder    string    // our identifier of whom it is made out to: a person, or an organisation for its seal

	// What was verified about the holder, who named a guest, the organisation and the holder's e-mail, as they were given.
	// Empty for certificates that were made before this was recorded. The e-mail is not in the certificate.
	Assurance    contract.Assurance
	NamedBy      string
	Organisation string
	Email        string
}

// Certificates is the embedded authority's ledger.
type Certificates interface {
	AddCertificate(ctx context.Context, c Certificate) error // ErrExists for a serial already issued
	Certificate(ctx context.Context, serial string) (Certificate, error)
	// RevokeCertificate revokes once, from that moment on, and logs the event with it: of a certificate that is
	// revoked already, time and reason stay, and nothing is logged.
	RevokeCertificate(ctx context.Context, serial string, reason int, at time.Time, e contract.Event) error
	RevokedCertificates(ctx context.Context) ([]Certificate, error)
	// Revocations counts the revoked certificates: a number that tells whether a list of them is still right.
	Revocations(ctx context.Context) (int, error)
	// EachCertificate calls yield with every certificate, by serial, until it returns false. No transaction is open
	// while yield runs.
	EachCertificate(ctx context.Context, yield func(Certificate) bool) error
}

// Log is the append-only Merkle log of all events.
type Log interface {
	// Size returns the number of leaves and the root hash.
	Size(ctx context.Context) (int64, [32]byte, error)
	// RootAt returns the root hash of the first leaves, by the stored hashes; ErrNotFound where there are fewer.
	RootAt(ctx context.Context, leaves int64) ([32]byte, error)
	// Prove returns the events of a document among the first leaves, in order, each with what shows that it is there.
	// None are an empty slice; ErrNotFound where there are fewer leaves.
	Prove(ctx context.Context, id contract.DocumentID, leaves int64) ([]Proven, error)
	// CheckLog recomputes the log from the stored events and compares; what it finds is told by the error. A log
	// cut off at its end agrees with itself: only a checkpoint kept elsewhere shows that.
	CheckLog(ctx context.Context) error
}

// Proven is an event with the hashes that lead from its leaf to the root at the size that was asked for (RFC 6962 §2.1.1).
type Proven struct {
	Logged
	Path [][32]byte
}

// Store is everything.
type Store interface {
	Documents
	Quotas
	Serials
	Identities
	Credentials
	Certificates
	Answers
	Log
	Clocks
	Administration
	Installations
	Close() error
}
