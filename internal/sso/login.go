package sso

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/oidc"
	"segel/internal/store"
)

// LoginLifetime is how long a person may take to log in at the provider.
const LoginLifetime = 10 * time.Minute

// pendingLogin is a login that began and waits for the answer of the provider. It is sealed in a cookie of the browser: an abandoned login leaves
// nothing in the database, and every process can finish it.
type pendingLogin struct {
	State        string                  `json:"state"`
	Nonce        string                  `json:"nonce"`
	Verifier     string                  `json:"verifier"`
	Organisation contract.OrganisationID `json:"organisation"`
	Issuer       string                  `json:"issuer"`
	Client       string                  `json:"client"`
	Target       string                  `json:"target"`
	Device       string                  `json:"device,omitempty"`
	Beside       string                  `json:"beside,omitempty"` // the session that stays beside the new one
	Until        int64                   `json:"until"`            // Unix seconds
}

// pendingFactor is a login that the provider confirmed and that waits for the second factor of the account. It is sealed in the same cookie.
type pendingFactor struct {
	Organisation contract.OrganisationID `json:"organisation"`
	Issuer       string                  `json:"issuer"`
	Client       string                  `json:"client"`
	Subject      string                  `json:"subject"`
	SessionID    string                  `json:"sid,omitempty"`
	Domain       string                  `json:"domain,omitempty"` // of the address that the provider stated; empty in a login that began in 0.1.0
	Person       contract.PersonID       `json:"person"`
	Target       string                  `json:"target"`
	Device       string                  `json:"device,omitempty"`
	Beside       string                  `json:"beside,omitempty"` // the session that stays beside the new one
	Until        int64                   `json:"until"`            // Unix seconds
}

// The associated data of what is sealed in the cookie.
const (
	cookieID       = "sso login"
	factorCookieID = "sso factor"
)

// BegunLogin says how the browser goes on. The zero value: the address has no provider, and its people log in with passwords.
type BegunLogin struct {
	URL    string // of the authorization request at the provider (OpenID Connect Core 1.0 §3.1.2.1)
	Cookie string // for the browser, valid for LoginLifetime
}

// BeginLogin begins the login of a person with an address. The answer depends on the domain of the address alone, so it does not show who has
// an account. Target is the path of the web app to open after the login. From names the device, if it is known, and the session that stays beside the new one.
// Error: contract.ErrProviderDown.
func (s *Service) BeginLogin(ctx context.Context, email, target string, from identity.Client) (BegunLogin, error) {
	domain := contract.MailDomain(email)
	if domain == "" {
		return BegunLogin{}, nil
	}
	found, err := s.Store.SSOOfDomain(ctx, domain)
	if errors.Is(err, store.ErrNotFound) || err == nil && !found.Enabled {
		return BegunLogin{}, nil
	}
	if err != nil {
		return BegunLogin{}, err
	}
	provider, err := s.Providers.Load(ctx, found.Issuer)
	if err != nil {
		return BegunLogin{}, contract.ErrProviderDown.WithCause(err)
	}
	secrets := make([]byte, 96)
	if _, err := io.ReadFull(s.Random, secrets); err != nil {
		return BegunLogin{}, fmt.Errorf("draw the secrets of a login: %w", err)
	}
	b64 := base64.RawURLEncoding
	p := pendingLogin{
		State: b64.EncodeToString(secrets[:32]), Nonce: b64.EncodeToString(secrets[32:64]), Verifier: b64.EncodeToString(secrets[64:]),
		Organisation: found.Organisation, Issuer: found.Issuer, Client: found.ClientID, Target: localPath(target), Device: from.Device, Beside: from.Beside, Until: s.Clock().Add(LoginLifetime).Unix(),
	}
	cookie, err := s.seal(cookieID, p)
	if err != nil {
		return BegunLogin{}, err
	}
	client := oidc.Client{ID: found.ClientID, Redirect: s.CallbackURL(found.Organisation)} // no secret is sent here
	url := provider.LoginURL(client, oidc.Login{State: p.State, Nonce: p.Nonce, Verifier: p.Verifier, Hint: strings.TrimSpace(email), ACR: found.FactorACR, MaxAge: found.MaxAge})
	return BegunLogin{URL: url, Cookie: cookie}, nil
}

