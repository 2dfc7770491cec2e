package identity

import (
	"context"
	"errors"
	"fmt"

	"segel/internal/contract"
	"segel/internal/store"
)

// PasswordPath is the page of the web app where people change their password.
const PasswordPath = "/password"

// KeysPath is the page of the web app where people see their API keys, SentPath the one of their own documents, and AdminPath the one for administrators.
const (
	KeysPath  = "/keys"
	SentPath  = "/sent"
	AdminPath = "/admin"
)

// newAccountNotice returns a notice about the account of a user. Without a mail server it is kept for an operator.
func (s *Service) newAccountNotice(k contract.NoticeKind, u store.User, from Client) contract.Notice {
	now := s.clock()
	n := contract.Notice{
		Organisation: u.Organisation, Person: u.ID, Kind: k, State: contract.NoticeOrdered, OrderedAt: now, DueAt: now,
		Account: contract.AccountFacts{Language: from.Language, IP: from.IP, UserAgent: contract.CleanUserAgent(from.UserAgent)},
	}
	if !s.delivers(contract.ChannelMail) {
		n.State, n.DoneAt = contract.NoticeKept, now
	}
	return n
}

// clientOf returns the origin of a request of a person with an account.
func clientOf(by contract.Actor) Client {
	return Client{IP: by.IP, UserAgent: by.UserAgent, Language: by.Language}
}

// AccountMessage returns the recipient and the link of a notice about an account. A refusal means that the notice has lost its purpose: the account
// was disabled, the reset link was used or has expired, or the invitation cannot be accepted any more.
func (s *Service) AccountMessage(ctx context.Context, n contract.Notice) (contract.AccountMessage, error) {
	if n.Kind == contract.NoticeInvitation { // to a person without an account
		return s.invitationMessage(ctx, n)
	}
	u, err := s.store.User(ctx, n.Person)
	if err != nil {
		return contract.AccountMessage{}, refuseNotFound(fmt.Errorf("read user %s: %w", n.Person, err), contract.ErrNoPerson)
	}
	if !u.DisabledAt.IsZero() || u.OrganisationState != contract.OrganisationActive {
		return contract.AccountMessage{}, contract.ErrNoPerson
	}
	m := contract.AccountMessage{To: u.Person, Link: s.publicURL + "/"}
	switch n.Kind {
	case contract.NoticeNewDevice:
		m.Link = s.publicURL + PasswordPath
		return m, nil
	case contract.NoticeKeyCreated, contract.NoticeKeyNetwork:
		k, err := s.store.APIKey(ctx, contract.KeyID(n.Account.Reference))
		if err != nil {
			return m, refuseNotFound(err, contract.ErrNoKey)
		}
		if m.About, m.Link = k.Name, s.publicURL+KeysPath; k.Person == u.ID {
			return m, nil
		}
		holder, err := s.store.User(ctx, k.Person)
		if err != nil {
			return m, fmt.Errorf("read user %s: %w", k.Person, err)
		}
		m.About, m.Link = k.Name+", "+holder.DisplayName()+" <"+holder.Email+">", s.publicURL+AdminPath+"?tab=keys"
		return m, nil
	case contract.NoticeLoginFailures:
		about, err := s.store.User(ctx, contract.PersonID(n.Account.Reference))
		if err != nil {
			return m, refuseNotFound(fmt.Errorf("read user %s: %w", n.Account.Reference, err), contract.ErrNoPerson)
		}
		m.About, m.Link = about.DisplayName()+" <"+about.Email+">", s.publicURL+AdminPath+"?tab=logins"
		return m, nil
	case contract.NoticeTransferred:
		about, err := s.store.User(ctx, contract.PersonID(n.Account.Reference))
		if err != nil {
			return m, refuseNotFound(fmt.Errorf("read user %s: %w", n.Account.Reference, err), contract.ErrNoPerson)
		}
		m.About, m.Link = about.DisplayName(), s.publicURL+SentPath
		return m, nil
	case contract.NoticeRemoval:
		m.About, m.Link = n.Account.Reference, s.publicURL+SentPath
		return m, nil
	case contract.NoticePasswordChanged, contract.NoticeFactorAdded, contract.NoticeFactorRemoved, contract.NoticeFactorsReset:
		return m, nil
	}
	r, err := s.store.PasswordReset(ctx, n.Account.Reference)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && !s.clock().Before(r.ExpiresAt):
		return m, ErrResetLink
	case err != nil:
		return m, err
	}
	clear, hash, err := s.deriveReset(r)
	if err != nil {
		return m, err
	}
	if hash != r.Hash {
		return m, fmt.Errorf("reset link %s was made with another master key", r.ID)
	}
	m.Link, m.Until = s.publicURL+ResetPath+"#"+clear, r.ExpiresAt
	return m, nil
}
