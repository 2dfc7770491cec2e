package contract

import (
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// KeyID identifies an API key. It is public: clients of OAuth 2.0 send it as their client_id.
type KeyID string

// KeyScope is what an API key permits.
type KeyScope string

// The scopes. Values are stored permanently and are part of the interface.
const (
	ScopeRead  KeyScope = "documents:read"  // see the person's documents and their files
	ScopeWrite KeyScope = "documents:write" // create, change, send and end the documents of the person and of their teams
	ScopeSign  KeyScope = "sign"            // sign, decline and delegate as the person
	ScopeStamp KeyScope = "stamp"           // order duty stamps, which cost money
	ScopeAdmin KeyScope = "admin"           // administer, as far as the person may
)

// KeyScopes lists every scope, in the order in which a person chooses them.
var KeyScopes = []KeyScope{ScopeRead, ScopeWrite, ScopeSign, ScopeStamp, ScopeAdmin}

// JoinScopes returns scopes separated by spaces, as RFC 6749 §3.3 writes them.
func JoinScopes(scopes []KeyScope) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = string(s)
	}
	return strings.Join(texts, " ")
}

// JoinNetworks returns networks in CIDR notation, separated by spaces.
func JoinNetworks(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, n := range networks {
		texts[i] = n.String()
	}
	return strings.Join(texts, " ")
}

// Entries of the tables of scopes that are not scopes themselves.
const (
	NeverByKey KeyScope = ""    // no API key permits the operation
	AnyKey     KeyScope = "any" // every API key permits it
)

// operationScopes says which scope an API key needs for each operation on a document. An operation that is missing is never
// permitted; a test requires that none is.
//
// Finalizing a document with duty stamps needs ScopeStamp as well: see [KeyGrant.requireStamps].
var operationScopes = map[Operation]KeyScope{
	OpDetail: ScopeRead, OpStatus: ScopeRead, OpSigners: ScopeRead, OpAuditTrail: ScopeRead, OpEvents: ScopeRead, OpPreview: ScopeRead,
	OpDownload: ScopeRead, OpOriginal: ScopeRead, OpEvidence: ScopeRead, OpConsent: ScopeRead,
	OpParticipants: ScopeWrite, OpDescribe: ScopeWrite, OpPlace: ScopeWrite, OpFinalize: ScopeWrite, OpCancel: ScopeWrite, OpRemind: ScopeWrite,
	OpRetry: ScopeWrite, OpGuestLink: ScopeWrite, OpGuestRevoke: ScopeWrite, OpEmbed: ScopeWrite, OpCorrectGuest: ScopeWrite, OpCopy: ScopeWrite, OpShare: ScopeWrite, OpTemplate: ScopeWrite, OpUse: ScopeWrite, OpDelete: ScopeWrite,
	OpLabel: ScopeWrite, OpFile: ScopeWrite,
	OpSign: ScopeSign, OpApprove: ScopeSign, OpReject: ScopeSign, OpDelegate: ScopeSign,
	OpRestamp: ScopeStamp,
	OpCode:    NeverByKey, OpProveContact: NeverByKey, // of guests alone, who have no keys
}

