package contract

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// SSO is how the people of an organisation log in with the provider of their company (OpenID Connect).
type SSO struct {
	Organisation OrganisationID
	SSOSettings
	Secret    []byte // of the client at the provider, sealed; empty: the client has none
	ChangedAt time.Time
	Edits     int64 // how often it was changed; 0: not stored yet
}

// SSOSettings are what an administrator sets.
type SSOSettings struct {
	Issuer   string // of the provider; its metadata is at Issuer + "/.well-known/openid-configuration"
	ClientID string // of this service at the provider
	Enabled  bool
	Create   bool // people without an account get one at their first login

	GroupsClaim  string      // the claim that lists the groups of a person
	Groups       []GroupRole // what groups mean here; the first that the person is in counts
	RequireGroup bool        // people who are in none of Groups may not log in

	PasswordOff bool       // people with an address of a granted domain log in with the provider only
	Exempt      []PersonID // admins who may still use a password, for use when the provider fails

	ProviderFactor bool          // a second factor that the provider states counts as one here
	FactorACR      string        // the acr that states a second factor; empty: an amr of RFC 8176 that does
	MaxAge         time.Duration // people whose login at the provider is older log in there again; 0: any age
}

// Factors of logins with a provider.
const (
	FactorOIDC       Factor = "oidc"        // the provider named the person
	FactorOIDCSecond Factor = "oidc_second" // as FactorOIDC, with a second factor: the account's own, or one that the provider stated and the organisation lets count
)

// IsProviderLogin reports whether the provider of the organisation named the person.
func (f Factor) IsProviderLogin() bool { return f == FactorOIDC || f == FactorOIDCSecond }

// GroupRole is what a group of the provider means here.
type GroupRole struct {
	Group string
	Role  AccountRole
}

// SSODomain is a mail domain that an organisation names as its own.
type SSODomain struct {
	Organisation OrganisationID
	Domain       string // in ASCII and lower case
	Challenge    string // what a TXT record at [SSODomain.RecordName] must say to prove it
	ClaimedAt    time.Time
	GrantedAt    time.Time // zero: it routes no login
	GrantedBy    DomainGrant
}

// DomainGrant is why a domain routes logins.
type DomainGrant string

// The grants.
const (
	GrantedByOperator DomainGrant = "operator"
	GrantedByDNS      DomainGrant = "dns"
)

// RecordName returns the name of the TXT record that proves a domain.
func (d *SSODomain) RecordName() string { return "_segel-challenge." + d.Domain }

// RecordValue returns what the TXT record must say.
func (d *SSODomain) RecordValue() string { return "segel-domain=" + d.Challenge }

// Limits of the settings of an organisation.
const (
	MaxSSODomains    = 50
	maxSSOGroups     = 200
	maxSSOExempt     = 10
	maxSSOText       = 255  // characters of a client ID, a group or the name of a claim
	maxSSOIssuer     = 1000 // bytes
	MaxSSOSecret     = 1000 // bytes of a client secret
	maxSSOMaxAge     = 30 * 24 * time.Hour
	maxGroupsOfLogin = 2000 // groups of one person that are compared
)

// Refusals of logins with a provider. The person has come back from the provider, so they may be told the reason.
var (
	// ErrProviderDown refuses a login whose provider does not answer or answers what it may not.
	ErrProviderDown = Refuse(Unavailable, "sso.provider_unavailable").WithRetry()
	// ErrLoginLost refuses an answer of a provider to a login that was not begun in this browser, ended, or is too old.
	ErrLoginLost = Refuse(Malformed, "sso.login_lost")
	// ErrProviderRefused is a login that the provider refused, or that the person gave up there.
	ErrProviderRefused = Refuse(Forbidden, "sso.refused")
	// ErrProviderAnswer refuses an answer that is not from the provider, or not for this login.
	ErrProviderAnswer = Refuse(Malformed, "sso.answer_invalid")
	// ErrEmailUnverified refuses a person whose address the provider does not state as verified.
	ErrEmailUnverified = Refuse(Forbidden, "sso.email_unverified")
	// ErrEmailDomain refuses an address of a domain that the organisation does not have.
	ErrEmailDomain = Refuse(Forbidden, "sso.email_domain")
	// ErrNoSSOAccount refuses a person without an account where the first login makes none.
	ErrNoSSOAccount = Refuse(Forbidden, "sso.no_account")
	// ErrNoSSOGroup refuses a person who is in none of the groups that may log in.
	ErrNoSSOGroup = Refuse(Forbidden, "sso.no_group")
	// ErrOtherIdentity refuses a person whose address has an account that belongs to another person at the provider.
	ErrOtherIdentity = Refuse(Conflict, "sso.other_identity")
	// ErrSSODisabled refuses a person whose account is disabled.
	ErrSSODisabled = Refuse(Forbidden, "sso.account_disabled")
	// ErrLoginTooOld refuses a person who logged in at the provider longer ago than the organisation allows.
	ErrLoginTooOld = Refuse(Forbidden, "sso.login_too_old")
)

