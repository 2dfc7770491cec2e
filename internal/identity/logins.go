package identity

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"segel/internal/contract"
	"segel/internal/store"
)

// recordFailure records a failed login of the accounts that it was compared with, or one of no account. An e-mail with an account takes the same
// work as one without. It does not fail the login if it cannot be recorded.
func (s *Service) recordFailure(ctx context.Context, accounts []store.User, wrong contract.Factor, from Client) {
	failed := func(of contract.OrganisationID, person contract.PersonID) contract.Login {
		l := contract.NewLogin(of, person, contract.LoginFailed, wrong, s.clock())
		l.Network, l.IP, l.UserAgent = Network(from.IP), from.IP, contract.CleanUserAgent(from.UserAgent)
		return l
	}
	var all []contract.Login
	for _, u := range accounts {
		all = append(all, failed(u.Organisation, u.ID))
	}
	if len(all) == 0 {
		all = append(all, failed("", ""))
	}
	s.recordLogins(ctx, all...)
}

// RecordRefusedLogin records that the provider of an organisation admitted no person.
func (s *Service) RecordRefusedLogin(ctx context.Context, of contract.OrganisationID, from Client) {
	l := contract.NewLogin(of, "", contract.LoginFailed, contract.FactorOIDC, s.clock())
	l.Network, l.IP, l.UserAgent = Network(from.IP), from.IP, contract.CleanUserAgent(from.UserAgent)
	s.recordLogins(ctx, l)
}

// recordLogins records logins that no transaction of their own makes durable.
func (s *Service) recordLogins(ctx context.Context, all ...contract.Login) {
	if err := s.store.RecordLogins(ctx, all...); err != nil {
		s.log.WarnContext(ctx, "a login is not recorded", "error", err)
	}
}

// recordLogout records that a person logged out.
func (s *Service) recordLogout(ctx context.Context, t store.Token, from Client) {
	if t.Document != 0 || t.Person == "" {
		return // of a guest
	}
	u, err := s.store.User(ctx, t.Person)
	if err != nil {
		s.log.WarnContext(ctx, "a logout is not recorded", "error", err)
		return
	}
	l := contract.NewLogin(u.Organisation, u.ID, contract.LoginEnded, "", s.clock())
	l.Network, l.IP, l.UserAgent = from.IP, from.IP, contract.CleanUserAgent(from.UserAgent)
	s.recordLogins(ctx, l)
}

// wrongFactor returns which second factor a refused login presented; empty if the refusal is about something else.
func wrongFactor(err error, given contract.GivenFactor) contract.Factor {
	switch {
	case !errors.Is(err, contract.ErrOTPWrong) && !errors.Is(err, contract.ErrPasskeyWrong) && !errors.Is(err, contract.ErrFactorTries):
		return ""
	case given.Passkey != nil:
		return contract.FactorPasskey
	}
	return contract.FactorTOTP
}

// recordWrongFactor records a second factor that was refused as a failed login of the account; other errors, and none, are not.
func (s *Service) recordWrongFactor(ctx context.Context, refused error, u store.User, given contract.GivenFactor, from Client) {
	if wrong := wrongFactor(refused, given); wrong != "" {
		s.recordFailure(ctx, []store.User{u}, wrong, from)
	}
}

// ReportFailedLogins tells the administrators of organisations that many logins of an account failed: in the audit log, which is the feed too, and by
// mail. A run finds what requests have recorded, so that no request takes longer because it is the one that makes them many.
func (s *Service) ReportFailedLogins(ctx context.Context) error {
	now := s.clock()
	const most = 1000
	accounts, err := s.store.FailedLogins(ctx, "", now.Add(-contract.FailedLoginsPeriod), contract.ManyFailedLogins, most)
	if err != nil {
		return err
	}
	byOrganisation := map[contract.OrganisationID][]contract.FailedLogins{}
	for _, a := range accounts {
		byOrganisation[a.Organisation] = append(byOrganisation[a.Organisation], a)
	}
	var failed []error // one organisation does not keep the others from being told
	for of, accounts := range byOrganisation {
		if err := s.reportFailedLogins(ctx, of, accounts); err != nil {
			failed = append(failed, fmt.Errorf("organisation %s: %w", of, err))
		}
	}
	return errors.Join(failed...)
}

// reportFailedLogins reports the failed logins of one organisation, those of the account with the most first.
func (s *Service) reportFailedLogins(ctx context.Context, of contract.OrganisationID, accounts []contract.FailedLogins) error {
	u, err := s.store.User(ctx, accounts[0].Person)
	if err != nil {
		return fmt.Errorf("read user %s: %w", accounts[0].Person, err)
	}
	count := 0
	for _, a := range accounts {
		count += a.Times
	}
	now := s.clock()
	e := contract.Event{Type: contract.EventLoginFailures, At: now, Details: map[string]string{
		"organisation": string(of), "person": string(u.ID), "name": u.Name, "email": u.Email, "accounts": strconv.Itoa(len(accounts)), "count": strconv.Itoa(count),
	}}
	notices, err := s.newAdminNotices(ctx, of, contract.NoticeLoginFailures, string(u.ID), Client{})
	if err != nil {
		return err
	}
	// Durable with this commit: the event, the messages, and when this was done.
	_, err = s.store.ReportFailedLogins(ctx, of, now.Add(-contract.FailedLoginsQuiet), e, notices)
	return err
}

// newAdminNotices returns a notice to each administrator of an organisation, up to contract.MaxToldAdmins. Reference identifies what it is about.
func (s *Service) newAdminNotices(ctx context.Context, of contract.OrganisationID, k contract.NoticeKind, reference string, from Client) ([]contract.Notice, error) {
	admins, err := s.store.Admins(ctx, of, contract.MaxToldAdmins)
	if err != nil {
		return nil, err
	}
	var all []contract.Notice
	for _, u := range admins {
		n := s.newAccountNotice(k, u, from)
		n.Account.Reference = reference
		all = append(all, n)
	}
	return all, nil
}
