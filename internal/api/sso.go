package api

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/sso"
)

// ssoCookie has the sealed state of a login at a provider. Browsers send it when the provider sends them back, which is a navigation from another
// site.
var ssoCookie = cookie{"segel_sso", http.SameSiteLaxMode}

type ssoBegin struct {
	Email phrase `json:"email" required:"true" example:"siti@contoh.id"`
	Then  phrase `json:"then" required:"false" doc:"path of the web app where the person goes then; missing: its first page" example:"/inbox"`

	Beside binary `json:"beside" required:"false" doc:"1: the session of the web app stays, and both accounts can be switched to"`
}

type ssoBegun struct {
	Provider bool    `json:"provider" doc:"the people of this domain log in with their provider"`
	URL      *string `json:"url" doc:"where the browser goes; null: log in with a password" example:"https://login.contoh.id/authorize?..."`
}

func (c *call) beginSSO(in *ssoBegin) (found[ssoBegun], error) {
	if err := c.crossSite.Check(c.r); err != nil {
		return found[ssoBegun]{}, errCrossSite.WithCause(err)
	}
	var bad problems
	email, then := in.Email.checkedValue("email", &bad), in.Then.checkedValue("then", &bad)
	beside := in.Beside.checkedValue("beside", &bad)
	if err := bad.asError(); err != nil {
		return found[ssoBegun]{}, err
	}
	from := identity.Client{Device: c.cookieValue(deviceCookie)}
	if beside {
		by, err := c.authenticate()
		if err != nil {
			return found[ssoBegun]{}, err
		}
		from.Beside = by.Session
	}
	b, err := c.SSO.BeginLogin(c.r.Context(), email, then, from)
	if err != nil {
		return found[ssoBegun]{}, err
	}
	if b.URL == "" {
		return foundAnswer(ssoBegun{}), nil
	}
	c.setCookie(ssoCookie, b.Cookie, int(sso.LoginLifetime.Seconds()))
	return foundAnswer(ssoBegun{Provider: true, URL: &b.URL}), nil
}

// finishSSO finishes a login when the provider sends the browser back. The answer is a redirect to the web app, with the code of the refusal if
// there is one.
func (c *call) finishSSO() error {
	q := c.r.URL.Query()
	answer := sso.Answer{Cookie: c.cookieValue(ssoCookie), State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}
	h := c.w.Header()
	h.Set("Cache-Control", "no-store")
	f, err := c.SSO.FinishLogin(c.r.Context(), c.pathOrganisation(), answer, identity.Client{IP: c.client, UserAgent: c.r.UserAgent()})
	if f.Cookie != answer.Cookie { // a login is answered once, also if it is refused
		c.setCookie(ssoCookie, f.Cookie, cookieAge(f.Cookie, sso.LoginLifetime))
	}
	if err != nil {
		_, refusal, cause := refusalOf(c.r.Context(), err)
		c.cause = cause
		http.Redirect(c.w, c.r, c.PublicURL+"/login?"+url.Values{"sso": {refusal.Code}}.Encode(), http.StatusSeeOther)
		return nil
	}
	if len(f.Accepted) > 0 {
		h.Set("Location", c.PublicURL+"/login?"+url.Values{"factors": {strings.Join(f.Accepted, ",")}, "then": {f.Target}}.Encode())
	} else {
		c.setSession(f.WebSession)
		h.Set("Location", c.PublicURL+f.Target)
	}
	c.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// cookieAge returns for how many seconds a browser keeps a cookie with a value. An empty value removes it.
func cookieAge(value string, lifetime time.Duration) int {
	if value == "" {
		return -1
	}
	return int(lifetime.Seconds())
}

type ssoFactorIn struct {
	OTP     phrase     `json:"otp" required:"false" doc:"a code of the authenticator app or a recovery code" example:"123456"`
	Passkey *passkeyIn `json:"passkey" required:"false" doc:"the answer of a passkey to passkey-login-options"`
}

// proveSSO takes the second factor of an account, which the login at the provider did not replace.
func (c *call) proveSSO(in *ssoFactorIn) (found[webSessionData], error) {
	if err := c.crossSite.Check(c.r); err != nil {
		return found[webSessionData]{}, errCrossSite.WithCause(err)
	}
	var bad problems
	given := parseProof(in.OTP, in.Passkey, &bad)
	if err := bad.asError(); err != nil {
		return found[webSessionData]{}, err
	}
	f, err := c.SSO.FinishFactor(c.r.Context(), c.cookieValue(ssoCookie), given, c.clientWith(c.cookieValue(deviceCookie)))
	if err != nil {
		return found[webSessionData]{}, err
	}
	c.setCookie(ssoCookie, "", -1)
	return foundAnswer(c.setSession(f.WebSession)), nil
}

// pathOrganisation returns the organisation of the path.
func (c *call) pathOrganisation() contract.OrganisationID {
	return contract.OrganisationID(parsePersonID(c.r.PathValue("organisation")))
}

// receiveProviderLogout takes a logout token, in the form that OpenID Connect Back-Channel Logout 1.0 §2.5 and §2.8 prescribe.
func (c *call) receiveProviderLogout() error {
	c.w.Header().Set("Cache-Control", "no-store")
	body, err := c.readBody()
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	kind, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";")
	isForm := err == nil && strings.EqualFold(strings.TrimSpace(kind), formType)
	if isForm {
		err = c.SSO.ReceiveLogout(c.r.Context(), c.pathOrganisation(), form.Get("logout_token"))
	}
	var refusal *contract.Error
	if !isForm || errors.As(err, &refusal) && refusal.Kind == contract.Malformed {
		c.cause = err
		return writeJSON(c.w, c.exchange, http.StatusBadRequest, providerError{oauthRequest})
	}
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusOK)
	return nil
}

