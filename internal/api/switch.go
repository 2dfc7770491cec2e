package api

import (
	"cmp"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/identity"
)

// membershipOut is an account that is logged in to in the caller's client.
type membershipOut struct {
	ID       contract.PersonID       `json:"id" doc:"of the account" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Business contract.OrganisationID `json:"business_id" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	Name     string                  `json:"name" doc:"of the organisation" example:"PT Contoh"`
	Email    string                  `json:"email" example:"siti@contoh.id"`
	Role     contract.AccountRole    `json:"role" enum:"member,sender,admin,auditor" example:"sender"`
	State    string                  `json:"state" doc:"of the organisation; one that is not active cannot be switched to" enum:"active,suspended,closed" example:"active"`
	Current  bool                    `json:"current" doc:"the account of this request"`
}

type membershipsData struct {
	Organisations []membershipOut `json:"organisations" doc:"by name"`
}

func (c *call) listMemberships() (membershipsData, error) {
	all, err := c.Identity.Memberships(c.r.Context(), c.by)
	return membershipsData{convertAll(all, func(m identity.Membership) membershipOut {
		return membershipOut{
			ID: m.Account.ID, Business: m.Account.Organisation, Name: m.Account.OrganisationName, Email: m.Account.Email, Role: m.Account.Role, State: cmp.Or(string(m.State), "active"), Current: m.Current,
		}
	})}, err
}

// switchedData is a session of another account.
type switchedData struct {
	Token        string      `json:"token,omitempty" doc:"the access token; missing for the web app, whose cookie is replaced" example:"segel_at_..."`
	RefreshToken string      `json:"refresh_token,omitempty" doc:"missing for the web app" example:"segel_rt_..."`
	ExpiresIn    int         `json:"expires_in" doc:"seconds until the access token or the session of the web app expires" example:"86400"`
	Account      accountData `json:"account"`
}

// answerSwitch answers with a session for the web app if the request came with its cookie, and else with tokens.
func (c *call) answerSwitch(web func() (identity.WebSession, error), tokens func() (identity.Session, error)) (found[switchedData], error) {
	if _, cookie := c.requestToken(); cookie {
		s, err := web()
		if err != nil {
			return found[switchedData]{}, err
		}
		// The cookie of the device stays that of the account that was logged in to first.
		c.setCookie(sessionCookie, s.Token, int(s.ExpiresIn/time.Second))
		return foundAnswer(switchedData{ExpiresIn: int(s.ExpiresIn.Seconds()), Account: c.accountDataOf(s.Account)}), nil
	}
	s, err := tokens()
	if err != nil {
		return found[switchedData]{}, err
	}
	return foundAnswer(switchedData{Token: s.Access, RefreshToken: s.Refresh, ExpiresIn: int(s.ExpiresIn.Seconds()), Account: c.accountDataOf(s.Account)}), nil
}

func (c *call) addMembership(in *loginIn) (found[switchedData], error) {
	credentials, err := in.checkedCredentials()
	if err != nil {
		return found[switchedData]{}, err
	}
	ctx, from := c.r.Context(), c.clientWith(in.Device.value)
	return c.answerSwitch(func() (identity.WebSession, error) {
		return c.Identity.AddWebMembership(ctx, c.by, credentials, from)
	}, func() (identity.Session, error) {
		return c.Identity.AddMembership(ctx, c.by, credentials, from)
	})
}

type switchIn struct {
	Business phrase     `json:"business_id" required:"true" doc:"the organisation to switch to" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	OTP      phrase     `json:"otp" required:"false" doc:"a code of the authenticator app or a recovery code of the other account, after 403 auth.factor_required"`
	Passkey  *passkeyIn `json:"passkey" required:"false" doc:"the answer of a passkey of the other account to passkey-login-options, instead of otp"`
}

func (c *call) switchOrganisation(in *switchIn) (found[switchedData], error) {
	var bad problems
	to, given := contract.OrganisationID(parsePersonID(in.Business.checkedValue("business_id", &bad))), parseProof(in.OTP, in.Passkey, &bad)
	if err := bad.asError(); err != nil {
		return found[switchedData]{}, err
	}
	ctx, from := c.r.Context(), c.clientWith("")
	return c.answerSwitch(func() (identity.WebSession, error) {
		return c.Identity.SwitchWeb(ctx, c.by, to, given, from)
	}, func() (identity.Session, error) {
		return c.Identity.Switch(ctx, c.by, to, given, from)
	})
}

func membershipParam() *huma.Param {
	return &huma.Param{Name: "organisation_id", In: "path", Required: true, Description: "UUID of the organisation of the account.", Schema: textSchema(), Example: "0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"}
}

func (c *call) leaveOrganisation() (noted, error) {
	if err := c.Identity.Leave(c.r.Context(), c.by, c.pathOrganisationID()); err != nil {
		return noted{}, err
	}
	return c.notedAnswer("done.left"), nil
}
