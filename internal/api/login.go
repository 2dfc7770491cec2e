package api

import (
	"segel/internal/contract"
	"segel/internal/identity"
)

type loginIn struct {
	Email    phrase `json:"email" required:"true" example:"siti@contoh.id"`
	Password phrase `json:"password" required:"true"`
	OTP      phrase `json:"otp" required:"false" doc:"code of a second factor, where the account has one"`
	Device   phrase `json:"device_token" required:"false" doc:"what the last login from this device answered; without it, a login may be held up while others try passwords on the account"`
	Business phrase `json:"business_id" required:"false" doc:"the organisation of the account, where the e-mail has accounts with the same password in several; missing: one that knows the device or the address, else the oldest" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
}

// sessionData is the answer to a login.
type sessionData struct {
	Token        string      `json:"token" doc:"the access token, for x-access-token or Authorization: Bearer" example:"segel_at_..."`
	RefreshToken string      `json:"refresh_token" doc:"good once, for /v1/auth/refresh" example:"segel_rt_..."`
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
	IsReset    bool                    `json:"is_reset" doc:"the password is a first one, to be changed"`
	Role       string                  `json:"role" enum:"member,admin,operator" doc:"an admin administers his organisation; an operator, an admin of the first one, all" example:"member"`
}

func accountDataOf(a identity.Account) accountData {
	role := "member"
	switch {
	case a.Operator:
		role = "operator"
	case a.Admin:
		role = "admin"
	}
	return accountData{ID: a.ID, Fullname: a.Name, Email: a.Email, BusinessID: a.Organisation, IsReset: a.MustReset, Role: role}
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

func sessionDataOf(s identity.Session) sessionData {
	return sessionData{
		Token: s.Access, RefreshToken: s.Refresh, ExpiresIn: int(s.ExpiresIn.Seconds()),
		Account: accountDataOf(s.Account), Activation: activated, DeviceToken: s.Device,
	}
}

func (s *server) registerLogin() {
	servePost(s, endpoint{
		path: "/v1/auth/login", id: "login", timeLimit: delayed, group: groupAccount, limit: tinyBody, callers: anybody,
		summary:     "Log in",
		description: "Answers an access token, good for a day, and a refresh token, good once within thirty. Wrong credentials are 400, to the letter the same for an e-mail without an account. Send device_token of the former login: a known device is let in at once while others try passwords on the account. An e-mail may have an account in each organisation: the password decides which is meant, and business_id where it is the same.",
	}, func(c *call, in *loginIn) (found[sessionData], error) {
		var bad problems
		credentials := in.checkedCredentials(&bad)
		if err := bad.asError(); err != nil {
			return found[sessionData]{}, err
		}
		session, err := c.Identity.Login(c.r.Context(), credentials, identity.Client{IP: c.client, Device: in.Device.value})
		if err != nil {
			return found[sessionData]{}, err
		}
		return foundAnswer(sessionDataOf(session)), nil
	})
}

func (in *loginIn) checkedCredentials(bad *problems) identity.Credentials {
	c := identity.Credentials{
		Email: in.Email.checkedValue("email", bad), Password: in.Password.checkedValue("password", bad), OTP: in.OTP.checkedValue("otp", bad),
		Organisation: contract.OrganisationID(parsePersonID(in.Business.checkedValue("business_id", bad))),
	}
	in.Device.checkedValue("device_token", bad)
	if len(*bad) > 0 {
		return identity.Credentials{}
	}
	if c.Email == "" {
		bad.add("email", "value.required")
	}
	if c.Password == "" {
		bad.add("password", "value.required")
	}
	return c
}