// adminScopes says the same for each operation of administration. A key that could make keys, reset passwords or hand out the links of guests
// would permit more than its scope.
var adminScopes = map[AdminOperation]KeyScope{
	AdminPeople: ScopeAdmin, AdminInvitations: ScopeAdmin, AdminInvite: NeverByKey, AdminRevokeInvitation: ScopeAdmin, AdminAddPerson: NeverByKey, AdminResetPassword: NeverByKey, AdminResetFactors: NeverByKey,
	AdminDisable: ScopeAdmin, AdminEnable: ScopeAdmin, AdminRename: ScopeAdmin, AdminSetRole: NeverByKey, AdminExport: NeverByKey, AdminTransfer: NeverByKey, AdminErase: NeverByKey, AdminEraseGuest: NeverByKey, AdminDocuments: ScopeAdmin,
	AdminOrganisations: ScopeAdmin, AdminAddOrganisation: NeverByKey, AdminRenameOrganisation: ScopeAdmin, AdminSetOrganisationState: NeverByKey,
	AdminQuota: ScopeAdmin, AdminGrant: ScopeAdmin, AdminLedger: ScopeAdmin, AdminAttempts: ScopeAdmin, AdminSerials: ScopeAdmin, AdminEvidence: ScopeAdmin,
	AdminReconciliation: ScopeAdmin, AdminReconcile: ScopeAdmin, AdminStuck: ScopeAdmin, AdminRetry: ScopeAdmin, AdminCertificates: ScopeAdmin, AdminAuditLog: ScopeAdmin,
	AdminBranding: ScopeAdmin, AdminSetBranding: ScopeAdmin, AdminDeleteBranding: ScopeAdmin, AdminConsent: ScopeAdmin, AdminSetConsent: ScopeAdmin,
	AdminLabels: ScopeAdmin, AdminSetLabel: ScopeAdmin,
	AdminReminders: ScopeAdmin, AdminSetReminders: ScopeAdmin, AdminTeams: ScopeAdmin, AdminSetTeam: NeverByKey, AdminLocale: ScopeAdmin, AdminSetLocale: ScopeAdmin, AdminMail: ScopeAdmin, AdminShowMail: NeverByKey, AdminRetryMail: ScopeAdmin, AdminFeed: ScopeAdmin,
	AdminWebhooks: ScopeAdmin, AdminSetWebhook: ScopeAdmin, AdminAddWebhook: ScopeAdmin, AdminRotateWebhook: ScopeAdmin, AdminTestWebhook: ScopeAdmin, AdminReplayWebhook: ScopeAdmin,
	AdminKeys: ScopeAdmin, AdminRevokeKey: ScopeAdmin,
	AdminPolicy: ScopeAdmin, AdminSetPolicy: NeverByKey,
	AdminEmbedding: ScopeAdmin, AdminSetEmbedding: NeverByKey,
	AdminRetention: ScopeAdmin, AdminSetRetention: NeverByKey, AdminHold: ScopeAdmin, AdminLiftHold: NeverByKey,
	AdminSSO: ScopeAdmin, AdminTestSSO: ScopeAdmin, AdminClaimDomain: ScopeAdmin, AdminSetSSO: NeverByKey, AdminProveDomain: NeverByKey, AdminRemoveDomain: NeverByKey,
	AdminGrantDomain: NeverByKey, AdminUnlinkSSO: NeverByKey,
}

// ScopeOf returns the scope that an API key needs for an operation on a document.
func ScopeOf(op Operation) KeyScope { return operationScopes[op] }

// AdminScopeOf returns the scope that an API key needs for an operation of administration.
func AdminScopeOf(op AdminOperation) KeyScope { return adminScopes[op] }

// Refusals of what is done with an API key.
var (
	ErrKeyNever      = Refuse(Forbidden, "key.never")             // no key permits the operation
	ErrKeyScope      = Refuse(Forbidden, "key.scope")             // this key lacks the scope
	ErrKeyNetwork    = Refuse(Forbidden, "key.network")           // the key is not allowed from this network
	ErrKeyTest       = Refuse(Forbidden, "key.other_mode")        // a test key on a document with value, or the other way round
	ErrKeySignFactor = Refuse(Forbidden, "key.sign_factor")       // the organisation demands a factor per signature, which no program has
	ErrKeyEnded      = Refuse(Unauthenticated, "key.ended")       // the key was revoked or has expired
	ErrKeyLimit      = Refuse(Conflict, "key.too_many")           // the person has too many
	ErrNoKey         = Refuse(NotFound, "key.not_found")          // the key does not exist, or the caller may not see it
	ErrKeyForAdmins  = Refuse(Forbidden, "key.admin_not_allowed") // ScopeAdmin for a person who administers nothing
)

// Bounds on API keys.
const (
	MaxKeysPerPerson = 50 // that are neither revoked nor expired
	MaxKeyNetworks   = 50
	MaxKeyName       = 100 // characters
	MaxKeyLifetime   = 5 * 366 * 24 * time.Hour
)

