package sso

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"segel/internal/contract"
	"segel/internal/store"
)

// A mail domain routes logins, and its addresses link accounts, only after an operator granted it, or, where the operator allows that, its DNS
// proved it. Otherwise an admin could name the domain of another company, whose people would then be sent to the admin's provider.

// ClaimDomain names a domain of an organisation. It routes nothing until it is granted. Naming it again changes nothing.
func (s *Service) ClaimDomain(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string) (contract.SSODomain, error) {
	of, err := s.authorise(ctx, by, contract.AdminClaimDomain, of)
	if err != nil {
		return contract.SSODomain{}, err
	}
	name, ok := contract.ParseMailDomain(name)
	if !ok {
		return contract.SSODomain{}, contract.InvalidInput(contract.NewFieldError("domain", "sso.bad_domain"))
	}
	challenge := make([]byte, 24)
	if _, err := io.ReadFull(s.Random, challenge); err != nil {
		return contract.SSODomain{}, fmt.Errorf("draw a challenge: %w", err)
	}
	d := contract.SSODomain{Organisation: of, Domain: name, Challenge: base64.RawURLEncoding.EncodeToString(challenge), ClaimedAt: s.Clock()}
	err = s.Store.ClaimDomain(ctx, d, s.domainEvent(by, d, "domain_named"))
	if err != nil && !errors.Is(err, store.ErrExists) {
		return contract.SSODomain{}, err
	}
	return s.loadDomain(ctx, of, name)
}

// loadDomain reads a domain that an organisation named.
func (s *Service) loadDomain(ctx context.Context, of contract.OrganisationID, name string) (contract.SSODomain, error) {
	name, ok := contract.ParseMailDomain(name)
	if !ok {
		return contract.SSODomain{}, contract.ErrNoDomain
	}
	all, err := s.Store.SSODomains(ctx, of)
	if err != nil {
		return contract.SSODomain{}, err
	}
	for _, d := range all {
		if d.Domain == name {
			return d, nil
		}
	}
	return contract.SSODomain{}, contract.ErrNoDomain
}

// GrantDomain lets a domain of an organisation route logins. Only operators may. A domain that another organisation has is ErrDomainTaken.
func (s *Service) GrantDomain(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string) (contract.SSODomain, error) {
	of, err := s.authorise(ctx, by, contract.AdminGrantDomain, of)
	if err != nil {
		return contract.SSODomain{}, err
	}
	return s.grantDomain(ctx, by, of, name, contract.GrantedByOperator, contract.ErrDomainTaken)
}

// ProveDomain grants a domain whose DNS has the TXT record of its challenge. A domain that another organisation has gets the same answer as one
// without the record, so that an admin does not learn who else uses the service.
func (s *Service) ProveDomain(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string) (contract.SSODomain, error) {
	of, err := s.authorise(ctx, by, contract.AdminProveDomain, of)
	if err != nil {
		return contract.SSODomain{}, err
	}
	d, err := s.loadDomain(ctx, of, name)
	switch {
	case err != nil:
		return d, err
	case !d.GrantedAt.IsZero():
		return d, nil
	case s.LookupTXT == nil:
		return d, contract.ErrDNSOff
	}
	records, err := s.LookupTXT(ctx, d.RecordName())
	if err != nil {
		return d, contract.ErrDomainUnproven.WithCause(err)
	}
	proven := 0
	for _, r := range records {
		proven |= subtle.ConstantTimeCompare([]byte(r), []byte(d.RecordValue()))
	}
	if proven != 1 {
		return d, contract.ErrDomainUnproven
	}
	return s.grantDomain(ctx, by, of, name, contract.GrantedByDNS, contract.ErrDomainUnproven)
}

// grantDomain stores a grant. Taken is the refusal of a domain that another organisation has.
func (s *Service) grantDomain(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string, how contract.DomainGrant, taken *contract.Error) (contract.SSODomain, error) {
	d, err := s.loadDomain(ctx, of, name)
	if err != nil || !d.GrantedAt.IsZero() {
		return d, err
	}
	e := s.domainEvent(by, d, "domain_granted")
	e.Details["granted_by"] = string(how)
	err = s.Store.GrantDomain(ctx, of, d.Domain, how, e)
	if err != nil && !errors.Is(err, store.ErrExists) {
		return d, err
	}
	// Another request may have granted it to the same organisation at the same moment.
	d, readErr := s.loadDomain(ctx, of, name)
	if readErr == nil && d.GrantedAt.IsZero() {
		return d, taken.WithCause(err)
	}
	return d, readErr
}

// RemoveDomain removes a domain of an organisation, granted or not: its people log in with passwords again. Removing it again changes nothing.
func (s *Service) RemoveDomain(ctx context.Context, by contract.Actor, of contract.OrganisationID, name string) error {
	of, err := s.authorise(ctx, by, contract.AdminRemoveDomain, of)
	if err != nil {
		return err
	}
	d, err := s.loadDomain(ctx, of, name)
	if errors.Is(err, contract.ErrNoDomain) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.Store.RemoveDomain(ctx, of, d.Domain, s.domainEvent(by, d, "domain_removed"))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// domainEvent returns the event of a change of a domain.
func (s *Service) domainEvent(by contract.Actor, d contract.SSODomain, change string) contract.Event {
	e := s.eventOf(by, d.Organisation, change)
	e.Details["domain"] = d.Domain
	return e
}

// grantedDomains returns the domains that were granted to an organisation.
func (s *Service) grantedDomains(ctx context.Context, of contract.OrganisationID) ([]string, error) {
	all, err := s.Store.SSODomains(ctx, of)
	if err != nil {
		return nil, err
	}
	var granted []string
	for _, d := range all {
		if !d.GrantedAt.IsZero() {
			granted = append(granted, d.Domain)
		}
	}
	return granted, nil
}
