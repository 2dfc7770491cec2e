package api

import (
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/store"
)

// adminAccountPolicy is what an organisation demands of the accounts of its people.
type adminAccountPolicy struct {
	Organisation  organisationOut `json:"organisation"`
	LoginFactor   string          `json:"login_factor" enum:"none,admins,everyone" doc:"whose logins need a second factor" example:"admins"`
	SignFactor    bool            `json:"sign_factor" doc:"people with accounts prove a second factor for each signature"`
	IdleMinutes   int             `json:"idle_minutes" doc:"a session ends when it was not used for so long; 0: no limit" example:"30"`
	AbsoluteHours int             `json:"absolute_hours" doc:"a session ends so long after its login; 0: no limit besides the lifetimes of tokens" example:"12"`
	HideAddresses bool            `json:"hide_addresses" doc:"new documents show their people the addresses of others in part only, unless the upload says otherwise"`
}

func adminAccountPolicyOf(o store.Organisation) adminAccountPolicy {
	return adminAccountPolicy{
		Organisation: organisationOf(o), LoginFactor: string(o.Accounts.Normalised().LoginFactor), SignFactor: o.Accounts.SignFactor,
		IdleMinutes: int(o.Accounts.IdleLimit / time.Minute), AbsoluteHours: int(o.Accounts.AbsoluteLimit / time.Hour),
		HideAddresses: o.Accounts.HideAddresses,
	}
}

func (c *call) loadAccountPolicy() (adminAccountPolicy, error) {
	of, err := c.queryOrganisation()
	if err != nil {
		return adminAccountPolicy{}, err
	}
	o, err := c.Identity.AccountPolicy(c.r.Context(), c.by, of)
	return adminAccountPolicyOf(o), err
}

type adminAccountPolicyIn struct {
	Organisation  phrase  `json:"organisation" required:"false" doc:"UUID; missing: the caller's own" example:"0d6a2f0e-6f0a-4a57-9d2c-3e5f1f0c8d3a"`
	LoginFactor   phrase  `json:"login_factor" required:"false" doc:"none, admins or everyone; missing: unchanged" example:"admins"`
	SignFactor    binary  `json:"sign_factor" required:"false" doc:"0 or 1; missing: unchanged"`
	IdleMinutes   integer `json:"idle_minutes" required:"false" doc:"5 to 43200; 0: no limit; missing: unchanged" example:"30"`
	AbsoluteHours integer `json:"absolute_hours" required:"false" doc:"1 to 8760; 0: no limit; missing: unchanged" example:"12"`
	HideAddresses binary  `json:"hide_addresses" required:"false" doc:"0 or 1, for new documents; missing: unchanged"`
}

func (c *call) changeAccountPolicy(in *adminAccountPolicyIn) (done[adminAccountPolicy], error) {
	var bad problems
	of := contract.OrganisationID(parsePersonID(in.Organisation.checkedValue("organisation", &bad)))
	change := identity.PolicyChange{
		IdleLimit: in.IdleMinutes.duration("idle_minutes", time.Minute, &bad), AbsoluteLimit: in.AbsoluteHours.duration("absolute_hours", time.Hour, &bad),
	}
	if demand := contract.FactorDemand(in.LoginFactor.checkedValue("login_factor", &bad)); demand != "" {
		change.LoginFactor = &demand
	}
	if required := in.SignFactor.checkedValue("sign_factor", &bad); in.SignFactor.given {
		change.SignFactor = &required
	}
	if hide := in.HideAddresses.checkedValue("hide_addresses", &bad); in.HideAddresses.given {
		change.HideAddresses = &hide
	}
	if err := bad.asError(); err != nil {
		return done[adminAccountPolicy]{}, err
	}
	o, err := c.Identity.ChangeAccountPolicy(c.r.Context(), c.by, of, change)
	if err != nil {
		return done[adminAccountPolicy]{}, err
	}
	c.Workflow.ForgetOrganisation(o.ID) // new documents take from it whether they hide addresses
	return doneAnswer(c, "done.account_policy", adminAccountPolicyOf(o)), nil
}

// duration returns a number of units as a duration, or nil if it is missing.
func (n integer) duration(field string, unit time.Duration, bad *problems) *time.Duration {
	if !n.given {
		return nil
	}
	const most = 1 << 20 // of any unit, far above every limit
	d := time.Duration(min(max(n.checkedValue(field, 0, bad), -1), most)) * unit
	return &d
}