// providerError is an error as OAuth 2.0 writes it.
type providerError struct {
	Error string `json:"error"`
}

type ssoGroup struct {
	Group phrase `json:"group" required:"true" example:"legal"`
	Role  phrase `json:"role" required:"true" doc:"member, sender, admin or auditor" example:"sender"`
}

// ssoIn has the settings of a provider. Members that are missing are reset, except the secret.
type ssoIn struct {
	Organisation   phrase         `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Issuer         phrase         `json:"issuer" required:"true" doc:"as the provider's metadata states it; https" example:"https://login.contoh.id"`
	ClientID       phrase         `json:"client_id" required:"true" example:"segel"`
	ClientSecret   *phrase        `json:"client_secret" required:"false" doc:"missing: the stored one stays, if the issuer is the same; empty: none"`
	Enabled        binary         `json:"enabled" required:"false" doc:"missing: false"`
	Create         binary         `json:"create" required:"false" doc:"people without an account get one at their first login; missing: false"`
	GroupsClaim    phrase         `json:"groups_claim" required:"false" doc:"missing: groups" example:"groups"`
	Groups         list[ssoGroup] `json:"groups" required:"false" doc:"the first group that a person is in gives their role; people who leave all of them become members if a group gave them their role, and keep it otherwise"`
	RequireGroup   binary         `json:"require_group" required:"false" doc:"people who are in none of the groups may not log in"`
	PasswordOff    binary         `json:"password_off" required:"false" doc:"people with an address of a granted domain log in with the provider only"`
	Exempt         list[phrase]   `json:"exempt" required:"false" doc:"UUIDs of admins who may still use a password"`
	ProviderFactor binary         `json:"provider_factor" required:"false" doc:"a second factor that the provider states counts as one here"`
	FactorACR      phrase         `json:"factor_acr" required:"false" doc:"the acr that states a second factor; missing: an amr of two factors does" example:"phr"`
	MaxAge         integer        `json:"max_age" required:"false" doc:"seconds; people whose login at the provider is older log in there again; missing or 0: any age" example:"28800"`
}

type ssoGroupOut struct {
	Group string               `json:"group" example:"legal"`
	Role  contract.AccountRole `json:"role" enum:"member,sender,admin,auditor" example:"sender"`
}

type ssoDomainOut struct {
	Domain      string               `json:"domain" example:"contoh.id"`
	Granted     bool                 `json:"granted" doc:"it routes logins"`
	GrantedBy   contract.DomainGrant `json:"granted_by" doc:"empty: it was not granted" enum:",operator,dns" example:"operator"`
	GrantedAt   *string              `json:"granted_at" example:"2024-10-14T06:06:00.000Z"`
	ClaimedAt   string               `json:"claimed_at" example:"2024-10-14T06:06:00.000Z"`
	RecordName  string               `json:"record_name" doc:"of the TXT record that proves the domain, where the operator allows that" example:"_segel-challenge.contoh.id"`
	RecordValue string               `json:"record_value" example:"segel-domain=0bWfYbmcgbn0cKk8lQ1m2n3o4p5q6r7s"`
}

type ssoData struct {
	Organisation   contract.OrganisationID `json:"organisation" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Configured     bool                    `json:"configured" doc:"the organisation has a provider"`
	Issuer         string                  `json:"issuer" example:"https://login.contoh.id"`
	ClientID       string                  `json:"client_id" example:"segel"`
	HasSecret      bool                    `json:"has_secret" doc:"a client secret is stored; it is never shown"`
	Enabled        bool                    `json:"enabled"`
	Create         bool                    `json:"create"`
	GroupsClaim    string                  `json:"groups_claim" example:"groups"`
	Groups         []ssoGroupOut           `json:"groups"`
	RequireGroup   bool                    `json:"require_group"`
	PasswordOff    bool                    `json:"password_off"`
	Exempt         []contract.PersonID     `json:"exempt"`
	ProviderFactor bool                    `json:"provider_factor"`
	FactorACR      string                  `json:"factor_acr"`
	MaxAge         int                     `json:"max_age" doc:"seconds; 0: any age"`
	ChangedAt      *string                 `json:"changed_at" example:"2024-10-14T06:06:00.000Z"`
	RedirectURL    string                  `json:"redirect_url" doc:"to be registered at the provider" example:"https://segel.contoh.id/v1/auth/sso/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a/callback"`
	LogoutURL      string                  `json:"logout_url" doc:"the same, for back-channel logout" example:"https://segel.contoh.id/v1/auth/sso/0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a/logout"`
	DNSProof       bool                    `json:"dns_proof" doc:"the operator lets a TXT record prove a domain"`
	Domains        []ssoDomainOut          `json:"domains"`
}