// maxTarget bounds the path to which a person goes after their login, in bytes.
const maxTarget = 1000

// localPath returns target if it is a path of the web app, and the root for anything that a browser might resolve to another site.
func localPath(target string) string {
	if len(target) > maxTarget || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\") ||
		strings.ContainsFunc(target, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "/"
	}
	return target
}

// CallbackURL returns the address to which the provider of an organisation sends people back. Each organisation has its own: a provider
// that sends a person on to the provider of another organisation gets them back with the code of that one, which is refused (RFC 9700 §4.4.2.2).
func (s *Service) CallbackURL(of contract.OrganisationID) string {
	return s.PublicURL + "/v1/auth/sso/" + string(of) + "/callback"
}

// LogoutURL returns the address at which the provider of an organisation reports logouts.
func (s *Service) LogoutURL(of contract.OrganisationID) string {
	return s.PublicURL + "/v1/auth/sso/" + string(of) + "/logout"
}

// Answer is the authorization response of a provider (OpenID Connect Core 1.0 §3.1.2.5, §3.1.2.6), with the cookie of the login.
type Answer struct {
	Cookie string
	State  string
	Code   string
	Issuer string // the parameter iss (RFC 9207)
	Error  string
}

// FinishedLogin is a login that a provider confirmed.
type FinishedLogin struct {
	identity.WebSession
	Target string // path of the web app to open

	// Accepted are the second factors of the account, if the person has to prove one of them. There is no session then: [Service.FinishFactor]
	// opens it, with Cookie.
	Accepted []string

	// Cookie replaces the one of the answer; empty: that one is removed. It is the same one if the answer is to another login than the pending one:
	// any page can have a browser send such an answer, and must not end the login with it.
	Cookie string
}

// FinishLogin finishes a login with the answer of the provider, and opens a session. The account is the one that is linked to the person at
// the provider; else the one with their address, which is linked now; else a new one, if the organisation has accounts created at first logins.
//
// An account with a second factor is not let in without it, unless the provider stated one that the organisation lets count.
func (s *Service) FinishLogin(ctx context.Context, of contract.OrganisationID, a Answer, from identity.Client) (FinishedLogin, error) {
	done, err := s.finishLogin(ctx, of, a, from)
	if contract.KindOf(err) != 0 && !errors.Is(err, contract.ErrLoginLost) && !errors.Is(err, contract.ErrProviderDown) {
		s.Accounts.RecordRefusedLogin(ctx, of, from)
	}
	return done, err
}

