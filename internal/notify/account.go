package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

// Accounts is what messages about accounts are made from.
type Accounts interface {
	// OrderResets orders the messages for people who asked for a new password.
	OrderResets(ctx context.Context) error
	// AccountMessage returns the recipient and the link of a notice about an account. A refusal means that the notice has lost its purpose.
	AccountMessage(ctx context.Context, n contract.Notice) (contract.AccountMessage, error)
}

// accountDocument is the document of notices about accounts, which concern none.
const accountDocument contract.DocumentID = 0

// deliverAccountNotices is [Service.Deliver] for the notices about accounts, of all organisations.
func (s *Service) deliverAccountNotices(ctx context.Context) error {
	if err := s.Accounts.OrderResets(ctx); err != nil {
		return fmt.Errorf("order messages for forgotten passwords: %w", err)
	}
	ordered, err := s.Store.OrderedNotices(ctx, accountDocument)
	if err != nil {
		return err
	}
	return s.deliverDue(ctx, ordered, s.deliverAccountNotice)
}

// deliverAccountNotice sends one notice about an account and returns it with the result.
func (s *Service) deliverAccountNotice(ctx context.Context, n contract.Notice) (contract.Notice, error) {
	m, err := s.Accounts.AccountMessage(ctx, n)
	switch {
	case contract.KindOf(err) != 0: // the account was disabled, the link was used or has expired
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNotNeeded})
	case err != nil:
		return n, err
	case m.To.Email == "":
		return s.endTry(ctx, n, contract.NoticeDropped, contract.Problem{Code: contract.ProblemNoAddress})
	}
	return s.tryNotice(ctx, n, m.To.Email, func(n contract.Notice) error {
		mailed, err := s.composeAccountMessage(ctx, n, m)
		if err != nil {
			return err
		}
		return s.Sender.Send(ctx, mailed)
	})
}

// composeAccountMessage writes the mail of a notice about an account.
func (s *Service) composeAccountMessage(ctx context.Context, n contract.Notice, about contract.AccountMessage) (Message, error) {
	o, err := s.Store.Organisation(ctx, n.Organisation)
	if err != nil {
		return Message{}, fmt.Errorf("read organisation %s: %w", n.Organisation, err)
	}
	f := Facts{
		Kind: n.Kind, Language: cmp.Or(text.Language(n.Account.Language), text.Language(o.Locale.Language), s.Language), Zone: o.Locale.Location(), Recipient: about.To, Organisation: o.Name, Colour: o.Branding.Colour, By: n.By,
		Link: about.Link, Deadline: about.Until, At: n.OrderedAt, IP: n.Account.IP, UserAgent: n.Account.UserAgent, About: about.About,
	}
	if f.Logo, err = s.readLogo(ctx, o); err != nil {
		return Message{}, err
	}
	m, err := s.Composer.Compose(f)
	if err != nil {
		return Message{}, fmt.Errorf("compose notice %s: %w", n.ID, err)
	}
	m.Link = f.Link
	s.addressMessage(&m, n, o, mail.Address{Name: about.To.Name, Address: cmp.Or(n.Address, about.To.Email)})
	return m, nil
}

// showAccountNotice is [Service.Show] for a notice about an account. The log records that an operator has seen it, because its link then does not
// prove that the person reads the mailbox.
func (s *Service) showAccountNotice(ctx context.Context, by contract.Actor, n contract.Notice) (contract.Notice, Message, error) {
	about, err := s.Accounts.AccountMessage(ctx, n)
	if contract.KindOf(err) != 0 {
		return n, Message{}, contract.ErrNoNotice
	}
	if err != nil {
		return n, Message{}, err
	}
	m, err := s.composeAccountMessage(ctx, n, about)
	if err != nil {
		return n, Message{}, err
	}
	e := accountNoticeEvent(contract.EventAccountNoticeShown, n, s.Clock())
	e.Person, e.IP = by.Person, by.IP
	e.Details["address"] = about.To.Email
	if err := s.Store.LogEvents(ctx, e); err != nil {
		return n, Message{}, fmt.Errorf("log that a message was shown: %w", err)
	}
	return n, m, nil
}

// accountNoticeEvent returns an event about a notice that concerns an account.
func accountNoticeEvent(t contract.EventType, n contract.Notice, now time.Time) contract.Event {
	e := contract.Event{Type: t, At: now, Details: map[string]string{"organisation": string(n.Organisation), "notice": string(n.Kind), "address": n.Address}}
	if n.Person != "" {
		e.Details["person"] = string(n.Person)
	}
	return e
}

// readLogo returns the logo of an organisation; nil if it has none.
func (s *Service) readLogo(ctx context.Context, o store.Organisation) ([]byte, error) {
	if o.Branding.Logo == "" {
		return nil, nil
	}
	logo, err := s.Store.Logo(ctx, o.Branding.Logo)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("read logo: %w", err)
	}
	return logo, nil
}
