package store

import (
	"context"
	"strings"
	"time"

	"segel/internal/contract"
)

// Organisation is the tenant that users belong to and that is charged.
type Organisation struct {
	ID        contract.OrganisationID
	Name      string
	CreatedAt time.Time
	Branding  contract.Branding      // read with it, and stored by [Brandings] alone
	Consent   contract.ConsentPolicy // the same, by [Consents]
	Reminders contract.Reminders     // of new documents; the same, by [Schedules]
	Locale    contract.Locale        // the same, by [Locales]
	Accounts  contract.AccountPolicy // the same, by [AccountPolicies]

	// The same, by [Organisations]. The zero values: it is active.
	State     contract.OrganisationState
	Reason    string // that an operator gave for the state
	ChangedAt time.Time
}

// User is a person with an account.
type User struct {
	contract.Person
	Organisation contract.OrganisationID
	Admin        bool
	Limited      contract.AccountRole // RoleMember or RoleAuditor; empty: RoleAdmin or RoleSender, as Admin says
	Password     string               // encoded hash; never logged
	MustReset    bool                 // the password is an initial one that must be changed
	Given        bool                 // an admin chose the password and knows it; until it is changed, it allows nothing but changing it
	CreatedAt    time.Time
	DisabledAt   time.Time // the account cannot be used since then; zero: it can
	ErasedAt     time.Time // the data of the person were asked to be erased then; zero: they were not

	// Mailbox is the address, in lower case, of which the holder verified that they read what is sent there. Only accounts that guests
	// created have one; CreateMailboxAccount stores it.
	Mailbox string

	OrganisationState contract.OrganisationState

	Teams []contract.Team // by name
}

// Role returns the role of the account.
func (u User) Role() contract.AccountRole {
	switch {
	case u.Admin:
		return contract.RoleAdmin
	case u.Limited != "":
		return u.Limited
	}
	return contract.RoleSender
}

// AccountStatus is what an administrator selects accounts by.
type AccountStatus string

// The statuses. An account with an initial password is active too.
const (
	AccountActive   AccountStatus = "active"
	AccountInitial  AccountStatus = "initial_password" // active, and the password is an initial one that must be changed
	AccountDisabled AccountStatus = "disabled"
	AccountErased   AccountStatus = "erased" // the data of the holder are being erased or were erased; not among all
)

// UserQuery selects users. A zero member selects all.
type UserQuery struct {
	Organisation contract.OrganisationID
	Search       string // part of a name or an e-mail
	Status       AccountStatus
	Offset       int
	Limit        int
}

// UserPage is one page of users, by name, and the number of all that match.
type UserPage struct {
	Users []User
	Total int
}

// TokenKind is the purpose of a token.
type TokenKind string

// The kinds of token.
const (
	AccessToken   TokenKind = "access"
	RefreshToken  TokenKind = "refresh"
	GuestToken    TokenKind = "guest"    // one person, one document
	SessionToken  TokenKind = "session"  // the web app's cookie
	EmbeddedToken TokenKind = "embedded" // one person, one document, one purpose
)

// Token is an issued secret, stored only as its SHA-256.
type Token struct {
	Hash      [32]byte
	Kind      TokenKind
	Person    contract.PersonID
	Document  contract.DocumentID // of a guest's or an embedded token
	Family    string              // all tokens that descend from one login
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // a refresh token is used once; zero: not used yet
}

// HeldToken is a token with its holder. The user is zero for a guest's token, and the guest for a user's; both are if there is no such person any more.
type HeldToken struct {
	Token
	User    User
	Guest   Guest
	Session contract.Session       // of the token's family; zero for a guest, and for a family that a program of an earlier release opened
	Policy  contract.AccountPolicy // of the user's organisation

	HasFactor bool // the user's account has a second factor
}

// MailedFamily begins the families of tokens that were opened with a link that was sent.
const MailedFamily = "mail-"