// KeyGrant restricts what an actor may do because they came with an API key. A nil grant restricts nothing: they came without one.
type KeyGrant struct {
	ID     KeyID
	Name   string
	Scopes []KeyScope
	Test   bool // it makes test documents and acts on no others
}

// Require refuses an operation that needs a scope which the key lacks, with ErrKeyScope, and one that no key permits, with ErrKeyNever.
func (g *KeyGrant) Require(scope KeyScope) error {
	switch {
	case g == nil, scope == AnyKey:
		return nil
	case scope == NeverByKey:
		return ErrKeyNever
	case !slices.Contains(g.Scopes, scope):
		return ErrKeyScope.With("scope", string(scope))
	}
	return nil
}

// requireMode refuses to act with a test key on a document that has value, and with another key on a test document. Reading is permitted: the same
// person sees both, and documents say which they are.
func (g *KeyGrant) requireMode(d *Document, op Operation) error {
	if g == nil || g.Test == d.Test || operationScopes[op] == ScopeRead {
		return nil
	}
	return ErrKeyTest
}

// RefuseTest refuses a test key, for what people see outside test documents.
func (g *KeyGrant) RefuseTest() error {
	if g != nil && g.Test {
		return ErrKeyTest
	}
	return nil
}

// requireStamps refuses to order n duty stamps with a key that may not spend money.
func (g *KeyGrant) requireStamps(n int) error {
	if n == 0 {
		return nil
	}
	return g.Require(ScopeStamp)
}

// eventDetails returns the key as details of an event.
func (g *KeyGrant) eventDetails() []string {
	if g == nil {
		return nil
	}
	return []string{"key", string(g.ID), "key_name", g.Name}
}

// APIKey is an API key without its secret. It acts as the person who made it.
type APIKey struct {
	ID           KeyID
	Organisation OrganisationID
	Person       PersonID
	Name         string
	Hint         string // the first characters of the secret, by which its holder recognises it
	Scopes       []KeyScope
	Networks     []netip.Prefix // from which it may be used; empty: from all
	Test         bool
	CreatedAt    time.Time
	ExpiresAt    time.Time // zero: never
	RevokedAt    time.Time // zero: not revoked
	LastUsedAt   time.Time // at most a few minutes old while the key is in use; zero: never
	LastNetwork  string    // of LastUsedAt
}

// KeyStatus says whether an API key can be used.
type KeyStatus string

// The statuses. A key that was revoked is revoked also after it would have expired.
const (
	KeyActive  KeyStatus = "active"
	KeyExpired KeyStatus = "expired"
	KeyRevoked KeyStatus = "revoked"
)

// KeyStatuses lists the statuses.
var KeyStatuses = []KeyStatus{KeyActive, KeyExpired, KeyRevoked}

// Status returns the status of the key at a time.
func (k *APIKey) Status(now time.Time) KeyStatus {
	switch {
	case !k.RevokedAt.IsZero():
		return KeyRevoked
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return KeyExpired
	}
	return KeyActive
}

// HasEnded reports whether the key was revoked or has expired.
func (k *APIKey) HasEnded(now time.Time) bool { return k.Status(now) != KeyActive }

// Grant returns what the key permits.
func (k *APIKey) Grant() *KeyGrant {
	return &KeyGrant{ID: k.ID, Name: k.Name, Scopes: k.Scopes, Test: k.Test}
}

// AllowsAddress reports whether the key may be used from an IP address. A key without networks allows all addresses, also one that cannot be
// parsed.
func (k *APIKey) AllowsAddress(ip string) bool {
	if len(k.Networks) == 0 {
		return true
	}
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool { return n.Contains(a) })
}

// KeySettings is what a person asks for when they make a key.
type KeySettings struct {
	Name      string
	Scopes    []KeyScope
	Networks  []string // in CIDR notation, or addresses
	Test      bool
	ExpiresAt time.Time // zero: never
}

