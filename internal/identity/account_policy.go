package identity

import (
	"context"
	"strconv"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// PolicyChange is what a request changes of a policy for accounts. A nil member stays as it is.
type PolicyChange struct {
	LoginFactor   *contract.FactorDemand
	SignFactor    *bool
	HideAddresses *bool
	IdleLimit     *time.Duration
	AbsoluteLimit *time.Duration
}

// AccountPolicy returns an organisation with its policy for accounts. An empty identifier means the caller's own.
func (s *Service) AccountPolicy(ctx context.Context, by contract.Actor, of contract.OrganisationID) (store.Organisation, error) {
	return store.LoadAdministered(ctx, s.store, by, contract.AdminPolicy, of)
}

// ChangeAccountPolicy changes the policy of an organisation for accounts. It applies to sessions that exist, from their next request
// on. Repeating a request changes nothing more.
func (s *Service) ChangeAccountPolicy(ctx context.Context, by contract.Actor, of contract.OrganisationID, c PolicyChange) (store.Organisation, error) {
	o, err := store.LoadAdministered(ctx, s.store, by, contract.AdminSetPolicy, of)
	if err != nil {
		return o, err
	}
	now := s.clock()
	// Durable with this commit: the policy, and who changed it.
	o.Accounts, err = s.store.ChangeAccountPolicy(ctx, o.ID, now, func(p *contract.AccountPolicy) (contract.Event, error) {
		setIfGiven(&p.LoginFactor, c.LoginFactor)
		setIfGiven(&p.SignFactor, c.SignFactor)
		setIfGiven(&p.HideAddresses, c.HideAddresses)
		setIfGiven(&p.IdleLimit, c.IdleLimit)
		setIfGiven(&p.AbsoluteLimit, c.AbsoluteLimit)
		return contract.Event{Type: contract.EventPolicyChanged, At: now, Person: by.Person, IP: by.IP, Details: policyDetails(o.ID, *p)}, contract.CheckAccountPolicy(*p)
	})
	return o, err
}

func setIfGiven[T any](to, given *T) {
	if given != nil {
		*to = *given
	}
}

// policyDetails returns the details of the event of a changed policy: what it demands now.
func policyDetails(of contract.OrganisationID, p contract.AccountPolicy) map[string]string {
	d := map[string]string{"organisation": string(of)}
	if f := p.Normalised().LoginFactor; f != contract.FactorOfNone {
		d["login_factor"] = string(f)
	}
	if p.HideAddresses {
		d["hide_addresses"] = "true"
	}
	if p.SignFactor {
		d["sign_factor"] = "true"
	}
	if p.IdleLimit > 0 {
		d["idle_minutes"] = strconv.Itoa(int(p.IdleLimit / time.Minute))
	}
	if p.AbsoluteLimit > 0 {
		d["absolute_hours"] = strconv.Itoa(int(p.AbsoluteLimit / time.Hour))
	}
	return d
}