// OpenedFamily begins the families of guests' tokens that were opened from an account with a verified mailbox, in the way of the link that is
// mailed there. The family of the account's session follows: revoking that family revokes these tokens too.
const OpenedFamily = MailedFamily + "account-"

// OpenedFrom returns the family of the session from which a guest's token of a family was opened.
func OpenedFrom(family string) (session string, ok bool) {
	return strings.CutPrefix(family, OpenedFamily)
}

// GuestLink is a link issued to a guest, stored only as its SHA-256.
type GuestLink struct {
	Hash      [32]byte
	Document  contract.DocumentID
	Person    contract.PersonID
	CreatedAt time.Time
	Mailed    bool // sent to the guest's mailbox or phone; else handed to the owner. A guest has at most one of each
}

// MemberQuery asks for the user with that identifier, or without one for the user with that e-mail.
type MemberQuery struct {
	ID    contract.PersonID
	Email string
}

// Guest is a guest of a document, with the end of that document.
type Guest struct {
	contract.Person
	Phone   string
	Channel contract.Channel // how messages reach them
	State   contract.State
	EndedAt time.Time
	Proved  contract.Contact // proved with the token that was read; zero for a link

	OrganisationState contract.OrganisationState // of the document's organisation
}

// FormerGuestLink is a link that was replaced or revoked. It opens nothing.
type FormerGuestLink struct {
	Hash     [32]byte
	Document contract.DocumentID
	Person   contract.PersonID
	EndedAt  time.Time
	Revoked  bool // else it was replaced by a newer one
}

// Caller is the origin of a login.
type Caller struct {
	Device  [32]byte // SHA-256 of the secret that the device was given; zero: none
	Address string   // the network address, in the form that package identity normalizes it to
}

// Known is an account to which a caller logged in before, from the device, the address or both.
type Known struct {
	Account         contract.PersonID
	Organisation    contract.OrganisationID
	Device, Address bool
}

// SpecimenKind is what a person's stored picture shows.
type SpecimenKind string

// The pictures that a person can store.
const (
	SignatureSpecimen SpecimenKind = "signature"
	InitialsSpecimen  SpecimenKind = "initials" // for boxes for initials
)