// Refusals of the settings.
var (
	ErrNoSSO          = Refuse(NotFound, "sso.not_found")
	ErrSSOChanged     = Refuse(Conflict, "sso.changed").WithRetry()
	ErrNoDomain       = Refuse(NotFound, "sso.domain_not_found")
	ErrDomainTaken    = Refuse(Conflict, "sso.domain_taken") // told to operators only
	ErrDomainLimit    = Refuse(Conflict, "sso.domain_limit").With("limit", MaxSSODomains)
	ErrDomainUnproven = Refuse(Conflict, "sso.domain_unproven").WithRetry()
	ErrDNSOff         = Refuse(Conflict, "sso.dns_off")
)

// CheckSSO checks settings and returns them normalised. Issuers have to be https; if plain is true, those of private hosts may be http.
func CheckSSO(in SSOSettings, plain bool) (SSOSettings, error) {
	var bad []FieldError
	in.Issuer, in.ClientID, in.GroupsClaim, in.FactorACR = strings.TrimSpace(in.Issuer), strings.TrimSpace(in.ClientID), strings.TrimSpace(in.GroupsClaim), strings.TrimSpace(in.FactorACR)
	// OpenID Connect Discovery 1.0 §2: an issuer has no query and no fragment. Its trailing slash is part of it.
	u, err := url.Parse(in.Issuer)
	switch {
	case in.Issuer == "":
		bad = append(bad, NewFieldError("issuer", "value.required"))
	case len(in.Issuer) > maxSSOIssuer:
		bad = append(bad, NewFieldError("issuer", "text.too_long", "limit", maxSSOIssuer))
	case err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(in.Issuer, "?#") || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		bad = append(bad, NewFieldError("issuer", "sso.bad_issuer"))
	case u.Scheme != "https" && !(plain && IsPrivateHost(u.Hostname())):
		bad = append(bad, NewFieldError("issuer", "sso.not_https"))
	}
	if in.ClientID == "" {
		bad = append(bad, NewFieldError("client_id", "value.required"))
	}
	if in.GroupsClaim == "" {
		in.GroupsClaim = "groups"
	}
	for _, text := range []struct{ name, value string }{{"client_id", in.ClientID}, {"groups_claim", in.GroupsClaim}, {"factor_acr", in.FactorACR}} {
		if utf8.RuneCountInString(text.value) > maxSSOText {
			bad = append(bad, NewFieldError(text.name, "text.too_long", "limit", maxSSOText))
		}
	}
	if len(in.Groups) > maxSSOGroups {
		bad = append(bad, NewFieldError("groups", "value.too_many", "limit", maxSSOGroups))
		in.Groups = nil
	}
	in.Groups = slices.Clone(in.Groups)
	for i := range in.Groups {
		g, at := &in.Groups[i], "groups["+strconv.Itoa(i)+"]"
		g.Group = strings.TrimSpace(g.Group)
		switch {
		case g.Group == "":
			bad = append(bad, NewFieldError(at+".group", "value.required"))
		case utf8.RuneCountInString(g.Group) > maxSSOText:
			bad = append(bad, NewFieldError(at+".group", "text.too_long", "limit", maxSSOText))
		}
		if !slices.Contains(AccountRoles, g.Role) {
			bad = append(bad, NewFieldError(at+".role", "sso.unknown_role"))
		}
	}
	if in.RequireGroup && len(in.Groups) == 0 {
		bad = append(bad, NewFieldError("groups", "value.required"))
	}
	if len(in.Exempt) > maxSSOExempt {
		bad = append(bad, NewFieldError("exempt", "value.too_many", "limit", maxSSOExempt))
	}
	if in.PasswordOff && len(in.Exempt) == 0 {
		bad = append(bad, NewFieldError("exempt", "sso.exempt_needed"))
	}
	if in.MaxAge < 0 || in.MaxAge > maxSSOMaxAge {
		bad = append(bad, NewFieldError("max_age", "value.out_of_range", "min", 0, "max", int(maxSSOMaxAge/time.Second)))
	}
	return in, InvalidInput(bad...)
}

// ParseMailDomain returns a mail domain in ASCII and lower case. It must have at least two labels.
func ParseMailDomain(s string) (domain string, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	domain, ok = parseDomain(s)
	return domain, ok && strings.Contains(domain, ".")
}

// MailDomain returns the domain of an address in ASCII and lower case, or nothing if it is not an address.
func MailDomain(email string) string {
	address, code := ParseEmail(email)
	if code != "" {
		return ""
	}
	_, domain, _ := strings.Cut(address, "@")
	return strings.ToLower(domain)
}