func (s *Service) finishLogin(ctx context.Context, of contract.OrganisationID, a Answer, from identity.Client) (FinishedLogin, error) {
	var p pendingLogin
	if err := s.unseal(cookieID, a.Cookie, &p); err != nil || p.Organisation != of || subtle.ConstantTimeCompare([]byte(p.State), []byte(a.State)) != 1 {
		return FinishedLogin{Cookie: a.Cookie}, contract.ErrLoginLost.WithCause(err)
	}
	if s.Clock().Unix() >= p.Until {
		return FinishedLogin{}, contract.ErrLoginLost
	}
	found, err := s.Store.SSO(ctx, of)
	if errors.Is(err, store.ErrNotFound) || err == nil && (!found.Enabled || found.Issuer != p.Issuer || found.ClientID != p.Client) {
		return FinishedLogin{}, contract.ErrLoginLost // the settings were changed meanwhile
	}
	if err != nil {
		return FinishedLogin{}, err
	}
	// Durable with this commit: this login was answered, so no process accepts another answer to it. If we crash after it, the person logs in
	// again.
	err = s.Store.UseOnce(ctx, sha256.Sum256([]byte("state "+p.State)), time.Unix(p.Until, 0))
	if errors.Is(err, store.ErrExists) {
		return FinishedLogin{}, contract.ErrLoginLost.WithCause(err)
	}
	if err != nil {
		return FinishedLogin{}, err
	}
	provider, err := s.Providers.Load(ctx, found.Issuer)
	if err != nil {
		return FinishedLogin{}, contract.ErrProviderDown.WithCause(err)
	}
	if err := provider.CheckIssuer(a.Issuer); err != nil {
		return FinishedLogin{}, contract.ErrProviderAnswer.WithCause(err)
	}
	if a.Error != "" || a.Code == "" {
		return FinishedLogin{}, contract.ErrProviderRefused.WithCause(fmt.Errorf("the provider answered %.100q", a.Error))
	}
	client, err := s.openClient(found)
	if err != nil {
		return FinishedLogin{}, err
	}
	groupsClaim := found.GroupsClaim
	if len(found.Groups) == 0 {
		groupsClaim = "" // groups decide nothing
	}
	claims, err := provider.Exchange(ctx, client, oidc.Login{Nonce: p.Nonce, Verifier: p.Verifier}, a.Code, groupsClaim)
	if err != nil {
		return FinishedLogin{}, refusalOf(err)
	}
	domains, err := s.grantedDomains(ctx, of)
	if err != nil {
		return FinishedLogin{}, err
	}
	stated := claimsOf(claims, found.GroupsClaim)
	admitted, err := found.Admit(stated, domains, s.Clock())
	if err != nil {
		return FinishedLogin{}, err
	}
	u, err := s.findAccount(ctx, found, stated.Subject, admitted, from)
	if err != nil {
		return FinishedLogin{}, err
	}
	if err := s.setRole(ctx, found, u, admitted.Role, admitted.Left, from); err != nil {
		return FinishedLogin{}, err
	}
	if from.Device == "" {
		from.Device = p.Device
	}
	pending := pendingFactor{
		Organisation: of, Issuer: found.Issuer, Client: found.ClientID, Subject: stated.Subject, SessionID: stated.SessionID, Domain: contract.MailDomain(admitted.Email),
		Person: u.ID, Target: p.Target, Device: from.Device, Beside: p.Beside, Until: s.Clock().Add(LoginLifetime).Unix(),
	}
	proof := identity.Proof{Factor: contract.FactorOIDCSecond} // which the provider stated
	if !admitted.Factor {
		proof, err = s.Accounts.ProveProviderFactor(ctx, u, contract.GivenFactor{}, from)
		var required *contract.Error
		if errors.Is(err, contract.ErrFactorRequired) && errors.As(err, &required) {
			accepted, _ := required.Args["factors"].([]string)
			cookie, err := s.seal(factorCookieID, pending)
			return FinishedLogin{Target: p.Target, Accepted: accepted, Cookie: cookie}, err
		}
		if err != nil {
			return FinishedLogin{}, err
		}
	}
	return s.openSession(ctx, u, pending, proof, from)
}