// Identities stores organisations, users and the secrets issued to them.
type Identities interface {
	// CreateOrganisation stores an active organisation and logs the events. ErrExists if the identifier or the name is taken. With a context of
	// [WithFinalAnswer], the same transaction stores the answer to the request.
	CreateOrganisation(ctx context.Context, o Organisation, events ...contract.Event) error
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
	// FindMembers returns the user of an organisation for each of those asked for, in their order; one without an ID where there is none,
	// or only elsewhere. It is one query, however many there are.
	FindMembers(ctx context.Context, o contract.OrganisationID, asked ...MemberQuery) ([]User, error)
	// SetPassword replaces a user's password with one that they need not change, ends all their tokens, forgets their devices
	// and addresses, orders the notices about it, and logs the event. It returns ErrConflict unless the present password is was; an empty was matches any.
	SetPassword(ctx context.Context, id contract.PersonID, was, encoded string, e contract.Event, told ...contract.Notice) error
	// GivePassword replaces a user's password with one that they must change before anything else. The rest is as with SetPassword.
	GivePassword(ctx context.Context, id contract.PersonID, encoded string, e contract.Event) error
	// RenameUser replaces a user's name and logs the event. Documents, certificates and events keep the name they were written with.
	RenameUser(ctx context.Context, id contract.PersonID, name string, e contract.Event) error
	// SetRole gives a user a role and logs the event. A role that their groups gave them is from then on one that they keep when they leave the groups.
	// It returns ErrConflict for a user who has the role from elsewhere, and contract.ErrLastAdmin for another
	// role than admin of the last admin of an organisation whose account is not disabled: of two who lose it at the same moment, one stays.
	SetRole(ctx context.Context, id contract.PersonID, role contract.AccountRole, e contract.Event) error
	// DisableUser disables an account from the time of the event on, ends all its tokens, revokes its API keys, forgets its devices and
	// addresses, and logs the event. It returns ErrConflict for an account that is disabled, and contract.ErrLastAdmin for the last admin of an
	// organisation whose account is not: of two who are disabled at the same moment, one stays.
	DisableUser(ctx context.Context, id contract.PersonID, e contract.Event) error
	// EnableUser ends what DisableUser did, and logs the event. ErrConflict for an account that is not disabled.
	EnableUser(ctx context.Context, id contract.PersonID, e contract.Event) error
	Users(ctx context.Context, q UserQuery) (UserPage, error)
	// Admins returns up to limit admins of an organisation whose accounts can be used, the oldest first.
	Admins(ctx context.Context, of contract.OrganisationID, limit int) ([]User, error)
	// OpenSignatures returns how many documents in progress still lack the signature of each of the users. Users without such
	// documents are missing from the map.
	OpenSignatures(ctx context.Context, ids ...contract.PersonID) (map[contract.PersonID]int, error)
	// OwnedDocuments returns how many documents each of the users owns, drafts and templates too. Users without documents are missing from the map.
	OwnedDocuments(ctx context.Context, ids ...contract.PersonID) (map[contract.PersonID]int, error)

	// AddTokens stores tokens of a user and the session that they belong to. The zero session stores none. A concurrent SetPassword, DisableUser or RevokeFamily either ends them, or is visible to a later read
	// of the person or of another token of the family.
	AddTokens(ctx context.Context, of contract.Session, tokens ...Token) error
	// AddGuestToken stores a token for the guest of a link. It returns ErrNotFound if another link has replaced that one, or it
	// was revoked. A concurrent Commit that replaces the link ends the token.
	AddGuestToken(ctx context.Context, l GuestLink, k Token) error
	Token(ctx context.Context, hash [32]byte) (Token, error)
	// TokenWithHolder is Token with the person who holds it and what ends its session, in one query.
	TokenWithHolder(ctx context.Context, hash [32]byte) (HeldToken, error)
	// RotateTokens marks a refresh token used, makes the access tokens of its family expire at until or earlier, and adds
	// tokens of the same person and family, all in one transaction. Of the session of the family, it replaces LastUsedAt, ExpiresAt, IP and
	// UserAgent by those of the one given, or adds that one if there is none; the zero session changes nothing. It returns ErrConflict if the token was used before, and
	// ErrNotFound if it no longer exists, for example because its family was revoked; then nothing is changed.
	RotateTokens(ctx context.Context, used [32]byte, now, until time.Time, of contract.Session, tokens ...Token) error
	// RevokeFamily deletes the tokens of a family and its session.
	RevokeFamily(ctx context.Context, family string) error
	// Sessions returns the sessions of a person whose tokens have not expired, the one that was used last first.
	Sessions(ctx context.Context, id contract.PersonID, now time.Time) ([]contract.Session, error)
	// SessionOf returns the session of a family, with the policy of its person's organisation. ErrNotFound: it has ended.
	SessionOf(ctx context.Context, family string) (contract.Session, contract.AccountPolicy, error)
	// SessionsBeside returns the other sessions of the chain of a session, if their tokens have not expired, the one that was used last first.
	SessionsBeside(ctx context.Context, family string, now time.Time) ([]contract.Session, error)
	// AddTokensBeside is AddTokens for a session in the chain of another one, beside, and of another person. It ends the sessions of the person that were
	// in the chain before. ErrNotFound: the session beside has ended.
	AddTokensBeside(ctx context.Context, beside string, of contract.Session, tokens ...Token) error
	// RenewTokensBeside adds tokens to a session in the chain of another one, beside, and makes the former tokens of the session expire at until or
	// earlier. It replaces Factor, ProvedAt, LastUsedAt, ExpiresAt, IP and UserAgent of the session. ErrNotFound: one of both has ended, or they are not in one chain.
	RenewTokensBeside(ctx context.Context, beside string, until time.Time, of contract.Session, tokens ...Token) error
	// RevokeOtherFamilies deletes the tokens and the sessions of a user but those of one family, also tokens without a session, and what was opened
	// from them ([OpenedFamily]).
	RevokeOtherFamilies(ctx context.Context, id contract.PersonID, keep string) error
	// RecordSessionUse sets when a session was last used, unless a later use was recorded.
	RecordSessionUse(ctx context.Context, family string, at time.Time) error
	// PurgeTokens deletes the tokens that expire before a moment, and sessions without a token.
	PurgeTokens(ctx context.Context, before time.Time) error

	// KnownCaller returns the accounts with one of the given e-mails, oldest first, to which the device or the address of a
	// caller logged in at since or later. It is one query for any e-mail and any number of accounts; none are an empty slice.
	KnownCaller(ctx context.Context, c Caller, since time.Time, emails ...string) ([]Known, error)
	// RememberCaller records the device and the address of a successful login, and forgets all but the keep newest of each. It orders the
	// notice, if there is one and the person logged in before: from the first login there is nothing to tell others from. The counts are forgiven:
	// of [Tries], they start anew.
	RememberCaller(ctx context.Context, id contract.PersonID, c Caller, now time.Time, keep int, unknown *contract.Notice, forgiven ...TryKey) error
	// PurgeCallers deletes devices and addresses that were last used before a moment.
	PurgeCallers(ctx context.Context, before time.Time) error

	// GuestLink reads a current link with its guest; Commit stores it, see contract.Change. The guest is zero if the person is not a
	// guest of the document.
	GuestLink(ctx context.Context, hash [32]byte) (GuestLink, Guest, error)
	// MailedLink is GuestLink for the links in mails.
	MailedLink(ctx context.Context, hash [32]byte) (GuestLink, Guest, error)
	// MailedLinkOf returns the link that is mailed to a guest of a document; ErrNotFound if there is none yet. If the guest's links were
	// revoked and none was handed out since, CreatedAt is zero, and AddMailedLink adds none.
	MailedLinkOf(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (GuestLink, error)
	// AddMailedLink stores a link that is to be mailed. If the guest has one already, that one stays.
	AddMailedLink(ctx context.Context, l GuestLink) error
	// GuestCode reads the code of a guest of a document; ErrNotFound if none was ever ordered. Commit stores it.
	GuestCode(ctx context.Context, id contract.DocumentID, guest contract.PersonID) (contract.GuestCode, error)
	// TryGuestCode counts a try to enter a guest's code, and returns the code with that try. ErrNotFound: none can be entered, because
	// there is none, or it was used, has expired, or was tried too often. Durable on return, so that a crash grants no further try.
	TryGuestCode(ctx context.Context, id contract.DocumentID, guest contract.PersonID, now time.Time) (contract.GuestCode, error)
	// FormerGuestLink reads a link that a commit replaced or removed. Links that ended before they were recorded are
	// ErrNotFound.
	FormerGuestLink(ctx context.Context, hash [32]byte) (FormerGuestLink, error)
	// GuestLinks returns the current links of a document, at most one of each guest, by person.
	GuestLinks(ctx context.Context, id contract.DocumentID) ([]GuestLink, error)

	SetSpecimen(ctx context.Context, id contract.PersonID, kind SpecimenKind, image []byte) error // nil removes it
	Specimen(ctx context.Context, id contract.PersonID, kind SpecimenKind) ([]byte, error)
}

// Credentials stores sealed private keys with their chains.
type Credentials interface {
	// AddCredential stores a sealed key under its holder: a person, or an organisation for its seal.
	AddCredential(ctx context.Context, c SealedCredential) error
	// Credential returns the newest credential of a holder whose validity begins at begun or earlier and ends after until.
	// A credential made while the clock was ahead is not valid yet: an older one is returned, or ErrNotFound. The same query reads
	// whether its certificate is revoked.
	Credential(ctx context.Context, holder string, begun, until time.Time) (SealedCredential, error)
	// EachCredential calls yield with each credential, by identifier, until yield returns false. No transaction is open
	// while yield runs.
	EachCredential(ctx context.Context, yield func(SealedCredential) bool) error
}

// SealedCredential is a private key encrypted under the master secret, with its certificates.
type SealedCredential struct {
	ID        string // the associated data of the encryption
	Holder    string
	Key       []byte   // encrypted
	Chain     [][]byte // DER, leaf first
	NotBefore time.Time
	NotAfter  time.Time
	CreatedAt time.Time

	// What the ledger said, when the credential was read, about the first certificate of the chain. EachCredential leaves it zero.
	Recorded  bool      // the ledger has the certificate, with the same holder
	RevokedAt time.Time // zero: not revoked, or not recorded
}

// Certificates stores the certificates that the embedded authority issued.
type Certificates interface {
	// AddCertificate records a certificate by itself. Commit records one together with the change for which it was issued.
	AddCertificate(ctx context.Context, c contract.Certificate) error // ErrExists if the serial is taken
	Certificate(ctx context.Context, serial string) (contract.Certificate, error)
	// Certificates returns those of these serials that were issued, as they are at one moment, in any order.
	Certificates(ctx context.Context, serials ...string) ([]contract.Certificate, error)
	// RevokeCertificate revokes a certificate from that moment on and logs the event. If the certificate is revoked
	// already, its time and reason stay, and nothing is logged.
	RevokeCertificate(ctx context.Context, serial string, reason int, at time.Time, e contract.Event) error
	RevokedCertificates(ctx context.Context) ([]contract.Certificate, error)
	// Revocations counts the revoked certificates. A changed count means that a cached list of them is outdated.
	Revocations(ctx context.Context) (int, error)
	// EachCertificate calls yield with each certificate, by serial, until yield returns false. No transaction is open
	// while yield runs.
	EachCertificate(ctx context.Context, yield func(contract.Certificate) bool) error
}

// Log is the append-only Merkle log of all events.
type Log interface {
	// Size returns the number of leaves and the root hash.
	Size(ctx context.Context) (int64, [32]byte, error)
	// RootAt returns the root hash of the first leaves, from the stored hashes; ErrNotFound if the log has fewer.
	RootAt(ctx context.Context, leaves int64) ([32]byte, error)
	// Prove returns the events of a document among the first leaves, in order, each with its inclusion proof. The slice is
	// empty if there are none; ErrNotFound if the log has fewer leaves.
	Prove(ctx context.Context, id contract.DocumentID, leaves int64) ([]Proven, error)
	// CheckLog recomputes the log from the stored events and returns an error if it differs from the stored hashes. A log
	// that was truncated is consistent: only a checkpoint stored elsewhere reveals the truncation.
	CheckLog(ctx context.Context) error
}

// Proven is an event with the hashes from its leaf to the root of a given log size (RFC 6962 §2.1.1).
type Proven struct {
	Logged
	Path [][32]byte
}

// Store combines all interfaces of a store.
type Store interface {
	Documents
	Templates
	Quotas
	Serials
	Identities
	Organisations
	Tries
	Logins
	APIKeys
	Factors
	Brandings
	Credentials
	Certificates
	Signings
	ResumableUploads
	BlobKeys
	Notices
	Feed
	Webhooks
	SSO
	SCIM
	EvidenceFiles
	Consents
	Schedules
	Locales
	Labels
	Folders
	Teams
	AccountPolicies
	Retentions
	Embeds
	PasswordResets
	Invitations
	MailboxAccounts
	PersonalData
	Erasures
	Answers
	Nodes
	Leases
	Changes
	Announcements
	Log
	Clocks
	Administration
	Installations
	KeyFiles
	MasterKeys
	OfficeRecords
	StatePlaces
	TLSRecords
	Backups
	Monitoring
	Close() error
}