// NewAPIKey returns the key that a person asks for, without an identifier. A key cannot make another one, and acts only as the person who makes it.
// Errors are refusals: ErrKeyNever, ErrNotAllowed, ErrKeyForAdmins, and those of the fields.
func NewAPIKey(in KeySettings, by Actor, now time.Time) (APIKey, error) {
	switch {
	case by.Key != nil:
		return APIKey{}, ErrKeyNever
	case by.Guest != 0 || by.IsSystem():
		return APIKey{}, ErrNotAllowed
	}
	k := APIKey{
		Organisation: by.Organisation, Person: by.ID, Name: CleanText(in.Name), Test: in.Test, CreatedAt: now, ExpiresAt: in.ExpiresAt,
	}
	var bad fieldErrors
	switch {
	case !HasVisibleText(k.Name):
		bad.add("name", "value.required")
	case utf8.RuneCountInString(k.Name) > MaxKeyName:
		bad.add("name", "text.too_long", "limit", MaxKeyName)
	}
	for _, s := range in.Scopes {
		if !slices.Contains(KeyScopes, s) {
			bad.add("scopes", "key.scope_unknown", "scope", string(s))
		}
	}
	for _, s := range KeyScopes { // in their order, each once
		if slices.Contains(in.Scopes, s) {
			k.Scopes = append(k.Scopes, s)
		}
	}
	if len(in.Scopes) == 0 {
		bad.add("scopes", "value.required")
	}
	if k.Test && slices.Contains(k.Scopes, ScopeAdmin) {
		bad.add("scopes", "key.test_admin") // an organisation has no test part that such a key could administer
	}
	for _, text := range in.Networks {
		n, ok := ParseNetwork(text)
		if !ok {
			bad.add("networks", "key.network_malformed", "network", text)
		} else if !slices.Contains(k.Networks, n) {
			k.Networks = append(k.Networks, n)
		}
	}
	if len(k.Networks) > MaxKeyNetworks {
		bad.add("networks", "key.networks_too_many", "limit", MaxKeyNetworks)
	}
	switch {
	case k.ExpiresAt.IsZero():
	case !k.ExpiresAt.After(now):
		bad.add("expires_at", "key.expires_past")
	case k.ExpiresAt.After(now.Add(MaxKeyLifetime)):
		bad.add("expires_at", "key.expires_late")
	}
	if err := bad.asError(); err != nil {
		return APIKey{}, err
	}
	if slices.Contains(k.Scopes, ScopeAdmin) && !by.Admin {
		return APIKey{}, ErrKeyForAdmins
	}
	return k, nil
}

// ParseNetwork parses a network in CIDR notation, or a single address, IPv4 or IPv6. Bits beyond the prefix must be zero: a person who writes
// 10.1.2.3/8 means another network than 10.0.0.0/8.
func ParseNetwork(text string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(text); err == nil {
		if a.Zone() != "" {
			return netip.Prefix{}, false
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	n, err := netip.ParsePrefix(text)
	if err != nil || n.Addr().Is4In6() || n != n.Masked() {
		return netip.Prefix{}, false
	}
	return n, true
}

// NarrowScopes returns the scopes of a key that a client asked for, in the order of [KeyScopes]; all of them if it asked for none. Ok is false if it
// asked for one that the key lacks.
func NarrowScopes(of []KeyScope, asked []string) (scopes []KeyScope, ok bool) {
	if len(asked) == 0 {
		return slices.Clone(of), true
	}
	for _, a := range asked {
		if !slices.Contains(of, KeyScope(a)) {
			return nil, false
		}
	}
	for _, s := range KeyScopes {
		if slices.Contains(asked, string(s)) {
			scopes = append(scopes, s)
		}
	}
	return scopes, true
}

// SignEvent adds to an event who caused it: the person, their address, and the API key that they came with.
func (by Actor) SignEvent(e Event) Event {
	e.Person, e.IP = by.Person, by.IP
	if g := by.Key; g != nil {
		details := map[string]string{"key": string(g.ID), "key_name": g.Name}
		for name, value := range e.Details {
			details[name] = value
		}
		e.Details = details
	}
	return e
}
