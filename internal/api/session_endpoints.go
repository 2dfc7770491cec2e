package api

import (
	"segel/internal/contract"
	"segel/internal/identity"
)

type loginIn struct {
	Email    phrase     `json:"email" required:"false" doc:"required without passkey" example:"siti@contoh.id"`
	Password phrase     `json:"password" required:"false" doc:"required with email" example:"kata-sandi-yang-panjang"`
	OTP      phrase     `json:"otp" required:"false" doc:"a code of the authenticator app or a recovery code, if the account has a second factor; ignored if it has none"`
	Passkey  *passkeyIn `json:"passkey" required:"false" doc:"the answer of a passkey to passkey-login-options: the second factor, or without email and password the only one"`
	Device   phrase     `json:"device_token" required:"false" doc:"the device_token of the last login from this device; without it, a login may be delayed while others try passwords on the account"`
	Business phrase     `json:"business_id" required:"false" doc:"the organisation of the account, if the e-mail has accounts with the same password in several; missing: an account that knows the device or the address, else the oldest" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

// sessionData is the answer to a login.
type sessionData struct {
	Token        string      `json:"token" doc:"the access token, for x-access-token or Authorization: Bearer" example:"segel_at_..."`
	RefreshToken string      `json:"refresh_token" doc:"can be used once, for /v1/auth/refresh" example:"segel_rt_..."`
	ExpiresIn    int         `json:"expires_in" doc:"seconds until the access token expires" example:"86400"`
	Account      accountData `json:"account"`
	Activation   activation  `json:"activation"`
	DeviceToken  string      `json:"device_token,omitempty" doc:"of a login: keep it and send it with the next one" example:"sgl_dv_..."`
}

type accountData struct {
	ID         contract.PersonID       `json:"id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Fullname   string                  `json:"fullname" example:"Siti Rahma"`
	Email      string                  `json:"email" example:"siti@contoh.id"`
	BusinessID contract.OrganisationID `json:"business_id" doc:"the organisation" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	IsReset    bool                    `json:"is_reset" doc:"the password is an initial one and must be changed"`
	MustEnrol  bool                    `json:"must_enrol" doc:"the organisation requires a second factor, and the account has none: add one first"`
	SignFactor bool                    `json:"sign_factor" doc:"the organisation requires a second factor for each signature"`
	Role       string                  `json:"role" enum:"member,sender,auditor,admin,operator" doc:"members sign, senders also send documents, auditors read what is recorded, admins administer their organisation; operators, the admins of the first organisation, administer all" example:"sender"`
	Channels   []string                `json:"channels" doc:"by which messages can be sent to people: mail, whatsapp, sms" example:"[\"mail\"]"`
	Teams      []teamOut               `json:"teams,omitempty" doc:"of the account, by name; only in the answer of me"`
}

func (c *call) accountDataOf(a identity.Account) accountData {
	role := string(a.Role)
	if a.Operator {
		role = "operator"
	}
	return accountData{ID: a.ID, Fullname: a.Name, Email: a.Email, BusinessID: a.Organisation, IsReset: a.MustReset, MustEnrol: a.MustEnrol, SignFactor: a.Policy.SignFactor, Role: role, Channels: c.sentChannels()}
}

// activation is how far an account was set up. In this service, accounts are complete from the start, so every step
// is done.
type activation struct {
	Status string          `json:"status" enum:"complete,uncomplete" example:"complete"`
	Data   activationSteps `json:"data"`
}

type activationSteps struct {
	BusinessInfo      bool `json:"business_info"`
	BusinessDetail    bool `json:"business_detail"`
	PersonalInfo      bool `json:"personal_info"`
	BusinessDocuments bool `json:"business_documents"`
	EmailVerification bool `json:"email_verification"`
}

var activated = activation{Status: "complete", Data: activationSteps{true, true, true, true, true}}

func (c *call) sessionDataOf(s identity.Session) sessionData {
	return sessionData{
		Token: s.Access, RefreshToken: s.Refresh, ExpiresIn: int(s.ExpiresIn.Seconds()),
		Account: c.accountDataOf(s.Account), Activation: activated, DeviceToken: s.Device,
	}
}

func (c *call) logIn(in *loginIn) (found[sessionData], error) {
	credentials, err := in.checkedCredentials()
	if err != nil {
		return found[sessionData]{}, err
	}
	session, err := c.Identity.Login(c.r.Context(), credentials, c.clientWith(in.Device.value))
	if err != nil {
		return found[sessionData]{}, err
	}
	return foundAnswer(c.sessionDataOf(session)), nil
}

// clientWith returns the origin of the request, with the secret of the device if it has one.
func (c *call) clientWith(device string) identity.Client {
	return identity.Client{IP: c.client, Device: device, UserAgent: c.r.UserAgent(), Language: string(c.language)}
}

func (in *loginIn) checkedCredentials() (identity.Credentials, error) {
	var bad problems
	c := identity.Credentials{
		Email: in.Email.checkedValue("email", &bad), Password: in.Password.checkedValue("password", &bad), Factor: parseProof(in.OTP, in.Passkey, &bad),
		Organisation: contract.OrganisationID(parsePersonID(in.Business.checkedValue("business_id", &bad))),
	}
	in.Device.checkedValue("device_token", &bad)
	if err := bad.asError(); err != nil {
		return identity.Credentials{}, err
	}
	if c.Factor.Passkey != nil && c.Email == "" && c.Password == "" {
		return c, nil
	}
	if c.Email == "" {
		bad.add("email", "value.required")
	}
	if c.Password == "" {
		bad.add("password", "value.required")
	}
	return c, bad.asError()
}

type webSessionData struct {
	ExpiresIn int         `json:"expires_in" doc:"seconds until the session ends" example:"86400"`
	Account   accountData `json:"account"`
}

func (c *call) openWebSession(in *loginIn) (found[webSessionData], error) {
	// A page of another origin must not log a browser in, not even to another account.
	if err := c.crossSite.Check(c.r); err != nil {
		return found[webSessionData]{}, errCrossSite.WithCause(err)
	}
	if in.Email.value == "" && in.Password.value == "" && in.Passkey == nil {
		return found[webSessionData]{}, contract.ErrUnauthenticated
	}
	credentials, err := in.checkedCredentials()
	if err != nil {
		return found[webSessionData]{}, err
	}
	session, err := c.Identity.LoginSession(c.r.Context(), credentials, c.clientWith(c.cookieValue(deviceCookie)))
	if err != nil {
		return found[webSessionData]{}, err
	}
	return foundAnswer(c.setSession(session)), nil
}

// setSession sets the cookies of a session of the web app.
func (c *call) setSession(s identity.WebSession) webSessionData {
	seconds := int(s.ExpiresIn.Seconds())
	c.setCookie(sessionCookie, s.Token, seconds)
	c.setCookie(deviceCookie, s.Device, int(s.KnownFor.Seconds()))
	return webSessionData{ExpiresIn: seconds, Account: c.accountDataOf(s.Account)}
}

type refreshIn struct {
	RefreshToken phrase `json:"refresh_token" required:"true" example:"segel_rt_..."`
}

func (c *call) refreshSession(in *refreshIn) (found[sessionData], error) {
	var bad problems
	token := in.RefreshToken.checkedValue("refresh_token", &bad)
	if token == "" && len(bad) == 0 {
		bad.add("refresh_token", "value.required")
	}
	if err := bad.asError(); err != nil {
		return found[sessionData]{}, err
	}
	session, err := c.Identity.Refresh(c.r.Context(), token, c.clientWith(""))
	if err != nil {
		return found[sessionData]{}, err
	}
	return foundAnswer(c.sessionDataOf(session)), nil
}

// nothing is a body or an answer without members.
type nothing struct{}

// loggedOut is the answer to a logout.
type loggedOut struct {
	Code    int           `json:"code" example:"200"`
	Success bool          `json:"success"`
	Msg     string        `json:"msg" doc:"a sentence in the language of the request"`
	Data    loggedOutData `json:"data"`
}

type loggedOutData struct {
	ProviderLogout string `json:"provider_logout,omitempty" doc:"where a browser also logs out at the identity provider; missing: the session was not opened with one, or it has no such page"`
}

func (c *call) logOut(_ *nothing) (loggedOut, error) {
	token, cookie := c.requestToken()
	provider, err := c.SSO.ProviderLogout(c.r.Context(), c.by.Session)
	if err != nil {
		return loggedOut{}, err
	}
	if err := c.Identity.Logout(c.r.Context(), token, c.clientWith("")); err != nil {
		return loggedOut{}, err
	}
	if cookie {
		c.setCookie(sessionCookie, "", -1)
	}
	return loggedOut{Code: 200, Success: true, Msg: c.sentenceOf("done.logout"), Data: loggedOutData{provider}}, nil
}

type passwordIn struct {
	Current phrase `json:"current" required:"true" doc:"the current password"`
	New     phrase `json:"new" required:"true" doc:"the new password"`
}

func (c *call) changePassword(in *passwordIn) (noted, error) {
	var bad problems
	current, next := in.Current.checkedValue("current", &bad), in.New.checkedValue("new", &bad)
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	if err := c.Identity.ChangePassword(c.r.Context(), c.by, current, next); err != nil {
		return noted{}, err
	}
	if _, cookie := c.requestToken(); cookie {
		c.setCookie(sessionCookie, "", -1)
	}
	return c.notedAnswer("done.password"), nil
}

type forgotPasswordIn struct {
	Email phrase `json:"email" required:"true" example:"siti@contoh.id"`
}

func (c *call) requestPassword(in *forgotPasswordIn) (noted, error) {
	if err := c.Identity.RequestReset(c.r.Context(), in.Email.value, c.clientWith("")); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.forgot_password"), nil
}

type resetLinkIn struct {
	Link phrase `json:"link" required:"true" doc:"the complete link, or only its secret" example:"https://segel.contoh.id/reset#sgl_pr_..."`
}

type resetLinkData struct {
	Email        string          `json:"email" example:"siti@contoh.id"`
	Fullname     string          `json:"fullname" example:"Siti Rahma"`
	Organisation organisationOut `json:"organisation"`
	ExpiresAt    string          `json:"expires_at" example:"2024-10-14T06:36:00.000Z"`
	Keys         int             `json:"keys" doc:"API keys that act as the person; reset-password ends them on request" example:"2"`
}

func (c *call) lookUpResetLink(in *resetLinkIn) (found[resetLinkData], error) {
	var bad problems
	link := in.Link.checkedValue("link", &bad)
	if err := bad.asError(); err != nil {
		return found[resetLinkData]{}, err
	}
	t, err := c.Identity.LookUpReset(c.r.Context(), link)
	if err != nil {
		return found[resetLinkData]{}, err
	}
	return foundAnswer(resetLinkData{
		Email: t.Account.Email, Fullname: t.Account.Name, Organisation: organisationOut{ID: t.Account.Organisation, Name: t.Account.OrganisationName}, ExpiresAt: formatISO(t.Until), Keys: t.Keys,
	}), nil
}

type resetPasswordIn struct {
	Link phrase `json:"link" required:"true" doc:"the complete link, or only its secret" example:"https://segel.contoh.id/reset#sgl_pr_..."`
	New  phrase `json:"new" required:"true" doc:"the new password"`
	Keys binary `json:"end_keys" required:"false" doc:"1: also end every API key that acts as the person"`
}

func (c *call) resetPassword(in *resetPasswordIn) (noted, error) {
	var bad problems
	link, next := in.Link.checkedValue("link", &bad), in.New.checkedValue("new", &bad)
	keys := in.Keys.checkedValue("end_keys", &bad)
	if err := bad.asError(); err != nil {
		return noted{}, err
	}
	if _, err := c.Identity.ResetPasswordByLink(c.r.Context(), link, next, keys, c.clientWith("")); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.password"), nil
}

// noted is the envelope of an answer that has only a message.
type noted struct {
	Code    int     `json:"code" example:"200"`
	Success bool    `json:"success"`
	Msg     string  `json:"msg" doc:"a sentence in the language of the request"`
	Data    nothing `json:"data"`
}

func (c *call) notedAnswer(code string) noted {
	return noted{Code: 200, Success: true, Msg: c.sentenceOf(code)}
}

type guestLoginIn struct {
	Link phrase `json:"link" required:"true" doc:"the complete link, or only its secret" example:"https://segel.contoh.id/guest#segel_gl_..."`
}

type guestSessionData struct {
	Token      string              `json:"token" doc:"valid only for this person and this document" example:"segel_gt_..."`
	ExpiresIn  int                 `json:"expires_in" doc:"seconds until it expires" example:"86400"`
	DocumentID contract.DocumentID `json:"document_id" example:"1207"`
	UserID     contract.PersonID   `json:"user_id" example:"3b7e1a52-6a0f-4c1d-8e7b-2f9d0c4a5b61"`
	Name       string              `json:"name" example:"Budi Tamu"`
}

func (c *call) openGuestLink(in *guestLoginIn) (found[guestSessionData], error) {
	var bad problems
	link := in.Link.checkedValue("link", &bad)
	if link == "" && len(bad) == 0 {
		bad.add("link", "value.required")
	}
	if err := bad.asError(); err != nil {
		return found[guestSessionData]{}, err
	}
	g, err := c.Identity.GuestLogin(c.r.Context(), link)
	if err != nil {
		return found[guestSessionData]{}, err
	}
	return foundAnswer(guestSessionDataOf(g)), nil
}

func guestSessionDataOf(g identity.GuestSession) guestSessionData {
	return guestSessionData{Token: g.Token, ExpiresIn: int(g.ExpiresIn.Seconds()), DocumentID: g.Document, UserID: g.Person.ID, Name: g.Person.Name}
}

func (c *call) loadAccount() (accountData, error) {
	a, err := c.Identity.Me(c.r.Context(), c.by)
	data := c.accountDataOf(a)
	data.Teams = convertAll(c.by.Teams, teamOutOf)
	return data, err
}