// FinishFactor finishes a login for which FinishLogin asked for a second factor. A wrong factor is refused as at a login with a password, and the
// cookie stays valid. ErrLoginLost: it is too old, or settings, links or domains were changed meanwhile.
func (s *Service) FinishFactor(ctx context.Context, cookie string, given contract.GivenFactor, from identity.Client) (FinishedLogin, error) {
	var p pendingFactor
	if err := s.unseal(factorCookieID, cookie, &p); err != nil || s.Clock().Unix() >= p.Until {
		return FinishedLogin{}, contract.ErrLoginLost.WithCause(err)
	}
	found, err := s.Store.SSO(ctx, p.Organisation)
	if err == nil && (!found.Enabled || found.Issuer != p.Issuer || found.ClientID != p.Client) {
		err = store.ErrNotFound
	}
	var link store.SSOIdentity
	if err == nil {
		link, err = s.Store.SSOIdentity(ctx, p.Organisation, p.Issuer, p.Subject)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && link.Person != p.Person {
		return FinishedLogin{}, contract.ErrLoginLost.WithCause(err)
	}
	if err != nil {
		return FinishedLogin{}, err
	}
	u, err := s.usable(s.Store.User(ctx, p.Person))
	if err != nil {
		return FinishedLogin{}, err
	}
	proof, err := s.Accounts.ProveProviderFactor(ctx, u, given, from)
	if err != nil {
		return FinishedLogin{}, err
	}
	if from.Device == "" {
		from.Device = p.Device
	}
	return s.openSession(ctx, u, p, proof, from)
}

// seal returns a value sealed for the cookie of a login.
func (s *Service) seal(id string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed, err := s.Sealer.Seal(id, plain)
	if err != nil {
		return "", fmt.Errorf("seal a login: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// unseal reads a value that was sealed for the cookie of a login.
func (s *Service) unseal(id, cookie string, to any) error {
	sealed, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		return err
	}
	plain, err := s.Sealer.Open(id, sealed)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, to)
}

// openClient returns this service as a client of the provider of an organisation, with its secret, which it opens.
func (s *Service) openClient(of contract.SSO) (oidc.Client, error) {
	c := oidc.Client{ID: of.ClientID, Redirect: s.CallbackURL(of.Organisation)}
	if len(of.Secret) == 0 {
		return c, nil
	}
	secret, err := s.Sealer.Open(SecretSealID(of.Organisation), of.Secret)
	if err != nil {
		return c, fmt.Errorf("open the client secret of %s: %w", of.Organisation, err)
	}
	c.Secret = string(secret)
	return c, nil
}

// refusalOf returns the refusal for an error of package oidc.
func refusalOf(err error) error {
	if errors.Is(err, oidc.ErrUnreachable) {
		return contract.ErrProviderDown.WithCause(err)
	}
	return contract.ErrProviderAnswer.WithCause(err)
}

// claimsOf returns the claims of a person in the form of the rules.
func claimsOf(c oidc.Claims, groupsClaim string) contract.ProviderClaims {
	out := contract.ProviderClaims{
		Subject: c.Subject, Email: c.Email, EmailVerified: bool(c.EmailVerified), Name: c.Name, AMR: c.AMR, ACR: c.ACR, SessionID: c.SessionID,
	}
	out.Groups, out.HasGroups = c.Groups(groupsClaim)
	if c.AuthTime > 0 {
		out.AuthTime = time.Unix(c.AuthTime, 0)
	}
	return out
}

// findAccount returns the account of a person at the provider, and links or creates it if there is none yet: by their invitation, or because the
// organisation lets everyone in whom its provider names.
//
// If we crash between creating and linking an account, the next login finds it by its address.
func (s *Service) findAccount(ctx context.Context, of contract.SSO, subject string, a contract.Admitted, from identity.Client) (store.User, error) {
	i, err := s.Store.SSOIdentity(ctx, of.Organisation, of.Issuer, subject)
	if err == nil {
		return s.usable(s.Store.User(ctx, i.Person))
	}
	if !errors.Is(err, store.ErrNotFound) {
		return store.User{}, err
	}
	u, err := s.usable(s.Store.MemberByEmail(ctx, of.Organisation, a.Email))
	if errors.Is(err, store.ErrNotFound) {
		p := identity.Provisioned{Organisation: of.Organisation, Name: a.Name, Email: a.Email, Role: a.Role, Source: "sso", IP: from.IP}
		u, err = s.Accounts.AcceptInvited(ctx, p)
		if errors.Is(err, store.ErrNotFound) {
			if !of.Create {
				return store.User{}, contract.ErrNoSSOAccount
			}
			p.Role = cmp.Or(p.Role, of.UnlistedRole())
			u, err = s.Accounts.AddProvisioned(ctx, p)
		}
		if errors.Is(err, identity.ErrUserExists) || errors.Is(err, contract.ErrInvitationUsed) { // another login of the person was faster
			u, err = s.usable(s.Store.MemberByEmail(ctx, of.Organisation, a.Email))
		}
	}
	if err != nil {
		return store.User{}, err
	}
	link := store.SSOIdentity{Organisation: of.Organisation, Issuer: of.Issuer, Subject: subject, Person: u.ID, LinkedAt: s.Clock()}
	err = s.Store.LinkSSOIdentity(ctx, link, contract.Event{Type: contract.EventSSOLinked, At: link.LinkedAt, Person: u.Person, IP: from.IP, Details: map[string]string{
		"organisation": string(of.Organisation), "person": string(u.ID), "name": u.Name, "email": u.Email, "issuer": of.Issuer, "subject": subject,
	}})
	if errors.Is(err, store.ErrExists) {
		i, e := s.Store.SSOIdentity(ctx, of.Organisation, of.Issuer, subject)
		if e != nil || i.Person != u.ID {
			return store.User{}, contract.ErrOtherIdentity.WithCause(errors.Join(err, e))
		}
		return u, nil // another login of the person was faster
	}
	return u, err
}

// usable refuses a disabled account, and one whose organisation is not active.
func (s *Service) usable(u store.User, err error) (store.User, error) {
	switch {
	case err != nil:
		return u, err
	case !u.DisabledAt.IsZero():
		return store.User{}, contract.ErrSSODisabled
	}
	return u, u.OrganisationState.RequireActive()
}

// setRole gives a person the role of their groups. A person who has left all that are listed becomes a member if groups gave them their role, and else
// keeps it. The last admin of an organisation and the admins who may use a password stay admins, so that a mistake at the provider does not lock an organisation out.
func (s *Service) setRole(ctx context.Context, of contract.SSO, u store.User, role contract.AccountRole, left bool, from identity.Client) (err error) {
	if slices.Contains(of.Exempt, u.ID) {
		return nil
	}
	event := func(to contract.AccountRole) contract.Event {
		return contract.Event{Type: contract.EventRoleChanged, At: s.Clock(), Person: u.Person, IP: from.IP, Details: map[string]string{
			"organisation": string(of.Organisation), "person": string(u.ID), "name": u.Name, "email": u.Email, "role": string(to), "former_role": string(u.Role()), "by": "sso",
		}}
	}
	switch {
	case role != "":
		err = s.Store.SetGroupRole(ctx, u.ID, role, event(role))
	case left:
		err = s.Store.TakeGroupRole(ctx, u.ID, event(contract.RoleMember))
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, contract.ErrLastAdmin) { // groups gave them no role, or the person stays
		return nil
	}
	return err
}

// GroupRoles returns the settings by which the groups of an organisation give roles. Without settings, they give none.
func (s *Service) GroupRoles(ctx context.Context, of contract.OrganisationID) (contract.SSO, error) {
	found, err := s.Store.SSO(ctx, of)
	if errors.Is(err, store.ErrNotFound) {
		return contract.SSO{}, nil
	}
	return found, err
}

// GiveRoleOfGroups gives a person of an organisation the role of the groups that its directory states, under the same rules as a login. The settings
// are those of [Service.GroupRoles].
func (s *Service) GiveRoleOfGroups(ctx context.Context, settings contract.SSO, id contract.PersonID, groups []string, ip string) error {
	u, err := s.Store.User(ctx, id)
	if err != nil {
		return err
	}
	role, listed := settings.RoleOf(groups, true)
	return s.setRole(ctx, settings, u, role, settings.HasLeft(listed, true), identity.Client{IP: ip})
}

// openSession opens a session of the web app that the provider can end by a back-channel logout.
func (s *Service) openSession(ctx context.Context, u store.User, p pendingFactor, proof identity.Proof, from identity.Client) (FinishedLogin, error) {
	family := ""
	from.Beside = p.Beside
	session, err := s.Accounts.OpenProviderSession(ctx, u, proof, from, func(name string, expires time.Time) error {
		family = name
		// Durable before the tokens. A logout that the provider reports meanwhile either ends the tokens, or removes this record before they exist,
		// which is checked below.
		return s.Store.AddSSOLogin(ctx, store.SSOLogin{Family: name, Organisation: p.Organisation, Issuer: p.Issuer, Subject: p.Subject, SessionID: p.SessionID, ExpiresAt: expires})
	})
	if err != nil {
		return FinishedLogin{}, err
	}
	if err := s.Store.ConfirmSSOLogin(ctx, family); err != nil {
		e := s.Store.RevokeFamily(ctx, family) // of this login alone: the other accounts of its chain were not logged out
		if errors.Is(err, store.ErrNotFound) {
			return FinishedLogin{}, errors.Join(contract.ErrLoginLost, e)
		}
		return FinishedLogin{}, errors.Join(err, e)
	}
	// A change of the provider or its domains that was committed after they were read ended no session that did not exist yet.
	found, err := s.Store.SSO(ctx, p.Organisation)
	if errors.Is(err, store.ErrNotFound) || err == nil && (!found.Enabled || found.Issuer != p.Issuer || found.ClientID != p.Client) {
		err = contract.ErrLoginLost
	}
	if err == nil {
		var domains []string
		domains, err = s.grantedDomains(ctx, p.Organisation)
		if err == nil && !slices.Contains(domains, cmp.Or(p.Domain, contract.MailDomain(u.Email))) {
			err = contract.ErrLoginLost
		}
	}
	if err != nil {
		return FinishedLogin{}, errors.Join(err, s.Store.RevokeFamily(ctx, family))
	}
	return FinishedLogin{WebSession: session, Target: p.Target}, nil
}

// ReceiveLogout ends the sessions that a logout token of the provider of an organisation names (OpenID Connect Back-Channel Logout 1.0 §2.6).
// An invalid token and an organisation without a provider are contract.ErrProviderAnswer.
func (s *Service) ReceiveLogout(ctx context.Context, of contract.OrganisationID, token string) error {
	found, err := s.Store.SSO(ctx, of)
	if errors.Is(err, store.ErrNotFound) {
		return contract.ErrProviderAnswer.WithCause(err)
	}
	if err != nil {
		return err
	}
	provider, err := s.Providers.Load(ctx, found.Issuer)
	if err != nil {
		return contract.ErrProviderDown.WithCause(err)
	}
	l, err := provider.VerifyLogoutToken(ctx, oidc.Client{ID: found.ClientID}, token)
	if err != nil {
		return refusalOf(err)
	}
	// One transaction records that the token was used and ends the sessions. If we crash before it, the provider sends the token again.
	ended, err := s.Store.EndSSOLogins(ctx, store.SSOLogout{
		Organisation: of, Issuer: found.Issuer, Subject: l.Subject, SessionID: l.SessionID, Expires: l.Expires,
		Token: sha256.Sum256([]byte("logout " + string(of) + " " + found.Issuer + " " + l.ID)),
	})
	if errors.Is(err, store.ErrExists) {
		return contract.ErrProviderAnswer.WithCause(err)
	}
	if err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "a provider reported a logout", "organisation", of, "sessions", ended)
	return nil
}

// ProviderLogout returns the address at which the holder of a family of tokens logs out at the provider (OpenID Connect RP-Initiated Logout 1.0
// §2). It is empty if they did not log in with a provider, or the provider has no such page or does not answer.
func (s *Service) ProviderLogout(ctx context.Context, family string) (string, error) {
	if family == "" {
		return "", nil // a guest
	}
	l, err := s.Store.SSOLoginOf(ctx, family)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	found, err := s.Store.SSO(ctx, l.Organisation)
	if errors.Is(err, store.ErrNotFound) || err == nil && found.Issuer != l.Issuer {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	provider, err := s.Providers.Load(ctx, found.Issuer)
	if err != nil {
		return "", nil // the person is logged out here; the provider is asked another time
	}
	return provider.LogoutURL(oidc.Client{ID: found.ClientID}, s.PublicURL+"/login"), nil
}

// Purge deletes what has expired.
func (s *Service) Purge(ctx context.Context) error { return s.Store.PurgeSSO(ctx, s.Clock()) }