// RefusesPassword reports whether an account of the organisation, with an address of a domain that was granted to it, may not log in
// with a password. A person who is exempt may, as long as they are an admin.
func (s *SSO) RefusesPassword(id PersonID, admin bool) bool {
	return s.Enabled && s.PasswordOff && !(admin && slices.Contains(s.Exempt, id))
}

// ProviderClaims are what a provider states about a person, from a token that was verified.
type ProviderClaims struct {
	Subject       string
	Email         string
	EmailVerified bool
	Name          string
	Groups        []string
	HasGroups     bool // the provider states groups, perhaps none
	AuthTime      time.Time
	AMR           []string
	ACR           string
	SessionID     string
}

// Admitted is a person whom a provider named and who may log in, as far as the claims decide it.
type Admitted struct {
	Email  string
	Name   string
	Role   AccountRole // of a group that is listed; empty: they are in none
	Left   bool        // groups are stated, and none is listed: they lose the role that one gave them before
	Factor bool        // the provider states a second factor, and it counts
}

// maxAgeTolerance is how much older than [SSOSettings.MaxAge] a login may be: the clock of the provider may be behind. How far it may be ahead is decided where
// its tokens are verified.
const maxAgeTolerance = 5 * time.Minute

// Admit decides from the claims of a verified token whether a person may log in. Domains are those that were granted to the organisation.
// An address counts only if the provider states that it verified it: a person who may choose their address at the provider could otherwise take over the
// account of another.
func (s *SSO) Admit(c ProviderClaims, domains []string, now time.Time) (Admitted, error) {
	email, code := ParseEmail(c.Email)
	switch {
	case code != "" || !c.EmailVerified:
		return Admitted{}, ErrEmailUnverified
	case !slices.Contains(domains, MailDomain(email)):
		return Admitted{}, ErrEmailDomain
	case s.MaxAge > 0 && (c.AuthTime.IsZero() || now.Sub(c.AuthTime) > s.MaxAge+maxAgeTolerance):
		return Admitted{}, ErrLoginTooOld
	}
	role, in := s.RoleOf(c.Groups, c.HasGroups)
	if s.RequireGroup && !in {
		return Admitted{}, ErrNoSSOGroup
	}
	name := CleanText(c.Name)
	if !HasVisibleText(name) || utf8.RuneCountInString(name) > maxSSOText {
		name, _, _ = strings.Cut(email, "@")
	}
	return Admitted{Email: email, Name: name, Role: role, Left: s.HasLeft(in, c.HasGroups), Factor: s.ProviderFactor && statesFactor(c, s.FactorACR)}, nil
}

// RoleOf returns the role that the groups of a person give, and whether they are in one that is listed. Given is false if the provider
// states no groups: then nothing changes. A group that is not listed gives no role.
func (s *SSO) RoleOf(groups []string, given bool) (role AccountRole, listed bool) {
	if !given || len(s.Groups) == 0 {
		return "", false
	}
	groups = groups[:min(len(groups), maxGroupsOfLogin)]
	for _, g := range s.Groups {
		if slices.Contains(groups, g.Group) {
			return g.Role, true
		}
	}
	return "", false
}

// HasLeft reports whether a person is in none of the groups that give roles. Listed is the result of [SSO.RoleOf].
//
// They lose a role that a group gave them, and become a member. A role that an administrator or an invitation gave them stays: groups that are not listed say
// nothing about it.
func (s *SSO) HasLeft(listed, given bool) bool { return given && len(s.Groups) > 0 && !listed }

// UnlistedRole returns the role of a new account of a person who is in no listed group and was not invited. Where groups give roles,
// they are a member: a group that is missing must not let them send documents. Empty: the default of new accounts.
func (s *SSO) UnlistedRole() AccountRole {
	if len(s.Groups) > 0 {
		return RoleMember
	}
	return ""
}

// The values of amr (RFC 8176 §2) that say what a person knew, and what they had or were.
var (
	knownFactors = []string{"pwd", "pin", "kba"}
	ownedFactors = []string{"otp", "hwk", "swk", "sc", "fpt", "face", "iris", "retina", "vbm", "sms", "tel"}
)

// statesFactor reports whether the claims state two factors: by the acr that the organisation named, else by an amr of mfa, or of
// something known together with something else.
func statesFactor(c ProviderClaims, acr string) bool {
	if acr != "" {
		return c.ACR == acr
	}
	has := func(of []string) bool {
		return slices.ContainsFunc(c.AMR, func(m string) bool { return slices.Contains(of, m) })
	}
	return slices.Contains(c.AMR, "mfa") || has(knownFactors) && has(ownedFactors)
}