func (c *call) ssoOf(s sso.Settings) ssoData {
	return ssoData{
		Organisation: s.Organisation, Configured: s.Edits > 0, Issuer: s.Issuer, ClientID: s.ClientID, HasSecret: len(s.Secret) > 0, Enabled: s.Enabled, Create: s.Create,
		GroupsClaim: s.GroupsClaim, RequireGroup: s.RequireGroup, PasswordOff: s.PasswordOff, Exempt: append([]contract.PersonID{}, s.Exempt...), ProviderFactor: s.ProviderFactor,
		FactorACR: s.FactorACR, MaxAge: int(s.MaxAge / time.Second), ChangedAt: isoOrNull(s.ChangedAt), RedirectURL: c.SSO.CallbackURL(s.Organisation),
		LogoutURL: c.SSO.LogoutURL(s.Organisation), DNSProof: c.SSO.LookupTXT != nil,
		Groups:  convertAll(s.Groups, func(g contract.GroupRole) ssoGroupOut { return ssoGroupOut(g) }),
		Domains: convertAll(s.Domains, domainOf),
	}
}

func domainOf(d contract.SSODomain) ssoDomainOut {
	return ssoDomainOut{
		Domain: d.Domain, Granted: !d.GrantedAt.IsZero(), GrantedBy: d.GrantedBy, GrantedAt: isoOrNull(d.GrantedAt), ClaimedAt: formatISO(d.ClaimedAt),
		RecordName: d.RecordName(), RecordValue: d.RecordValue(),
	}
}

// queryOrganisation reads the organisation of a query.
func (c *call) queryOrganisation() (contract.OrganisationID, error) {
	q := c.parseQuery()
	of := q.parseOrganisation()
	return of, q.bad.asError()
}

func (c *call) loadSSO() (ssoData, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return ssoData{}, err
	}
	s, err := c.SSO.LoadSettings(c.r.Context(), c.by, of)
	if err != nil {
		return ssoData{}, err
	}
	return c.ssoOf(s), nil
}

func (c *call) storeSSO(in *ssoIn) (done[ssoData], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	to := contract.SSOSettings{
		Issuer: in.Issuer.checkedValue("issuer", &bad), ClientID: in.ClientID.checkedValue("client_id", &bad), Enabled: in.Enabled.checkedValue("enabled", &bad),
		Create: in.Create.checkedValue("create", &bad), GroupsClaim: in.GroupsClaim.checkedValue("groups_claim", &bad), RequireGroup: in.RequireGroup.checkedValue("require_group", &bad),
		PasswordOff: in.PasswordOff.checkedValue("password_off", &bad), ProviderFactor: in.ProviderFactor.checkedValue("provider_factor", &bad),
		FactorACR: in.FactorACR.checkedValue("factor_acr", &bad), MaxAge: time.Duration(min(in.MaxAge.checkedValue("max_age", 0, &bad), maxInteger/int64(time.Second))) * time.Second,
	}
	for _, g := range in.Groups.checkedValue("groups", &bad) {
		to.Groups = append(to.Groups, contract.GroupRole{Group: g.Group.checkedValue("groups", &bad), Role: contract.AccountRole(g.Role.checkedValue("groups", &bad))})
	}
	for _, id := range in.Exempt.checkedValue("exempt", &bad) {
		to.Exempt = append(to.Exempt, contract.PersonID(parsePersonID(id.checkedValue("exempt", &bad))))
	}
	var secret *string
	if in.ClientSecret != nil {
		s := in.ClientSecret.checkedValue("client_secret", &bad)
		secret = &s
	}
	if err := bad.asError(); err != nil {
		return done[ssoData]{}, err
	}
	s, err := c.SSO.ReplaceSettings(c.r.Context(), c.by, of, to, secret)
	if err != nil {
		return done[ssoData]{}, err
	}
	return doneAnswer(c, "done.sso_set", c.ssoOf(s)), nil
}

func (c *call) deleteSSO() (noted, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return noted{}, err
	}
	if err := c.SSO.DeleteSettings(c.r.Context(), c.by, of); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.sso_deleted"), nil
}

type ssoOrganisation struct {
	Organisation phrase `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

// checkedOrganisation returns the organisation, which may be empty.
func (in *ssoOrganisation) checkedOrganisation() (contract.OrganisationID, error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	return of, bad.asError()
}

type ssoTested struct {
	Works bool `json:"works" doc:"it answers as a provider, or did within the last hour; else msg says what is wrong, without anything of the answer"`
}

func (c *call) testSSO(in *ssoOrganisation) (done[ssoTested], error) {
	of, err := in.checkedOrganisation()
	if err != nil {
		return done[ssoTested]{}, err
	}
	problem, err := c.SSO.TestProvider(c.r.Context(), c.by, of)
	if err != nil {
		return done[ssoTested]{}, err
	}
	code := "done.sso_tested"
	if problem != "" {
		code = problem
	}
	return doneAnswer(c, code, ssoTested{Works: problem == ""}), nil
}

// domainAnswer returns the answer of an operation on a domain.
func (c *call) domainAnswer(code string, d contract.SSODomain, err error) (done[ssoDomainOut], error) {
	if err != nil {
		return done[ssoDomainOut]{}, err
	}
	return doneAnswer(c, code, domainOf(d)), nil
}

func (c *call) claimDomain(in *ssoOrganisation) (done[ssoDomainOut], error) {
	of, err := in.checkedOrganisation()
	if err != nil {
		return done[ssoDomainOut]{}, err
	}
	d, err := c.SSO.ClaimDomain(c.r.Context(), c.by, of, c.r.PathValue("domain"))
	return c.domainAnswer("done.domain_named", d, err)
}

func (c *call) proveDomain(in *ssoOrganisation) (done[ssoDomainOut], error) {
	of, err := in.checkedOrganisation()
	if err != nil {
		return done[ssoDomainOut]{}, err
	}
	d, err := c.SSO.ProveDomain(c.r.Context(), c.by, of, c.r.PathValue("domain"))
	return c.domainAnswer("done.domain_granted", d, err)
}

func (c *call) grantDomain(in *ssoOrganisation) (done[ssoDomainOut], error) {
	of, err := in.checkedOrganisation()
	if err != nil {
		return done[ssoDomainOut]{}, err
	}
	d, err := c.SSO.GrantDomain(c.r.Context(), c.by, of, c.r.PathValue("domain"))
	return c.domainAnswer("done.domain_granted", d, err)
}

func (c *call) removeDomain() (noted, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return noted{}, err
	}
	if err := c.SSO.RemoveDomain(c.r.Context(), c.by, of, c.r.PathValue("domain")); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.domain_removed"), nil
}

func (c *call) unlinkSSO() (noted, error) {
	if err := c.SSO.UnlinkAccount(c.r.Context(), c.by, parsePersonID(c.r.PathValue("person_id"))); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.sso_unlinked"), nil
}

func domainParam() *huma.Param {
	return &huma.Param{Name: "domain", In: "path", Required: true, Description: "A mail domain.", Schema: textSchema(), Example: "contoh.id"}
}

func organisationPath() *huma.Param {
	return &huma.Param{Name: "organisation", In: "path", Required: true, Description: "UUID of an organisation.", Schema: textSchema(), Example: "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"}
}
